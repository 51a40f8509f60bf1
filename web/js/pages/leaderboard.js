// Who has won most, in all games or in one.

import { define, html } from "../element.js";
import { games } from "../games.js";
import { number, t } from "../i18n.js";
import { toPlayer } from "../links.js";
import { Paged } from "../paged.js";
import { go, named } from "../router.js";

/** @import { GameInfo, Leader } from "../../types/kibitz.js" */

/** @extends {Paged<Leader>} */
class Leaderboard extends Paged {
  step = 25;
  game = "";
  /** @type {GameInfo[]} */
  #games = [];

  /** @param {{ [name: string]: string }} params */
  moved({ game = "" }) {
    this.game = game;
    this.restart();
  }

  wanted() {
    named(t("nav.leaderboard"));
    return { path: "/v1/leaderboard", query: { game: this.game }, beside: games().then((known) => (this.#games = known)) };
  }

  render() {
    return html`
      <div class="page narrow">
        <div class="spread">
          <h1>${t("nav.leaderboard")}</h1>
          <label class="row"><span>${t("lobby.game")}</span>
            <select .value=${this.game} @change=${(/** @type {any} */ { target }) => go(target.value ? `#/leaderboard?game=${target.value}` : "#/leaderboard")}>
              <option value="">${t("lobby.game.all")}</option>
              ${this.#games.map(({ id, title }) => html`<option value=${id}>${title}</option>`)}
            </select></label>
        </div>
        ${this.shown(leaders, t("leaders.none"))}
      </div>`;
  }
}

/** @param {Leader[]} items */
function leaders(items) {
  return html`
    <table class="figures panel">
      <caption class="unseen">${t("nav.leaderboard")}</caption>
      <thead><tr><th scope="col" class="number">${t("leaders.place")}</th><th scope="col">${t("leaders.player")}</th>
        <th scope="col" class="number">${t("leaders.won")}</th><th scope="col" class="number">${t("leaders.finished")}</th></tr></thead>
      <tbody>${items.map(({ player, name, won, finished }) => html`
        <tr data-key=${player}><td class="number">${number(1 + items.filter((other) => other.won > won).length)}</td>
          <th scope="row"><a href=${toPlayer(player)}>${name || t("player.erased")}</a></th>
          <td class="number strong">${number(won)}</td><td class="number">${number(finished)}</td></tr>`)}</tbody>
    </table>`;
}

define("kb-leaderboard", Leaderboard);

/** @param {{ [name: string]: string }} params */
export function page(params) {
  const made = /** @type {Leaderboard} */ (document.createElement("kb-leaderboard"));
  made.moved(params);
  return made;
}
