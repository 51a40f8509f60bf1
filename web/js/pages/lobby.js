// The lobby: which tables there are, as they are now. The overview has some of each kind, `?status=` one kind in pages.

import { IDENTITY_CHANGED, get, identity } from "../api.js";
import { Component, define, html } from "../element.js";
import { complaint } from "../failure.js";
import { games } from "../games.js";
import { t } from "../i18n.js";
import { listing } from "../listing.js";
import { go, named } from "../router.js";
import "../tiles.js";

/** @import { GameInfo, LobbyMatch, PlayerMatch } from "../../types/kibitz.js" */

/** @typedef {"playing" | "open" | "finished"} Kind */

/** @type {Kind[]} */
const KINDS = ["playing", "open", "finished"];
const EACH = { playing: 6, open: 6, finished: 6 };
const PAGE = 24;
const REFRESH = 4_000;

class Lobby extends Component {
  kind = "";
  game = "";
  /** @type {GameInfo[]} */
  games = [];
  /** @type {PlayerMatch[]} */
  mine = [];
  /** @type {{ [kind: string]: { items: LobbyMatch[], next: string | null } } | null} */
  found = null;
  /** @type {unknown} */
  error = null;
  #shown = PAGE;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #turn = 0;

  connected() {
    named(t("lobby.title"));
    this.listen(document, "visibilitychange", () => !document.hidden && this.load());
    this.listen(document, IDENTITY_CHANGED, () => this.load());
    this.load();
  }

  disconnected() {
    clearTimeout(this.#timer);
  }

  spoken() {
    named(t("lobby.title"));
    this.load();
  }

  /** @param {{ [name: string]: string }} params */
  moved({ status = "", game = "" }) {
    const kind = KINDS.find((one) => one === status) ?? "";
    if (kind !== this.kind || game !== this.game) this.found = null;
    this.kind = kind;
    this.game = game;
    this.#shown = PAGE;
    this.update();
    if (this.isConnected) this.load();
  }

  async load() {
    clearTimeout(this.#timer);
    const turn = (this.#turn += 1);
    const kinds = this.kind ? [/** @type {Kind} */ (this.kind)] : KINDS;
    const { signal } = this;
    try {
      const who = identity();
      const [list, mine, ...pages] = await Promise.all([
        games(),
        who && !this.kind ? get(`/v1/players/${who.player}/matches`, { query: { limit: 12 }, signal }) : null,
        ...kinds.map((kind) => listing("/v1/matches", this.kind ? this.#shown : EACH[kind], { status: kind, game: this.game }, signal)),
      ]);
      if (turn !== this.#turn) return;
      this.games = list;
      this.mine = (mine?.items ?? []).filter((/** @type {PlayerMatch} */ { status }) => status !== "finished" && status !== "abandoned");
      this.found = Object.fromEntries(kinds.map((kind, place) => [kind, pages[place]]));
      this.error = null;
    } catch (error) {
      if (signal.aborted || turn !== this.#turn) return;
      this.error = error;
    }
    this.update();
    this.#timer = setTimeout(() => !document.hidden && this.load(), REFRESH);
  }

  render() {
    return html`
      <div class="page">
        <div class="spread">
          <div class="stack tight">
            <h1>${t("lobby.title")}</h1>
            <p class="soft">${t("lobby.about")}</p>
          </div>
          <a class="button" href="#/new">${t("nav.new")}</a>
        </div>
        ${this.mine.length > 0 && this.yours()}
        <div class="spread filters">
          <nav class="tabs" aria-label=${t("lobby.kinds")}>
            ${["", ...KINDS].map((kind) => html`
              <a href=${address(kind, this.game)} aria-current=${kind === this.kind && "page"}>${t(`lobby.kind.${kind || "all"}`)}</a>`)}
          </nav>
          <label class="row"><span>${t("lobby.game")}</span>
            <select .value=${this.game} @change=${(/** @type {any} */ event) => go(address(this.kind, event.target.value))}>
              <option value="">${t("lobby.game.all")}</option>
              ${this.games.map(({ id, title }) => html`<option value=${id}>${title}</option>`)}
            </select>
          </label>
        </div>
        ${this.error && complaint(this.error)}
        ${this.found ? Object.entries(this.found).map(([kind, page]) => this.section(kind, page)) : !this.error && html`<p aria-busy="true" class="soft">${t("wait")}</p>`}
      </div>`;
  }

  yours() {
    return html`
      <section class="stack" aria-labelledby="yours">
        <h2 id="yours">${t("lobby.yours")}</h2>
        <ul class="row list-row">
          ${this.mine.map(({ match, game, status }) => html`
            <li data-key=${match}><a class="button quiet" href=${`#/matches/${match}`}>${this.games.find(({ id }) => id === game)?.title ?? game}
              <span class="badge">${t(`status.${status}`)}</span></a></li>`)}
        </ul>
      </section>`;
  }

  /**
   * @param {string} kind
   * @param {{ items: LobbyMatch[], next: string | null }} page
   */
  section(kind, { items, next }) {
    const more = next !== null;
    return html`
      <section class="stack" data-key=${kind} aria-labelledby=${`kind-${kind}`}>
        <div class="spread">
          <h2 id=${`kind-${kind}`}>${t(`lobby.section.${kind}`)}</h2>
          ${!this.kind && more && html`<a href=${address(kind, this.game)}>${t(`lobby.more.${kind}`)}</a>`}
        </div>
        ${items.length === 0
          ? html`<div class="empty"><p>${t(`lobby.none.${kind}`)}</p>${kind === "open" && html`<a class="button" href="#/new">${t("lobby.begin")}</a>`}</div>`
          : html`<ul class="list tiles">${items.map((match) => html`<li data-key=${match.match}><kb-tile .match=${match}></kb-tile></li>`)}</ul>`}
        ${this.kind && more && html`<p><button type="button" class="quiet" @click=${() => this.longer()}>${t("list.more")}</button></p>`}
      </section>`;
  }

  longer() {
    this.#shown += PAGE;
    this.load();
  }
}

define("kb-lobby", Lobby);

/**
 * @param {string} kind
 * @param {string} game
 */
function address(kind, game) {
  const query = new URLSearchParams(Object.entries({ status: kind, game }).filter(([, value]) => value));
  return query.size ? `#/?${query}` : "#/";
}

/** @param {{ [name: string]: string }} params */
export function page(params) {
  const made = /** @type {Lobby} */ (document.createElement("kb-lobby"));
  made.moved(params);
  return made;
}
