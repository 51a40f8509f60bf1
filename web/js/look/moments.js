// Beside a replay: its hands, the marks of the hand under the needle, what to dispute, and what signs and keys mean.

import { html } from "../element.js";
import { t } from "../i18n.js";
import { KINDS, icon } from "./marks.js";
import { keys } from "./player.js";
import { marksIn } from "./scrubber.js";
import { toNewDispute } from "./seats.js";

/** @import { LiveTable, ReplayHand, ReplayIndex } from "../../types/kibitz.js" */
/**
 * @typedef {{
 *   index: ReplayIndex, hand: ReplayHand | undefined, version: number, live: LiveTable, range: [number, number] | null,
 *   go: (version: number) => void, mark: (range: [number, number] | null) => void,
 * }} Moment
 */

/** @param {Moment} moment */
export function moments({ index, hand, version, live, range, go, mark }) {
  const marks = marksIn(index, hand);
  const here = marks.findLast((one) => one.version <= version);
  return html`
    <aside class="replay-side stack">
      <section class="stack">
        <h2>${t("replay.hands")}</h2>
        ${!index.hands.length && html`<p class="soft">${t("replay.hands.none")}</p>`}
        <ol class="hand-list">
          ${index.hands.map((one) => html`<li>
            <button type="button" class="quiet" aria-current=${one === hand && "step"} @click=${() => go(one.first)}
              aria-label=${t("look.hand", { n: one.hand })}>${one.hand}</button>
          </li>`)}
        </ol>
      </section>
      <section class="stack">
        <h2>${hand ? t("replay.marks", { n: hand.hand }) : t("replay.before")}</h2>
        ${!marks.length && html`<p class="soft">${t("replay.marks.none")}</p>`}
        <ol class="mark-list">
          ${marks.map((one) => html`<li data-key=${one.version}>
            <button type="button" class="plain" aria-current=${one === here && "step"} @click=${() => go(one.version)}>
              ${icon(one.kind)}<span><span class="unseen">${t(`mark.${one.kind}`)}: </span>${one.text}</span>
              <span class="number soft small">${one.version}</span>
            </button>
          </li>`)}
        </ol>
      </section>
      ${live.you !== null && live.status !== "open" && live.status !== "revealing" && disputing({ live, version, range, mark })}
      <details><summary>${t("replay.legend")}</summary>
        <ul class="legend">${[...KINDS.keys()].map((kind) => html`<li>${icon(kind)} ${t(`mark.${kind}`)}</li>`)}</ul>
      </details>
      <details><summary>${t("replay.keys")}</summary>${keys()}</details>
    </aside>`;
}

/**
 * The first and the last event of a dispute, taken from where the needle is.
 * @param {Pick<Moment, "live" | "version" | "range" | "mark">} moment
 */
function disputing({ live, version, range, mark }) {
  const take = (/** @type {[number, number]} */ next, /** @type {string} */ label, /** @type {number | undefined} */ now) => html`
    <div class="take"><span>${t(label)}</span> <strong class="number">${now ?? "–"}</strong>
      <button type="button" class="quiet" @click=${() => mark(next)}>${t("replay.dispute.set", { n: version })}</button></div>`;
  return html`
    <details><summary>${t("replay.dispute")}</summary>
      <div class="stack dispute-range">
        <p class="help">${t("replay.dispute.hint")}</p>
        ${take([version, Math.max(version, range?.[1] ?? version)], "replay.dispute.from", range?.[0])}
        ${take([Math.min(version, range?.[0] ?? version), version], "replay.dispute.until", range?.[1])}
        ${range && html`<p class="row"><a class="button" href=${toNewDispute(live.match, range)}>${t("replay.dispute.open")}</a>
          <button type="button" class="plain" @click=${() => mark(null)}>${t("replay.dispute.forget")}</button></p>`}
      </div>
    </details>`;
}
