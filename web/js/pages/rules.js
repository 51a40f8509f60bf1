// A rule book in the reader's language. `?clause=4.2` leads to a clause, as every refusal does.

import { get } from "../api.js";
import { Component, define, html } from "../element.js";
import { failure } from "../failure.js";
import { games } from "../games.js";
import { language, t } from "../i18n.js";
import { toRules } from "../links.js";
import { named } from "../router.js";

/** @import { GameInfo, Rulebook } from "../../types/kibitz.js" */

class Rules extends Component {
  game = "match";
  clause = "";
  /** @type {GameInfo[]} */
  #games = [];
  /** @type {Rulebook | null} */
  #book = null;
  /** @type {unknown} */
  #error = null;
  #due = true;

  connected() {
    this.load();
  }

  spoken() {
    this.load();
  }

  /** @param {{ [name: string]: string }} params */
  moved({ game, clause = "" }) {
    const other = game !== this.game;
    this.game = game;
    this.clause = clause;
    this.#due = true;
    if (!this.isConnected) return;
    if (other) this.load();
    else this.update();
  }

  async load() {
    this.#error = null;
    try {
      const asked = get(`/v1/games/${this.game}/rulebook`, { signal: this.signal });
      [this.#games, this.#book] = await Promise.all([games(), asked]);
      named(this.#book?.title ?? "");
    } catch (error) {
      if (this.signal.aborted) return;
      this.#error = error;
    }
    this.update();
  }

  rendered() {
    if (!this.#due || !this.#book || !this.clause) return;
    this.#due = false;
    const found = document.getElementById(`clause-${this.clause}`);
    found?.scrollIntoView({ block: "center" });
    found?.focus({ preventScroll: true });
  }

  render() {
    if (this.#error) return html`${failure(this.#error, () => this.load())}`;
    const book = this.#book;
    if (!book) return html`<p aria-busy="true" class="soft">${t("wait")}</p>`;
    const chapters = [...new Set(book.clauses.map(({ chapter }) => chapter))];
    return html`
      <div class="rules">
        <nav class="panel stack books" aria-label=${t("rules.books")}>
          <ul class="list tight">
            ${[{ id: "match", title: t("rules.match") }, ...this.#games].map(({ id, title }) => html`
              <li><a href=${toRules(id)} aria-current=${id === this.game && "page"}>${title}</a></li>`)}
          </ul>
        </nav>
        <article class="stack book" lang=${book.language}>
          <h1>${book.title}</h1>
          ${book.language !== language() && html`<p class="note" lang=${language()}>${t("rules.untranslated")}</p>`}
          <p>${prose(book.introduction)}</p>
          ${chapters.map((chapter, place) => html`
            <section class="stack" aria-labelledby=${`chapter-${place}`}>
              <h2 id=${`chapter-${place}`}>${place + 1}. ${chapter}</h2>
              ${book.clauses.filter((clause) => clause.chapter === chapter).map((clause) => html`
                <div class="clause ${clause.id === this.clause ? "meant" : ""}" id=${`clause-${clause.id}`} tabindex="-1">
                  <a class="number-link" href=${toRules(this.game, clause.id)} aria-label=${t("rules.clause", { clause: clause.id })}>${clause.id}</a>
                  <div class="stack tight"><p>${prose(clause.text)}</p>
                    ${clause.examples.length > 0 && html`<details><summary lang=${language()}>${t("rules.examples", { count: clause.examples.length })}</summary>
                      <ul>${clause.examples.map(({ text }) => html`<li>${prose(text)}</li>`)}</ul></details>`}
                  </div>
                </div>`)}
            </section>`)}
          ${book.rulings.length > 0 && html`
            <section class="stack" aria-labelledby="rulings"><h2 id="rulings" lang=${language()}>${t("rules.rulings")}</h2>
              <dl class="rulings">${book.rulings.map(({ id, question, ruling, clauses }) => html`
                <dt id=${`ruling-${id}`}>${prose(question)}</dt>
                <dd>${prose(ruling)} ${clauses.map((clause) => html`<a class="small" href=${toRules(this.game, clause)}>${clause}</a> `)}</dd>`)}</dl></section>`}
        </article>
      </div>`;
  }
}

define("kb-rules", Rules);

/**
 * A text with `code` in it.
 * @param {string} text
 */
function prose(text) {
  return text.split(/(`[^`]*`|\*\*[^*]*\*\*)/).map((part) => {
    if (part.startsWith("`")) return html`<code>${part.slice(1, -1)}</code>`;
    return part.startsWith("**") ? html`<strong>${part.slice(2, -2)}</strong>` : part;
  });
}

/** @param {{ [name: string]: string }} params */
export function page(params) {
  const made = /** @type {Rules} */ (document.createElement("kb-rules"));
  made.moved(params);
  return made;
}
