// One match: before the start who sits where, then its table, to play at or to watch, and at last how it ended.
//
// What is shown comes from the feed, event by event. A move is sent once, by a key that is kept until the answer is
// there; its cards stay in the hand, marked, until then: the table shows nothing that the service has not said.

import { Problem, get, post } from "../api.js";
import { announce } from "../announce.js";
import { cardNames } from "../cards.js";
import { Component, define, html } from "../element.js";
import { complaint, failure } from "../failure.js";
import { follow } from "../feed.js";
import { games, title } from "../games.js";
import { t } from "../i18n.js";
import { toReplay, toRules, toSheet } from "../links.js";
import { named } from "../router.js";
import { style } from "../style.js";
import { clauseText } from "../table/books.js";
import { left } from "../table/clock.js";
import { nameOf } from "../table/names.js";
import { PACES, Pacing, choosePace, pace } from "../table/pacing.js";
import { handResult, matchResult } from "../table/result.js";
import { sceneOf } from "../table/scenes.js";
import { begin, deliver, stillMeant, unanswered } from "../table/sending.js";
import "../table/table.js";
import "../waiting.js";

/** @import { LegalMoves, LiveTable } from "../../types/kibitz.js" */
/** @import { State } from "../connection.js" */
/** @import { Frame } from "../feed.js" */
/** @import { Move } from "../table/choosing.js" */
/** @import { Ended } from "../table/result.js" */
/** @import { Sent } from "../table/sending.js" */

await style("table");

const SHORT = 10_000;
const AGAIN = 3_000;
const BEFORE = ["open", "revealing"];
const narrow = window.matchMedia("(max-width: 40rem)");

class MatchPage extends Component {
  match = "";
  /** @type {LiveTable | null} */
  #live = null;
  /** @type {LegalMoves | null} */
  #moves = null;
  /** @type {unknown} */
  #error = null;
  /** @type {unknown} */
  #complaint = null;
  /** @type {Sent | null} */
  #sent = null;
  /** @type {Ended | null} */
  #ended = null;
  /** @type {State} */
  #state = "connecting";
  /** @type {string[]} */
  #news = [];
  #due = false;
  #skew = 0;
  #asking = 0; // the version whose moves are being asked for
  #stop = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #warning;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #again;
  #pacing = new Pacing((frame) => this.#show(frame));

  connected() {
    this.#load();
    this.listen(narrow, "change", () => this.update());
    this.listen(window, "online", () => this.#catchUp());
  }

  disconnected() {
    this.#stop();
    this.#pacing.clear();
    clearTimeout(this.#warning);
    clearTimeout(this.#again);
  }

  spoken() {
    games().then(() => (this.#named(), this.update()), () => {}); // what this one is called in that language
    this.update();
  }

  async #load() {
    this.#error = null;
    this.#stop();
    this.#pacing.clear();
    try {
      const { signal } = this;
      const [live] = await Promise.all([get(`/v1/matches/${this.match}`, { signal }), games()]);
      if (signal.aborted) return;
      this.#skew = Math.min(0, Date.now() - live.at);
      this.#take(live);
    } catch (error) {
      if (!this.isConnected) return;
      this.#error = error;
      this.update();
      return;
    }
    this.#stop = follow(this.match, {
      after: this.#live?.version ?? 0,
      onFrame: (frame) => this.#pacing.take(frame),
      onState: (state) => this.#connection(state),
      onProblem: (problem) => this.#lost(problem),
    });
    const before = unanswered(this.match);
    if (before && !this.#sent) this.#deliver(before);
  }

  /** @param {Frame} frame */
  #show(frame) {
    const { table, ...event } = frame.data;
    this.#hear(table);
    const behind = Date.now() - table.at;
    if (this.#pacing.even && this.#state === "live") this.#skew = this.#skew > 0 ? Math.min(this.#skew, behind) : behind;
    if (event.type === "HandEnded") {
      this.#ended = { .../** @type {any} */ (event.body), version: frame.id };
      this.#news.push(t("match.hand_over", { hand: /** @type {any} */ (event.body).hand }));
    }
    this.#take(table);
  }

  /**
   * Keeps in words what has been played, to be said when it is the viewer's turn.
   * @param {LiveTable} live
   */
  #hear(live) {
    const before = this.#live && this.#live.status === "playing" ? sceneOf(this.#live, live.you).plays.length : 0;
    if (live.status !== "playing") return;
    for (const { seat, cards, note } of sceneOf(live, live.you).plays.slice(before)) {
      if (seat !== live.you) this.#news.push(`${nameOf(live, seat)}: ${[cardNames(cards), note].filter(Boolean).join(", ")}.`);
    }
    this.#news = this.#news.slice(-live.seats.length);
  }

  /**
   * The match as it is at a later version.
   * @param {LiveTable} live
   */
  #take(live) {
    const before = this.#live;
    if (before && live.version < before.version) return;
    this.#live = live;
    if (this.#moves && this.#moves.version !== live.version) this.#moves = null;
    const over = live.status === "finished" || live.status === "abandoned";
    if (over && before && before.status === "playing") {
      window.scrollTo(0, 0); // the result is above the table
      announce(live.winners.length ? t("match.won", { who: live.winners.map((seat) => nameOf(live, seat)).join(", "), count: live.winners.length }) : t("match.over"));
    }
    this.#turn();
    this.update();
    this.#catchUp();
  }

  /** The viewer has become due, or is no longer: says so, once. */
  #turn() {
    const live = this.#live;
    const due = Boolean(live && live.you !== null && live.status === "playing" && live.to_act.includes(live.you));
    const turned = due !== this.#due;
    this.#due = due;
    this.#named(); // first: what is to be done is heard instead of the title
    if (due && turned && live) {
      announce([...this.#news, t("match.your_turn"), sceneOf(live, live.you).prompt].join(" "));
      this.#news = [];
    }
    if (turned) clearTimeout(this.#warning);
    if (due) this.#warn();
  }

  /** Says it when the viewer's time runs short. */
  #warn() {
    const live = this.#live;
    const own = live?.clock?.seats[live.you ?? -1];
    if (!live?.clock || !own || own.since === null) return;
    const running = { since: own.since, turn: live.clock.turn_seconds * 1000, bank: own.bank_ms, skew: this.#skew, still: null };
    const rest = left(running, Date.now());
    clearTimeout(this.#warning);
    if (rest.turn + rest.bank > SHORT) {
      this.#warning = setTimeout(() => announce(t("match.short"), { urgent: true }), rest.turn + rest.bank - SHORT);
    }
  }

  #named() {
    const live = this.#live;
    if (!live) return;
    named(this.#due ? `● ${t("match.your_turn")} · ${this.#title()}` : this.#title());
  }

  #title() {
    return title(this.#live?.game ?? "");
  }

  /** Asks what can be played, when it is the viewer's turn and everything that happened is shown. */
  async #catchUp() {
    const live = this.#live;
    if (!live || !this.#due || this.#moves || this.#sent || !this.#pacing.even || this.#asking === live.version) return;
    this.#asking = live.version;
    try {
      /** @type {LegalMoves} */
      const moves = await get(`/v1/matches/${this.match}/moves`, { signal: this.signal });
      if (moves.version !== this.#live?.version || this.#sent) return; // the feed brings what has happened since
      this.#moves = moves;
      this.update();
    } catch (error) {
      if (this.signal.aborted) return;
      clearTimeout(this.#again);
      const busy = error instanceof Problem && (error.status === 0 || error.status === 429 || error.status >= 500);
      if (busy) this.#again = setTimeout(() => this.#catchUp(), AGAIN);
      else this.#complaint = error;
      this.update();
    } finally {
      if (this.#asking === live.version) this.#asking = 0;
    }
  }

  /** @param {State} state */
  #connection(state) {
    const back = state === "live" && this.#state !== "live";
    this.#state = state;
    if (back) this.#catchUp();
    this.update();
  }

  /** @param {Problem} problem */
  #lost(problem) {
    if (problem.slug === "ahead-of-match") this.#live = null; // the service has come back with less than it had
    if (problem.slug === "ahead-of-match" || problem.status === 401) this.#load();
    else {
      this.#error = problem;
      this.update();
    }
  }

  /** @param {Move} move */
  #play(move) {
    if (this.#sent || !this.#moves) return;
    this.#deliver(begin(this.match, move, this.#moves.version));
  }

  /** @param {Sent} sent */
  async #deliver(sent) {
    this.#sent = sent;
    this.#complaint = null;
    this.update();
    try {
      const done = await deliver(this.match, sent, this.signal);
      this.#sent = null;
      this.#moves = null; // those were of the version before
      if ((this.#live?.version ?? 0) < done.version && this.#state !== "live") await this.#refresh();
    } catch (error) {
      if (this.signal.aborted) return;
      this.#sent = null;
      this.#moves = null;
      await this.#refresh();
      if (stillMeant(error, this.#live?.you ?? null) && this.#due) {
        this.#deliver(begin(this.match, sent.move, this.#live?.version ?? 0));
        return;
      }
      this.#complaint = error;
      announce(error instanceof Problem ? error.title : t("error.own"), { urgent: true });
    }
    this.update();
    this.#catchUp();
  }

  /** The match as it is now, whatever the feed has to say yet. */
  async #refresh() {
    try {
      this.#take(await get(`/v1/matches/${this.match}`, { signal: this.signal }));
    } catch {
      // the feed tries on
    }
  }

  async #resign() {
    this.#dialog()?.close();
    try {
      await post(`/v1/matches/${this.match}/resign`, {}, { signal: this.signal });
    } catch (error) {
      this.#complaint = error;
      this.update();
    }
  }

  #dialog() {
    return /** @type {HTMLDialogElement | null} */ (this.querySelector("dialog"));
  }

  /** @param {Move} move */
  #check = (move) => post(`/v1/matches/${this.match}/moves/check`, move, { signal: this.signal });

  /** @type {(game: string, clause: string) => string} */
  #clause = (game, clause) => clauseText(game, clause, () => /** @type {any} */ (this.querySelector("kb-hand"))?.update());

  /**
   * Where else to go, and out of the match. Where the page is narrow they come last.
   * @param {LiveTable} live
   * @param {boolean} over
   */
  #tools(live, over) {
    const playing = live.you !== null && !over && !live.seats[live.you].resigned;
    return html`<div class="row match-tools" data-key="tools">
      ${!over && html`<a class="button quiet" href=${toReplay(live.match)}>${t("match.replay")}</a>
        <a class="button quiet" href=${toSheet(live.match)}>${t("match.sheet")}</a>`}
      <a class="button quiet" href=${toRules(live.game)}>${t("match.rules")}</a>
      ${!over && html`<label class="pace"><span class="unseen">${t("match.pace")}</span><select class="quiet" .value=${pace()}
        @change=${(/** @type {any} */ event) => choosePace(event.target.value)}>${
          PACES.map((one) => html`<option value=${one}>${t(`match.pace.${one}`)}</option>`)}</select></label>`}
      ${playing && html`<button type="button" class="danger" @click=${() => this.#dialog()?.showModal()}>${t("match.resign")}</button>`}
    </div>`;
  }

  render() {
    if (this.#error) return html`${failure(this.#error, () => this.#load())}`;
    const live = this.#live;
    if (!live) return html`<p aria-busy="true" class="soft">${t("match.loading")}</p>`;
    if (BEFORE.includes(live.status)) return html`<kb-waiting .live=${live}></kb-waiting>`;
    const over = live.status === "finished" || live.status === "abandoned";
    const seated = live.you !== null;
    const resigned = seated && live.seats[live.you ?? 0].resigned;
    return html`<div class="page match">
      <div class="spread match-head">
        <h1>${this.#title()}</h1>
        ${!narrow.matches && this.#tools(live, over)}
      </div>
      ${this.#state !== "live" && !over && html`<p class="note" role="status" data-key="connection">${t(`match.connection.${this.#state}`)}</p>`}
      ${!seated && !over && html`<p class="soft" data-key="watching">${t("match.watching")}${live.spectators.startsWith("delayed") && ` ${t("match.delayed", { count: Number(live.spectators.split(":")[1]) })}`} ${
        live.watching > 1 && t("match.watchers", { count: live.watching })}</p>`}
      ${resigned && !over && html`<p class="note" data-key="resigned">${t("match.resigned")}</p>`}
      ${this.#complaint !== null && html`<div data-key="complaint">${complaint(this.#complaint)}</div>`}
      ${over && matchResult(live)}
      ${!over && this.#ended && handResult(live, this.#ended, () => ((this.#ended = null), this.update()))}
      <kb-table data-key="table" .ticking=${!over} .skew=${this.#skew} .clause=${this.#clause} .check=${this.#check} .busy=${this.#sent !== null}
        .live=${live} .moves=${seated && !over ? (this.#moves ?? { version: live.version, seat: live.you, moves: [], refused: [] }) : null}
        @move=${(/** @type {CustomEvent<Move>} */ event) => this.#play(event.detail)}></kb-table>
      ${narrow.matches && this.#tools(live, over)}
      <dialog aria-labelledby="resign-title" data-key="resign">
        <h2 id="resign-title">${t("match.resign.title")}</h2>
        <p>${t("match.resign.text")}</p>
        <p class="row"><button type="button" class="danger" @click=${() => this.#resign()}>${t("match.resign.yes")}</button>
          <button type="button" class="quiet" @click=${() => this.#dialog()?.close()}>${t("match.resign.no")}</button></p>
      </dialog>
    </div>`;
  }
}

define("kb-match-page", MatchPage);

/** @param {{ [name: string]: string }} params */
export function page({ match }) {
  const made = /** @type {MatchPage} */ (document.createElement("kb-match-page"));
  made.match = match;
  return made;
}
