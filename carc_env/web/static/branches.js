// Variations: play on from any decision without touching the game, and compare.

import { $, h, put, button, dialog, icon, badge } from "./dom.js";
import { signed, t } from "./i18n.js";
import { app, ask, emit, goTo, hasHints, on, shown } from "./store.js";

let asked = null; // for which version and decision the list was asked

const others = () => app.lines.filter((line) => line.origin);
const numberOf = (line) => others().indexOf(line) + 1;
const nameOf = (line) => (line.origin ? t("branch.number", { k: numberOf(line) }) : t("branch.game"));

export const canBranch = () => Boolean(app.view) && !app.exercise && !shown().over;
export function branch() {
  if (!canBranch()) return;
  const { ply } = shown();
  const go = (agents) => ask("branch", { ply, agents });
  if (app.view.sitters.every((one) => one.agent === null)) return go(false);
  const choose = (agents) => () => { go(agents); box.close(); };
  const box = dialog(t("branch.here"), h("p", {}, t("branch.who", { ply })),
    h("div", { class: "answers" }, button(t("branch.persons"), choose(false), { class: "main" }), button(t("branch.agents"), choose(true))));
}

const back = () => goTo(app.origin.game, app.origin.ply, "lines");

// Above the question of a variation.
export function head(origin) {
  const line = app.lines.find((one) => one.game === app.game);
  return { title: line ? nameOf(line) : t("branch.title"), aside: t("branch.from", { ply: origin.ply }), leaving: t("branch.back"), leave: back };
}

// Below the board, where somebody looks back: the ways that lead on from there.
export function waysOn(view) {
  const here = app.lines.filter((line) => line.origin?.game === app.game && line.origin.ply === view.ply);
  return [...here.map((line) => button(nameOf(line), () => ask.open(line.game))),
    canBranch() && button([icon("rematch"), t("branch.here")], branch, { title: "V" })];
}

export function refresh() {
  const now = app.view && !app.exercise && `${app.game}:${app.view.version}:${app.view.ply}`;
  if (now && now !== asked) { asked = now; ask("branches"); }
}

on("entered", () => { asked = null; }); // what was known of another game is forgotten
on("branches", (message) => { app.lines = message.lines; emit("changed"); });

export function drawLines() {
  refresh();
  put($("sheet"), h("p", { class: "dim" }, t("branch.text")),
    canBranch() && button([icon("rematch"), t("branch.here")], branch, { class: "main" }),
    app.lines.length > 1 ? h("div", { class: "lines" }, app.lines.map(row)) : null);
}

function row(line) {
  const isHere = line.game === app.game;
  const { scores, odds, ply, over } = isHere ? app.view : line;
  const open = () => (isHere ? ask.live() : ask.open(line.game));
  const length = line.origin ? t("branch.length", { ply: line.origin.ply, n: ply - line.origin.ply }) : t("branch.decisions", { n: ply });
  const seats = scores.map((score, seat) => h("span", { class: "line-seat" }, badge(seat, app.hello.seats), h("b", {}, score),
    hasHints() && [over ? "" : ` ${Math.round(100 * odds[seat])} %`, h("span", { class: "dim", title: t("branch.lead") }, ` ${signed(line.leads[seat], 1)}`)]));
  return h("div", { class: `line-row ${isHere ? "on" : ""}` },
    h("button", { type: "button", class: "plain wide", "aria-current": isHere ? "true" : null, onclick: open }, h("strong", {}, nameOf(line)), h("span", { class: "dim" }, ` ${length}${over ? `, ${t("branch.over")}` : ""}`), h("span", { class: "line-seats" }, seats)),
    line.origin && !isHere && button(icon("cross"), () => { ask("delete", { game: line.game }); asked = null; refresh(); }, { class: "plain", title: t("branch.delete"), ariaLabel: `${t("branch.delete")}: ${nameOf(line)}` }));
}
