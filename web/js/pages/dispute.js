// Disputes of a match: their list, the form that opens one, and a case that is followed until it is ruled on.

import { Problem, get, identity, newKey, post } from "../api.js";
import { announce } from "../announce.js";
import { Component, define, html } from "../element.js";
import { complaint, failure } from "../failure.js";
import { follow } from "../feed.js";
import { games, title } from "../games.js";
import { language, t } from "../i18n.js";
import { toDispute, toReplay } from "../links.js";
import { listing } from "../listing.js";
import { caseView } from "../look/case.js";
import { heading } from "../look/heading.js";
import "../look/ruling.js";
import { called, isOver, toDisputes } from "../look/seats.js";
import { Steps } from "../look/steps.js";
import { go, named } from "../router.js";
import { style } from "../style.js";

/** @import { Case, DisputeLine, LiveTable } from "../../types/kibitz.js" */
/** @import { Params } from "../router.js" */

const SAID = 40; // of how many events it is said in words what happened
const STEP = 20; // how many disputes are listed at first, and how many more each time
const PAUSE = 15_000; // between two looks at a case of a match that is over: its feed has ended

await style("look");

/** @param {Params} params */
export function page(params) {
  const shown = /** @type {Disputes} */ (document.createElement("kb-disputes"));
  shown.params = params;
  return shown;
}

class Disputes extends Component {
  /** @type {Params} */
  params = {};
  /** @type {unknown} */
  #error = null;
  /** @type {unknown} */
  #trouble = null;
  /** @type {LiveTable | null} */
  #live = null;
  /** @type {{ items: DisputeLine[], next: string | null }} */
  #list = { items: [], next: null };
  #listed = STEP;
  /** @type {Case | null} */
  #case = null;
  /** What happened with the disputed events, in words. @type {Map<number, string>} */
  #texts = new Map();
  #arbiter = false;
  #busy = false;
  #key = newKey();
  #following = false;

  connected() {
    const timer = setInterval(() => this.#look(), PAUSE);
    this.signal.addEventListener("abort", () => clearInterval(timer));
    this.#load();
  }

  /** From one case to another, or to the form. @param {Params} params */
  moved(params) {
    this.params = params;
    [this.#case, this.#trouble, this.#texts] = [null, null, new Map()];
    this.#load();
  }

  spoken() {
    this.#load();
  }

  get #path() {
    return `/v1/matches/${this.params.match}`;
  }

  async #load() {
    const { signal } = this;
    const { dispute } = this.params;
    try {
      const role = identity() ? get("/v1/me", { signal }).then((me) => me.role, () => "player") : "player";
      /** @type {[LiveTable, { items: DisputeLine[], next: string | null }, unknown]} */
      const [live, list] = await Promise.all([get(this.#path, { signal }), this.#disputes(), games()]);
      [this.#live, this.#list] = [live, list];
      this.#arbiter = (await role) !== "player";
      named(`${title(live.game)}: ${t("look.disputes")}`);
      this.update();
      if (dispute) this.#case = await get(`/v1/disputes/${dispute}`, { signal });
      this.#follow();
      if (this.#case) this.#tell(this.#case);
    } catch (error) {
      if (signal.aborted) return;
      if (this.#live && error instanceof Problem) this.#trouble = error;
      else this.#error = error;
    }
    this.update();
  }

  #disputes() {
    return listing(`${this.#path}/disputes`, this.#listed, {}, this.signal);
  }

  /** Has the events said in words, as the replay says them to everybody. @param {Case} found */
  async #tell({ match, first, events }) {
    const steps = new Steps(match, () => true);
    const told = new Map();
    this.signal.addEventListener("abort", () => steps.stop());
    try {
      steps.prefetch(events[0].version, 1, events[Math.min(SAID, events.length) - 1].version, ["public"]);
      for (const { version } of events.slice(0, SAID)) told.set(version, (await steps.at(version, "public")).text);
    } catch (error) {
      if (!(error instanceof Problem) && !this.signal.aborted) throw error; // their types say something, too
    }
    if (this.#case?.match !== match || this.#case.first !== first) return;
    this.#texts = told;
    this.update();
  }

  /** A ruling is an event: the feed of a running match tells of it. */
  #follow() {
    if (this.#following || this.signal.aborted || !this.#live || isOver(this.#live)) return;
    this.#following = true;
    const news = ["DisputeOpened", "DisputeRuled", "HandVoided", "ScoreAdjusted"];
    const stop = follow(this.params.match, {
      after: this.#live.version,
      onFrame: ({ event }) => news.includes(event) && this.#look(),
      onOver: () => this.#load(),
    });
    this.signal.addEventListener("abort", stop);
  }

  /** Looks whether something has come to the case, or another dispute. */
  async #look() {
    if (!this.#live || document.hidden) return;
    const { signal } = this;
    const { dispute } = this.params;
    try {
      /** @type {[{ items: DisputeLine[], next: string | null }, Case | null]} */
      const [list, found] = await Promise.all([
        this.#disputes(),
        dispute ? get(`/v1/disputes/${dispute}`, { signal }) : null,
      ]);
      const before = this.#case?.rulings.length;
      [this.#list, this.#case] = [list, found];
      if (found && before !== undefined && found.rulings.length > before) announce(t("dispute.state.ruled"));
      this.update();
    } catch (error) {
      if (!(error instanceof Problem) && !signal.aborted) throw error; // what is here stays; the next look may do better
    }
  }

  #longer() {
    this.#listed += STEP;
    this.#look();
  }

  // --- the page ---

  render() {
    if (this.#error) return html`${failure(this.#error, () => location.reload())}`;
    if (!this.#live) return html`<p class="soft" role="status">${t("look.wait")}</p>`;
    const live = this.#live;
    const making = !this.params.dispute;
    return html`
      <div class="page disputes">
        ${heading(live, "disputes")}
        <div class="dispute-two">
          <nav class="stack" aria-label=${t("dispute.list")}><h2>${t("dispute.list")}</h2>
            ${!this.#list.items.length && html`<p class="soft">${t("dispute.none")}</p>`}
            <ul class="list">${this.#list.items.map((line) => this.#line(live, line))}</ul>
            ${this.#list.next !== null && html`<p><button type="button" class="quiet" @click=${() => this.#longer()}>${t("list.more")}</button></p>`}
            ${!making && html`<p><a class="button quiet" href=${toDisputes(live.match)}>${t("dispute.new")}</a></p>`}
          </nav>
          <div class="stack">
            ${this.#trouble && !making && complaint(this.#trouble)}
            ${making ? this.#form(live) : this.#shown(live)}
          </div>
        </div>
      </div>`;
  }

  /**
   * @param {LiveTable} live
   * @param {DisputeLine} line
   */
  #line(live, line) {
    const rulings = Math.max(line.rulings, line.dispute === this.#case?.dispute ? this.#case.rulings.length : 0);
    const state = rulings ? html`<span class="badge good">✓ ${t("dispute.rulings", { count: rulings })}</span>` : html`<span class="badge warn">… ${t("dispute.state.open")}</span>`;
    return html`<li data-key=${line.dispute}><a class="panel dispute-line" href=${toDispute(live.match, line.dispute)} aria-current=${line.dispute === this.params.dispute && "page"}>
      <span>${t("dispute.range", { first: line.first, last: line.last })}</span>
      <span class="soft">${t("dispute.by", { who: called(live.seats[line.seat], line.seat) })}</span> ${state}</a></li>`;
  }

  /** @param {LiveTable} live */
  #shown(live) {
    const found = this.#case;
    if (!found) return !this.#trouble && html`<p class="soft" role="status">${t("look.wait")}</p>`;
    if (found.match !== live.match) return html`<p class="empty">${t("dispute.gone")}</p>`;
    const state = found.status === "ruled" ? html`<span class="badge good">✓ ${t("dispute.state.ruled")}</span>` : html`<span class="badge warn">… ${t("dispute.state.open")}</span>`;
    return html`
      <h2 class="row">${t("dispute.case", { first: found.first, last: found.last })} ${state}</h2>
      <p class="soft">${t("dispute.by", { who: found.name || called(live.seats[found.seat], found.seat) })}</p>
      ${caseView(found, live, language(), this.#texts)}
      ${this.#arbiter && live.you === null && html`<kb-ruling .case=${found} .live=${live} @ruled=${(/** @type {CustomEvent} */ { detail }) => this.#ruled(detail)}></kb-ruling>`}`;
  }

  /** @param {Case} found as it is after the ruling */
  #ruled(found) {
    this.#case = found;
    announce(t("dispute.done"));
    this.#look();
    this.update();
  }

  // --- opening one ---

  /** @param {LiveTable} live */
  #form(live) {
    const { first = "", last = "" } = this.params;
    if (live.you === null) return html`<p class="empty">${t("dispute.not.seated")}</p>`;
    const number = (/** @type {string} */ name, /** @type {string} */ value) => html`
      <label class="field"><span>${t(`dispute.${name}`)}</span>
        <input type="number" name=${name} required min="1" max=${live.version} step="1" value=${value}></label>`;
    return html`
      <form class="panel stack" @submit=${(/** @type {SubmitEvent} */ event) => this.#open(event)}>
        <h2>${t("dispute.new")}</h2>
        <p class="help">${t("dispute.about")}</p>
        <div class="row">${number("first", first)} ${number("last", last)}
          <a href=${toReplay(live.match, Number(first) || undefined)}>${t("dispute.pick")}</a></div>
        <label class="field wide"><span>${t("dispute.claim")}</span>
          <textarea name="claim" required maxlength="2000" rows="5"></textarea>
          <span class="help">${t("dispute.claim.hint")}</span></label>
        ${this.#trouble && complaint(this.#trouble)}
        <p><button type="submit" disabled=${this.#busy}>${t("dispute.send")}</button></p>
      </form>`;
  }

  /** @param {SubmitEvent} event */
  async #open(event) {
    event.preventDefault();
    if (this.#busy) return;
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const [first, last] = [Number(given.get("first")), Number(given.get("last"))];
    [this.#busy, this.#trouble] = [true, null];
    this.update();
    try {
      /** @type {Case} */
      const made = await post(`${this.#path}/disputes`, { first, last, claim: String(given.get("claim")) }, { key: this.#key });
      this.#key = newKey();
      announce(t("dispute.made"));
      go(toDispute(this.params.match, made.dispute), { replace: true });
    } catch (error) {
      if (error instanceof Problem && error.status !== 0) this.#key = newKey(); // something was answered: ask anew
      this.#trouble = error;
    }
    this.#busy = false;
    this.update();
  }
}

define("kb-disputes", Disputes);
