// <kb-table>: a match as one viewer sees it, with everything to play it; read only where it has no moves.
//
//   .live         the LiveTable of GET /v1/matches/{match}
//   .perspective  the seat through whose eyes it is drawn, at the bottom; null for nobody's
//   .moves        the answer of GET .../moves, or null: read only
//   .busy         a move is on its way
//   .ticking      clocks run; without it they stand as they were at the last event
//   .skew         milliseconds that this browser's clock is ahead of the service's
//   .clause       (game, clause) => its text
//   .check        (move) => whether the service would accept it, and why not
//
// Event `move`: the player has chosen; detail is the move as the API takes it.

import { Component, define, html } from "../element.js";
import { t } from "../i18n.js";
import { centreElement, pileElement } from "./centre.js";
import "./hand.js";
import { clockwise, nameOf } from "./names.js";
import { around } from "./round.js";
import { sceneOf } from "./scenes.js";
import { scoresElement } from "./scores.js";
import { factElement, seatElement, seatHead } from "./seats.js";

/** @import { Move, Moves } from "./choosing.js" */
/** @import { Live } from "./names.js" */
/** @import { Seen } from "./seats.js" */

/** Between a seat and the edge, and between it and what is in the middle, in pixels together. */
const EDGE = 28;

class Table extends Component {
  /** @type {Live | null} */
  #live = null;
  /** @type {number | null | undefined} */
  #perspective;
  /** @type {Moves | null} */
  #moves = null;
  #busy = false;
  #skew = 0;
  /** @type {ResizeObserver | null} */
  #watching = null;
  ticking = false;
  /** @type {(game: string, clause: string) => string} */
  clause = () => "";
  /** @type {((move: Move) => Promise<any>) | null} */
  check = null;

  get live() {
    return this.#live;
  }

  set live(live) {
    this.#live = live;
    this.update();
  }

  get perspective() {
    return this.#perspective === undefined ? (this.#live?.you ?? null) : this.#perspective;
  }

  set perspective(seat) {
    this.#perspective = seat;
    this.update();
  }

  get moves() {
    return this.#moves;
  }

  set moves(moves) {
    this.#moves = moves;
    this.update();
  }

  get busy() {
    return this.#busy;
  }

  set busy(busy) {
    this.#busy = busy;
    this.update();
  }

  get skew() {
    return this.#skew;
  }

  set skew(skew) {
    if (skew !== this.#skew) this.update();
    this.#skew = skew;
  }

  render() {
    const live = this.#live;
    if (!live?.table) return html``;
    const me = this.perspective;
    const scene = sceneOf(live, me);
    /** @type {Seen} */
    const seen = { live, scene, me, skew: this.#skew, still: !this.ticking };
    const others = clockwise(live.seats.length, me === null ? 0 : me + 1).slice(0, live.seats.length - (me === null ? 0 : 1));
    return html`<div class="table" data-seats=${live.seats.length} data-own=${me !== null} data-open=${Boolean(live.table.hands)}>
      <div class="felt">
        <ul class="seats" role="list" aria-label=${t("table.seats")}>${others.map((seat) => seatElement(seen, seat))}</ul>
        ${centreElement(live, scene)}
      </div>
      ${me !== null && this.#own(seen, me)}
      <div class="beside">${scoresElement(live, scene)}</div>
    </div>`;
  }

  /**
   * The viewer's own place.
   * @param {Seen} seen
   * @param {number} me
   */
  #own(seen, me) {
    const { live, scene } = seen;
    const count = live.seats.length;
    const receivers = clockwise(count, (me + 1) % count).slice(0, count - 1).map((seat) => nameOf(live, seat));
    const due = live.to_act.includes(me);
    return html`<section class="own" aria-label=${this.#moves ? t("table.own", { who: nameOf(live, me) }) : nameOf(live, me)} data-due=${due}>
      <div class="own-head">${seatHead(seen, me)}<ul class="facts" role="list">${scene.facts(me).map(factElement)}</ul></div>
      <p class="prompt">${this.#prompt(this.#moves ? scene.prompt : "", live)}</p>
      <kb-hand .busy=${this.#busy} .receivers=${receivers} .clause=${this.clause} .check=${this.check}
        .cards=${live.table.hand ?? live.table.hands?.[me] ?? []} .moves=${this.#moves}></kb-hand>
      ${scene.own.length > 0 && html`<ul class="piles own-piles" role="list">${scene.own.map(pileElement)}</ul>`}
    </section>`;
  }

  /**
   * @param {string} prompt
   * @param {Live} live
   */
  #prompt(prompt, live) {
    if (prompt) return html`<strong>${prompt}</strong>`;
    if (live.status !== "playing" || !live.to_act.length) return t(`table.status.${live.status}`);
    return t("table.waiting", { who: live.to_act.map((seat) => nameOf(live, seat)).join(", ") });
  }

  connected() {
    this.#watching = new ResizeObserver(() => this.rendered());
    this.#watching.observe(this);
  }

  disconnected() {
    this.#watching?.disconnect();
  }

  /** Places the seats around the table, and keeps what is in the middle clear of those above and below it. */
  rendered() {
    const felt = /** @type {HTMLElement | null} */ (this.querySelector(".felt"));
    const seats = /** @type {HTMLElement[]} */ ([...this.querySelectorAll(".felt .seat")]);
    if (!felt || !seats.length) return;
    const places = around(seats.length, this.perspective === null, felt.clientHeight / Math.max(1, felt.clientWidth));
    const free = getComputedStyle(seats[0]).position === "absolute";
    seats.forEach((seat, nth) => {
      const { x, y } = places[nth];
      seat.style.left = free ? `calc((100% - var(--seat)) * ${(x / 100).toFixed(4)})` : "";
      seat.style.top = free ? `${y.toFixed(2)}%` : "";
      seat.style.transform = free ? `translateY(${(-y).toFixed(2)}%)` : "";
    });
    const high = (/** @type {(y: number) => boolean} */ there) =>
      Math.max(0, ...seats.flatMap((seat, nth) => (there(places[nth].y) ? [seat.offsetHeight + EDGE] : [])));
    felt.style.paddingTop = free ? `${high((y) => y < 12)}px` : "";
    felt.style.paddingBottom = free ? `${high((y) => y > 88)}px` : "";
  }
}

define("kb-table", Table);
