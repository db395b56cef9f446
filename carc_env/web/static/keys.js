// Everything by keyboard.

import { app, act, ask, isPlacing, myTurn, shown } from "./store.js";
import { cycle, dropGhost, enter, rotate, step, drawTargets, leaveFeature } from "./board.js";
import { showAll, zoomBy } from "./camera.js";
import { drawAsk, kinds, plain } from "./ask.js";
import { help, newGame } from "./dialogs.js";
import { nextFeature } from "./tour.js";
import { enter as goesOn } from "./exercises.js";
import { branch } from "./branches.js";
import { look, live, nextMistake } from "./timeline.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const COMMANDS = {
  r: () => isPlacing() && rotate(1),
  R: () => isPlacing() && rotate(-1),
  p: pass,
  u: () => ask(app.exercise && app.exercise.task !== "lesson" ? "again" : "undo"),
  v: branch,
  c: () => ask.coach(),
  f: () => shown() && nextFeature(),
  n: newGame,
  m: nextMistake,
  ",": () => look(shown().ply - 1),
  ".": () => look(shown().ply + 1),
  "+": () => zoomBy(1.25),
  "-": () => zoomBy(0.8),
  0: showAll,
  "?": help,
};

export function listen() {
  document.addEventListener("pointerdown", () => document.body.classList.remove("by-key"));
  document.addEventListener("keydown", (event) => {
    document.body.classList.add("by-key");
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const onSlider = event.target.closest("input[type=range]"); // which knows the arrows itself
    if (event.target.closest("textarea, select, input") && !(onSlider && !ARROWS[event.key])) return;
    const onButton = event.target.closest("button, summary, a");
    if (ARROWS[event.key] && app.view) {
      event.preventDefault();
      if (app.past) return look(app.past.ply + (event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0));
      return step(...ARROWS[event.key]);
    }
    if (event.key === "Enter" && !onButton && app.view) { event.preventDefault(); return goesOn() || enter(); }
    if (event.key === "Escape") { if (app.past) live(); dropGhost(); leaveFeature(); return; }
    if (/^[1-9]$/.test(event.key) && app.view) return number(Number(event.key));
    if (event.key === "[" || event.key === "]") return cycle(event.key === "]" ? 1 : -1);
    const command = COMMANDS[event.key] || COMMANDS[event.key.toLowerCase()];
    if (command && (app.view || command === help || command === newGame)) { event.preventDefault(); command(); }
  });
}

function pass() {
  if (!myTurn()) return;
  const a = plain().find((one) => one.kind === "pass") || plain().find((one) => one.kind === "decline");
  if (a) act(a);
}

// The n-th kind of figure, or the n-th tile of a bazaar.
function number(n) {
  if (!myTurn()) return;
  const pick = app.view.actions.find((a) => a.kind === "pick" && a.number === n);
  if (pick) return act(pick);
  const kind = kinds()[n - 1];
  if (kind) { app.figure = kind; app.cursor = null; drawAsk(); drawTargets(); }
}
