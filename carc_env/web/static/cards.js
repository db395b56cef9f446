// Cards: what figures and sets are, in a few words with a picture, where they are met.

import { h, button, dialog } from "./dom.js";
import { language, t } from "./i18n.js";
import { picture } from "./art.js";
import { app, myTurn } from "./store.js";

const MAX_ASKED = 4; // cards below one question
const byName = new Map();
const byThing = new Map(); // by what they are about: keys of texts such as "figure.BARN"

export async function fetchCards() {
  for (const card of await (await fetch(`/static/cards/${language}.json`)).json()) {
    byName.set(card.name, card);
    for (const key of card.about) byThing.set(key, card);
  }
}

function show(card) {
  const others = card.see.map((name) => byName.get(name)).filter(Boolean);
  const box = dialog(card.asks,
    h("div", { class: "card-pictures" }, card.pictures.map((key) => picture(key, "", key.startsWith("t:") ? "tile" : "plain"))),
    h("p", { class: "card-words" }, card.says),
    others.length > 0 && h("div", { class: "card-more" }, others.map((one) => button(one.asks, () => { box.close(); show(one); }, { class: "plain" }))));
  box.classList.add("card");
}

// A small sign beside the name of a thing that has a card.
export function sign(key) {
  const card = byThing.get(key);
  return card && button("?", () => show(card), { class: "plain sign", title: card.asks, ariaLabel: card.asks });
}

export const buttons = (keys) => keys.map((key) => byThing.get(key)).filter(Boolean).map((card) => button(card.asks, () => show(card), { class: "plain" }));

// A picture of a set.
export const portrait = (key) => picture(byThing.get(key)?.pictures[0] || "t:bg-cap-straight:0", "");

// The picture of a thing in the panel, which opens its card.
export function thing(key, label, ...content) {
  const card = byThing.get(key);
  if (!card) return h("span", { class: "token", title: label, role: "img", ariaLabel: label }, content);
  return button(content, () => show(card), { class: "token plain", title: `${label} · ${card.asks}`, ariaLabel: `${label} · ${card.asks}` });
}

// What somebody may want to know before they answer: the question, the figure, the tile, the ways.
function asked(view, figure) {
  const tile = view.hand || view.tiles.at(-1)[0];
  const keys = [`ask.${view.phase}`, `figure.${figure}`, `tile.${tile.split("-")[0]}`, ...view.actions.map((a) => `word.${a.word}`)];
  return [...new Set(keys.map((key) => byThing.get(key)))].filter(Boolean).slice(0, MAX_ASKED);
}

export function aboutQuestion() {
  const found = myTurn() ? asked(app.view, app.figure) : [];
  return found.length > 0 && h("div", { class: "learn", role: "group", ariaLabel: t("cards.asked") },
    found.map((card) => button(card.asks, () => show(card), { class: "plain" })));
}
