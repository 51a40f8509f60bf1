// Requests to Kibitz: the token of this browser's player, the language of its reader, keys that make a repeated request
// one request, and patience where the network or the service fails. What goes wrong is a Problem.

import { report } from "./connection.js";
import { language, t } from "./i18n.js";
import { keepAnswered } from "./receipts.js";
import { drop, keep, readObject } from "./storage.js";

/** @import { Me } from "../types/kibitz.js" */
/** @typedef {{ player: string, name: string, token: string, expires?: number, made?: number }} Identity who this browser
 *   is, by which token, from when to when (in its own time) */
/** @typedef {{ ok: boolean, status: number, title: string, headers: Headers, text: string }} Answer */

const TRIES = 5;
const PATIENCE = 60_000;
const IDENTITY = "kibitz.me";
const KEY = "kibitz.me.key";
const LOST = "kibitz.me.lost";
export const IDENTITY_CHANGED = "kb-identity";

/** What the service says no with (RFC 9457), or that it cannot be reached: then `status` is 0. */
export class Problem extends Error {
  /** @param {{ [key: string]: any }} told */
  constructor(told) {
    super(told.detail ?? told.title);
    this.type = String(told.type ?? "");
    this.title = String(told.title ?? "");
    this.status = Number(told.status ?? 0);
    this.detail = String(told.detail ?? "");
    /** @type {string | undefined} the rule book of `clause` */
    this.game = told.game;
    /** @type {string | undefined} */
    this.clause = told.clause;
    /** @type {string | undefined} */
    this.clause_text = told.clause_text;
    /** @type {number | undefined} */
    this.version = told.version;
    /** All that was told. */
    this.told = told;
  }

  /** The last part of the type: `refused`, `not-found`, ...; `offline` where nobody answered. */
  get slug() {
    return this.status === 0 ? "offline" : this.type.replace("/problems/", "");
  }
}

/**
 * @param {string} path
 * @param {{ query?: { [name: string]: string | number | null | undefined }, signal?: AbortSignal, accept?: string }} [how]
 * @returns {Promise<any>} JSON; text where `accept` is no JSON
 */
export function get(path, { query = {}, signal, accept } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const asked = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return ask("GET", asked ? `${path}?${asked}` : path, { signal, accept });
}

/**
 * Repeated with one key until it is answered: it happens once.
 * @param {string} path
 * @param {unknown} [body]
 * @param {{ key?: string, expected?: number, signal?: AbortSignal, anybody?: boolean }} [how] `key` makes it one with an
 *   earlier request; a match that is at another version than `expected` is left as it is; `anybody` may send it
 * @returns {Promise<any>}
 */
export async function post(path, body, { key = newKey(), expected, signal, anybody = false } = {}) {
  if (!anybody) await me();
  return ask("POST", path, { body, key, expected, signal });
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {{ signal?: AbortSignal }} [how]
 * @returns {Promise<any>}
 */
export async function patch(path, body, { signal } = {}) {
  await me();
  return ask("PATCH", path, { body, signal });
}

/**
 * @param {string} path
 * @param {{ signal?: AbortSignal }} [how]
 * @returns {Promise<any>}
 */
export function del(path, { signal } = {}) {
  return ask("DELETE", path, { signal });
}

/**
 * Who this browser is, if it is somebody yet.
 * @returns {Identity | null}
 */
export function identity() {
  const kept = readObject(IDENTITY);
  return typeof kept?.token === "string" && typeof kept.player === "string" ? kept : null;
}

/**
 * Who this browser was until its token was ended, or had run out; null if that is nobody, or is settled.
 * @returns {{ player: string, name: string } | null}
 */
export function lost() {
  const kept = readObject(LOST);
  return typeof kept?.player === "string" && typeof kept.name === "string" ? kept : null;
}

/** The reader has been told, and goes on as somebody else, or as nobody. */
export function letGo() {
  drop(LOST);
  document.dispatchEvent(new CustomEvent(IDENTITY_CHANGED));
}

/** @type {Promise<Identity> | null} */
let becoming = null;

/**
 * Who this browser is. A new guest is made when there is none yet, by a key that survives a reload: one guest only.
 * Whoever has lost a token does not become another player without knowing it: a Problem says so.
 * @returns {Promise<Identity>}
 */
export async function me() {
  const known = identity();
  if (known) return known;
  const gone = lost();
  if (gone) throw new Problem({ status: 401, type: "/problems/unauthenticated", title: t("lost.title"), detail: t("lost.about", gone) });
  becoming ??= become().finally(() => (becoming = null));
  return becoming;
}

/** @returns {Promise<Identity>} */
async function become() {
  // Two pages that begin at once, or one that is reloaded meanwhile, ask for the same guest by the same key.
  const kept = readObject(KEY);
  const whole = Array.isArray(kept) && kept.length === 2 && kept.every((part) => typeof part === "string");
  const [key, name] = whole ? kept : [newKey(), t("me.guest", { number: String(100 + random(1)[0]) })];
  keep(KEY, JSON.stringify([key, name]));
  try {
    const made = await ask("POST", "/v1/players", { body: { name }, key });
    return remember({ ...made, made: Date.now() });
  } catch (error) {
    if (error instanceof Problem && error.slug === "key-reused") drop(KEY);
    throw error;
  }
}

/**
 * Keeps who this browser is.
 * @param {Identity} who
 */
export function remember(who) {
  const before = identity();
  keep(IDENTITY, JSON.stringify(who));
  drop(KEY);
  drop(LOST);
  if (before?.token !== who.token || before.name !== who.name) document.dispatchEvent(new CustomEvent(IDENTITY_CHANGED));
  return who;
}

/** This browser is nobody any more: the player was erased or has signed out. */
export function forget() {
  drop(IDENTITY);
  drop(KEY);
  document.dispatchEvent(new CustomEvent(IDENTITY_CHANGED));
}

/** @param {Identity} who whose token the service does not know, or not any more */
function lose({ player, name }) {
  keep(LOST, JSON.stringify({ player, name }));
  forget();
}

/**
 * Another name for the same player.
 * @param {string} name
 */
export async function rename(name) {
  const known = await me();
  /** @type {Me} */
  const told = await patch("/v1/me", { name });
  remember({ ...known, name: told.name });
  return told;
}

/** Forgets the person, here and at the service, for good. */
export async function erase() {
  await del("/v1/me");
  forget();
}

// Another page of this browser has become somebody, or nobody.
window.addEventListener("storage", ({ key }) => {
  if (key === IDENTITY || key === LOST || key === null) document.dispatchEvent(new CustomEvent(IDENTITY_CHANGED));
});

/** A key that nobody guesses: 128 random bits, base64url. */
export function newKey() {
  return b64u(random(16));
}

/**
 * @param {number} size
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function random(size) {
  return crypto.getRandomValues(new Uint8Array(size));
}

/**
 * Bytes in base64url without padding, as the API writes them.
 * @param {Uint8Array} bytes
 */
export function b64u(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, key?: string, expected?: number, signal?: AbortSignal, accept?: string }} how
 */
async function ask(method, path, { body, key, expected, signal, accept = "application/json" }) {
  const repeatable = method === "GET" || method === "PATCH" || key !== undefined;
  const text = body === undefined ? undefined : JSON.stringify(body);
  for (let attempt = 1; ; attempt += 1) {
    const self = identity();
    const who = self?.token;
    const answer = await sent(method, path, text, { who, key, expected, signal, accept });
    if (answer === null || answer.status === 503) {
      const wait = Number(answer?.headers.get("Retry-After") ?? 0) * 1000 || 250 * 2 ** attempt;
      if (attempt < TRIES && (repeatable || answer !== null)) {
        await pause(wait, signal);
        continue;
      }
    }
    if (answer === null) throw new Problem({ status: 0, title: "offline" });
    if (answer.ok && answer.status === 204) return null;
    if (answer.ok && !accept.includes("json")) return answer.text;
    if (answer.ok) {
      const told = JSON.parse(answer.text);
      keepAnswered(told);
      return told;
    }
    const problem = problemIn(answer);
    if (problem.status !== 401 || !self) throw problem;
    if (identity()?.token === who) lose(self); // who reads is told; and what is public can be read without a token
    if (method !== "GET") throw problem;
  }
}

/** @param {Answer} answer that says no; whatever stands between here and the service may say it in its own way */
function problemIn({ status, title, text }) {
  try {
    return new Problem({ title, ...JSON.parse(text), status });
  } catch {
    return new Problem({ status, title });
  }
}

/**
 * One request; null if nobody answered, or not to the end.
 * @param {string} method
 * @param {string} path
 * @param {string | undefined} body
 * @param {{ who: string | undefined, key?: string, expected?: number, signal?: AbortSignal, accept: string }} how
 * @returns {Promise<Answer | null>}
 */
async function sent(method, path, body, { who, key, expected, signal, accept }) {
  const headers = new Headers({ Accept: accept, "Accept-Language": language() });
  if (who) headers.set("Authorization", `Bearer ${who}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (key !== undefined) headers.set("Idempotency-Key", key);
  if (expected !== undefined) headers.set("If-Match", String(expected));
  const limit = AbortSignal.timeout(PATIENCE);
  try {
    const answer = await fetch(path, { method, headers, body, signal: signal ? AbortSignal.any([signal, limit]) : limit });
    const { ok, status, statusText, headers: told } = answer;
    const text = await answer.text();
    report("requests", "live");
    return { ok, status, title: statusText || String(status), headers: told, text };
  } catch (error) {
    if (signal?.aborted) throw error;
    report("requests", "offline");
    return null;
  }
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 */
function pause(milliseconds, signal) {
  return new Promise((wake, cancel) => {
    signal?.throwIfAborted();
    const timer = setTimeout(wake, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), cancel(signal.reason)), { once: true });
  });
}
