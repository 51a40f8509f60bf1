// Whether the service can be reached, as its requests and its feeds find out. The header of the page shows it.

/** @typedef {"live" | "connecting" | "offline"} State */

export const CONNECTION_CHANGED = "kb-connection";
/** @type {State[]} */
const WORST_FIRST = ["offline", "connecting", "live"];
/** @type {Map<string, State>} */
const states = new Map();

/**
 * What `source` (the requests, or one feed) finds; null when it has ended.
 * @param {string} source
 * @param {State | null} state
 */
export function report(source, state) {
  const before = connection();
  if (state === null) states.delete(source);
  else states.set(source, state);
  if (connection() !== before) document.dispatchEvent(new CustomEvent(CONNECTION_CHANGED));
}

/**
 * The worst that anybody finds.
 * @returns {State}
 */
export function connection() {
  return WORST_FIRST.find((state) => [...states.values()].includes(state)) ?? "live";
}

window.addEventListener("offline", () => report("browser", "offline"));
window.addEventListener("online", () => report("browser", null));
