// Where the seats are around a table: evenly along a rounded edge, clockwise, the viewer at the bottom.

const STEPS = 720;
const ROUNDNESS = 2 / 3.6; // 1 is an ellipse, 0 a rectangle

/**
 * Places in hundredths of width and height. The seat of the viewer has none: it is below the table, with its hand.
 * @param {number} seats how many are around the table
 * @param {boolean} whole all around (a spectator's view), or only left, top and right
 * @param {number} flat height of the table by its width
 * @returns {{ x: number, y: number }[]} from the left neighbour on, or from the bottom
 */
export function around(seats, whole, flat) {
  const [begin, end] = whole ? [90, 450] : [140, 400]; // degrees, clockwise from the right
  /** @type {{ x: number, y: number, length: number }[]} */
  const line = [];
  for (let step = 0; step <= STEPS; step += 1) {
    const angle = ((begin + ((end - begin) * step) / STEPS) * Math.PI) / 180;
    const [x, y] = [50 + 50 * bent(Math.cos(angle)), 50 + 50 * bent(Math.sin(angle))];
    const before = line.at(-1);
    line.push({ x, y, length: before ? before.length + Math.hypot(x - before.x, (y - before.y) * flat) : 0 });
  }
  const all = line[STEPS].length;
  return Array.from({ length: seats }, (_, seat) => {
    const wanted = (all * (whole ? seat : seat + 0.5)) / seats;
    const found = line.findIndex(({ length }) => length >= wanted);
    const next = found < 0 ? STEPS : Math.max(1, found);
    const [from, to] = [line[next - 1], line[next]];
    const part = Math.min(1, (wanted - from.length) / (to.length - from.length || 1));
    return { x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y) };
  });
}

/** @param {number} value */
function bent(value) {
  return Math.sign(value) * Math.abs(value) ** ROUNDNESS;
}
