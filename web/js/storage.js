// What this browser keeps for the client, by key. Where it keeps nothing (it is forbidden to, or it is full) what is to
// be kept lasts as long as the page: everything works until it is left.

/** @type {Map<string, string>} */
const unsaved = new Map();

/**
 * What was kept; null if nothing was.
 * @param {string} key
 */
export function read(key) {
  try {
    return unsaved.get(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * The object that was kept as JSON; null if there is none, or something that is no object: anybody can write there.
 * @param {string} key
 * @returns {any}
 */
export function readObject(key) {
  try {
    const found = JSON.parse(read(key) ?? "null");
    return typeof found === "object" ? found : null;
  } catch {
    return null;
  }
}

/**
 * Keeps a text. Returns whether it outlives the page.
 * @param {string} key
 * @param {string} text
 */
export function keep(key, text) {
  try {
    localStorage.setItem(key, text);
    unsaved.delete(key);
    return true;
  } catch {
    unsaved.set(key, text);
    return false;
  }
}

/** @param {string} key */
export function drop(key) {
  unsaved.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // then there was nothing
  }
}

/**
 * The keys that begin so.
 * @param {string} prefix
 */
export function keysFrom(prefix) {
  /** @type {string[]} */
  let saved = [];
  try {
    saved = Object.keys(localStorage);
  } catch {
    // only what lasts as long as the page
  }
  return [...new Set([...saved, ...unsaved.keys()])].filter((key) => key.startsWith(prefix));
}
