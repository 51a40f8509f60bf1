/**
 * What the table calls things.
 *
 * @typedef {Record<string, any>} Table
 * @typedef {{seat: number, player: string | null, name: string | null, kind: string | null, level: string,
 *   connected: boolean, resigned: boolean}} Sitting
 * @typedef {{match: string, game: string, options: Record<string, any>, status: string, version: number, at: number,
 *   hand: number, host: string, spectators: string, seats: Sitting[], to_act: number[], you: number | null,
 *   table: Table, scores: number[], winners: number[], clock: Clock | null, deadline: number | null,
 *   watching: number}} Live
 * @typedef {{turn_seconds: number, bank_seconds: number | null, deadline: number | null,
 *   seats: {seat: number, since: number | null, deadline: number | null, bank_ms: number}[]}} Clock
 */
import { apart, t } from "../i18n.js";

/**
 * What the player on a seat is called; the seat's number where there is no name. Of bots it is told by a mark that they
 * are, so that their names need not.
 * @param {Live} live
 * @param {number} seat
 */
export function nameOf(live, seat) {
  const { name, kind } = live.seats[seat];
  return apart((kind === "bot" ? name?.replace(/ \(bot\)$/, "") : name) || t("table.seat", { n: seat }));
}

/**
 * The seats clockwise, from `first` on.
 * @param {number} count
 * @param {number} first
 */
export function clockwise(count, first) {
  return Array.from({ length: count }, (_, step) => (first + step) % count);
}
