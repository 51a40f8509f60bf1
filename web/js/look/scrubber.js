// <kb-scrubber>: two sliders with the marks of a replay above them, one for the match and one for the hand under the
// needle. They are native sliders, so keyboards, touch and screen readers work them as any other.
//
// Properties: `.index` (the answer of GET replay), `.version`, `.text` (what happened then), `.range` (first and last
// event that are marked for a dispute). It tells `seek` with a version, and `hop` with -1 or 1: a hand back or on.

import { Component, define, html, svg } from "../element.js";
import { t } from "../i18n.js";
import { KINDS, LANES, shapeOf } from "./marks.js";

/** @import { ReplayHand, ReplayIndex, ReplayMark } from "../../types/kibitz.js" */
/** @typedef {(version: number) => number} Scale where a version is, from the left */

const THUMB = 24; // as in look.css: the middle of the thumb stays half of it away from either end
const LANE = 15;
const ROOM = 13; // what a mark needs to be drawn in full

/**
 * The hand that event `version` belongs to; undefined before the first.
 * @param {ReplayIndex} index
 * @param {number} version
 */
export const handAt = (index, version) => index.hands.findLast(({ first }) => first <= version);

/**
 * The first and last version of a hand and what follows until the next; without one, of what came before the first.
 * @param {ReplayIndex} index
 * @param {ReplayHand | undefined} hand
 * @returns {[number, number]}
 */
export function spanOf(index, hand) {
  const next = index.hands.find(({ first }) => first > (hand?.first ?? 0));
  return [hand?.first ?? 1, next ? next.first - 1 : index.versions];
}

/**
 * @param {ReplayIndex} index
 * @param {ReplayHand | undefined} hand
 */
export function marksIn(index, hand) {
  const [first, last] = spanOf(index, hand);
  return index.marks.filter(({ version }) => first <= version && version <= last);
}

/**
 * The nearest of some versions in rising order that is before `at` (way -1) or after it (way 1); else `at`.
 * @param {number[]} versions
 * @param {number} at
 * @param {number} way
 */
export function nearest(versions, at, way) {
  return (way > 0 ? versions.find((version) => version > at) : versions.findLast((version) => version < at)) ?? at;
}

class Scrubber extends Component {
  /** @type {ReplayIndex} */
  #index = { versions: 1, hands: [], marks: [] };
  #version = 1;
  #text = "";
  /** @type {[number, number] | null} */
  #range = null;
  #width = 0;

  set index(/** @type {ReplayIndex} */ index) {
    this.#index = index;
    this.update();
  }

  set version(/** @type {number} */ version) {
    this.#version = version;
    this.update();
  }

  set text(/** @type {string} */ text) {
    this.#text = text;
    this.update();
  }

  set range(/** @type {[number, number] | null} */ range) {
    this.#range = range;
    this.update();
  }

  connected() {
    const seen = new ResizeObserver(() => this.#measure());
    seen.observe(this);
    this.signal.addEventListener("abort", () => seen.disconnect());
  }

  #measure() {
    const width = Math.floor(this.querySelector(".scrub")?.clientWidth ?? 0);
    if (width === this.#width) return;
    this.#width = width;
    this.update();
  }

  rendered() {
    this.#measure();
  }

  render() {
    const hand = handAt(this.#index, this.#version);
    const named = hand ? t("look.hand", { n: hand.hand }) : t("replay.before");
    const label = hand ? t("replay.scrub.hand", { n: hand.hand }) : t("replay.before");
    const [first, last] = spanOf(this.#index, hand);
    return html`
      <span class="scrub-name" aria-hidden="true">${t("look.match")}</span>
      ${this.#slider("match", t("replay.scrub"), 1, this.#index.versions)}
      <span class="scrub-name" aria-hidden="true">${named}</span>
      ${this.#slider("hand", label, first, last)}`;
  }

  /**
   * @param {"match" | "hand"} which
   * @param {string} label
   * @param {number} first
   * @param {number} last
   */
  #slider(which, label, first, last) {
    const text = t("replay.value", { n: this.#version, last: this.#index.versions, text: this.#text });
    const height = (which === "match" ? 2 : LANES) * LANE;
    const step = (this.#width - THUMB) / Math.max(1, last - first);
    const x = (/** @type {number} */ at) => THUMB / 2 + Math.min(last - first, Math.max(0, at - first)) * step;
    return html`
      <div class="scrub">
        <svg class="scrub-marks" aria-hidden="true" viewBox=${`0 0 ${this.#width || 1} ${height}`} width=${this.#width} height=${height}
          @click=${(/** @type {MouseEvent} */ event) => this.#clicked(event, first, last)}>
          ${this.#width > 0 && [which === "match" ? this.#bands(x, height) : null, this.#marked(x, height), this.#marks(which, x)]}
        </svg>
        <input type="range" step="1" min=${first} max=${Math.max(first, last)} .value=${String(this.#version)}
          aria-label=${label} aria-valuetext=${text} @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(event)}
          @input=${(/** @type {Event} */ event) => this.tell("seek", Number(/** @type {HTMLInputElement} */ (event.target).value))}>
      </div>`;
  }

  /**
   * The hands of the match, as bands.
   * @param {Scale} x
   * @param {number} height
   */
  #bands(x, height) {
    return this.#index.hands.map((hand) => {
      const [first, last] = spanOf(this.#index, hand);
      const [left, right] = [x(first), Math.max(x(first) + 1, x(Math.min(this.#index.versions, last + 1)))];
      const name = right - left > 7 * String(hand.hand).length + 4;
      return svg`<rect class=${hand.hand % 2 ? "band odd" : "band"} x=${left} y="0" width=${right - left} height=${height}></rect>
        ${name && svg`<text class="band-name" x=${(left + right) / 2} y="11" text-anchor="middle">${hand.hand}</text>`}`;
    });
  }

  /**
   * What is marked for a dispute.
   * @param {Scale} x
   * @param {number} height
   */
  #marked(x, height) {
    if (!this.#range) return null;
    const [left, right] = [x(this.#range[0]) - 3, x(this.#range[1]) + 3];
    return svg`<rect class="scrub-range" x=${left} y="0" width=${right - left} height=${height}></rect>`;
  }

  /**
   * All marks of the hand, in lanes; of the whole match those that are few.
   * @param {"match" | "hand"} which
   * @param {Scale} x
   */
  #marks(which, x) {
    const whole = which === "match";
    const rare = this.#index.marks.filter(({ kind }) => kind === "score" || kind === "dispute");
    const marks = whole ? rare : marksIn(this.#index, handAt(this.#index, this.#version));
    const lane = (/** @type {ReplayMark} */ { kind }) => (whole ? 1.5 : (KINDS.get(kind) ?? LANES - 1) + 0.5);
    return marks.map((mark, place) => {
      const beside = [marks.slice(0, place).findLast((one) => lane(one) === lane(mark)), marks.slice(place + 1).find((one) => lane(one) === lane(mark))];
      const room = Math.min(...beside.map((one) => (one ? Math.abs(x(one.version) - x(mark.version)) : ROOM)));
      const scale = Math.min(1, Math.max(0.6, room / ROOM));
      const where = `translate(${x(mark.version).toFixed(1)} ${lane(mark) * LANE}) scale(${scale.toFixed(2)})`;
      const past = mark.version <= this.#version ? "past" : "";
      return svg`<path class=${`kind kind-${mark.kind} ${past}`} d=${shapeOf(mark.kind)} transform=${where} data-version=${mark.version}></path>`;
    });
  }

  /**
   * To the mark that was clicked, or to the place.
   * @param {MouseEvent} event
   * @param {number} first
   * @param {number} last
   */
  #clicked(event, first, last) {
    const mark = event.target instanceof Element ? event.target.getAttribute("data-version") : null;
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    const part = (event.clientX - box.left - THUMB / 2) / Math.max(1, box.width - THUMB);
    this.tell("seek", mark ? Number(mark) : Math.round(first + Math.min(1, Math.max(0, part)) * (last - first)));
  }

  /**
   * By hands: what a slider does with these keys by itself is a tenth of its length.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.key !== "PageUp" && event.key !== "PageDown") return;
    event.preventDefault();
    this.tell("hop", event.key === "PageUp" ? -1 : 1);
  }
}

define("kb-scrubber", Scrubber);
