// The first screen: play at once, go on, ask a friend, or learn.

import { $, h, put, button } from "./dom.js";
import { t } from "./i18n.js";
import { picture } from "./art.js";
import { app, ask, emit, on } from "./store.js";
import { aboutMe, person, record } from "./games.js";
import { agentName } from "./players.js";
import { keysOf, open } from "./seats.js";
import { newGame, openGame } from "./dialogs.js";
import * as tutorial from "./tutorial.js";
import * as trials from "./trials.js";

const TILES = ["bg-monastery-road:2", "rv-corner-bend:1", "ic-cathedral:0", "bcb-roads-bazaar:0", "bg-corner-curve-shield:3"];
const rules = () => ({ preset: localStorage.getItem("preset") || "base" });
const opponent = (agent) => ({ name: agentName(agent), agent });
const me = () => ({ name: person(), agent: null });

// The level that fits, with the sets that were played last.
export const playNow = () => aboutMe(person(), ({ level }) => ask("new", { rules: rules(), seats: [me(), opponent(app.hello.levels[level - 1])] }));

// A game whose second seat has a link before anything else is asked.
let invites = false;
function withFriend() {
  invites = true;
  ask("new", { rules: rules(), seats: [me(), { name: t("start.friend.name"), agent: null }] });
}
on("state", () => {
  if (!invites) return;
  invites = false;
  ask("invite", { seat: 1 });
  ask.invite();
});
on("error", () => { invites = false; });

let last = null; // the last game of those that go on here
const isOurs = (game) => !game.over && !game.deleted && !game.isBranch && (!game.protected || keysOf(game.game).length);
on("games", ({ games, first }) => {
  if (app.view || first) return;
  const found = games.find(isOurs) || null;
  if (found?.game !== last?.game) { last = found; emit("changed"); }
});
export const lookForLast = () => ask("games", { text: "", state: "running", set_name: null, first: 0 });

export function welcome() {
  const big = (label, note, go) => button([h("b", {}, label), h("small", {}, note)], go, { class: "start" });
  put($("ask"), h("div", { class: "welcome" }, h("div", { class: "tiles-row" }, TILES.map((key) => picture(`t:${key}`))), h("h2", {}, t("welcome.title")), h("p", {}, t("welcome.text")),
    h("div", { class: "starts" }, big(t("start.play"), t("start.play.note"), playNow),
      last && big(t("start.continue"), [last.names.join(" · "), last.scores?.join(" : ")].filter(Boolean).join(" · "), () => open(last.game)),
      big(t("start.friend"), t("start.friend.note"), withFriend), big(t("start.learn"), t("start.learn.note"), tutorial.begin)),
    h("div", { class: "answers" }, button(t("menu.new"), newGame), button(t("puzzle.today"), trials.ofToday), button(t("menu.open"), openGame), button(t("record.title"), record),
      button(t("welcome.watch"), () => ask("new", { rules: { preset: "base" }, seats: ["value", "greedy"].map(opponent) })))));
}
