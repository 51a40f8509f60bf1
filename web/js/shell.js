// The frame around every page: where one can go, in which language and colours, and whether the service is there.

import { IDENTITY_CHANGED, identity, letGo, lost } from "./api.js";
import { CONNECTION_CHANGED, connection } from "./connection.js";
import { Component, define, html } from "./element.js";
import { choose, language, t } from "./i18n.js";
import { keep } from "./storage.js";

/** @import { Language } from "./i18n.js" */

const THEME = "kibitz.theme";
/** @type {[string, string][]} */
const PLACES = [["#/", "nav.lobby"], ["#/new", "nav.new"], ["#/leaderboard", "nav.leaderboard"], ["#/rules/match", "nav.rules"]];
/** Every language in its own words: who cannot read the page finds their own.
 * @type {[Language, string][]} */
const NAMES = [["en", "English"], ["hu", "Magyar"], ["ru", "Русский"]];

class Shell extends Component {
  connected() {
    for (const type of [CONNECTION_CHANGED, IDENTITY_CHANGED, "kb-moved"]) this.listen(document, type, () => this.update());
  }

  render() {
    const here = location.hash || "#/";
    const state = connection();
    const skip = document.getElementById("skip");
    if (skip) skip.textContent = t("nav.skip");
    return html`
      <div class="bar">
        <a class="brand" href="#/" aria-label=${t("nav.home")}>${mark()}<span>Kibitz</span></a>
        <nav aria-label=${t("nav.label")}>
          ${PLACES.map(([to, key]) => {
            const current = to === "#/rules/match" ? here.startsWith("#/rules") : here.split("?")[0] === to;
            return html`<a href=${to} aria-current=${current && "page"}>${t(key)}</a>`;
          })}
        </nav>
        <div class="tools">
          <span class="connection" data-state=${state} role="status">
            <span class="light" aria-hidden="true"></span><span>${t(`connection.${state}`)}</span>
          </span>
          <label>
            <span class="unseen">${t("nav.language")}</span>
            <select class="quiet" .value=${language()} @change=${spoken}>
              ${NAMES.map(([code, name]) => html`<option value=${code} lang=${code}>${name}</option>`)}
            </select>
          </label>
          <label>
            <span class="unseen">${t("nav.theme")}</span>
            <select class="quiet" .value=${theme()} @change=${coloured}>
              ${["auto", "light", "dark"].map((one) => html`<option value=${one}>${t(`theme.${one}`)}</option>`)}
            </select>
          </label>
          <a class="who" href="#/me" aria-current=${here === "#/me" && "page"}>${identity()?.name ?? t("nav.me")}</a>
        </div>
      </div>
      ${this.loss()}`;
  }

  /** Whose token has ended is told so, until that is settled: a player must not find out by watching. */
  loss() {
    const gone = identity() ? null : lost();
    return gone && html`
      <div class="complaint loss row" role="alert">
        <p><strong>${t("lost.title")}</strong> ${t("lost.about", gone)}</p>
        <a class="button quiet" href="#/me">${t("lost.back")}</a>
        <button type="button" class="quiet" @click=${letGo}>${t("lost.go")}</button>
      </div>`;
  }
}

define("kb-shell", Shell);

/** The sign of Kibitz: an eye over a hand of cards. */
function mark() {
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect x="5" y="9" width="12" height="17" rx="2" transform="rotate(-14 11 17)" class="back"></rect>
    <rect x="14" y="8" width="13" height="18" rx="2" transform="rotate(10 20 17)" class="front"></rect>
    <path d="M14.5 17.2c1.6-2.6 3.6-3.8 6-3.800s4.4 1.2 6 3.800c-1.6 2.6-3.6 3.8-6 3.800s-4.4-1.2-6-3.800z" class="eye"></path>
    <circle cx="20.5" cy="17.2" r="2.1" class="pupil"></circle>
  </svg>`;
}

/** @param {Event} event */
function spoken(event) {
  const field = /** @type {HTMLSelectElement} */ (event.target);
  choose(/** @type {Language} */ (field.value)).catch(() => (field.value = language())); // its texts cannot be fetched now
}

/** @param {Event} event */
function coloured(event) {
  const wanted = /** @type {HTMLSelectElement} */ (event.target).value;
  if (wanted === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
  keep(THEME, wanted);
}

function theme() {
  return document.documentElement.dataset.theme ?? "auto";
}
