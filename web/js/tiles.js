// A match as the lobby shows it: what is played, who sits there, how it stands, and what one can do.

import { identity } from "./api.js";
import { Component, define, html } from "./element.js";
import { title } from "./games.js";
import { ago, moment, number, t } from "./i18n.js";
import { toMatch, toReplay } from "./links.js";

/** @import { LobbyMatch, LobbySeat } from "../types/kibitz.js" */

class Tile extends Component {
  /** @type {LobbyMatch | null} */
  #match = null;

  get match() {
    return this.#match;
  }

  set match(match) {
    this.#match = match;
    this.update();
  }

  render() {
    const match = this.#match;
    if (!match) return null;
    const free = match.seats.filter(({ player }) => player === null).length;
    const own = match.seats.find(({ player }) => player !== null && player === identity()?.player);
    return html`
      <article class="tile" data-status=${match.status}>
        <div class="spread">
          <h3><a class="cover" href=${toMatch(match.match)}>${title(match.game)}</a></h3>
          ${badge(match, free)}
        </div>
        <ol class="chips" aria-label=${t("seats")}>${match.seats.map((seat) => chip(match, seat))}</ol>
        <p class="spread small soft">
          <span>${own ? t("tile.you") : standing(match)}</span>
          <time datetime=${new Date(match.at).toISOString()} title=${moment(match.at)}>${ago(match.at)}</time>
        </p>
        <p class="row act">
          <a class="button ${match.status === "open" && free && !own ? "" : "quiet"}" href=${toMatch(match.match)} aria-label=${`${t(act(match, free, own))}: ${title(match.game)}`}>${t(act(match, free, own))}</a>
          ${(match.status === "finished") && html`<a class="button quiet" href=${toReplay(match.match)} aria-label=${`${t("tile.replay")}: ${title(match.game)}`}>${t("tile.replay")}</a>`}
        </p>
      </article>`;
  }
}

define("kb-tile", Tile);

/**
 * @param {LobbyMatch} match
 * @param {number} free
 */
function badge(match, free) {
  if (match.status === "open" && free) return html`<span class="badge warn">${t("tile.free", { count: free })}</span>`;
  const kind = match.status === "playing" ? "good" : "";
  return html`<span class="badge ${kind}">${t(`status.${match.status}`)}</span>`;
}

/**
 * @param {LobbyMatch} match
 * @param {LobbySeat} seat
 */
function chip(match, { seat, player, name, kind }) {
  const won = match.winners.includes(seat);
  const score = match.status !== "open" && match.scores[seat] !== undefined && html`<span class="number">${number(match.scores[seat])}</span>`;
  if (player === null) return html`<li class="chip free">${t("seat.free")}</li>`;
  return html`<li class="chip ${won ? "won" : ""}">${won && html`<span aria-hidden="true">★</span><span class="unseen">${t("seat.won")}</span>`}
    <span class="called ${kind}">${name ? name.replace(/ \(bot\)$/, "") : t("player.erased")}</span>${kind === "bot" && html`<span class="unseen">${t("seat.bot")}</span>`}${score}</li>`;
}

/** @param {LobbyMatch} match */
function standing(match) {
  if (match.spectators === "none") return t("tile.closed");
  const hand = match.status !== "open" && match.hand ? t("tile.hand", { number: match.hand }) : "";
  const count = match.seats.filter(({ kind }) => kind === "bot").length;
  const bots = count ? t("tile.bots", { count }) : "";
  const clock = match.clock ? t("tile.clock", { seconds: match.clock.turn_seconds }) : "";
  return [hand, bots, clock].filter(Boolean).join(" · ");
}

/**
 * @param {LobbyMatch} match
 * @param {number} free
 * @param {LobbySeat | undefined} own
 */
function act(match, free, own) {
  if (match.status === "open" && free && !own) return "tile.sit";
  if (match.status === "open" || match.status === "revealing") return "tile.look";
  if (match.status === "playing") return own ? "tile.play" : "tile.watch";
  return "tile.result";
}
