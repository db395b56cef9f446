// Decisions that are tried: puzzles, and mistakes of a game that was reviewed.

import { h, button, dialog, icon, toast } from "./dom.js";
import { language, signed, t } from "./i18n.js";
import { app, ask, goTo, leave, shown, stored, storeAs } from "./store.js";
import { picture, tileKey } from "./art.js";
import { moveWords, placeName, reasonWords } from "./words.js";

const you = () => t("tutorial.you");

// ------------------------------------------------------------------------ mistakes of a review

const seen = new Set(); // decisions whose answer was asked for, as "game:ply"

const isMistake = (v) => v.lost >= app.review.mistake;
const isOfAPerson = (v) => app.view.sitters[v.seat].agent === null;
export const isHidden = (v) => isOfAPerson(v) && isMistake(v) && !seen.has(`${app.game}:${v.ply}`);
export const mistakes = () => app.review.verdicts.filter(isMistake);
export const mistakesOfPeople = () => mistakes().filter(isOfAPerson);
export function reveal(v) {
  seen.add(`${app.game}:${v.ply}`);
  ask.verdict(v);
}

let list = []; // decisions of people in the game that is gone through, to be tried one by one
export function retry(ply) {
  list = mistakesOfPeople().map((v) => v.ply);
  ask("retry", { ply });
}

// As soon as the review is there.
export function retryFirst() {
  app.wantsRetry = false;
  const [first] = mistakesOfPeople();
  first ? retry(first.ply) : toast(t("retry.none"));
}

function nextOf({ game, ply }) {
  const next = list.find((one) => one > ply);
  return next !== undefined && (() => { ask.open(game); ask("retry", { ply: next }); });
}

// ------------------------------------------------------------------------------------- puzzles

const read = (key) => stored(key) || {};
const idOf = (puzzle) => puzzle.called || puzzle.own;
const isSolved = (id) => read("puzzles.solved")[id] === 0;

// The day here, as "2026-11-24".
export function today() {
  const now = new Date();
  return new Date(now - 60000 * now.getTimezoneOffset()).toISOString().slice(0, 10);
}
export const ofToday = () => ask("puzzle", { called: today(), name: you() });

// Puzzles that came as text are kept in this browser, so that a link leads back to them.
let text = null;
export const isPuzzle = (one) => one.trimStart().startsWith("[carc_env puzzle");
export function readPuzzle(one) {
  text = one;
  ask("read_puzzle", { text: one, name: you() });
}
export function keep(one) {
  let sum = 2166136261;
  for (const letter of one.trim()) sum = Math.imul(sum ^ letter.codePointAt(0), 16777619) >>> 0;
  const own = `own-${sum.toString(16)}`;
  storeAs("puzzles.own", { ...read("puzzles.own"), [own]: one });
  return own;
}

// A link is "#puzzle=2026-11-24", or it has the name of a puzzle.
export const link = (trial) => (trial.task === "retry" ? `#game=${trial.game}` : `#puzzle=${trial.day || idOf(trial)}`);
export function follow(address) {
  const wanted = address.get("puzzle");
  if (!wanted) return false;
  if (!wanted.startsWith("own-")) ask("puzzle", { called: wanted, name: you() });
  else if (read("puzzles.own")[wanted]) readPuzzle(read("puzzles.own")[wanted]);
  else { toast(t("puzzle.elsewhere"), "bad"); history.replaceState(null, "", location.pathname); }
  return true;
}

export const stars = (n) => h("span", { class: "stars", role: "img", ariaLabel: t("puzzle.difficulty", { stars: n }), title: t("puzzle.difficulty", { stars: n }) }, "★".repeat(n) + "☆".repeat(5 - n));

function another(pool, difficulty) {
  const last = read("puzzles.last");
  ask("next_puzzle", { pool, difficulty, after: last[`${pool}/${difficulty}`] ?? null, name: you() });
}

export function puzzles() {
  const own = Object.entries(read("puzzles.own"));
  const pool = h("select", { id: "pool", onchange: (e) => localStorage.setItem("puzzles.pool", e.target.value) }, ["base-2", "everything-2"].map((name) =>
    h("option", { value: name, selected: name === localStorage.getItem("puzzles.pool") }, t(`puzzle.pool.${name}`))));
  const go = (what) => () => { what(); box.close(); };
  const row = ([id, content]) => {
    const source = content.match(/\[source (.*)\]/)?.[1] || id;
    return h("div", { class: "game-row" }, button([h("span", { class: "names" }, source), isSolved(id) && h("span", {}, t("puzzle.solved"))], go(() => readPuzzle(content)), { class: "plain wide" }),
      button(icon("cross"), (e) => { const all = read("puzzles.own"); delete all[id]; storeAs("puzzles.own", all); e.target.closest(".game-row").remove(); }, { class: "plain", title: t("puzzle.remove"), ariaLabel: `${t("puzzle.remove")}: ${source}` }));
  };
  const n = Object.values(read("puzzles.solved")).filter((lost) => lost === 0).length;
  const box = dialog(t("menu.puzzles"), h("p", {}, t("puzzle.text")),
    button(t("puzzle.today"), go(ofToday), { class: "main big" }),
    h("h3", {}, t("puzzle.more")), h("label", { class: "line", htmlFor: "pool" }, t("puzzle.pool"), pool),
    h("div", { class: "row levels" }, [1, 2, 3, 4, 5].map((k) => button(stars(k), go(() => another(pool.value, k)), { ariaLabel: t("puzzle.difficulty", { stars: k }) }))),
    own.length > 0 && [h("h3", {}, t("puzzle.own")), h("div", { class: "games" }, own.map(row))],
    h("p", { class: "dim" }, t("puzzle.count", { n })));
}

// -------------------------------------------------------------------------------------- frame

const points = (lost) => Number(lost.toFixed(2));

export function head(trial) {
  if (trial.task === "retry") {
    const k = list.indexOf(trial.ply);
    return { title: t("retry.title"), aside: k < 0 ? "" : t("retry.number", { k: k + 1, of: list.length }), words: t("retry.do"), leaving: t("retry.back"), leave: () => goTo(trial.game, trial.ply, "coach") };
  }
  const day = trial.day && new Date(`${trial.day}T12:00`).toLocaleDateString(language, { day: "numeric", month: "long", year: "numeric" });
  return { title: day ? t("puzzle.of_day", { day }) : t("puzzle.title"), aside: trial.difficulty && stars(trial.difficulty),
    words: trial.called ? t("puzzle.do") : `${t("puzzle.do")} (${trial.source})`, leaving: t("puzzle.leave"), leave };
}

export function answer(trial) {
  if (trial.state === "judging") return { isGood: false, words: t("trial.judging"), ways: [] };
  const best = trial.tried?.lost < 0.005;
  const isEstimate = trial.task === "retry" || !trial.exact;
  const words = trial.state === "answered" ? t(isEstimate ? "trial.answer.estimate" : "trial.answer") : best ? t("trial.best") : t(isEstimate ? "trial.lost.estimate" : "trial.lost", { n: points(trial.tried.lost) });
  return { isGood: best, words, ways: ways(trial, best), more: trial.lines ? values(trial) : compared(trial) };
}

function ways(trial, best) {
  const isAnswered = trial.state === "answered";
  const next = trial.task === "retry" ? nextOf(trial) : trial.called ? () => another(trial.called.split("/")[0], trial.difficulty) : puzzles;
  const goesOn = best || isAnswered;
  const found = [
    next && button(t(trial.task === "retry" ? "retry.next" : "puzzle.next"), next, { class: goesOn ? "main big" : "" }),
    button([icon("undo"), t("tutorial.again")], () => ask("again"), { class: goesOn ? "" : "main big" }),
    !isAnswered && button(t("trial.show"), () => ask("answer"))];
  if (trial.task === "retry") found.push(button(t("retry.back"), () => goTo(trial.game, trial.ply, "coach"), { class: goesOn && !next ? "main big" : "" }));
  else found.push(button(t("trial.save"), () => ask("save", { format: "puzzle", ply: shown().ply })));
  return found;
}

// What was tried beside what was done in the game and the best one, without saying which that is.
function compared({ tried, before }) {
  const row = (label, one) => one && h("tr", {}, h("th", { scope: "row" }, t(label)), h("td", {}, moveWords(one.move)), h("td", {}, one.lost < 0.005 ? "0" : `−${one.lost.toFixed(2)}`));
  return h("table", { class: "values" }, h("tbody", {}, row("trial.tried", tried), row("trial.before", before),
    h("tr", {}, h("th", { scope: "row" }, t("trial.the_best")), h("td", {}, tried.lost < 0.005 ? moveWords(tried.move) : "?"), h("td", {}, "0"))));
}

// What every action is worth.
function values({ lines, tried, before }) {
  const byAction = new Map(shown().actions.map((a) => [a.action, a]));
  const labels = (a) => [["trial.tried", tried], ["trial.before", before]].filter(([, one]) => one?.move && a && sameMove(one.move, a)).map(([key]) => t(key)).join(", ");
  const row = (line) => {
    const a = byAction.get(line.action);
    return a && h("tr", { class: labels(a) ? "on" : "" }, h("th", { scope: "row" }, a.tile && picture(tileKey(a.tile, a.rotation), ""), placeName(a), labels(a) && h("em", {}, ` · ${labels(a)}`)),
      h("td", {}, signed(lines[0].value - line.lost, 2)), h("td", {}, line.lost < 0.005 ? "★" : `${line.deep ? "" : "≈ "}−${line.lost.toFixed(2)}`));
  };
  return h("div", { class: "values-box", tabIndex: 0, role: "region", ariaLabel: t("trial.values") }, lines[0].reason && h("p", { class: "reason" }, "★ ", reasonWords(lines[0].reason)), h("table", { class: "values" },
    h("thead", {}, h("tr", {}, ["trial.move", "trial.lead", "trial.away"].map((key) => h("th", { scope: "col" }, t(key))))), h("tbody", {}, lines.map(row))));
}

const sameMove = (move, a) => Object.keys(move).every((key) => String(move[key]) === String(a[key]));

// What the server has said of an exercise: it is remembered, and an answer is drawn over the board.
let sawAnswer = false;
export function heard(trial) {
  if (trial.task === "puzzle" && !idOf(trial)) trial.own = text && keep(text);
  const id = idOf(trial);
  if (trial.state === "answered") {
    sawAnswer = true;
    app.coach = { ply: app.view.ply, version: app.view.version, lines: trial.lines };
    if (trial.task === "retry") seen.add(`${trial.game}:${trial.ply}`);
  }
  if (trial.task === "puzzle" && trial.state === "tried" && !sawAnswer) {
    const solved = read("puzzles.solved");
    const lost = points(trial.tried.lost);
    if (!(solved[id] <= lost)) storeAs("puzzles.solved", { ...solved, [id]: lost });
  }
}

export function entered(trial) {
  sawAnswer = false;
  heard(trial);
  if (!trial.called) return;
  const [pool, number] = trial.called.split("/");
  if (!trial.day) storeAs("puzzles.last", { ...read("puzzles.last"), [`${pool}/${trial.difficulty}`]: Number(number) });
}
