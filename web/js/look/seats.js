// Seats and what they are called, and addresses of the views here.

import { apart, t } from "../i18n.js";

/** @import { LiveTable, SeatAtTable } from "../../types/kibitz.js" */

/**
 * Who sits there, or which seat it is where there is no name (any more).
 * @param {SeatAtTable | undefined} seat
 * @param {number} [number]
 */
export const called = (seat, number = seat?.seat ?? 0) => apart(seat?.name || t("look.seat", { n: number }));

/**
 * Name and number: two players may have one name.
 * @param {SeatAtTable} seat
 */
export const calledFully = (seat) => (seat.name ? `${t("look.seat", { n: seat.seat })}: ${apart(seat.name)}` : called(seat));

/**
 * Several of them, as a language joins them.
 * @param {LiveTable} live
 * @param {readonly number[]} seats
 * @param {string} language
 */
export const calledAll = (live, seats, language) =>
  new Intl.ListFormat(language).format(seats.map((seat) => called(live.seats[seat], seat)));

/** @param {string} match */
export const toDisputes = (match) => `#/matches/${match}/disputes`;

/**
 * The form of a dispute about some events.
 * @param {string} match
 * @param {[number, number]} range
 */
export const toNewDispute = (match, [first, last]) => `${toDisputes(match)}?first=${first}&last=${last}`;

/** Whether a match is over: what is shown of it can only be added to by a ruling. @param {LiveTable} live */
export const isOver = (live) => live.status === "finished" || live.status === "abandoned";
