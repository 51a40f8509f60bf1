// What the draws of every game must have led to: from the orders that chance gave, the events that record them.
//
// GAMES[id](seats, options) is a table. Its methods are named after types of events; each is told the event's `body`,
// the number of its `hand`, and `draw`, which puts lists into the random order of the draw that is due (index 0 is on
// top). It gives the body that the record must have, hidden values in the clear, or nothing if no draw decided it.
// `draws` names the types of events that use up a draw. docs/audit-format.md has the same as a table in words.

// A value that only the seats in `to` may see; the record has its digest instead.
export class Hidden {
  constructor(to, value) {
    this.to = to;
    this.value = value;
  }
}

const SUITS = ["S", "H", "D", "C"];
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const pack = (ranks) => SUITS.flatMap((suit) => ranks.map((rank) => rank + suit));
const rankOf = (card) => card.slice(0, -1);
const suitOf = (card) => card.slice(-1);

const mod = (number, seats) => ((number % seats) + seats) % seats;
const everySeat = (seats) => [...Array(seats).keys()];
const lotOf = (seats) => everySeat(seats).map(String);
const sorted = (cards, order) => [...cards].sort((a, b) => order.indexOf(a) - order.indexOf(b));
const without = (hand, cards) => hand.filter((card) => !cards.includes(card));
// `seats` in the order of play from `first` on, whether that is one of them or not.
const inTurn = (seats, first) => [...seats].sort((a, b) => (a < first) - (b < first) || a - b);
// Clockwise from the seat after `dealer`, who is the last.
const turnsAfter = (dealer, seats) => everySeat(seats).map((step) => mod(dealer + 1 + step, seats));
const hiddenHands = (hands) => hands.map((hand, seat) => new Hidden([seat], hand));

// Cards one at a time: the seat at place i of `turns` gets every card at i, i + turns.length, ... ; the others none.
const dealt = (cards, turns, seats, order) =>
  everySeat(seats).map((seat) =>
    sorted(turns.includes(seat) ? cards.filter((_, i) => i % turns.length === turns.indexOf(seat)) : [], order),
  );

// --- Who's the Ass? ---

const NUMBERS = [...Array(13).keys()].map((i) => String(i + 1));
const PILE = [...NUMBERS.flatMap((number) => Array(8).fill(number)), ...Array(5).fill("J")]; // 109, without the ass
const PLACES = [...Array(39).keys()].map((i) => String(i + 1)); // of the ass, from the top
const ASS_ORDER = [...NUMBERS, "J", "ASS"];
const ASS_EACH = (seats) => (seats <= 8 ? 13 : 21 - seats); // 12, 11, 10, 9 cards for 9, 10, 11, 12 seats

function whosTheAss(seats, options) {
  let dealer = null;
  return {
    draws: ["CardsDealt"],
    async ScorekeeperChosen(_, hand, draw) {
      const [lot] = await draw([lotOf(seats), PILE, PLACES]); // the same draw as that of the first deal
      return { seat: Number(lot[0]) };
    },
    async CardsDealt(_, hand, draw) {
      const first = dealer === null;
      const lists = await draw(first ? [lotOf(seats), PILE, PLACES] : [PILE, PLACES]);
      const [cards, places] = lists.slice(-2);
      dealer = first ? mod(Number(lists[0][0]) + 1, seats) : mod(dealer + (options.dealer === "rotate"), seats);
      const above = Number(places[0]) - 1;
      const pile = [...cards.slice(0, above), "ASS", ...cards.slice(above)];
      const inPlay = seats * ASS_EACH(seats);
      const hands = dealt(pile.slice(0, inPlay), turnsAfter(dealer, seats), seats, ASS_ORDER);
      return {
        hand,
        dealer,
        starter: hands.findIndex((cards) => cards.includes("ASS")),
        hands: hiddenHands(hands),
        undealt: new Hidden([], sorted(pile.slice(inPlay), ASS_ORDER)),
      };
    },
  };
}

// --- Spades for two ---

const FRENCH = pack(RANKS);

function spadesTwo(seats, options) {
  let first = null;
  let stock, turns, drawn, discarded, received, thrown;
  return {
    draws: ["StockShuffled", "ReplacementsDrawn"],
    async StockShuffled(_, hand, draw) {
      const lists = await draw(first === null ? [lotOf(2), FRENCH] : [FRENCH]);
      first = first === null ? Number(lists[0][0]) : 1 - first;
      stock = lists.at(-1);
      [turns, discarded, received, thrown] = [0, [], [], 0];
      return { hand, first, stock: new Hidden([], [...stock]) };
    },
    CardDrawn() {
      const seat = turns++ % 2 ? 1 - first : first;
      drawn = stock.shift();
      return { seat, card: new Hidden([seat], drawn) };
    },
    CardKept({ seat }) {
      const card = stock.shift();
      discarded.push(card);
      const readers = { hidden: [], drawer: [seat] }[options.skipped_card];
      return { seat, card: new Hidden([seat], drawn), skipped: readers ? new Hidden(readers, card) : card };
    },
    CardRejected({ seat }) {
      discarded.push(drawn);
      return { seat, rejected: new Hidden([seat], drawn), taken: new Hidden([seat], stock.shift()) };
    },
    CardsThrown({ count }) {
      thrown = count;
    },
    async ReplacementsDrawn({ seat }, hand, draw) {
      const pile = sorted(without(discarded, received), FRENCH);
      const [order] = await draw([pile]);
      const cards = sorted(order.slice(0, thrown), FRENCH);
      received.push(...cards);
      return { seat, count: thrown, cards: new Hidden([seat], cards) };
    },
  };
}

// --- Osel, fours ---

const BY_RANK = RANKS.flatMap((rank) => SUITS.map((suit) => rank + suit));

function oselFours(seats) {
  let dealer = null;
  return {
    draws: ["CardsDealt"],
    async CardsDealt(_, hand, draw) {
      const lists = await draw(dealer === null ? [lotOf(seats), FRENCH] : [FRENCH]);
      dealer = dealer === null ? Number(lists[0][0]) : mod(dealer + 1, seats);
      const cards = lists.at(-1);
      const inPlay = seats * Math.floor(52 / seats);
      const hands = dealt(cards.slice(0, inPlay), turnsAfter(dealer, seats), seats, BY_RANK);
      const aside = new Hidden([], sorted(cards.slice(inPlay), BY_RANK));
      return { hand, dealer, active: mod(dealer + 1, seats), hands: hiddenHands(hands), aside };
    },
  };
}

// --- what the trump games of Osel share ---

const OSEL = pack(RANKS.slice(4)); // as the dealer names them: 6 7 8 9 10 J Q K A of each suit
const STRENGTH = ["6", "7", "8", "9", "J", "Q", "K", "10", "A"];
const BY_STRENGTH = pack(STRENGTH); // as hands are ordered
const strength = (card) => STRENGTH.indexOf(rankOf(card));

// --- Osel, trumps ---

function oselTrumps(seats, options) {
  let dealer = null;
  let active = everySeat(seats);
  let hands, stock, opener, leader;
  const play = ({ seat, cards }) => {
    hands[seat] = without(hands[seat], cards);
  };
  // Whose four of a kind is the strongest and not the leader's own: that seat is asked whether it claims the lead.
  const asked = () => {
    const four = (hand) => hand.length === 4 && new Set(hand.map(rankOf)).size === 1;
    const fours = everySeat(seats).filter((seat) => four(hands[seat]));
    const [best] = fours.sort((a, b) => strength(hands[b][0]) - strength(hands[a][0]));
    return best === undefined || best === leader ? null : best;
  };
  return {
    draws: ["LotsDrawn", "CardsDealt"],
    async LotsDrawn(_, hand, draw) {
      const byLot = options.trump_option === 1 && options.personal_trumps === "lot";
      const [lot, suits] = await draw(byLot ? [lotOf(seats), SUITS] : [lotOf(seats)]);
      dealer = Number(lot[0]);
      return { dealer, trumps: everySeat(seats).map((seat) => (byLot ? suits[seat] : null)) };
    },
    async CardsDealt(_, hand, draw) {
      const [cards] = await draw([OSEL]);
      if (opener !== undefined) [dealer] = inTurn(active, opener);
      opener = undefined;
      const turns = inTurn(active, dealer + 1);
      const inPlay = 4 * turns.length;
      hands = dealt(cards.slice(0, inPlay), turns, seats, BY_STRENGTH);
      stock = cards.slice(inPlay);
      const diamonds = hands.flatMap((cards, seat) => cards.filter((card) => suitOf(card) === "D").map((c) => [c, seat]));
      diamonds.sort(([a], [b]) => strength(a) - strength(b));
      leader = hand === 1 && diamonds.length ? diamonds[0][1] : turns[0];
      return { hand, dealer, leader, asked: asked(), hands: hiddenHands(hands), stock: new Hidden([], stock) };
    },
    CardsLed(body) {
      opener ??= body.seat; // who leads first in a hand deals the next one
      play(body);
    },
    CardsPlayed: play,
    PotTaken({ seat }) {
      leader = seat;
    },
    HandsRefilled() {
      const turns = inTurn(active, leader);
      const count = turns.length * (4 - hands[leader].length);
      const drawn = dealt(stock.slice(0, count), turns, seats, BY_STRENGTH);
      stock = stock.slice(count);
      hands = hands.map((hand, seat) => [...hand, ...drawn[seat]]);
      return { drawn: hiddenHands(drawn), asked: asked() };
    },
    HandScored({ out }) {
      active = active.filter((seat) => !out.includes(seat));
    },
  };
}

// --- Osel, one against the rest ---

const TOP_FOUR = ["AS", "10S", "KS", "QS"];
const LADDER = [...STRENGTH.map((rank) => rank + "D"), ...STRENGTH.map((rank) => rank + "S")];

function oselSolo(seats, options) {
  let dealer = null;
  let opener, turns, hands, talon;
  let again = false; // after a void deal the same dealer deals again
  const lowestTrump = (hand) => Math.min(LADDER.length, ...hand.map((c) => LADDER.indexOf(c)).filter((i) => i >= 0));
  return {
    draws: ["CardsDealt"],
    async CardsDealt(_, hand, draw) {
      const lists = await draw(dealer === null ? [lotOf(seats), OSEL] : [OSEL]);
      dealer = dealer === null ? Number(lists[0][0]) : again ? dealer : opener;
      const cards = lists.at(-1);
      turns = turnsAfter(dealer, seats);
      hands = dealt(cards.slice(0, 36 - seats), turns, seats, BY_STRENGTH);
      talon = cards.slice(36 - seats);
      const oneHasAll = hands.some((cards) => TOP_FOUR.every((card) => cards.includes(card)));
      again = options.redeal !== "never" && oneHasAll === (options.redeal === "one_has_top4");
      const lowest = Math.min(...hands.map(lowestTrump));
      const asked = again ? null : turns.find((seat) => lowestTrump(hands[seat]) === lowest);
      return { hand, dealer, void: again, asked, hands: hiddenHands(hands), talon: new Hidden([], talon) };
    },
    SoloDeclared({ seat }) {
      opener = seat;
    },
    TalonTaken({ seat }) {
      return { seat, cards: new Hidden([seat], sorted(talon, BY_STRENGTH)) };
    },
    TalonShared() {
      const cards = everySeat(seats).map((seat) => talon[turns.indexOf(seat)]);
      opener = everySeat(seats).find((seat) => [...hands[seat], cards[seat]].includes("6S"));
      return { cards: cards.map((card, seat) => new Hidden([seat], card)), leader: opener };
    },
  };
}

export const GAMES = {
  "whos-the-ass": whosTheAss,
  "spades-two": spadesTwo,
  "osel-fours": oselFours,
  "osel-trumps": oselTrumps,
  "osel-two-against-one": oselSolo,
  "osel-three-against-one": oselSolo,
};
