// The middle of the table: what is going on, the cards that lie there, and what was last played by whom.

import { cardElement, cardName, cardNames, donkeySign } from "../cards.js";
import { html } from "../element.js";
import { t } from "../i18n.js";
import { nameOf } from "./names.js";

/** @import { Live } from "./names.js" */
/** @import { Pile, Play, Scene } from "./scenes/scene.js" */

/**
 * @param {Live} live
 * @param {Scene} scene
 */
export function centreElement(live, scene) {
  return html`<div class="centre" data-alarm=${scene.alarm === true}>
    <div class="centre-head">
      <h2>${scene.alarm && donkeySign()}${scene.title}</h2>
      ${scene.notes.map((note) => html`<p>${note}</p>`)}
    </div>
    ${scene.plays.length > 0 && html`<ol class="plays" role="list" aria-label=${t("table.plays")} data-many=${scene.plays.length > 4}>${
      scene.plays.map((play) => playElement(live, play))}</ol>`}
    ${scene.piles.length > 0 && html`<ul class="piles" role="list">${scene.piles.map(pileElement)}</ul>`}
  </div>`;
}

/**
 * @param {Live} live
 * @param {Play} play
 */
function playElement(live, play) {
  return html`<li class="play" data-key=${`play ${play.seat}`} data-top=${play.top === true} data-empty=${play.cards.length === 0}>
    <span class="play-who">${nameOf(live, play.seat)}</span>
    ${play.cards.length > 0 && row(play.cards)}
    <span class="play-note">${play.top && html`<span class="unseen">${t("table.top")}</span>`}${play.note}</span>
  </li>`;
}

/**
 * Cards that lie beside each other, overlapping.
 * @param {(string | null)[]} cards
 */
export function row(cards) {
  const names = cards.length === 1 ? cardName(cards[0]) : cardNames(cards);
  return html`<span class="card-row" role="img" aria-label=${names}>${
    cards.map((card) => cardElement(card, { silent: true }))}</span>`;
}

/** @param {Pile} pile */
export function pileElement({ label, cards, count }) {
  return html`<li class="pile">
    ${cards ? row(cards) : html`<span class="stack" aria-hidden="true" data-high=${(count ?? 0) > 6}>${
      cardElement(null, { silent: true })}<b>${count}</b></span>`}
    <span class="pile-label">${label}${!cards && html`<span class="unseen">: ${t("table.fact.cards.label", { count })}</span>`}</span>
  </li>`;
}
