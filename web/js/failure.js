// What is shown where something did not work: in words, with the clause if a rule said no, and a way on.

import { Problem } from "./api.js";
import { Component, define, html } from "./element.js";
import { t } from "./i18n.js";
import { toRules } from "./links.js";

class Failure extends Component {
  /** @type {unknown} */
  error = null;
  /** @type {(() => void) | null} */
  again = null;

  render() {
    return html`
      <section class="failure" role="alert">
        <h1>${title(this.error)}</h1>
        ${said(this.error)}
        <p class="row">
          <button type="button" @click=${() => (this.again ?? (() => location.reload()))()}>${t("error.again")}</button>
          <a class="button quiet" href="#/">${t("error.home")}</a>
        </p>
      </section>`;
  }
}

define("kb-failure", Failure);

/**
 * A page that says what went wrong; without an error, that there is no such page.
 * @param {unknown} error
 * @param {() => void} [again] what trying again means; without it, loading the page anew
 * @returns {HTMLElement}
 */
export function failure(error, again) {
  const page = /** @type {Failure} */ (document.createElement("kb-failure"));
  page.error = error;
  page.again = again ?? null;
  if (error && !(error instanceof Problem)) console.error(error);
  return page;
}

/**
 * A line that says what went wrong, for where something was tried.
 * @param {unknown} error
 * @returns {DocumentFragment}
 */
export function complaint(error) {
  return html`<div class="complaint" role="alert"><strong>${title(error)}</strong> ${said(error)}</div>`;
}

/** @param {unknown} error */
function title(error) {
  if (error === null) return t("error.nowhere");
  if (!(error instanceof Problem)) return t("error.own");
  return error.status === 0 ? t("error.offline") : error.title;
}

/** @param {unknown} error */
function said(error) {
  if (error === null) return html`<p>${t("error.nowhere.more")}</p>`;
  if (!(error instanceof Problem)) return html`<p>${String(error instanceof Error ? error.message : error)}</p>`;
  if (error.status === 0) return html`<p>${t("error.offline.more")}</p>`;
  const { game, clause, clause_text: text } = error;
  if (game && clause) return html`<p><a href=${toRules(game, clause)}>${clause}</a> ${text ?? error.detail}</p>`;
  return html`<p>${error.detail}</p>`;
}
