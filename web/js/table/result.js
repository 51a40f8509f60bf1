// How a hand, or the match, ended, and where to go from there.

import { html } from "../element.js";
import { t } from "../i18n.js";
import { toAudit, toReplay, toSheet } from "../links.js";
import { nameOf } from "./names.js";

/** @import { Live } from "./names.js" */
/** @typedef {{ hand: number, points: number[], totals: number[], version: number }} Ended */

/** @param {number} points */
function signed(points) {
  return points > 0 ? `+${points}` : String(points).replace("-", "−");
}

/**
 * @param {Live} live
 * @param {Ended} ended
 * @param {() => void} close
 */
export function handResult(live, ended, close) {
  return html`<details class="result panel" data-key=${`hand ${ended.hand}`}>
    <summary>${t("match.hand_over", { hand: ended.hand })} <span class="soft">${
      live.seats.map((_, seat) => `${nameOf(live, seat)} ${signed(ended.points[seat])}`).join(", ")}</span></summary>
    <div class="scroll"><table class="figures"><thead><tr><th scope="col">${t("table.player")}</th><th scope="col" class="number">${t("match.points")}</th><th scope="col" class="number">${t("match.totals")}</th></tr></thead>
      <tbody>${live.seats.map((_, seat) => html`<tr><th scope="row">${nameOf(live, seat)}</th><td class="number">${signed(ended.points[seat])}</td><td class="number">${ended.totals[seat]}</td></tr>`)}</tbody></table></div>
    <p class="row"><a class="button quiet" href=${toReplay(live.match, ended.version)}>${t("match.replay_hand")}</a>
      <a class="button quiet" href=${toSheet(live.match)}>${t("match.sheet")}</a>
      <button type="button" class="quiet" @click=${close}>${t("match.close")}</button></p>
  </details>`;
}

/** @param {Live} live */
export function matchResult(live) {
  const won = live.winners.map((seat) => nameOf(live, seat)).join(", ");
  const abandoned = live.status === "abandoned";
  return html`<section class="result over panel" aria-labelledby="over">
    <h2 id="over">${abandoned ? t("match.abandoned") : live.winners.length ? t("match.won", { who: won, count: live.winners.length }) : t("match.over")}</h2>
    ${live.you !== null && live.winners.includes(live.you) && html`<p class="good">${t("match.you_won")}</p>`}
    <p class="row"><a class="button" href=${toReplay(live.match, 1)}>${t("match.replay")}</a>
      <a class="button quiet" href=${toSheet(live.match)}>${t("match.sheet")}</a>
      <a class="button quiet" href=${toAudit(live.match)}>${t("match.audit")}</a>
      <a class="button quiet" href="#/new">${t("match.again")}</a></p>
  </section>`;
}
