// All features one after the other by a key, for whoever cannot point at the board.

import { kindsOf, tileKey } from "./art.js";
import { on, shown } from "./store.js";
import { showPart } from "./board.js";

let seen = new Set(); // parts of tiles whose feature was shown, as "tile:segment"
let seenAt = null;

on("feature", ({ feature }) => {
  for (const part of feature.extent) seen.add(part.join(":"));
});

// The next feature: those of the last tile first, then back to the first.
export function nextFeature() {
  const view = shown();
  const parts = view.tiles.flatMap(([tile, , , r, bridge], k) =>
    (kindsOf(tileKey(tile, r, bridge)) || []).map((_, segment) => [k, segment])).reverse();
  if (seenAt !== view.ply || parts.every((part) => seen.has(part.join(":")))) seen = new Set();
  seenAt = view.ply;
  const next = parts.find((part) => !seen.has(part.join(":")));
  if (next) showPart(...next);
}
