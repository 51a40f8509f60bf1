// How this browser says who it is: signing in and out, and the tokens by which other machines are the same player.

import { IDENTITY_CHANGED, del, forget, get, identity, letGo, lost } from "./api.js";
import { announce } from "./announce.js";
import { Component, define, html } from "./element.js";
import { complaint } from "./failure.js";
import { moment, t } from "./i18n.js";
import { arrival, signIn } from "./signing.js";
import { sure } from "./sure.js";

/** @import { MyAccess, SignInOffer, TokenLine } from "../types/kibitz.js" */

class Access extends Component {
  /** @type {SignInOffer | null} */
  offer = null;
  /** @type {MyAccess | null} */
  access = null;
  /** @type {TokenLine[]} */
  tokens = [];
  /** @type {unknown} */
  error = null;
  /** What signing in has led to: a key of the texts. */
  came = "";
  /** Whose keys are shown. */
  token = "";

  connected() {
    const told = arrival();
    if (told?.told) {
      this.came = `access.came.${told.told.how}`;
      announce(t(this.came, { name: told.told.name }));
    } else if (told) {
      this.came = "access.failed";
      this.error = told.error ?? null;
    }
    this.listen(document, IDENTITY_CHANGED, () => identity()?.token !== this.token && this.load());
    this.load();
  }

  async load() {
    this.token = identity()?.token ?? "";
    try {
      this.offer ??= await get("/v1/sign-in", { signal: this.signal });
      this.access = this.token ? await get("/v1/me", { signal: this.signal }) : null;
      this.tokens = this.access ? await get("/v1/me/tokens", { signal: this.signal }) : [];
    } catch (error) {
      if (this.signal.aborted) return;
      this.access = null;
      this.tokens = [];
      if (this.token && identity()) this.error = error;
    }
    this.update();
  }

  /** @param {() => Promise<unknown>} act */
  async act(act) {
    this.error = null;
    this.came = "";
    try {
      await act();
    } catch (error) {
      this.error = error;
    }
    this.update();
  }

  /** @param {TokenLine} line */
  async end(line) {
    await del(`/v1/me/tokens/${line.id}`);
    if (line.current) this.leave();
    else await this.load();
  }

  leave() {
    forget();
    letGo();
    announce(t("access.left"));
  }

  async signOut() {
    const own = this.tokens.find(({ current }) => current);
    if (own) await this.end(own);
  }

  async endAll() {
    if (!(await sure(t("access.all"), t(this.access?.account ? "access.all.account" : "access.all.guest"), t("access.all.yes")))) return;
    await del("/v1/me/tokens");
    this.leave();
  }

  render() {
    const { offer, access } = this;
    return html`
      <div class="stack wide-gap">
        ${this.came && !this.error && html`<p class=${this.came === "access.failed" ? "complaint" : "note"} role=${this.came === "access.failed" && "alert"}>${t(this.came, { name: identity()?.name ?? "" })}</p>`}
        ${this.error && complaint(this.error)}
        ${offer && !offer.offered && lost() && html`<p class="note">${t("access.nowhere")}</p>`}
        ${offer?.offered && !access?.account && html`
          <section class="panel stack" aria-labelledby="sign-in"><h2 id="sign-in">${t("access.in")}</h2>
            <p>${t(access ? "access.in.guest" : "access.in.nobody")}</p>
            <p><button type="button" @click=${() => this.act(signIn)}>${t("access.in.at", { provider: offer.provider ?? "" })}</button></p>
          </section>`}
        ${access && this.tokens.length > 0 && html`
          <section class="panel stack" aria-labelledby="keys"><h2 id="keys">${t("access.keys")}</h2>
            <p>${t(access.account ? "access.keys.account" : "access.keys.guest")}</p>
            <ul class="list">${this.tokens.map((line) => html`
              <li data-key=${line.id} class="spread"><span>
                <span class="strong">${line.label || t(line.current ? "access.key.this" : "access.key.other")}</span>
                <span class="soft small">${t("access.key.times", { made: moment(line.made), expires: moment(line.expires) })}</span></span>
                ${!line.current && html`<button type="button" class="danger" aria-label=${t("access.key.end.of", { made: moment(line.made) })} @click=${() => this.act(() => this.end(line))}>${t("access.key.end")}</button>`}
              </li>`)}</ul>
            <p class="row">
              ${access.account && html`<button type="button" class="quiet" @click=${() => this.act(() => this.signOut())}>${t("access.out")}</button>`}
              <button type="button" class="danger" @click=${() => this.act(() => this.endAll())}>${t("access.all")} …</button></p>
          </section>`}
      </div>`;
  }
}

define("kb-access", Access);
