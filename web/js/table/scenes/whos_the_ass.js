// Who's the Ass?: rounds of groups of cards, and ass rounds.

import { t } from "../../i18n.js";
import { deals, fact, held, prompted } from "./scene.js";

/** @type {import("./scene.js").Describe} */
export function whosTheAss(live, name, me) {
  const table = live.table;
  const laid = table.turns.filter((/** @type {any} */ turn) => !turn.passed);
  const highest = Math.max(0, ...laid.map((/** @type {any} */ turn) => turn.value));
  const taker = laid.findLast((/** @type {any} */ turn) => turn.value === highest);
  const leading = table.turn !== null && table.turns.length === 0;
  return {
    title: table.ass_round ? t("table.ass.round") : t("table.round", { game: table.game, n: table.round }),
    alarm: table.ass_round,
    notes: notes(table, name),
    piles: table.discarded ? [{ label: t("table.pile.discarded"), count: table.discarded }] : [],
    plays: table.turns.map((/** @type {any} */ turn) => ({
      seat: turn.seat,
      cards: turn.cards,
      note: turn.passed ? t("table.passed") : turn.cards.includes("J") ? t("table.counts", { n: turn.value }) : "",
      top: turn === taker,
    })),
    facts: (seat) => [
      held(table.hand_sizes[seat]),
      ...(seat === table.ass_holder ? [{ text: "", label: t("table.fact.ass"), tone: "bad", donkey: true }] : []),
      ...(seat === table.starter ? [fact("starts", {}, "mark")] : []),
      ...deals(seat, table.dealer),
    ],
    prompt: prompted(live, me, () => {
      if (table.ass_round) return t("table.do.ass_card");
      if (leading) return t(table.ass_banned ? "table.do.lead_banned" : "table.do.lead");
      return t("table.do.raise", { count: table.cards_needed, value: table.to_beat });
    }),
    own: [],
    unit: t("table.unit.minus"),
  };
}

/**
 * @param {any} table
 * @param {(seat: number) => string} name
 */
function notes(table, name) {
  const said = [];
  if (table.ass_round) said.push(t("table.ass.how"));
  else if (table.cards_needed) said.push(t("table.to_beat", { count: table.cards_needed, value: table.to_beat }));
  const last = table.last_round;
  if (last && table.turns.length < 2) {
    said.push(t(last.ass_round ? "table.last.ass_taken" : "table.last.round", { who: name(last.seat), count: last.cards }));
  }
  if (table.scorekeeper !== null && table.round <= 1) said.push(t("table.scorekeeper", { who: name(table.scorekeeper) }));
  return said;
}

