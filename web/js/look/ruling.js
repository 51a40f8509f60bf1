// <kb-ruling>: the form in which an arbiter rules on a case. Properties: `.case`, `.live`.
// It tells `ruled` (the case as it is then) or `trouble` (what was answered).

import { Problem, get, newKey, post } from "../api.js";
import { Component, define, html } from "../element.js";
import { complaint } from "../failure.js";
import { t } from "../i18n.js";
import { calledFully } from "./seats.js";

/** @import { Case, LiveTable, Rulebook } from "../../types/kibitz.js" */
/** @typedef {"upheld" | "void_hand" | "adjust"} Kind */

/** @type {Kind[]} */
const KINDS = ["upheld", "void_hand", "adjust"];

class RulingForm extends Component {
  /** @type {Case | null} */
  #case = null;
  /** @type {LiveTable | null} */
  #live = null;
  /** @type {Kind} */
  #kind = "upheld";
  /** Of the rule books of the game and of the match. @type {string[]} */
  #clauses = [];
  /** @type {unknown} */
  #trouble = null;
  #busy = false;
  #key = newKey(); // the same until an answer has come: a ruling that is sent twice is one

  get case() {
    return this.#case;
  }

  set case(/** @type {Case | null} */ value) {
    this.#case = value;
    this.update();
  }

  set live(/** @type {LiveTable | null} */ live) {
    this.#live = live;
    this.update();
  }

  connected() {
    this.#read();
  }

  /** The clauses to choose from; without them any can be written. */
  async #read() {
    const game = this.#case?.game;
    if (!game) return;
    try {
      const { signal } = this;
      /** @type {Rulebook[]} */
      const [own, match] = await Promise.all([game, "match"].map((book) => get(`/v1/games/${book}/rulebook`, { signal })));
      this.#clauses = [...own.clauses.map(({ id }) => id), ...match.clauses.map(({ id }) => `match ${id}`)];
      this.update();
    } catch {
      this.#clauses = [];
    }
  }

  render() {
    const [found, live] = [this.#case, this.#live];
    if (!found || !live) return null;
    const again = found.rulings.length > 0;
    return html`
      <form class="panel stack ruling-form" @submit=${(/** @type {SubmitEvent} */ event) => this.#rule(event)}>
        <h2>${t(again ? "dispute.rule.appeal" : "dispute.rule")}</h2>
        <fieldset><legend>${t("dispute.rule.kind")}</legend>
          ${KINDS.map((kind) => html`<label class="choice"><input type="radio" name="ruling" value=${kind} .checked=${kind === this.#kind}
            disabled=${kind === "void_hand" && !found.hands.length} @change=${() => this.#turn(kind)}> ${t(`dispute.rule.${kind}`)}</label>`)}
          ${!found.hands.length && html`<p class="help">${t("dispute.rule.hands.none")}</p>`}
        </fieldset>
        ${this.#kind !== "upheld" && this.#hands(found)}
        ${this.#kind === "adjust" && this.#adjustment(live)}
        <label class="field"><span>${t("dispute.rule.reason")}</span>
          <textarea name="reason" required maxlength="2000" rows="4"></textarea></label>
        ${this.#trouble && complaint(this.#trouble)}
        ${this.#trouble instanceof Problem && this.#trouble.clause === "7.12" && html`<p class="note">${t("dispute.rule.stale")}</p>`}
        <p><button type="submit" disabled=${this.#busy}>${t("dispute.rule.send")}</button></p>
      </form>`;
  }

  /** @param {Kind} kind */
  #turn(kind) {
    this.#kind = kind;
    this.update();
  }

  /** @param {Case} found */
  #hands(found) {
    const optional = this.#kind === "adjust";
    return html`
      <label class="field" data-key="hand"><span>${t("dispute.rule.hand")}</span>
        <select name="hand">
          ${optional && html`<option value="">${t("dispute.rule.hand.none")}</option>`}
          ${found.hands.map((hand) => html`<option value=${hand}>${t("look.hand", { n: hand })}</option>`)}
        </select></label>`;
  }

  /** @param {LiveTable} live */
  #adjustment(live) {
    return html`
      <fieldset class="points" data-key="points"><legend>${t("dispute.rule.points")}</legend>
        ${live.seats.map((seat) => html`<label class="row"><span>${calledFully(seat)}</span>
          <input type="number" name="points" step="1" min="-10000" max="10000" value="0" required></label>`)}
      </fieldset>
      <label class="field" data-key="clause"><span>${t("dispute.rule.clause")}</span>
        <input name="clause" required maxlength="20" list="clauses" autocomplete="off">
        <span class="help">${t("dispute.rule.clause.hint")}</span></label>
      <datalist id="clauses" data-key="clauses">${this.#clauses.map((clause) => html`<option value=${clause}></option>`)}</datalist>
      <fieldset data-key="winners"><legend>${t("dispute.rule.winners")}</legend>
        ${live.seats.map((seat) => html`<label class="choice"><input type="checkbox" name="winners" value=${seat.seat}> ${calledFully(seat)}</label>`)}
      </fieldset>`;
  }

  /** @param {SubmitEvent} event */
  async #rule(event) {
    event.preventDefault();
    const found = this.#case;
    if (!found || this.#busy) return;
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const hand = given.get("hand") ? { hand: Number(given.get("hand")) } : {};
    const winners = given.getAll("winners").map(Number);
    const adjusted = { points: given.getAll("points").map(Number), clause: String(given.get("clause") ?? "").trim(), ...(winners.length ? { winners } : {}) };
    const ruling = {
      ruling: this.#kind,
      reason: String(given.get("reason")),
      after: found.rulings.length,
      ...(this.#kind === "upheld" ? {} : hand),
      ...(this.#kind === "adjust" ? adjusted : {}),
    };
    [this.#busy, this.#trouble] = [true, null];
    this.update();
    try {
      const ruled = await post(`/v1/disputes/${found.dispute}/rulings`, ruling, { key: this.#key });
      /** @type {HTMLFormElement} */ (event.target).reset();
      this.#kind = "upheld";
      this.#key = newKey();
      this.tell("ruled", ruled);
    } catch (error) {
      if (error instanceof Problem && error.status !== 0) this.#key = newKey();
      this.#trouble = error;
    }
    this.#busy = false;
    this.update();
  }
}

define("kb-ruling", RulingForm);
