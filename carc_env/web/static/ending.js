// The end of a game: a podium, scores over time, the final scoring step by step, the best move.

import { $, h, s, put, button, icon, badge } from "./dom.js";
import { t, has, signed } from "./i18n.js";
import { app, ask, nameOf } from "./store.js";
import { still } from "./effects.js";
import { scoreWords } from "./words.js";

const DASHES = ["", "7 3", "2 3", "10 3 2 3", "4 2", "1 2"];

// A line with its shape for each seat; `at(seat)` are pairs of a decision and a share of the height.
export function curves(title, last, at, ...grid) {
  const [W, H] = [300, 110];
  const lines = app.view.sitters.map((_, seat) => {
    const points = at(seat).map(([ply, share]) => [(ply / last) * W, H - share * H]);
    return [s("path", { d: points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""), fill: "none", stroke: app.hello.seats[seat].color, "stroke-width": 2.4, "stroke-dasharray": DASHES[seat] }),
      s("text", { x: W + 5, y: points.at(-1)[1] + 4, class: "axis" }, "ABCDEF"[seat])];
  });
  return h("div", { class: "chart" }, h("h2", {}, title),
    s("svg", { viewBox: `-2 -6 ${W + 22} ${H + 12}`, role: "img", "aria-label": title }, grid, s("path", { d: `M0 0V${H}H${W}`, class: "axes" }), lines));
}

const isFinal = (g) => g.final;
const labelOf = (kind) => (has(`kind.${kind}`) ? t(`kind.${kind}`) : kind);
const ORDER = ["ROAD", "CITY", "MONASTERY", "GARDEN", "FIELD", "BARN"];

export function drawEnd(view) {
  if (!view.sources) return put($("sheet"));
  const order = view.scores.map((p, seat) => [p, seat]).sort((a, b) => b[0] - a[0]);
  const [low, high] = [Math.min(0, ...view.scores), Math.max(1, ...view.log.flatMap((entry) => entry.scores))];
  const share = (points) => (points - low) / (high - low);
  put($("sheet"), podium(order), bestMove(view), finals(view),
    curves(t("end.course"), view.ply || 1, (seat) => [[0, share(0)], ...view.log.map((entry) => [entry.ply, share(entry.scores[seat])])]),
    h("h2", {}, t("end.source")), sources(view, order), view.seed && h("p", { class: "dim" }, t("end.seed", { seed: view.seed })));
}

// Who ties shares a step.
function podium(order) {
  const place = (points) => order.findIndex(([p]) => p === points);
  return h("ol", { class: "podium" }, order.map(([points, seat]) => h("li", { class: `place-${place(points) + 1}`, style: `--c:${app.hello.seats[seat].color}` },
    badge(seat, app.hello.seats), h("span", { class: "name" }, nameOf(seat)), h("b", {}, points), h("small", { class: "dim" }, t("end.place", { k: place(points) + 1 })))));
}

function bestMove(view) {
  const gains = view.log.flatMap((entry) => view.scores.map((_, seat) => {
    const all = (entry.gained || []).filter((g) => g.seat === seat && !isFinal(g));
    return { entry, seat, all, n: all.reduce((sum, g) => sum + g.points, 0) };
  }));
  const best = gains.reduce((a, b) => (b.n > a.n ? b : a), { n: 0 });
  return best.n > 0 && button([h("b", {}, t("end.best", { who: nameOf(best.seat), n: best.n, turn: best.entry.turn + 1 })), h("small", {}, best.all.map(scoreWords).join("; "))], () => ask.look(best.entry.ply), { class: "best" });
}

// What is scored at the end, a step for each kind; a click shows it on the board.
function finals(view) {
  const gained = (view.log.at(-1)?.gained || []).filter(isFinal);
  if (!gained.length) return null;
  const rank = (kind) => (ORDER.indexOf(kind) + 1 || 9);
  const kinds = [...new Set(gained.map((g) => g.source))].sort((a, b) => rank(a) - rank(b));
  const sum = (of) => view.scores.map((_, seat) => gained.filter((g) => g.seat === seat && of(g)).reduce((n, g) => n + g.points, 0));
  const all = sum(() => true);
  let now = view.scores.map((score, seat) => score - all[seat]);
  const cells = (list) => list.map((n) => h("td", {}, n));
  return [h("h2", {}, t("end.final")), h("table", { class: "sources finals" },
    h("thead", {}, h("tr", {}, h("td", {}), view.sitters.map((_, seat) => h("th", {}, badge(seat, app.hello.seats), h("span", { class: "aside" }, nameOf(seat)))))),
    h("tbody", {}, h("tr", {}, h("th", {}, t("end.before")), cells(now)), kinds.map((kind) => {
      const points = sum((g) => g.source === kind);
      now = now.map((n, seat) => n + points[seat]);
      const step = button([h("i", { class: `key k-${kind}` }), labelOf(kind)], () => still(gained.filter((g) => g.source === kind && g.place)), { class: "plain", title: t("end.show") });
      return h("tr", {}, h("th", {}, step), points.map((n, seat) => h("td", {}, n ? h("small", { class: "dim" }, `${signed(n)} `) : "", now[seat])));
    })))];
}

function sources(view, order) {
  const kinds = [...new Set(view.sources.flatMap((row) => Object.keys(row)))].sort();
  const most = Math.max(...view.scores, 1);
  const bar = (points, row) => {
    const parts = kinds.filter((k) => row[k] > 0);
    const all = parts.reduce((n, k) => n + row[k], 0);
    return h("div", { class: "bar" }, parts.map((k) => h("i", { class: `k-${k}`, style: `width:${(100 * row[k] * Math.max(0, points)) / all / most}%`, title: `${labelOf(k)}: ${row[k]}` })));
  };
  return [h("div", { class: "bars" }, order.map(([points, seat]) => h("div", { class: "bar-row" }, badge(seat, app.hello.seats), h("span", { class: "name" }, nameOf(seat)), bar(points, view.sources[seat]), h("b", {}, points)))),
    h("table", { class: "sources" }, h("thead", {}, h("tr", {}, h("td", {}), view.sitters.map((_, seat) => h("th", {}, badge(seat, app.hello.seats), h("span", { class: "aside" }, nameOf(seat)))))),
      h("tbody", {}, kinds.map((k) => h("tr", {}, h("th", {}, h("i", { class: `key k-${k}` }), labelOf(k)), view.sources.map((row) => h("td", {}, row[k] ?? ""))))),
      h("tfoot", {}, h("tr", {}, h("th", {}, t("end.total")), view.scores.map((p) => h("td", {}, p)))))];
}
