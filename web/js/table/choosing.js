/**
 * Choosing a move card by card. Everything here is pure: what is legal comes from `GET /v1/matches/{match}/moves`, and
 * nothing is worked out that the service has not said.
 *
 * Cards are chosen by their place in the hand, because a hand may have several copies of one card.
 */

/** Moves whose cards go to the others in turn, clockwise: their order is part of the move. */
const IN_ORDER = new Set(["give", "exchange"]);

/** @typedef {Record<string, any> & {type: string}} Move */
/** @typedef {{move: Move, game: string, clause: string, reason: string}} Refused */
/** @typedef {{version: number, seat: number, moves: Move[], refused: Refused[]}} Moves */

/**
 * The cards that a move lays down, gives or throws; null for one that needs none.
 * @param {Move} move
 * @returns {string[] | null}
 */
export function cardsOf(move) {
  if (Array.isArray(move.cards)) return move.cards;
  return typeof move.card === "string" ? [move.card] : null;
}

/**
 * Moves made with cards of the hand.
 * @param {Moves | null} moves
 */
export function cardMoves(moves) {
  return (moves?.moves ?? []).filter((move) => cardsOf(move) !== null);
}

/**
 * Moves made by saying something. An exchange of no cards is one of the cards' moves, too.
 * @param {Moves | null} moves
 */
export function plainMoves(moves) {
  return (moves?.moves ?? []).filter((move) => cardsOf(move) === null);
}

/**
 * Whether the order in which cards are chosen says who gets which. The exchange of two-handed Spades has one taker.
 * @param {Moves | null} moves
 */
export function inOrder(moves) {
  return cardMoves(moves).some((move) => IN_ORDER.has(move.type)) && !cardMoves(moves).some((move) => cardsOf(move)?.length === 0);
}

/**
 * Whether `cards` are the beginning of the cards of `move`, or in any order a part of them.
 * @param {Move} move
 * @param {readonly string[]} cards
 * @param {boolean} ordered
 */
function begins(move, cards, ordered) {
  const wanted = cardsOf(move) ?? [];
  if (cards.length > wanted.length) return false;
  if (ordered) return cards.every((card, place) => wanted[place] === card);
  const left = [...wanted];
  return cards.every((card) => {
    const place = left.indexOf(card);
    if (place < 0) return false;
    left.splice(place, 1);
    return true;
  });
}

/**
 * The places of the hand that can be chosen in addition to those that are: only what can still become a legal move.
 * @param {readonly string[]} hand
 * @param {readonly number[]} chosen
 * @param {Moves | null} moves
 * @returns {Set<number>}
 */
export function selectable(hand, chosen, moves) {
  const ordered = inOrder(moves);
  const cards = chosen.map((place) => hand[place]);
  const open = cardMoves(moves).filter((move) => begins(move, cards, ordered));
  /** @type {Map<string, boolean>} */
  const known = new Map();
  const found = new Set();
  hand.forEach((card, place) => {
    if (chosen.includes(place)) return;
    if (!known.has(card)) known.set(card, open.some((move) => begins(move, [...cards, card], ordered)));
    if (known.get(card)) found.add(place);
  });
  return found;
}

/**
 * The moves that exactly the chosen cards make; several where a joker may count this or that.
 * @param {readonly string[]} hand
 * @param {readonly number[]} chosen
 * @param {Moves | null} moves
 */
export function complete(hand, chosen, moves) {
  const ordered = inOrder(moves);
  const cards = chosen.map((place) => hand[place]);
  return cardMoves(moves).filter((move) => cardsOf(move)?.length === cards.length && begins(move, cards, ordered));
}

/**
 * Whether cards are what is asked for now: then those that cannot be played look it. While a seat bids, none does.
 * @param {Moves | null} moves
 */
export function judged(moves) {
  return cardMoves(moves).length > 0 || plainMoves(moves).some((move) => move.type === "pass" && moves?.refused.length);
}

/**
 * Where a choice is not taken: what is chosen instead when only one card can be. Tapping another card then swaps.
 * @param {Moves | null} moves
 */
export function single(moves) {
  const sizes = new Set(cardMoves(moves).map((move) => cardsOf(move)?.length));
  return sizes.size === 1 && sizes.has(1);
}

/**
 * Why a card cannot be played at all, as the service said it.
 * @param {string} card
 * @param {Moves | null} moves
 */
export function refusal(card, moves) {
  return moves?.refused.find((refused) => cardsOf(refused.move)?.includes(card)) ?? null;
}

/**
 * The move to ask about where `card` does not go with what is chosen; of the kind that is being chosen.
 * @param {string} card
 * @param {readonly string[]} cards
 * @param {Moves | null} moves
 * @returns {Move | null}
 */
export function attempt(card, cards, moves) {
  const kind = cardMoves(moves)[0] ?? moves?.refused.find((refused) => cardsOf(refused.move))?.move;
  if (!kind) return null;
  return "card" in kind ? { type: kind.type, card } : { type: kind.type, cards: [...cards, card] };
}

/**
 * What is left of a choice when the hand or the legal moves have changed.
 * @param {readonly string[]} hand
 * @param {readonly number[]} chosen
 * @param {Moves | null} moves
 */
export function kept(hand, chosen, moves) {
  /** @type {number[]} */
  const still = [];
  for (const place of chosen) {
    if (place < hand.length && selectable(hand, still, moves).has(place)) still.push(place);
  }
  return still;
}
