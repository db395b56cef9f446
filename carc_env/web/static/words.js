// Moves and scores in words.

import { t, has, language, YOU } from "./i18n.js";
import { app, isProtected, nameOf, shown } from "./store.js";
import { sum } from "./sums.js";

export const kindLabel = (kind) => t(`kind.${kind}`);

const SPOTS = { N: "north", E: "east", S: "south", W: "west" };
export const spotName = (spot) => t(`spot.${SPOTS[spot] || spot}`);

// Whether who has a seat is spoken to: whoever is called "You", or else the only person.
export function isYou(seat) {
  const { sitters } = shown();
  if (isProtected()) return app.seats.mine.includes(seat);
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

// "road north"; some places have only one name, whatever their spot is called.
const whereOf = ({ on, spot }) => (has(`where.${on}`) ? t(`where.${on}`) : `${kindLabel(on)} ${spotName(spot)}`);
export const groundLabel = (on) => t(has(`where.${on}`) ? `where.${on}` : `kind.${on}`);

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
  where: whereOf(a),
  from: a.seat === undefined ? "" : nameOf(a.seat),
});

// "a road in the north, a city in the east, and ..."
export const listed = (parts, type = "disjunction") => new Intl.ListFormat(language, { type }).format(parts);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const atSpot = (spot) => t(`at.${SPOTS[spot] || spot}`);

// "meeple lies on the field in the north"
const stands = (a) => t(`stands.${a.lies && a.on === "FIELD" ? "lies" : a.on}`, { figure: t(`figure.${a.figure}`), at: atSpot(a.at) });

// What a click on a place does.
export function doesWords(a) {
  if (a.word === "figure" && a.spot !== undefined) return capital(stands(a));
  return a.deeds?.length && !(a.figure && a.spot !== undefined) && a.worth === undefined ? capital(listed(a.deeds.map((deed) => t(`deed.${deed}`, { axis: t(`axis.${a.axis}`) })))) : placeName(a);
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
  const name = (a.cell ? t(`move.${a.word}`, said(a)) + worthOf(a) : buttonName(a)) + (a.brings && a.word === "tile" ? `, ${t("move.bridged")}` : "");
  return a.word === "to" && a.deeds ? `${name}: ${listed(a.deeds.map((deed) => t(`deed.${deed}`)))}` : name;
}
const worthOf = (a) => (a.worth === undefined ? "" : ` (+${a.worth})`);
export const buttonName = (a) => t(`do.${a.word}`, said(a)) + worthOf(a);

// A move in a list of them.
export const moveWords = (a) => capital(a.word === "figure" && a.on ? stands(a) : placeName(a));

// A line of the log; where a token was drawn, what is on it. A turn has the name as its heading.
export const turnWords = (entry) => {
  const words = logWords(entry), name = `${nameOf(entry.seat)}: `;
  return entry.seat === entry.player && words.startsWith(name) ? capital(words.slice(name.length)) : words;
};
export function logWords(entry) {
  const { seat, move } = entry;
  const words = move.word === "figure" && move.on ? `${nameOf(seat)}: ${stands(move)}` : about(seat, `log.${move.word}`, said(move));
  const brought = `log.token.${move.word}`;
  return entry.token === undefined ? words : `${words}: ${t(has(brought) ? brought : "log.token", { n: entry.token })}`;
}

// What a move has cost or brought besides what was chosen.
export const besideWords = ({ thing, n }) => t(`beside.${thing.startsWith("figure") ? "home" : n < 0 ? "uses" : "gets"}`, { k: Math.abs(n), thing: t(thing) });

// Why a move helps: "scores 8 points for your city and frees 1 meeple".
export const reasonWords = (facts) => capital(facts.length ? listed(facts.map(({ why, kind, points, seat }) => t(`reason.${why}`, { n: points, kind: kind && kindLabel(kind), name: seat === undefined ? "" : nameOf(seat) })), "conjunction") : t("reason.none"));

// Points that went from one player to another, or to nobody.
export function paidWords({ paid, isAuction }) {
  const [payer] = paid.filter((one) => one.points < 0), [payee] = paid.filter((one) => one.points > 0);
  const { seat, points } = payer || payee;
  const to = payer && payee ? (isYou(payee.seat) ? t("you.object") : nameOf(payee.seat)) : null;
  const words = about(seat, !payer ? "paid.gets" : to ? "paid.to" : "paid.bank", { n: Math.abs(points), to });
  return isAuction ? `${t("paid.auction")}: ${words}` : words;
}

// "city, incomplete: 5 tiles + 1 coat of arms = 6"
export function scoreWords(g) {
  const parts = [g.took ? t("score.took", { by: kindLabel(g.source), kind: kindLabel(g.took) }) : kindLabel(g.source)];
  const summed = (g.terms || []).map((term) => term.of);
  if (g.open) parts.push(t("score.open"));
  for (const [key, n] of Object.entries(g))
    if (has(`count.${key}`) && !summed.includes(key) && (n || has(`count.${key}.none`))) parts.push(t(`count.${key}`, { n }));
  return `${parts.join(", ")}: ${g.terms ? sum(g.terms, g.points) : g.points}`;
}
