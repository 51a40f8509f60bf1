// The clauses of the rule books, in the language of the page, fetched when the first of a book is asked for.

import { get } from "../api.js";
import { language } from "../i18n.js";

/** @import { Rulebook } from "../../types/kibitz.js" */

/** @type {Map<string, Map<string, string>>} */
const books = new Map();
/** @type {Map<string, Promise<void>>} */
const asked = new Map();

/**
 * The text of a clause; empty until its book is here, and `changed` is called when it is.
 * @param {string} game
 * @param {string} clause
 * @param {() => void} changed
 */
export function clauseText(game, clause, changed) {
  const key = `${game} ${language()}`;
  if (!books.has(key) && !asked.has(key)) asked.set(key, fetched(game, key).then(changed, () => void asked.delete(key)));
  return books.get(key)?.get(clause) ?? "";
}

/**
 * @param {string} game
 * @param {string} key
 */
async function fetched(game, key) {
  /** @type {Rulebook} */
  const book = await get(`/v1/games/${game}/rulebook`);
  books.set(key, new Map(book.clauses.map(({ id, text }) => [id, text.replaceAll(/[*`]/g, "")])));
}
