// The marks of a replay: a shape for each kind, so that they can be told apart without colour.

import { html } from "../element.js";

/** The kinds in the order of the legend, each with its lane in a scrubber; the rarest are on top. */
export const KINDS = new Map([
  ["deal", 0], ["score", 0], ["dispute", 0], ["bid", 1], ["swap", 1], ["ass_round", 1],
  ["trick", 2], ["round", 2], ["capture", 2],
]); // prettier-ignore
export const LANES = 3;

/** Each in a square from -6 to 6 around its place. @type {{ [kind: string]: string }} */
const PATHS = {
  deal: "M-5-6H1V4H-5ZM2.500-4H5V6H-1V5H2.500Z", // two cards, one behind the other
  bid: "M-6-5H6V2.500H0L-3.500 6V2.500H-6Z", // something that is said
  trick: "M0-6 6 0 0 6-6 0Z", // a diamond
  round: "M0-5.500A5.500 5.500 0 1 1-.01-5.500Z", // a disc
  ass_round: "M-4 6-6-6-1-1H1L6-6 4 6Z", // two long ears
  capture: "M-6-5H6L0 6Z", // a triangle that points down, at who takes
  swap: "M-6-3H1V-6L6-1.500H-6ZM6 3H-1V6L-6 1.500H6Z", // there and back
  score: "M0-6 1.600-2 6-1.900 2.500.8 3.800 5.200 0 2.700-3.800 5.200-2.500.8-6-1.900-1.600-2Z", // a star
  dispute: "M-2-6H2L1.200 1.500H-1.200ZM-1.500 3H1.500V6H-1.500Z", // an exclamation mark
};
const OTHER = "M-1-6H1V6H-1Z"; // a newer service may have more kinds

/**
 * The path of a kind's shape, around (0, 0).
 * @param {string} kind
 */
export const shapeOf = (kind) => PATHS[kind] ?? OTHER;

/**
 * The shape as a picture: decoration, the word stands beside it.
 * @param {string} kind
 */
export function icon(kind) {
  return html`<svg class="mark-icon" viewBox="-7.5 -7.5 15 15" aria-hidden="true">
    <path class=${`kind kind-${kind}`} d=${shapeOf(kind)}></path>
  </svg>`;
}
