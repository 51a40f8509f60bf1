// The buttons under the hand: one for each move that is said rather than played, and those that play what is chosen.

import { suitName, suitSign } from "../cards.js";
import { html } from "../element.js";
import { known, t } from "../i18n.js";
import { cardMoves, cardsOf, plainMoves } from "./choosing.js";

/** @import { Move, Moves } from "./choosing.js" */

/**
 * @typedef {object} Controls
 * @property {Moves | null} moves
 * @property {Move[]} made what the chosen cards make
 * @property {number} chosen how many cards are chosen
 * @property {boolean} busy
 * @property {(move: Move) => void} act
 * @property {() => void} clear
 */

/**
 * What a move is called on its button.
 * @param {Move} move
 * @param {boolean} several its cards can mean several things: it says which
 */
export function moveLabel(move, several) {
  if (several && typeof move.as === "number") return t("table.move.as", { value: move.as });
  if (move.type === "double_nil") return t(move.declare ? "table.move.double_nil" : "table.move.no_double_nil");
  if (move.type === "bid") return move.tricks === 0 ? t("table.move.nil") : String(move.tricks);
  if (move.type === "choose_trump") return suitName(move.suit);
  if (move.type === "choose_variant") return t(`table.move.variant.${move.variant}`);
  const count = cardsOf(move)?.length ?? 0;
  if (move.type === "exchange" && count === 0) return t("table.move.exchange_none");
  return known(`table.move.${move.type}`) ? t(`table.move.${move.type}`, { count }) : move.type;
}

/** @param {Controls} how */
export function controls({ moves, made, chosen, busy, act, clear }) {
  if (busy) return html`<div class="controls"><p class="sending" role="status">${t("table.sending")}</p></div>`;
  if (!moves) return null;
  const plain = plainMoves(moves);
  const bids = plain.filter((move) => move.type === "bid");
  const said = plain.filter((move) => move.type !== "bid");
  const [any] = cardMoves(moves);
  return html`<div class="controls">
    ${any && (made.length > 0
      ? made.map((move) => html`<button type="button" class="commit" data-key=${`commit ${move.as ?? ""}`} @click=${() => act(move)}>${moveLabel(move, made.length > 1)}</button>`)
      : html`<button type="button" class="commit" data-key="commit " disabled>${moveLabel({ ...any, cards: ["?"] }, false)}</button>`)}
    ${chosen > 1 && html`<button type="button" class="quiet" data-key="clear" @click=${clear}>${t("table.clear")}</button>`}
    ${said.map((move) => html`<button type="button" class=${any ? "say quiet" : "say"} data-key=${`say ${JSON.stringify(move)}`} @click=${() => act(move)}>${
      move.type === "choose_trump" && suitSign(move.suit)}${moveLabel(move, false)}</button>`)}
    ${bids.length > 0 && html`<fieldset class="bids" data-key="bids"><legend>${t("table.bids")}</legend>${
      bids.map((move) => html`<button type="button" class="say bid quiet" aria-label=${t(move.tricks === 0 ? "table.move.nil" : "table.move.bid", { count: move.tricks })}
        @click=${() => act(move)}>${moveLabel(move, false)}</button>`)}</fieldset>`}
  </div>`;
}
