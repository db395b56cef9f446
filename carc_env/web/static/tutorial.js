// The tutorial: says what to do at each step and what it has brought. The server judges the moves.

import { $, h, put, button, icon, say } from "./dom.js";
import { t } from "./i18n.js";
import { app, ask, emit, on } from "./store.js";

const isAnswered = () => app.exercise.state !== "open";
const words = (what) => t(`tutorial.${app.exercise.name}.${what}`, { points: app.exercise.points });
const go = (step) => ask("lesson", { step, name: t("tutorial.you") });

export const begin = () => go(0);

function leave() {
  ask("leave");
  emit("left");
}

// A link to a step is "#lesson=4".
export const link = (lesson) => `#lesson=${lesson.step + 1}`;
export function follow() {
  const wanted = Number(new URLSearchParams(location.hash.slice(1)).get("lesson"));
  if (Number.isInteger(wanted) && wanted > 0) go(wanted - 1);
  return wanted > 0;
}

// Above the question: what the step is about and what to do.
export function drawLesson() {
  const box = $("lesson");
  const { exercise: lesson } = app;
  box.hidden = !lesson;
  document.body.classList.toggle("learning", Boolean(lesson));
  if (!lesson) return put(box);
  put(box, h("div", { class: "lesson-head" },
    h("h2", {}, words("title")),
    h("span", { class: "dim" }, t("tutorial.step", { step: lesson.step + 1, of: lesson.of })),
    button(icon("cross"), leave, { class: "plain", title: t("tutorial.leave"), ariaLabel: t("tutorial.leave") })),
  h("progress", { max: lesson.of, value: lesson.step + (lesson.state === "done" ? 1 : 0), ariaLabel: t("tutorial.label") }),
  !isAnswered() && h("p", {}, words("do")));
}

// In place of the question: what the move has brought, and how it goes on.
export function lessonAnswer() {
  const { exercise: lesson } = app;
  if (!lesson || !isAnswered()) return null;
  const isDone = lesson.state === "done";
  const isLast = lesson.step + 1 === lesson.of;
  const again = () => go(lesson.step);
  const next = () => (isLast ? ask.newGame() : go(lesson.step + 1));
  const ways = [button(t(isLast ? "menu.new" : "tutorial.next"), next, { class: isDone ? "main big" : "" })];
  ways.push(button([icon("undo"), t("tutorial.again")], again, { class: isDone ? "" : "main big" }));
  return h("div", { class: `lesson-answer ${lesson.state}` }, h("span", { class: "mark", "aria-hidden": "true" }, isDone ? "✓" : "↺"),
    h("p", {}, words(lesson.state)), h("div", { class: "answers" }, isDone ? ways : ways.reverse()));
}

on("exercise", (message) => {
  app.exercise = message;
  emit("changed");
  if (isAnswered()) say(words(message.state));
});

// Enter goes on, too.
export function enter() {
  const next = document.querySelector(".lesson-answer .main");
  next?.click();
  return Boolean(next);
}
