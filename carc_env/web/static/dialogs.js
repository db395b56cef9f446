// Dialogues: a new game, games that are there, sharing, settings, help.

import { h, button, icon, badge, dialog, download, progress, toast, put } from "./dom.js";
import { t, has, LANGUAGES, language } from "./i18n.js";
import { app, ask, isSet, on, shown, stored, storeAs } from "./store.js";
import { buttons, portrait, sign } from "./cards.js";
import { aboutMe, games, person } from "./games.js";
import { agentLabel, agentName, nameFor, people } from "./players.js";
import * as tutorial from "./tutorial.js";
import { isPuzzle, keep, readPuzzle } from "./trials.js";

// ---------------------------------------------------------------------------------- new game

export function newGame() {
  const { rules, agents } = app.hello;
  let seats = stored("seats") || [
    { name: people()[0], agent: null }, { name: agentName("value"), agent: "value" }];
  let chosen = { ...rules.presets[localStorage.getItem("preset") || "base"] };
  const seatBox = h("div", { class: "seat-list" });
  const ruleBox = h("div", {});
  const seed = h("input", { type: "text", inputMode: "numeric", pattern: "[0-9]*", placeholder: t("new.seed.any"), id: "seed" });
  const seedLine = h("label", { class: "line", htmlFor: "seed" }, t("new.seed"), seed);
  const preset = h("select", { id: "preset", onchange: (e) => { if (e.target.value) { chosen = { ...rules.presets[e.target.value] }; drawRules(); } } });

  const become = (seat, agent) => Object.assign(seat, { agent, name: nameFor(seat.name, agent, seats.filter((one) => one !== seat).map((one) => one.name)) });
  function drawSeats() {
    put(seatBox, seats.map((seat, k) => h("div", { class: "seat-row" }, badge(k, app.hello.seats),
      h("input", { value: seat.name, maxLength: app.hello.limits.name, ariaLabel: t("new.name"), oninput: (e) => (seat.name = e.target.value) }),
      who(seat, agents, (agent) => { become(seat, agent); drawSeats(); }),
      button(icon("cross"), () => { seats.splice(k, 1); drawSeats(); }, { class: "plain", disabled: seats.length <= rules.players[0], ariaLabel: t("new.remove") }))),
    seats.length < rules.players[1] && button([icon("plus"), t("new.add")], () => { seats.push({ name: people()[seats.length], agent: null }); become(seats.at(-1), "value"); drawSeats(); }, { class: "plain" }));
  }

  function drawRules() {
    const name = Object.entries(rules.presets).find(([, p]) => same(p, chosen))?.[0] || "";
    put(preset, Object.keys(rules.presets).map((key) => h("option", { value: key, selected: key === name }, t(`preset.${key}`))),
      h("option", { value: "", selected: !name }, t("preset.own")));
    const change = (key, value) => { chosen[key] = value; drawRules(); };
    const groups = Map.groupBy(rules.switches, (one) => one.system);
    const field = ([system, all]) => h("fieldset", {}, h("legend", {}, t(`system.${system}`), sign(`system.${system}`)), all.map((one) => control(one, chosen, change)));
    const absent = new Set(rules.boxes.filter((box) => partOf(box, chosen) === 0).flatMap((box) => box.systems));
    const [shownGroups, others] = [false, true].map((is) => [...groups].filter(([system]) => absent.has(system) === is));
    const tiles = rules.sets.map((set) => check(t(`set.${set}`), chosen.sets.includes(set), set === "base",
      (yes) => change("sets", withSets([set], yes, chosen, rules))));
    const isOpen = (name) => ruleBox.querySelector(`details.${name}`)?.open;
    const cards = ({ name, boxes }) => {
      const parts = boxes.map((box) => partOf(box, chosen));
      const n = parts.filter(Boolean).length;
      return h("details", { open: isOpen(name), class: `boxes ${name}` }, h("summary", {}, t(`new.${name}`, { n: boxes.length }), n > 0 && h("span", { class: "dim" }, ` ${t("new.chosen", { n })}`)),
        h("div", { class: "set-cards" }, boxes.map((box, k) => {
          const label = check(t(box.title), parts[k] === 1, false, (yes) => { pack(box, chosen, yes, rules); drawRules(); });
          label.firstChild.indeterminate = parts[k] > 0 && parts[k] < 1;
          const about = [box.title, `system.${box.systems[0]}`].find(sign);
          label.prepend(portrait(about));
          return h("div", { class: `set-card ${parts[k] ? "on" : ""}` }, label, sign(about));
        })));
    };
    put(ruleBox, groupsOf(rules).map(cards),
      h("details", { open: isOpen("switches"), class: "switches" }, h("summary", {}, t("new.switches")), h("p", { class: "dim" }, t("new.usual")), shownGroups.map(field),
        h("details", { open: isOpen("others"), class: "others" }, h("summary", {}, t("new.others")),
          h("fieldset", { class: "sets" }, h("legend", {}, t("new.sets")), tiles), others.map(field)), seedLine));
  }

  // The level that fits whoever sits on the first seat of a person.
  const fits = h("div", { class: "fits-you" });
  const me = seats.find((seat) => seat.agent === null)?.name || person();
  aboutMe(me, ({ name, level, rated }) => {
    const agent = app.hello.levels[level - 1];
    const play = () => {
      const rival = seats.find((seat) => seat.agent !== null);
      if (rival) become(rival, agent);
      else if (seats.length < rules.players[1]) seats.push({ name: agentName(agent), agent });
      drawSeats();
    };
    if (!localStorage.getItem("seats")) play();
    put(fits, h("span", {}, t(rated ? "level.fits" : "level.first", { name, level, n: rated })), seats.every((seat) => seat.agent !== agent) && button(t("level.choose", { level }), play));
  });

  drawSeats();
  drawRules();
  const start = () => {
    const { n_players: _, ...wanted } = chosen;
    const content = { rules: wanted, seats: seats.map((seat) => ({ name: seat.name.trim() || "?", agent: seat.agent || null })) };
    if (seed.value.trim()) content.seed = Number(seed.value.trim());
    if (content.seed !== undefined && !Number.isSafeInteger(content.seed)) return toast(t("new.seed.bad"), "bad");
    storeAs("seats", content.seats);
    if (preset.value) localStorage.setItem("preset", preset.value);
    if (ask("new", content)) box.close(); // without a server all that was chosen stays
  };
  const box = dialog(t("menu.new"), h("form", { onsubmit: (e) => { e.preventDefault(); start(); } },
    localStorage.getItem("learned") !== "yes" && h("div", { class: "first-time" }, h("span", {}, t("tutorial.new")), button(t("tutorial.start"), () => { box.close(); tutorial.begin(); })),
    h("h3", {}, t("new.players")), seatBox, fits, h("h3", {}, t("new.rules")),
    h("label", { class: "line", htmlFor: "preset" }, t("new.preset"), preset), ruleBox,
    h("div", { class: "foot" }, h("button", { type: "submit", class: "main big" }, t("new.start")))));
}

// The boxes as somebody looks for them: large ones, small ones and promos.
function groupsOf({ boxes, presets }) {
  const isIn = (name) => (box) => partOf(box, presets[name]) === 1;
  const small = ["minis", "promos"];
  return ["large", ...small].map((name) => ({ name, boxes: boxes.filter(small.includes(name) ? isIn(name) : (box) => !small.some((one) => isIn(one)(box))) }));
}

// How much of a box is in the game: 0, 1 or something between.
function partOf(box, chosen) {
  const parts = [...box.sets.map((set) => chosen.sets.includes(set)), ...box.on.map((name) => chosen[name])];
  return parts.filter(Boolean).length / parts.length;
}

// Put a box into the game with what usually comes with it, or take it out with all that was decided about it.
function pack(box, chosen, yes, rules) {
  chosen.sets = withSets(box.sets, yes, chosen, rules);
  for (const one of rules.switches) if (!yes && box.systems.includes(one.system)) chosen[one.name] = one.default;
  for (const name of box.on) chosen[name] = yes;
}

// The chosen sets with or without these, in the order in which presets have them.
const withSets = (sets, yes, chosen, rules) => rules.sets.filter((set) => (sets.includes(set) ? yes : chosen.sets.includes(set)));

const same = (a, b) => Object.keys(a).every((key) => key === "n_players" || String(a[key]) === String(b[key]));

function who(seat, agents, become) {
  const other = h("input", { class: "other", placeholder: "mcts:sims=2000", value: seat.agent || "", hidden: true, ariaLabel: t("new.agent"), oninput: (e) => (seat.agent = e.target.value.trim() || null) });
  const others = agents.filter((name) => !app.hello.levels.includes(name));
  const known = seat.agent === null || [...others, ...app.hello.levels].includes(seat.agent);
  other.hidden = known;
  const list = h("select", { ariaLabel: t("new.who"), onchange: (e) => {
    other.hidden = e.target.value !== "?";
    if (other.hidden) become(e.target.value || null);
    else seat.agent = other.value || null;
  } }, h("option", { value: "" }, t("seat.person")),
  h("optgroup", { label: t("level.all") }, app.hello.levels.map((name) => h("option", { value: name, selected: name === seat.agent }, agentLabel(name)))),
  h("optgroup", { label: t("level.others") }, others.map((name) => h("option", { value: name, selected: name === seat.agent }, agentLabel(name)))), h("option", { value: "?", selected: !known }, t("new.other")));
  return h("span", { class: "who-line" }, list, other);
}

function check(label, checked, disabled, onchange) {
  return h("label", { class: "check" }, h("input", { type: "checkbox", checked, disabled, onchange: (e) => onchange(e.target.checked) }), h("span", {}, label));
}

function control(one, chosen, change) {
  const label = t(`switch.${one.name}`);
  if (one.kind === "switch") return check(label, chosen[one.name], false, (yes) => change(one.name, yes));
  if (one.kind === "number")
    return h("label", { class: "line" }, label, h("input", { type: "number", min: one.low, max: one.high, step: one.step, value: chosen[one.name], onchange: (e) => change(one.name, e.target.value === "" ? one.default : Number(e.target.value)) }));
  return h("label", { class: "line" }, label, h("select", { onchange: (e) => change(one.name, one.values[e.target.selectedIndex]) },
    one.values.map((value) => h("option", { selected: value === chosen[one.name] }, valueName(one.name, value), value === one.default ? " *" : ""))));
}

// What a value says may depend on the switch.
function valueName(name, value) {
  const key = [`value.${name}.${value}`, `value.${value}`].find(has);
  return key ? t(key) : String(value);
}

// --------------------------------------------------------------------------------- open, share

let opening = null;
on("entered", () => opening?.close());

export function openGame() {
  const paste = h("textarea", { rows: 6, placeholder: t("open.paste"), ariaLabel: t("open.paste") });
  const read = (text) => {
    if (text.length > app.hello.limits.text) return toast(t("open.long"), "bad");
    if (!text.trim()) return;
    isPuzzle(text) ? readPuzzle(text) : ask("load", { text }); // what cannot be read stays to be mended
  };
  const file = h("input", { type: "file", accept: ".carc,.jcz,.puzzle,.txt,text/plain", ariaLabel: t("open.file"), onchange: async (e) => {
    const chosen = e.target.files[0];
    if (chosen && chosen.size > 4 * app.hello.limits.text) return toast(t("open.long"), "bad");
    if (!chosen) return;
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    const encoding = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2)] ?? "utf-8";
    read(new TextDecoder(encoding).decode(bytes));
  } });
  const box = opening = dialog(t("menu.open"), games(() => box.close()), h("h3", {}, t("open.text")), paste,
    h("div", { class: "row" }, file, button(t("open.go"), () => read(paste.value), { class: "main" })));
}

export function share() {
  const view = shown();
  const save = (format, asPicture = false) => () => { wantsPng = asPicture; ask("save", { format, ply: view.ply }); box.close(); };
  const film = () => { progress(t("share.filming", { done: 0, of: view.ply })); save("gif")(); };
  const puzzle = () => { progress(t("trial.judging")); save("puzzle")(); };
  const row = (label, note, go, disabled = false) => h("div", { class: "share-row" }, button(label, go, { class: "main", disabled }), h("span", { class: "dim" }, note));
  const box = dialog(t("menu.share"),
    !app.exercise && row(t("menu.invite"), t("invite.note"), () => { box.close(); ask.invite(); }),
    row(t("share.gif"), t("share.gif.note"), film),
    row(t("share.png"), t("share.png.note"), save("svg", true)), row(t("share.svg"), t("share.svg.note"), save("svg")),
    row(t("share.position"), t("share.position.note"), save("position")),
    row(t("share.puzzle"), t("share.puzzle.note"), puzzle, view.over || view.actions.length < 2),
    row(t("share.record"), t("share.record.note"), save("record"), !app.view.isRecord));
}

const ENDINGS = { record: "carc", puzzle: "puzzle", position: "txt", gif: "gif", svg: "svg" };
const TYPES = { gif: "image/gif", svg: "image/svg+xml" };
let wantsPng = false;
on("saved", ({ format, text }) => {
  const name = `carcassonne-${app.game}`;
  if (format === "puzzle") { keep(text); toast(t("share.puzzle.kept")); }
  if (format === "svg" && wantsPng) return asPng(text, name);
  download(`${name}.${ENDINGS[format]}`, format === "gif" ? Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) : text, TYPES[format] || "text/plain");
});

const NAMES = 40; // px below the picture
function asPng(svg, name) {
  const { sitters, scores } = shown();
  const players = sitters.map((one, seat) => `${"ABCDEF"[seat]} ${one.name} ${scores[seat]}`).join("  ·  ");
  const image = new Image();
  image.onload = () => {
    const [width, height] = [image.naturalWidth, image.naturalHeight];
    const canvas = h("canvas", { width, height: height + NAMES });
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#fbf7ee";
    pen.fillRect(0, height, width, NAMES);
    pen.fillStyle = "#3b3128";
    pen.font = `${0.5 * NAMES}px serif`;
    pen.fillText(players, 12, height + 0.68 * NAMES, width - 24);
    pen.drawImage(image, 0, 0);
    canvas.toBlob((blob) => download(`${name}.png`, blob), "image/png");
  };
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
}

// ----------------------------------------------------------------------------- settings, help

export function settings() {
  const theme = localStorage.getItem("theme") || "auto";
  dialog(t("menu.settings"),
    h("label", { class: "line" }, t("settings.language"), h("select", { onchange: (e) => { localStorage.setItem("language", e.target.value); location.reload(); } },
      Object.entries(LANGUAGES).map(([key, name]) => h("option", { value: key, selected: key === language }, name)))),
    h("label", { class: "line" }, t("settings.theme"), h("select", { onchange: (e) => { localStorage.setItem("theme", e.target.value); dress(); } },
      ["auto", "light", "dark"].map((key) => h("option", { value: key, selected: key === theme }, t(`theme.${key}`))))),
    ["purist", "sound", "animated"].map((name) => check(t(`settings.${name}`), isSet(name), false, (yes) => {
      localStorage.setItem(name, yes ? "yes" : "no");
      ask.drawSoon();
    })));
}

export function dress() {
  const theme = localStorage.getItem("theme") || "auto";
  document.documentElement.style.colorScheme = theme === "auto" ? "" : theme;
}

const KEYS = [["← ↑ → ↓", "keys.move"], ["R", "keys.rotate"], ["Enter", "keys.enter"], ["P", "keys.pass"], ["1–9", "keys.kind"], ["Tab", "keys.tab"],
  ["U", "menu.undo"], ["C", "coach.ask"], ["F", "keys.feature"], [", .", "keys.time"], ["M", "keys.mistake"], ["V", "branch.here"], ["+ − 0", "keys.zoom"], ["N", "menu.new"], ["?", "menu.help"]];

export function help() {
  dialog(t("menu.help"), h("p", {}, t("help.text")), h("div", { class: "answers" }, button(t("tutorial.start"), () => { document.querySelector("dialog").close(); tutorial.begin(); }, { class: "main" })),
    h("h3", {}, t("help.rules")), h("div", { class: "card-more" }, buttons(["set.base", ...app.hello.rules.boxes.map((box) => box.title)])), h("h3", {}, t("help.keys")),
    h("dl", { class: "keys" }, KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(what))])));
}
