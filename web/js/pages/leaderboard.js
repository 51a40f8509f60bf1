// Who has won most, in all games or in one.

import { Component, define, html } from "../element.js";
import { complaint } from "../failure.js";
import { games } from "../games.js";
import { number, t } from "../i18n.js";
import { toPlayer } from "../links.js";
import { listing } from "../listing.js";
import { go, named } from "../router.js";

/** @import { GameInfo, Leader } from "../../types/kibitz.js" */

const PAGE = 25;

class Leaderboard extends Component {
  game = "";
  /** @type {GameInfo[]} */
  #games = [];
  /** @type {{ items: Leader[], next: string | null } | null} */
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

  /** @param {{ [name: string]: string }} params */
  moved({ game = "" }) {
    this.game = game;
    this.#shown = PAGE;
    if (this.isConnected) this.load();
  }

  async load() {
    named(t("nav.leaderboard"));
    try {
      const asked = listing("/v1/leaderboard", this.#shown, { game: this.game }, this.signal);
      [this.#games, this.#found] = await Promise.all([games(), asked]);
      this.#error = null;
    } catch (error) {
      if (this.signal.aborted) return;
      this.#error = error;
    }
    this.update();
  }

  render() {
    const { items, next } = this.#found ?? { items: [], next: null };
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
        ${this.#error && complaint(this.#error)}
        ${!this.#found && !this.#error && html`<p aria-busy="true" class="soft">${t("wait")}</p>`}
        ${this.#found && items.length === 0 && html`<div class="empty"><p>${t("leaders.none")}</p></div>`}
        ${items.length > 0 && html`
          <table class="figures panel">
            <caption class="unseen">${t("nav.leaderboard")}</caption>
            <thead><tr><th scope="col" class="number">${t("leaders.place")}</th><th scope="col">${t("leaders.player")}</th>
              <th scope="col" class="number">${t("leaders.won")}</th><th scope="col" class="number">${t("leaders.finished")}</th></tr></thead>
            <tbody>${items.map(({ player, name, won, finished }, place) => html`
              <tr data-key=${player}><td class="number">${number(1 + items.filter((other) => other.won > won).length || place)}</td>
                <th scope="row"><a href=${toPlayer(player)}>${name || t("player.erased")}</a></th>
                <td class="number strong">${number(won)}</td><td class="number">${number(finished)}</td></tr>`)}</tbody>
          </table>`}
        ${next !== null && html`<p><button type="button" class="quiet" @click=${() => ((this.#shown += PAGE), this.load())}>${t("list.more")}</button></p>`}
      </div>`;
  }
}

define("kb-leaderboard", Leaderboard);

/** @param {{ [name: string]: string }} params */
export function page(params) {
  const made = /** @type {Leaderboard} */ (document.createElement("kb-leaderboard"));
  made.moved(params);
  return made;
}
