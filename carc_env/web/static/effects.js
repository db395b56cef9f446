// Sounds, made here and now, and points that rise from what is scored; both only if they are wanted.

import { rise } from "./board.js";
import { app, myTurn } from "./store.js";

const wants = (name) => localStorage.getItem(name) === "yes";
const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Notes: frequency in Hz, when they begin and how long they last in seconds.
const SOUNDS = {
  place: [[196, 0, 0.07], [131, 0.03, 0.09]],
  score: [[659, 0, 0.12], [880, 0.09, 0.2]],
  turn: [[523, 0, 0.16]],
  end: [[523, 0, 0.25], [659, 0.12, 0.25], [784, 0.24, 0.5]],
};
const VOLUME = 0.12;

let context = null;
function sound(name) {
  if (!wants("sound")) return;
  context ||= new AudioContext();
  context.resume();
  for (const [frequency, begins, lasts] of SOUNDS[name]) {
    const start = context.currentTime + begins;
    const tone = new OscillatorNode(context, { type: "triangle", frequency });
    const volume = new GainNode(context, { gain: VOLUME });
    volume.gain.setValueAtTime(VOLUME, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + lasts);
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + lasts);
  }
}

export const ended = () => sound("end");

// Lines of the log that are new.
export function happened(fresh) {
  const gained = fresh.flatMap((entry) => entry.gained || []).filter((g) => g.points && g.place);
  if (!app.view.over) sound(gained.length ? "score" : myTurn() ? "turn" : "place");
  if (!wants("animated") || isCalm()) return;
  const heights = new Map(); // of several owners of one feature
  for (const { place: [x, y], points, seat } of gained) {
    const key = `${x},${y}`;
    heights.set(key, (heights.get(key) ?? -1) + 1);
    rise(x, y, `${points > 0 ? "+" : "−"}${Math.abs(points)}`, seat, heights.get(key));
  }
}
