// Lists of the API come in pages, with the cursor of the next one.

import { get } from "./api.js";

const MOST = 200;

/**
 * The first `count` items of a list, in as many requests as that takes, and the cursor after them.
 * @param {string} path
 * @param {number} count
 * @param {{ [name: string]: string | undefined }} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ items: any[], next: string | null }>}
 */
export async function listing(path, count, query, signal) {
  /** @type {any[]} */
  const items = [];
  /** @type {string | null} */
  let next = null;
  do {
    const limit = Math.min(MOST, count - items.length);
    const page = await get(path, { query: { ...query, limit, cursor: next }, signal });
    items.push(...page.items);
    next = page.next;
  } while (next !== null && items.length < count);
  return { items, next };
}
