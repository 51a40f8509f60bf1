// The scene of each game, by its id.

import { t } from "../i18n.js";
import { oselFours } from "./scenes/osel_fours.js";
import { oselSolo } from "./scenes/osel_solo.js";
import { oselTrumps } from "./scenes/osel_trumps.js";
import { held } from "./scenes/scene.js";
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
 * A game that has no scene of its own: who sits there, the hand, the moves.
 * @type {import("./scenes/scene.js").Describe}
 */
function plain(live) {
  const sizes = live.table.hand_sizes ?? [];
  return {
    title: "",
    notes: [],
    piles: [],
    plays: [],
    facts: (seat) => (sizes[seat] === undefined ? [] : [held(sizes[seat])]),
    prompt: "",
    own: [],
    unit: t("table.unit.points"),
  };
}

/**
 * What a match shows to `me`, a seat or null.
 * @param {import("./names.js").Live} live
 * @param {number | null} me
 */
export function sceneOf(live, me) {
  const scene = (SCENES[live.game] ?? plain)(live, (seat) => nameOf(live, seat), me);
  return live.status === "playing" ? scene : { ...scene, title: t(`table.status.${live.status}`), notes: [], prompt: "" };
}
