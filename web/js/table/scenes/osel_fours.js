// Osel, fours: swaps with the left neighbour, open to the two of them or sealed.

import { cardName } from "../../cards.js";
import { t } from "../../i18n.js";
import { deals, fact, held, prompted } from "./scene.js";

/** @type {import("./scene.js").Describe} */
export function oselFours(live, name, me) {
  const table = live.table;
  const sealed = live.options.return_mode === "sealed";
  const swapping = table.active !== null;
  return {
    title: swapping ? t("table.circuit", { n: table.circuit, max: table.max_circuits }) : t("table.between"),
    notes: notes(table, name, sealed),
    piles: [
      ...(table.cards_aside ? [aside(table)] : []),
      ...lastSwap(table, name),
    ],
    plays: swapping ? [table.active, table.partner].map((seat) => put(table, seat, sealed)) : [],
    facts: (seat) => [
      held(table.hand_sizes[seat]),
      ...(seat === table.active ? [fact("gives", {}, "mark")] : []),
      ...(seat === table.partner ? [fact("returns", {}, "mark")] : []),
      ...deals(seat, table.dealer),
    ],
    prompt: prompted(live, me, () => {
      const other = name(me === table.active ? table.partner : table.active);
      if (sealed) return t("table.do.swap_sealed", { who: other });
      if (me === table.active) return t("table.do.swap_give", { who: other });
      return t("table.do.swap_return", { who: other, card: cardName(table.card) });
    }),
    own: [],
    unit: t("table.unit.wins"),
  };
}

/**
 * What a seat has put into the swap under way.
 * @param {any} table
 * @param {number} seat
 * @param {boolean} sealed
 */
function put(table, seat, sealed) {
  const chosen = table.chosen.includes(seat);
  const waits = sealed ? "table.swap.chooses" : seat === table.active ? "table.swap.gives" : "table.swap.returns";
  return { seat, cards: chosen ? [table.card] : [], note: t(chosen ? (sealed ? "table.swap.sealed" : "table.swap.given") : waits) };
}

/** @param {any} table */
function aside(table) {
  const label = t("table.pile.aside");
  return table.aside ? { label, cards: table.aside } : { label, count: table.cards_aside };
}

/**
 * @param {any} table
 * @param {(seat: number) => string} name
 */
function lastSwap(table, name) {
  const last = table.last_swap;
  if (!last) return [];
  const label = t("table.pile.last_swap", { who: name(last.seat), other: name(last.partner) });
  return [{ label, cards: [last.given, last.returned] }];
}

/**
 * @param {any} table
 * @param {(seat: number) => string} name
 * @param {boolean} sealed
 */
function notes(table, name, sealed) {
  const said = [t("table.target", { count: table.target })];
  if (sealed && table.active !== null) said.push(t("table.sealed"));
  const last = table.last_hand;
  if (last && (table.active === null || table.swaps === 0)) {
    const fours = last.fours.map((/** @type {string} */ rank) => t(`card.fours.${rank}`)).join(", ");
    said.push(last.winner === null ? t("table.last.drawn") : t("table.last.fours", { who: name(last.winner), fours }));
  }
  return said;
}
