// The replay of a match: any moment of it, through any eyes that may see it, alone or two side by side.

import { Problem, get } from "../api.js";
import { announce } from "../announce.js";
import { Component, define, html } from "../element.js";
import { failure } from "../failure.js";
import { follow } from "../feed.js";
import { games, title } from "../games.js";
import { t } from "../i18n.js";
import { toReplay } from "../links.js";
import { heading } from "../look/heading.js";
import { moments } from "../look/moments.js";
import { STEP, controls } from "../look/player.js";
import { handAt, nearest } from "../look/scrubber.js";
import { called, calledFully, isOver } from "../look/seats.js";
import { Steps } from "../look/steps.js";
import { named } from "../router.js";
import { style } from "../style.js";
import "../table/table.js";

/** @import { LiveTable, ReplayIndex, ReplayStep } from "../../types/kibitz.js" */
/** @import { State } from "../connection.js" */
/** @import { Params } from "../router.js" */
/** @typedef {{ perspective: string, step: ReplayStep | null, why: string }} Pane a table and through whose eyes it is */

const RESTING = 400; // how long the needle has to rest before the address and the screen reader hear of it

await Promise.all([style("look"), style("table")]);

/** @param {Params} params `match`, and `version`, `seat` and `beside` if there are such */
export function page(params) {
  const shown = /** @type {Replay} */ (document.createElement("kb-replay"));
  shown.params = params;
  return shown;
}

class Replay extends Component {
  /** @type {Params} */
  params = {};
  /** @type {unknown} */
  #error = null;
  /** @type {LiveTable | null} */
  #live = null;
  /** @type {ReplayIndex} */
  #index = { versions: 1, hands: [], marks: [] };
  /** @type {Steps | null} */
  #steps = null;
  #version = 1;
  #direction = 1;
  #text = "";
  /** @type {Pane[]} */
  #panes = [];
  #seat = "public";
  #beside = "";
  #speed = 1;
  #playing = false;
  /** @type {State} */
  #feed = "connecting";
  /** @type {[number, number] | null} */
  #range = null;
  #call = 0; // of `#go`: an answer that comes late knows it
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #ticking;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #resting;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #catching;

  connected() {
    this.listen(document, "keydown", (event) => this.#key(event));
    this.listen(window, "online", () => this.#live && this.#go(this.#version)); // what could not be shown before
    this.signal.addEventListener("abort", () => {
      for (const timer of [this.#ticking, this.#resting, this.#catching]) clearTimeout(timer);
      this.#steps?.stop();
      this.#playing = false;
    });
    this.#load().catch((error) => this.#fail(error));
  }

  /** Another address of the same replay: somebody has followed a link to another moment. @param {Params} params */
  moved(params) {
    this.params = params;
    this.#aim();
  }

  /** Narration is the service's: it is asked for anew. */
  spoken() {
    this.#load().catch((error) => this.#fail(error));
  }

  async #load() {
    const { match } = this.params;
    const [live, index] = await Promise.all([
      get(`/v1/matches/${match}`, { signal: this.signal }),
      get(`/v1/matches/${match}/replay`, { signal: this.signal }),
      games(), // what this one is called
    ]);
    if (this.signal.aborted) return;
    const first = this.#live === null;
    [this.#live, this.#index] = [live, index];
    this.#steps?.stop();
    this.#steps = new Steps(match, (perspective) => this.#over || perspective === "public" || perspective === this.#own);
    named(`${title(live.game)}: ${t("replay.title")}`);
    if (!first) return this.#go(this.#version);
    this.#aim();
    if (!this.#over) this.#follow();
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.signal.aborted) return;
    this.#error = error;
    this.update();
  }

  get #over() {
    return this.#live !== null && isOver(this.#live);
  }

  /** The reader's own eyes. */
  get #own() {
    return String(this.#live?.you ?? "public");
  }

  /** Goes where the address says; without a version to the beginning, or to where the play is. */
  #aim() {
    const there = (/** @type {string | undefined} */ name) =>
      name === "public" || name === "all" || (/^\d{1,2}$/.test(name ?? "") && this.#live?.seats[Number(name)]) ? name : undefined;
    this.#seat = there(this.params.seat) ?? this.#own;
    this.#beside = there(this.params.beside) ?? "";
    this.#go(Number(this.params.version) || (this.#over ? 1 : this.#index.versions));
  }

  // --- the page ---

  render() {
    if (this.#error) return html`${failure(this.#error, () => location.reload())}`;
    if (!this.#live) return html`<p class="soft" role="status">${t("look.wait")}</p>`;
    const live = this.#live;
    const { hands, versions } = this.#index;
    const place = t("look.event.of", { n: this.#version, last: versions });
    return html`
      ${heading(live, "replay")}
      <div class=${this.#panes.length > 1 ? "replay two" : "replay"}>
        <div class="panes">${this.#panes.map((pane) => this.#pane(pane))}</div>
        <section class="deck panel" aria-label=${t("replay.title")}>
          <p class="narration"><span class="badge number">${place}</span> <span>${this.#text}</span></p>
          <kb-scrubber .index=${this.#index} .version=${this.#version} .text=${this.#text} .range=${this.#range}
            @seek=${(/** @type {CustomEvent} */ { detail }) => this.#go(detail)}
            @hop=${(/** @type {CustomEvent} */ { detail }) => this.#hop(detail)}></kb-scrubber>
          ${controls({
            playing: this.#playing,
            speed: this.#speed,
            feed: this.#over ? null : this.#feed,
            newest: this.#version === versions,
            go: (to) => this.#go(to === "first" ? 1 : to === "last" ? versions : this.#version + (to === "back" ? -1 : 1)),
            leap: (way) => this.#leap(way),
            toggle: () => this.#toggle(),
            hurry: (speed) => this.#hurry(speed),
          })}
        </section>
        <div class="replay-eyes">
          ${this.#choice("seat")} ${this.#choice("beside")}
          <button type="button" class="quiet" title=${t("look.share.moment")} @click=${() => this.#share()}>${t("look.share")}</button>
        </div>
        ${moments({
          index: this.#index,
          hand: handAt({ versions, hands, marks: [] }, this.#version),
          version: this.#version,
          live,
          range: this.#range,
          go: (version) => this.#go(version),
          mark: (range) => this.#mark(range),
        })}
      </div>`;
  }

  rendered() {
    this.#into();
  }

  /** The mark under the needle can be seen in its list: that scrolls, never the page. */
  #into() {
    const at = this.querySelector(".mark-list [aria-current]");
    const list = at?.closest("ol");
    if (!at || !list) return;
    const [box, line] = [list.getBoundingClientRect(), at.getBoundingClientRect()];
    if (line.top < box.top) list.scrollTop -= box.top - line.top;
    if (line.bottom > box.bottom) list.scrollTop += line.bottom - box.bottom;
  }

  /** @param {"seat" | "beside"} which pair of eyes */
  #choice(which) {
    const chosen = which === "seat" ? this.#seat : this.#beside;
    const label = t(which === "seat" ? "replay.perspective" : "replay.beside");
    const seats = this.#live?.seats ?? [];
    return html`
      <label class="field eyes-${which}"><span class="small">${label}</span>
        <select .value=${chosen} @change=${(/** @type {Event} */ event) => this.#look(which, /** @type {HTMLSelectElement} */ (event.target).value)}>
          ${which === "beside" && html`<option value="">${t("replay.beside.none")}</option>`}
          <option value="public">${t("replay.eyes.public")}</option>
          ${seats.map((seat) => html`<option value=${seat.seat}>${calledFully(seat)}</option>`)}
          <option value="all">${t("replay.eyes.all")}</option>
        </select>
      </label>`;
  }

  /** @param {Pane} pane */
  #pane({ perspective, step, why }) {
    const known = perspective === "public" || perspective === "all";
    const who = called(this.#live?.seats[Number(perspective)], Number(perspective));
    return html`
      <section class="pane" data-key=${perspective}>
        <h2>${known ? t(`replay.seen.${perspective}`) : t("replay.seen", { who })}</h2>
        ${why && html`<p class="empty">${why}</p>`}
        ${step && !why && html`<kb-table .live=${step.table} .perspective=${step.table.you} .moves=${null}></kb-table>`}
      </section>`;
  }

  // --- eyes ---

  /**
   * @param {"seat" | "beside"} which
   * @param {string} perspective
   */
  #look(which, perspective) {
    if (which === "seat") this.#seat = perspective;
    else this.#beside = perspective;
    this.#go(this.#version);
  }

  /** @param {[number, number] | null} range of a dispute */
  #mark(range) {
    this.#range = range;
    this.update();
  }

  async #share() {
    this.#address();
    try {
      await navigator.clipboard.writeText(location.href);
      announce(t("look.copied"));
      this.#text = t("look.copied");
    } catch {
      this.#text = location.href; // no clipboard here: the address is there to be copied by hand
    }
    this.update();
  }

  // --- moving ---

  /**
   * Shows the match right after event `version`, as soon as that is here.
   * @param {number} version
   */
  async #go(version) {
    const next = Math.min(this.#index.versions, Math.max(1, Math.round(version) || 1));
    if (next !== this.#version) this.#direction = next > this.#version ? 1 : -1;
    this.#version = next;
    const call = (this.#call += 1);
    clearTimeout(this.#ticking);
    clearTimeout(this.#resting);
    this.update();
    const eyes = [...new Set([this.#seat, ...(this.#beside ? [this.#beside] : [])])];
    const panes = await Promise.all(eyes.map((perspective) => this.#seen(perspective, next)));
    if (call !== this.#call || this.signal.aborted) return;
    this.#panes = panes;
    this.#text = panes.find(({ step }) => step)?.step?.text ?? "";
    this.#resting = setTimeout(() => this.#rest(), RESTING);
    this.#steps?.prefetch(next, this.#direction, this.#index.versions, eyes);
    if (this.#playing) this.#ticking = setTimeout(() => this.#tick(), STEP / this.#speed);
    this.update();
  }

  /**
   * @param {string} perspective
   * @param {number} version
   * @returns {Promise<Pane>}
   */
  async #seen(perspective, version) {
    try {
      const step = this.#steps?.have(version, perspective) ?? (await this.#steps?.at(version, perspective)) ?? null;
      return { perspective, step, why: "" };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const why = error.status === 403 ? t("replay.hidden") : error.status === 0 ? t("replay.live.offline") : error.detail;
      return { perspective, step: null, why };
    }
  }

  /** The needle rests: whoever listens hears what happened, and whoever copies the address comes back to here. */
  #rest() {
    this.#into();
    this.#address();
    announce(this.#text);
  }

  #address() {
    const [seat, beside] = [this.#seat, this.#beside || null];
    history.replaceState(null, "", toReplay(this.params.match, this.#version, { seat, beside }));
  }

  /** To the beginning of this hand, or of the one before or after. @param {number} way -1 or 1 */
  #hop(way) {
    const firsts = [1, ...this.#index.hands.map(({ first }) => first), this.#index.versions];
    this.#go(nearest(firsts, this.#version, way));
  }

  /** To the mark before or after. @param {number} way -1 or 1 */
  #leap(way) {
    const marks = this.#index.marks.map(({ version }) => version);
    this.#go(nearest([1, ...marks, this.#index.versions], this.#version, way));
  }

  #toggle() {
    this.#playing = !this.#playing;
    const again = this.#playing && this.#over && this.#version === this.#index.versions;
    this.#go(again ? 1 : this.#version);
  }

  #tick() {
    const { versions } = this.#index;
    if (this.#version < versions) return this.#go(this.#version + 1);
    if (this.#over) this.#playing = false; // of a running match the next event goes on
    this.update();
  }

  /** @param {number} speed */
  #hurry(speed) {
    this.#speed = speed;
    this.#go(this.#version);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = event.target instanceof Element ? event.target : null;
    const taken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    if (taken || !this.#live || at?.closest("select, textarea, input:not([type=range])")) return;
    if (event.key === " " ? at?.closest("button, a, summary") : at?.closest("input")) return; // they have a use for it
    const last = this.#index.versions;
    /** @type {{ [key: string]: () => void }} */
    const acts = {
      ArrowLeft: () => this.#go(this.#version - 1),
      ArrowRight: () => this.#go(this.#version + 1),
      Home: () => this.#go(1),
      End: () => this.#go(last),
      PageUp: () => this.#hop(-1),
      PageDown: () => this.#hop(1),
      " ": () => this.#toggle(),
    };
    if (!(event.key in acts)) return;
    event.preventDefault();
    acts[event.key]();
  }

  // --- a match that is still played ---

  #follow() {
    const stop = follow(this.params.match, {
      after: this.#index.versions,
      onFrame: ({ id }) => this.#heard(id),
      onState: (state) => {
        this.#feed = state;
        this.update();
      },
      onProblem: (error) => this.#fail(error),
      onOver: () => this.#catchUp(),
    });
    this.signal.addEventListener("abort", stop);
  }

  /** One event more. Whoever was at the end stays there. @param {number} version */
  #heard(version) {
    if (version <= this.#index.versions) return;
    const there = this.#version === this.#index.versions;
    this.#index = { ...this.#index, versions: version };
    if (there) this.#go(version);
    else this.update();
    clearTimeout(this.#catching);
    this.#catching = setTimeout(() => this.#catchUp(), RESTING);
  }

  /** Hands and marks that have come, and whether the match is over now. */
  async #catchUp() {
    try {
      const path = `/v1/matches/${this.params.match}`;
      const { signal } = this;
      const [live, index] = await Promise.all([get(path, { signal }), get(`${path}/replay`, { signal })]);
      this.#live = live;
      this.#index = { ...index, versions: Math.max(index.versions, this.#index.versions) };
      this.update();
    } catch (error) {
      if (!(error instanceof Problem) && !this.signal.aborted) throw error; // what is here stays
    }
  }
}

define("kb-replay", Replay);
