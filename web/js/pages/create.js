// A new table: the game, its seats and options, a clock, who may watch. What has been filled in is kept across reloads.

import { Problem, newKey, post } from "../api.js";
import { Component, define, html } from "../element.js";
import { complaint, failure } from "../failure.js";
import { games } from "../games.js";
import { need, t } from "../i18n.js";
import { toMatch, toRules } from "../links.js";
import { go, named } from "../router.js";
import { fields, valueName, wrong } from "../schema.js";
import { able, sit } from "../seeds.js";
import { keep, readObject } from "../storage.js";

/** @import { GameInfo } from "../../types/kibitz.js" */
/** @import { Field, Value } from "../schema.js" */

/**
 * What the form says. A number that cannot be read is NaN.
 * @typedef {{
 *   game: string, seats: number, options: { [game: string]: { [name: string]: Value } },
 *   clocked: boolean, turn: number, bank: number, watched: "open" | "delayed" | "none", delay: number,
 *   sit: boolean, bots: boolean, level: string, key: string,
 * }} Draft
 */

const KEPT = "kibitz.draft";
const TURN = { least: 5, most: 86_400 };
const BANK = { least: 0, most: 86_400 };
const DELAY = { least: 1, most: 500 };

class Create extends Component {
  /** @type {GameInfo[]} */
  games = [];
  /** @type {Draft} */
  draft = { game: "", seats: NaN, options: {}, clocked: false, turn: 60, bank: 120, watched: "open", delay: 20, sit: true, bots: true, level: "heuristic", key: newKey(), ...kept() };
  /** @type {unknown} */
  error = null;
  busy = false;
  tried = false;
  /** What the service has found wrong, by field. @type {{ [field: string]: string }} */
  told = {};

  connected() {
    this.load();
  }

  spoken() {
    this.load();
  }

  async load() {
    named(t("create.title"));
    try {
      await need("options");
      this.games = await games();
      const game = this.games.find(({ id }) => id === this.draft.game) ?? this.games[0];
      if (game.id !== this.draft.game || !this.draft.seats) this.choose(game);
    } catch (error) {
      this.error = error;
    }
    this.update();
  }

  /** @param {GameInfo} game */
  choose(game) {
    this.change({ game: game.id, seats: Math.min(Math.max(4, game.seats.min), game.seats.max), level: game.bots[game.bots.length - 1] });
  }

  /** @param {Partial<Draft>} what */
  change(what) {
    this.draft = { ...this.draft, key: newKey(), ...what }; // another table is another request
    this.told = {};
    this.error = null;
    keep(KEPT, JSON.stringify(this.draft));
    this.update();
  }

  /**
   * @param {Field} field
   * @param {Value} value
   */
  set(field, value) {
    const { options, game } = this.draft;
    this.change({ options: { ...options, [game]: { ...options[game], [field.name]: value } } });
  }

  get game() {
    return this.games.find(({ id }) => id === this.draft.game);
  }

  /** @param {Field} field */
  value(field) {
    return this.draft.options[this.draft.game]?.[field.name] ?? field.fallback;
  }

  /** What is wrong, by field. @returns {{ [field: string]: string }} */
  get faults() {
    const { game, draft } = this;
    if (!game) return {};
    /** @type {[string, string | null][]} */
    const found = fields(game.id, game.options).map((field) => [field.name, wrong(field, this.value(field))]);
    found.push(["seats", bounded(draft.seats, { least: game.seats.min, most: game.seats.max })]);
    if (draft.clocked) found.push(["turn", bounded(draft.turn, TURN)], ["bank", bounded(draft.bank, BANK)]);
    if (draft.watched === "delayed") found.push(["delay", bounded(draft.delay, DELAY)]);
    return { ...Object.fromEntries(found.flatMap(([name, fault]) => (fault === null ? [] : [[name, fault]]))), ...this.told };
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    this.tried = true;
    const { game, draft } = this;
    if (!game || this.busy) return;
    if (Object.keys(this.faults).length > 0) {
      this.update();
      setTimeout(() => /** @type {HTMLElement | null} */ (this.querySelector("[aria-invalid=true]"))?.focus());
      return;
    }
    this.busy = true;
    this.update();
    try {
      const options = Object.fromEntries(fields(game.id, game.options).map((field) => [field.name, this.value(field)]));
      const clock = draft.clocked ? { turn_seconds: draft.turn, bank_seconds: draft.bank } : null;
      const spectators = draft.watched === "delayed" ? `delayed:${draft.delay}` : draft.watched;
      const opened = await post("/v1/matches", { game: game.id, seats: draft.seats, options, clock, spectators }, { key: draft.key });
      await this.begin(opened.match, draft);
      this.change({});
      go(toMatch(opened.match));
    } catch (error) {
      this.fail(error);
    }
    this.busy = false;
    this.update();
  }

  /**
   * Sits down and seats bots as the form says. What does not work can be done at the table.
   * @param {string} match
   * @param {Draft} draft
   */
  async begin(match, { sit: own, bots, level, seats, key }) {
    try {
      if (own) await sit(match, 0);
      const free = Array.from({ length: seats }, (_, seat) => seat).slice(own ? 1 : 0);
      if (bots) await post(`/v1/matches/${match}/bots`, { seats: free, level }, { key: `${key}/bots` });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** @param {unknown} error */
  fail(error) {
    const names = this.game ? fields(this.game.id, this.game.options).map(({ name }) => name) : [];
    const detail = error instanceof Problem ? error.detail : "";
    const named = names.find((name) => new RegExp(`\\b${name}\\b`).test(detail));
    const clause = error instanceof Problem && error.game === "match" ? error.clause : "";
    const field = named ?? (clause === "1.2" ? "seats" : detail.includes("turn_seconds") ? "turn" : detail.includes("bank_seconds") ? "bank" : null);
    if (field) this.told = { [field]: detail };
    else this.error = error;
    setTimeout(() => /** @type {HTMLElement | null} */ (this.querySelector("[aria-invalid=true], .told"))?.focus());
  }

  render() {
    const { game, draft } = this;
    if (!game) return this.error ? html`${failure(this.error, () => this.load())}` : html`<p aria-busy="true" class="soft">${t("wait")}</p>`;
    const faults = this.tried ? this.faults : this.told;
    const listed = fields(game.id, game.options);
    return html`
      <form class="page" novalidate @submit=${(/** @type {Event} */ event) => this.submit(event)}>
        <div class="stack tight">
          <h1>${t("create.title")}</h1>
          <p class="soft">${t("create.about")}</p>
        </div>
        <div class="columns">
          <div class="stack">
            <fieldset class="panel stack">
              <legend class="unseen">${t("create.game")}</legend>
              <div class="picks">
                ${this.games.map((one) => html`
                  <label class="pick" data-key=${one.id}>
                    <input type="radio" name="game" value=${one.id} .checked=${one.id === game.id} @change=${() => this.choose(one)}>
                    <span><span class="strong">${one.title}</span><br><span class="small soft">${seated(one)}</span></span>
                  </label>`)}
              </div>
              <p class="small"><a href=${toRules(game.id)}>${t("create.rules", { game: game.title })}</a></p>
              ${game.seats.min === game.seats.max ? null : numeric("seats", t("create.seats"), t("form.between", { least: game.seats.min, most: game.seats.max }), draft.seats,
                { least: game.seats.min, most: game.seats.max }, faults.seats, (seats) => this.change({ seats }))}
            </fieldset>
            <fieldset class="panel stack wide-gap">
              <legend><h2>${t("create.options")}</h2></legend>
              ${listed.map((field) => html`<div data-key=${`${game.id}.${field.name}`}>${this.option(game.id, field, faults[field.name])}</div>`)}
            </fieldset>
          </div>
          <div class="stack aside">
            <fieldset class="panel stack">
              <legend><h2>${t("create.clock")}</h2></legend>
              <label class="choice"><input type="checkbox" .checked=${draft.clocked} @change=${(/** @type {any} */ { target }) => this.change({ clocked: target.checked })}>${t("create.clocked")}</label>
              <p class="help">${t("create.clock.help")}</p>
              ${draft.clocked && html`<div class="pair">
                ${numeric("turn", t("create.turn"), "", draft.turn, TURN, faults.turn, (turn) => this.change({ turn }))}
                ${numeric("bank", t("create.bank"), "", draft.bank, BANK, faults.bank, (bank) => this.change({ bank }))}
              </div>`}
            </fieldset>
            <fieldset class="panel stack">
              <legend><h2>${t("create.watch")}</h2></legend>
              <div>${["open", "delayed", "none"].map((one) => html`
                <label class="choice"><input type="radio" name="watched" value=${one} .checked=${draft.watched === one} @change=${() => this.change({ watched: /** @type {any} */ (one) })}>${t(`create.watch.${one}`)}</label>`)}</div>
              ${draft.watched === "delayed" && numeric("delay", t("create.delay"), t("form.between", DELAY), draft.delay, DELAY, faults.delay, (delay) => this.change({ delay }))}
            </fieldset>
            <fieldset class="panel stack">
              <legend><h2>${t("create.begin")}</h2></legend>
              <label class="choice"><input type="checkbox" .checked=${draft.sit} @change=${(/** @type {any} */ { target }) => this.change({ sit: target.checked })}>${t("create.sit")}</label>
              <label class="choice"><input type="checkbox" .checked=${draft.bots} @change=${(/** @type {any} */ { target }) => this.change({ bots: target.checked })}>${t("create.bots")}</label>
              ${draft.bots && html`<label class="field">${t("bots.level")}
                <select .value=${draft.level} @change=${(/** @type {any} */ { target }) => this.change({ level: target.value })}>
                  ${game.bots.map((level) => html`<option value=${level}>${t(`bots.${level}`)}</option>`)}
                </select></label>`}
              ${draft.sit && html`<p class="help">${t(able ? "seed.own" : "seed.server")}</p>`}
            </fieldset>
            ${this.error && html`<div tabindex="-1" class="told">${complaint(this.error)}</div>`}
            <p class="row"><button type="submit" aria-disabled=${this.busy && "true"}>${t("create.open")}</button>
              ${Object.keys(faults).length > 0 && html`<span class="wrong" role="alert">${t("form.faults", { count: Object.keys(faults).length })}</span>`}</p>
          </div>
        </div>
      </form>`;
  }

  /**
   * @param {string} game
   * @param {Field} field
   * @param {string | undefined} fault
   */
  option(game, field, fault) {
    const value = this.value(field);
    const { name, label, words, least, most, fallback } = field;
    const help = field.help + (least !== null && most !== null ? ` ${t("form.between", { least, most })}.` : "");
    if (words.length === 0 && least !== null && most !== null) {
      return numeric(name, label, help, /** @type {number} */ (value), { least, most }, fault, (given) => this.set(field, given));
    }
    const many = words.length > 4 && least === null;
    const described = [`${name}-help`, fault && `${name}-wrong`].filter(Boolean).join(" ");
    if (many) {
      return html`<div class="field"><label for=${name}>${label}</label>
        <select id=${name} .value=${String(value)} aria-invalid=${fault && "true"} aria-describedby=${described}
          @change=${(/** @type {any} */ { target }) => this.set(field, words.find((word) => String(word) === target.value) ?? fallback)}>
          ${words.map((word) => html`<option value=${String(word)}>${valueName(game, name, word)}</option>`)}
        </select>
        ${explained(name, help, fault)}</div>`;
    }
    const numbered = least !== null && most !== null && !words.includes(value);
    return html`<fieldset class="field" aria-describedby=${described}><legend>${label}</legend>
      <div class="choices">
        ${words.map((word) => html`<label class="choice"><input type="radio" name=${name} value=${String(word)} aria-invalid=${fault && "true"} .checked=${value === word} @change=${() => this.set(field, word)}>${valueName(game, name, word)}</label>`)}
        ${least !== null && most !== null && html`<label class="choice"><input type="radio" name=${name} value="" .checked=${numbered} @change=${() => this.set(field, least)}>${t("form.number")}</label>
          ${numbered && numberInput(name, /** @type {number} */ (value), { least, most }, fault, (given) => this.set(field, given), label)}`}
      </div>
      ${explained(name, help, fault)}</fieldset>`;
  }
}

define("kb-create", Create);

/** @param {GameInfo} game */
function seated({ seats: { min, max } }) {
  return min === max ? t("players", { count: min }) : t("players.range", { min, max });
}

/**
 * What is wrong with a number.
 * @param {number} value
 * @param {{ least: number, most: number }} bounds
 */
function bounded(value, { least, most }) {
  return wrong({ name: "", label: "", help: "", fallback: least, words: [], least, most }, value);
}

/**
 * A labelled number.
 * @param {string} name
 * @param {string} label
 * @param {string} help
 * @param {number} value
 * @param {{ least: number, most: number }} bounds
 * @param {string | undefined} fault
 * @param {(value: number) => void} act
 */
function numeric(name, label, help, value, bounds, fault, act) {
  return html`<div class="field"><label for=${name}>${label}</label>${numberInput(name, value, bounds, fault, act, null)}${explained(name, help, fault)}</div>`;
}

/**
 * @param {string} name
 * @param {number} value
 * @param {{ least: number, most: number }} bounds
 * @param {string | undefined} fault
 * @param {(value: number) => void} act
 * @param {string | null} label where no visible one is for it
 */
function numberInput(name, value, { least, most }, fault, act, label) {
  const described = [`${name}-help`, fault && `${name}-wrong`].filter(Boolean).join(" ");
  return html`<input id=${name} type="number" inputmode="numeric" min=${least} max=${most} step="1" .value=${Number.isNaN(value) || value === null ? "" : String(value)}
    aria-label=${label} aria-invalid=${fault && "true"} aria-describedby=${described}
    @change=${(/** @type {any} */ { target }) => act(target.value === "" ? NaN : Number(target.value))}>`;
}

/**
 * @param {string} name
 * @param {string} help
 * @param {string | undefined} fault
 */
function explained(name, help, fault) {
  return html`<p class="help" id=${`${name}-help`}>${help}</p>${fault && html`<p class="wrong" id=${`${name}-wrong`}>${fault}</p>`}`;
}

/** @returns {Partial<Draft>} */
function kept() {
  const { options, ...draft } = readObject(KEPT) ?? {};
  return options && typeof options === "object" ? { ...draft, options } : draft;
}

export function page() {
  return document.createElement("kb-create");
}
