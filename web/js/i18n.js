// Texts in three languages, numbers and times as each of them writes them.
//
// Strings are in strings/AREA.LANGUAGE.js, each area a part of the client with an owner of its own. A text may have
// {values}; one that depends on a number is an object of the plural forms of its language, chosen by {count}.

/** @typedef {"en" | "hu" | "ru"} Language */
/** @typedef {string | { [form: string]: string }} Text */

/** @type {readonly Language[]} */
export const LANGUAGES = ["en", "hu", "ru"];
export const LANGUAGE_CHANGED = "kb-language";
const KEPT = "kibitz.language";

/** @type {Language} */
let current = preferred();
/** @type {Set<string>} */
const areas = new Set();
/** @type {Map<string, { [key: string]: Text }>} */
const loaded = new Map();
/** @type {{ [key: string]: Text }} */
let texts = {};

/** The language of the page. */
export function language() {
  return current;
}

/**
 * Sees to it that the texts of these areas are there; without it `t` does not know them.
 * @param {...string} wanted
 */
export async function need(...wanted) {
  for (const area of wanted) areas.add(area);
  await load(current);
  texts = gathered(current);
}

/**
 * The page speaks `wanted` from now on, and remembers it. Components hear of it by the event `kb-language`.
 * @param {Language} wanted
 */
export async function choose(wanted) {
  await load(wanted);
  current = wanted;
  texts = gathered(wanted);
  keep(wanted);
  document.documentElement.lang = wanted;
  document.dispatchEvent(new CustomEvent(LANGUAGE_CHANGED));
}

/**
 * The text of `key`; the key itself if there is none.
 * @param {string} key
 * @param {{ [name: string]: unknown }} [values] `count` chooses the plural form
 */
export function t(key, values = {}) {
  const text = texts[key];
  if (text === undefined) return key;
  const form = typeof text === "string" ? text : (text[new Intl.PluralRules(current).select(Number(values.count))] ?? text.other);
  return form.replaceAll(/\{(\w+)\}/g, (whole, name) => (name in values ? said(values[name]) : whole));
}

/**
 * Whether there is a text of `key`.
 * @param {string} key
 */
export function known(key) {
  return key in texts;
}

/** @param {unknown} value */
function said(value) {
  return typeof value === "number" ? number(value) : String(value);
}

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(current).format(value);
}

const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name that is written from right to left stands apart, so that it does not turn the numbers beside it around.
 * @param {string} name
 */
export function apart(name) {
  return LEFTWARDS.test(name) ? `\u2068${name}\u2069` : name;
}

/**
 * A date and a time of day.
 * @param {number} at milliseconds since 1970
 */
export function moment(at) {
  return new Intl.DateTimeFormat(current, { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/**
 * How long ago something was, in the largest unit that says something.
 * @param {number} at milliseconds since 1970
 * @param {number} [now]
 */
export function ago(at, now = Date.now()) {
  const seconds = Math.min(0, (at - now) / 1000);
  /** @type {[Intl.RelativeTimeFormatUnit, number][]} */
  const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
  const format = new Intl.RelativeTimeFormat(current, { numeric: "auto" });
  for (const [unit, size] of units) if (-seconds >= size) return format.format(Math.trunc(seconds / size), unit);
  return format.format(Math.trunc(seconds), "second");
}

/**
 * A length of time in words, in hours, minutes and seconds.
 * @param {number} seconds
 */
export function duration(seconds) {
  /** @type {[string, number][]} */
  const units = [["hour", Math.floor(seconds / 3600)], ["minute", Math.floor(seconds / 60) % 60], ["second", seconds % 60]];
  const shown = units.filter(([, count]) => count > 0);
  const parts = (shown.length ? shown : units.slice(2)).map(([unit, count]) =>
    new Intl.NumberFormat(current, { style: "unit", unit, unitDisplay: "short" }).format(count));
  return parts.join(" ");
}

/** @param {Language} wanted */
async function load(wanted) {
  const missing = [...areas].filter((area) => !loaded.has(`${area}.${wanted}`));
  await Promise.all(missing.map(async (area) => {
    loaded.set(`${area}.${wanted}`, (await import(`./strings/${area}.${wanted}.js`)).default);
  }));
}

/** @param {Language} wanted */
function gathered(wanted) {
  return Object.assign({}, ...[...areas].map((area) => loaded.get(`${area}.${wanted}`)));
}

/** @returns {Language} */
function preferred() {
  const wanted = [kept(), ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase());
  return LANGUAGES.find((one) => one === wanted.find((tag) => LANGUAGES.some((there) => there === tag))) ?? "en";
}

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

/** @param {Language} wanted */
function keep(wanted) {
  try {
    localStorage.setItem(KEPT, wanted);
  } catch {
    // a browser that keeps nothing asks again next time
  }
}
