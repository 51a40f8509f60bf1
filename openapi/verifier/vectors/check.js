// Holds the verifier beside this folder to the vectors in it: node check.js. What is written here for each file is
// also how to read it. Prints how many vectors were met; the exit code is 1 if one was not.
import { readFile } from "node:fs/promises";
import * as format from "../bytes.js";
import { GAMES, Hidden } from "../deals.js";
import { below, drawn, link, words } from "../verify.js";

const vectors = async (name) => JSON.parse(await readFile(new URL(`${name}.json`, import.meta.url), "utf-8"));
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (data) => [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const keyOf = ({ salt, secret, seeds }) => format.handKey(bytes(salt), [secret, ...seeds].map(bytes));
let met = 0;

function equal(found, wanted, what) {
  if (JSON.stringify(found) === JSON.stringify(wanted)) met++;
  else {
    console.error(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
    process.exitCode = 1;
  }
}

const { rewritten, refused } = await vectors("canonical");
for (const { text, canonical } of rewritten) equal(format.canonical(JSON.parse(text)), canonical, "canonical");
for (const text of refused) equal(format.isCanonical(text), false, `refused ${text}`);

const { match, secrets } = await vectors("chain");
let secret = bytes(secrets[512]);
for (let number = 512; number > 0; number--) {
  secret = await link(match, number, secret);
  if (secrets[number - 1]) equal(hex(secret), secrets[number - 1], `secret ${number - 1}`);
}

const chance = await vectors("words");
const stream = words(await keyOf(chance.hand), chance.words.info);
for (let place = 0; place <= 4081; place++) {
  const { value } = await stream.next();
  if (place in chance.words.at) equal(value, chance.words.at[place], `word ${place}`);
}
for (const { bound, words, place } of chance.below) equal(await below(bound, words.values()), place, `below ${bound}`);

const salts = await vectors("salts");
for (const { version, path, salt, value, digest } of salts.fields) {
  const found = await format.fieldSalt(await keyOf(salts.hand), 1, version, path);
  equal(hex(found), salt, `salt of ${path}`);
  equal(await format.digestOf(found, value), digest, `digest of ${path}`);
}

for (const { text, hash } of await vectors("events")) {
  equal(format.isCanonical(text), true, "event");
  equal(format.b64u(await format.sha256(Uint8Array.of(0), text)), hash, "hash");
}

for (const { game, seats, options, hand, draws } of await vectors("decks")) {
  const [table, key] = [GAMES[game](seats, options), await keyOf(hand)];
  for (const [number, { lists, orders, events }] of draws.entries()) {
    for (const { type, body } of events.filter(({ type }) => type in table)) {
      const expected = await table[type](body, 1, async (named) => {
        equal(named, lists, `${game}: lists`);
        const order = await drawn(key, `kibitz/v1/draw/1/${number + 1}`, named);
        equal(order, orders, `${game}: orders`);
        return order;
      });
      const clear = JSON.parse(JSON.stringify(expected, (_, part) => (part instanceof Hidden ? { ...part } : part)));
      equal(format.canonical(clear), format.canonical(body), `${game}: ${type}`);
    }
  }
}
console.log(`${met} vectors met`);
