// Cards in a line of text: short to see, whole words to hear. For decks, where pictures would be too many.

import { cardName, parts } from "../cards.js";
import { html } from "../element.js";

/** @type {{ [suit: string]: string }} */
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };

/**
 * @param {string} card
 */
export function chip(card) {
  const { rank, suit } = parts(card);
  const name = cardName(card);
  if (!suit && rank.length < 3 && rank !== "J") return html`<span class="card-text">${rank}</span>`;
  const short = suit ? rank + SUITS[suit] : name;
  return html`<span class="card-text" data-suit=${suit ?? card} title=${name}><span aria-hidden="true">${short}</span><span class="unseen">${name}</span></span>`;
}

/** @param {readonly string[]} cards */
export const chips = (cards) => html`<span class="card-texts">${cards.map((card) => html`${chip(card)} `)}</span>`;
