// What stands above each view of a match: which match it is, and the way to its other views.

import { get } from "../api.js";
import { html } from "../element.js";
import { language, t } from "../i18n.js";
import { toAudit, toMatch, toReplay, toSheet } from "../links.js";
import { toDisputes } from "./seats.js";

/** @import { GameInfo, LiveTable } from "../../types/kibitz.js" */
/** @typedef {"table" | "replay" | "sheet" | "audit" | "disputes"} View */

/** @type {Map<string, Promise<GameInfo[]>>} */
const asked = new Map();

/**
 * The title of a game in the language of the page; its id where it cannot be had.
 * @param {string} game
 * @returns {Promise<string>}
 */
export async function titleOf(game) {
  /** @type {Promise<GameInfo[]>} */
  const known = asked.get(language()) ?? get("/v1/games");
  asked.set(language(), known);
  try {
    return (await known).find(({ id }) => id === game)?.title ?? game;
  } catch {
    asked.delete(language());
    return game;
  }
}

/**
 * @param {LiveTable} live
 * @param {string} title of its game
 * @param {View} here
 */
export function heading(live, title, here) {
  /** @type {[View, string][]} */
  const views = [
    ["table", toMatch(live.match)],
    ["replay", toReplay(live.match)],
    ["sheet", toSheet(live.match)],
    ["audit", toAudit(live.match)],
    ["disputes", toDisputes(live.match)],
  ];
  return html`
    <header class="view-head">
      <h1>${title} <span class="view-here">${t(`look.${here}`)}</span></h1>
      <nav class="tabs" aria-label=${t("look.views")}>
        ${views.map(([view, to]) => html`<a href=${to} aria-current=${view === here && "page"}>${t(`look.${view}`)}</a>`)}
      </nav>
    </header>`;
}
