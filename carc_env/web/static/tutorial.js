// The tutorial: says what to do at each step and what it has brought. The server judges the moves.

import { button, icon } from "./dom.js";
import { t } from "./i18n.js";
import { app, ask, leave } from "./store.js";

const words = (what) => t(`tutorial.${app.exercise.name}.${what}`, { points: app.exercise.points });
const go = (step) => ask("lesson", { step, name: t("tutorial.you") });

export const begin = () => go(0);

// A link to a step is "#lesson=4".
export const link = (lesson) => `#lesson=${lesson.step + 1}`;
export function follow(address) {
  const wanted = Number(address.get("lesson"));
  if (Number.isInteger(wanted) && wanted > 0) go(wanted - 1);
  return wanted > 0;
}

// What the step is about and what to do.
export const head = (lesson) => ({
  title: words("title"),
  aside: t("tutorial.step", { step: lesson.step + 1, of: lesson.of }),
  progress: { max: lesson.of, value: lesson.step + (lesson.state === "done" ? 1 : 0), ariaLabel: t("tutorial.label") },
  words: (lesson.step ? `${t("tutorial.fresh")} ` : "") + words("do"),
  leaving: t("tutorial.leave"),
  leave,
});

// What the move has brought, and how it goes on.
export function answer(lesson) {
  const isDone = lesson.state === "done";
  const isLast = lesson.step + 1 === lesson.of;
  if (isDone && isLast) localStorage.setItem("learned", "yes");
  const next = () => (isLast ? ask.playNow() : go(lesson.step + 1));
  const ways = [
    button(t(isLast ? "start.play" : "tutorial.next"), next, { class: isDone ? "main big" : "" }),
    button([icon("undo"), t("tutorial.again")], () => go(lesson.step), { class: isDone ? "" : "main big" })];
  return { isGood: isDone, words: words(lesson.state), ways: isDone ? ways : ways.reverse() };
}
