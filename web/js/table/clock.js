// <kb-clock>: what a seat that is due has left of its turn, then of its bank. It counts down by itself; in a replay it
// stands still. It is not read out by itself: the match page says when time runs short.

import { Component, define, html } from "../element.js";
import { t } from "../i18n.js";

const OFTEN = 250;
const SHORT = 10_000;

/** @typedef {{ since: number, turn: number, bank: number, skew: number, still: number | null }} Running
 * all in milliseconds: when the turn began, how long it may be, the bank at its beginning, what this browser's clock is
 * ahead of the service's, and for a clock that stands still the moment it shows */

/**
 * What is left at a moment.
 * @param {Running} running
 * @param {number} now by this browser's clock
 */
export function left({ since, turn, bank, skew, still }, now) {
  const used = Math.max(0, (still ?? now - skew) - since);
  return { turn: Math.max(0, turn - used), bank: Math.max(0, bank - Math.max(0, used - turn)) };
}

/**
 * Minutes and seconds, or with hours.
 * @param {number} milliseconds
 */
export function reading(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

class Clock extends Component {
  /** @type {Running | null} */
  #running = null;

  get running() {
    return this.#running;
  }

  set running(running) {
    this.#running = running;
    this.update();
  }

  connected() {
    const timer = setInterval(() => this.#running?.still === null && this.update(), OFTEN);
    this.signal.addEventListener("abort", () => clearInterval(timer));
  }

  render() {
    if (!this.#running) return html``;
    const rest = left(this.#running, Date.now());
    const spent = rest.turn === 0;
    const shown = reading(spent ? rest.bank : rest.turn);
    const label = t(spent ? "table.clock.bank" : "table.clock.turn", { left: shown, bank: reading(rest.bank) });
    return html`<span class="clock" role="timer" data-short=${rest.turn + rest.bank < SHORT} data-spent=${spent}
      aria-label=${label} title=${label}>${shown}${!spent && rest.bank > 0 && html`<small>+${reading(rest.bank)}</small>`}</span>`;
  }
}

define("kb-clock", Clock);
