// A player: the name, and the matches.

import { get, identity } from "../api.js";
import { Component, define, html } from "../element.js";
import { failure } from "../failure.js";
import "../history.js";
import { t } from "../i18n.js";
import { named } from "../router.js";

/** @import { Person } from "../../types/kibitz.js" */

class PlayerPage extends Component {
  player = "";
  /** @type {Person | null} */
  #who = null;
  /** @type {unknown} */
  #error = null;

  connected() {
    this.load();
  }

  async load() {
    this.#error = null;
    try {
      this.#who = await get(`/v1/players/${this.player}`, { signal: this.signal });
      named(this.name);
    } catch (error) {
      if (this.signal.aborted) return;
      this.#error = error;
    }
    this.update();
  }

  get name() {
    return this.#who?.name || t("player.erased");
  }

  render() {
    if (this.#error) return html`${failure(this.#error, () => this.load())}`;
    if (!this.#who) return html`<p aria-busy="true" class="soft">${t("wait")}</p>`;
    const own = identity()?.player === this.player;
    return html`
      <div class="page narrow">
        <div class="spread"><h1>${this.name}</h1>${own && html`<a href="#/me">${t("player.you")}</a>`}</div>
        ${this.#who.name === "" && html`<p class="note">${t("player.erased.about")}</p>`}
        <section class="stack" aria-labelledby="matches"><h2 id="matches">${t("player.matches")}</h2>
          <kb-history .player=${this.player}></kb-history></section>
      </div>`;
  }
}

define("kb-player", PlayerPage);

/** @param {{ [name: string]: string }} params */
export function page({ player }) {
  const made = /** @type {PlayerPage} */ (document.createElement("kb-player"));
  made.player = player;
  return made;
}
