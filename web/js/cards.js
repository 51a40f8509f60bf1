// <kb-card>: a playing card, drawn by us, crisp at any size.
//
//   <kb-card card="10H"></kb-card>     the ten of hearts
//   <kb-card card="ASS"></kb-card>     of the pack of Who's the Ass?: 1 to 13, J (a joker), ASS
//   <kb-card face="down"></kb-card>    a card from behind
//
// Its width is the custom property --card; a narrow card has a large index instead of pips. `selectable`, `selected` and
// `why` say how it stands in a choice and change its look only. It says its name by itself; where something around it
// says it already, it gets aria-hidden="true".

import { ass, back, court, donkey, jester, joker, numeral, pip, pips } from "./cards/figures.js";
import { html, svg } from "./element.js";
import { LANGUAGE_CHANGED, language, t } from "./i18n.js";

const FRENCH = /^(10|[2-9JQKA])([SHDC])$/;
const STAR = "*";

/**
 * Rank and suit of a card; those of Who's the Ass? have no suit.
 * @param {string} card
 * @returns {{ rank: string, suit: string | null }}
 */
export function parts(card) {
  const found = FRENCH.exec(card);
  return found ? { rank: found[1], suit: found[2] } : { rank: card, suit: null };
}

/**
 * What a card is called: "ten of hearts". Null is a card that nobody here may see.
 * @param {string | null} card
 */
export function cardName(card) {
  if (!card) return t("card.hidden");
  const { rank, suit } = parts(card);
  if (suit) return t("card.french", { rank: t(`card.rank.${rank}`), suit: t(`card.of.${suit}`) });
  return rank === "J" || rank === "ASS" ? t(`card.${rank}`) : rank;
}

/** @param {readonly (string | null)[]} cards */
export function cardNames(cards) {
  return cards.map(cardName).join(", ");
}

/** @param {string} suit */
export function suitName(suit) {
  return t(`card.suit.${suit}`);
}

/**
 * The sign of a suit, to stand beside its name.
 * @param {string} suit
 */
export function suitSign(suit) {
  return html`<svg class="suit-sign" data-suit=${suit} viewBox="-24 -24 48 48" aria-hidden="true">${pip(suit, 0, 0, 1)}</svg>`;
}

/** A donkey's head, to stand beside words. */
export function donkeySign() {
  return html`<svg class="donkey-sign" viewBox="-60 -120 120 190" aria-hidden="true">${donkey()}</svg>`;
}

/**
 * A card as an element.
 * @param {string | null} card null: from behind
 * @param {{ silent?: boolean }} [how] silent: something else says its name
 */
export function cardElement(card, { silent = false } = {}) {
  return card
    ? html`<kb-card card=${card} aria-hidden=${silent && "true"}></kb-card>`
    : html`<kb-card face="down" aria-hidden=${silent && "true"}></kb-card>`;
}

class Card extends HTMLElement {
  static observedAttributes = ["card", "face"];
  #left = new AbortController();

  connectedCallback() {
    this.#left = new AbortController();
    document.addEventListener(LANGUAGE_CHANGED, () => this.#draw(), { signal: this.#left.signal });
    this.#draw();
  }

  disconnectedCallback() {
    this.#left.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#draw();
  }

  #draw() {
    const card = this.getAttribute("face") === "down" ? null : this.getAttribute("card");
    this.dataset.suit = card === null ? "back" : (parts(card).suit ?? "none");
    this.setAttribute("role", "img");
    this.setAttribute("aria-label", cardName(card));
    this.replaceChildren(drawn(card));
  }
}

customElements.define("kb-card", Card);

/** What was drawn before, by card and language, to be copied. @type {Map<string, Node>} */
const known = new Map();

/** @param {string | null} card */
function drawn(card) {
  const key = `${card} ${language()}`;
  const before = known.get(key) ?? drawing(card);
  known.set(key, before);
  return before.cloneNode(true);
}

/** @param {string | null} card */
function drawing(card) {
  return html`<svg viewBox="0 0 200 280" aria-hidden="true">
    <rect class="paper" x="1.5" y="1.5" width="197" height="277" rx="14"></rect>${card === null ? back() : face(card)}
  </svg>`.firstElementChild ?? html``;
}

/**
 * Twice the same card: in detail where there is room for it, and plain, with as much as the strip of it shows that is
 * to be seen in a hand.
 * @param {string} card
 */
function face(card) {
  const { rank, suit } = parts(card);
  if (suit) {
    const middle = /[JQK]/.test(rank) ? court(rank, suit) : pips(rank, suit);
    return faces(letters(rank), suit, middle, pip(suit, 136, 210, 2.5));
  }
  if (rank === "J") return faces("", STAR, joker(), svg`<g transform="translate(112 186) scale(0.95)">${jester()}</g>`);
  if (rank === "ASS") return faces("", null, ass(), svg`<g transform="translate(92 168) scale(1.25)">${donkey()}</g>`);
  return faces(rank, null, numeral(Number(rank)), beads(Number(rank)));
}

/**
 * @param {string} text the letters in the corner
 * @param {string | null} sign the suit under them
 * @param {any} middle
 * @param {any} plain what a plain card has beside its index
 */
function faces(text, sign, middle, plain) {
  const corner = () => [
    text && index(text, { x: 24, y: 42, size: 40, width: 38, anchor: "middle" }),
    sign && pip(sign, text ? 24 : 28, text ? 60 : 34, text ? 0.58 : 0.9),
    !text && !sign && svg`<g transform="translate(27 44) scale(0.26)">${donkey()}</g>`,
  ];
  const large = text && index(text, { x: text.length > 1 ? 8 : 14, y: 96, size: 104, width: 98, anchor: "start" });
  return svg`
    <g class="detailed">${corner()}<g transform="rotate(180 100 140)">${corner()}</g>${middle}</g>
    <g class="plain">${plain}${large}${sign && pip(sign, text ? 46 : 56, text ? 146 : 60, text ? 1.75 : 2.3)}</g>`;
}

/**
 * @param {string} text
 * @param {{ x: number, y: number, size: number, width: number, anchor: string }} how `width`: of two letters
 */
function index(text, { x, y, size, width, anchor }) {
  const wide = text.length > 1;
  return svg`<text class="index" x=${x} y=${y} font-size=${size} text-anchor=${anchor}
    textLength=${wide && width} lengthAdjust=${wide && "spacingAndGlyphs"}>${text}</text>`;
}

/**
 * The letters of a rank as the cards of the language have them.
 * @param {string} rank
 */
function letters(rank) {
  return /^[JQKA]$/.test(rank) ? t(`card.letter.${rank}`) : rank;
}

/**
 * The beads of a plain number card: two rows to be counted.
 * @param {number} number
 */
function beads(number) {
  const first = Math.min(number, 7);
  return [first, number - first].flatMap((count, row) =>
    Array.from({ length: count }, (_, bead) =>
      svg`<circle class="bead" cx=${100 + 24 * (bead - (count - 1) / 2)} cy=${205 + 30 * row} r="9"></circle>`));
}
