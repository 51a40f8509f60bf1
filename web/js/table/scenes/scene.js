/**
 * What a game shows on the table, as plain data: `table.js` draws it, the modules beside this one fill it in.
 *
 * @typedef {object} Play cards that a seat has laid down, or what it has said
 * @property {number} seat
 * @property {(string | null)[]} cards null is a card face down
 * @property {string} [note] what the cards count, or what was said instead
 * @property {boolean} [top] these cards would win as things stand
 *
 * @typedef {object} Pile cards that lie on the table
 * @property {string} label
 * @property {(string | null)[]} [cards] those that are shown
 * @property {number} [count] how many lie there, face down
 *
 * @typedef {object} Fact something to know of a seat, in a word
 * @property {string} text as it is seen
 * @property {string} label as it is heard, and shown on hover
 * @property {string} [tone] `good`, `bad` or `mark`
 * @property {string} [suit] a suit's sign is drawn before the text
 * @property {boolean} [donkey] a donkey is drawn before the text
 *
 * @typedef {object} Scene
 * @property {string} title what is going on
 * @property {string[]} notes more of it
 * @property {boolean} [alarm] an ass round
 * @property {Pile[]} piles
 * @property {Play[]} plays
 * @property {(seat: number) => Fact[]} facts
 * @property {string} prompt what the viewer is to do; empty if nothing
 * @property {Pile[]} own what only the viewer sees beside the hand
 * @property {string} unit what the scores are
 * @property {(seat: number) => string} [remark] beside the score of a seat
 *
 * @typedef {import("../names.js").Live} Live
 * @typedef {(live: Live, name: (seat: number) => string, me: number | null) => Scene} Describe
 */
import { t } from "../../i18n.js";

/**
 * How many cards a seat holds.
 * @param {number} count
 * @returns {Fact}
 */
export function held(count) {
  return { text: t("table.fact.cards", { count }), label: t("table.fact.cards.label", { count }) };
}

/**
 * The dealer's mark, where it belongs.
 * @param {number} seat
 * @param {number | null} dealer
 * @returns {Fact[]}
 */
export function deals(seat, dealer) {
  return seat === dealer ? [{ text: t("table.fact.dealer"), label: t("table.fact.dealer.label"), tone: "mark" }] : [];
}

/**
 * @param {string} key
 * @param {Record<string, unknown>} [values]
 * @param {string} [tone]
 * @returns {Fact}
 */
export function fact(key, values = {}, tone = undefined) {
  return { text: t(`table.fact.${key}`, values), label: t(`table.fact.${key}.label`, values), tone };
}

/**
 * A seat that is due has something to do: `key` says what. Empty for all others.
 * @param {Live} live
 * @param {number | null} me
 * @param {() => string} text
 */
export function prompted(live, me, text) {
  return me !== null && live.you === me && live.to_act.includes(me) ? text() : "";
}
