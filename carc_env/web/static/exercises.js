// The frame of exercises, which are games that are not kept, and of variations: what it is about
// stands above the question, and what a move has brought in its place.

import { $, h, put, button, icon, say } from "./dom.js";
import { app, emit, on } from "./store.js";
import * as tutorial from "./tutorial.js";
import * as trials from "./trials.js";
import * as branches from "./branches.js";

const TASKS = { lesson: tutorial, puzzle: trials, retry: trials };
const task = () => TASKS[app.exercise.task];

export const link = () => (app.exercise ? task().link(app.exercise) : `#game=${app.game}`);
export function follow() {
  const address = new URLSearchParams(location.hash.slice(1));
  return tutorial.follow(address) || trials.follow(address);
}

export function drawExercise() {
  const box = $("lesson");
  const { exercise, origin } = app;
  box.hidden = !exercise && !origin;
  document.body.classList.toggle("learning", Boolean(exercise));
  if (box.hidden) return put(box);
  const { title, aside, progress, words, leaving, leave: go } = exercise ? task().head(exercise) : branches.head(origin);
  put(box, h("div", { class: "lesson-head" }, h("h2", {}, title), h("span", { class: "dim" }, aside),
    button(icon(exercise ? "cross" : "undo"), go, { class: "plain", title: leaving, ariaLabel: leaving })),
  progress && h("progress", progress),
  words && (!exercise || exercise.state === "open") && h("p", {}, words));
}

export function exerciseAnswer() {
  const { exercise } = app;
  if (!exercise || exercise.state === "open") return null;
  const { isGood, words, ways, more } = task().answer(exercise);
  return h("div", { class: `lesson-answer ${isGood ? "done" : "else"}` }, h("span", { class: "mark", "aria-hidden": "true" }, isGood ? "✓" : "↺"),
    h("p", {}, words), more, h("div", { class: "answers" }, ways));
}

on("exercise", (message) => {
  app.exercise = { ...message };
  if (message.task !== "lesson") trials.heard(app.exercise);
  emit("changed");
  if (message.state !== "open") say(task().answer(app.exercise).words);
});

// Enter goes on, too.
export function enter() {
  const next = document.querySelector(".lesson-answer .main");
  next?.click();
  return Boolean(next);
}
