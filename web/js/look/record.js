// What a bundle says of its hands, read in the browser: the deck of each draw, and who held what at the deal.

/** @typedef {{ version: number, type: string, body: { [field: string]: any } }} Event */
/** @typedef {{ version: number, path: string, value: string }} Opening */
/** @typedef {{ match: string, game: string, seats: number, events: string[], openings: Opening[] }} Bundle */
/** @typedef {{ hand: number, draw: number, version: number, lists: string[][] }} Draw */
/** @typedef {{ kind: "lot" | "suits" | "pack" | "pile", names: string[] }} Part */
/** @typedef {{ hand: number, over: boolean, events: Event[] }} Hand */

const MOST_SEATS = 13;
const DEALS = ["CardsDealt", "StockShuffled", "LotsDrawn"];

/**
 * The bundle in `text`; null if there is none in it.
 * @param {string} text
 * @returns {Bundle | null}
 */
export function bundleIn(text) {
  try {
    const found = JSON.parse(text);
    const seated = Number.isSafeInteger(found.seats) && found.seats > 0 && found.seats <= MOST_SEATS;
    const listed = [found.events, found.openings].every(Array.isArray);
    return seated && listed ? { ...found, openings: found.openings.filter(Boolean) } : null;
  } catch {
    return null;
  }
}

/**
 * The hands of a bundle. Events that cannot be read are left out: the verifier says so of them.
 * @param {Bundle} bundle
 * @returns {Hand[]}
 */
export function handsOf(bundle) {
  const events = bundle.events.flatMap(eventIn);
  const start = events.findIndex(({ type }) => type === "MatchStarted");
  /** @type {Hand[]} */
  const hands = [];
  /** @type {Event[]} */
  let under = [];
  for (const event of start < 0 ? [] : events.slice(start + 1)) {
    under.push(event);
    if (event.type !== "HandEnded") continue;
    hands.push({ hand: hands.length + 1, over: true, events: under });
    under = [];
  }
  const left = under.some(({ body }) => body.secret); // a match that ends inside a hand opens it all the same
  if (under.some(({ type }) => DEALS.includes(type))) hands.push({ hand: hands.length + 1, over: left, events: under });
  return hands;
}

/**
 * @param {string} text
 * @returns {Event[]}
 */
function eventIn(text) {
  try {
    const event = JSON.parse(text);
    return event && typeof event.body === "object" && event.body ? [event] : [];
  } catch {
    return [];
  }
}

/**
 * What a draw put in order, in the words of a table: the lot (its first entry is it), trump suits by seat, a pack from
 * its top, or a discard pile. docs/audit-format.md has the lists of each game.
 * @param {Draw} draw
 * @param {Bundle} bundle
 * @returns {Part[]}
 */
export function partsOf({ lists }, { game, seats }) {
  const everySeat = [...Array(seats).keys()].map(String).sort().join();
  /** @type {Part[]} */
  const parts = lists.map((names) => {
    if ([...names].sort().join() === everySeat) return { kind: "lot", names };
    if ([...names].sort().join() === "C,D,H,S") return { kind: "suits", names };
    return { kind: game === "spades-two" && names.length < 52 ? "pile" : "pack", names };
  });
  if (game !== "whos-the-ass") return parts;
  if (parts.length < 2) return parts; // a record that is wrong, as the verifier says
  const [pile, places] = parts.splice(-2); // the ass goes in at the first of the places, counted from the top
  const above = Number(places.names[0]) - 1;
  return [...parts, { kind: "pack", names: [...pile.names.slice(0, above), "ASS", ...pile.names.slice(above)] }];
}

/**
 * What each seat held when the play of a hand began, by the openings of the bundle: null for a seat whose cards are
 * not open. In Spades that is what each kept of the draft.
 * @param {Bundle} bundle
 * @param {Hand} hand
 * @returns {(string[] | null)[]}
 */
export function heldAt(bundle, { events }) {
  const values = new Map(bundle.openings.map(({ version, path, value }) => [`${version} ${path}`, value]));
  const opened = (/** @type {number} */ version, /** @type {string} */ path) => JSON.parse(values.get(`${version} ${path}`) ?? "null");
  const seats = [...Array(bundle.seats).keys()];
  try {
    const deal = events.findLast(({ type }) => type === "CardsDealt"); // after void deals the last one is played
    if (deal) {
      const hands = seats.map((seat) => opened(deal.version, `hands.${seat}`));
      return hands.map((hand) => (Array.isArray(hand) ? hand.map(String) : null));
    }
    const kept = events.filter(({ type }) => type === "CardKept" || type === "CardRejected");
    return seats.map((seat) => {
      const own = kept.filter(({ body }) => body.seat === seat);
      const cards = own.map(({ version, type }) => opened(version, type === "CardKept" ? "card" : "taken"));
      return cards.length && cards.every(Boolean) ? cards : null;
    });
  } catch {
    return seats.map(() => null); // an opening that is no JSON: the verifier says so
  }
}
