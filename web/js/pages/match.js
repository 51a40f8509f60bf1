// One match: before the start who sits where, then its table.

import { get } from "../api.js";
import { Component, define, html } from "../element.js";
import { failure } from "../failure.js";
import { follow } from "../feed.js";
import "../waiting.js";

/** @import { LiveTable } from "../../types/kibitz.js" */

class MatchPage extends Component {
  match = "";
  /** @type {LiveTable | null} */
  live = null;
  /** @type {unknown} */
  error = null;
  #stop = () => {};

  connected() {
    this.load();
  }

  disconnected() {
    this.#stop();
  }

  async load() {
    this.error = null;
    try {
      this.live = await get(`/v1/matches/${this.match}`, { signal: this.signal });
    } catch (error) {
      this.error = error;
    }
    this.update();
    if (!this.live || !this.isConnected) return;
    this.#stop = follow(this.match, {
      after: this.live.version,
      onFrame: ({ data }) => ((this.live = data.table), this.update()),
      onProblem: (problem) => ((this.error = problem), this.update()),
    });
  }

  render() {
    if (this.error) return html`${failure(this.error, () => this.load())}`;
    if (!this.live) return html`<p aria-busy="true"></p>`;
    if (this.live.status === "open" || this.live.status === "revealing") return html`<kb-waiting .live=${this.live}></kb-waiting>`;
    return html`<kb-table .live=${this.live}></kb-table>`;
  }
}

define("kb-match-page", MatchPage);

/** @param {{ [name: string]: string }} params */
export function page({ match }) {
  const made = /** @type {MatchPage} */ (document.createElement("kb-match-page"));
  made.match = match;
  return made;
}
