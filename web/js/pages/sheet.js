// The score sheet of a match, as players would write it, and a chart of the totals.

import { get } from "../api.js";
import { Component, define, html } from "../element.js";
import { complaint, failure } from "../failure.js";
import { follow } from "../feed.js";
import { games, title } from "../games.js";
import { language, t } from "../i18n.js";
import { toDispute, toReplay } from "../links.js";
import { chart } from "../look/chart.js";
import { heading } from "../look/heading.js";
import { saveAs } from "../look/save.js";
import { notesOf } from "../look/scored.js";
import { called, isOver } from "../look/seats.js";
import { named } from "../router.js";
import { style } from "../style.js";

/** @import { LiveTable, MatchEvent, ScoreSheet } from "../../types/kibitz.js" */
/** @import { Column } from "../look/chart.js" */
/** @import { Scored } from "../look/scored.js" */
/** @import { Params } from "../router.js" */
/** @typedef {ScoreSheet["hands"][number]} Hand */
/** @typedef {ScoreSheet["rulings"][number]} Ruling */
/** @typedef {{ hand: Hand, ruling?: undefined } | { ruling: Ruling, number: number, hand?: undefined }} Line */

const ROOM = 4; // a hand is scored at most so many events before its end

await style("look");

/** @param {Params} params */
export function page(params) {
  const shown = /** @type {Sheet} */ (document.createElement("kb-sheet"));
  shown.params = params;
  return shown;
}

class Sheet extends Component {
  /** @type {Params} */
  params = {};
  /** @type {unknown} */
  #error = null;
  /** @type {unknown} */
  #trouble = null;
  /** @type {LiveTable | null} */
  #live = null;
  /** @type {ScoreSheet | null} */
  #sheet = null;
  /** What was noted when a hand was scored, by hand. @type {Map<number, Scored>} */
  #scored = new Map();
  #width = 0;
  #following = false;

  connected() {
    const seen = new ResizeObserver(([{ contentRect }]) => {
      if (Math.abs(contentRect.width - this.#width) < 1) return;
      this.#width = contentRect.width;
      this.update();
    });
    seen.observe(this);
    this.signal.addEventListener("abort", () => seen.disconnect());
    this.#load();
  }

  spoken() {
    this.#load();
  }

  async #load() {
    const path = `/v1/matches/${this.params.match}`;
    try {
      const { signal } = this;
      const [live, sheet] = await Promise.all([get(path, { signal }), get(`${path}/score-sheet`, { signal }), games()]);
      [this.#live, this.#sheet] = [live, sheet];
      named(`${title(live.game)}: ${t("sheet.title")}`);
      this.update();
      await this.#note(sheet);
      if (!isOver(live)) this.#follow(live.version);
    } catch (error) {
      if (this.signal.aborted) return;
      this.#error = error;
    }
    this.update();
  }

  /** What players note beside points is in the events that score the hands. @param {ScoreSheet} sheet */
  async #note({ hands }) {
    for (const { hand, last } of hands) {
      if (this.#scored.has(hand)) continue;
      const query = { after: Math.max(0, last - ROOM), limit: ROOM };
      /** @type {{ events: MatchEvent[] }} */
      const { events } = await get(`/v1/matches/${this.params.match}/events`, { query, signal: this.signal });
      const scored = events.find(({ type }) => type === "HandScored");
      if (scored) this.#scored.set(hand, scored.body);
    }
  }

  /** The sheet is written as the match goes on. @param {number} after */
  #follow(after) {
    if (this.#following || this.signal.aborted) return;
    this.#following = true;
    const ends = ["HandEnded", "MatchEnded", "MatchAbandoned", "DisputeRuled", "HandVoided", "ScoreAdjusted"];
    const stop = follow(this.params.match, {
      after,
      onFrame: ({ event }) => ends.includes(event) && this.#load(),
      onOver: () => this.#load(),
    });
    this.signal.addEventListener("abort", stop);
  }

  render() {
    if (this.#error) return html`${failure(this.#error, () => location.reload())}`;
    if (!this.#live || !this.#sheet) return html`<p class="soft" role="status">${t("look.wait")}</p>`;
    const [live, sheet] = [this.#live, this.#sheet];
    const begun = sheet.hands.length + sheet.rulings.length > 0;
    return html`
      <div class="page sheet-page">
        ${heading(live, "sheet")}
        <div class="spread">
          <p class="soft">${t(`sheet.unit.${live.game}`)} ${!isOver(live) && t("sheet.running")}</p>
          <div class="row">
            <button type="button" class="quiet" @click=${() => this.#save()}>${t("sheet.csv")}</button>
            <button type="button" class="quiet" @click=${() => print()}>${t("sheet.print")}</button>
          </div>
        </div>
        ${this.#trouble && complaint(this.#trouble)}
        ${begun ? [this.#paper(live, sheet), this.#charted(live, sheet)] : html`<p class="empty">${t("sheet.empty")}</p>`}
      </div>`;
  }

  /** Hands and rulings in the order in which they were written. @param {ScoreSheet} sheet @returns {Line[]} */
  #lines({ hands, rulings }) {
    const lines = [
      ...hands.map((hand) => ({ at: hand.last, line: { hand } })),
      ...rulings.map((ruling, place) => ({ at: ruling.version, line: { ruling, number: place + 1 } })),
    ];
    return lines.sort((a, b) => a.at - b.at).map(({ line }) => line);
  }

  /**
   * @param {LiveTable} live
   * @param {ScoreSheet} sheet
   */
  #paper(live, sheet) {
    const seats = live.seats.map((seat) => called(seat));
    return html`
      <div class="score-paper" role="region" tabindex="0" aria-label=${t("sheet.scroll")}>
        <table class="score">
          <caption>${title(live.game)}</caption>
          <thead><tr>
            <th scope="col">${t("sheet.hand")}</th>
            ${seats.map((name) => html`<th scope="col" class="player">${name}</th>`)}
            <th scope="col" class="notes">${t("sheet.notes")}</th>
          </tr></thead>
          <tbody>${this.#lines(sheet).map((line) => (line.hand ? this.#hand(live, line.hand) : this.#ruling(live, line.ruling, line.number)))}</tbody>
          <tfoot><tr>
            <th scope="row">${t("sheet.totals")}</th>
            ${sheet.totals.map((total, seat) => html`<td class="number">
              <strong class=${sheet.winners.includes(seat) ? "winner" : ""}>${written(total)}</strong>
              ${sheet.winners.includes(seat) && html`<span class="small wins">★ ${t("sheet.winner")}</span>`}
            </td>`)}
            <td></td>
          </tr></tfoot>
        </table>
      </div>`;
  }

  /**
   * @param {LiveTable} live
   * @param {Hand} line
   */
  #hand(live, line) {
    const scored = this.#scored.get(line.hand);
    const label = t("sheet.replay", { n: line.hand });
    return html`
      <tr class=${line.void ? "void" : ""}>
        <th scope="row"><a href=${toReplay(live.match, line.first)} aria-label=${label} title=${label}>${line.hand}</a></th>
        ${line.points.map((points, seat) => html`<td class="number">
          ${cell(points, line.totals[seat], line.void)}
          ${scored && notesOf(live.game, scored, seat).map((note) => html`<span class="aside">${note}</span>`)}
        </td>`)}
        <td class="notes">${line.void && html`<strong class="badge bad">${t("sheet.void")}</strong>`} ${line.notes.map((note) => html`<span>${note}</span> `)}</td>
      </tr>`;
  }

  /**
   * @param {LiveTable} live
   * @param {Ruling} line
   * @param {number} number
   */
  #ruling(live, line, number) {
    return html`
      <tr class="ruling">
        <th scope="row"><a href=${toDispute(live.match, line.dispute)} title=${t("sheet.ruling", { n: number })}>
          <span aria-hidden="true">§${number}</span><span class="unseen">${t("sheet.ruling", { n: number })}</span></a></th>
        ${line.points.map((points, seat) => html`<td class="number">${cell(points, line.totals[seat], false)}</td>`)}
        <td class="notes">${t("sheet.ruling", { n: number })}: ${t(`sheet.ruling.${line.ruling}`, { hand: line.hand })}
          ${line.clause && html`<span class="soft">(${t("sheet.ruling.clause", { clause: line.clause })})</span>`}</td>
      </tr>`;
  }

  /**
   * @param {LiveTable} live
   * @param {ScoreSheet} sheet
   */
  #charted(live, sheet) {
    const names = live.seats.map((seat) => called(seat));
    /** @type {Column[]} */
    const columns = [{ label: "", title: t("sheet.chart.start"), totals: names.map(() => 0) }];
    for (const { hand, ruling, ...line } of this.#lines(sheet)) {
      if (hand) columns.push({ label: String(hand.hand), title: t("look.hand", { n: hand.hand }), totals: hand.totals });
      else if ("number" in line && ruling.ruling !== "upheld") {
        columns.push({ label: `§${line.number}`, title: t("sheet.ruling", { n: line.number }), totals: ruling.totals });
      }
    }
    const width = Math.max(280, Math.floor(this.#width) - 34);
    const height = Math.round(Math.min(420, Math.max(240, width * 0.42, 16 * names.length + 50)));
    return html`
      <section class="panel stack chart-panel">
        <h2>${t("sheet.chart")}</h2>
        ${this.#width > 0 && chart({ names, columns, width, height, title: t("sheet.chart.about") })}
        <details>
          <summary>${t("sheet.chart.table")}</summary>
          <div class="scroll" role="region" tabindex="0" aria-label=${t("sheet.chart.table")}><table class="figures">
            <thead><tr><td></td>${names.map((name) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
            <tbody>${columns.map(({ title: name, totals }) => html`<tr><th scope="row">${name}</th>
              ${totals.map((total) => html`<td class="number">${written(total)}</td>`)}</tr>`)}</tbody>
          </table></div>
        </details>
      </section>`;
  }

  async #save() {
    try {
      const path = `/v1/matches/${this.params.match}/score-sheet`;
      const text = await get(path, { query: { format: "csv" }, accept: "text/csv", signal: this.signal });
      saveAs(`kibitz-${this.params.match}-${language()}.csv`, text, "text/csv");
      this.#trouble = null;
    } catch (error) {
      this.#trouble = error;
    }
    this.update();
  }
}

define("kb-sheet", Sheet);

/**
 * Points of a line and the total after it, as one writes them side by side.
 * @param {number} points
 * @param {number} total
 * @param {boolean} isVoid
 */
function cell(points, total, isVoid) {
  const signed = points > 0 ? `+${points}` : written(points);
  const added = isVoid ? html`<s class="points">${signed}</s>` : html`<span class="points">${signed}</span>`;
  return html`${added} <span class="total"><span class="unseen">${t("sheet.total")}: </span>${written(total)}</span>`;
}

/**
 * A number with the sign that numbers have.
 * @param {number} number
 */
const written = (number) => (number < 0 ? `−${-number}` : String(number));
