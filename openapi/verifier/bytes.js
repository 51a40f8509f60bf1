// What everything else is made of: canonical JSON, shapes of values, hashes, derived bytes, base64url.

const { subtle } = globalThis.crypto ?? (await import("node:crypto")).webcrypto; // Node 18 has it in a module only

const utf8 = new TextEncoder();
export const own = (value, name) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : undefined;
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
export const isHidden = (value) => isObject(value) && fits(["hidden"], value);

// The value that `text` writes in JSON; null if it writes none.
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

// JSON with sorted keys, no spaces, whole numbers and ASCII only: there is one way to write a value.
// Throws for what cannot be written so.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (isObject(value)) {
    const fields = Object.keys(value).sort();
    return `{${fields.map((name) => `${canonical(name)}:${canonical(value[name])}`)}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new RangeError("a number is not whole, or too big");
  if (typeof value === "string" && !/^[\0-~]*$/.test(value)) throw new RangeError("there is more than ASCII");
  return JSON.stringify(value);
}

export function isCanonical(text) {
  try {
    return canonical(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

// Whether `value` is of a `kind`, as events.js writes kinds.
export function fits(kind, value) {
  if (!Array.isArray(kind)) {
    if (typeof kind === "string") return ATOMS[kind](value);
    const names = Object.keys(kind).map((name) => [name, name.replace("?", ""), name.endsWith("?")]);
    const known = isObject(value) && Object.keys(value).every((key) => names.some(([, name]) => name === key));
    return known && names.every(([as, name, may]) => (Object.hasOwn(value, name) ? fits(kind[as], value[name]) : may));
  }
  const [word, ...rest] = kind;
  if (word === "one") return rest.includes(value);
  if (word === "any") return rest.some((other) => fits(other, value));
  if (word === "like") return typeof value === "string" && new RegExp(rest[0]).test(value);
  if (word === "list") return Array.isArray(value) && value.every((item) => fits(rest[0], item));
  if (word === "map") return isObject(value) && Object.values(value).every((item) => fits(rest[0], item));
  return fits({ digest: "text", to: ["list", "int"] }, value) && bytesOf(value.digest, 32) !== null; // hidden
}

const ATOMS = {
  int: Number.isSafeInteger,
  text: (value) => typeof value === "string",
  bool: (value) => typeof value === "boolean",
  null: (value) => value === null,
  anything: () => true,
};

function joined(parts) {
  const all = parts.map((part) => (typeof part === "string" ? utf8.encode(part) : part));
  const bytes = new Uint8Array(all.reduce((length, part) => length + part.length, 0));
  all.reduce((place, part) => (bytes.set(part, place), place + part.length), 0);
  return bytes;
}

export const sha256 = async (...parts) => new Uint8Array(await subtle.digest("SHA-256", joined(parts)));
export const digestOf = async (salt, value) => b64u(await sha256(salt, value));

// HKDF with SHA-256 (RFC 5869): salt and key material of a hand in one, then its outputs by their `info`.
export async function handKey(salt, material) {
  return { salt, material: await subtle.importKey("raw", joined(material), "HKDF", false, ["deriveBits"]) };
}
export async function expand({ salt, material }, info, length) {
  const how = { name: "HKDF", hash: "SHA-256", salt, info: utf8.encode(info) };
  return new Uint8Array(await subtle.deriveBits(how, material, 8 * length));
}
export const fieldSalt = (key, hand, version, path) => expand(key, `kibitz/v1/salt/${hand}/${version}/${path}`, 16);

export const b64u = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

// The bytes that `text` writes in base64url without padding; null if there are not `length` or it is written otherwise.
export function bytesOf(text, length) {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    return bytes.length === length && b64u(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
