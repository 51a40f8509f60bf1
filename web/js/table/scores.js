// The scores beside the table.

import { html } from "../element.js";
import { t } from "../i18n.js";
import { nameOf } from "./names.js";

/** @import { Live } from "./names.js" */
/** @import { Scene } from "./scenes/scene.js" */

/**
 * @param {Live} live
 * @param {Scene} scene
 */
export function scoresElement(live, scene) {
  const { remark } = scene;
  return html`<table class="scores">
    <caption>${t("table.scores", { unit: scene.unit })}</caption>
    <thead class="unseen"><tr><th scope="col">${t("table.player")}</th><th scope="col">${scene.unit}</th>${
      remark && html`<th scope="col">${t("table.remark")}</th>`}</tr></thead>
    <tbody>${live.seats.map((_, seat) => html`<tr data-own=${seat === live.you} data-won=${live.winners.includes(seat)}>
      <th scope="row">${nameOf(live, seat)}</th><td>${live.scores[seat] ?? 0}</td>${remark && html`<td class="remark">${remark(seat)}</td>`}</tr>`)}</tbody>
  </table>`;
}
