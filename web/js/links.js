// Addresses of pages, written in one place.

/** @param {string} match */
export const toMatch = (match) => `#/matches/${match}`;

/** @param {string} match */
export const toSheet = (match) => `#/matches/${match}/sheet`;

/** @param {string} match */
export const toAudit = (match) => `#/matches/${match}/audit`;

/**
 * @param {string} match
 * @param {number} [version]
 * @param {{ seat?: number | string | null, beside?: number | string | null }} [how]
 */
export function toReplay(match, version, { seat = null, beside = null } = {}) {
  const query = new URLSearchParams();
  if (seat !== null) query.set("seat", String(seat));
  if (beside !== null) query.set("beside", String(beside));
  const path = `#/matches/${match}/replay${version === undefined ? "" : `/${version}`}`;
  return query.size ? `${path}?${query}` : path;
}

/**
 * @param {string} match
 * @param {string} dispute
 */
export const toDispute = (match, dispute) => `#/matches/${match}/disputes/${dispute}`;

/** @param {string} player */
export const toPlayer = (player) => `#/players/${player}`;

/**
 * A rule book, or one clause of it.
 * @param {string} game the id of a game, or `match`
 * @param {string} [clause]
 */
export const toRules = (game, clause) => `#/rules/${game}${clause ? `?clause=${clause}` : ""}`;
