// The buttons of a replay: pictures drawn here, words from the strings.

import { html } from "../element.js";
import { t } from "../i18n.js";

/** @import { State } from "../connection.js" */

const SPEEDS = [0.5, 1, 2, 4, 8];
export const STEP = 1000; // how long an event stands at speed 1, in milliseconds

/** @type {{ [name: string]: string }} */
const PICTURES = {
  first: "M4 4H7V20H4ZM20 4V20L8 12Z",
  markBack: "M12 4V20L2 12ZM22 4V20L12 12Z",
  back: "M17 4V20L6 12Z",
  play: "M6 3 21 12 6 21Z",
  pause: "M5 4H10V20H5ZM14 4H19V20H14Z",
  on: "M7 4V20L18 12Z",
  markOn: "M12 4V20L22 12ZM2 4V20L12 12Z",
  last: "M20 4H17V20H20ZM4 4V20L16 12Z",
};

/**
 * The bar of buttons. `feed` is null for a match that is over.
 * @param {{
 *   playing: boolean, speed: number, feed: State | null, newest: boolean,
 *   go: (to: "first" | "back" | "on" | "last") => void, leap: (way: number) => void, toggle: () => void, hurry: (speed: number) => void,
 * }} how
 */
export function controls({ playing, speed, feed, newest, go, leap, toggle, hurry }) {
  const chosen = (/** @type {Event} */ event) => hurry(Number(/** @type {HTMLSelectElement} */ (event.target).value));
  return html`
    <div class="row deck-controls" role="group" aria-label=${t("replay.controls")}>
      ${pictured("first", t("replay.first"), () => go("first"))}
      ${pictured("markBack", t("replay.mark.back"), () => leap(-1))}
      ${pictured("back", t("replay.back"), () => go("back"))}
      ${pictured(playing ? "pause" : "play", t(playing ? "replay.pause" : "replay.play"), toggle)}
      ${pictured("on", t("replay.on"), () => go("on"))}
      ${pictured("markOn", t("replay.mark.on"), () => leap(1))}
      ${pictured("last", t("replay.last"), () => go("last"))}
      <label class="row speed"><span class="unseen">${t("replay.speed")}</span>
        <select class="quiet" .value=${String(speed)} @change=${chosen}>
          ${SPEEDS.map((times) => html`<option value=${times}>${t("replay.times", { n: times })}</option>`)}
        </select>
      </label>
      ${feed && html`
        <button type="button" class="quiet live-button" data-state=${feed} aria-pressed=${String(newest)} @click=${() => go("last")}>
          <span class="light" aria-hidden="true"></span> ${t(`replay.live.${feed}`)}
        </button>`}
    </div>`;
}

/**
 * A button with a picture, and its words for whoever does not see or know it.
 * @param {string} name
 * @param {string} label
 * @param {() => void} act
 */
function pictured(name, label, act) {
  return html`<button type="button" class="deck-control quiet" data-key=${name === "pause" ? "play" : name} aria-label=${label} title=${label} @click=${act}>
    <svg class="picture" viewBox="0 0 24 24" aria-hidden="true"><path d=${PICTURES[name]}></path></svg>
  </button>`;
}

/** The keys, for whoever looks for them. */
export function keys() {
  const rows = [
    [["←", "→"], "replay.keys.step"],
    [["PgUp", "PgDn"], "replay.keys.hand"],
    [["Home", "End"], "replay.keys.ends"],
    [[t("replay.key.space")], "replay.keys.play"],
  ];
  return html`<dl class="keys">
    ${rows.map(([names, does]) => html`<div>
      <dt>${/** @type {string[]} */ (names).map((name) => html`<kbd>${name}</kbd> `)}</dt>
      <dd>${t(String(does))}</dd>
    </div>`)}
  </dl>`;
}
