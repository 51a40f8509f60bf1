// Osel, trumps: pots of one to four cards, personal or common trumps.

import { suitName } from "../../cards.js";
import { t } from "../../i18n.js";
import { deals, fact, held, prompted } from "./scene.js";

/** @type {import("./scene.js").Describe} */
export function oselTrumps(live, name, me) {
  const table = live.table;
  const top = table.pot.findLast((/** @type {any} */ turn) => turn.beats);
  return {
    title: table.deal ? t("table.hand_pot", { n: table.deal, pot: table.pots + 1 }) : t("table.before_deal"),
    notes: notes(table, name),
    piles: table.stock_size && table.deal ? [{ label: t("table.pile.stock"), count: table.stock_size }] : [],
    plays: table.pot.map((/** @type {any} */ turn, /** @type {number} */ place) => ({
      seat: turn.seat,
      cards: turn.cards,
      note: place === 0 ? t("table.led") : t(turn.beats ? "table.beats" : "table.discards"),
      top: turn === top,
    })),
    facts: (seat) => facts(table, name, seat),
    prompt: prompted(live, me, () => {
      if (!table.deal) return t("table.do.choose_trump");
      if (table.asked === me) return t("table.do.claim");
      return table.pot.length ? t("table.do.reply", { count: table.cards_needed }) : t("table.do.lead_pot");
    }),
    own: [],
    unit: t("table.unit.jars"),
  };
}

/**
 * @param {any} table
 * @param {(seat: number) => string} name
 * @param {number} seat
 * @returns {import("./scene.js").Fact[]}
 */
function facts(table, name, seat) {
  const own = table.own_trumps[seat];
  const place = table.left.indexOf(seat);
  if (place >= 0) return [fact("left", {}, "bad")];
  const partner = table.partners.find((/** @type {number[]} */ pair) => pair.includes(seat))?.find((/** @type {number} */ one) => one !== seat);
  return [
    ...(own ? [{ text: "", suit: own, label: t("table.fact.trump", { suit: suitName(own) }), tone: "mark" }] : []),
    held(table.hand_sizes[seat]),
    ...(table.pile_sizes[seat] ? [fact("pile", { count: table.pile_sizes[seat] })] : []),
    ...(table.eggs.includes(seat) ? [fact("eggs", {}, "bad")] : []),
    ...(partner === undefined ? [] : [fact("partner", { who: name(partner) })]),
    ...deals(seat, table.dealer),
  ];
}

/**
 * @param {any} table
 * @param {(seat: number) => string} name
 */
function notes(table, name) {
  const said = [];
  const suits = table.trumps.map(suitName);
  if (table.trump_option === 1) said.push(t("table.trumps.own"));
  else if (table.trump_option === 2) said.push(t("table.trumps.none"));
  else if (table.trump_option === 5) said.push(t("table.trumps.senior", { senior: suits[0], junior: suits[1] }));
  else said.push(t("table.trumps.common", { suits: suits.join(", ") }));
  if (table.asked !== null) said.push(t("table.asked", { who: name(table.asked) }));
  if (table.last_pot && !table.pot.length) said.push(t("table.last.pot", { who: name(table.last_pot.seat), count: table.last_pot.cards }));
  return said;
}
