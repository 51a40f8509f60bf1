// The audit of a match: the record is checked here, by this browser, and the server's own audit stands beside it.

import { get } from "../api.js";
import { Component, define, html } from "../element.js";
import { complaint, failure } from "../failure.js";
import { games, title } from "../games.js";
import { t } from "../i18n.js";
import { canCheck, checked } from "../look/checking.js";
import { CODES, BY_RULES, checksTable, sign, signOf } from "../look/checks.js";
import "../look/hand.js";
import { heading } from "../look/heading.js";
import "../look/log.js";
import { bundleIn } from "../look/record.js";
import { saveAs } from "../look/save.js";
import { called, isOver } from "../look/seats.js";
import { receiptsOf } from "../receipts.js";
import { named } from "../router.js";
import { style } from "../style.js";

/** @import { LiveTable, Report } from "../../types/kibitz.js" */
/** @import { Check, Checked } from "../look/checking.js" */
/** @import { Bundle } from "../look/record.js" */
/** @import { Receipt } from "../receipts.js" */
/** @import { Params } from "../router.js" */

await style("look");

/** @param {Params} params */
export function page(params) {
  const shown = /** @type {Audit} */ (document.createElement("kb-audit"));
  shown.params = params;
  return shown;
}

class Audit extends Component {
  /** @type {Params} */
  params = {};
  /** @type {unknown} */
  #error = null;
  /** @type {LiveTable | null} */
  #live = null;
  /** The record as the server gives it. */
  #record = "";
  /** @type {Report | null} */
  #server = null;
  /** The file that is checked instead of the server's record. @type {{ name: string, bytes: Uint8Array } | null} */
  #file = null;
  /** @type {Bundle | null} */
  #bundle = null;
  /** @type {Check[]} */
  #heard = [];
  /** @type {Checked | null} */
  #found = null;
  /** @type {unknown} */
  #trouble = null;
  /** What the server's record is held against. @type {Receipt[]} */
  #told = [];
  /** What is held against what is checked now. @type {Receipt[]} */
  #receipts = [];
  #over = false; // a file is held over the page
  #checking = new AbortController();

  connected() {
    this.listen(this, "dragover", (event) => this.#drag(event, true));
    this.listen(this, "dragleave", (event) => this.#drag(event, false));
    this.listen(this, "drop", (event) => this.#drop(event));
    this.signal.addEventListener("abort", () => this.#checking.abort());
    this.#load();
  }

  spoken() {
    this.#load();
  }

  async #load() {
    const path = `/v1/matches/${this.params.match}`;
    const { signal } = this;
    try {
      // What was told before this page asks, and before the record: it may be older than what is told from now on.
      const told = this.#live ? this.#told : receiptsOf(this.params.match);
      /** @type {[LiveTable, unknown]} */
      const [live] = await Promise.all([get(path, { signal }), games()]);
      this.#live = live;
      named(`${title(live.game)}: ${t("audit.title")}`);
      this.update();
      // To whoever watches with a delay the record ends with a whole command, a little before what was heard.
      const late = live.spectators.startsWith("delayed:") && live.you === null && !isOver(live);
      this.#told = late ? [] : told;
      // As text: the verifier says whether the file is plain JSON.
      this.#record ||= await get(`${path}/audit/bundle`, { signal, accept: "application/octet-stream, */*" });
      get(`${path}/audit`, { signal }).then(
        (report) => {
          this.#server = report;
          this.update();
        },
        (error) => this.#hear(error),
      );
      if (!this.#found) await this.#check(this.#record);
    } catch (error) {
      this.#hear(error);
    }
  }

  /** @param {unknown} error */
  #hear(error) {
    if (this.signal.aborted) return;
    if (this.#live) this.#trouble = error;
    else this.#error = error;
    this.update();
  }

  /** @param {string | Uint8Array} given a bundle */
  async #check(given) {
    this.#checking.abort();
    this.#checking = new AbortController();
    const { signal } = this.#checking;
    this.#bundle = bundleIn(typeof given === "string" ? given : new TextDecoder().decode(given));
    this.#receipts = this.#file ? receiptsOf(this.#bundle?.match ?? "") : this.#told;
    [this.#heard, this.#found, this.#trouble] = [[], null, null];
    this.update();
    if (!canCheck()) return;
    try {
      const heard = (/** @type {Check} */ check) => {
        this.#heard = [...this.#heard, check];
        this.update();
      };
      const found = await checked(given, this.#receipts, { heard, signal });
      if (signal === this.#checking.signal) this.#found = found;
    } catch (error) {
      if (!signal.aborted) this.#trouble = error;
    }
    this.update();
  }

  // --- the page ---

  render() {
    if (this.#error) return html`${failure(this.#error, () => location.reload())}`;
    if (!this.#live) return html`<p class="soft" role="status">${t("look.wait")}</p>`;
    const live = this.#live;
    const here = this.#bundle?.match === live.match;
    return html`
      <div class=${this.#over ? "page audit over" : "page audit"}>
        ${heading(live, "audit")}
        <p class="lead">${t("audit.lead")}</p>
        ${this.#trouble && complaint(this.#trouble)}
        ${this.#verdict(here)}
        <section class="panel stack"><h2>${t("audit.checks")}</h2>
          ${checksTable(this.#found, this.#heard, this.#file ? "file" : this.#server, here ? live.match : "")}
        </section>
        <div class="audit-two">
          ${this.#receipted()}
          ${this.#seeds(live, here)}
        </div>
        <section class="panel stack"><h2>${t("audit.hand")}</h2>
          <kb-hand-record .bundle=${this.#bundle} .draws=${this.#found?.draws ?? []} .live=${here ? live : null}></kb-hand-record>
        </section>
        <section class="panel stack"><h2>${t("audit.log")}</h2><kb-log .live=${live}></kb-log></section>
        <div class="audit-two">
          ${this.#files()}
          <section class="panel stack"><h2>${t("audit.limits")}</h2>
            <ul>${["look", "custody", "person"].map((limit) => html`<li>${t(`audit.limits.${limit}`)}</li>`)}</ul>
          </section>
        </div>
      </div>`;
  }

  /** @param {boolean} here whether what is checked is of this match */
  #verdict(here) {
    const of = this.#file ? t("audit.file.checked", { name: this.#file.name }) : t("audit.server.checked");
    if (!canCheck()) return html`<section class="panel verdict"><p>${t("audit.insecure")}</p></section>`;
    const found = this.#found;
    if (!found) {
      const all = CODES.filter((code) => !BY_RULES.includes(code));
      const next = all.find((code) => !this.#heard.some((check) => check.code === code));
      const at = t("audit.progress", { n: this.#heard.length + 1, of: all.length, what: t(`audit.name.${next ?? "receipts"}`) });
      return html`
        <section class="panel verdict" role="status">
          <p>${this.#record || this.#file ? at : t("audit.fetching")}</p>
          <progress max=${all.length} value=${this.#heard.length} aria-label=${t("audit.title")}></progress>
        </section>`;
    }
    const { verdict, versions, head } = found;
    const says = t("audit.of", { events: t("audit.events", { count: versions }), head: head.slice(0, 12) });
    const theirs = this.#server?.verdict;
    return html`
      <section class=${`panel verdict verdict-${verdict}`} role="status">
        ${signOf(verdict)}
        <div class="stack">
          <h2>${t(`audit.verdict.${verdict}`)}</h2>
          <p>${t(`audit.verdict.${verdict}.says`)} ${this.#live && here && !isOver(this.#live) && t("audit.running")}</p>
          <p class="soft small">${of} · ${says}…</p>
          ${!here && html`<p>${t("audit.file.other", { match: found.match || "?" })}</p>`}
          ${here && !this.#file && theirs && html`<p>${theirs === verdict ? t("audit.server.agrees") : t("audit.server.differs", { verdict: t(`audit.verdict.${theirs}`) })}</p>`}
          ${this.#file && html`<p><button type="button" class="quiet" @click=${() => this.#back()}>${t("audit.file.back")}</button></p>`}
        </div>
      </section>`;
  }

  #receipted() {
    const receipts = this.#receipts;
    const last = receipts.at(-1)?.version ?? 0;
    const found = this.#found?.checks.find(({ code }) => code === "receipts");
    const state = found?.ok === true ? "ok" : found?.ok === false ? "failed" : "unmade";
    const match = this.#bundle?.match ?? this.params.match;
    const save = () => saveAs(`kibitz-receipts-${match}.json`, JSON.stringify(receipts), "application/json");
    return html`
      <section class="panel stack"><h2>${t("audit.receipts")}</h2>
        <p>${t("audit.receipts.about")}</p>
        <p class="finding">${sign(state)} <span>${receipts.length ? t("audit.receipts.count", { count: receipts.length, last }) : t("audit.receipts.none")}
          ${found && found.ok !== null && html`<strong>${t(found.ok ? "audit.receipts.fit" : "audit.receipts.differ")}</strong>`}</span></p>
        ${receipts.length > 0 && html`<p><button type="button" class="quiet" @click=${save}>${t("audit.receipts.save")}</button></p>`}
      </section>`;
  }

  /**
   * Which seats had a share in each deal.
   * @param {LiveTable} live
   * @param {boolean} here
   */
  #seeds(live, here) {
    const hands = this.#found?.hands ?? [];
    const seats = here ? live.seats : [...Array(this.#bundle?.seats ?? 0).keys()].map((seat) => ({ ...live.seats[0], seat, name: "" }));
    return html`
      <section class="panel stack"><h2>${t("audit.seeds")}</h2>
        <p>${t("audit.seeds.about")}</p>
        ${!hands.length && html`<p class="soft">${t("audit.seeds.none")}</p>`}
        ${hands.length > 0 && html`
          <div class="scroll" role="region" tabindex="0" aria-label=${t("audit.seeds")}><table class="figures seeds">
            <thead><tr><th scope="col">${t("sheet.hand")}</th>${seats.map((seat) => html`<th scope="col">${called(seat)}</th>`)}</tr></thead>
            <tbody>${hands.map(({ hand, own }) => html`<tr><th scope="row">${hand}</th>
              ${seats.map(({ seat }) => html`<td>${own.includes(seat) ? html`<strong>✓ ${t("audit.seeds.own")}</strong>` : html`<span class="soft">${t("audit.seeds.server")}</span>`}</td>`)}
            </tr>`)}</tbody>
          </table></div>`}
      </section>`;
  }

  #files() {
    const name = `kibitz-${this.params.match}.json`;
    return html`
      <section class="panel stack"><h2>${t("audit.file")}</h2>
        <p>${t("audit.file.about")} <code>kibitz verify ${name}</code></p>
        <p><button type="button" class="quiet" disabled=${!this.#record} @click=${() => saveAs(name, this.#record, "application/json")}>${t("audit.file.save")}</button></p>
        <label class="drop"><span>${t("audit.file.drop")}</span>
          <input type="file" accept=".json,application/json" @change=${(/** @type {Event} */ event) => this.#read(/** @type {HTMLInputElement} */ (event.target).files?.[0])}>
        </label>
      </section>`;
  }

  // --- a file instead ---

  /** @param {File | undefined} file */
  async #read(file) {
    if (!file) return;
    try {
      this.#file = { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    } catch {
      this.#trouble = new Error(t("audit.file.unread"));
      return this.update();
    }
    await this.#check(this.#file.bytes);
    this.querySelector(".verdict")?.scrollIntoView({ block: "center" });
  }

  #back() {
    this.#file = null;
    this.#check(this.#record);
  }

  /**
   * @param {DragEvent} event
   * @param {boolean} over
   */
  #drag(event, over) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (over === this.#over) return;
    this.#over = over;
    this.update();
  }

  /** @param {DragEvent} event */
  #drop(event) {
    event.preventDefault();
    this.#over = false;
    this.update();
    this.#read(event.dataTransfer?.files[0]);
  }
}

define("kb-audit", Audit);
