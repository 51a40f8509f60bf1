// Verifies the bundle of a Kibitz match without trusting whoever made it. docs/audit-format.md is what it goes by.
//
//   node verify.js BUNDLE [RECEIPTS]         in Node 18 and newer; the exit code is 0, 20, 30, 40, or 5
//   import { verify } from "./verify.js";    in a web page: const { verdict, checks } = await verify(text, receipts);
//
// It needs WebCrypto and nothing else. It does not know the rules: whether every move was legal, every score right and
// everything shown to the right seats is what `kibitz verify` says, which makes the checks below as well.
import { b64u, bytesOf, canonical, digestOf, expand, fieldSalt, fits, handKey, isCanonical, isHidden, own, parsed, sha256 } from "./bytes.js";
import { GAMES, Hidden } from "./deals.js";
import { EVENTS } from "./events.js";

const FORMAT = "kibitz-bundle/1";
const HANDS = 512; // how many secrets the chain of a match has
export const EXIT_CODES = { VALID: 0, INCOMPLETE: 20, DIVERGED: 30, INVALID: 40 };

// `bundle` is the text of the file or its bytes; `receipts` are [{version, head}] that a player saved. The answer is
// {verdict, match, game, versions, head, checks: [{code, ok, text, version}], hands: [{hand, own, opened}], draws}; `ok`
// is null for a check that could not be made. `draws` are what the secrets and seeds led to, whatever the record says:
// [{hand, draw, version, lists}], the lists in the order of docs/audit-format.md. `heard` is told each check as it is
// made, and how many there are. Never throws for what a bundle contains.
export async function verify(bundle, receipts = [], heard = () => {}) {
  const found = { bundle, receipts, texts: [], events: [], hands: [], draws: [] };
  const checks = [];
  for (const [code, rests, check, text] of CHECKS) {
    const failed = rests.filter((other) => !checks.some((made) => made.code === other && made.ok));
    const missing = code === "bundle" || found.says ? failed : ["bundle"];
    try {
      const unmade = missing.length ? `it rests on ${missing.join(" and ")}` : await check(found);
      checks.push({ code, ok: unmade ? null : true, text: unmade ? `Not made: ${unmade}.` : text, version: 0 });
    } catch (error) {
      const said = error instanceof Failed ? error.message : `This cannot be read: ${error.message}`;
      checks.push({ code, ok: false, text: said, version: error.version ?? 0 });
    }
    heard(checks.at(-1), CHECKS.length);
  }
  const { match = "", game = "", head = "" } = found.says ?? {};
  const { hands, draws } = found;
  return { verdict: verdictOf(checks), match, game, versions: found.texts.length, head, checks, hands, draws };
}

function verdictOf(checks) {
  const failed = checks.filter(({ ok }) => ok === false).map(({ code }) => code);
  const unmade = checks.some(({ code, ok }) => ok === null && code !== "receipts"); // nobody has to have receipts
  if (failed.some((code) => code !== "complete" && code !== "receipts")) return "INVALID";
  return failed.includes("receipts") ? "DIVERGED" : failed.length || unmade ? "INCOMPLETE" : "VALID";
}

class Failed extends Error {
  constructor(version, text) {
    super(text);
    this.version = version;
  }
}

function must(holds, version, text) {
  if (!holds) throw new Failed(version, text);
}

// A file that names more seats than any game has is wrong; it does not keep the reader waiting for it.
const MOST_SEATS = 64;
const seatsOf = ({ seats }) => Math.max(0, Math.min(seats, MOST_SEATS));

// --- bundle, bytes, chain ---

const FILE = {
  format: ["one", FORMAT], match: "text", game: ["one", ...Object.keys(GAMES)], seats: "int",
  options: ["map", ["any", "int", "text", "bool"]], versions: "int", head: "text",
  rulebooks: ["list", { game: "text", sha256: "text" }], events: ["list", "text"],
  openings: ["list", { version: "int", path: "text", to: ["list", "int"], salt: "text", value: "text" }],
  keys: ["list", { hand: "int", secret: "text" }],
}; // prettier-ignore
const ENVELOPE = {
  match: "text", version: "int", at: "int", type: "text", schema: "int", seat: ["any", "int", ["one", "system"]],
  cmd: "text", prev: "text", body: ["map", "anything"],
}; // prettier-ignore

async function checkBundle(found) {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const text = typeof found.bundle === "string" ? found.bundle : decoder.decode(found.bundle);
  const says = JSON.parse(text);
  // Two readers must not find two things in one file: no key twice, no number that another reader would round.
  const bare = text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, "$1");
  must(JSON.stringify(says) === bare, 0, "The bundle is not plain JSON: a key stands there twice, or the like.");
  must(fits(FILE, says) && says.events.length, 0, "The bundle does not have the parts of its format.");
  const hashes = await Promise.all(says.events.map(async (event) => b64u(await sha256(Uint8Array.of(0), event))));
  Object.assign(found, { says, texts: says.events, hashes, events: says.events.map(parsed) });
  must(says.versions === hashes.length, 0, "The bundle does not have as many events as it says.");
  must(says.head === hashes.at(-1), hashes.length, "The head is not the hash of the last event.");
  const { match, type, body } = found.events[0] ?? {};
  must(type === "MatchOpened" && fits(EVENTS.match.MatchOpened[1], body), 1, "The first event does not open a match.");
  const told = [match, body.game, body.seats, body.options];
  const same = canonical([says.match, says.game, says.seats, says.options]) === canonical(told);
  must(same, 1, "The bundle names another match, game, number of seats or options than its first event.");
  const books = says.rulebooks.map(({ game }) => game);
  must(canonical(books) === canonical(["match", says.game]), 0, "The bundle does not name its two rule books.");
  const published = found.events.map((event) => event?.body).filter((body) => body?.hand && body.secret);
  const keys = published.map(({ hand, secret }) => ({ hand, secret }));
  must(canonical(says.keys) === canonical(keys), 0, "The keys are not the secrets that the events publish.");
}

function checkBytes({ says, texts, events }) {
  events.forEach((event, place) => {
    const version = place + 1;
    must(isCanonical(texts[place]), version, "The event is not written in its canonical bytes.");
    must(fits(ENVELOPE, event), version, "The event does not have its envelope.");
    const known = own(EVENTS.match, event.type) ?? own(EVENTS[says.game], event.type);
    must(known?.[0] === event.schema, version, `There is no event ${event.type} in schema ${event.schema}.`);
    must(fits(known[1], event.body), version, `A field of this ${event.type} is missing, too many or of another type.`);
    const short = [event.match, event.cmd, event.prev].every((text) => text.length <= 64);
    must(short, version, "An identifier or a hash is too long.");
  });
}

function checkChain({ says, hashes, events }) {
  let at = 0;
  events.forEach((event, place) => {
    const version = place + 1;
    if (event === null) return; // that has been said; its hash still counts for the next one
    must(event.match === says.match && event.version === version, version, "The event does not belong at this place.");
    must(event.prev === (hashes[place - 1] ?? ""), version, "The hash of the event before is not in this one.");
    must(event.at >= at, version, "The event is dated before the one that it follows.");
    at = event.at;
  });
}

// --- seeds: commitments, reveals, anchor, secrets ---

async function checkSeeds(found) {
  const { says, events } = found;
  const seats = Array(seatsOf(says)).fill(null); // on each: {commitment, custody, seed}
  const used = new Set(); // commitments that became void
  const all = (what) => seats.every((seat) => seat?.[what]);
  const commit = ({ seat, commitment, custody }, version) => {
    must(bytesOf(commitment, 32), version, "A commitment is 32 bytes.");
    const again = used.has(commitment) || seats.some((other) => other?.commitment === commitment);
    must(!again, version, "This commitment was made before in this match: a seed serves once.");
    seats[seat] = { commitment, custody, seed: "" };
  };
  let salt = "";
  let started = false;
  let known = { hand: 0, secret: bytesOf(events[0].body.anchor, 32) };
  must(known.secret, 1, "The anchor is 32 bytes.");
  found.published = [];
  found.secrets = new Map();
  found.handOf = [];
  let hand = 1;
  for (const { type, version, prev, body } of events) {
    found.handOf.push(hand);
    must((type === "MatchOpened") === (version === 1), version, "A match is opened once, by its first event.");
    const { seat } = body;
    if (/^(Seat(Taken|Left|PutOut)|Seed)/.test(type)) {
      must(!started && seat >= 0 && seat < says.seats, version, "Seats and seeds are settled before the start.");
      must((seats[seat] === null) === (type === "SeatTaken"), version, "The seat is taken, or it is not.");
    }
    if (type === "SeatTaken") commit(body, version);
    if (type === "SeatLeft") seats[seat] = null;
    if (type === "SeedCommitted") {
      must(!seats[seat].commitment, version, "This seat has committed to a seed.");
      commit(body, version);
    }
    if (type === "SeedRevealed") {
      must(all("commitment") && !seats[seat].seed, version, "Seeds are revealed once, when all have committed.");
      const seed = bytesOf(body.seed, 32);
      const kept = seed && b64u(await sha256(seed)) === seats[seat].commitment && body.custody === seats[seat].custody;
      must(kept, version, "The seed is not the one that its seat has committed to.");
      salt ||= prev;
      seats[seat].seed = body.seed;
    }
    if (type === "SeatPutOut") {
      seats.forEach((other) => other && used.add(other.commitment) && Object.assign(other, { commitment: "", seed: "" }));
      seats[seat] = null;
      salt = "";
    }
    if (type === "MatchStarted") {
      must(!started && all("seed"), version, "A match starts once, when every seat has revealed its seed.");
      must(body.salt === salt, version, "The salt is not the hash of the event before the first reveal.");
      started = true;
    }
    if (type === "HandEnded") must(body.hand === hand++, version, "This is not the hand that was played.");
    if (body.secret) {
      const secret = bytesOf(body.secret, 32);
      must(secret && body.hand === found.handOf.at(-1) && body.hand <= HANDS, version, "This is no secret of this hand.");
      let below = secret;
      for (let number = body.hand; number > known.hand; number--) below = await link(says.match, number, below);
      must(b64u(below) === b64u(known.secret), version, `The secret of hand ${body.hand} does not lead to the anchor.`);
      known = { hand: body.hand, secret };
      found.published.push({ hand: body.hand, secret: body.secret });
      const material = [secret, ...seats.map((sitting) => bytesOf(sitting.seed, 32))];
      found.secrets.set(body.hand, await handKey(bytesOf(salt, 32), material));
    }
  }
  const mine = seats.flatMap((sitting, seat) => (sitting?.custody === "own" ? [seat] : []));
  found.hand = hand; // the one that is under way or comes next
  found.hands = found.published.map(({ hand }) => ({ hand, own: mine, opened: true }));
}

// x_{j-1} from x_j, j being `number`.
export const link = (match, number, secret) =>
  sha256("kibitz/v1/chain\0", match, "\0", Uint8Array.of(number >> 8, number & 255), secret);

// --- deals ---

async function checkDeals({ says, events, secrets, handOf, draws: told }) {
  const table = GAMES[says.game](seatsOf(says), says.options);
  let [hand, draws] = [1, 0];
  for (const [place, { type, version, body }] of events.entries()) {
    if (handOf[place] !== hand) [hand, draws] = [handOf[place], 0];
    const key = secrets.get(hand);
    const expect = own(table, type);
    if (!key || !expect) continue;
    const inOrder = async (named) => {
      const lists = await drawn(key, `kibitz/v1/draw/${hand}/${draws + 1}`, named);
      if (table.draws.includes(type)) told.push({ hand, draw: draws + 1, version, lists });
      return lists;
    };
    const expected = await expect(body, hand, inOrder);
    if (table.draws.includes(type)) draws++;
    if (!expected) continue;
    const sealed = await seal(expected, (path) => fieldSalt(key, hand, version, path));
    must(canonical(sealed) === canonical(body), version, `The secrets and the seeds lead to another ${type}.`);
  }
}

// `lists`, each in random order, one after another from one stream of words.
export async function drawn(key, info, lists) {
  const stream = words(key, info);
  const orders = [];
  for (const list of lists) {
    const order = [...list];
    for (let place = order.length - 1; place > 0; place--) {
      const other = await below(place + 1, stream);
      [order[place], order[other]] = [order[other], order[place]];
    }
    orders.push(order);
  }
  return orders;
}

export async function below(bound, stream) {
  const limit = 2 ** 32 - (2 ** 32 % bound);
  for (;;) {
    const { value } = await stream.next();
    if (value < limit) return value % bound;
  }
}

// 32-bit words without end: 2040 from `info`, then from info/1, info/2, ...
export async function* words(key, info) {
  for (let block = 0; ; block++) {
    const data = new DataView((await expand(key, block ? `${info}/${block}` : info, 8160)).buffer);
    for (let place = 0; place < 8160; place += 4) yield data.getUint32(place);
  }
}

// The sealed form of what a table expects: each Hidden as {digest, to}.
async function seal(value, saltOf, path = "") {
  if (value instanceof Hidden) {
    return { digest: await digestOf(await saltOf(path), canonical(value.value)), to: value.to };
  }
  if (value === null || typeof value !== "object") return value;
  const inside = path && `${path}.`;
  const parts = Object.entries(value).map(async ([name, part]) => [name, await seal(part, saltOf, inside + name)]);
  const sealed = await Promise.all(parts);
  return Array.isArray(value) ? sealed.map(([, part]) => part) : Object.fromEntries(sealed);
}

// --- openings, complete, receipts ---

async function checkOpenings({ says, events, secrets, handOf }) {
  const seen = new Set();
  for (const { version, path, to, salt, value } of says.openings) {
    const field = path.split(".").reduce((part, step) => own(part, step), events[version - 1]?.body);
    must(isHidden(field), version, `There is nothing hidden at ${path}.`);
    must(!seen.has(`${version} ${path}`), version, `There are two openings of ${path}.`);
    seen.add(`${version} ${path}`);
    must(canonical(to) === canonical(field.to), version, `The opening of ${path} is for other seats than its event says.`);
    const bytes = bytesOf(salt, 16);
    must(bytes && isCanonical(value), version, `The opening of ${path} is not written as it should be.`);
    must((await digestOf(bytes, value)) === field.digest, version, `The opening of ${path} does not fit its digest.`);
    const hand = handOf?.[version - 1];
    const key = secrets?.get(hand);
    const derived = !key || b64u(await fieldSalt(key, hand, version, path)) === salt;
    must(derived, version, `The salt of ${path} does not follow from the secret of its hand.`);
  }
}

function checkComplete({ says, events, handOf, hand, secrets }) {
  const opened = new Set(says.openings.map(({ version, path }) => `${version} ${path}`));
  const ended = events.some(({ type }) => type === "MatchEnded" || type === "MatchAbandoned");
  events.forEach(({ version, body }, place) => {
    const hidden = ended || handOf[place] < hand ? hiddenPaths(body) : [];
    must(!hidden.length || secrets.has(handOf[place]), version, `The secret of hand ${handOf[place]} is missing.`);
    const closed = hidden.filter((path) => !opened.has(`${version} ${path}`));
    must(!closed.length, version, `Of a hand that is over, ${closed.join(", ")} is not opened.`);
  });
}

function hiddenPaths(value, path = "") {
  if (value === null || typeof value !== "object") return [];
  if (isHidden(value)) return [path];
  return Object.entries(value).flatMap(([name, part]) => hiddenPaths(part, path ? `${path}.${name}` : name));
}

function checkReceipts({ says, hashes, receipts }) {
  const mine = receipts.filter(({ match }) => !match || match === says.match);
  for (const { version, head } of mine) {
    must(version <= hashes.length, version, `A receipt is for event ${version}, and the record ends before it.`);
    must(hashes[version - 1] === head, version, "A receipt has another head than the record at this event.");
  }
  return mine.length ? "" : "there is no receipt of this match";
}

const CHECKS = [
  ["bundle", [], checkBundle, "The file has the parts of a bundle, and they say what its first event says."],
  ["bytes", [], checkBytes, "Every event is in its canonical bytes, and of a known type."],
  ["chain", [], checkChain, "Every event is at its place, after the one before it, and carries its hash."],
  ["seeds", ["bytes"], checkSeeds, "Every seed fits its commitment, and every secret leads to the anchor."],
  ["deals", ["seeds"], checkDeals, "Every draw follows from the secrets and the seeds."],
  ["openings", ["bytes"], checkOpenings, "Every opening fits its digest, its readers and its derived salt."],
  ["complete", ["seeds"], checkComplete, "Every hand that is over is open."],
  ["receipts", [], checkReceipts, "No receipt contradicts the record."],
];

// --- from the command line ---

async function main([path, receipts]) {
  const { readFile } = await import("node:fs/promises");
  if (!path) return stop("usage: node verify.js BUNDLE [RECEIPTS]");
  const [bundle, told] = await Promise.all([path, receipts].map((name) => name && readFile(name).catch(() => null)));
  if (!bundle) return stop(`${path} cannot be read`);
  const read = told === undefined ? [] : receiptsIn(told);
  if (!read) return stop(`there are no receipts in ${receipts}`);
  const report = await verify(bundle, read);
  for (const { code, ok, text, version } of report.checks) {
    const mark = ok === null ? "-" : ok ? "ok" : "NO";
    console.log(`${mark.padEnd(3)} ${code.padEnd(9)} ${text}${version ? ` (event ${version})` : ""}`);
  }
  for (const { hand, own } of report.hands) {
    console.log(`hand ${hand}: seeds of their own from ${own.length ? `seats ${own.join(", ")}` : "no seat"}`);
  }
  console.log(`${report.verdict} ${report.game} ${report.match}, ${report.versions} events, head ${report.head}`);
  process.exitCode = EXIT_CODES[report.verdict];
}

// The receipts of a file: an array of them, or one on each line. Null if there are none.
function receiptsIn(file) {
  if (!file) return null;
  const text = String(file).trim();
  const lines = text.split("\n").filter((line) => line.trim());
  const found = parsed(text) ?? lines.map(parsed);
  const all = Array.isArray(found) ? found : [found];
  const good = all.every((receipt) => Number.isSafeInteger(receipt?.version) && typeof receipt.head === "string");
  return good ? all : null;
}

function stop(said) {
  console.error(said);
  process.exitCode = 5; // as of `kibitz verify`
}

if (globalThis.process?.argv?.[1] && import.meta.url === (await import("node:url")).pathToFileURL(process.argv[1]).href) {
  await main(process.argv.slice(2));
}
