// Moves and scores in words.

import { t, has, language } from "./i18n.js";
import { nameOf } from "./store.js";
import { sum } from "./sums.js";

export const kindLabel = (kind) => t(`kind.${kind}`);

const SPOTS = { N: "north", E: "east", S: "south", W: "west" };
export const spotName = (spot) => t(`spot.${SPOTS[spot] || spot}`);

// What an action says, for the texts that there are of its word.
const said = (a) => ({
  ...a,
  x: a.cell?.[0],
  y: a.cell?.[1],
  cell: a.cell?.join(),
  r: 90 * a.rotation,
  axis: t(`axis.${a.axis}`),
  figure: t(`figure.${a.figure}`),
  spot: spotName(a.spot),
  quarter: t(`quarter.${a.quarter}`),
  where: `${kindLabel(a.on)} ${spotName(a.spot)}`,
  who: a.seat === undefined ? "" : nameOf(a.seat),
});

// "a road in the north, a city in the east, and ..."
export const listed = (parts, type = "disjunction") => new Intl.ListFormat(language, { type }).format(parts);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const atSpot = (spot) => t(`at.${SPOTS[spot] || spot}`);

// "meeple lies on the field in the north"
const stands = (a) => t(`stands.${a.lies ? "lies" : a.on}`, { figure: t(`figure.${a.figure}`), at: atSpot(a.at) });

// What a click on a place does.
export function doesWords(a) {
  if (a.figure && a.spot !== undefined) return capital(stands(a));
  return a.deeds?.length ? capital(listed(a.deeds.map((deed) => t(`deed.${deed}`)))) : placeName(a);
}

// Why a click does nothing.
export function whyWords({ why, figure, kind, seats, needs }) {
  const key = [`why.${why}.${kind}`, `why.${why}.${figure}`, `why.${why}`].find(has);
  return t(key, {
    figure: t(`figure.${figure}`),
    who: seats?.map(nameOf).join(", "),
    needs: needs && listed(needs.map(([side, edge]) => `${t(`edge.${edge}`)} ${atSpot(side)}`), "conjunction"),
  });
}

// The name of an action on the board, for people who listen.
export function placeName(a) {
  const name = a.cell ? t(`move.${a.word}`, said(a)) : buttonName(a);
  return a.word === "to" && a.deeds ? `${name}: ${listed(a.deeds.map((deed) => t(`deed.${deed}`)))}` : name;
}
export const buttonName = (a) => t(`do.${a.word}`, said(a));

// What was done.
export const moveWords = (a) => (a.word === "figure" && a.on ? stands(a) : t(`log.${a.word}`, said(a)));

// A line of the log; where a token was drawn, what is on it.
export function logWords(entry) {
  const words = moveWords(entry.move);
  return entry.token === undefined ? words : `${words}: ${t("log.token", { n: entry.token })}`;
}

// "city, incomplete: 5 tiles + 1 coat of arms = 6"
export function scoreWords(g) {
  const parts = [kindLabel(g.source)];
  const summed = (g.terms || []).map((term) => term.of);
  if (g.open) parts.push(t("score.open"));
  for (const [key, n] of Object.entries(g))
    if (has(`count.${key}`) && !summed.includes(key) && (n || has(`count.${key}.none`))) parts.push(t(`count.${key}`, { n }));
  return `${parts.join(", ")}: ${g.terms ? sum(g.terms, g.points) : g.points}`;
}
