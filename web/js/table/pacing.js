// Frames come as fast as bots play. They are shown one after another, slowly enough to be followed, and faster the more
// of them wait: what is shown is never more than a few seconds behind.

import { keep, read } from "../storage.js";

/** @import { Frame } from "../feed.js" */
/** @typedef {"calm" | "brisk" | "instant"} Pace */

const KEPT = "kibitz.pace";
const FURTHEST_BEHIND = 4_000;
/** @type {Record<Pace, number>} */
const BETWEEN = { calm: 900, brisk: 400, instant: 0 };
/** What clears the table: what lies there is worth another look. */
const CLEARS = new Set(["RoundWon", "AssCardsTaken", "TrickWon", "PotTaken", "HandScored"]);
/** What changes nothing that is to be seen. */
const UNSEEN = new Set(["TimeUsed", "ClockExpired"]);

/** @type {readonly Pace[]} */
export const PACES = ["calm", "brisk", "instant"];

/** @returns {Pace} */
export function pace() {
  const kept = read(KEPT);
  return PACES.find((one) => one === kept) ?? "brisk";
}

/** @param {Pace} wanted */
export function choosePace(wanted) {
  keep(KEPT, wanted);
}

export class Pacing {
  /** @type {Frame[]} */
  #waiting = [];
  /** @type {ReturnType<typeof setTimeout> | null} */
  #timer = null;

  /** @param {(frame: Frame) => void} show */
  constructor(show) {
    this.show = show;
  }

  /** Whether all that came has been shown. */
  get even() {
    return this.#waiting.length === 0;
  }

  /** @param {Frame} frame */
  take(frame) {
    this.#waiting.push(frame);
    if (this.#timer === null) this.#next();
  }

  /** Forgets what waits. */
  clear() {
    this.#waiting = [];
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #next() {
    this.#timer = null;
    const frame = this.#waiting.shift();
    if (!frame) return;
    const after = this.#waiting[0]?.event ?? "";
    const wanted = UNSEEN.has(frame.event) || document.hidden ? 0 : BETWEEN[pace()] * (CLEARS.has(after) ? 2.5 : 1);
    const wait = Math.min(wanted, FURTHEST_BEHIND / (this.#waiting.length + 1));
    this.#timer = setTimeout(() => this.#next(), wait);
    this.show(frame);
  }
}
