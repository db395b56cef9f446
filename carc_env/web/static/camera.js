// What of the board is seen: the scale stays while it can, and the board moves only as far as it must.

import { $, put, s } from "./dom.js";
import { t } from "./i18n.js";
import { app, isSet, myTurn, shown } from "./store.js";

export const T = 100;
const svg = $("board");
// It follows the last move, shows the whole board, or stays where somebody has put it; `wish` is a cell
// to be seen in place of the last one.
export const camera = { x: 0, y: 0, k: 1, mode: "follow", wish: null, isNew: true };
const READABLE = 0.52; // of the natural size of a tile: smaller ones cannot be told apart
const CLOSEST = 1.1; // that the board comes by itself
const SLACK = 0.9; // of the scale that fits, so that the next tiles need no other one
const CROPPED = 0.98; // of the board with its margin: what a question takes of the window is no reason to zoom
const LEAST_FIGURE = 22; // px: a meeple is 25 high where a tile is 100
const world = s("g", { class: "world" });
const rims = s("g", { class: "rims" });
const edges = s("g", { class: "edges" });
const followers = [];
export const onMove = (follow) => followers.push(follow);

export function setUp(layers) {
  world.append(...layers);
  svg.append(world, rims, edges);
  let known = 0;
  new ResizeObserver(() => { // a longer question makes the window lower, which is no reason to zoom
    const { width } = size();
    if (camera.mode === "free") move(false);
    else if (width !== known || camera.mode === "all") fit(false);
    else if (shown()) settle(false);
    known = width;
  }).observe(svg);
}

const size = () => svg.getBoundingClientRect();

function move(smooth) {
  world.classList.toggle("smooth", smooth);
  world.style.transform = `translate(${camera.x}px, ${camera.y}px) scale(${camera.k})`;
  svg.style.setProperty("--grow", Math.min(2.6, Math.max(1, LEAST_FIGURE / (25 * camera.k))));
  drawRims();
  for (const follow of followers) follow();
}

export const onScreen = ({ x, y }) => [x * camera.k + camera.x, y * camera.k + camera.y];

// The ends of the board in cells, with what is to be seen beside it and a margin on each side.
function ends(margin) {
  const cells = [...shown().tiles.map((tile) => tile.slice(1, 3)), camera.wish].filter(Boolean);
  const [xs, ys] = [0, 1].map((k) => cells.map((cell) => cell[k]));
  return [Math.min(...xs) - margin, Math.max(...xs) + 1 + margin, Math.min(...ys) - margin, Math.max(...ys) + 1 + margin];
}

function scaleFor([west, east, north, south]) {
  const box = size();
  return Math.min(box.width / ((east - west) * T), box.height / ((south - north) * T), CLOSEST);
}

// Other ways to look at it: the last move, "follow", or "all" of the board, as far as it can be read.
export const showAll = () => watch(camera.mode === "all" ? "follow" : "all");
function watch(mode) {
  camera.mode = mode;
  fit();
}
// Another game is shown, as it fits the window when it is drawn.
export const begin = () => Object.assign(camera, { mode: "follow", isNew: true });
export const end = () => watch("all");

export function fit(smooth = true) {
  if (!shown()) return;
  const isAll = camera.mode === "all";
  const area = ends(isAll ? 0.35 : 1);
  camera.k = Math.max(isAll ? 0.08 : READABLE, scaleFor(area));
  const [west, east, north, south] = area;
  center((west + east) / 2, (north + south) / 2);
  settle(smooth);
}

function center(x, y) {
  const box = size();
  camera.x = box.width / 2 - x * T * camera.k;
  camera.y = box.height / 2 - y * T * camera.k;
}

// After a move. The scale changes only when the board outgrows it, or has become much smaller, and
// never between a tile and its figure.
export function follow(smooth) {
  if (camera.mode === "all" || camera.isNew) { camera.isNew = false; return fit(smooth); }
  const fits = Math.max(READABLE, scaleFor(ends(1)));
  const isPlaced = myTurn() && app.view.actions.every((a) => a.rotation === undefined || a.word === "to");
  const isOutgrown = fits < CROPPED * camera.k;
  if (camera.mode === "follow" && !isPlaced && (isOutgrown || fits > 1.6 * camera.k)) {
    camera.k = isOutgrown ? Math.max(READABLE, SLACK * fits) : fits;
    const [west, east, north, south] = ends(1);
    center((west + east) / 2, (north + south) / 2);
  }
  settle(smooth);
}

// Move as little as possible: first all of the board, where there is room, then the last tile.
function settle(smooth) {
  if (!size().width) return; // it is not there yet
  const [x, y] = camera.wish || shown().tiles.at(-1).slice(1);
  if (camera.mode === "follow") {
    const [west, east, north, south] = ends(1);
    inside("x", west, east, size().width, true);
    inside("y", north, south, size().height, true);
  }
  if (camera.mode !== "all") {
    inside("x", x - 0.5, x + 1.5, size().width);
    inside("y", y - 0.5, y + 1.5, size().height);
  }
  move(smooth);
}

// Bring a stretch of cells into the window; one that is longer than the window fills it.
function inside(axis, low, high, room, fills = false) {
  const [a, b] = [low, high].map((n) => n * T * camera.k + camera[axis]);
  const isLong = b - a > room;
  if (isLong && !fills) camera[axis] += room / 2 - (a + b) / 2;
  else if (isLong ? a > 0 : a < 0) camera[axis] -= a;
  else if (isLong ? b < room : b > room) camera[axis] -= b - room;
}

// Bring cells into view, without another scale.
export function bring(cells, smooth = true) {
  const [xs, ys] = [0, 1].map((k) => cells.map((cell) => cell[k]));
  inside("x", Math.min(...xs) - 0.3, Math.max(...xs) + 1.3, size().width);
  inside("y", Math.min(...ys) - 0.3, Math.max(...ys) + 1.3, size().height);
  move(smooth);
}

const EDGE = 12; // what is closer to the edge is hardly seen
export function isInView(one) {
  const [x, y] = onScreen(one);
  const box = size();
  return x > EDGE && x < box.width - EDGE && y > EDGE && y < box.height - EDGE;
}

export function zoomBy(factor, at = null) {
  const box = size();
  const [px, py] = at || [box.width / 2, box.height / 2];
  const k = Math.min(4, Math.max(0.06, camera.k * factor));
  camera.x = px - ((px - camera.x) * k) / camera.k;
  camera.y = py - ((py - camera.y) * k) / camera.k;
  camera.k = k;
  camera.mode = "free";
  move(false);
}

export function panBy(dx, dy) {
  camera.x += dx;
  camera.y += dy;
  camera.mode = "free";
  move(false);
}

// At each side, how many places lie beyond it; a click brings them into view.
const SIDES = { west: [0, 0.5, "M5-6-4 0 5 6z"], east: [1, 0.5, "M-5-6 4 0-5 6z"], north: [0.5, 0, "M-6 5 0-4 6 5z"], south: [0.5, 1, "M-6-5 0 4 6-5z"] };
export function drawEdges(places) {
  const box = size();
  const beyond = places.filter((one) => !isInView(one));
  const sideOf = (one) => {
    const [x, y] = onScreen(one);
    const over = { west: -x, east: x - box.width, north: -y, south: y - box.height };
    return Object.keys(over).reduce((a, b) => (over[b] > over[a] ? b : a));
  };
  put(edges, Object.entries(SIDES).map(([side, [u, v, arrow]]) => {
    const all = beyond.filter((one) => sideOf(one) === side);
    if (!all.length) return null;
    const label = t(`beyond.${side}`, { n: all.length });
    const at = [Math.min(Math.max(30, u * box.width), box.width - 30), Math.min(Math.max(24, v * box.height), box.height - 24)];
    const go = (event) => { event.stopPropagation(); bring(all.map(({ x, y }) => [Math.floor(x / T), Math.floor(y / T)])); };
    return s("g", { class: "edge", "data-side": side, role: "button", "aria-label": label, transform: `translate(${at})`, onclick: go }, s("title", {}, label),
      s("rect", { x: -26, y: -16, width: 52, height: 32, rx: 16 }), s("path", { d: arrow, transform: "translate(-11 0)" }), s("text", { x: 8, y: 5, "text-anchor": "middle" }, all.length));
  }));
}

// Columns and rows by their numbers, as the log names them, along two sides of the board.
const BAND = 20;
export function toggleRims() {
  localStorage.setItem("rims", isSet("rims") ? "no" : "yes");
  drawRims();
}
function drawRims() {
  if (!shown() || !isSet("rims")) return put(rims);
  const box = size();
  const step = T * camera.k;
  const every = Math.ceil(26 / step); // so that numbers do not touch
  const numbers = (low, high) => Array.from({ length: high - low }, (_, k) => low + k).filter((n) => n % every === 0);
  const text = (x, y, n, kind) => s("text", { x, y: y + 4, class: kind, "data-n": n, "text-anchor": "middle" }, n);
  const [west, east, north, south] = ends(1);
  put(rims,
    s("path", { class: "band", d: `M0 0H${box.width}V${BAND}H${BAND}V${box.height}H0Z` }),
    numbers(west, east).map((n) => [n, camera.x + (n + 0.5) * step]).filter(([, x]) => x > BAND).map(([n, x]) => text(x, BAND / 2, n, "column")),
    numbers(north, south).map((n) => [n, camera.y + (n + 0.5) * step]).filter(([, y]) => y > BAND).map(([n, y]) => text(BAND / 2, y, n, "row")));
}

// The place that something beside the board speaks of; where it cannot be seen, the camera goes there.
let before = null;
export function forgetPlace() { before = null; }
export function place(cells) {
  if (before && !cells.length) {
    Object.assign(camera, before);
    before = null;
    move(true);
  } else if (cells.length && !cells.some(([x, y]) => isInView({ x: (x + 0.5) * T, y: (y + 0.5) * T }))) {
    before ||= { x: camera.x, y: camera.y };
    center(cells[0][0] + 0.5, cells[0][1] + 0.5);
    move(true);
  }
}
