// The matches of a player, the newest first, in pages.

import { define, html } from "./element.js";
import { games, title } from "./games.js";
import { ago, moment, number, t } from "./i18n.js";
import { toMatch, toReplay, toSheet } from "./links.js";
import { Paged } from "./paged.js";

/** @import { PlayerMatch } from "../types/kibitz.js" */

/** @extends {Paged<PlayerMatch>} */
class History extends Paged {
  player = "";

  wanted() {
    return { path: `/v1/players/${this.player}/matches`, beside: games() };
  }

  render() {
    return html`${this.shown((items) => html`<ul class="list lines">${items.map(line)}</ul>`, t("history.none"))}`;
  }
}

define("kb-history", History);

/** @param {PlayerMatch} match */
function line(match) {
  return html`
    <li class="line" data-key=${`${match.match}/${match.seat}`}>
      <div><a class="strong" href=${toMatch(match.match)}>${title(match.game)}</a>
        <span class="small soft">${t("players", { count: match.seats })} · <time datetime=${new Date(match.at).toISOString()} title=${moment(match.at)}>${ago(match.at)}</time></span></div>
      <div class="row">
        ${outcome(match)}
        ${match.score !== null && match.hands !== 0 && html`<span class="number">${t("history.score", { score: number(match.score) })}</span>`}
        ${match.status === "finished" && html`<a href=${toReplay(match.match)}>${t("tile.replay")}</a> <a href=${toSheet(match.match)}>${t("history.sheet")}</a>`}
      </div>
    </li>`;
}

/** @param {PlayerMatch} match */
function outcome({ won, resigned, status }) {
  if (resigned) return html`<span class="badge warn">${t("history.resigned")}</span>`;
  if (status === "finished" && won) return html`<span class="badge good">★ ${t("history.won")}</span>`;
  return html`<span class="badge">${t(status === "finished" && won === false ? "history.lost" : `status.${status}`)}</span>`;
}
