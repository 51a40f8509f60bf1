// The steps of a replay, kept in memory: what event n left on the table never changes, so each is asked for once.

import { get } from "../api.js";

/** @import { ReplayStep } from "../../types/kibitz.js" */
/** @typedef {"public" | "all" | `${number}` | string} Perspective through whose eyes: as the API writes it */

const AHEAD = 24; // steps that are read before they are needed
const AT_ONCE = 4; // requests under way: a browser has six connections to one service, and the page needs some itself
const KEPT = 4000;

/** The steps of one match in one language. */
export class Steps {
  #match;
  #ahead;
  /** @type {Map<string, Promise<ReplayStep>>} */
  #asked = new Map();
  /** @type {Map<string, ReplayStep>} */
  #known = new Map();
  /** @type {[number, Perspective][]} */
  #waiting = [];
  #running = 0;

  /**
   * `ahead` says whether steps through these eyes may be read before anybody looks at them: of a running match, what
   * is shown beyond the rules' own audience is logged, and nobody wants to be logged for what was not looked at.
   * @param {string} match
   * @param {(perspective: Perspective) => boolean} ahead
   */
  constructor(match, ahead) {
    this.#match = match;
    this.#ahead = ahead;
  }

  /**
   * The step, if it is here already.
   * @param {number} version
   * @param {Perspective} perspective
   */
  have(version, perspective) {
    return this.#known.get(`${perspective} ${version}`);
  }

  /**
   * The step, from memory or from the service. Rejects with the Problem that the service answers.
   * @param {number} version
   * @param {Perspective} perspective
   */
  at(version, perspective) {
    const key = `${perspective} ${version}`;
    const before = this.#asked.get(key);
    if (before) return before;
    const asked = this.#read(version, perspective, key);
    this.#asked.set(key, asked);
    if (this.#asked.size > KEPT) this.#forget(this.#asked.keys().next().value ?? "");
    return asked;
  }

  /**
   * @param {number} version
   * @param {Perspective} perspective
   * @param {string} key
   * @returns {Promise<ReplayStep>}
   */
  async #read(version, perspective, key) {
    try {
      /** @type {ReplayStep} */
      const step = await get(`/v1/matches/${this.#match}/replay/${version}`, { query: { seat: perspective } });
      // Who was there then is not in the record. A table shows who is away: here that would be everybody.
      const told = { ...step, table: { ...step.table, seats: step.table.seats.map((seat) => ({ ...seat, connected: true })) } };
      this.#known.set(key, told);
      return told;
    } catch (error) {
      this.#asked.delete(key); // to be asked again: the hand may be over by then, or the line back
      throw error;
    }
  }

  /**
   * Reads on from `version` in the direction that somebody moves in, 1 or -1. A newer wish takes the place of this one.
   * @param {number} version
   * @param {number} direction
   * @param {number} last the last version there is
   * @param {Perspective[]} perspectives
   */
  prefetch(version, direction, last, perspectives) {
    // Backwards in blocks that are read forwards: the service goes on from a state that it has, and never back.
    const first = direction > 0 ? version + 1 : Math.max(1, version - AHEAD);
    const until = direction > 0 ? Math.min(last, version + AHEAD) : version - 1;
    const eyes = perspectives.filter((perspective) => this.#ahead(perspective));
    this.#waiting = [];
    for (let next = first; next <= until; next += 1) for (const one of eyes) this.#waiting.push([next, one]);
    this.#work();
  }

  /** Nothing more is read ahead. */
  stop() {
    this.#waiting = [];
  }

  #work() {
    while (this.#running < AT_ONCE) {
      const next = this.#waiting.shift();
      if (!next) return;
      if (this.#asked.has(`${next[1]} ${next[0]}`)) continue;
      this.#running += 1;
      const done = () => {
        this.#running -= 1;
        this.#work();
      };
      this.at(...next).then(done, done);
    }
  }

  /** @param {string} key */
  #forget(key) {
    this.#asked.delete(key);
    this.#known.delete(key);
  }
}
