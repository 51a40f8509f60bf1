// What players note beside the points, game by game: read from the event that scores a hand.

import { t } from "../i18n.js";

/** @typedef {{ [field: string]: any }} Scored the body of a HandScored */

/**
 * A few words for each seat.
 * @type {{ [game: string]: (scored: Scored, seat: number) => (string | false | null | undefined)[] }}
 */
const NOTED = {
  "whos-the-ass": ({ ass }, seat) => [ass === seat && t("sheet.ass")],
  "spades-two": ({ bids, tricks, bags, penalties }, seat) => [bidden(bids[seat], tricks[seat]), t("sheet.bags", { count: bags[seat] }),
    penalties[seat] > 0 && t("sheet.penalty", { n: penalties[seat] })],
  "osel-fours": ({ winner, fours }, seat) => [winner === seat && t("sheet.fours", { ranks: fours.join(" ") }), winner === null && seat === 0 && t("sheet.drawn")],
  "osel-trumps": (scored, seat) => [...jars(scored, seat), scored.out.includes(seat) && t("sheet.out")],
  "osel-two-against-one": (scored, seat) => alone(scored, seat),
  "osel-three-against-one": (scored, seat) => alone(scored, seat),
}; // prettier-ignore

/**
 * @param {string} game
 * @param {Scored} scored
 * @param {number} seat
 * @returns {string[]}
 */
export const notesOf = (game, scored, seat) =>
  (NOTED[game]?.(scored, seat) ?? []).filter((note) => typeof note === "string");

/**
 * @param {number | "double_nil"} bid
 * @param {number} won
 */
const bidden = (bid, won) =>
  bid === "double_nil" ? t("sheet.double", { won }) : bid === 0 ? t("sheet.nil", { won }) : t("sheet.bid", { bid, won });

/**
 * @param {Scored} scored
 * @param {number} seat
 */
const jars = (scored, seat) => [
  t("sheet.captured", { count: scored.card_points[seat] }),
  scored.sevens === seat && t("sheet.sevens"),
  scored.eggs.includes(seat) && t("sheet.eggs"),
];

/**
 * @param {Scored} scored
 * @param {number} seat
 */
const alone = (scored, seat) => [
  scored.soloist === seat && t("sheet.alone"),
  ...jars(scored, seat),
  scored.paid.includes(seat) && t("sheet.paid"),
];
