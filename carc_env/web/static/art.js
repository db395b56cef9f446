// Drawings by key, asked for when they are first used and kept: tiles as images, of which the page
// can show hundreds, all else as symbols, which take the colours of what is around them.

import { s } from "./dom.js";
import { ask, on } from "./store.js";

const drawings = {};
const images = {}; // their addresses, by key
const asked = new Set();
let batch = [];
const waiting = [];

function want(key) {
  if (asked.has(key)) return;
  asked.add(key);
  batch.push(key);
  if (batch.length === 1) queueMicrotask(send);
}

function send() {
  for (let k = 0; k < batch.length; k += 100) ask("art", { keys: batch.slice(k, k + 100) });
  batch = [];
}

on("offline", () => {
  for (const key of asked) if (!drawings[key]) asked.delete(key);
});

on("art", (message) => {
  const defs = document.querySelector("#art defs");
  for (const [key, drawing] of Object.entries(message.drawings)) {
    if (drawings[key]) continue;
    drawings[key] = drawing;
    if (isImage(key)) {
      const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${drawing.box}" width="200" height="200">${drawing.svg}</svg>`;
      images[key] = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
      for (const image of document.querySelectorAll(`image[data-key="${key}"]`)) image.setAttribute("href", images[key]);
      continue;
    }
    const symbol = s("symbol", { id: key, viewBox: drawing.box });
    symbol.innerHTML = drawing.svg; // made by the server from tile facts alone
    defs.append(symbol);
  }
  for (const listener of waiting) listener();
});

export const whenDrawn = (listener) => waiting.push(listener);

export const tileKey = (tile, rotation = 0, bridge = null) =>
  `t:${tile}:${rotation}${bridge ? `:${bridge}` : ""}`;

export const quarterKey = (quarter) => `x:${quarter.toLowerCase()}-quarter`;

const isImage = (key) => key.startsWith("t:") || key === "b";

export function use(key, x, y, width, height = width, props = {}) {
  want(key);
  if (isImage(key)) return s("image", { "data-key": key, href: images[key], x, y, width, height, ...props });
  return s("use", { href: `#${key}`, x, y, width, height, ...props });
}

export function picture(key, label, cls = "tile") {
  const props = { class: `pic ${cls}`, viewBox: "0 0 100 100" };
  Object.assign(props, label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" });
  return s("svg", props, use(key, 0, 0, 100));
}

export const FIGURE_SIZE = 44;
export function figureAt(seat, figure, x, y, { lies = false, size = FIGURE_SIZE } = {}) {
  const turn = lies ? ` rotate(-90)` : "";
  return s("g", { transform: `translate(${x} ${y})${turn}` },
    use(`f:${seat}:${figure}`, -size / 2, -size / 2, size));
}

// The sign of what a click does: a drawing on a disc.
const DRAWN = { floor: "x:floor", fairy: "x:fairy", portal: "x:portal", princess: "x:princess", dragon: "x:dragon", take: "x:castle", ingot: "x:ingot", share: "x:ingot", tunnel: "x:tunnel", ferry: "x:ferry", mage: "x:mage", witch: "x:witch" };
const FIGURES = { wagon: "WAGON" };
export function sign(deed, x, y, r, seat) {
  const inside = (dx, dy, size) => figureAt(seat, FIGURES[deed] || "MEEPLE", x + dx, y + dy, { size });
  const drawing = deed === "top" ? [use("x:floor", x - 0.8 * r, y - 0.35 * r, 1.6 * r), inside(0, -0.25 * r, 1.5 * r)]
    : DRAWN[deed] ? use(DRAWN[deed], x - 0.8 * r, y - 0.8 * r, 1.6 * r) : inside(0, 0, 1.9 * r);
  const bars = deed === "capture" && s("path", { class: "bars", d: [-0.45, 0, 0.45].map((k) => `M${x + k * r} ${y - 0.85 * r}v${1.7 * r}`).join("") });
  return s("g", { class: `sign sign-${deed}` }, s("circle", { cx: x, cy: y, r }), drawing, bars);
}

export const CELLS = 50;
// The segment at a place of a tile; null where there is none, or the tile is not drawn yet.
const cell = (n) => Math.min(CELLS - 1, Math.max(0, Math.floor((n / 100) * CELLS)));
export function segmentAt(key, x, y) {
  const letter = drawings[key]?.map[cell(y) * CELLS + cell(x)] ?? ".";
  return letter === "." ? null : letter.charCodeAt(0) - 97;
}

// Which cells of a tile's ground belong to some of its segments.
export function maskOf(key, segments) {
  const letters = segments.map((segment) => 97 + segment);
  return Uint8Array.from({ length: CELLS * CELLS }, (_, k) => letters.includes(drawings[key]?.map.charCodeAt(k)));
}

// The ground of a segment as a path, row by row.
export function groundOf(key, segment) {
  const drawing = drawings[key];
  if (!drawing) return "";
  const letter = String.fromCharCode(97 + segment);
  const step = 100 / CELLS;
  let path = "";
  for (let r = 0; r < CELLS; r++) {
    const row = drawing.map.slice(r * CELLS, (r + 1) * CELLS);
    for (let c = row.indexOf(letter); c >= 0; c = row.indexOf(letter, c)) {
      let end = c;
      while (row[end] === letter) end++;
      path += `M${c * step} ${r * step}h${(end - c) * step}v${step}h${-(end - c) * step}z`;
      c = end;
    }
  }
  return path;
}
export const kindsOf = (key) => (drawings[key] ? drawings[key].kinds : null);
