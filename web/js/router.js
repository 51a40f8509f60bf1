// Which page an address shows. Addresses are hashes (#/matches/ID), so that the service serves one file and every page
// is a link. A page is a module that exports `page(params)`; it is fetched when it is first gone to.

import { announce } from "./announce.js";
import { failure } from "./failure.js";
import { need } from "./i18n.js";

/** @typedef {{ [name: string]: string }} Params the named parts of the address, and its query */
/** @typedef {HTMLElement & { moved?: (params: Params) => void }} Page `moved`: another address of the same page */
/** @typedef {{ page: (params: Params) => Page }} Module */

/**
 * Each pattern with its module in pages/, and the areas of strings that it needs beside `core`.
 * @type {[string, string, string[]][]}
 */
const ROUTES = [
  ["", "lobby", []],
  ["new", "create", []],
  ["me", "me", ["access"]],
  ["matches/:match", "match", ["table"]],
  ["matches/:match/replay/:version", "replay", ["table", "look"]],
  ["matches/:match/replay", "replay", ["table", "look"]],
  ["matches/:match/sheet", "sheet", ["table", "look"]],
  ["matches/:match/audit", "audit", ["table", "look"]],
  ["matches/:match/disputes", "dispute", ["table", "look"]],
  ["matches/:match/disputes/:dispute", "dispute", ["table", "look"]],
  ["players/:player", "player", []],
  ["leaderboard", "leaderboard", []],
  ["rules/:game", "rules", []],
];

/** What a named part can be: an id or a number, which leads nowhere else when it is put into a path of the API. */
const NAME = /^[\w-]+$/;

/** @type {{ name: string, match: string | undefined, shown: Page } | null} */
let current = null;
let visit = 0;
let told = 0; // the visit whose page was called by its name

/**
 * Goes to an address.
 * @param {string} hash begins with `#/`
 * @param {{ replace?: boolean }} [how] replace: the way back skips the address that is left
 */
export function go(hash, { replace = false } = {}) {
  if (replace) {
    history.replaceState(null, "", hash);
    show();
  } else {
    location.hash = hash;
  }
}

/** Shows the page of the address, now and whenever it changes. */
export function start() {
  window.addEventListener("hashchange", show);
  return show();
}

/**
 * What the page is called: in the title of the window, and to who comes to it without looking.
 * @param {string} title
 */
export function named(title) {
  const whole = title ? `${title} · Kibitz` : "Kibitz";
  if (visit > 1 && title && told !== visit) announce(title);
  if (title) told = visit; // what else the title says later, whose turn it is, say, is announced by whoever changes it
  document.title = whole;
}

async function show() {
  const main = document.getElementById("main");
  if (!main) return;
  const turn = (visit += 1);
  const found = route();
  if (found && current?.shown.moved && found.name === current.name && found.params.match === current.match) {
    current.shown.moved(found.params);
    return;
  }
  main.setAttribute("aria-busy", "true");
  /** @type {Page} */
  let shown;
  try {
    await need("core", ...(found?.areas ?? []));
    shown = found ? (await fetched(found.name)).page(found.params) : failure(null, show);
  } catch (error) {
    shown = failure(error, show); // a page that could not be fetched can be fetched again
  }
  if (turn !== visit) return; // the reader has gone on meanwhile
  const first = current === null;
  current = { name: found?.name ?? "", match: found?.params.match, shown };
  named("");
  main.replaceChildren(shown);
  main.removeAttribute("aria-busy");
  document.dispatchEvent(new CustomEvent("kb-moved"));
  if (!first) {
    main.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }
}

/**
 * @param {string} name
 * @returns {Promise<Module>}
 */
function fetched(name) {
  return import(`./pages/${name}.js`);
}

function route() {
  const [path, query] = location.hash.replace(/^#?\/?/, "").split("?");
  const parts = path.split("/");
  for (const [pattern, name, areas] of ROUTES) {
    const names = pattern.split("/");
    if (names.length !== parts.length) continue;
    const fits = names.every((part, place) => (part.startsWith(":") ? NAME.test(decoded(parts[place])) : part === parts[place]));
    if (!fits) continue;
    const parameters = names.flatMap((part, place) => (part.startsWith(":") ? [[part.slice(1), decoded(parts[place])]] : []));
    return { name, areas, params: { ...Object.fromEntries(new URLSearchParams(query ?? "")), ...Object.fromEntries(parameters) } };
  }
  return null;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
