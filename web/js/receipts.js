// Receipts: what this browser was told a match had come to. They show an operator who later says otherwise.
//
// Kept in localStorage, a key for each match. The first word counts: a head that differs from one that was saved at the
// same version is kept beside it, for that is what a receipt is for.

const PREFIX = "kibitz.receipts.";
const PER_MATCH = 64;
const MATCHES = 200;

/** @typedef {{ version: number, head: string }} Receipt */

/**
 * What was saved of a match, the oldest first.
 * @param {string} match
 * @returns {Receipt[]}
 */
export function receiptsOf(match) {
  try {
    /** @type {[number, string][]} */
    const kept = JSON.parse(localStorage.getItem(PREFIX + match) ?? "[]");
    return kept.map(([version, head]) => ({ version, head }));
  } catch {
    return []; // there is no storage, or somebody else wrote there
  }
}

/**
 * Keeps what an answer or a frame said: after event `version` the head was `head`.
 * @param {string} match
 * @param {number} version
 * @param {string} head
 */
export function keepReceipt(match, version, head) {
  const kept = receiptsOf(match);
  if (kept.some((other) => other.version === version && other.head === head)) return;
  kept.push({ version, head });
  kept.sort((a, b) => a.version - b.version);
  const told = kept.length > PER_MATCH ? thinned(kept) : kept;
  try {
    if (kept.length === 1) forgetOldest();
    localStorage.setItem(PREFIX + match, JSON.stringify(told.map((receipt) => [receipt.version, receipt.head])));
  } catch {
    // No storage, or it is full: everything else works, and the audit says that there is no receipt.
  }
}

/**
 * Keeps what any answer of the service says of a match, if it says where that stands.
 * @param {any} told
 */
export function keepAnswered(told) {
  const { match, version, head } = told ?? {};
  if (typeof match === "string" && Number.isSafeInteger(version) && version > 0 && head) keepReceipt(match, version, head);
}

/**
 * Without every second one, but for those that contradict each other; the newest stays.
 * @param {Receipt[]} kept
 */
function thinned(kept) {
  const twice = (/** @type {Receipt} */ { version }) => kept.filter((other) => other.version === version).length > 1;
  return kept.filter((receipt, place) => twice(receipt) || (kept.length - place) % 2 === 1);
}

function forgetOldest() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  keys.sort(); // ids of matches begin with the time at which they were opened
  for (const key of keys.slice(0, Math.max(0, keys.length - MATCHES + 1))) localStorage.removeItem(key);
}
