// <kb-log>: who was shown which hidden cards, and when. Property: `.live`.

import { get } from "../api.js";
import { Component, define, html } from "../element.js";
import { complaint } from "../failure.js";
import { language, moment, t } from "../i18n.js";
import { toReplay } from "../links.js";
import { called, calledAll } from "./seats.js";

/** @import { Disclosed, LiveTable } from "../../types/kibitz.js" */

class Log extends Component {
  /** @type {LiveTable | null} */
  #live = null;
  /** @type {Disclosed[] | null} */
  #entries = null;
  /** @type {string | null} */
  #next = null;
  /** @type {unknown} */
  #trouble = null;

  set live(/** @type {LiveTable | null} */ live) {
    this.#live = live;
    this.update();
  }

  render() {
    const live = this.#live;
    if (!live) return null;
    const entries = this.#entries;
    return html`
      <div class="stack">
        <p class="help">${t("audit.log.who")}</p>
        ${this.#trouble && complaint(this.#trouble)}
        ${entries && !entries.length && html`<p class="soft">${t("audit.log.none")}</p>`}
        ${entries && entries.length > 0 && html`
          <div class="scroll" role="region" tabindex="0" aria-label=${t("audit.log")}><table class="figures">
            <thead><tr><th scope="col">${t("audit.log.when")}</th><th scope="col">${t("audit.log.what")}</th><th scope="col">${t("audit.log.events")}</th></tr></thead>
            <tbody>${entries.map((entry) => html`<tr>
              <td>${moment(entry.at)}</td><td>${said(live, entry)}</td>
              <td><a href=${toReplay(live.match, entry.first)}>${entry.first === entry.last ? entry.first : `${entry.first}–${entry.last}`}</a></td>
            </tr>`)}</tbody>
          </table></div>`}
        ${(!entries || this.#next) && html`<p><button type="button" class="quiet" @click=${() => this.#more()}>${t(entries ? "audit.log.more" : "audit.log.load")}</button></p>`}
      </div>`;
  }

  async #more() {
    this.#trouble = null;
    try {
      const path = `/v1/matches/${this.#live?.match}/audit/disclosures`;
      const page = await get(path, { query: { cursor: this.#next, limit: 100 }, signal: this.signal });
      this.#entries = [...(this.#entries ?? []), ...page.items];
      this.#next = page.next;
    } catch (error) {
      this.#trouble = error;
    }
    this.update();
  }
}

define("kb-log", Log);

/**
 * @param {LiveTable} live
 * @param {Disclosed} entry
 */
function said(live, entry) {
  if (entry.kind === "opened") return t("audit.log.opened");
  if (entry.kind === "dealt") return t("audit.log.dealt", { who: calledAll(live, entry.to, language()) });
  const who = entry.seat !== null ? called(live.seats[entry.seat], entry.seat) : (entry.role === "player" ? entry.player : entry.role) ?? t("audit.log.stranger");
  const through = entry.through ?? "";
  const eyes = /^\d+$/.test(through) ? called(live.seats[Number(through)], Number(through)) : t(`audit.log.eyes.${through}`);
  const taken = entry.operation === "readBundle" || entry.operation === "exportMatch";
  return t(taken ? "audit.log.taken" : "audit.log.shown", { who, eyes });
}
