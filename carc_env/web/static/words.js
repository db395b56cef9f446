// Moves and scores in words.

import { t, has, YOU } from "./i18n.js";
import { nameOf, shown } from "./store.js";
import { sum } from "./sums.js";

export const kindLabel = (kind) => t(`kind.${kind}`);

const SPOTS = { N: "north", E: "east", S: "south", W: "west" };
export const spotName = (spot) => t(`spot.${SPOTS[spot] || spot}`);

// Whether who has a seat is spoken to: whoever is called "You", or else the only person.
export function isYou(seat) {
  const { sitters } = shown();
  const called = (one) => Object.values(YOU).includes(one.name);
  if (sitters.some(called)) return called(sitters[seat]);
  return sitters[seat].agent === null && sitters.filter((one) => one.agent === null).length === 1;
}

// A sentence about who has a seat; for whoever is spoken to "key.you", where verbs bend.
export function about(seat, key, params = {}) {
  const own = isYou(seat) && has(`${key}.you`);
  return t(own ? `${key}.you` : key, { who: nameOf(seat), ...params });
}

// A sentence that begins with a call, "Ada, where ...?"; whoever is spoken to needs none.
export function calling(seat, key, params = {}) {
  if (!isYou(seat)) return t(key, { who: nameOf(seat), ...params });
  return t(key, { who: "", ...params }).replace(/^, (.)/u, (_, first) => first.toUpperCase());
}

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
  from: a.seat === undefined ? "" : nameOf(a.seat),
});

// The name of an action on the board, for people who listen.
export const placeName = (a) => (a.cell ? t(`move.${a.word}`, said(a)) : buttonName(a));
export const buttonName = (a) => t(`do.${a.word}`, said(a));

// A line of the log; where a token was drawn, what is on it.
export function logWords(entry) {
  const words = about(entry.seat, `log.${entry.move.word}`, said(entry.move));
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
