// <kb-hand-record>: a hand in detail, from a bundle and what the verifier made of it: the deck, who held what at the
// deal, and (asked of the service) what a seat knew at a moment.
//
// Properties: `.bundle`, `.draws` (of the verifier), `.live` (the match; null if the bundle is not of a match here).

import { get } from "../api.js";
import { Component, define, html } from "../element.js";
import { complaint } from "../failure.js";
import { t } from "../i18n.js";
import { toReplay } from "../links.js";
import { chips } from "./chips.js";
import { handsOf, heldAt, partsOf } from "./record.js";
import { called, calledFully } from "./seats.js";

/** @import { LiveTable, SeatKnowledge } from "../../types/kibitz.js" */
/** @import { Bundle, Draw, Hand, Part } from "./record.js" */

class HandRecord extends Component {
  /** @type {Bundle | null} */
  #bundle = null;
  /** @type {Hand[]} */
  #hands = [];
  /** @type {Draw[]} */
  #draws = [];
  /** @type {LiveTable | null} */
  #live = null;
  #hand = 1;
  /** @type {SeatKnowledge | null} */
  #known = null;
  /** @type {unknown} */
  #trouble = null;
  /** @type {{ seat: string, at: string }} */
  #asked = { seat: "", at: "" };

  set bundle(/** @type {Bundle | null} */ bundle) {
    this.#bundle = bundle;
    this.#hands = bundle ? handsOf(bundle) : [];
    this.#hand = Math.min(this.#hand, Math.max(1, this.#hands.length));
    this.update();
  }

  set draws(/** @type {Draw[]} */ draws) {
    this.#draws = draws;
    this.update();
  }

  set live(/** @type {LiveTable | null} */ live) {
    this.#live = live;
    this.update();
  }

  render() {
    const bundle = this.#bundle;
    const hand = this.#hands[this.#hand - 1];
    if (!bundle || !hand) return html`<p class="soft">${t("audit.hand.none")}</p>`;
    return html`
      <div class="stack">
        <label class="row"><span>${t("audit.hand.choose")}</span>
          <select .value=${String(this.#hand)} @change=${(/** @type {Event} */ event) => this.#choose(Number(/** @type {HTMLSelectElement} */ (event.target).value))}>
            ${this.#hands.map(({ hand: number }) => html`<option value=${number}>${number}</option>`)}
          </select>
        </label>
        ${hand.over ? this.#decks(bundle) : html`<p class="note">${t("audit.hand.closed")}</p>`}
        ${this.#held(bundle, hand)}
        ${this.#live && this.#knowledge(this.#live, hand)}
      </div>`;
  }

  /** @param {number} hand */
  #choose(hand) {
    this.#hand = hand;
    [this.#known, this.#trouble] = [null, null];
    this.#asked = { seat: this.#asked.seat, at: "" };
    this.update();
  }

  /** What each seat is called: by the match, if it is here. @param {number} seat */
  #who(seat) {
    return called(this.#live?.seats[seat], seat);
  }

  /** @param {Bundle} bundle */
  #decks(bundle) {
    const draws = this.#draws.filter(({ hand }) => hand === this.#hand);
    return html`
      <h3>${t("audit.deck")}</h3>
      <p class="help">${t("audit.deck.about")}</p>
      ${draws.map((draw) => html`
        <div class="stack deck-draw">
          ${draws.length > 1 && html`<h4>${t("audit.deck.draw", { n: draw.draw, version: draw.version })}</h4>`}
          ${partsOf(draw, bundle).map((part) => this.#part(part))}
        </div>`)}`;
  }

  /** @param {Part} part */
  #part({ kind, names }) {
    if (kind === "lot") return html`<p>${t("audit.deck.lot", { who: this.#who(Number(names[0])) })}</p>`;
    if (kind === "suits") {
      return html`<p>${t("audit.deck.suits")}: ${names.slice(0, this.#bundle?.seats).map((suit, seat) => `${this.#who(seat)} ${t(`card.suit.${suit}`)}`).join(", ")}</p>`;
    }
    return html`${kind === "pile" && html`<p>${t("audit.deck.pile")}</p>`}<p class="deck-order">${chips(names)}</p>`;
  }

  /**
   * @param {Bundle} bundle
   * @param {Hand} hand
   */
  #held(bundle, hand) {
    return html`
      <h3>${t("audit.held")}</h3>
      <dl class="held">
        ${heldAt(bundle, hand).map((cards, seat) => html`<div><dt>${this.#who(seat)}</dt>
          <dd>${cards ? chips(cards) : html`<span class="soft">${t("audit.held.closed")}</span>`}</dd></div>`)}
      </dl>`;
  }

  /**
   * @param {LiveTable} live
   * @param {Hand} hand
   */
  #knowledge(live, { events }) {
    const [first, last] = [events[0].version, events[events.length - 1].version];
    const seat = this.#asked.seat || String(live.you ?? 0);
    const at = this.#asked.at || String(last);
    return html`
      <h3>${t("audit.knew")}</h3>
      <form class="row knew" @submit=${(/** @type {SubmitEvent} */ event) => this.#ask(event)} @input=${(/** @type {Event} */ event) => this.#fill(event)}>
        <label class="field"><span>${t("audit.knew.seat")}</span>
          <select name="seat" .value=${seat}>${live.seats.map((one) => html`<option value=${one.seat}>${calledFully(one)}</option>`)}</select></label>
        <label class="field"><span>${t("audit.knew.at", { first, last })}</span>
          <input name="at" type="number" required min=${first} max=${last} .value=${at}></label>
        <button type="submit">${t("audit.knew.show")}</button>
      </form>
      ${this.#trouble && complaint(this.#trouble)}
      <div aria-live="polite">${this.#known && this.#cards(live, this.#known)}</div>`;
  }

  /** What stands in the form stays there, whatever is shown anew meanwhile. @param {Event} event */
  #fill(event) {
    const given = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    this.#asked = { seat: String(given.get("seat")), at: String(given.get("at")) };
  }

  /** @param {SubmitEvent} event */
  async #ask(event) {
    event.preventDefault();
    this.#fill(event);
    const { seat, at } = this.#asked;
    this.#trouble = null;
    try {
      const path = `/v1/matches/${this.#live?.match}/audit/knowledge`;
      this.#known = await get(path, { query: { seat, at }, signal: this.signal });
    } catch (error) {
      [this.#known, this.#trouble] = [null, error];
    }
    this.update();
  }

  /**
   * @param {LiveTable} live
   * @param {SeatKnowledge} known
   */
  #cards(live, known) {
    const who = called(live.seats[known.seat], known.seat);
    if (!known.cards.length) return html`<p class="soft">${t("audit.knew.none")}</p>`;
    return html`
      <div class="scroll" role="region" tabindex="0" aria-label=${t("audit.knew")}>
        <table class="figures">
          <caption>${t("audit.knew.cards", { who, at: known.at, hand: known.hand })}</caption>
          <thead><tr>
            <th scope="col">${t("audit.knew.source")}</th><th scope="col">${t("audit.knew.what")}</th>
            <th scope="col">${t("audit.knew.how")}</th><th scope="col">${t("audit.knew.since")}</th>
          </tr></thead>
          <tbody>
            ${known.cards.map(({ version, path, how, cards, since }) => html`<tr>
              <td><a href=${toReplay(live.match, version, { seat: known.seat })}>${t("look.event", { n: version })}</a>
                <code class="soft small">${path}</code></td>
              <td>${chips(cards)}</td><td>${t(`audit.knew.how.${how}`)}</td><td class="number">${since}</td>
            </tr>`)}
          </tbody>
        </table>
      </div>`;
  }
}

define("kb-hand-record", HandRecord);
