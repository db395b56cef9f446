// The games that are kept: found by words, kind and set; and what they say of somebody.

import { h, s, button, dialog, icon, put } from "./dom.js";
import { language, t, YOU } from "./i18n.js";
import { app, ask, on, stored } from "./store.js";
import { agentLabel } from "./players.js";
import { keysOf, open } from "./seats.js";

const PAGE = 20; // as many as the server tells at once
const WAIT = 200; // ms after the last letter

let list = null; // the list that is shown, and what is asked for
let wanted = {};

// The list, and what finds a game in it; `leave` is called when one is opened.
export function games(leave) {
  list = { box: h("div", { class: "games" }, "…"), pager: h("div", { class: "pager" }), leave, asks: null };
  wanted = { text: "", state: "any", set_name: null, first: 0 };
  const find = (change) => { Object.assign(wanted, change, { first: change.first || 0 }); ask("games", wanted); };
  list.find = find;
  let waits = null;
  const text = h("input", { type: "search", placeholder: t("games.find"), ariaLabel: t("games.find"), maxLength: 100,
    oninput: (e) => { clearTimeout(waits); waits = setTimeout(() => find({ text: e.target.value }), WAIT); } });
  const state = h("select", { ariaLabel: t("games.state"), onchange: (e) => find({ state: e.target.value }) },
    ["any", "running", "over"].map((key) => h("option", { value: key }, t(`games.${key}`))));
  const set = h("select", { ariaLabel: t("games.set"), onchange: (e) => find({ set_name: e.target.value || null }) },
    h("option", { value: "" }, t("games.sets")), app.hello.rules.sets.filter((key) => key !== "base").map((key) => h("option", { value: key }, t(`set.${key}`))));
  find({});
  return h("div", {}, h("h3", {}, t("open.games")), h("div", { class: "find" }, text, state, set, button(t("record.title"), record)), list.box, list.pager);
}

on("games", (message) => {
  if (!list?.box.isConnected) return;
  const { first, of } = message;
  if (first && first >= of) return list.find({ first: first - PAGE }); // the last one of a page has gone
  put(list.box, message.games.length ? message.games.map(row) : h("p", { class: "dim" }, t(wanted.text || wanted.state !== "any" || wanted.set_name ? "games.none" : "open.none")));
  const turn = (name, to, label, disabled) => button(icon(name), () => list.find({ first: to }), { class: "plain", ariaLabel: t(label), title: t(label), disabled });
  put(list.pager, of > PAGE && [turn("back", first - PAGE, "games.newer", first === 0),
    h("output", {}, t("games.page", { first: first + 1, last: Math.min(first + PAGE, of), of })), turn("forth", first + PAGE, "games.older", first + PAGE >= of)]);
});

const day = (seconds, length = "medium") => new Date(1000 * seconds).toLocaleDateString(language, { dateStyle: length });
const moment = (seconds) => new Date(1000 * seconds).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
const setNames = (sets) => (sets.length ? sets.map((key) => t(`set.${key}`)).join(", ") : t("set.base"));

function row(game) {
  const names = game.names.join(" · ");
  const points = game.scores?.join(" : ") || "";
  // A game that was deleted stays in the list for a while, and can be brought back.
  if (game.deleted)
    return h("div", { class: "game-row gone" }, h("span", { class: "names" }, h("s", {}, names), ` ${t("open.deleted")}`),
      button([icon("undo"), t("open.undelete")], () => ask("restore", { game: game.game, keys: keysOf(game.game) }), { ariaLabel: `${t("open.undelete")}: ${names}` }));
  const box = h("div", { class: "game-row" });
  const go = () => { open(game.game); list.leave(); };
  const usual = () => put(box,
    button([h("span", {}, h("b", {}, names), game.isBranch && ` (${t("branch.title")})`, h("small", { class: "dim" }, `${moment(game.begun)} · ${setNames(game.sets)}`)),
      h("span", { class: "result" }, points, h("small", { class: "dim" }, `${t(game.over ? "games.over" : "games.running")}${game.protected ? ` · ${t("games.protected")}` : ""}`))], go, { class: "plain wide", ariaLabel: `${names}, ${points} ${moment(game.begun)}` }),
    button(icon("cross"), sure, { class: "plain", title: t("open.delete"), ariaLabel: `${t("open.delete")}: ${names}` }));
  // Nothing is deleted by one click.
  const sure = () => {
    put(box, h("div", { class: "asks" }, h("span", {}, t("games.sure", { names })),
      button(t("games.delete"), () => ask("delete", { game: game.game, keys: keysOf(game.game) }), { class: "main" }), button(t("games.keep"), () => { usual(); box.querySelector("button").focus(); })));
    box.querySelector(".asks button").focus();
  };
  usual();
  return box;
}

// --------------------------------------------------------------------------- a record of somebody

// Who sits here: the first person of the last game that was begun.
export const person = () => (stored("seats")?.find((seat) => seat.agent === null)?.name || YOU[language]);

let heard = null;
export function aboutMe(name, tell) {
  heard = { name, tell };
  ask("about", { name });
}
on("about", (message) => { if (heard?.name === message.name) heard.tell(message); });

export function record() {
  const box = h("div", { class: "record" }, "…");
  dialog(t("record.title"), box);
  const show = (name) => aboutMe(name, (found) => put(box, told(found, show)));
  show(person());
}

function told(found, show) {
  const names = [...new Set([found.name, ...found.names])];
  const who = h("label", { class: "line" }, t("record.who"), h("select", { onchange: (e) => show(e.target.value) }, names.map((name) => h("option", { selected: name === found.name }, name))));
  const rating = h("p", {}, found.rated ? t("record.rating", { elo: found.elo, level: found.level, n: found.rated }) : t("record.unrated", { level: found.level }));
  return [h("p", { class: "dim" }, t("record.text")), who, rating, results(found.against), h("h3", {}, t("record.accuracy")), accuracies(found.accuracy)];
}

function results(against) {
  if (!against.length) return h("p", { class: "dim" }, t("record.none"));
  const columns = ["games", "won", "drawn", "lost", "margin"];
  const margin = (n) => (n > 0 ? `+${n}` : String(n).replace("-", "−"));
  return h("div", { class: "results-box", tabIndex: 0, role: "region", ariaLabel: t("record.title") }, h("table", { class: "results" },
    h("thead", {}, h("tr", {}, h("th", {}, t("record.agent")), columns.map((key) => h("th", {}, t(`record.${key}`))))),
    h("tbody", {}, against.map((row_) => h("tr", {}, h("th", {}, agentLabel(row_.agent)), columns.map((key) => h("td", {}, key === "margin" ? margin(row_[key]) : row_[key])))))));
}

// Accuracy in percent, a point for each game that was reviewed, from the first to the last.
function accuracies(points) {
  if (!points.length) return h("p", { class: "dim" }, t("record.unreviewed"));
  const [W, H] = [300, 100];
  const at = points.map(({ percent }, k) => [points.length > 1 ? (k / (points.length - 1)) * W : W / 2, H - percent]);
  const mean = Math.round(points.reduce((sum, { percent }) => sum + percent, 0) / points.length);
  const words = t("record.chart", { n: points.length, mean, last: points.at(-1).percent });
  return h("div", { class: "chart" }, h("p", {}, words), s("svg", { viewBox: `-30 -8 ${W + 42} ${H + 26}`, role: "img", "aria-label": words },
    [0, 50, 100].map((n) => [s("path", { d: `M0 ${H - n}H${W}`, class: n ? "half" : "axes" }), s("text", { x: -6, y: H - n + 4, class: "axis", "text-anchor": "end" }, n)]),
    s("path", { d: at.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y}`).join(""), class: "accuracy-line" }),
    at.map(([x, y], k) => s("circle", { class: "accuracy-dot", cx: x, cy: y, r: 3.4 }, s("title", {}, `${day(points[k].begun)}: ${points[k].percent} %`))),
    s("text", { x: 0, y: H + 15, class: "axis" }, day(points[0].begun, "short")), points.length > 1 && s("text", { x: W, y: H + 15, class: "axis", "text-anchor": "end" }, day(points.at(-1).begun, "short"))));
}
