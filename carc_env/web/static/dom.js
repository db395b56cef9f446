// Small makers of elements. Texts become text nodes: names are never read as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.setAttribute("class", value);
    else if (key in node && key !== "list" && !(node instanceof SVGElement)) node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(9).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);
export const $ = (id) => document.getElementById(id);

export function put(node, ...children) {
  node.replaceChildren(...children.flat(9).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

export function button(label, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, label);
}

// Line icons in a box of 24.
const ICONS = {
  new: "M12 5v14M5 12h14",
  open: "M4 19V6h6l2 2h8v11z",
  puzzle: "M4 9h4a2.2 2.2 0 1 1 4 0h4v4a2.2 2.2 0 1 1 0 4v3H4z",
  undo: "M9 7 4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  rematch: "M4 9h13l-4-4M20 15H7l4 4",
  share: "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
  help: "M9.2 9a3 3 0 1 1 4 2.8c-.9.4-1.2 1-1.2 2.2M12 17.6v.2",
  gear: "M4 7h10M18 7h2M4 17h4M12 17h8M14 5v4M8 15v4",
  turn: "M20 12a8 8 0 1 1-3-6.2M20 4v5h-5",
  check: "M5 12.5 10 17.5 19.5 7",
  cross: "M6 6l12 12M18 6 6 18",
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M17 5 8 12l9 7z",
  forth: "M7 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  play: "M7 5l12 7-12 7z",
  pause: "M8 5v14M16 5v14",
  plus: "M12 6v12M6 12h12",
  minus: "M6 12h12",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  grid: "M4 4h16v16H4zM4 12h16M12 4v16",
  owners: "M5 4h14v7c0 5-3 8-7 9-4-1-7-4-7-9zM5 10h14M12 4v16",
  flag: "M6 21V4h11l-2 4 2 4H6",
  coach: "M4 19V11M10 19V5M16 19v-6M22 19H2",
};

export const iconPath = (name) => s("path", { d: ICONS[name], class: "icon-path" });

export const icon = (name) => s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

// The shape of a seat: tells players apart where colours do not.
const SHAPES = {
  circle: "M0-9a9 9 0 1 0 .01 0Z",
  square: "M-8-8H8V8H-8Z",
  diamond: "M0-10.5 10.5 0 0 10.5-10.5 0Z",
  triangle: "M0-10 10.5 8.5H-10.5Z",
  hexagon: "M-5.2-9H5.2L10.4 0 5.2 9H-5.2L-10.4 0Z",
  star: "M0-11 3.1-3.9 10.5-3.4 4.8 1.5 6.5 8.9 0 4.9-6.5 8.9-4.8 1.5-10.5-3.4-3.1-3.9Z",
};

export function badge(seat, looks, letter = "ABCDEF"[seat]) {
  const look = looks[seat];
  return s(
    "svg",
    { viewBox: "-12 -12 24 24", class: "badge", "aria-hidden": "true" },
    s("path", { d: SHAPES[look.shape], fill: look.color, stroke: look.dark, "stroke-width": 1.6 }),
    s("text", { y: look.shape === "triangle" ? 6.4 : 4.2, "text-anchor": "middle", fill: look.letter }, letter),
  );
}

// Over everything: a popover that is shown again lies above a dialogue that was opened since.
function addNote(note) {
  const box = $("toast");
  box.append(note);
  box.hidePopover();
  box.showPopover();
}

// So few that they leave the board to be seen: the oldest goes, and what is said again is said once.
const MOST_NOTES = 4;
let notes = [];
export function toast(text, kind = "") {
  const note = h("div", { class: `note ${kind}` }, text);
  const isSame = (other) => kind === "bad" && other.className === note.className && other.textContent === text;
  for (const other of notes.filter(isSame)) forget(other);
  for (const other of notes.slice(0, Math.max(0, notes.length + 1 - MOST_NOTES))) forget(other);
  notes.push(note);
  addNote(note);
  setTimeout(() => forget(note), kind === "bad" ? 9000 : 4000);
}
export const forgetNotes = () => notes.forEach(forget);
function forget(note) {
  note.remove();
  notes = notes.filter((other) => other !== note);
}

// A note that stays, with other words, until it is ended.
let going = null;
export function progress(text, percent = null) {
  if (!going) addNote((going = h("div", { class: "note" })));
  put(going, text, h("progress", { ariaLabel: text, max: 100, value: percent ?? undefined }));
}
export function progressEnds() {
  going?.remove();
  going = null;
}

export function say(text) {
  $("says").textContent = text;
}

// A dialogue with a heading, closed by Escape, by its cross, and by a click beside it.
export function dialog(title, ...content) {
  const box = h("dialog", { "aria-label": title },
    h("div", { class: "head" }, h("h2", {}, title), button(icon("cross"), () => box.close(), { class: "plain", ariaLabel: "×" })),
    h("div", { class: "body" }, content));
  box.addEventListener("close", () => box.remove());
  box.addEventListener("mousedown", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  box.showModal();
  return box;
}

export function download(name, content, type) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
