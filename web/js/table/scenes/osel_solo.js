// Osel, one against the rest: auction, talon, gifts, exchange, pots of single cards.

import { t } from "../../i18n.js";
import { deals, fact, held, prompted } from "./scene.js";

/** @type {import("./scene.js").Describe} */
export function oselSolo(live, name, me) {
  const table = live.table;
  const top = table.pot.findLast((/** @type {any} */ turn) => turn.beats);
  return {
    title: t(`table.stage.${table.stage === "play" ? "pot" : table.stage}`, { n: table.deal, pot: table.pots + 1 }),
    notes: notes(live, name),
    piles: talon(table),
    plays: plays(table, top),
    facts: (seat) => [
      ...(seat === table.soloist ? [fact("soloist", {}, "mark")] : []),
      ...(table.stage === "auction" && table.passed.includes(seat) ? [fact("passed")] : []),
      held(table.hand_sizes[seat]),
      ...(table.pile_sizes[seat] ? [fact("pile", { count: table.pile_sizes[seat] })] : []),
      ...(table.eggs.includes(seat) ? [fact("eggs", {}, "bad")] : []),
      ...deals(seat, table.dealer),
    ],
    prompt: prompted(live, me, () => prompt(table, live.seats.length)),
    own: own(table, name, me),
    unit: t("table.unit.jars"),
  };
}

/**
 * @param {any} table
 * @param {number} seats
 */
function prompt(table, seats) {
  if (table.stage === "play") return t(table.pot.length ? "table.do.follow" : "table.do.lead_card");
  return t(`table.do.${table.stage === "exchange" ? "solo_exchange" : table.stage}`, { count: table.stage === "laying_away" ? table.talon_size : seats - 1 });
}

/** @param {any} table */
function talon(table) {
  if (!table.talon_size) return [];
  const label = t("table.pile.talon");
  return [table.talon ? { label, cards: table.talon } : { label, count: table.talon_size }];
}

/**
 * @param {any} table
 * @param {any} top
 */
function plays(table, top) {
  if (table.stage === "auction") {
    return table.passed.map((/** @type {number} */ seat) => ({ seat, cards: [], note: t("table.passed") }));
  }
  return table.pot.map((/** @type {any} */ turn, /** @type {number} */ place) => ({
    seat: turn.seat,
    cards: [turn.card],
    note: place === 0 ? t("table.led") : t(turn.beats ? "table.beats" : "table.discards"),
    top: turn === top,
  }));
}

/**
 * @param {import("../names.js").Live} live
 * @param {(seat: number) => string} name
 */
function notes(live, name) {
  const table = live.table;
  const said = [t("table.trumps.senior", { senior: t("card.suit.S"), junior: t("card.suit.D") })];
  if (table.soloist !== null) {
    said.push(t(table.variant ? "table.solo" : "table.solo.open", { who: name(table.soloist), variant: table.variant }));
  } else if (table.stage === "play") said.push(t("table.no_solo"));
  if (table.last_pot && !table.pot.length && table.stage === "play") {
    said.push(t("table.last.pot", { who: name(table.last_pot.seat), count: table.last_pot.cards }));
  }
  return said;
}

/**
 * What the viewer knows beside the hand: cards laid away, cards that changed hands.
 * @param {any} table
 * @param {(seat: number) => string} name
 * @param {number | null} me
 */
function own(table, name, me) {
  const found = [];
  if (table.laid_away?.length) found.push({ label: t("table.pile.laid_away"), cards: table.laid_away });
  const moved = [...table.transfers, ...table.assigned].filter((/** @type {any} */ transfer) => transfer.card);
  for (const transfer of table.pots > 1 ? [] : moved) {
    const gave = transfer.giver === me;
    const who = name(gave ? transfer.receiver : transfer.giver);
    found.push({ label: t(gave ? "table.pile.gave" : "table.pile.got", { who }), cards: [transfer.card] });
  }
  return found;
}
