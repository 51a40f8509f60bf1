// Who I am to the others: my name, my matches, and being forgotten.

import { IDENTITY_CHANGED, erase, identity, lost, rename } from "../api.js";
import { announce } from "../announce.js";
import { Component, define, html } from "../element.js";
import { complaint } from "../failure.js";
import "../access.js";
import "../history.js";
import { t } from "../i18n.js";
import { named } from "../router.js";
import { sure } from "../sure.js";

const LONGEST = 40;

class Me extends Component {
  /** @type {unknown} */
  error = null;
  busy = false;
  wrong = false;
  /** What stands in the field and is not saved. @type {string | null} */
  typed = null;

  connected() {
    named(t("me.title"));
    this.listen(document, IDENTITY_CHANGED, () => this.update());
  }

  spoken() {
    named(t("me.title"));
    this.update();
  }

  /** @param {Event} event */
  async save(event) {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (this.querySelector("#name"));
    this.wrong = field.value.trim() === "" || [...field.value.trim()].length > LONGEST;
    if (!this.wrong) {
      await this.act(() => rename(field.value.trim()));
      if (!this.error) {
        this.typed = null;
        announce(t("me.saved"));
      }
    } else {
      field.focus();
    }
    this.update();
  }

  async erase() {
    if (await sure(t("me.erase"), t("me.erase.sure"), t("me.erase.yes"))) await this.act(erase);
  }

  /** @param {() => Promise<unknown>} act */
  async act(act) {
    this.busy = true;
    this.error = null;
    try {
      await act();
    } catch (error) {
      this.error = error;
    }
    this.busy = false;
    this.update();
  }

  render() {
    const who = identity();
    return html`
      <div class="page narrow">
        <div class="stack tight"><h1>${t("me.title")}</h1><p class="soft">${t(who ? "me.about" : "me.nobody")}</p></div>
        ${(who || !lost()) && html`<form class="panel stack" novalidate @submit=${(/** @type {Event} */ event) => this.save(event)}>
          <div class="field"><label for="name">${t("me.name")}</label>
            <input id="name" autocomplete="nickname" maxlength=${LONGEST} .value=${this.typed ?? who?.name ?? ""} @input=${(/** @type {any} */ { target }) => (this.typed = target.value)} aria-invalid=${this.wrong && "true"} aria-describedby="name-help">
            <p class="help" id="name-help">${t("me.name.help", { most: LONGEST })}</p>
            ${this.wrong && html`<p class="wrong" role="alert">${t("me.name.wrong", { most: LONGEST })}</p>`}
          </div>
          <p><button type="submit" aria-disabled=${this.busy && "true"}>${t("me.save")}</button></p>
        </form>`}
        ${this.error && complaint(this.error)}
        <kb-access></kb-access>
        ${who && html`
          <section class="stack" aria-labelledby="mine"><h2 id="mine">${t("me.matches")}</h2>
            <kb-history data-key=${who.player} .player=${who.player}></kb-history></section>
          <section class="panel stack" aria-labelledby="erase"><h2 id="erase">${t("me.erase")}</h2>
            <p>${t("me.erase.about")}</p>
            <p><button type="button" class="danger" @click=${() => this.erase()}>${t("me.erase")} …</button></p></section>`}
      </div>`;
  }
}

define("kb-me", Me);

export function page() {
  return document.createElement("kb-me");
}
