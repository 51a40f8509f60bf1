// Options of a game as fields of a form, made from the JSON Schema that the service gives: kinds, bounds, defaults and
// descriptions. Labels are ours where there are some (strings/options.*.js), else the names of the schema.

import { known, number, t } from "./i18n.js";

/**
 * A field. `words` are values to choose from; `least` and `most` bound a number. With both, a word may stand for a number.
 * @typedef {{
 *   name: string, label: string, help: string, fallback: Value,
 *   words: Value[], least: number | null, most: number | null,
 * }} Field
 */
/** @typedef {string | number | boolean} Value */

/**
 * The fields of a game's options.
 * @param {string} game
 * @param {any} schema with `$defs`, as `GET /v1/games` has it
 * @returns {Field[]}
 */
export function fields(game, schema) {
  const whole = resolved(schema, schema);
  return Object.entries(whole.properties ?? {}).map(([name, entry]) => {
    const property = resolved(entry, schema);
    const kinds = (property.anyOf ?? [property]).map((/** @type {any} */ one) => resolved(one, schema));
    const ranged = kinds.find((/** @type {any} */ { type }) => type === "integer");
    const words = kinds.flatMap((/** @type {any} */ { enum: values, type }) => values ?? (type === "boolean" ? [false, true] : []));
    return {
      name,
      label: spoken(game, name) ?? name,
      help: spoken(game, `${name}.help`) ?? property.description ?? "",
      fallback: property.default,
      words,
      least: ranged?.minimum ?? null,
      most: ranged?.maximum ?? null,
    };
  });
}

/**
 * What a value of a field is called.
 * @param {string} game
 * @param {string} name
 * @param {Value} value
 */
export function valueName(game, name, value) {
  const text = spoken(game, `${name}.${value}`) ?? spoken("value", String(value));
  return text ?? (typeof value === "number" ? number(value) : String(value));
}

/**
 * What is wrong with a value, in the reader's language; null if it fits.
 * @param {Field} field
 * @param {Value} value
 */
export function wrong({ words, least, most }, value) {
  if (words.includes(value)) return null;
  if (least === null || most === null) return t("form.choose");
  if (typeof value !== "number" || !Number.isInteger(value)) return t("form.whole", { least, most });
  return value < least || value > most ? t("form.between", { least, most }) : null;
}

/**
 * The text of an option: of this game, or of the option wherever it is.
 * @param {string} game
 * @param {string} key
 */
function spoken(game, key) {
  return [`options.${game}.${key}`, `options.${key}`].filter(known).map((found) => t(found))[0];
}

/**
 * @param {any} entry
 * @param {any} whole
 * @returns {any}
 */
function resolved(entry, whole) {
  const path = entry.$ref?.slice(2).split("/") ?? [];
  return entry.$ref ? path.reduce((/** @type {any} */ inside, /** @type {string} */ step) => inside[step], whole) : entry;
}
