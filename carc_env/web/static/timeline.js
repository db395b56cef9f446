// Back and forth in a game, and how fast agents move.

import { $, h, put, button, icon } from "./dom.js";
import { t } from "./i18n.js";
import { app, ask, shown, emit, isWatching, on } from "./store.js";
import { isHidden, mistakes } from "./trials.js";

const DELAYS = [0, 150, 500, 1200, 3000];
let wanted = null;
let film = null;

export function drawTimeline() {
  const view = shown();
  const box = $("timeline");
  if (!view) return put(box);
  const last = app.view.ply;
  const now = view.ply;
  const go = (name, to, label, disabled) => button(icon(name), () => look(to), { title: t(label), ariaLabel: t(label), disabled });
  if (!box.firstChild) {
    const slider = h("input", { type: "range", min: 0, oninput: (e) => look(Number(e.target.value)), ariaLabel: t("time.slider") });
    box.append(h("span", { class: "left" }), slider, h("span", { class: "right" }));
  }
  const [left, slider, right] = box.children;
  slider.max = last;
  slider.value = now;
  const watches = app.view.sitters.some((one) => one.agent) && !app.view.over && app.seats.isHost && !isWatching();
  const toggle = t(app.paused ? "watch.play" : "watch.pause");
  put(left, go("first", 0, "time.first", now === 0), go("back", now - 1, "time.back", now === 0));
  put(right, h("output", {}, `${now} / ${last}`), go("forth", now + 1, "time.forth", now === last), go("last", last, "time.last", now === last),
    app.view.over && button(icon(film ? "pause" : "play"), playFilm, { title: t("time.film"), ariaLabel: t("time.film") }),
    app.review && button(icon("flag"), nextMistake, { title: `${t("keys.mistake")} (M)`, ariaLabel: t("keys.mistake") }),
    watches && button(icon(app.paused ? "play" : "pause"), () => pace(!app.paused), { title: toggle, ariaLabel: toggle }),
    watches && h("select", { ariaLabel: t("watch.speed"), title: t("watch.speed"), onchange: (e) => ask("pace", { delay: Number(e.target.value), paused: app.paused }) },
      DELAYS.map((ms) => h("option", { value: ms, selected: ms === app.delay }, t(`speed.${ms}`)))));
}

export const pace = (paused) => ask("pace", { delay: app.delay, paused });

export function look(ply) {
  if (!app.view) return;
  const to = Math.max(0, Math.min(app.view.ply, ply));
  wanted = to;
  if (to === app.view.ply) return live();
  ask("look", { ply: to });
}

export function live() {
  wanted = null;
  app.past = null;
  app.better = null;
  emit("changed");
}

on("look", (message) => {
  if (wanted !== message.view.ply) return;
  app.past = message.view;
  emit("changed");
});

export function nextMistake() {
  if (!app.review) return;
  const now = app.past ? app.past.ply : -1;
  const bad = mistakes();
  const next = bad.find((v) => v.ply > now) || bad[0];
  if (next) verdict(next);
}

// Look at the decision of a verdict; the better move is drawn over it, unless it is to be tried.
export function verdict(v) {
  app.better = isHidden(v) ? null : { ply: v.ply, action: v.bestAction, lost: v.lost };
  look(v.ply);
}

function playFilm() {
  if (film) { clearInterval(film); film = null; return drawTimeline(); }
  if (shown().ply === app.view.ply) look(0);
  film = setInterval(() => {
    const at = app.past ? app.past.ply : app.view.ply;
    if (at >= app.view.ply) playFilm();
    else look(at + 1);
  }, 450);
  drawTimeline();
}
