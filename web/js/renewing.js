// A token ends; so that its player does not, it is exchanged for a new one when half of its life is over.

import { get, identity, newKey, post, remember } from "./api.js";
import { drop, keep, readObject } from "./storage.js";

/** @import { MyAccess, TokenMade } from "../types/kibitz.js" */

const KEY = "kibitz.me.renewing";
const GRACE = 3600;

/** Gets a new token if it is time. Until it is here, and for an hour after, the old one holds: pages that are open, and
 * answers that are lost, need it. */
export async function renew() {
  const who = identity();
  if (!who) return;
  try {
    const { made, expires } = who.made && who.expires ? who : remember({ ...who, ...(await times()) });
    if (Date.now() < ((made ?? 0) + (expires ?? 0)) / 2) return;
  } catch {
    return;
  }
  const kept = readObject(KEY);
  const key = kept?.of === who.player && typeof kept.key === "string" ? kept.key : newKey();
  keep(KEY, JSON.stringify({ of: who.player, key })); // pages that renew at once, and this one after a reload, ask by one key
  try {
    /** @type {TokenMade} */
    const told = await post("/v1/me/tokens", { old_seconds: GRACE }, { key });
    if (identity()?.token === who.token) remember({ ...who, token: told.token, expires: told.expires, made: Date.now() });
  } catch {
    return; // the next page tries again; if it is too late, its reader is told
  }
  drop(KEY);
}

/** From when to when the token holds, where that was not kept. */
async function times() {
  /** @type {MyAccess} */
  const { made, expires } = await get("/v1/me");
  return { made, expires };
}
