// A case as a page shows it: its course, the claim, what the checks find, attempts, the events and the rulings.

import { html } from "../element.js";
import { moment, t } from "../i18n.js";
import { toReplay, toRules } from "../links.js";
import { finding } from "./checks.js";
import { called, calledAll } from "./seats.js";

/** @import { Case, LiveTable } from "../../types/kibitz.js" */

/**
 * @param {Case} found
 * @param {LiveTable} live
 * @param {string} language
 * @param {Map<number, string>} texts what happened with the disputed events, in words, as far as that is known
 */
export function caseView(found, live, language, texts) {
  return html`
    ${course(found)}
    <section class="panel stack"><h2>${t("dispute.claimed")}</h2>
      ${found.claim ? html`<blockquote class="claim">${found.claim}</blockquote>` : html`<p class="soft">${t("dispute.claim.gone")}</p>`}
    </section>
    ${rulings(found, live, language)}
    <section class="panel stack"><h2>${t("dispute.findings")}</h2>
      <ul class="list findings">${found.findings.filter(({ code }) => code !== "receipts").map((check) => html`<li><span class="label">${t(`audit.name.${check.code}`)}</span> ${finding(check, live.match)}</li>`)}</ul>
    </section>
    ${attempts(found, live)}
    ${events(found, live, texts)}`;
}

/** From its opening to the rulings, in order. @param {Case} found */
function course(found) {
  const ruled = found.rulings.length > 0;
  return html`
    <ol class="course" aria-label=${t("dispute.course")}>
      <li class="done"><strong>${t("dispute.opened")}</strong> <span class="soft">${moment(found.at)}</span></li>
      ${found.rulings.map(({ number, at }) => html`<li class="done"><strong>${t("dispute.ruling", { n: number })}</strong> <span class="soft">${moment(at)}</span></li>`)}
      ${!ruled && html`<li><strong>${t("dispute.state.open")}</strong></li>`}
    </ol>`;
}

/**
 * @param {Case} found
 * @param {LiveTable} live
 * @param {string} language
 */
function rulings(found, live, language) {
  return html`
    <section class="panel stack"><h2>${t("dispute.rulings.title")}</h2>
      ${!found.rulings.length && html`<p class="soft">${t("dispute.rulings.none")}</p>`}
      ${found.rulings.map((ruling) => html`
        <article class="stack ruling-said" data-key=${ruling.number}>
          <h3>${t("dispute.ruling", { n: ruling.number })}: ${t(`dispute.ruling.${ruling.ruling}`, { hand: ruling.hand })}</h3>
          <p class="soft small">${moment(ruling.at)} · ${t("dispute.ruling.by", { who: ruling.name || ruling.arbiter })}</p>
          <blockquote class="claim">${ruling.reason}</blockquote>
          ${ruling.clause && html`<p>${clause(found.game, ruling.clause)} ${ruling.clause_text}</p>`}
          ${ruling.points.length > 0 && html`
            <div class="scroll" role="region" tabindex="0" aria-label=${t("dispute.ruling.totals")}><table class="figures">
              <thead><tr><td></td>${live.seats.map((seat) => html`<th scope="col" class="number">${called(seat)}</th>`)}</tr></thead>
              <tbody>
                <tr><th scope="row">${t("dispute.ruling.points")}</th>${ruling.points.map((points) => html`<td class="number">${points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0"}</td>`)}</tr>
                <tr><th scope="row">${t("dispute.ruling.totals")}</th>${ruling.totals.map((total) => html`<td class="number"><strong>${total}</strong></td>`)}</tr>
              </tbody>
            </table></div>`}
          ${ruling.winners.length > 0 && html`<p>${t("dispute.ruling.winners", { who: calledAll(live, ruling.winners, language) })}</p>`}
        </article>`)}
    </section>`;
}

/**
 * `4.2` of the game's rule book, or `match 4.2`.
 * @param {string} game
 * @param {string} named
 */
function clause(game, named) {
  const [book, number] = named.startsWith("match ") ? ["match", named.slice(6)] : [game, named];
  return html`<a href=${toRules(book, number)}>${named}</a>`;
}

/**
 * @param {Case} found
 * @param {LiveTable} live
 */
function attempts({ attempts: tried }, live) {
  return html`
    <section class="panel stack"><h2>${t("dispute.attempts")}</h2>
      ${!tried.length && html`<p class="soft">${t("dispute.attempts.none")}</p>`}
      <ul class="list">
        ${tried.map((one) => html`
          <li class="attempt">
            <p><strong class="badge warn">${t(one.late ? "dispute.attempt.late" : "dispute.attempt.refused")}</strong>
              ${t("dispute.attempt.by", { who: one.seat === null ? "?" : called(live.seats[one.seat], one.seat), n: one.version })} <span class="soft">${moment(one.at)}</span></p>
            <p>${one.clause && html`<a href=${toRules(one.game, one.clause)}>${one.clause}</a>`} ${one.clause_text} ${one.reason}</p>
            <details><summary>${t("dispute.attempt.sent")}</summary><pre tabindex="0">${one.attempt}</pre></details>
          </li>`)}
      </ul>
    </section>`;
}

/**
 * @param {Case} found
 * @param {LiveTable} live
 * @param {Map<number, string>} texts
 */
function events(found, live, texts) {
  return html`
    <section class="panel stack"><h2>${t("dispute.events")}</h2>
      <p><a class="button quiet" href=${toReplay(live.match, found.first)}>${t("dispute.watch")}</a></p>
      <ol class="disputed">
        ${found.events.map((event) => html`<li><a class="number" href=${toReplay(live.match, event.version)}>${event.version}</a>
          <span>${texts.get(event.version) ?? (typeof event.seat === "number" && called(live.seats[event.seat], event.seat))}</span>
          <details><summary class="soft small">${event.type}, ${moment(event.at)}</summary><pre tabindex="0">${JSON.stringify(event.body, null, 1)}</pre></details></li>`)}
      </ol>
      ${found.next !== null && html`<p class="soft">${t("dispute.events.more", { n: found.last })}</p>`}
    </section>`;
}
