// Signing in at the provider that the service names. This browser keeps a secret from when it begins until it is sent
// back with a code: only both together lead to a token, so that nobody signs anybody else in, or in as somebody else.

import { b64u, identity, newKey, post, random, remember } from "./api.js";
import { drop, keep, readObject } from "./storage.js";

/** @import { SignInBegun, SignedIn } from "../types/kibitz.js" */

const KEPT = "kibitz.sign-in";

/** What came of the sign-in that this page has come back from. @type {{ told?: SignedIn, error?: unknown } | null} */
let outcome = null;

/** The same, once. */
export function arrival() {
  const told = outcome;
  outcome = null;
  return told;
}

/** Goes to the provider; this page is left. A guest who has matches keeps them: the token goes along. */
export async function signIn() {
  const key = b64u(random(24));
  /** @type {SignInBegun} */
  const begun = await post("/v1/sign-in", {}, { key, anybody: true });
  keep(KEPT, JSON.stringify({ state: begun.state, secret: begun.secret, key: newKey() }));
  location.assign(begun.address);
}

/** Reads what the provider has written into the address, takes it out of there, and becomes who has signed in. */
export async function comeBack() {
  const told = Object.fromEntries(new URLSearchParams(location.search));
  history.replaceState(null, "", "/#/me");
  const kept = readObject(KEPT);
  if (told.error || !told.code || kept?.state !== told.state) {
    if (told.error && kept?.state === told.state) drop(KEPT);
    outcome = { error: null };
    return;
  }
  try {
    const { state, code, iss } = told;
    /** @type {SignedIn} */
    const who = await post("/v1/sign-in/finish", { state, code, secret: kept.secret, iss }, { key: kept.key, anybody: true });
    const { player, name, token, expires } = who;
    if (identity()?.token !== token) remember({ player, name, token, expires, made: Date.now() });
    outcome = { told: who };
  } catch (error) {
    outcome = { error };
  }
  drop(KEPT);
}
