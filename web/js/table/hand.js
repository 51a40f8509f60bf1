// <kb-hand>: the viewer's cards and every control to make a move with.
//
// Cards are chosen one by one, and only what can still become a legal move can be chosen; a card that cannot says why,
// with the clause, when it is pointed at, focused or tapped. By keyboard: arrows go from card to card, space chooses,
// enter plays.

import { cardName } from "../cards.js";
import { Component, define, html } from "../element.js";
import { t } from "../i18n.js";
import { toRules } from "../links.js";
import { attempt, complete, inOrder, judged, kept, refusal, selectable, single } from "./choosing.js";
import { controls } from "./controls.js";

/** @import { Move, Moves } from "./choosing.js" */
/** @typedef {{ game: string | null, clause: string | null, reason: string | null }} Why */

const NARROWEST = 26;
const GAP = 6;

class Hand extends Component {
  /** @type {string[]} */
  #cards = [];
  /** @type {Moves | null} */
  #moves = null;
  /** @type {number[]} */
  #chosen = [];
  #at = 0;
  /** @type {{ place: number, text: string, why: Why | null } | null} */
  #hint = null;
  /** The focus is here, or was when what had it went away. */
  #focused = false;
  #returning = false;
  /** @type {ResizeObserver | null} */
  #watching = null;
  /** Who gets the cards of a move that gives one to each, in order. @type {string[]} */
  receivers = [];
  #busy = false;
  /** The text of a clause. @type {(game: string, clause: string) => string} */
  clause = () => "";
  /** Asks the service about a move, without making it. @type {((move: Move) => Promise<Why & { legal: boolean }>) | null} */
  check = null;

  get cards() {
    return this.#cards;
  }

  set cards(cards) {
    const same = cards.join() === this.#cards.join();
    const chosen = this.#chosen.map((place) => this.#cards[place]);
    this.#cards = cards;
    if (!same) this.#chosen = chosen.flatMap((card, nth) => placeOf(cards, card, chosen.slice(0, nth)));
    this.#settle();
  }

  get moves() {
    return this.#moves;
  }

  set moves(moves) {
    this.#moves = moves;
    this.#settle();
  }

  /** A move is on its way: nothing else can be done. */
  get busy() {
    return this.#busy;
  }

  set busy(busy) {
    this.#busy = busy;
    this.update();
  }

  connected() {
    this.#watching = new ResizeObserver(() => this.#fit());
    this.#watching.observe(this);
    this.listen(this, "focusout", ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && !this.contains(relatedTarget)) this.#focused = false;
    });
  }

  disconnected() {
    this.#watching?.disconnect();
  }

  #settle() {
    if (this.#moves?.moves.length) this.#chosen = kept(this.#cards, this.#chosen, this.#moves);
    else if (!this.#busy) this.#chosen = [];
    this.#at = Math.min(this.#at, Math.max(0, this.#cards.length - 1));
    this.#hint = null;
    this.update();
  }

  render() {
    this.#focused ||= this.contains(document.activeElement);
    const moves = this.#moves;
    const open = selectable(this.#cards, this.#chosen, this.#busy ? null : moves);
    const due = Boolean(moves?.moves.length);
    return html`
      ${this.#cards.length > 0 && html`<div class="hand" role="listbox" aria-label=${t("table.hand")} aria-multiselectable="true"
        aria-orientation="horizontal" data-ordered=${inOrder(moves)} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event)}>
        ${this.#cards.map((card, place) => this.#option(card, place, open, due))}</div>`}
      ${due && this.#receiversElement()}
      <p class="why" id="why" role="status">${this.#why()}</p>
      ${controls({
        moves: due ? moves : null,
        made: due ? complete(this.#cards, this.#chosen, moves) : [],
        chosen: this.#chosen.length,
        busy: this.#busy,
        act: (move) => this.#make(move),
        clear: () => this.#clear(),
      })}`;
  }

  /**
   * @param {string} card
   * @param {number} place
   * @param {Set<number>} open
   * @param {boolean} due
   */
  #option(card, place, open, due) {
    const nth = this.#chosen.indexOf(place);
    const chosen = nth >= 0;
    const can = chosen || open.has(place);
    const copy = this.#cards.slice(0, place).filter((other) => other === card).length;
    const swaps = single(this.#moves) && this.#chosen.length === 1 && selectable(this.#cards, [], this.#moves).has(place);
    const usable = can || swaps;
    const told = due && !usable ? this.#told(place) : null;
    const moves = this.#moves;
    return html`<div class="option" role="option" data-key=${`${card} ${copy}`} data-card=${card} tabindex=${place === this.#at ? 0 : -1}
      aria-selected=${String(chosen)} aria-disabled=${String(!usable)}
      aria-describedby=${told && `told-${place}`} data-busy=${this.#busy && chosen}
      @click=${() => this.#tap(place)} @dblclick=${() => this.#twice(place)} @focus=${() => this.#returning || this.#look(place)}
      @pointerenter=${() => this.#look(place)} @pointerleave=${() => this.#away()}>
      <kb-card card=${card} selectable=${due && usable} selected=${chosen} data-dim=${judged(moves) && !usable}></kb-card>
      ${chosen && inOrder(this.#moves) && html`<span class="order" aria-hidden="true">${nth + 1}</span>`}
      ${told && html`<span hidden id=${`told-${place}`}>${told}</span>`}
    </div>`;
  }

  /** Who gets which card, where each of the others gets one. */
  #receiversElement() {
    if (!inOrder(this.#moves)) return null;
    return html`<ol class="receivers" role="list" aria-label=${t("table.receivers")}>${this.receivers.map((name, nth) => {
      const place = this.#chosen[nth];
      return html`<li><span>${name}</span> <strong>${place === undefined ? t("table.receiver.none") : cardName(this.#cards[place])}</strong></li>`;
    })}</ol>`;
  }

  /**
   * What is said of a card that cannot be chosen, as far as it is known without asking.
   * @param {number} place
   */
  #told(place) {
    const why = refusal(this.#cards[place], this.#moves);
    if (why) return `${why.clause} ${this.clause(why.game, why.clause) || why.reason}`;
    return this.#chosen.length ? t("table.why.not_with") : "";
  }

  #why() {
    if (!this.#hint) return null;
    const { why, text } = this.#hint;
    if (!why?.game || !why.clause) return text;
    return html`<a href=${toRules(why.game, why.clause)}>${why.clause}</a> ${this.clause(why.game, why.clause) || why.reason}`;
  }

  /** @param {number} place */
  #look(place) {
    this.#at = this.contains(document.activeElement) && document.activeElement?.matches(".option") ? this.#placeOf(document.activeElement) : this.#at;
    const open = selectable(this.#cards, this.#chosen, this.#moves);
    if (!this.#moves?.moves.length || this.#busy || this.#chosen.includes(place) || open.has(place)) {
      this.#hint = null;
      this.update();
      return;
    }
    const card = this.#cards[place];
    const why = refusal(card, this.#moves);
    if (!why && single(this.#moves) && selectable(this.#cards, [], this.#moves).has(place)) return;
    this.#hint = { place, why, text: why ? "" : t("table.why.not_with") };
    this.update();
    if (!why) this.#ask(place);
  }

  /**
   * A card that does not go with what is chosen: the service says why.
   * @param {number} place
   */
  async #ask(place) {
    const move = attempt(this.#cards[place], this.#chosen.map((one) => this.#cards[one]), this.#moves);
    if (!move || !this.check) return;
    const asked = this.#hint;
    const why = await this.check(move).catch(() => null);
    if (!why || why.legal || this.#hint !== asked) return;
    this.#hint = { place, why, text: "" };
    this.update();
  }

  #away() {
    const focused = document.activeElement;
    if (this.contains(focused) && focused?.matches(".option")) this.#look(this.#placeOf(focused));
    else if (this.#hint) {
      this.#hint = null;
      this.update();
    }
  }

  /** @param {Element} option */
  #placeOf(option) {
    return [...this.querySelectorAll(".option")].indexOf(option);
  }

  /** @param {number} place */
  #tap(place) {
    this.#at = place;
    if (this.#busy || !this.#moves?.moves.length) return;
    if (this.#chosen.includes(place)) {
      this.#chosen = kept(this.#cards, this.#chosen.filter((one) => one !== place), this.#moves);
    } else if (selectable(this.#cards, this.#chosen, this.#moves).has(place)) {
      this.#chosen = [...this.#chosen, place];
    } else if (single(this.#moves) && selectable(this.#cards, [], this.#moves).has(place)) {
      this.#chosen = [place];
    } else {
      this.#look(place);
      return;
    }
    this.#hint = null;
    this.tell("choice");
    this.update();
  }

  /** @param {number} place */
  #twice(place) {
    if (this.#busy || !single(this.#moves) || !selectable(this.#cards, [], this.#moves).has(place)) return;
    this.#chosen = [place];
    this.#enter();
  }

  #clear() {
    this.#chosen = [];
    this.update();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const last = this.#cards.length - 1;
    const steps = { ArrowRight: this.#at + 1, ArrowDown: this.#at + 1, ArrowLeft: this.#at - 1, ArrowUp: this.#at - 1, Home: 0, End: last };
    if (event.key in steps) {
      const wanted = steps[/** @type {keyof typeof steps} */ (event.key)];
      this.#at = Math.max(0, Math.min(last, wanted));
      this.update();
      /** @type {HTMLElement | undefined} */ ([...this.querySelectorAll(".option")][this.#at])?.focus();
    } else if (event.key === " ") {
      this.#tap(this.#at);
    } else if (event.key === "Enter") {
      if (!this.#chosen.length && single(this.#moves)) this.#tap(this.#at);
      this.#enter();
    } else if (event.key === "Escape") {
      this.#clear();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Plays what is chosen; where it can mean two things, goes to the buttons that say which. */
  #enter() {
    if (this.#busy || !this.#moves?.moves.length) return;
    const made = complete(this.#cards, this.#chosen, this.#moves);
    if (made.length === 1) this.#make(made[0]);
    else if (made.length > 1) /** @type {HTMLElement | null} */ (this.querySelector(".commit"))?.focus();
    else {
      this.#hint = { place: this.#at, why: null, text: t("table.why.unfinished") };
      this.update();
    }
  }

  /** @param {Move} move */
  #make(move) {
    if (!this.#busy) this.tell("move", move);
  }

  rendered() {
    this.#fit();
    this.#refocus();
  }

  /** Who plays by keyboard stays in the hand: the card or the button that had the focus may be gone by now. */
  #refocus() {
    if (!this.#focused || this.contains(document.activeElement)) return;
    if (document.activeElement !== document.body) {
      this.#focused = false;
      return;
    }
    this.#returning = true;
    /** @type {HTMLElement | null} */ (this.querySelector(".option[tabindex='0'], button:enabled"))?.focus({ preventScroll: true });
    this.#returning = false;
  }

  /** Lays the cards as far apart as there is room, in as many rows as it takes for each to be seen and pointed at. */
  #fit() {
    const hand = /** @type {HTMLElement | null} */ (this.querySelector(".hand"));
    const first = hand?.querySelector("kb-card");
    const count = this.#cards.length;
    if (!hand || !first || !hand.clientWidth) return;
    const card = first.getBoundingClientRect().width;
    const room = hand.clientWidth - card;
    const rows = Math.ceil(count / (Math.floor(room / NARROWEST) + 1));
    const inRow = Math.ceil(count / rows);
    const step = inRow > 1 ? Math.min(card + GAP, Math.floor(room / (inRow - 1))) : card;
    hand.style.gridTemplateColumns = inRow > 1 ? `repeat(${inRow - 1}, ${step}px) ${card}px` : `${card}px`;
  }
}

define("kb-hand", Hand);

/**
 * Where a copy of `card` is that none of `before` takes.
 * @param {string[]} cards
 * @param {string} card
 * @param {string[]} before
 */
function placeOf(cards, card, before) {
  const skip = before.filter((other) => other === card).length;
  const places = cards.flatMap((other, place) => (other === card ? [place] : []));
  return places.slice(skip, skip + 1);
}

