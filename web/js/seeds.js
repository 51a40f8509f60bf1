// The seeds of this browser's player: 32 bytes of chance that go into every deal of a match, so that nobody, not even the
// service, can choose the cards. A seat commits to the seed's hash when it sits down and reveals the seed when every seat
// is taken. Seeds are kept here across reloads, and revealing needs nobody: `keep` does it on whatever page the player is.

import { Problem, b64u, get, identity, me, post, random } from "./api.js";
import { follow } from "./feed.js";
import { drop, keep as save, keysFrom, readObject } from "./storage.js";

/** @import { LiveTable } from "../types/kibitz.js" */

/**
 * The seeds are the newest first: an answer may have been lost on the way. `sat`: the seat was seen to be ours.
 * @typedef {{ player: string, seeds: string[], sat: boolean }} Kept
 */

const PREFIX = "kibitz.seed.";
const MOST = 8;
const LATER = 2_000;
/** @type {Map<string, () => void>} */
const followed = new Map();
/** The matches whose feed is open. @type {Set<string>} */
const heard = new Set();

/** Whether this page can make a seed: browsers hash for pages that came over a safe line only. */
export const able = Boolean(globalThis.crypto?.subtle);

/**
 * Sits down with a seed of our own; where the browser cannot make one, with one that the service keeps.
 * @param {string} match
 * @param {number} [seat] the lowest free one if none is named
 */
export async function sit(match, seat) {
  const asked = seat === undefined ? {} : { seat };
  const before = read(match);
  try {
    return await post(`/v1/matches/${match}/seats`, able ? { ...asked, ...(await committed(match)) } : asked);
  } catch (error) {
    const refused = error instanceof Problem && error.status >= 400 && error.status < 500;
    if (refused && before) keepFor(match, before);
    else if (refused) drop(PREFIX + match);
    throw error;
  } finally {
    keep();
  }
}

/**
 * Looks after every match that still waits for a seed of ours. Called when the page begins and after sitting down;
 * returns at once.
 */
export function keep() {
  for (const key of keysFrom(PREFIX)) {
    const match = key.slice(PREFIX.length);
    if (followed.has(match)) continue;
    if (!read(match)) {
      drop(key); // nothing that we wrote
      continue;
    }
    followed.set(match, () => {});
    look(match);
  }
}

/**
 * Does what is due, now and after every event. What did not work is looked at again a little later.
 * @param {string} match
 */
async function look(match) {
  try {
    const live = await tend(match);
    if (!live || !followed.has(match) || heard.has(match)) return;
    heard.add(match);
    const how = { onFrame: () => void look(match), onProblem: () => done(match), onOver: () => done(match) };
    followed.set(match, follow(match, { after: live.version, ...how }));
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 403)) done(match); // not there, or not ours
    else setTimeout(() => followed.has(match) && look(match), LATER);
  }
}

/**
 * Does for a match what is due now: reveals, commits anew, or forgets the seeds of a match that has begun. One page of
 * this browser at a time does it.
 * @param {string} match
 * @returns {Promise<LiveTable | null>} the match, as long as it may need a seed
 */
async function tend(match) {
  return await navigator.locks.request(PREFIX + match, async () => {
    /** @type {LiveTable} */
    const live = await get(`/v1/matches/${match}`);
    const kept = read(match);
    const seat = live.you === null ? null : live.seats[live.you];
    const over = live.status !== "open" && live.status !== "revealing";
    if (!kept || over || kept.player !== identity()?.player || (kept.sat && !seat)) {
      done(match);
      return null;
    }
    if (seat && !kept.sat) keepFor(match, { ...kept, sat: true });
    if (seat?.custody === "own" && live.status === "revealing" && !seat.revealed) await reveal(match, kept.seeds);
    if (seat?.custody === "own" && live.status === "open" && !seat.committed) {
      await post(`/v1/matches/${match}/seats`, { seat: live.you, ...(await committed(match)) });
    }
    return live;
  });
}

/**
 * @param {string} match
 * @param {string[]} seeds
 */
async function reveal(match, seeds) {
  for (const seed of seeds) {
    try {
      await post(`/v1/matches/${match}/seed`, { seed });
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.slug !== "refused") throw error; // not this one: one from before
    }
  }
}

/** @param {string} match */
function done(match) {
  followed.get(match)?.();
  followed.delete(match);
  heard.delete(match);
  drop(PREFIX + match);
}

/**
 * The commitment to a new seed for a match, which is kept before anybody hears of it. None where it cannot be kept: a
 * seed that a reload loses would cost the seat, and the service has one.
 * @param {string} match
 */
async function committed(match) {
  const { player } = await me();
  const seed = random(32);
  const known = read(match);
  const before = known?.player === player ? known.seeds : [];
  const lasting = keepFor(match, { player, seeds: [b64u(seed), ...before].slice(0, MOST), sat: false });
  if (!lasting) {
    drop(PREFIX + match);
    return {};
  }
  return { seed_commitment: b64u(new Uint8Array(await crypto.subtle.digest("SHA-256", seed))) };
}

/**
 * Returns whether it outlives the page.
 * @param {string} match
 * @param {Kept} kept
 */
function keepFor(match, kept) {
  return save(PREFIX + match, JSON.stringify(kept));
}

/**
 * @param {string} match
 * @returns {Kept | null}
 */
function read(match) {
  const kept = readObject(PREFIX + match);
  return Array.isArray(kept?.seeds) ? kept : null;
}
