// A table before the start: who sits where, sitting down and leaving, bots, the link to share, and the seeds that are
// waited for. Its property `live` is the live table; whatever is done here comes back with the next one.

import { announce } from "./announce.js";
import { identity, post, del } from "./api.js";
import { Component, define, html } from "./element.js";
import { complaint } from "./failure.js";
import { games, title } from "./games.js";
import { duration, need, t } from "./i18n.js";
import { toPlayer, toRules } from "./links.js";
import { go, named } from "./router.js";
import { fields, valueName } from "./schema.js";
import { able, sit } from "./seeds.js";
import { sure } from "./sure.js";

/** @import { GameInfo, LiveTable, SeatAtTable } from "../types/kibitz.js" */

class Waiting extends Component {
  /** @type {LiveTable | null} */
  #live = null;
  /** @type {GameInfo | undefined} */
  #game;
  /** @type {unknown} */
  #error = null;
  #busy = false;
  #copied = false;
  #level = "";
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #ticking;

  get live() {
    return this.#live;
  }

  set live(live) {
    this.#live = live;
    this.update();
  }

  connected() {
    this.#ticking = setInterval(() => this.#live?.deadline && this.update(), 1000);
    this.load();
  }

  disconnected() {
    clearInterval(this.#ticking);
  }

  spoken() {
    this.load();
  }

  async load() {
    try {
      await need("options");
      this.#game = (await games()).find(({ id }) => id === this.#live?.game);
      this.#level ||= this.#game?.bots.at(-1) ?? "";
      named(title(this.#live?.game ?? ""));
    } catch (error) {
      this.#error = error;
    }
    this.update();
  }

  /**
   * Does something at the table, and says what went wrong if it did.
   * @param {(match: string) => Promise<unknown>} act
   * @param {string} [said] what is announced when it is done
   */
  async act(act, said) {
    if (this.#busy || !this.#live) return;
    this.#busy = true;
    this.#error = null;
    this.update();
    try {
      await act(this.#live.match);
      if (said) announce(said);
    } catch (error) {
      this.#error = error;
    }
    this.#busy = false;
    this.update();
  }

  render() {
    const live = this.#live;
    if (!live) return null;
    const free = live.seats.filter(({ player }) => player === null).map(({ seat }) => seat);
    const host = live.host === identity()?.player;
    return html`
      <div class="page waiting">
        <div class="stack tight">
          <div class="spread"><h1>${title(live.game)}</h1><a href=${toRules(live.game)}>${t("nav.rules")}</a></div>
          <p class="large"><span role="status">${state(live, free.length)}</span> ${rest(live, free.length)}</p>
        </div>
        ${this.#error && complaint(this.#error)}
        <div class="columns">
          <section class="stack" aria-labelledby="seats">
            <h2 id="seats">${t("seats")}</h2>
            <ol class="list places">${live.seats.map((seat) => this.place(live, seat))}</ol>
            ${live.you === null && free.length > 0 && html`<p class="row"><button type="button" aria-disabled=${this.#busy && "true"} @click=${() => this.sit()}>${t("wait.sit.any")}</button></p>`}
            ${live.you !== null && html`<p class="row"><button type="button" class="quiet" aria-disabled=${this.#busy && "true"}
              @click=${() => this.act((match) => del(`/v1/matches/${match}/seats/me`), t("wait.left"))}>${t("wait.leave")}</button></p>`}
            <p class="note small">${t(able ? "seed.own" : "seed.server")}</p>
          </section>
          <div class="stack">
            ${this.share(live)}
            ${host && this.hosting(live, free)}
            ${this.agreed(live)}
          </div>
        </div>
      </div>`;
  }

  /**
   * @param {LiveTable} live
   * @param {SeatAtTable} seat
   */
  place(live, { seat, player, name, kind, custody, committed, revealed }) {
    const own = live.you === seat;
    const seed = live.status === "revealing" && (revealed ? t("seed.revealed") : t("seed.awaited"));
    return html`
      <li class="place ${player === null ? "free" : ""} ${own ? "own" : ""}" data-key=${seat}>
        <span class="number seat-number" aria-label=${t("seat", { seat })}>${seat}</span>
        ${player === null
          ? html`<span class="soft">${t("seat.free")}</span>
            ${live.you === null && html`<button type="button" class="quiet" aria-disabled=${this.#busy && "true"} aria-label=${t("wait.sit.at", { seat })} @click=${() => this.sit(seat)}>${t("wait.sit")}</button>`}`
          : html`<span class="called">${kind === "bot" ? name : html`<a href=${toPlayer(player)}>${name || t("player.erased")}</a>`}${own && html` <span class="badge good">${t("seat.you")}</span>`}${player === live.host && html` <span class="badge">${t("seat.host")}</span>`}</span>
            <span class="small soft">${seed || (committed ? t(custody === "own" ? "seed.theirs" : "seed.kept") : t("seed.missing"))}</span>`}
      </li>`;
  }

  /** @param {number} [seat] */
  sit(seat) {
    return this.act((match) => sit(match, seat), t("wait.seated"));
  }

  /** @param {LiveTable} live */
  share(live) {
    const link = `${location.origin}/#/matches/${live.match}`;
    const send = () => navigator.share({ title: title(live.game), text: t("share.text", { game: title(live.game) }), url: link }).catch(() => {});
    return html`
      <section class="panel stack" aria-labelledby="share">
        <h2 id="share">${t("share.title")}</h2>
        <label class="unseen" for="link">${t("share.link")}</label>
        <input id="link" class="link" readonly .value=${link} @focus=${(/** @type {any} */ { target }) => target.select()}>
        <p class="row">
          <button type="button" class="quiet" @click=${() => this.copy(link)}>${t(this.#copied ? "share.copied" : "share.copy")}</button>
          ${"share" in navigator && html`<button type="button" class="quiet" @click=${send}>${t("share.send")}</button>`}
        </p>
      </section>`;
  }

  /** @param {string} link */
  async copy(link) {
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      /** @type {HTMLInputElement | null} */ (this.querySelector("#link"))?.select(); // to be copied by hand
      return;
    }
    this.#copied = true;
    announce(t("share.copied"));
    this.update();
  }

  /**
   * @param {LiveTable} live
   * @param {number[]} free
   */
  hosting(live, free) {
    const bots = this.#game?.bots ?? [];
    return html`
      <section class="panel stack" aria-labelledby="hosting">
        <h2 id="hosting">${t("host.title")}</h2>
        ${free.length > 0 && html`
          <label class="field">${t("bots.level")}
            <select .value=${this.#level} @change=${(/** @type {any} */ { target }) => (this.#level = target.value)}>
              ${bots.map((level) => html`<option value=${level}>${t(`bots.${level}`)}</option>`)}
            </select></label>
          <p class="row">
            <button type="button" class="quiet" aria-disabled=${this.#busy && "true"} @click=${() => this.seat(free.slice(0, 1))}>${t("bots.one")}</button>
            <button type="button" class="quiet" aria-disabled=${this.#busy && "true"} @click=${() => this.seat(free)}>${t("bots.fill")}</button>
          </p>`}
        <p><button type="button" class="danger" @click=${() => this.callOff(live)}>${t("host.end")}</button></p>
      </section>`;
  }

  /** @param {number[]} seats */
  seat(seats) {
    return this.act((match) => post(`/v1/matches/${match}/bots`, { seats, level: this.#level }));
  }

  /** @param {LiveTable} live */
  async callOff({ match }) {
    if (!(await sure(t("host.end"), t("host.end.sure"), t("host.end")))) return;
    await this.act(() => post(`/v1/matches/${match}/resign`, {}));
    if (!this.#error) go("#/");
  }

  /** @param {LiveTable} live */
  agreed(live) {
    const listed = this.#game ? fields(live.game, this.#game.options) : [];
    const clock = live.clock;
    return html`
      <section class="panel stack" aria-labelledby="agreed">
        <h2 id="agreed">${t("agreed.title")}</h2>
        <dl class="agreed">
          ${listed.map(({ name, label, fallback }) => html`<dt>${label}</dt><dd class=${live.options[name] === fallback ? "" : "strong"}>${valueName(live.game, name, /** @type {any} */ (live.options[name]))}</dd>`)}
          <dt>${t("create.clock")}</dt>
          <dd>${clock ? t("agreed.clock", { turn: duration(clock.turn_seconds), bank: duration(clock.bank_seconds ?? 0) }) : t("agreed.no-clock")}</dd>
          <dt>${t("create.watch")}</dt>
          <dd>${watched(live.spectators)}</dd>
        </dl>
      </section>`;
  }
}

define("kb-waiting", Waiting);

/**
 * @param {LiveTable} live
 * @param {number} free
 */
function state(live, free) {
  if (live.status === "open" && free > 0) return t("wait.free", { count: free });
  return t(live.status === "revealing" ? "wait.seeds" : "wait.commits");
}

/**
 * How long it can take at most. It counts down, so it is not read out each time.
 * @param {LiveTable} live
 * @param {number} free
 */
function rest({ status, deadline }, free) {
  if (deadline === null || (status === "open" && free > 0)) return null;
  const left = Math.max(0, Math.round((deadline - Date.now()) / 1000));
  return left <= 3600 && html`<span role="timer">${t("wait.left.time", { time: duration(left) })}</span>`;
}

/** @param {string} spectators */
function watched(spectators) {
  const [kind, delay] = spectators.split(":");
  return kind === "delayed" ? t("agreed.delayed", { count: Number(delay) }) : t(`create.watch.${kind}`);
}
