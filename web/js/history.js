// The matches of a player, the newest first, in pages.

import { Component, define, html } from "./element.js";
import { complaint } from "./failure.js";
import { games, title } from "./games.js";
import { ago, moment, number, t } from "./i18n.js";
import { toMatch, toReplay, toSheet } from "./links.js";
import { listing } from "./listing.js";

/** @import { PlayerMatch } from "../types/kibitz.js" */

const PAGE = 20;

class History extends Component {
  player = "";
  /** @type {{ items: PlayerMatch[], next: string | null } | null} */
  #found = null;
  /** @type {unknown} */
  #error = null;
  #shown = PAGE;

  connected() {
    this.load();
  }

  spoken() {
    this.load();
  }

  async load() {
    try {
      const [page] = await Promise.all([listing(`/v1/players/${this.player}/matches`, this.#shown, {}, this.signal), games()]);
      this.#found = page;
      this.#error = null;
    } catch (error) {
      if (this.signal.aborted) return;
      this.#error = error;
    }
    this.update();
  }

  render() {
    if (this.#error) return html`${complaint(this.#error)}`;
    if (!this.#found) return html`<p aria-busy="true" class="soft">${t("wait")}</p>`;
    const { items, next } = this.#found;
    if (items.length === 0) return html`<div class="empty"><p>${t("history.none")}</p></div>`;
    return html`
      <ul class="list lines">
        ${items.map((match) => html`
          <li class="line" data-key=${`${match.match}/${match.seat}`}>
            <div><a class="strong" href=${toMatch(match.match)}>${title(match.game)}</a>
              <span class="small soft">${t("players", { count: match.seats })} · <time datetime=${new Date(match.at).toISOString()} title=${moment(match.at)}>${ago(match.at)}</time></span></div>
            <div class="row">
              ${outcome(match)}
              ${match.score !== null && match.hands !== 0 && html`<span class="number">${t("history.score", { score: number(match.score) })}</span>`}
              ${match.status === "finished" && html`<a href=${toReplay(match.match)}>${t("tile.replay")}</a> <a href=${toSheet(match.match)}>${t("history.sheet")}</a>`}
            </div>
          </li>`)}
      </ul>
      ${next !== null && html`<p><button type="button" class="quiet" @click=${() => this.longer()}>${t("list.more")}</button></p>`}`;
  }

  longer() {
    this.#shown += PAGE;
    this.load();
  }
}

define("kb-history", History);

/** @param {PlayerMatch} match */
function outcome({ won, resigned, status }) {
  if (resigned) return html`<span class="badge warn">${t("history.resigned")}</span>`;
  if (status === "finished" && won) return html`<span class="badge good">★ ${t("history.won")}</span>`;
  return html`<span class="badge">${t(status === "finished" && won === false ? "history.lost" : `status.${status}`)}</span>`;
}
