// The dialogue below the board: says in one sentence what is asked, and offers what has no place.

import { $, h, s, put, button, icon, badge } from "./dom.js";
import { has, t } from "./i18n.js";
import { picture, quarterKey, sign, tileKey, figureAt, use } from "./art.js";
import { act, app, ask, isAway, isLive, isWatching, myTurn, nameOf, shown } from "./store.js";
import { drawTargets, isOfAKind, isSign, kindOf, place, rotate, dropGhost } from "./board.js";
import { aboutQuestion } from "./cards.js";
import { exerciseAnswer } from "./exercises.js";
import { isHidden, retry, reveal } from "./trials.js";
import { waysOn } from "./branches.js";
import { about, buttonName, calling, isYou, listed, logWords, placeName, reasonWords } from "./words.js";

// The kinds of figures, bridges, pairs of tokens, mage and witch that can be placed now.
export function kinds() {
  if (!myTurn()) return [];
  const found = new Set(app.view.actions.map((a) => (a.word === "figure" || a.area) && a.figure));
  const order = app.view.figuresInPlay.filter((name) => found.has(name));
  if (app.view.actions.some((a) => a.kind === "bridge")) order.push("bridge");
  const others = new Set(app.view.actions.filter(isOfAKind).map(kindOf));
  return [...order, ...[...others].sort()];
}

export function plain() {
  if (!myTurn()) return [];
  return app.view.actions.filter((a) => a.cell === undefined && !(a.area && a.figure && a.figure !== app.figure));
}

// What can be done on the board where that is more than to put a figure on the tile just placed.
function deeds() {
  if (!myTurn()) return [];
  const all = [...new Set(app.view.actions.flatMap((a) => a.deeds || []))];
  return ORDER.filter((deed) => all.includes(deed));
}
const ORDER = ["here", "portal", "join", "floor", "top", "fairy", "princess", "capture", "return"];

export function settle() {
  const all = kinds();
  if (!deeds().includes(app.deed)) app.deed = null;
  if (!all.includes(app.figure)) app.figure = all[0] || null;
}

export function drawAsk() {
  const box = $("ask");
  const view = shown();
  box.className = "";
  if (!view) return put(box);
  if (!isLive()) return put(box, lookingBack(view));
  const answer = exerciseAnswer();
  if (answer) return put(box, answer);
  if (view.over) return put(box, ending(view));
  const seat = view.decider;
  box.style.setProperty("--seat", app.hello.seats[seat].color);
  if (!myTurn()) {
    box.classList.add("waits");
    const text = about(seat, isAway(seat) ? "ask.away" : app.paused ? "ask.paused" : "ask.waits");
    return put(box, badge(seat, app.hello.seats), handTile(view), h("p", {}, text, !app.paused && !isAway(seat) && h("span", { class: "dots" })),
      lotsOf(view), isWatching() && h("p", { class: "dim" }, t("error.watches")),
      app.paused && !isWatching() && button(icon("play"), () => ask.pace(false), { class: "main", title: t("watch.play"), ariaLabel: t("watch.play") }));
  }
  put(box,
    h("div", { class: "question" }, badge(seat, app.hello.seats), app.why ? h("p", { class: "why" }, app.why) : h("p", {}, sentence(view))),
    h("div", { class: "answers" }, answers(view)), aboutQuestion(), everything(view));
}

// How the game stood: what was to be decided, and what the review says of it.
function lookingBack(view) {
  const found = app.review?.verdicts.find((v) => v.ply === view.ply);
  const done = app.view.log.find((entry) => entry.ply === view.ply + 1);
  const asks = found && isHidden(found);
  const lost = found && h("b", { class: "poor" }, `−${found.lost.toFixed(1)} `);
  return [!view.over && badge(view.decider, app.hello.seats), handTile(view),
    h("div", { class: "past-words" }, h("p", { class: "dim" }, t("ask.past", { ply: view.ply, plies: app.view.plies })),
      done && h("p", {}, logWords(done)), lotsOf(view),
      asks && h("p", {}, lost, t("retry.given")),
      found && !asks && found.lost >= 0.5 && h("p", {}, lost, t("ask.better", { best: placeName(found.best) }), found.reason.length > 0 && h("span", { class: "dim" }, ` ${reasonWords(found.reason)}.`))),
    h("div", { class: "answers" }, asks && [button(t("retry.try"), () => retry(view.ply), { class: "main" }), button(t("trial.show"), () => reveal(found))],
      waysOn(view), button(t("ask.back"), () => ask.live(), { class: asks ? "" : "main" }))];
}

// A question may be put in another way, where there is a text for how things are.
function sentence(view) {
  const b = view.bazaar;
  const so = { bridge: app.ghost?.actions.find((a) => a.rotation === app.ghost.rotation)?.brings, second: view.secondPart, fixed: app.ghost?.pinned && app.ghost.actions.length === 1, tried: app.ghost?.pinned, last: view.lastRound !== null, end: view.leavesLast, takes: b?.takes, first: b && b.bidder === null, ...(view.circle && { [view.circle]: true }) };
  const way = Object.keys(so).find((key) => so[key] && has(`ask.${view.phase}.${key}`));
  const choices = ways(view);
  if (choices.length > 1 && has(`ask.${view.phase}.several`)) return calling(view.decider, `ask.${view.phase}.several`, { choices: listed(choices) });
  const bidder = b && b.bidder !== null ? nameOf(b.bidder) : "";
  return calling(view.decider, `ask.${view.phase}${way ? `.${way}` : ""}`, { left: view.left, price: b?.price, bidder });
}

// All that can be done: "place a figure on this tile", "lay a tunnel token", ...
function ways(view) {
  const found = [...deeds(), ...view.actions.flatMap((a) => [...(a.deeds || []), a.word])];
  return [...new Set(found)].filter((one) => has(`deed.${one}`)).map((one) => t(`deed.${one}`));
}

function handTile(view, spin = 0) {
  const tile = view.phase === "DRAW_OR_ABBEY" && myTurn() ? "am-abbey" : view.hand;
  return tile && picture(tileKey(tile, app.ghost && myTurn() ? app.ghost.rotation : spin), t("ask.hand"), "hand");
}

function answers(view) {
  const parts = [];
  const placing = view.actions.some((a) => a.rotation !== undefined);
  if (placing) {
    parts.push(handTile(view, app.spin || 0));
    parts.push(button(icon("turn"), () => rotate(1), { title: `${t("ask.rotate")} (R)`, ariaLabel: t("ask.rotate") }));
    parts.push(button([icon("check"), t("ask.place")], place, { class: "main", disabled: !app.ghost?.pinned, title: "Enter" }));
    if (app.ghost?.pinned) parts.push(button(icon("cross"), () => dropGhost(), { title: "Esc", ariaLabel: t("ask.cancel") }));
  }
  parts.push(lotsOf(view));
  const all = kinds();
  const filters = deeds().length > 1 && view.actions.some((a) => a.word === "to");
  if (all.length > (filters ? 1 : 0)) parts.push(h("div", { class: "chips", role: "radiogroup", ariaLabel: t("ask.kinds") }, all.map(chip)));
  if (filters) parts.push(h("div", { class: "chips filter", role: "radiogroup", ariaLabel: t("ask.filter") }, h("span", { class: "dim" }, t("ask.filter")), [null, ...deeds()].map(filterChip)));
  if (view.phase === "BAZAAR_BID") parts.push(bidding(view));
  const quarters = plain().filter((one) => one.quarter);
  if (quarters.length) parts.push(h("div", { class: "quarters" }, quarters.map(quarter)));
  for (const a of plain().filter((one) => one.kind !== "bid" && one.kind !== "pick" && !one.quarter))
    parts.push(button(plainName(a, view) + priced(a, view), () => act(a), { class: a.kind === "pass" || a.kind === "decline" ? "" : "main" }));
  return parts;
}

// In the last round there is nothing left to draw.
const plainName = (a, view) => (a.word === "draw" && view.lastRound !== null ? t("do.pass") : buttonName(a));
const priced = (a, view) => (a.word === "buy" ? ` (−${view.bazaar.price})` : a.word === "sell" ? ` (+${view.bazaar.price})` : a.word === "herd" ? ` (+${view.flock})` : "");

function quarter(a) {
  return button([s("svg", { viewBox: "0 0 100 100", class: "pic" }, use(quarterKey(a.quarter), 0, 0, 100)), h("span", {}, t(`quarter.${a.quarter}`))],
    () => act(a), { title: buttonName(a), ariaLabel: buttonName(a) });
}

function chip(name, k) {
  const isOn = app.figure === name;
  const pick = () => { app.figure = name; app.cursor = null; drawAsk(); drawTargets(); };
  const drawing = name === "bridge"
    ? s("svg", { viewBox: "-13 -12 26 24", class: "pic" }, s("use", { href: "#x:bridge", x: -13, y: -12, width: 26, height: 24 }))
    : isSign(name) ? s("svg", { viewBox: "-20 -20 40 40", class: "pic" }, sign(name.replace(/\d/, ""), 0, 0, 19, app.view.decider), /\d/.test(name) && s("text", { class: "pair", y: 6, "text-anchor": "middle" }, name.at(-1)))
    : s("svg", { viewBox: "-20 -20 40 40", class: "pic" }, figureAt(app.view.decider, name, 0, 0, { size: 40 }));
  if (name === "bridge") picture("x:bridge");
  return button([drawing, h("span", {}, t(`figure.${name}`))], pick, { class: `chip ${isOn ? "on" : ""}`, role: "radio", "aria-checked": String(isOn), title: `${t(`figure.${name}`)} (${k + 1})` });
}

// Shows only the places where one thing can be done, or all.
function filterChip(deed) {
  const isOn = app.deed === deed;
  const pick = () => { app.deed = deed; app.cursor = null; drawAsk(); drawTargets(); };
  const drawing = deed && s("svg", { viewBox: "-20 -20 40 40", class: "pic" }, sign(deed, 0, 0, 19, app.view.decider));
  return button([drawing, h("span", {}, t(`chip.${deed || "all"}`))], pick, { class: `chip ${isOn ? "on" : ""}`, role: "radio", "aria-checked": String(isOn) });
}

const lotsOf = (view) => view.bazaar && view.phase.startsWith("BAZAAR") && bazaar(view);
function bazaar(view) {
  const b = view.bazaar;
  return h("div", { class: "lots" }, b.lots.map((lot, k) => {
    const pick = myTurn() && view.actions.find((a) => a.kind === "pick" && a.number === k + 1);
    const note = lot.owner !== null ? [badge(lot.owner, app.hello.seats)] : b.lot === k && b.bidder !== null ? [h("b", {}, b.price), badge(b.bidder, app.hello.seats)] : [];
    return h(pick ? "button" : "div", { class: `lot ${b.lot === k ? "on" : ""}`, type: pick ? "button" : null, onclick: pick && (() => act(pick)), title: pick ? t("do.pick", { number: k + 1 }) : "" },
      picture(tileKey(lot.tile), t("do.pick", { number: k + 1 })), h("div", { class: "note-line" }, note));
  }));
}

function bidding(view) {
  const bids = view.actions.filter((a) => a.kind === "bid");
  if (!bids.length) return null;
  const field = h("input", { type: "number", min: bids[0].number, max: bids.at(-1).number, value: bids[0].number, ariaLabel: t("ask.bid") });
  const go = () => { const a = bids.find((one) => one.number === Number(field.value)); if (a) act(a); };
  const quick = bids.slice(0, 3).map((a) => button(String(a.number), () => act(a), { class: "main", ariaLabel: buttonName(a) }));
  return h("div", { class: "bids" }, h("span", {}, t("ask.bid")), quick, field, button(icon("check"), go, { ariaLabel: t("ask.bid") }));
}

// Every action as a button, for whoever cannot point at the board.
function everything(view) {
  const list = h("div", { class: "every" });
  return h("details", { class: "all", ontoggle: () => put(list, view.actions.map((a) => button(placeName(a), () => act(a)))) }, h("summary", {}, t("ask.all", { n: view.actions.length })), list);
}

export const reviewing = () => [h("p", {}, t("coach.reviewing", app.reviewing)), h("progress", { max: app.reviewing.of, value: app.reviewing.done, ariaLabel: t("coach.review") })];
const isNarrow = () => $("strip").getClientRects().length > 0;
function ending(view) {
  const [first] = [...view.winners].sort((a, b) => isYou(b) - isYou(a));
  const shared = view.winners.length > 1;
  const mine = app.view.sitters.some((one) => one.agent === null);
  const who = view.winners.filter((seat) => !(shared && isYou(first) && seat === first)).map(nameOf).join(" & ");
  return h("div", { class: "ending" },
    h("p", { class: "won" }, view.winners.map((seat) => badge(seat, app.hello.seats)), about(first, shared ? "end.draw" : "end.won", { who, n: Math.max(...view.scores) })),
    app.reviewing ? h("div", { class: "past-words" }, reviewing()) : h("div", { class: "answers" },
      mine && button([icon("flag"), t("end.mistakes")], () => { app.wantsRetry = true; ask.review(); }, { class: "main" }),
      (app.tab !== "end" || isNarrow()) && button(t("end.summary"), () => { ask.tab("end"); $("side").scrollIntoView(); }),
      button([icon("coach"), t("coach.review")], ask.review),
      !isWatching() && button([icon("rematch"), t("menu.rematch")], () => ask.rematch()),
      button([icon("new"), t("menu.new")], () => ask.newGame())));
}
