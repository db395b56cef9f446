// The ground of features: an outline in the colours of its owners, and sparse hatching inside.

import { s } from "./dom.js";
import { T } from "./camera.js";
import { CELLS, groundOf, maskOf, tileKey } from "./art.js";
import { app, shown } from "./store.js";

const STEP = T / CELLS;
const SIDES = [[0, -1, 0, 0, "h"], [1, 0, 1, 0, "v"], [0, 1, 0, 1, "h"], [-1, 0, 0, 0, "v"]]; // towards a neighbour, and the edge there
const DASH = 7; // cells of the ground, of each owner in turn

export const hatches = () => s("defs", {}, app.hello.seats.map(({ color }, seat) =>
  s("pattern", { id: `hatch-${seat}`, width: 17, height: 17, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${45 + 30 * seat})` },
    s("rect", { width: 2.8, height: 17, fill: color }))));

// `parts` are numbers of tiles and of their segments; the edges are told by the owner who has them.
function edgesOf(parts, n) {
  const { tiles } = shown();
  const segments = new Map(); // by tile
  for (const [number, segment] of parts) segments.set(number, [...(segments.get(number) || []), segment]);
  const grounds = new Map(); // by cell
  for (const [number, own] of segments) {
    const [tile, x, y, r, bridge] = tiles[number];
    grounds.set(`${x},${y}`, { x, y, mask: maskOf(tileKey(tile, r, bridge), own) });
  }
  const paths = Array.from({ length: n }, () => []);
  for (const { x, y, mask } of grounds.values())
    for (const [dx, dy, ex, ey, way] of SIDES) {
      const beyond = grounds.get(`${x + dx},${y + dy}`)?.mask;
      for (let k = 0; k < mask.length; k++) {
        if (!mask[k]) continue;
        const [column, row] = [(k % CELLS) + dx, Math.floor(k / CELLS) + dy];
        const isHere = column >= 0 && row >= 0 && column < CELLS && row < CELLS;
        if ((isHere ? mask : beyond)?.[((row + CELLS) % CELLS) * CELLS + ((column + CELLS) % CELLS)]) continue;
        const [cx, cy] = [x * CELLS + column - dx, y * CELLS + row - dy];
        paths[Math.floor(Math.abs(cx + cy) / DASH) % n].push(`M${(cx + ex) * STEP} ${(cy + ey) * STEP}${way}${STEP}`);
      }
    }
  return paths.map((path) => path.join(""));
}

export function area({ extent, leaders }, name = "") {
  const { tiles } = shown();
  const looks = leaders.length ? leaders.map((seat) => app.hello.seats[seat]) : [{ color: "#fff8dc", dark: "#57483a" }];
  const ground = (seat) => s("g", { fill: `url(#hatch-${seat})` }, extent.map(([number, segment]) => {
    const [tile, x, y, r, bridge] = tiles[number];
    return s("path", { d: groundOf(tileKey(tile, r, bridge), segment), transform: `translate(${x * T} ${y * T})` });
  }));
  const edges = edgesOf(extent, looks.length);
  return s("g", { class: `area-of ${name}` }, leaders.map(ground),
    s("path", { class: "edge-dark", d: edges.join("") }), edges.map((d, k) => s("path", { class: "edge-of", d, style: `stroke:${looks[k].color}` })));
}
