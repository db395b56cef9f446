// The board: tiles, figures, what can be done on it, what a feature is; moving and zooming.

import { $, h, put, s, button, icon, iconPath, badge } from "./dom.js";
import { T, bring, camera, drawEdges, follow, forgetPlace, isInView, onMove, onScreen, panBy, place as lookAtPlace, setUp as setUpCamera, showAll, toggleRims, zoomBy } from "./camera.js";
import { area, hatches } from "./areas.js";
import { t } from "./i18n.js";
import { FIGURE_SIZE, figureAt, segmentAt, sign, tileKey, use, whenDrawn } from "./art.js";
import { act, app, ask, emit, hasHints, isDrawn, myTurn, on, shown } from "./store.js";
import { sums } from "./sums.js";
import { doesWords, groundLabel, kindLabel, whyWords } from "./words.js";

const svg = $("board");
const layer = {};
let drawn = []; // keys of the tiles that are on the board
let hover = null;

export function setUp() {
  const names = ["ground", "tiles", "last", "castles", "owned", "feature", "open", "figures", "neutral", "targets", "advice", "ghost", "place", "rise"];
  for (const name of names) layer[name] = s("g", { class: `layer-${name}`, id: `layer-${name}` });
  setUpCamera(Object.values(layer));
  svg.append((layer.loupe = s("g", { class: "layer-loupe" })));
  put($("zoom"),
    button(icon("plus"), () => zoomBy(1.3), { title: t("zoom.in"), ariaLabel: t("zoom.in") }),
    button(icon("minus"), () => zoomBy(1 / 1.3), { title: t("zoom.out"), ariaLabel: t("zoom.out") }),
    button(icon("grid"), toggleRims, { title: t("zoom.rims"), ariaLabel: t("zoom.rims") }),
    button(icon("owners"), showOwners, { title: t("zoom.owners"), ariaLabel: t("zoom.owners") }),
    button(icon("fit"), showAll, { title: t("zoom.fit"), ariaLabel: t("zoom.fit") }));
  listen();
  onMove(() => (needsLoupe() === Boolean(layer.loupe.firstChild) ? placeLoupe() : drawTargets()));
  whenDrawn(() => { if (hover) showFeature(); askOwners(); });
}

// The place that something beside the board speaks of.
export function showPlace(cells) {
  put(layer.place, cells.map(([x, y]) => s("rect", { class: "place-mark", "data-cell": `${x},${y}`, x: x * T + 1, y: y * T + 1, width: T - 2, height: T - 2, rx: 5 })));
  lookAtPlace(cells);
}

// In board units, where an event is; over the loupe, what that shows there.
function onBoard(event) {
  const inside = event.target.closest?.(".loupe")?.firstChild || layer.tiles;
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(inside.getScreenCTM().inverse());
  return [x, y];
}

// ---------------------------------------------------------------------------------- drawing

export function draw() {
  const view = shown();
  forgetPlace();
  put(layer.place);
  leaveFeature(); // what it said may no longer be so
  if (!view) { drawn = []; for (const l of Object.values(layer)) put(l); return; }
  if (!layer.ground.firstChild) put(layer.ground, hatches());
  drawTiles(view);
  put(layer.last, frames(view));
  put(layer.castles);
  layer.castles.innerHTML = view.castles.join("") + (view.town || "") + view.ferries; // the server's own drawings
  put(layer.figures, view.figures.map((f) => figure(f, view)));
  layer.neutral.innerHTML = view.neutral;
  drawTargets();
  askOwners();
  svg.setAttribute("aria-label", t("board.label", { n: view.tiles.length }));
}

function drawTiles(view) {
  const keys = view.tiles.map(([tile, x, y, r, bridge]) => `${tileKey(tile, r, bridge)}@${x},${y}`);
  let same = 0;
  while (same < drawn.length && drawn[same] === keys[same]) same++;
  while (layer.tiles.childNodes.length > same) layer.tiles.lastChild.remove();
  const isNew = keys.length - same === 1 && drawn.length > 0;
  for (const [tile, x, y, r, bridge] of view.tiles.slice(same)) {
    layer.tiles.append(
      s("g", { class: `placed ${isNew ? "new" : ""}`, "data-x": x, "data-y": y, transform: `translate(${x * T} ${y * T})` },
        s("g", { class: "pop" },
          s("rect", { class: "shade", width: 102, height: 103, rx: 3 }), s("rect", { class: "blank", width: 100, height: 100 }),
          use(tileKey(tile, r, bridge), 0, 0, T),
          s("rect", { class: "rim", x: 0.4, y: 0.4, width: 99.2, height: 99.2 }))));
  }
  const grew = drawn.length !== keys.length || same !== drawn.length;
  drawn = keys;
  camera.wish = betterAction()?.cell || null;
  if (grew || camera.wish || camera.isNew) follow(isNew);
}

// Frames around the last tile and, in the colours of their owners, all placed since your last turn.
function frames(view) {
  const isMe = ({ seat }) => !view.sitters[seat].agent && (seat === view.decider || view.sitters[view.decider].agent);
  const mine = [...view.log].reverse().find(isMe)?.turn ?? (view.log.at(-1)?.turn ?? 0) - view.sitters.length;
  const since = view.over ? [] : view.log.filter((entry) => entry.move.tile && entry.move.cell && entry.turn > mine);
  const last = view.tiles.at(-1).slice(1, 3);
  const frame = ([x, y], name, color) => s("rect", { class: name, x: x * T, y: y * T, width: T, height: T, rx: 3, style: color && `stroke:${color}` });
  const target = view.target && s("rect", { class: "target-cell", x: view.target[0] * T + 4, y: view.target[1] * T + 4, width: 92, height: 92, rx: 6 });
  return [frame(last, "frame-dark"), frame(last, "frame"),
    since.map(({ move, seat }) => [frame(move.cell, "frame-dark"), frame(move.cell, "frame owned", app.hello.seats[seat].color)]), target];
}

function figure(f, view) {
  const label = t("figure.on", { who: view.sitters[f.seat].name, figure: t(`figure.${f.figure}`), where: groundLabel(f.on) });
  const isFarmer = f.on === "FIELD" && f.figure !== "BARN";
  const { color } = app.hello.seats[f.seat];
  return s("g", { class: `standing ${f.waits ? "waits" : ""} ${f.on === "CITY" ? "in-city" : ""}` },
    s("title", {}, label), f.on === "LINES" && slab(f.x, f.y), isFarmer && s("ellipse", { class: "disc", cx: f.x, cy: f.y, rx: 19, ry: 13, style: `stroke:${color}` }),
    figureAt(f.seat, f.figure, f.x, f.y, { lies: f.lies, size: f.on === "LINES" ? 0.85 * FIGURE_SIZE : FIGURE_SIZE }));
}

// Who lies at a monastery does so on stone with a red cross, of which the ends show; farmers do not.
function slab(x, y) {
  const [w, h] = [19, 13.5];
  const rect = (cls) => s("rect", { class: cls, x: x - w, y: y - h, width: 2 * w, height: 2 * h, rx: 2.6 });
  return [rect("slab"), s("path", { class: "slab-cross", d: `M${x - w} ${y}h${2 * w}M${x} ${y - h}v${2 * h}` }), rect("slab-rim")];
}

// ------------------------------------------------------------------- what can be done on it

// What is no figure, but chosen like one where several of it can come to one spot.
const SIGNS = ["mage", "tunnel", "witch"];
export const isOfAKind = (a) => a.spot !== undefined && SIGNS.includes(a.kind);
export const kindOf = (a) => `${a.kind}${a.number ?? ""}`;
export const isSign = (name) => SIGNS.some((sign) => name.startsWith(sign));

// The actions that lie on the board, as targets: places for the tile, spots, bridges, cells.
function targets() {
  if (!myTurn()) return [];
  const view = app.view;
  const found = [];
  const cells = new Map();
  for (const a of view.actions) {
    if (app.deed && !a.deeds?.includes(app.deed)) continue;
    if (a.rotation !== undefined && a.word !== "to") {
      const key = a.cell.join();
      if (!cells.has(key)) {
        cells.set(key, { type: "cell", cell: a.cell, x: a.cell[0] * T + 50, y: a.cell[1] * T + 50, actions: [] });
        found.push(cells.get(key));
      }
      cells.get(key).actions.push(a);
    } else if (a.kind === "bridge") {
      if (app.figure === "bridge")
        found.push({ type: "bridge", action: a, cell: a.cell, x: a.cell[0] * T + 50 + (a.axis === "NS" ? 0 : 0.1), y: a.cell[1] * T + 50 });
    } else if (isOfAKind(a)) {
      if (app.figure === kindOf(a)) found.push({ type: "spot", action: a, x: a.x, y: a.y });
    } else if (a.spot !== undefined) {
      if (a.word !== "figure" || a.figure === app.figure) found.push({ type: "spot", action: a, x: a.x, y: a.y });
    } else if (a.area !== undefined) {
      if (a.figure === undefined || a.figure === app.figure) found.push({ type: "area", action: a, x: a.x, y: a.y });
    } else if (a.cell !== undefined) {
      found.push({ type: "to", action: a, cell: a.cell, x: a.cell[0] * T + 50, y: a.cell[1] * T + 50 });
    }
  }
  return apart(found);
}

// Rings do not touch: those of places that lie close together move apart, each a little.
const APART = 30; // from middle to middle
const ASTRAY = 10; // at most, from where the figure will stand
const RING = 16;
const LEAST_RING = 8; // that can be seen and hit
function apart(found) {
  const rings = found.filter((one) => one.type === "spot");
  for (const one of rings) Object.assign(one, { homeX: one.x, homeY: one.y });
  const pairs = rings.flatMap((one, k) => rings.slice(k + 1).map((other) => [one, other]));
  const near = pairs.filter(([one, other]) => Math.hypot(other.x - one.x, other.y - one.y) < APART + 2 * ASTRAY);
  for (let round = 0; round < 60; round++) {
    for (const [one, other] of near) {
      const isSame = other.x === one.x && other.y === one.y; // they part to the sides
      const [dx, dy] = isSame ? [1, 0] : [other.x - one.x, other.y - one.y];
      const gap = Math.hypot(dx, dy);
      if (gap >= APART) continue;
      const push = (APART - (isSame ? 0 : gap)) / 2 / gap;
      one.x -= dx * push;
      one.y -= dy * push;
      other.x += dx * push;
      other.y += dy * push;
    }
    for (const one of rings) {
      const away = Math.hypot(one.x - one.homeX, one.y - one.homeY);
      if (away <= ASTRAY) continue;
      one.x = one.homeX + ((one.x - one.homeX) * ASTRAY) / away;
      one.y = one.homeY + ((one.y - one.homeY) * ASTRAY) / away;
    }
  }
  const least = Math.min(...near.map(([one, other]) => Math.hypot(other.x - one.x, other.y - one.y)));
  for (const one of rings) one.ring = Math.max(LEAST_RING, Math.min(RING, 0.46 * least - 2));
  return found;
}

let lit = new Map(); // what can be chosen, by how it is drawn
export function drawTargets() {
  const found = targets();
  drawLoupe(found);
  lit = new Map(found.map((one) => [target(one), one]));
  const [near, far] = [true, false].map((is) => [...lit].filter(([, one]) => Boolean(one.isNear) === is).map(([node]) => node));
  put(layer.targets, far);
  layer.loupe.firstChild?.append(...near, s("rect", { class: "loupe-rim", ...focus, "pointer-events": "none" }));
  placeLoupe();
  put(layer.ghost, ghost());
  put(layer.advice, advice());
}

// A loupe over the tile whose spots are chosen, where they are too small to hit.
const LARGE = 110; // px: a tile of this size needs no loupe
const LOUPE = 150; // px: the size of a tile in it
const BRIM = 24; // around its tiles, in board units
const MOST_TILES = 3; // beside each other in it
let focus = null; // what the loupe shows, in board units
const isSmall = (one) => one.type === "spot" || (one.type === "area" && one.action.area[2] - one.action.area[0] < 0.6 * T);
const needsLoupe = () => T * camera.k < LARGE && lit.size > 0 && [...lit.values()].some(isSmall);

function drawLoupe(found) {
  put(layer.loupe);
  let near = found.filter(isSmall);
  if (!near.length || T * camera.k >= LARGE) return;
  const spread = (of) => Math.max(...near.map(of)) - Math.min(...near.map(of)) + 1;
  const cellOf = (k) => (one) => one.action.cell[k];
  const [, x, y] = app.view.tiles.at(-1);
  if (Math.max(spread(cellOf(0)), spread(cellOf(1))) > MOST_TILES) near = near.filter(({ action: { cell } }) => cell[0] === x && cell[1] === y);
  if (!near.length) return;
  for (const one of near) one.isNear = true;
  const [left, top] = [0, 1].map((k) => Math.min(...near.map(cellOf(k))) * T - BRIM);
  focus = { x: left, y: top, width: spread(cellOf(0)) * T + 2 * BRIM, height: spread(cellOf(1)) * T + 2 * BRIM };
  const view = s("svg", { class: "loupe", viewBox: `${left} ${top} ${focus.width} ${focus.height}` }, s("rect", { class: "loupe-ground", ...focus }),
    ["tiles", "castles", "figures", "neutral"].map((name) => s("use", { href: `#layer-${name}`, class: "loupe-layer" })));
  put(layer.loupe, view);
}

function placeLoupe() {
  drawEdges([...lit.values()].filter((one) => !one.isNear));
  const view = layer.loupe.firstChild;
  const box = svg.getBoundingClientRect();
  if (!view || !box.width) return;
  const k = Math.min(LOUPE / T, (box.width - 16) / focus.width, (box.height - 16) / focus.height);
  const [width, height] = [focus.width * k, focus.height * k];
  const [x, y] = onScreen({ x: focus.x + focus.width / 2, y: focus.y + focus.height / 2 });
  const at = (middle, size, room) => Math.max(8, Math.min(middle - size / 2, room - 8 - size));
  for (const [name, value] of Object.entries({ x: at(x, width, box.width), y: at(y, height, box.height), width, height })) view.setAttribute(name, value);
}

const seatColor = () => app.hello.seats[app.view.decider].color;

function target(found) {
  const isHere = app.cursor && found.x === app.cursor.x && found.y === app.cursor.y;
  const props = { class: `target ${found.type} ${isHere ? "cursor" : ""}`, role: "img", "aria-label": labelOf(found), onclick: (event) => { event.stopPropagation(); choose(found); } };
  const { action } = found;
  if (found.type === "spot") return s("g", props, ringOf(found));
  if (found.type === "area") {
    const [left, top, right, bottom] = action.area;
    const isFerry = action.kind === "ferry";
    return s("g", { ...props, class: `${props.class} ${isFerry ? "ferry-sides" : ""}`, "data-quarter": action.quarter },
      s("rect", { class: "place", x: left, y: top, width: right - left, height: bottom - top, rx: 7, style: `stroke:${seatColor()}` }),
      isFerry && s("path", { class: "way", d: wayOf(action) }));
  }
  const [x, y] = found.cell;
  if (found.type === "bridge") {
    const isNS = action.axis === "NS";
    return s("g", props,
      s("rect", { class: "span", x: x * T + (isNS ? 36 : 4), y: y * T + (isNS ? 4 : 36), width: isNS ? 28 : 92, height: isNS ? 92 : 28, rx: 9 }),
      s("path", { class: "span-mark", d: isNS ? `M${x * T + 50} ${y * T + 14}v72` : `M${x * T + 14} ${y * T + 50}h72` }));
  }
  return s("g", { ...props, "data-cell": `${x},${y}`, onpointerenter: (e) => hovers(e) && tryOn(found, false) },
    s("rect", { class: "place", x: x * T + 5, y: y * T + 5, width: 90, height: 90, rx: 9 }),
    found.type === "cell" ? s("path", { class: "cross", d: `M${x * T + 50} ${y * T + 40}v20M${x * T + 40} ${y * T + 50}h20` }) : signsOf(found));
}

// The way of a ferry, from one side of its tile to another.
const AHEAD = { N: [0, -1], E: [1, 0], S: [0, 1], W: [-1, 0] };
function wayOf({ area: [left, top, right, bottom], axis }) {
  const [x, y, r] = [(left + right) / 2, (top + bottom) / 2, (right - left) / 2 - 3];
  const [a, b] = [...axis].map((side) => AHEAD[side].map((step) => step * r));
  return `M${x + a[0]} ${y + a[1]}L${x} ${y}L${x + b[0]} ${y + b[1]}`;
}

// A ring, which lies where the figure will; with the sign of what is done to one that stands there.
function ringOf({ action, x, y, ring }) {
  const shape = action.lies ? { rx: ring, ry: 0.7 * ring } : { rx: ring, ry: ring };
  const [deed] = action.deeds;
  const who = action.figure || (deed === "wagon" ? "WAGON" : null);
  return [s("ellipse", { class: "reach", cx: x, cy: y, rx: ring, ry: ring }),
    s("ellipse", { class: "ring", cx: x, cy: y, ...shape, style: `stroke:${seatColor()}` }),
    action.worth !== undefined && s("text", { class: "open-count", x, y: y + ring + 20, "text-anchor": "middle" }, `+${action.worth}`),
    who ? s("g", { class: "shadow-figure" }, figureAt(action.seat ?? app.view.decider, who, x, y, { lies: action.lies, size: 2.05 * ring })) : sign(deed, x, y, 0.8 * ring, app.view.decider)];
}

// The signs of all that can be done on a cell, in a row at its upper rim.
function signsOf({ action, cell: [x, y] }) {
  const n = action.deeds.length;
  const r = n > 2 ? 11.5 : 17;
  return action.deeds.map((deed, k) => sign(deed, x * T + 50 + (k - (n - 1) / 2) * (2 * r + 1), y * T + 23, r, app.view.decider));
}

export function labelOf(found) {
  if (found.type === "cell") return t("target.cell", { x: found.cell[0], y: found.cell[1], n: found.actions.length });
  const words = doesWords(found.action);
  return found.type === "to" ? `${found.cell.join(", ")}: ${words}` : words;
}

// A tile is tried first and placed with a second step; everything else is done at once.
export function choose(found) {
  if (!isDrawn()) return;
  if (found.type === "cell") {
    const again = app.ghost && app.ghost.pinned && app.ghost.cell.join() === found.cell.join();
    if (!again) return tryOn(found, true);
    return found.actions.length > 1 ? rotate(1) : emit("refused", t("why.again"));
  }
  leaveFeature();
  act(found.action);
}

function tryOn(found, pinned) {
  if (!isDrawn() || found.type !== "cell" || (app.ghost && app.ghost.pinned && !pinned)) return;
  const wanted = app.ghost ? app.ghost.rotation : 0;
  const a = found.actions.find((one) => one.rotation === wanted) || found.actions[0];
  app.ghost = { cell: found.cell, rotation: a.rotation, actions: found.actions, pinned };
  if (pinned) app.cursor = { x: found.x, y: found.y };
  if (pinned) drawTargets();
  else put(layer.ghost, ghost());
  emit("ghost");
}

export function rotate(step) {
  const now = app.ghost;
  if (!now) {
    app.spin = ((app.spin || 0) + step + 4) % 4;
    return emit("ghost");
  }
  const order = now.actions.map((a) => a.rotation).sort();
  now.rotation = order[(order.indexOf(now.rotation) + step + order.length) % order.length];
  drawTargets();
  emit("ghost");
}

export function place() {
  if (!app.ghost) return;
  const a = app.ghost.actions.find((one) => one.rotation === app.ghost.rotation);
  if (a) act(a);
  leaveFeature();
}

function ghost() {
  const now = app.ghost;
  if (!now || !myTurn()) return null;
  const [x, y] = now.cell;
  const tile = now.actions[0].tile;
  const [bx, by, axis] = now.actions.find((a) => a.rotation === now.rotation)?.brings || []; // without which it does not fit
  const isOwn = bx === x && by === y;
  const under = axis && app.view.tiles.find((one) => one[1] === bx && one[2] === by);
  const many = now.actions.length > 1;
  const corner = (cx, cy, name, go, cls) =>
    s("g", { class: `knob ${cls}`, transform: `translate(${cx} ${cy})`, onclick: (e) => { e.stopPropagation(); go(); } },
      s("circle", { r: 15 }), s("g", { transform: "translate(-9 -9) scale(.75)" }, iconPath(name)));
  return s("g", { class: `try ${now.pinned ? "pinned" : ""}`, onpointerleave: () => dropGhost(false) },
    s("g", { onclick: (e) => { e.stopPropagation(); const f = targets().find((one) => one.cell && one.cell.join() === now.cell.join()); if (f) choose(f); } },
      under && use(tileKey(under[0], under[3], axis), bx * T, by * T, T, T, { class: "ghost-tile" }),
      use(tileKey(tile, now.rotation, isOwn ? axis : null), x * T, y * T, T, T, { class: "ghost-tile" }),
      s("rect", { class: "ghost-rim", x: x * T, y: y * T, width: T, height: T, rx: 3, style: `stroke:${seatColor()}` })),
    now.pinned && many && corner(x * T + 4, y * T + 4, "turn", () => rotate(1), "spin"),
    now.pinned && corner(x * T + 96, y * T + 96, "check", place, "yes"));
}

export function dropGhost(all = true) {
  if (app.ghost && (all || !app.ghost.pinned)) {
    app.ghost = null;
    put(layer.ghost);
    emit("ghost");
  }
}

// The coach's opinion over the board: how many points behind the best action each one is.
function advice() {
  const lines = app.coach && app.coach.ply === shown().ply && app.coach.version === shown().version ? app.coach.lines : null;
  const view = shown();
  const found = [];
  const better = betterAction();
  if (better) found.push(betterMove(better, view));
  if (!lines || !hasHints()) return found;
  const size = Math.min(1.7, Math.max(1, 0.85 / camera.k));
  const seen = new Set();
  const byAction = new Map(view.actions.map((a) => [a.action, a]));
  for (const line of lines) {
    const a = byAction.get(line.action);
    if (!a || (a.figure && app.figure && a.figure !== app.figure) || (isOfAKind(a) && kindOf(a) !== app.figure)) continue;
    const at = a.area ? [a.x, a.y + 14] : a.spot !== undefined ? [a.x, a.y + 27] : a.cell ? [a.cell[0] * T + 50, a.cell[1] * T + 80] : null;
    if (!at || seen.has(at.join())) continue;
    seen.add(at.join());
    const { lost } = line;
    found.push(s("g", { class: `opinion ${grade(lost)}`, transform: `translate(${at}) scale(${size})` },
      s("rect", { x: -25, y: -11, width: 50, height: 22, rx: 11 }),
      s("rect", { class: "gauge", x: -20, y: 6, width: 40 * Math.exp(-lost / 6), height: 3, rx: 1.5 }),
      s("text", { y: 3.5, "text-anchor": "middle" }, lost < 0.05 ? "★" : `−${lost.toFixed(1)}`)));
  }
  return found;
}

export const grade = (lost) => (lost < 0.75 ? "good" : lost < 3 ? "fair" : "poor");

// The move that a review would have preferred, where somebody looks back at it, or the answer of an exercise.
function betterAction() {
  const view = shown();
  const best = app.exercise?.state === "answered" ? app.coach?.lines[0].action : app.better?.ply === view.ply ? app.better.action : null;
  return view.actions.find((a) => a.action === best);
}

function betterMove(a, view) {
  if (a.rotation !== undefined) {
    const [x, y] = a.cell;
    return s("g", { class: "better" }, use(tileKey(a.tile, a.rotation), x * T, y * T, T, T, { opacity: 0.75 }),
      s("rect", { class: "better-rim", x: x * T, y: y * T, width: T, height: T, rx: 3 }));
  }
  if (a.area) {
    const [left, top, right, bottom] = a.area;
    return s("g", { class: "better" }, s("rect", { class: "better-rim", x: left, y: top, width: right - left, height: bottom - top, rx: 7 }));
  }
  if (a.spot !== undefined)
    return s("g", { class: "better" }, s("circle", { class: "better-rim", cx: a.x, cy: a.y, r: 24 }),
      isOfAKind(a) ? sign(a.kind, a.x, a.y, 16, view.decider) : figureAt(view.decider, a.figure || "WAGON", a.x, a.y, { lies: a.lies }));
  return null;
}

// --------------------------------------------------------------------------------- features

let asking = null;
let asked = null;
let at = null; // where somebody points

// In words, what a click does where somebody points.
function saysWhatItDoes(event) {
  const found = lit.get(event.target.closest?.(".target"));
  const words = found && found.type !== "cell" ? doesWords(found.action) : "";
  put($("does"), words);
  $("does").hidden = !words;
  placeTip(event);
}

function pointAt(event) {
  const view = shown();
  if (!view || dragging) return;
  saysWhatItDoes(event);
  const [x, y] = onBoard(event);
  const [cx, cy] = [Math.floor(x / T), Math.floor(y / T)];
  emit("pointed", [cx, cy].join());
  const number = view.tiles.findIndex(([, tx, ty]) => tx === cx && ty === cy);
  if (number < 0) return forgetFeature();
  const [tile, , , r, bridge] = view.tiles[number];
  const segment = segmentAt(tileKey(tile, r, bridge), x - cx * T, y - cy * T);
  if (segment === null) return forgetFeature();
  if (hover && hover.tile === number && hover.segment === segment) return;
  forgetFeature();
  at = { clientX: event.clientX, clientY: event.clientY };
  asking = setTimeout(() => {
    asked = { ply: view.ply, tile: number, segment };
    ask("feature", { ply: view.ply, tile: number, segment });
  }, hovers(event) ? 140 : 0);
}

on("feature", (message) => {
  const { ply, tile, segment } = message.wanted;
  if (!asked || ply !== shown()?.ply || tile !== asked.tile || segment !== asked.segment) return;
  hover = { tile, segment, feature: message.feature };
  showFeature();
  tell(message.feature);
  placeTip(at);
});

function showFeature() {
  put(layer.feature, area(hover.feature));
  put(layer.open, hover.feature.open.map(({ cell: [x, y], fits }) => s("g", {},
    s("rect", { class: "open-cell", x: x * T + 8, y: y * T + 8, width: 84, height: 84, rx: 8 }),
    fits !== null && hasHints() && s("text", { class: "open-count", x: x * T + 50, y: y * T + 59, "text-anchor": "middle" }, fits))),
    hasHints() && hover.feature.cities.map(({ x, y, points }) => s("text", { class: "open-count", x, y: y + 9, "text-anchor": "middle" }, `+${points}`)));
}

// Who owns what: all features with figures, asked for anew whenever the game goes on.
let owned = false;
function showOwners({ currentTarget }) {
  owned = !owned;
  currentTarget.ariaPressed = String(owned);
  put(layer.owned);
  askOwners();
}
const askOwners = () => owned && shown() && ask("areas", { ply: shown().ply });
on("areas", ({ ply, places, areas }) => {
  if (owned && !places && ply === shown()?.ply) put(layer.owned, areas.map((one) => area(one)));
});

function tell(feature) {
  const view = shown();
  const parts = [h("strong", {}, kindLabel(feature.kind)), " ", h("span", { class: "dim" }, feature.bonus ? t(feature.kind === "CITY" ? "count.cathedrals" : "count.inns", { n: feature.bonus }) : "")];
  const owners = feature.strengths.map((n, seat) => [n, seat]).filter(([n]) => n > 0).sort((a, b) => b[0] - a[0]);
  const rows = [];
  if (owners.length) {
    rows.push(h("div", { class: "owners" }, owners.map(([n, seat]) =>
      h("span", { class: feature.leaders.includes(seat) ? "leads" : "dim" }, badge(seat, app.hello.seats), view.sitters[seat].name, n > 1 ? ` ×${n}` : ""))));
  } else rows.push(h("div", { class: "dim" }, t("feature.nobody")));
  if (hasHints()) rows.push(feature.terms ? sums(feature) : h("div", {}, t("feature.now", { n: feature.now })));
  if (hasHints() && feature.open.length) {
    const known = feature.open.filter((o) => o.fits !== null);
    const least = known.length ? Math.min(...known.map((o) => o.fits)) : null;
    rows.push(h("div", {}, t("feature.open", { n: feature.open.length }), least !== null && ` · ${t("feature.fits", { n: least })}`));
  }
  const tip = put($("tip"), h("div", {}, parts), rows);
  tip.hidden = false;
  if (document.body.classList.contains("by-key")) emit("said", tip.innerText);
}

// Show the feature of a part of a tile, for whoever does not point at it.
export function showPart(tile, segment) {
  const view = shown();
  const [, x, y] = view.tiles[tile];
  leaveFeature();
  bring([[x, y]], false);
  const box = svg.getBoundingClientRect();
  const [px, py] = onScreen({ x: (x + 0.5) * T, y: (y + 0.5) * T });
  at = { clientX: box.left + px, clientY: box.top + py };
  asked = { ply: view.ply, tile, segment };
  ask("feature", { ply: view.ply, tile, segment });
}

// Near the pointer, but over nothing that can be chosen; where there is no room, elsewhere.
const BESIDE = 18;
function placeTip({ clientX, clientY }) {
  const tips = $("tips");
  if ($("does").hidden && $("tip").hidden) return;
  tips.classList.remove("docked");
  tips.style.maxWidth = "";
  const stage = $("stage").getBoundingClientRect();
  const [width, height] = [tips.offsetWidth, tips.offsetHeight];
  const taken = [...document.querySelectorAll("#board .target, #board .knob, #board .ghost-rim, #zoom button")].map((node) => node.getBoundingClientRect());
  const isFree = ([x, y]) => x >= stage.left + 4 && y >= stage.top + 4 && x + width <= stage.right - 4 && y + height <= stage.bottom - 4
    && !taken.some((box) => x < box.right + 2 && x + width > box.left - 2 && y < box.bottom + 2 && y + height > box.top - 2);
  const across = [clientX + BESIDE, clientX - BESIDE - width, clientX - width / 2];
  const down = [clientY + BESIDE, clientY - BESIDE - height, clientY - height / 2];
  const near = [0, 1].flatMap((k) => [0, 1].map((m) => [across[m], down[k]]));
  const place = near.find(isFree) || nearest([clientX, clientY], [width, height], stage, isFree);
  if (place) return putTip(place[0] - stage.left, place[1] - stage.top);
  // On a phone, above the timeline; otherwise at the bottom of the side panel.
  const isNarrow = $("strip").getClientRects().length > 0;
  const box = $(isNarrow ? "timeline" : "side").getBoundingClientRect();
  tips.classList.add("docked");
  tips.style.maxWidth = `${box.width - 16}px`;
  putTip(box.left + 8 - stage.left, (isNarrow ? box.top : box.bottom - tips.offsetHeight - 8) - stage.top);
}

function nearest([px, py], [width, height], stage, isFree) {
  const found = [];
  for (let x = stage.left + 4; x + width < stage.right; x += 20)
    for (let y = stage.top + 4; y + height < stage.bottom; y += 20) if (isFree([x, y])) found.push([x, y]);
  const away = ([x, y]) => Math.hypot(x + width / 2 - px, y + height / 2 - py);
  return found.sort((one, other) => away(one) - away(other))[0];
}

function putTip(x, y) {
  $("tips").style.left = `${x}px`;
  $("tips").style.top = `${y}px`;
}

function forgetFeature() {
  clearTimeout(asking);
  asked = null;
  if (!hover) return;
  hover = null;
  $("tip").hidden = true;
  put(layer.feature);
  put(layer.open);
}

export function leaveFeature() {
  $("does").hidden = true;
  forgetFeature();
}

// Why a click does nothing: the server knows.
function askWhy(event) {
  if (!myTurn() || !isDrawn()) return;
  if (app.figure === "bridge") return emit("refused", t("why.bridge"));
  const [x, y] = onBoard(event);
  const [cx, cy] = [Math.floor(x / T), Math.floor(y / T)];
  const tile = app.view.tiles.find(([, tx, ty]) => tx === cx && ty === cy);
  const segment = tile ? segmentAt(tileKey(tile[0], tile[3], tile[4]), x - cx * T, y - cy * T) : null;
  const isLast = tile === app.view.tiles.at(-1) && app.view.phase === "FIGURE";
  if (!hovers(event) && segment !== null && !isLast) return; // a tap there asks what the feature is
  const isFarAway = Math.max(Math.abs(cx), Math.abs(cy)) > 99;
  if (!isFarAway) ask("why", { ply: app.view.ply, x: cx, y: cy, segment, figure: app.figure });
}

on("why", ({ ply, reason }) => {
  if (ply === app.view?.ply) emit("refused", reason ? whyWords(reason) : t("why.ring"));
});

// --------------------------------------------------------------------------------- pointers

// A mouse points without pressing; a finger or a pen taps, and leaves the board with every tap.
const hovers = (event) => event.pointerType === "mouse";
const fingers = new Map();
let dragging = false;
let moved = 0;
let spread = 0;

function listen() {
  svg.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    moved = 0;
    spread = 0;
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before && !hovers(event)) return;
    if (!before) {
      at = { clientX: event.clientX, clientY: event.clientY };
      return pointAt(event);
    }
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    if (fingers.size === 2) pinch(event);
    else if (moved > 6) {
      if (!dragging) { dragging = true; svg.setPointerCapture(event.pointerId); leaveFeature(); }
      panBy(event.clientX - before.clientX, event.clientY - before.clientY);
    }
    fingers.set(event.pointerId, event);
  });
  const up = (event) => {
    const isTap = event.type === "pointerup" && fingers.has(event.pointerId) && !dragging && !hovers(event);
    if (isTap && !event.target.closest(".target, .try")) pointAt(event);
    fingers.delete(event.pointerId);
    if (!fingers.size) setTimeout(() => (dragging = false), 0);
  };
  svg.addEventListener("pointerup", up);
  svg.addEventListener("pointercancel", up);
  svg.addEventListener("pointerleave", (event) => { if (hovers(event)) { leaveFeature(); dropGhost(false); emit("pointed", null); } });
  svg.addEventListener("click", (event) => { if (dragging) { event.stopPropagation(); event.preventDefault(); } }, true);
  svg.addEventListener("click", (event) => (app.ghost?.pinned ? dropGhost() : askWhy(event)));
  svg.addEventListener("wheel", wheel, { passive: false });
  svg.addEventListener("contextmenu", (event) => { if (app.ghost) { event.preventDefault(); rotate(1); } });
}

function pinch(event) {
  const [a, b] = [...fingers.values()].map((f) => (f.pointerId === event.pointerId ? event : f));
  const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  const box = svg.getBoundingClientRect();
  if (spread) zoomBy(now / spread, [(a.clientX + b.clientX) / 2 - box.left, (a.clientY + b.clientY) / 2 - box.top]);
  spread = now;
  dragging = true;
}

let turned = 0;
function wheel(event) {
  event.preventDefault();
  const [x, y] = onBoard(event);
  const over = app.ghost && Math.floor(x / T) === app.ghost.cell[0] && Math.floor(y / T) === app.ghost.cell[1];
  if (over) {
    if (performance.now() - turned > 130) { turned = performance.now(); rotate(event.deltaY > 0 ? 1 : -1); }
    return;
  }
  const box = svg.getBoundingClientRect();
  zoomBy(Math.exp(-event.deltaY * 0.0016), [event.clientX - box.left, event.clientY - box.top]);
}

// ------------------------------------------------------------------------------ the keyboard

// The nearest target in a direction, from the cursor or from the last tile.
export function step(dx, dy) {
  const all = targets();
  if (!all.length) return panBy(-60 * dx, -60 * dy);
  const [, x, y] = app.view.tiles.at(-1);
  const here = app.cursor || { x: (x + 0.5) * T, y: (y + 0.5) * T };
  const ahead = all.map((one) => [one, (one.x - here.x) * dx + (one.y - here.y) * dy, Math.abs((one.x - here.x) * dy) + Math.abs((one.y - here.y) * dx)])
    .filter(([, along]) => along > 1).sort((a, b) => a[1] + 2 * a[2] - b[1] - 2 * b[2]);
  goTo(ahead[0]?.[0] || (app.cursor ? all.find((one) => one.x === here.x && one.y === here.y) : all[0]));
}

export function cycle(by) {
  const all = targets();
  if (!all.length) return;
  const at = all.findIndex((one) => app.cursor && one.x === app.cursor.x && one.y === app.cursor.y);
  goTo(all[(at + by + all.length) % all.length]);
}

function goTo(found) {
  if (!found) return;
  app.cursor = { x: found.x, y: found.y };
  if (found.type === "cell") { app.ghost = app.ghost && { ...app.ghost, pinned: false }; tryOn(found, true); }
  else drawTargets();
  bring([[Math.floor(found.x / T), Math.floor(found.y / T)]], false);
  emit("said", labelOf(found));
}

export function enter() {
  if (app.ghost) return place();
  const found = targets().find((one) => app.cursor && one.x === app.cursor.x && one.y === app.cursor.y);
  if (found) choose(found);
}

