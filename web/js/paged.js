// A part of a page that shows a list of the API from its beginning, and more of it when it is asked to.

import { Component, html } from "./element.js";
import { complaint } from "./failure.js";
import { t } from "./i18n.js";
import { listing } from "./listing.js";

/** @template Item */
export class Paged extends Component {
  /** How many items are shown at first, and how many more each time. */
  step = 20;
  /** @type {{ items: Item[], next: string | null } | null} */
  found = null;
  /** @type {unknown} */
  error = null;
  #shown = 0;

  /**
   * Where the list is, and whatever else has to be there before it is shown.
   * @returns {{ path: string, query?: { [name: string]: string | undefined }, beside?: Promise<unknown> }}
   */
  wanted() {
    throw new TypeError("which list?");
  }

  connected() {
    this.load();
  }

  spoken() {
    this.load();
  }

  /** The list is another one now: from its beginning. */
  restart() {
    this.#shown = 0;
    if (this.isConnected) this.load();
  }

  async load() {
    const { path, query = {}, beside } = this.wanted();
    try {
      [this.found] = await Promise.all([listing(path, this.#shown || this.step, query, this.signal), beside]);
      this.error = null;
    } catch (error) {
      if (this.signal.aborted) return;
      this.error = error;
    }
    this.update();
  }

  /**
   * The list, and what went wrong when it was asked for.
   * @param {(items: Item[]) => unknown} filled shows one that has items
   * @param {string} none what is said of one that has none
   */
  shown(filled, none) {
    if (!this.found) return this.error ? complaint(this.error) : html`<p aria-busy="true" class="soft">${t("wait")}</p>`;
    const { items, next } = this.found;
    return html`
      ${this.error && complaint(this.error)}
      ${items.length === 0 ? html`<div class="empty"><p>${none}</p></div>` : filled(items)}
      ${next !== null && html`<p><button type="button" class="quiet" @click=${() => this.#longer()}>${t("list.more")}</button></p>`}`;
  }

  #longer() {
    this.#shown = (this.#shown || this.step) + this.step;
    this.load();
  }
}
