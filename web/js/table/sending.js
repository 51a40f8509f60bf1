// A move on its way. It is kept for this tab until the service has answered, with its key and the version at which it
// was chosen: after a reload it is sent again, and is made once.

import { Problem, newKey, post } from "../api.js";

/** @import { Move } from "./choosing.js" */
/** @typedef {{ move: Move, key: string, expected: number }} Sent */

/** @param {string} match */
const kept = (match) => `kibitz.move.${match}`;

/**
 * The move that was on its way when the page was left.
 * @param {string} match
 * @returns {Sent | null}
 */
export function unanswered(match) {
  try {
    return JSON.parse(sessionStorage.getItem(kept(match)) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} match
 * @param {Move} move
 * @param {number} expected
 * @returns {Sent}
 */
export function begin(match, move, expected) {
  const sent = { move, key: newKey(), expected };
  try {
    sessionStorage.setItem(kept(match), JSON.stringify(sent));
  } catch {
    // a browser that keeps nothing sends it all the same, but not again after a reload
  }
  return sent;
}

/** @param {string} match */
export function forgetSent(match) {
  try {
    sessionStorage.removeItem(kept(match));
  } catch {
    // there was nothing
  }
}

/**
 * Sends until there is an answer, however long the network or the service is gone. Throws what the service says no with.
 * @param {string} match
 * @param {Sent} sent
 * @param {AbortSignal} signal
 * @returns {Promise<{ version: number }>}
 */
export async function deliver(match, sent, signal) {
  for (;;) {
    try {
      const done = await post(`/v1/matches/${match}/moves`, sent.move, { key: sent.key, expected: sent.expected, signal });
      forgetSent(match);
      return done;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Problem) || (error.status !== 0 && error.status !== 503 && error.status !== 429)) {
        forgetSent(match);
        throw error;
      }
      await back(signal);
    }
  }
}

/**
 * Whether a move that came at a later version than the one at which it was chosen is still meant: nothing that its seat
 * did or that was done for it has come between, as when two seats choose at the same time.
 * @param {unknown} error
 * @param {number | null} me
 */
export function stillMeant(error, me) {
  if (!(error instanceof Problem) || error.slug !== "version-mismatch") return false;
  /** @type {{ version: number, seat: number | string, type: string, body: { seat?: number } }[]} */
  const missed = error.told.events ?? [];
  const all = missed.length > 0 && missed.at(-1)?.version === error.version; // a problem tells of so many, and not of more
  // what the clock does is the service's, and is about the seat in its body
  return all && missed.every(({ seat, type, body }) => seat !== me && body.seat !== me && type !== "HandEnded");
}

/**
 * Returns after a while, or when the browser says that the network is back.
 * @param {AbortSignal} signal
 */
function back(signal) {
  return new Promise((/** @type {(value?: unknown) => void} */ wake, fail) => {
    const heard = new AbortController();
    const timer = setTimeout(() => (heard.abort(), wake()), 2_000);
    window.addEventListener("online", () => (clearTimeout(timer), heard.abort(), wake()), { signal: heard.signal });
    signal.addEventListener("abort", () => (clearTimeout(timer), heard.abort(), fail(signal.reason)), { once: true });
  });
}
