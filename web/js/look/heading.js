// What stands above each view of a match: which match it is, and the way to its other views.

import { html } from "../element.js";
import { title } from "../games.js";
import { t } from "../i18n.js";
import { toAudit, toMatch, toReplay, toSheet } from "../links.js";
import { toDisputes } from "./seats.js";

/** @import { LiveTable } from "../../types/kibitz.js" */
/** @typedef {"table" | "replay" | "sheet" | "audit" | "disputes"} View */

/**
 * @param {LiveTable} live
 * @param {View} here
 */
export function heading(live, here) {
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
      <h1>${title(live.game)} <span class="view-here">${t(`look.${here}`)}</span></h1>
      <nav class="tabs" aria-label=${t("look.views")}>
        ${views.map(([view, to]) => html`<a href=${to} aria-current=${view === here && "page"}>${t(`look.${view}`)}</a>`)}
      </nav>
    </header>`;
}
