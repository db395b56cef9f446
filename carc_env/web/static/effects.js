// What is heard, made here and now, and scoring that is seen on the board: what is complete is outlined,
// its tiles are counted, figures fly home, and scores tick. A click or key ends that.

import { $, h, put, s } from "./dom.js";
import { signed } from "./i18n.js";
import { figureAt } from "./art.js";
import { area } from "./areas.js";
import { T, onScreen } from "./camera.js";
import { app, ask, isSet, myTurn, on, shown } from "./store.js";

export const isAnimated = () => isSet("animated") && !matchMedia("(prefers-reduced-motion: reduce)").matches;

// Notes: frequency in Hz, when they begin and how long they last in seconds.
const SOUNDS = {
  place: [[196, 0, 0.07], [131, 0.03, 0.09]],
  score: [[659, 0, 0.12], [880, 0.09, 0.2]],
  turn: [[523, 0, 0.16]],
  end: [[523, 0, 0.25], [659, 0.12, 0.25], [784, 0.24, 0.5]],
};
const VOLUME = 0.12;

let context = null;
function sound(name) {
  if (!isSet("sound")) return;
  context ||= new AudioContext();
  context.resume();
  for (const [frequency, begins, lasts] of SOUNDS[name]) {
    const start = context.currentTime + begins;
    const tone = new OscillatorNode(context, { type: "triangle", frequency });
    const volume = new GainNode(context, { gain: VOLUME });
    volume.gain.setValueAtTime(VOLUME, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + lasts);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + lasts);
  }
}

export const ended = () => sound("end");

// Lines of the log that are new, and how the game stood before them.
export function happened(fresh, before) {
  const gained = fresh.flatMap((entry) => entry.gained || []).filter((g) => g.points && g.place);
  if (!app.view.over) sound(gained.length ? "score" : myTurn() ? "turn" : "place");
  finish();
  if (!gained.length || app.view.over || !isAnimated()) return;
  awaited = { gained, before, ply: app.view.ply };
  ask("areas", { ply: app.view.ply, places: gained.map((g) => g.place) });
}

// ------------------------------------------------------------------------------ on the board

const SHOW = 900; // ms
const OWN = ["CITY", "ROAD", "FIELD", "MONASTERY", "GARDEN", "LINES"]; // what scores for itself
let awaited = null; // the scoring whose areas the server has yet to send
let show = null; // what is shown

// What was scored, until something else is looked at.
export function still(gained) {
  finish();
  awaited = { gained, ply: app.view.ply };
  ask("areas", { ply: app.view.ply, places: gained.map((g) => g.place) });
}

on("areas", ({ ply, places, areas }) => {
  if (!places || awaited?.ply !== ply || shown()?.ply !== ply) return;
  const { gained, before } = awaited;
  awaited = null;
  $("layer-rise").classList.toggle("still", !before);
  const heights = new Map(); // of several owners of one feature
  const parts = gained.flatMap((g, k) => {
    const key = g.place.slice(0, 2).join();
    heights.set(key, (heights.get(key) ?? -1) + 1);
    return scoring(g, areas[k], heights.get(key));
  });
  put($("layer-rise"), parts);
  if (!before) { show = { flights: [] }; return; }
  const flights = before.figures.filter((one) => !app.view.figures.some((other) => sameFigure(one, other))).map(flight);
  show = { flights, scores: before.scores, begins: performance.now() };
  requestAnimationFrame(tick);
});

const sameFigure = (a, b) => a.seat === b.seat && a.figure === b.figure && a.at.join() === b.at.join();

function scoring(g, { extent }, number) {
  const { color, dark } = app.hello.seats[g.seat];
  const { tiles } = app.view;
  const [x, y] = g.place;
  const isRound = g.kind === "MONASTERY" || g.kind === "GARDEN";
  const cells = isRound ? tiles.map((tile) => tile.slice(1, 3)).filter(([cx, cy]) => Math.max(Math.abs(cx - x), Math.abs(cy - y)) < 2)
    : [...new Map(extent.map(([tile]) => [tile, tiles[tile].slice(1, 3)])).values()];
  const counted = cells.map(([cx, cy], k) => s("rect", { class: "counted", x: cx * T + 3, y: cy * T + 3, width: T - 6, height: T - 6, rx: 5, style: `stroke:${color};animation-delay:${(500 * k) / cells.length}ms` }));
  const [, lastX, lastY] = tiles.at(-1);
  const from = !OWN.includes(g.kind) && s("path", { class: "taken", "marker-end": "url(#arrow)", d: `M${(lastX + 0.5) * T} ${(lastY + 0.5) * T}L${(x + 0.5) * T} ${(y + 0.5) * T}` });
  return [from && s("defs", {}, s("marker", { id: "arrow", viewBox: "0 0 10 10", refX: 6, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto" }, s("path", { d: "M0 0 10 5 0 10z", fill: "#fffdf5" }))),
    isRound ? null : area({ extent, leaders: [g.seat] }, "scored"), counted, from,
    s("text", { class: "risen", "text-anchor": "middle", x: (x + 0.5) * T, y: (y + 0.6) * T - number * 34, style: `fill:${color};stroke:${dark}` }, signed(g.points))].filter(Boolean);
}

// Where somebody's points stand: beside the board, or in the strip above it.
const panelsOf = (seat) => ["#players .player", "#strip .brief"].map((selector) => document.querySelectorAll(selector)[seat]).filter((one) => one?.getClientRects().length);

function flight({ seat, figure, x, y }) {
  const board = $("board").getBoundingClientRect();
  const [px, py] = onScreen({ x, y });
  const to = (panelsOf(seat).find((one) => one.getBoundingClientRect().top < innerHeight) || $("board")).getBoundingClientRect();
  const node = h("div", { class: "flight" }, s("svg", { viewBox: "-20 -20 40 40" }, figureAt(seat, figure, 0, 0, { size: 40 })));
  document.body.append(node);
  const at = (left, top, k) => ({ transform: `translate(${left - 22}px, ${top - 22}px) scale(${k})` });
  node.animate([at(board.left + px, board.top + py, 1), at(board.left + px, board.top + py - 20, 1.5), at(to.left + 30, to.top + to.height - 14, 0.6)], { duration: SHOW, easing: "ease-in-out", fill: "forwards" });
  return node;
}

function tick() {
  if (!show?.scores) return;
  const share = Math.min(1, (performance.now() - show.begins) / SHOW);
  app.view.scores.forEach((score, seat) => {
    const now = Math.round(show.scores[seat] + (score - show.scores[seat]) * share);
    for (const panel of panelsOf(seat)) panel.querySelector(".points b, :scope > b").textContent = now;
  });
  share < 1 ? requestAnimationFrame(tick) : finish();
}

function finish() {
  awaited = null;
  if (!show) return;
  for (const node of show.flights) node.remove();
  put($("layer-rise"));
  show = null;
  ask.drawSoon(); // with the scores as they are
}
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, finish, true);
