// Moves and scores in words.

import { t, has } from "./i18n.js";

export const kindLabel = (kind) => t(`kind.${kind}`);

const SPOTS = { N: "north", E: "east", S: "south", W: "west" };
export const spotName = (spot) => t(`spot.${SPOTS[spot] || spot}`);

// The name of an action on the board, for people who listen.
export function placeName(a) {
  if (a.kind === "bridge") return t("move.bridge", { x: a.cell[0], y: a.cell[1], axis: t(`axis.${a.axis}`) });
  if (a.kind === "wagon move") return t("move.wagon", { where: where(a) });
  if (a.kind === "dragon") return t("move.dragon", { x: a.cell[0], y: a.cell[1] });
  if (a.kind === "fairy" || a.kind === "remove") return t(`move.${a.kind}`, { where: where(a) });
  if (a.kind === "take") return t("move.take", { where: where(a) });
  if (a.figure) return t("move.figure", { figure: t(`figure.${a.figure}`), where: where(a) });
  if (a.rotation !== undefined) return t("move.tile", { x: a.cell[0], y: a.cell[1], r: 90 * a.rotation });
  if (a.cell) return t("move.to", { x: a.cell[0], y: a.cell[1] });
  return buttonName(a);
}

const where = (a) => `${kindLabel(a.on)} ${spotName(a.spot)}`;

const TOWER = ["floor", "top", "unseat", "fairy top", "exchange", "ransom"];
const seatLetter = (seat) => (seat === undefined ? "" : "ABCDEF"[seat]);

export function buttonName(a) {
  if (TOWER.includes(a.kind)) return t(`do.${a.kind}`, { figure: a.who ? t(`figure.${a.who}`) : "", seat: seatLetter(a.seat) });
  if (a.kind === "pick") return t("do.pick", { n: a.number });
  if (a.kind === "bid") return t("do.bid", { points: a.number });
  return has(`do.${a.name}`) ? t(`do.${a.name}`) : a.name;
}

const TILE = /^([a-z]+\d*-[a-z0-9-]+) (-?\d+),(-?\d+) r(\d)$/;
const FIGURES = ["meeple", "large", "abbot", "mayor", "wagon", "builder", "pig", "barn", "shepherd"];

// A line of the log: the tile if one was placed, and the words.
export function moveWords(entry) {
  const tile = TILE.exec(entry.name);
  if (tile) return { tile: tile[1], rotation: Number(tile[4]), text: t("log.tile", { x: tile[2], y: tile[3] }) };
  const [first, ...rest] = entry.name.split(" ");
  if (entry.token !== undefined) {
    const drawn = entry.token ? t("log.sheep", { n: entry.token }) : t("log.wolf");
    const words = moveWords({ name: entry.name });
    return { ...words, text: `${words.text}: ${drawn}` };
  }
  if (first === "wagon" && rest.length === 2) return { text: t("log.wagonmove", { cell: rest[0] }) };
  if (FIGURES.includes(first)) return { figure: first.toUpperCase(), text: t("log.figure", { figure: t(`figure.${first.toUpperCase()}`), spot: spotName(rest[0]) }) };
  if (first === "bridge") return { text: t("log.bridge", { cell: rest[0] }) };
  if (first === "bid") return { text: t("log.bid", { points: rest[0] }) };
  if (first === "pick") return { text: t("log.pick", { n: rest[0] }) };
  if (first === "to") return { text: t("log.to", { cell: rest[0] }) };
  if (["dragon", "fairy", "remove"].includes(first)) return { text: t(`log.${first}`, { cell: rest.find((word) => word.includes(",")) }) };
  if (first === "floor" || first === "unseat") return { text: t(`log.${first}`, { cell: rest[0] }) };
  if (TOWER.includes(first)) return { text: t(`log.${first}`, { figure: t(`figure.${rest[0].toUpperCase()}`), cell: rest[1], seat: rest[2] }) };
  if (first === "take") return { text: t("log.take", { cell: rest[0] }) };
  return { text: has(`log.${entry.name}`) ? t(`log.${entry.name}`) : entry.name };
}

// "city, 5 tiles, 1 coat of arms: 12"
export function scoreWords(g) {
  const parts = [kindLabel(g.figure === "BARN" ? "BARN" : g.kind)];
  if (g.open) parts.push(t("score.open"));
  if (g.tiles !== undefined && g.kind !== "CASTLE") parts.push(t("count.tiles", { n: g.tiles }));
  if (g.shields) parts.push(t("count.shields", { n: g.shields }));
  if (g.bonus) parts.push(t(g.kind === "CITY" ? "count.cathedrals" : "count.inns", { n: g.bonus }));
  if (g.cities !== undefined) parts.push(t("count.cities", { n: g.cities }));
  if (g.vineyards) parts.push(t("count.vineyards", { n: g.vineyards }));
  if (g.castles) parts.push(t("count.castles", { n: g.castles }));
  return `${parts.join(", ")}: ${g.points}`;
}
