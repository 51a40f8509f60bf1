// The games of the service: what they are called, how many play, what a table may choose. Asked once for each language.

import { get } from "./api.js";
import { language } from "./i18n.js";

/** @import { GameInfo } from "../types/kibitz.js" */

/** @type {Map<string, Promise<GameInfo[]>>} */
const asked = new Map();
/** @type {Map<string, GameInfo[]>} */
const there = new Map();

/**
 * Every game, in the order of the service.
 * @returns {Promise<GameInfo[]>}
 */
export function games() {
  const spoken = language();
  let answer = asked.get(spoken);
  if (!answer) {
    answer = get("/v1/games").then((list) => (there.set(spoken, list), list));
    answer.catch(() => asked.delete(spoken));
    asked.set(spoken, answer);
  }
  return answer;
}

/**
 * What a game is called; its id as long as nobody has waited for `games()`.
 * @param {string} id
 */
export function title(id) {
  return there.get(language())?.find((game) => game.id === id)?.title ?? id;
}
