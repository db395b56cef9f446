// What the page knows, and the socket that it knows it from.

export const NO_GAME = {
  game: null,
  view: null, // the game as it stands
  past: null, // the game as it stood, when somebody looks back
  exercise: null, // a game that is not kept: what is asked there, and how it was answered
  origin: null, // of a variation: the game and the decision that it leaves
  lines: [], // the game and its variations
  coach: null,
  wantsCoach: false,
  review: null,
  reviewing: null,
  wantsRetry: false, // to try the first mistake as soon as there is a review
  better: null, // a move that would have been better
  ghost: null, // a placement that is being tried
  tab: "log",
};
export const app = {
  ...NO_GAME,
  hello: null,
  delay: 500,
  paused: false,
  thinking: null,
  next: null, // where to look once a game is there
  preparing: null, // agents that get ready
  seats: null, // which have owners, which of these are here, and who sets the table
  figure: null, // the kind of figure whose spots are shown
  deed: null, // of all that can be done on the board, what alone is shown
  why: null, // why the last click did nothing
  drawn: null, // which version and decision the page shows
  cursor: null, // the target that the keyboard is on
};

export const OPEN_TABLE = { owned: [], mine: [], here: [], isHost: true };
app.seats = OPEN_TABLE;

export const shown = () => app.past || app.view;
export const isLive = () => !app.past;
// In a protected game only owners of seats play; all others watch.
export const isProtected = () => app.seats.owned.length > 0;
export const isWatching = () => isProtected() && !app.seats.mine.length;
export const isAway = (seat) => app.view.sitters[seat].agent === null && app.seats.owned.includes(seat) && !app.seats.here.includes(seat);
export const isMine = (seat) => !isProtected() || app.seats.mine.includes(seat);
// What this browser keeps: settings, which are on or off, and everything else as JSON.
const USUAL = { animated: "yes" };
export const isSet = (name) => (localStorage.getItem(name) ?? USUAL[name]) === "yes";
export const stored = (key) => JSON.parse(localStorage.getItem(key));
export const storeAs = (key, value) => localStorage.setItem(key, JSON.stringify(value));
// In a game without hints they come when it is over.
export const hasHints = () => !isSet("purist") || !app.view || app.view.over || Boolean(app.exercise);
export const myTurn = () =>
  isLive() && app.view && !app.view.over && (!app.exercise || app.exercise.state === "open") && app.view.sitters[app.view.decider].agent === null && isMine(app.view.decider);
export const isPlacing = () => myTurn() && app.view.actions.some((a) => a.rotation !== undefined);
export const nameOf = (seat) => shown().sitters[seat].name;

const listeners = {};
export const on = (kind, listener) => (listeners[kind] ||= []).push(listener);
export function emit(kind, content) {
  for (const listener of listeners[kind] || []) listener(content);
}

// What somebody presses is not drawn anew before they let go: their click would be lost.
const LONG = 1000; // ms: who presses longer drags, or has opened a list
let held = null; // what waits meanwhile
let letGo = null;
export const onceReleased = (go) => (held ? held.push(go) : go());
function release() {
  clearTimeout(letGo);
  const waiting = held || [];
  held = null;
  for (const go of waiting) go();
}
export function listenToPresses() {
  addEventListener("pointerdown", () => {
    held ||= [];
    clearTimeout(letGo);
    letGo = setTimeout(release, LONG);
  }, true);
  for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => setTimeout(release), true);
}

let socket = null;
let waits = 300;
const queue = [];

export function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/talk`);
  socket.onopen = () => {
    waits = 300;
    emit("online");
    socket.send('{"do": "leave"}'); // who says nothing is sent away
    while (queue.length) socket.send(queue.shift());
  };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    onceReleased(() => emit(message.is, message));
  };
  socket.onclose = (event) => {
    emit("offline", event.reason);
    setTimeout(connect, waits);
    waits = Math.min(2 * waits, 5000);
  };
}

export function ask(what, content = {}) {
  const text = JSON.stringify({ do: what, ...content });
  const isSent = socket?.readyState === WebSocket.OPEN;
  if (isSent) socket.send(text);
  else if (what === "art" || what === "open") queue.push(text);
  else emit("unsent");
  return isSent;
}

export function merge(view, changes) {
  for (const [key, value] of Object.entries(changes)) {
    const grows = (key === "tiles" || key === "log") && value && !Array.isArray(value);
    view[key] = grows ? [...view[key].slice(0, value.keep), ...value.add] : value;
  }
  return view;
}

// Whether what is drawn is what is asked: a click may come before the next frame.
export const isDrawn = () => app.view !== null && app.drawn === `${app.view.version}:${app.view.ply}`;

// Go to a game, and there to a decision.
export function goTo(game, ply, tab) {
  app.next = { game, ply, tab };
  ask.open(game);
}

// Leave an exercise or a variation.
export function leave() {
  ask("leave");
  emit("left");
}

export function act(action) {
  if (!myTurn() || !isDrawn()) return;
  ask("act", { ply: app.view.ply, action: action.action });
}
