// Two-handed Spades: double nil, draft, exchange, bids, tricks.

import { t } from "../../i18n.js";
import { fact, held, prompted } from "./scene.js";

/** @type {import("./scene.js").Describe} */
export function spadesTwo(live, name, me) {
  const table = live.table;
  const other = table.leader === null ? null : 1 - table.leader;
  const seats = [table.leader, other];
  return {
    title: t(`table.stage.${table.stage}`, { n: table.deal, trick: Math.min(13, table.played.length + 1) }),
    notes: notes(live, name),
    piles: piles(table),
    plays: table.trick.map((/** @type {string} */ card, /** @type {number} */ place) => ({
      seat: seats[place],
      cards: [card],
      top: table.trick.length === 1 || wins(table.trick) === place,
    })),
    facts: (seat) => [
      ...(table.stage === "play" || table.bids[seat] !== null ? [bid(table, seat)] : []),
      held(table.hand_sizes[seat]),
      ...(seat === table.second ? [fact("second", {}, "mark")] : []),
      ...(table.exchanged[seat] ? [fact("exchanged", { count: table.exchanged[seat] })] : []),
    ],
    prompt: prompted(live, me, () => t(table.stage === "play" && table.trick.length ? "table.do.follow_suit" : `table.do.${table.stage}`)),
    own: me === null ? [] : own(table, me),
    unit: t("table.unit.points"),
    remark: (seat) => t("table.bags", { count: table.bags[seat] }),
  };
}

/**
 * @param {Live} live
 * @param {(seat: number) => string} name
 * @typedef {import("../names.js").Live} Live
 */
function notes(live, name) {
  const table = live.table;
  const said = [];
  if (table.stage === "double_nil") {
    table.double_nil.forEach((/** @type {boolean | null} */ answer, /** @type {number} */ seat) => {
      if (answer !== null) said.push(t(answer ? "table.said.double_nil" : "table.said.no_double_nil", { who: name(seat) }));
    });
  }
  if (table.stage === "play") said.push(t(table.spades_broken ? "table.broken" : "table.unbroken"));
  const last = table.played.at(-1);
  if (table.stage === "play" && last && table.trick.length === 0) said.push(t("table.last.trick", { who: name(last.winner) }));
  return said;
}

/** @param {any} table */
function piles(table) {
  const found = [];
  if (table.stage === "draft") found.push({ label: t("table.pile.stock"), count: table.stock_size });
  if (table.drawing) found.push({ label: t("table.pile.drawn"), cards: [table.drawn] });
  if (table.discard_size && table.stage !== "play") found.push({ label: t("table.pile.discarded"), count: table.discard_size });
  const last = table.played.at(-1);
  if (table.stage === "play" && last && table.trick.length === 0) found.push({ label: t("table.pile.last_trick"), cards: last.cards });
  return found;
}

/**
 * @param {any} table
 * @param {number} seat
 * @returns {import("./scene.js").Fact}
 */
function bid(table, seat) {
  const said = table.bids[seat];
  const won = table.tricks[seat];
  if (said === null) return fact("won", { count: won });
  if (said === "double_nil" || said === 0) {
    return fact(said === 0 ? "nil" : "double_nil", { count: won }, won ? "bad" : "good");
  }
  return fact("bid", { count: won, bid: said }, won >= said ? "good" : undefined);
}

/**
 * The cards that only their owner knows of.
 * @param {any} table
 * @param {number} me
 */
function own(table, me) {
  const found = [];
  for (const pile of ["rejected", "skipped", "thrown", "received"]) {
    if (table[pile][me]?.length && (table.stage !== "play" || pile !== "rejected")) {
      found.push({ label: t(`table.pile.${pile}`), cards: table[pile][me] });
    }
  }
  return found;
}

/**
 * Who of two cards wins: for the mark on a trick that is complete.
 * @param {string[]} trick
 */
function wins(trick) {
  const [led, reply] = trick;
  const suit = led.at(-1);
  const order = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
  const rank = (/** @type {string} */ card) => order.indexOf(card.slice(0, -1));
  if (reply.at(-1) === suit) return rank(reply) > rank(led) ? 1 : 0;
  return reply.at(-1) === "S" ? 1 : 0;
}
