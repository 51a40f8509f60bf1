// The figures on cards: pips, court cards, jester, donkey and back, drawn by hand.
//
// A card is 200 units wide and 280 high. Colours are CSS classes (table.css has them), so that light, dark and forced
// colours are decided in one place. What suit a card has is said by its shape, never by its colour alone.

import { svg } from "../element.js";

/** Each suit around 0 0, about 40 units high. */
const SUITS = {
  S: "M0-21C6-11 20-3 20 7.5C20 14.5 14.5 17.5 10 17.5C6.5 17.5 3.5 16 1.8 13C2.2 16.5 4 19.5 7 21H-7C-4 19.5-2.2 16.5-1.8 13C-3.5 16-6.5 17.5-10 17.5C-14.5 17.5-20 14.5-20 7.5C-20-3-6-11 0-21Z",
  H: "M0 20C-5 11-20 2-20-8.5C-20-16-14.5-19-9.8-19C-5.2-19-1.6-16 0-11.5C1.6-16 5.2-19 9.8-19C14.5-19 20-16 20-8.5C20 2 5 11 0 20Z",
  D: "M0-22Q6.5-9.5 16.5 0Q6.5 9.5 0 22Q-6.5 9.5-16.5 0Q-6.5-9.5 0-22Z",
  C: "M-9.4-11a9.4 9.4 0 1 1 18.8 0a9.4 9.4 0 1 1-18.8 0ZM-20 4.5a9.4 9.4 0 1 1 18.8 0a9.4 9.4 0 1 1-18.8 0ZM1.2 4.5a9.4 9.4 0 1 1 18.8 0a9.4 9.4 0 1 1-18.8 0ZM-4-4H4L2 8Q2.5 17.5 7 21H-7Q-2.5 17.5-2 8Z",
};

const STAR = "M0-20L5.9-8.1L19-6.2L9.5 3.1L11.8 16.2L0 10L-11.8 16.2L-9.5 3.1L-19-6.2L-5.9-8.1Z";

const LEFT = 71;
const MIDDLE = 100;
const RIGHT = 129;
const TOP = 58;
const HEIGHT = 164;

/** Where the pips of a rank lie: column, and how far down from 0 to 1. */
/** @type {Record<string, [number, number][]>} */
const PLACES = (() => {
  /** @type {(...rows: number[]) => [number, number][]} */
  const pairs = (...rows) => rows.flatMap((row) => /** @type {[number, number][]} */ ([[LEFT, row], [RIGHT, row]]));
  /** @type {(...rows: number[]) => [number, number][]} */
  const middle = (...rows) => rows.map((row) => [MIDDLE, row]);
  return {
    2: middle(0, 1),
    3: middle(0, 0.5, 1),
    4: pairs(0, 1),
    5: [...pairs(0, 1), ...middle(0.5)],
    6: pairs(0, 0.5, 1),
    7: [...pairs(0, 0.5, 1), ...middle(0.25)],
    8: [...pairs(0, 0.5, 1), ...middle(0.25, 0.75)],
    9: [...pairs(0, 1 / 3, 2 / 3, 1), ...middle(0.5)],
    10: [...pairs(0, 1 / 3, 2 / 3, 1), ...middle(1 / 6, 5 / 6)],
  };
})();

/**
 * One pip around x, y; `scale` 1 is about 40 units high.
 * @param {string} suit
 * @param {number} x
 * @param {number} y
 * @param {number} scale
 * @param {boolean} [turned]
 */
export function pip(suit, x, y, scale, turned = false) {
  const path = SUITS[/** @type {keyof typeof SUITS} */ (suit)] ?? STAR;
  return svg`<path class="pip" d=${path} transform=${`translate(${round(x)} ${round(y)}) scale(${turned ? -scale : scale})`}></path>`;
}

/**
 * The middle of a card from 2 to 10, or of an ace.
 * @param {string} rank
 * @param {string} suit
 */
export function pips(rank, suit) {
  if (rank === "A") return pip(suit, MIDDLE, 140, suit === "S" ? 2.7 : 2.2);
  return PLACES[rank].map(([x, down]) => pip(suit, x, TOP + down * HEIGHT, 0.76, down > 0.5));
}

const eyes = () => svg`<path class="line" d="M44 38q3-3 6 0M58 38q3-3 6 0"></path><circle class="dot" cx="47" cy="42.5" r="2.1"></circle><circle class="dot" cx="61" cy="42.5" r="2.1"></circle><path class="line" d="M54 44l-2.5 7.5h4"></path>`;

/** Half a court card, 108 wide and 106 high, head up; the card shows it twice. */
const COURTS = {
  K: () => svg`<path class="hair" d="M33 34C29 58 36 70 41 72H67C72 70 79 58 75 34Z"></path>
    <path class="robe" d="M2 106C6 80 30 71 54 71C78 71 102 80 106 106Z"></path>
    <path class="fur" d="M33 106L44 72H64L75 106Z"></path><path class="gold" d="M50 84h8v22h-8Z"></path>
    <path class="dot" d="M42 88l2 4h-4zM66 88l2 4h-4zM40 99l2 4h-4zM68 99l2 4h-4z"></path>
    <ellipse class="skin" cx="54" cy="45" rx="17" ry="19"></ellipse>${eyes()}
    <path class="hair" d="M36 46C37 70 46 82 54 82C62 82 71 70 72 46C69 55 62 56 54 54C46 56 39 55 36 46Z"></path>
    <path class="lips" d="M49 59q5 3 10 0q-5-3.5-10 0Z"></path>
    <path class="gold" d="M33 31L29 7L42 18L54 3L66 18L79 7L75 31Z"></path><path class="robe" d="M33 26h42v6H33Z"></path>
    <circle class="gold" cx="29" cy="7" r="3"></circle><circle class="gold" cx="54" cy="4" r="3"></circle><circle class="gold" cx="79" cy="7" r="3"></circle>
    <path class="gold" d="M93 40h4v66h-4Z"></path><path class="gold" d="M95 26l7 8l-7 8l-7-8Z"></path>`,
  Q: () => svg`<path class="hair" d="M35 30C22 56 26 88 36 96H72C82 88 86 56 73 30C68 18 40 18 35 30Z"></path>
    <path class="robe" d="M2 106C8 86 34 80 46 74H62C74 80 100 86 106 106Z"></path>
    <path class="skin" d="M48 58H60V73L69 78Q54 98 39 78L48 73Z"></path><path class="chain" d="M40 79Q54 97 68 79"></path><circle class="gold" cx="54" cy="90" r="3.5"></circle>
    <ellipse class="skin" cx="54" cy="45" rx="15.5" ry="18.5"></ellipse>${eyes()}
    <path class="lips" d="M49.5 56q4.5 4.5 9 0q-4.5-2.5-9 0Z"></path>
    <path class="hair" d="M37 45C35 26 47 23 54 26C61 23 73 26 71 45C68 36 62 33 54 34C46 33 40 36 37 45Z"></path>
    <path class="gold" d="M37 26L33 8L45 16L54 4L63 16L75 8L71 26Q54 20 37 26Z"></path>
    <circle class="fur" cx="33" cy="8" r="3"></circle><circle class="fur" cx="54" cy="4.5" r="3"></circle><circle class="fur" cx="75" cy="8" r="3"></circle>
    <path class="stem" d="M91 106Q96 84 92 66"></path><g class="petals"><circle cx="92" cy="52" r="5"></circle><circle cx="99" cy="57" r="5"></circle><circle cx="97" cy="65" r="5"></circle><circle cx="87" cy="65" r="5"></circle><circle cx="85" cy="57" r="5"></circle></g><circle class="gold" cx="92" cy="59.5" r="4"></circle>`,
  J: () => svg`<path class="hair" d="M36 34C29 58 33 68 40 70H68C75 68 79 58 72 34Z"></path>
    <path class="robe" d="M6 106C10 84 34 77 54 77C74 77 98 84 102 106Z"></path>
    <path class="gold" d="M20 106C21 96 25 88 30 84L36 81C33 90 32 98 32 106ZM88 106C87 96 83 88 78 84L72 81C75 90 76 98 76 106Z"></path>
    <path class="skin" d="M48 58h12v16H48Z"></path><path class="fur" d="M38 76L48 68L54 78L60 68L70 76L54 92Z"></path>
    <circle class="gold" cx="54" cy="96" r="2.5"></circle><circle class="gold" cx="54" cy="103" r="2.5"></circle>
    <ellipse class="skin" cx="54" cy="45" rx="15.5" ry="18.5"></ellipse>${eyes()}
    <path class="lips" d="M49 57q5 3.5 10 0q-5-1.5-10 0Z"></path>
    <path class="hair" d="M38 44C37 34 40 30 44 29H64C68 30 71 34 70 44C67 38 63 36 54 36C45 36 41 38 38 44Z"></path>
    <path class="robe" d="M28 30C24 12 46 7 62 10C80 13 83 26 78 33C66 26 44 25 28 30Z"></path>
    <path class="gold" d="M30 30C45 25 64 26 77 33L76 38C63 31 45 30 32 35Z"></path>
    <path class="fur" d="M70 20C80 2 98 0 103 9C95 8 88 16 74 26Z"></path><path class="line" d="M73 24Q86 10 99 8"></path>`,
};

/**
 * The middle of a jack, queen or king.
 * @param {string} rank
 * @param {string} suit
 */
export function court(rank, suit) {
  const half = COURTS[/** @type {keyof typeof COURTS} */ (rank)];
  const bust = () => svg`<svg x="46" y="34" width="108" height="106" viewBox="0 0 108 106">${half()}</svg>${pip(suit, 61, 52, 0.55)}`;
  return svg`<rect class="panel" x="46" y="34" width="108" height="212" rx="4"></rect>${bust()}<g transform="rotate(180 100 140)">${bust()}</g>
    <path class="gold" d="M46 136.5h108v7H46Z"></path><rect class="edge" x="46" y="34" width="108" height="212" rx="4"></rect>`;
}

/** A donkey's head around 0 0, about 110 wide and 170 high. */
export const donkey = () => svg`<g class="donkey"><path class="coat" d="M-20-36C-46-56-58-96-44-114C-26-106-10-72-6-42Z"></path><path class="coat" d="M20-36C46-56 58-96 44-114C26-106 10-72 6-42Z"></path>
  <path class="ear" d="M-20-46C-38-64-47-92-42-103C-30-94-17-70-12-48Z"></path><path class="ear" d="M20-46C38-64 47-92 42-103C30-94 17-70 12-48Z"></path>
  <path class="coat" d="M-31-34C-38-8-27 22-24 42C-20 66 20 66 24 42C27 22 38-8 31-34C25-56-25-56-31-34Z"></path>
  <ellipse class="muzzle" cx="0" cy="42" rx="28" ry="23"></ellipse><ellipse class="dot" cx="-10" cy="37" rx="3.6" ry="5"></ellipse><ellipse class="dot" cx="10" cy="37" rx="3.6" ry="5"></ellipse>
  <path class="line" d="M-13 53Q0 61 13 53"></path><ellipse class="white" cx="-17" cy="-12" rx="8" ry="9"></ellipse><ellipse class="white" cx="17" cy="-12" rx="8" ry="9"></ellipse>
  <circle class="dot" cx="-15" cy="-9" r="4"></circle><circle class="dot" cx="15" cy="-9" r="4"></circle><path class="lid" d="M-26-13Q-17-27-8-13ZM8-13Q17-27 26-13Z"></path>
  <path class="mane" d="M-13-48C-14-68-3-76-1-58C4-78 15-68 13-48C9-38 5-30 0-22C-5-30-9-38-13-48Z"></path></g>`;

/** A jester's head around 0 0, about 150 wide and 130 high. */
export const jester = () => svg`<g class="jester"><path class="robe" d="M-4-20C-18-60-56-58-68-24C-52-34-38-20-34 2Z"></path><path class="gold" d="M4-20C18-60 56-58 68-24C52-34 38-20 34 2Z"></path>
  <path class="robe" d="M-32 4C-28-30-16-60 0-72C16-60 28-30 32 4Z"></path><path class="gold" d="M0-72C16-60 28-30 32 4H0Z"></path>
  <circle class="gold" cx="-68" cy="-20" r="8"></circle><circle class="robe" cx="68" cy="-20" r="8"></circle><circle class="gold" cx="0" cy="-74" r="8"></circle>
  <ellipse class="skin" cx="0" cy="20" rx="29" ry="31"></ellipse><path class="fur" d="M-34 4Q0-10 34 4L32 12Q0-2-32 12Z"></path>
  <circle class="dot" cx="-11" cy="17" r="3.5"></circle><circle class="dot" cx="11" cy="17" r="3.5"></circle><path class="line" d="M-17 9q6-5 12 0M5 9q6-5 12 0"></path>
  <path class="line" d="M0 18l-4 10h6"></path><path class="lips" d="M-15 33Q0 48 15 33Q0 38-15 33Z"></path>
  <path class="robe" d="M-44 62L-22 46L0 60L22 46L44 62L22 58L0 76L-22 58Z"></path></g>`;

/** The middle of a joker. */
export function joker() {
  return svg`<g transform="translate(100 140) scale(0.92)">${jester()}</g>`;
}

/** The middle of the ass. */
export function ass() {
  return svg`<g transform="translate(100 164) scale(1.15)">${donkey()}</g>`;
}

/**
 * The middle of a number card: the number in a ring of as many beads.
 * @param {number} number
 */
export function numeral(number) {
  const beads = Array.from({ length: number }, (_, bead) => {
    const turn = (bead / number) * 2 * Math.PI;
    return svg`<circle cx=${round(100 + 62 * Math.sin(turn))} cy=${round(140 - 84 * Math.cos(turn))} r="6.5"></circle>`;
  });
  const bar = number === 6 || number === 9 ? svg`<path d="M76 186h48v7H76Z"></path>` : null;
  return svg`<ellipse class="ring" cx="100" cy="140" rx="62" ry="84"></ellipse><g class="pip">${beads}${bar}</g>
    <text class="numeral" x="100" y="174" text-anchor="middle" font-size="96">${number}</text>`;
}

const LATTICE = (() => {
  const lines = [];
  for (let at = -252; at <= 176; at += 22) lines.push(`M${at} 0l252 252M${at + 252} 0l-252 252`);
  return lines.join("");
})();

/** A card from behind, the same for every pack. */
export function back() {
  return svg`<rect class="back" x="12" y="12" width="176" height="256" rx="12"></rect>
    <svg x="20" y="20" width="160" height="240" viewBox="8 6 160 240"><path class="lattice" d=${LATTICE}></path></svg>
    <rect class="back-edge" x="20" y="20" width="160" height="240" rx="8"></rect>
    <ellipse class="medal" cx="100" cy="140" rx="44" ry="56"></ellipse><g transform="translate(100 152) scale(0.48)">${donkey()}</g>`;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}
