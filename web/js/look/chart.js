// A line chart of totals by hand, in SVG. Lines differ by their dashes, by the shape of their points and by the name at
// their end, so colour is one hint among others.

import { html, svg } from "../element.js";

/** The shapes of points, around (0, 0). */
const POINTS = [
  "M0-4A4 4 0 1 1-.01-4Z", "M-3.600-3.600H3.600V3.600H-3.600Z", "M0-4.600 4.400 3.400H-4.400Z", "M0-5 5 0 0 5-5 0Z",
  "M0 4.600-4.400-3.400H4.400Z", "M-1.500-4.500H1.500V-1.500H4.500V1.500H1.500V4.500H-1.500V1.500H-4.500V-1.500H-1.500Z",
  "M-4-2-2-4 0-2 2-4 4-2 2 0 4 2 2 4 0 2-2 4-4 2-2 0Z", "M-5-2H5V2H-5Z", "M-2-5H2V5H-2Z",
  "M-4.500 0-2.200-4H2.200L4.500 0 2.200 4H-2.200Z", "M-4.400-4.400H4.400L0 0 4.400 4.400H-4.400L0 0Z",
  "M-4.400-4.400V4.400L0 0 4.400 4.400V-4.400L0 0Z", "M0-5 4.800-1.500 3 4.100H-3L-4.800-1.500Z",
]; // prettier-ignore
const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "14 4", "5 2 2 2 2 2", "4 6"];
const LABEL = 15; // the least distance between two names
const EDGE = { top: 14, bottom: 30 };

/** @typedef {{ label: string, title: string, totals: readonly number[] }} Column a hand or a ruling, with the totals after it */

/**
 * `columns` begin with the start, where everybody has nothing; `totals` have an entry for each of `names`.
 * @param {{ names: string[], columns: Column[], width: number, height: number, title: string }} what
 */
export function chart({ names, columns, width, height, title }) {
  const all = columns.flatMap(({ totals }) => totals);
  const ticks = ticksOf(Math.min(0, ...all), Math.max(1, ...all));
  const [low, high] = [ticks[0], ticks[ticks.length - 1]];
  const left = 14 + 8 * Math.max(...ticks.map((tick) => String(tick).length));
  const right = Math.min(width * 0.36, 40 + 8 * Math.max(...names.map((name) => name.length)));
  const end = columns.length - 1;
  const x = (/** @type {number} */ place) => left + (end > 0 ? place / end : 0) * (width - left - right);
  const y = (/** @type {number} */ total) => EDGE.top + ((high - total) / (high - low)) * (height - EDGE.top - EDGE.bottom);
  const every = Math.max(1, Math.ceil((columns.length * 24) / (width - left - right)));
  const ends = spread(columns[end].totals.map(y), EDGE.top, height - EDGE.bottom);
  return html`
    <svg class="chart" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="img" aria-label=${title}>
      ${ticks.map((tick) => svg`
        <line class=${tick === 0 ? "chart-zero" : "chart-grid"} x1=${left} x2=${x(end)} y1=${y(tick)} y2=${y(tick)}></line>
        <text class="chart-tick" x=${left - 8} y=${y(tick) + 4} text-anchor="end">${tick}</text>`)}
      ${columns.map(({ label }, place) => (place % every === 0 || place === end) && !(place !== end && end - place < every) && svg`
        <text class="chart-tick" x=${x(place)} y=${height - 9} text-anchor="middle">${label}</text>`)}
      ${names.map((name, seat) => {
        const at = columns.map(({ totals }, place) => `${x(place).toFixed(1)} ${y(totals[seat]).toFixed(1)}`);
        const point = POINTS[seat % POINTS.length];
        return svg`<g class=${`series series-${seat % POINTS.length}`}>
          <path class="series-line" d=${`M${at.join("L")}`} stroke-dasharray=${DASHES[seat % DASHES.length]}></path>
          ${at.map((place) => svg`<path class="series-point" d=${point} transform=${`translate(${place})`}></path>`)}
          <path class="series-lead" d=${`M${x(end) + 6} ${y(columns[end].totals[seat])}L${x(end) + 15} ${ends[seat]}`}></path>
          <path class="series-point" d=${point} transform=${`translate(${x(end) + 21} ${ends[seat]})`}></path>
          <text class="series-name" x=${x(end) + 30} y=${ends[seat] + 4}>${cut(name, (right - 32) / 7.5)}</text>
        </g>`;
      })}
    </svg>`;
}

/**
 * Round numbers from at most `low` to at least `high`, some four to eight of them.
 * @param {number} low
 * @param {number} high
 */
function ticksOf(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) ?? 1);
  const ticks = [Math.floor(low / step) * step];
  while (ticks[ticks.length - 1] < high) ticks.push(ticks[ticks.length - 1] + step);
  return ticks;
}

/**
 * The same heights, moved apart where two names would stand on one another, in their order and between the edges.
 * @param {number[]} heights
 * @param {number} top
 * @param {number} bottom
 */
function spread(heights, top, bottom) {
  const order = heights.map((height, seat) => ({ height, seat })).sort((a, b) => a.height - b.height || a.seat - b.seat);
  const apart = Math.min(LABEL, (bottom - top) / Math.max(1, heights.length - 1));
  /** @type {number[]} */
  const placed = [];
  let before = -Infinity;
  order.forEach(({ height, seat }, place) => {
    const room = bottom - apart * (order.length - 1 - place); // so that those below still fit
    before = placed[seat] = Math.min(room, Math.max(height, before + apart, top));
  });
  return placed;
}

/**
 * @param {string} name
 * @param {number} room in letters
 */
function cut(name, room) {
  const letters = [...name]; // an emoji is not cut in two
  const wide = (/** @type {string} */ letter) => (/[a-z0-9 .,'-]/.test(letter.normalize("NFD")) ? 1 : 1.5);
  let left = room;
  const fitting = letters.findIndex((letter) => (left -= wide(letter)) < 0);
  return fitting < 0 ? name : `${letters.slice(0, Math.max(1, fitting - 1)).join("")}…`;
}
