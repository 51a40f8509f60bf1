// The scene of each game, by its id.

import { t } from "../i18n.js";
import { oselFours } from "./scenes/osel_fours.js";
import { oselSolo } from "./scenes/osel_solo.js";
import { oselTrumps } from "./scenes/osel_trumps.js";
import { spadesTwo } from "./scenes/spades_two.js";
import { whosTheAss } from "./scenes/whos_the_ass.js";
import { nameOf } from "./names.js";

/** @type {Record<string, import("./scenes/scene.js").Describe>} */
const SCENES = {
  "whos-the-ass": whosTheAss,
  "spades-two": spadesTwo,
  "osel-fours": oselFours,
  "osel-trumps": oselTrumps,
  "osel-two-against-one": oselSolo,
  "osel-three-against-one": oselSolo,
};

/**
 * What a match shows to `me`, a seat or null.
 * @param {import("./names.js").Live} live
 * @param {number | null} me
 */
export function sceneOf(live, me) {
  const scene = SCENES[live.game](live, (seat) => nameOf(live, seat), me);
  return live.status === "playing" ? scene : { ...scene, title: t(`table.status.${live.status}`), notes: [], prompt: "" };
}
