// A seat at the table: who sits there, what there is to know of it, its clock, its open cards.

import { cardElement, cardNames, donkeySign, suitSign } from "../cards.js";
import { html } from "../element.js";
import { t } from "../i18n.js";
import "./clock.js";
import { nameOf } from "./names.js";

/** @import { Live } from "./names.js" */
/** @import { Fact, Scene } from "./scenes/scene.js" */

/** @typedef {{ live: Live, scene: Scene, me: number | null, skew: number, still: boolean }} Seen */

/**
 * The sign of one who has to move, won, resigned, is away or is a bot.
 * @param {Live} live
 * @param {number} seat
 */
function marks(live, seat) {
  const { kind, connected, resigned } = live.seats[seat];
  // who reads this is here, whatever was so when the table was asked for; of a lost line the page speaks
  const away = kind === "human" && !connected && seat !== live.you && live.status === "playing";
  return [
    live.winners.includes(seat) && mark("won", "★"),
    kind === "bot" && mark("bot", t("table.mark.bot.short")),
    resigned && mark("resigned", t("table.mark.resigned.short")),
    away && !resigned && mark("away", t("table.mark.away.short")),
  ];
}

/**
 * @param {string} kind
 * @param {string} text
 */
function mark(kind, text) {
  const label = t(`table.mark.${kind}`);
  return html`<span class="seat-mark" data-kind=${kind} title=${label}><span aria-hidden="true">${text}</span><span class="unseen">${label}</span></span>`;
}

/** @param {Fact} fact */
export function factElement({ text, label, tone, suit, donkey }) {
  return html`<li class="fact" data-tone=${tone ?? null} title=${label}><span aria-hidden="true">${
    donkey && donkeySign()}${suit && suitSign(suit)}${text}</span><span class="unseen">${label}</span></li>`;
}

/**
 * The clock of a seat that is due.
 * @param {Seen} seen
 * @param {number} seat
 */
export function clockElement({ live, skew, still }, seat) {
  const own = live.clock?.seats[seat];
  if (!live.clock || !own || own.since === null || !live.to_act.includes(seat)) return null;
  const running = {
    since: own.since, turn: live.clock.turn_seconds * 1000, bank: own.bank_ms, skew, still: still ? live.at : null,
  };
  return html`<kb-clock .running=${running}></kb-clock>`;
}

/**
 * The head of a seat: its name and marks, whether it is due, and its clock.
 * @param {Seen} seen
 * @param {number} seat
 */
export function seatHead(seen, seat) {
  const { live } = seen;
  const due = live.to_act.includes(seat);
  return html`<div class="seat-head">
    ${due && html`<span class="turn" title=${t("table.turn")}><span aria-hidden="true">▶</span><span class="unseen">${t("table.turn")}</span></span>`}
    <span class="seat-name" title=${nameOf(live, seat)}>${nameOf(live, seat)}</span>${marks(live, seat)}${clockElement(seen, seat)}</div>`;
}

/**
 * @param {Seen} seen
 * @param {number} seat
 */
export function seatElement(seen, seat) {
  const { live, scene } = seen;
  const cards = live.table.hands?.[seat];
  return html`<li class="seat" data-key=${`seat ${seat}`} data-due=${live.to_act.includes(seat)} data-seat=${seat}
    data-out=${live.seats[seat].resigned}>
    ${seatHead(seen, seat)}
    <ul class="facts" role="list">${scene.facts(seat).map(factElement)}</ul>
    ${cards?.length > 0 && openHand(cards)}
  </li>`;
}

/** @param {string[]} cards */
function openHand(cards) {
  return html`<div class="open-hand" role="img" aria-label=${cardNames(cards)}>${
    cards.map((card) => cardElement(card, { silent: true }))}</div>`;
}
