// The checks of an audit in words: what this browser found and what the server says of itself, side by side.

import { html } from "../element.js";
import { known, t } from "../i18n.js";
import { toReplay } from "../links.js";

/** @import { Report } from "../../types/kibitz.js" */
/** @import { Check, Checked, Verdict } from "./checking.js" */

/** In the order of the server; the browser makes those that need no rule book. */
export const CODES = [
  "bundle", "bytes", "chain", "seeds", "deals", "openings", "complete", "moves", "scores", "audiences", "receipts",
]; // prettier-ignore
export const BY_RULES = ["moves", "scores", "audiences"];

/** @type {{ [state: string]: string }} */
const SIGNS = {
  ok: "M-5 .500-1.500 4 5.500-4", // a tick
  failed: "M-4.500-4.500 4.500 4.500M4.500-4.500-4.500 4.500", // a cross
  unmade: "M-5 0H5", // a dash
};

/** @param {boolean | null} ok */
const stateOf = (ok) => (ok === null ? "unmade" : ok ? "ok" : "failed");

/** @param {"ok" | "failed" | "unmade"} state */
export function sign(state) {
  return html`<svg class=${`sign sign-${state}`} viewBox="-10 -10 20 20" aria-hidden="true">
    <circle r="9"></circle><path d=${SIGNS[state]}></path>
  </svg>`;
}

/** @param {Verdict} verdict */
export const signOf = (verdict) => sign(verdict === "VALID" ? "ok" : verdict === "INCOMPLETE" ? "unmade" : "failed");

/**
 * @param {Checked | null} found by this browser; null while nothing is known
 * @param {Check[]} heard the checks made so far
 * @param {Report | "file" | null} server what the server says; it is not asked about a file
 * @param {string} match to whose replay a finding leads; "" if it is not here
 */
export function checksTable(found, heard, server, match) {
  const made = found?.checks ?? heard;
  return html`
    <table class="figures checks">
      <thead><tr><th scope="col">${t("audit.check")}</th><th scope="col">${t("audit.browser")}</th><th scope="col">${t("audit.server")}</th></tr></thead>
      <tbody>
        ${CODES.map((code) => {
          const mine = made.find((check) => check.code === code);
          const theirs = server === "file" ? undefined : server?.checks.find((check) => check.code === code);
          const receipts = code === "receipts"; // are the reader's: the server has none to make this check with
          return html`<tr data-key=${code}>
            <th scope="row">${t(`audit.name.${code}`)}</th>
            <td data-label=${t("audit.browser")}>${BY_RULES.includes(code) ? html`<span class="soft">${t("audit.by.rules")}</span>` : finding(mine, match)}</td>
            <td data-label=${t("audit.server")}>${receipts || server === "file" ? html`<span class="soft">${t(receipts ? "audit.by.receipts" : "audit.by.file")}</span>` : finding(theirs, match)}</td>
          </tr>`;
        })}
      </tbody>
    </table>`;
}

/**
 * One check: a sign, a word, a plain sentence; of one that failed also where, and what the verifier itself says.
 * @param {Check | undefined} check
 * @param {string} match
 */
export function finding(check, match) {
  if (!check) return html`<span class="soft">…</span>`;
  const { code, ok, text, version } = check;
  const state = stateOf(ok);
  const sentence = ok === true ? `audit.holds.${code}` : ok === false ? `audit.fails.${code}` : known(`audit.unmade.${code}`) ? `audit.unmade.${code}` : "audit.unmade.other";
  const at = t("audit.at", { n: version });
  return html`
    <div class="finding ${state}">
      ${sign(state)}
      <div><strong>${t(`audit.${state}`)}</strong> <span>${t(sentence)}</span>
        ${version > 0 && html`<span>${match ? html`<a href=${toReplay(match, version)}>${at}</a>` : at}</span>`}
        ${ok !== true && html`<details><summary>${t("audit.said")}</summary><q lang="en">${text}</q></details>`}
      </div>
    </div>`;
}
