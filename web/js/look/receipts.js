// Receipts: what this browser was told a match had come to. They show an operator who later says otherwise.
//
// Kept in localStorage, a key for each match. The first word counts: a head that differs from one that was saved at the
// same version is kept beside it, for that is what a receipt is for.

const PREFIX = "kibitz.receipts.";
const PER_MATCH = 64;
const MATCHES = 200;

/** @typedef {{version: number, head: string}} Receipt */

/** What was saved of `match`, the oldest first. @returns {Receipt[]} */
export function receiptsOf(/** @type {string} */ match) {
  try {
    const found = JSON.parse(localStorage.getItem(PREFIX + match) ?? "[]");
    return found.map((/** @type {[number, string]} */ [version, head]) => ({ version, head }));
  } catch {
    return []; // somebody else wrote there, or there is no storage
  }
}

/** Keeps what an answer or a frame said: after event `version` the head was `head`. */
export function keepReceipt(/** @type {string} */ match, /** @type {number} */ version, /** @type {string} */ head) {
  const kept = receiptsOf(match);
  if (!head || kept.some((other) => other.version === version && other.head === head)) return;
  kept.push({ version, head });
  kept.sort((a, b) => a.version - b.version);
  const told = kept.length > PER_MATCH ? thinned(kept) : kept;
  save(PREFIX + match, JSON.stringify(told.map((receipt) => [receipt.version, receipt.head])));
}

/** Every second one goes, of those that nothing contradicts; the newest stays. @param {Receipt[]} kept */
function thinned(kept) {
  const twice = (/** @type {Receipt} */ { version }) => kept.filter((other) => other.version === version).length > 1;
  return kept.filter((receipt, place) => twice(receipt) || (kept.length - place) % 2 === 1);
}

function save(/** @type {string} */ key, /** @type {string} */ text) {
  try {
    if (localStorage.getItem(key) === null) forgetOldest();
    localStorage.setItem(key, text);
  } catch {
    // No storage, or it is full: the page works without, the audit just says that there is no receipt.
  }
}

function forgetOldest() {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  keys.sort(); // ids of matches begin with the time at which they were opened
  for (const key of keys.slice(0, Math.max(0, keys.length - MATCHES + 1))) localStorage.removeItem(key);
}
