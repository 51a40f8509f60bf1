// Has a bundle checked by the verifier in a worker: the page stays quick meanwhile, and can give up.

import { scriptUrl } from "../template.js";

/** @import { Receipt } from "../receipts.js" */
/** @import { Draw } from "./record.js" */
/** @typedef {{ code: string, ok: boolean | null, text: string, version: number }} Check */
/** @typedef {"VALID" | "INCOMPLETE" | "DIVERGED" | "INVALID"} Verdict */
/**
 * @typedef {{
 *   verdict: Verdict, match: string, game: string, versions: number, head: string, checks: Check[],
 *   hands: { hand: number, own: number[], opened: boolean }[], draws: Draw[],
 * }} Checked what the verifier in `openapi/verifier` says
 */

/** Whether this page can hash: browsers give WebCrypto to secure contexts only. */
export const canCheck = () => isSecureContext && "subtle" in crypto;

/**
 * `heard` is told each check as it is made, and how many there are. Rejects when the worker does not start, and with
 * the reason of `signal` when that is aborted.
 * @param {string | Uint8Array} bundle the file, byte for byte
 * @param {Receipt[]} receipts
 * @param {{ heard: (check: Check, count: number) => void, signal: AbortSignal }} how
 * @returns {Promise<Checked>}
 */
export function checked(bundle, receipts, { heard, signal }) {
  const worker = new Worker(scriptUrl("/web/js/look/verifier.js"), { type: "module" });
  /** @type {Promise<Checked>} */
  const made = new Promise((told, failed) => {
    signal.addEventListener("abort", () => failed(signal.reason), { once: true });
    worker.onerror = ({ message }) => failed(new Error(message || "the worker does not start"));
    worker.onmessage = ({ data }) => {
      if (data.check) heard(data.check, data.count);
      else if (data.report) told(data.report);
      else failed(new Error(data.broken));
    };
    worker.postMessage({ bundle, receipts });
  });
  return made.finally(() => worker.terminate());
}
