// Beside the board: who has what, who is likely to win, the log, tiles left, the coach, the end.

import { $, h, s, put, button, icon, badge } from "./dom.js";
import { signed, t } from "./i18n.js";
import { picture, quarterKey, tileKey, use } from "./art.js";
import { app, ask, act, hasHints, isAway, isMine, isWatching, myTurn, nameOf, on, shown, isLive } from "./store.js";
import { grade, showPlace } from "./board.js";
import { thing } from "./cards.js";
import { reviewing } from "./ask.js";
import { drawLines } from "./branches.js";
import { curves, drawEnd } from "./ending.js";
import { agentLabel, nameFor } from "./players.js";
import { isHidden, mistakesOfPeople, retry } from "./trials.js";
import { besideWords, moveWords, paidWords, placeName, reasonWords, scoreWords, turnWords } from "./words.js";

export function drawSide() {
  const view = shown();
  $("side").hidden = !view;
  $("strip").hidden = !view;
  if (!view) return;
  if (hasHints()) drawOdds(view);
  else put($("odds"));
  put($("players"), view.sitters.map((_, seat) => player(view, seat)));
  put($("strip"), view.sitters.map((_, seat) => brief(view, seat)));
  drawTabs(view);
}

// ----------------------------------------------------------------------------------- players

function drawOdds(view) {
  const parts = view.odds.map((p, seat) =>
    h("div", { class: `share pattern-${seat}`, style: `flex-grow:${Math.max(p, 0.002)};--c:${app.hello.seats[seat].color};--ink:${app.hello.seats[seat].letter}` },
      p > 0.13 ? h("span", {}, `${"ABCDEF"[seat]} ${Math.round(100 * p)} %`) : ""));
  const words = view.odds.map((p, seat) => `${view.sitters[seat].name} ${Math.round(100 * p)} %`).join(", ");
  put($("odds"), h("div", { class: "odds", role: "img", title: t("odds.title"), ariaLabel: `${t("odds.title")}: ${words}` }, parts));
}

const isNext = (view, seat) => (view.over ? view.winners.includes(seat) : view.decider === seat);

function player(view, seat) {
  const sitter = view.sitters[seat];
  const supply = view.supplies[seat];
  const stock = view.stocks[seat];
  const gain = view.standings[seat] - view.scores[seat];
  return h("div", { class: `player ${isNext(view, seat) ? "next" : ""}`, style: `--c:${app.hello.seats[seat].color}` },
    h("div", { class: "who" }, badge(seat, app.hello.seats), h("div", { class: "names" }, h("strong", {}, sitter.name, isAway(seat) && h("small", { class: "dim" }, ` · ${t("seat.away")}`)), seatMenu(seat, sitter)),
      h("div", { class: "points" }, h("b", {}, view.scores[seat]), h("span", { class: "dim", title: t("player.projected") }, view.over || !hasHints() ? "" : `→ ${view.scores[seat] + gain}`))),
    h("div", { class: "supply" }, Object.entries(supply).map(([name, n]) => small(seat, name, n)),
      Object.entries(stock).map(([name, n]) => token(name, n)),
      view.prisoners[seat].map((one) => h("span", { class: "held", title: t("held", { figure: t(`figure.${one.figure}`) }) }, small(one.seat, one.figure, 1))),
      view.waiting[seat].map((one) => waiting(seat, one)),
      view.markers[seat].map((name) => thing(`marker.${name}`, t(`marker.${name}`), mini(`x:${name}`)))));
}

function seatMenu(seat, sitter) {
  const isOthers = isWatching() || (app.seats.owned.includes(seat) ? !isMine(seat) : !app.seats.isHost);
  if (!isLive() || app.view.over || app.exercise || isOthers) return h("span", { class: "dim agent" }, sitter.agent ? agentLabel(sitter.agent) : t("seat.person"));
  const options = [["", t("seat.person")], ...[...new Set([...app.hello.levels, ...app.hello.agents, ...(sitter.agent ? [sitter.agent] : [])])].map((agent) => [agent, agentLabel(agent)])];
  if (!sitter.agent) options.push(["+", t("seat.invite")]);
  const choose = (e) => {
    const agent = e.target.value || null;
    const others = app.view.sitters.filter((one) => one !== sitter).map((one) => one.name);
    if (agent !== "+") return ask("seat", { seat, agent, name: nameFor(sitter.name, agent, others) });
    e.target.value = "";
    ask.invite();
  };
  return h("select", { class: "agent", ariaLabel: t("seat.who", { who: sitter.name }), onchange: choose },
    options.map(([value, label]) => h("option", { value, selected: value === (sitter.agent || "") }, label)));
}

function small(seat, name, n) {
  const look = app.hello.seats[seat];
  const one = (isLeft) => s("svg", { viewBox: "-18 -20 36 36", class: `fig ${isLeft ? "" : "used-up"}`, "aria-hidden": "true" },
    s("path", { d: app.hello.figures[name], fill: isLeft ? look.color : "none", stroke: isLeft ? look.dark : "currentColor", "stroke-width": 1.8, "stroke-linejoin": "round" }));
  const label = `${n} × ${t(`figure.${name}`)}`;
  return thing(`figure.${name}`, label, one(n > 0), name === "MEEPLE" && h("small", {}, n));
}

// Those who wait in a quarter, behind its sign.
function waiting(seat, { quarter, figures }) {
  const label = Object.entries(figures).map(([name, n]) => `${n} × ${t(`figure.${name}`)}`).join(", ");
  return h("span", { class: "token guests", title: `${t(`quarter.${quarter}`)}: ${label}` }, mini(quarterKey(quarter)), Object.entries(figures).map(([name, n]) => small(seat, name, n)));
}

function token(name, n) {
  const label = `${n} × ${t(`stock.${name}`)}`;
  return h("span", { class: n ? "" : "none" }, thing(`stock.${name}`, label, mini(`x:${name}`), h("small", {}, n)));
}

function mini(key) {
  return s("svg", { viewBox: "0 0 24 24", class: "mini", "aria-hidden": "true" }, use(key, 0, 0, 24));
}

function brief(view, seat) {
  const meeples = view.supplies[seat].MEEPLE;
  return h("div", { class: `brief ${isNext(view, seat) ? "next" : ""}`, style: `--c:${app.hello.seats[seat].color}` },
    badge(seat, app.hello.seats), h("span", { class: "name" }, view.sitters[seat].name), h("b", {}, view.scores[seat]), h("small", { class: "dim" }, `${meeples}♟${hasHints() ? ` ${Math.round(100 * view.odds[seat])} %` : ""}`));
}

// -------------------------------------------------------------------------------------- tabs

const TABS = { log: drawLog, tiles: drawLeft, coach: drawCoach, lines: drawLines, end: drawEnd };

let open = null; // the tab that was drawn last: another one begins at its top
function drawTabs(view) {
  const names = ["log", "tiles", ...(app.exercise ? [] : [...(hasHints() ? ["coach"] : []), "lines"]), ...(view.over && !app.exercise ? ["end"] : [])];
  if (!names.includes(app.tab)) app.tab = "log";
  put($("tabs"), names.map((name) => button(t(`tab.${name}`), () => openTab(name), { class: "tab", role: "tab", "aria-selected": String(app.tab === name) })));
  TABS[app.tab](view);
  if (app.tab !== open && app.tab !== "log") $("sheet").scrollTop = 0;
  open = app.tab;
}

export function openTab(name) {
  app.tab = name;
  drawSide();
  ask.drawSoon(); // what is asked at the end goes with the tab
}

// Whatever speaks of places shows them on the board, and is marked where somebody points at one.
const placesOf = (...moves) => moves.filter((a) => a.cell).map((a) => a.cell.join()).join(" ");

function pointTo(event) {
  const row = event.target.closest("[data-cells]");
  showPlace(row?.dataset.cells ? row.dataset.cells.split(" ").map((cell) => cell.split(",").map(Number)) : []);
}

export function listen() {
  for (const kind of ["pointerover", "focusin"]) $("sheet").addEventListener(kind, pointTo);
  for (const kind of ["pointerleave", "focusout"]) $("sheet").addEventListener(kind, () => showPlace([]));
}

on("pointed", (cell) => {
  for (const row of $("sheet").querySelectorAll(".here")) row.classList.remove("here");
  if (!cell) return;
  const rows = [...$("sheet").querySelectorAll(`[data-cells~="${cell}"]`)];
  for (const row of rows) row.classList.add("here");
  const [sheet, row] = [$("sheet"), rows.at(-1)];
  const top = row && row.offsetTop - sheet.offsetTop; // the sheet alone is scrolled, never the page
  if (row && (top < sheet.scrollTop || top + row.offsetHeight > sheet.scrollTop + sheet.clientHeight)) sheet.scrollTop = top - sheet.clientHeight / 2;
});

const TOLD = 0.5; // points given away from which a move is marked
let written = { box: null, log: [], review: null };
function drawLog(view) {
  const sheet = $("sheet");
  if (!view.log.length) return put(sheet, h("p", { class: "dim" }, t("log.empty")));
  const { box, log, review } = written;
  const goesOn = box && sheet.firstChild === box && review === app.review && log.every((entry, k) => entry === view.log[k]);
  const now = goesOn ? box : put(sheet, h("div", { class: "log" })).firstChild; // only what is new is written
  const first = goesOn ? log.length : 0;
  now.append(...view.log.slice(first).flatMap((entry, k) => lines(entry, view.log[first + k - 1])));
  written = { box: now, log: view.log, review: app.review };
  sheet.scrollTop = sheet.scrollHeight;
}

function lines(entry, before) {
  const rows = [];
  if (entry.turn !== before?.turn) rows.push(h("div", { class: "turn" }, h("b", {}, badge(entry.player, app.hello.seats), nameOf(entry.player)), t("log.turn", { n: entry.turn + 1 }), h("span", {}, entry.scores.join(" : "))));
  for (const tile of entry.aside || []) rows.push(h("div", { class: "entry" }, picture(tileKey(tile), ""), t("log.aside.tile")));
  const lost = app.review?.verdicts.find((v) => v.ply === entry.ply - 1)?.lost;
  rows.push(h("button", { type: "button", class: "entry", "data-cells": placesOf(entry.move), onclick: () => ask.look(entry.ply), title: t("log.look") },
    entry.seat !== entry.player && badge(entry.seat, app.hello.seats), thumb(entry.move), h("span", {}, turnWords(entry)),
    lost >= TOLD && h("b", { class: "poor lost" }, `−${lost.toFixed(1)}`)));
  for (const one of entry.beside || []) rows.push(h("div", { class: "gained" }, badge(one.seat, app.hello.seats), besideWords(one)));
  if (entry.paid?.length) rows.push(h("div", { class: "gained" }, paidWords(entry)));
  for (const [k, g] of (entry.gained || []).entries()) {
    if (g.final && !entry.gained[k - 1]?.final) rows.push(h("div", { class: "turn" }, h("b", {}, t("final.title"))));
    rows.push(h("div", { class: "gained", "data-cells": g.place ? g.place.slice(0, 2).join() : "" }, badge(g.seat, app.hello.seats), scoreWords(g)));
  }
  return rows;
}

function drawLeft(view) {
  const total = Object.values(view.unseen).reduce((a, b) => a + b, 0);
  put($("sheet"), h("p", { class: "dim" }, t("tiles.left", { n: total })),
    h("div", { class: "grid" }, Object.entries(view.unseen).sort((a, b) => b[1] - a[1]).map(([tile, n]) =>
      h("figure", {}, picture(tileKey(tile), tile), h("figcaption", {}, n)))));
}

function drawCoach(view) {
  const sheet = $("sheet");
  const parts = [];
  if (app.review) parts.push(drawReview(view));
  else if (app.reviewing) parts.push(reviewing());
  else if (app.view.over) parts.push(h("p", {}, t("coach.ended")), button([icon("coach"), t("coach.review")], ask.review, { class: "main" }));
  if (!view.over) {
    const lines = app.coach && app.coach.ply === view.ply && app.coach.version === view.version ? app.coach.lines : null;
    parts.push(h("div", { class: "row" }, button([icon("coach"), t("coach.ask")], () => ask.coach(), { class: "main", disabled: app.wantsCoach }),
      h("span", { class: "dim" }, app.wantsCoach ? t("coach.thinks") : t("coach.explain"))));
    if (lines) parts.push(opinions(lines, view));
  }
  put(sheet, parts);
}

function opinions(lines, view) {
  const byAction = new Map(view.actions.map((a) => [a.action, a]));
  const worth = (line, k) => (k ? `${line.deep ? "" : "≈ "}${line.lost < 0.05 ? "" : "−"}${line.lost.toFixed(1)}` : "★");
  return h("div", { class: "opinions" }, h("p", { class: "reason" }, "★ ", reasonWords(lines[0].reason)), h("p", { class: "dim" }, t("coach.lead", { lead: signed(lines[0].value, 1) })), lines.slice(0, 14).map((line, k) => {
    const a = byAction.get(line.action);
    if (!a) return null;
    const { lost } = line;
    return h("button", { type: "button", class: `opinion-row ${grade(lost)}`, "data-cells": placesOf(a), disabled: !myTurn(), onclick: () => act(a), title: t("coach.take") },
      thumb(a), h("span", { class: "what" }, placeName(a)),
      h("span", { class: "meter" }, h("i", { style: `width:${Math.round(100 * Math.exp(-lost / 6))}%` })),
      h("b", {}, worth(line, k)));
  }), h("p", { class: "dim" }, t("coach.scale")));
}

// ------------------------------------------------------------------------------ review, end

function drawReview() {
  const review = app.review;
  const byPly = new Map(review.verdicts.map((v) => [v.ply, v]));
  const mine = mistakesOfPeople();
  return h("div", { class: "review" }, mine.length > 0 && button([icon("flag"), t("retry.all", { n: mine.length })], () => retry(mine[0].ply), { class: "main" }), review.seats.map((row) =>
    h("section", {}, h("h2", {}, badge(row.seat, app.hello.seats), app.view.sitters[row.seat].name,
      h("span", { class: "accuracy" }, row.accuracy === null ? "–" : t("coach.accuracy", { percent: row.accuracy }))),
    h("p", { class: "dim" }, t("coach.lost", { points: row.lost, n: row.mistakes })),
    row.worst.map((ply) => {
      const v = byPly.get(ply);
      return h("button", { type: "button", class: "worst", "data-cells": isHidden(v) ? placesOf(v.move) : placesOf(v.move, v.best), onclick: () => ask.verdict(v) },
        h("b", { class: "poor" }, `−${v.lost.toFixed(1)}`), thumb(v.move), !isHidden(v) && thumb(v.best), h("span", {}, isHidden(v) ? t("coach.worst.hidden", { move: moveWords(v.move) }) : t("coach.worst", { move: moveWords(v.move), best: moveWords(v.best) })));
    }))), losses(review), chart(review), h("p", { class: "dim" }, compared(review)));
}

const thumb = (a) => a.tile && picture(tileKey(a.tile, a.rotation), "");

// What every decision has given away, a bar for each; those of a seat in a row of their own.
function losses(review) {
  const last = review.verdicts.at(-1)?.ply || 1;
  const [W, H] = [300, 34];
  const rows = app.view.sitters.map((_, seat) => {
    const look = app.hello.seats[seat];
    const bars = review.verdicts.filter((v) => v.seat === seat && v.lost >= 0.1).map((v) => {
      const height = H * (1 - Math.exp(-v.lost / 6));
      return s("rect", { class: "loss", "data-cells": placesOf(v.move), x: (v.ply / last) * W - 1.2, y: H - height, width: 3.4, height, fill: look.color, stroke: look.dark, "stroke-width": 0.4, onclick: () => ask.verdict(v) },
        s("title", {}, `${v.ply}: ${moveWords(v.move)} −${v.lost.toFixed(1)}`));
    });
    return s("g", { transform: `translate(0 ${seat * (H + 8)})` }, s("path", { d: `M0 ${H}H${W}`, class: "axes" }), bars, s("text", { x: W + 5, y: H, class: "axis" }, "ABCDEF"[seat]));
  });
  return h("div", { class: "chart" }, h("h2", {}, t("coach.losses")),
    s("svg", { viewBox: `-2 -2 ${W + 22} ${rows.length * (H + 8)}`, role: "img", "aria-label": t("coach.losses") }, rows));
}

function compared(review) {
  const n = review.verdicts.filter((v) => !v.searched).length;
  return `${t("coach.compared", { n: review.verdicts.length })} ${n ? t("coach.compared.value", { n }) : ""}`;
}

// The chances of all seats over the game.
function chart(review) {
  const points = review.verdicts;
  if (points.length < 2) return null;
  return curves(t("coach.chart"), points.at(-1).ply || 1, (seat) => points.map((v) => [v.ply, v.chance[seat]]), s("path", { d: "M0 55H300", class: "half" }));
}
