// Whose seats they are: keys of seats that this browser owns, and links that give a seat away.

import { h, badge, button, dialog, icon, put, toast } from "./dom.js";
import { t } from "./i18n.js";
import { app, ask, emit, isProtected, on, OPEN_TABLE, stored, storeAs } from "./store.js";

const KEPT = 12; // keys of a game that the server reads
export const keysOf = (game) => stored(`keys:${game}`) || [];
const keep = (game, keys) => storeAs(`keys:${game}`, [...new Set([...keysOf(game), ...keys])].slice(-KEPT));
const given = (game) => stored(`given:${game}`) || {};

// Go to a game as the owner of the seats whose keys are kept here.
export const open = (game) => ask("open", { game, keys: keysOf(game) });

// A link to a game, "#game=0123456789", may carry the keys of seats, "&seat=KEY"; where it leads is
// asked for, and the keys go from the address into the browser.
export function follow() {
  const said = new URLSearchParams(location.hash.slice(1));
  const game = said.get("game");
  if (!game || !/^[0-9a-f]{10}$/.test(game)) return false;
  const keys = (said.get("seat") || "").split(",").filter(Boolean);
  if (keys.length) keep(game, keys);
  history.replaceState(null, "", `#game=${game}`);
  open(game);
  return true;
}

on("entered", () => { app.seats = OPEN_TABLE; });
on("seats", (message) => {
  app.seats = message;
  if (app.view) emit("changed"); // else it comes next
  drawInvitations();
});
on("keys", ({ game, keys }) => keep(game, keys));
on("invited", ({ game, seat, key }) => {
  storeAs(`given:${game}`, { ...given(game), [seat]: key });
  drawInvitations(seat);
});
// What one player wants, the others are asked about.
let question = null;
on("asked", ({ what, name }) => {
  const before = question;
  question = null;
  before?.close();
  if (!what) return;
  const answer = (yes) => () => { question = null; ask("agree", { yes }); box.close(); };
  const box = dialog(t(`consent.${what}`, { name: name || t("consent.somebody") }),
    h("div", { class: "answers" }, button(t("consent.yes"), answer(true), { class: "main" }), button(t("consent.no"), answer(false))));
  box.addEventListener("close", () => question === box && answer(false)());
  question = box;
});
on("asking", () => toast(t("consent.asking")));
on("disagreed", () => toast(t("consent.disagreed"), "bad"));

export function rematch() {
  const go = (deck) => () => { ask("rematch", { deck }); box.close(); };
  const box = dialog(t("menu.rematch"), h("p", {}, t(app.view.over ? "rematch.text" : "rematch.early")),
    h("div", { class: "answers" }, button(t("rematch.new"), go("new"), { class: "main" }), button(t("rematch.same"), go("same"))));
}

on("rematch", ({ before }) => {
  const n = app.view.sitters.length;
  keep(app.game, keysOf(before));
  storeAs(`given:${app.game}`, Object.fromEntries(Object.entries(given(before)).map(([seat, key]) => [(Number(seat) + n - 1) % n, key])));
});

// Another tab of this browser has got keys, or a link was pasted into the address of this one.
export function listen() {
  window.addEventListener("storage", ({ key }) => { if (app.game && key === `keys:${app.game}`) open(app.game); });
  window.addEventListener("hashchange", follow);
}

// ------------------------------------------------------------------------------- invitations

const link = (keys = []) => {
  const token = app.hello.token ? `?token=${app.hello.token}` : "";
  const seats = keys.length ? `&seat=${keys.join(",")}` : "";
  return `${location.origin}/${token}#game=${app.game}${seats}`;
};

function linkRow(label, address) {
  const field = h("input", { value: address, readOnly: true, ariaLabel: label, onfocus: (e) => e.target.select() });
  const copy = async () => {
    field.select();
    // Without https a browser gives pages no clipboard but this one.
    await (navigator.clipboard?.writeText(address) ?? document.execCommand("copy"));
    toast(t("invite.copied"));
  };
  return h("div", { class: "link-row" }, field, button(t("invite.copy"), copy, { class: "main", ariaLabel: `${t("invite.copy")}: ${label}` }));
}

let shownIn = null;

export function invite() {
  shownIn = h("div", { class: "invitations" });
  const box = dialog(t("menu.invite"), shownIn);
  box.addEventListener("close", () => (shownIn = null));
  drawInvitations();
}

// `fresh` is a seat whose link was just made: it is ready to be copied.
function drawInvitations(fresh = null) {
  if (!shownIn || !app.view) return;
  const { mine } = app.seats;
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const isWatching = isProtected() && !mine.length;
  const keys = keysOf(app.game);
  put(shownIn, h("p", {}, t("invite.text")), isLocal && h("p", { class: "dim" }, t("invite.local")),
    app.view.sitters.map((sitter, seat) => sitter.agent === null && invitation(sitter, seat)),
    isWatching && h("p", {}, t("error.watches")),
    mine.length > 0 && [h("h3", {}, t("invite.mine")), h("p", { class: "dim" }, t("invite.mine.text")), linkRow(t("invite.mine"), link(keys))],
    h("h3", {}, t("invite.watch")), h("p", { class: "dim" }, t("invite.watch.text")), linkRow(t("invite.watch"), link()));
  if (fresh !== null) shownIn.querySelector(`[data-seat="${fresh}"] input`)?.focus();
}

function invitation(sitter, seat) {
  const { owned, mine } = app.seats;
  const isOwn = mine.includes(seat);
  const key = given(app.game)[seat];
  const state = isOwn ? "invite.yours" : owned.includes(seat) ? "invite.taken" : "invite.free";
  const mayGive = isOwn || !owned.length;
  return h("section", { "data-seat": seat }, h("h3", {}, badge(seat, app.hello.seats), sitter.name, h("span", { class: "dim" }, t(state))),
    key && owned.includes(seat) && !isOwn && linkRow(`${t("invite.link")}: ${sitter.name}`, link([key])),
    mayGive && button([icon("share"), t("invite.make")], () => ask("invite", { seat }), { ariaLabel: `${t("invite.make")}: ${sitter.name}` }));
}
