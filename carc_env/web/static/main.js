// The page: puts the parts together and draws whatever has changed.

import { $, forgetNotes, h, put, button, icon, progress, progressEnds, say, toast } from "./dom.js";
import { preferred, speak, t } from "./i18n.js";
import { act, app, ask, connect, hasHints, isDrawn, isLive, isWatching, leave, listenToPresses, merge, myTurn, NO_GAME, on, onceReleased, shown } from "./store.js";
import * as board from "./board.js";
import * as camera from "./camera.js";
import { drawAsk, settle } from "./ask.js";
import { drawSide, listen as listenBeside, openTab } from "./side.js";
import { dress, help, newGame, openGame, settings, share } from "./dialogs.js";
import { lookForLast, playNow, welcome } from "./start.js";
import * as effects from "./effects.js";
import * as seats from "./seats.js";
import { drawTimeline, live, look, pace, verdict } from "./timeline.js";
import { listen } from "./keys.js";
import { fetchCards } from "./cards.js";
import { agentName } from "./players.js";
import * as tutorial from "./tutorial.js";
import * as exercises from "./exercises.js";
import * as trials from "./trials.js";
import { refresh } from "./branches.js";
import { besideWords, calling, logWords, paidWords, scoreWords } from "./words.js";

// What the parts ask of each other.
Object.assign(ask, { look, live, pace, verdict, newGame, playNow, review, tab: openTab, coach: askCoach, invite: seats.invite, rematch: seats.rematch, open: seats.open, drawSoon });

function askCoach() {
  const view = shown();
  if (!view || view.over || app.wantsCoach || !hasHints()) return;
  app.wantsCoach = true;
  app.tab = "coach";
  ask("coach", { ply: view.ply });
  drawSide();
}

// It is seen at once that the coach is at work: the first decision may take a while.
function review() {
  app.tab = "coach";
  app.reviewing ||= { done: 0, of: app.view.ply };
  ask("review");
  drawAll();
}

function drawMenu() {
  const item = (name, label, go, disabled = false) => button([icon(name), h("span", {}, t(label))], go, { title: t(label), ariaLabel: t(label), disabled });
  put($("menu"),
    item("new", "menu.new", newGame), item("open", "menu.open", openGame), item("puzzle", "menu.puzzles", trials.puzzles),
    app.view && !app.exercise && !isWatching() && item("undo", "menu.undo", () => ask("undo"), !app.view.canUndo),
    app.view && !app.exercise && !isWatching() && item("rematch", "menu.rematch", seats.rematch),
    app.view && item("share", "menu.share", share),
    item("gear", "menu.settings", settings), item("help", "menu.help", help));
}

// Many changes may come before the next frame: they are drawn at once.
let awaited = false;
function drawSoon() {
  if (awaited) return;
  awaited = true;
  requestAnimationFrame(() => onceReleased(() => { awaited = false; drawAll(); }));
}

function drawAll() {
  settle();
  app.drawn = app.view && `${app.view.version}:${app.view.ply}`;
  drawMenu();
  drawSide();
  exercises.drawExercise();
  drawAsk();
  drawTimeline();
  document.body.classList.toggle("playing", Boolean(app.view));
  $("table").classList.toggle("past", !isLive());
  board.draw(); // once it is known how much room it has
  if (!app.view) app.preparing ? waiting() : welcome();
}

// What is shown while agents get ready for a game that is not there yet.
function waiting() {
  put($("ask"), h("div", { class: "welcome" }, h("h2", {}, t("preparing", { who: app.preparing })), h("progress", { ariaLabel: t("preparing", { who: app.preparing }) }), h("p", {}, t("preparing.text"))));
}

// What happened last, for those who listen, and points for everybody.
function announce(fresh, before) {
  const lines = [];
  effects.happened(fresh, before);
  for (const entry of fresh) {
    lines.push(logWords(entry), ...(entry.beside || []).map(besideWords));
    if (entry.paid?.length) { lines.push(paidWords(entry)); toast(lines.at(-1)); }
    for (const g of entry.gained || []) {
      lines.push(scoreWords(g));
      if (g.points && !app.view.over && !(g.place && effects.isAnimated())) toast(`${app.view.sitters[g.seat].name} · ${scoreWords(g)}`, `seat-${g.seat}`);
    }
  }
  if (lines.length) say(lines.join(". "));
}

// Why a click did nothing, in place of the question for a while.
let forgets = null;
function refused(why) {
  app.why = why;
  drawAsk();
  say(why);
  clearTimeout(forgets);
  forgets = setTimeout(() => { app.why = null; drawAsk(); }, 6000);
}

on("hello", async (message) => {
  Object.assign(app, { hello: message, preparing: null });
  message.seats.forEach((look_, seat) => document.documentElement.style.setProperty(`--seat-${seat}`, look_.color));
  exercises.follow() || seats.follow() || lookForLast();
  drawAll();
});

on("entered", (message) => {
  if (message.game !== app.game) { camera.begin(); forgetNotes(); }
  Object.assign(app, NO_GAME, { game: message.game, exercise: message.exercise, origin: message.origin, delay: message.delay, paused: message.paused });
  if (message.exercise && message.exercise.task !== "lesson") trials.entered(app.exercise);
  history.replaceState(null, "", exercises.link());
  $("timeline").replaceChildren();
});

on("left", () => {
  Object.assign(app, NO_GAME);
  noLink();
  lookForLast();
  drawAll();
});

const noLink = () => history.replaceState(null, "", location.pathname);

// Agents get ready: for the game that is shown, or for one that is to come.
on("preparing", (message) => {
  app.preparing = message.agents.map(agentName).join(", ");
  if (app.view) progress(t("preparing", { who: app.preparing }));
  else drawAll();
});

// The rules engine is compiled once, before the first game.
on("compiling", ({ percent }) => progress(t("compiling", { percent }), percent));

on("ready", () => {
  app.preparing = null;
  progressEnds();
});

on("state", (message) => {
  const n = message.full ? null : app.view.log.length;
  const { ply, over, figures, scores } = app.view || {};
  app.view = message.full ? message.view : merge(app.view, message.view);
  if (app.view.ply !== ply) Object.assign(app, { ghost: null, cursor: null, spin: 0, thinking: null, deed: null, why: null });
  if (app.coach && app.coach.version !== app.view.version) app.coach = null;
  if (!message.full && message.view.version !== undefined) Object.assign(app, { review: null, reviewing: null, past: null });
  if (n !== null && app.view.log.length > n && app.view.log.length - n < 30) announce(app.view.log.slice(n), { figures, scores });
  if (app.view.over && !message.full && message.view.over) {
    app.tab = "end";
    effects.ended();
  }
  if (app.view.over && !over) camera.end();
  if (message.full) arrive();
  drawSoon();
  if (myTurn() && app.view.ply !== ply) say(calling(app.view.decider, "say.turn"));
});

// A game is there: its variations, and the decision that was to be looked at.
function arrive() {
  const { next } = app;
  app.next = null;
  refresh();
  if (next?.game !== app.game) return;
  app.tab = next.tab;
  const found = next.tab === "coach" && app.review?.verdicts.find((v) => v.ply === next.ply);
  found ? verdict(found) : look(next.ply);
}

on("changed", drawAll);
on("ghost", () => { app.why = null; drawAsk(); });
on("refused", refused);
on("said", say);
on("pace", (message) => { Object.assign(app, { delay: message.delay, paused: message.paused }); drawAsk(); drawTimeline(); });
on("thinking", (message) => { app.thinking = message.seat; });
on("coach", (message) => { app.coach = message; app.wantsCoach = false; drawSide(); board.drawTargets(); });
on("reviewing", (message) => { app.reviewing = message; if (app.tab === "coach") drawSide(); drawAsk(); });
on("review", (message) => {
  Object.assign(app, { review: message, reviewing: null });
  if (app.view) { drawSide(); drawAsk(); drawTimeline(); }
  if (app.wantsRetry) trials.retryFirst();
});
on("filming", (message) => progress(t("share.filming", message)));
on("saved", progressEnds);
on("rematch", ({ deck }) => toast(t(`note.rematch.${deck}`)));
on("error", (message) => {
  progressEnds();
  Object.assign(app, { wantsCoach: false, wantsRetry: false, reviewing: null, preparing: null, next: null });
  toast(message.why ? t(`error.${message.why}`, message.told) : message.text, "bad");
  if (!app.view) noLink();
  if (app.hello) drawAll();
});
const TABLE = ["strip", "stage", "ask", "timeline", "side"];
function isOffline(is) {
  for (const part of TABLE) $(part).inert = is;
  put($("offline"), is && h("p", {}, t("offline")));
}
on("offline", () => { isOffline(true); progressEnds(); });
on("online", () => isOffline(false));
on("unsent", () => toast(t("offline"), "bad"));

window.carcassonne = { app, ask, act, myTurn, isDrawn }; // for tests, and for whoever is curious
dress();
await speak(preferred());
await fetchCards();
document.title = t("title");
board.setUp();
listen();
listenToPresses();
listenBeside();
$("home").addEventListener("click", leave); // the first screen, from which the game goes on
seats.listen();
connect();
