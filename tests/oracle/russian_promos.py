"""The Russian promos (docs/rules/russian-promos.md): the hut, and who is in the two traps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind
from carc_env.position import PlacedFigure, Position, Trapped
from carc_env.words import SEATS

from . import builders, dragon
from .board import MEEPLES, Feature, around, feature_at, occupied_cells, over_lakes, trap_cells
from .tiles import FACTS, Cell, Place, across, segments_of
from .tunnel import joined

CAUGHT = {
    "tree": {Figure.MEEPLE, Figure.LARGE, Figure.WAGON, Figure.PHANTOM, Figure.BUILDER},
    "water": set(MEEPLES),
}
"""Which figures get into each trap (RUS-08, RUS-09)."""


# --- The hut ------------------------------------------------------------------------------------


def is_hut(position: Position, cell: Cell) -> bool:
    """Tell whether the hut is on a cell, and counts (RUS-02)."""
    names = {(tile.x, tile.y): tile.tile for tile in position.tiles}
    return position.rules.russian_promos and bool(FACTS[names[cell]].get("hut"))


def hut_points(position: Position, cell: Cell) -> int:
    """RUS-02, RUS-03: 1, and 1 for each empty cell around it."""
    return 1 + len(around(*cell) - occupied_cells(position))


# --- The tree -----------------------------------------------------------------------------------


def road_of_tree(position: Position) -> Feature | None:
    """Find the road behind the tree (RUS-06)."""
    own = place_of_tree(position)
    return None if own is None else feature_at(position, *own)


def place_of_tree(position: Position) -> Place | None:
    """Find the road on its tile; a bridge there is another one."""
    cell = trap_cells(position).get("tree")
    if cell is None:
        return None
    tile = next(tile for tile in position.tiles if (tile.x, tile.y) == cell)
    return next(s.place for s in segments_of(tile) if s.kind == Kind.ROAD)


def ways(position: Position, road: Feature) -> dict[Place, list[list[Place]]]:
    """Find where each stretch of a road leads: for each of its ends where it goes on."""
    shown = defaultdict(list)
    stretches = [
        s for tile in position.tiles for s in segments_of(tile) if s.place in road.segments
    ]
    for s in stretches:
        for side in s.at:
            shown[s.x, s.y, side].append(s.place)
    found = {s.place: [shown.get(across(s.x, s.y, side), []) for side in s.at] for s in stretches}
    for pair in (*joined(position), *over_lakes(position)):
        for place, beyond in (pair, pair[::-1]):
            if place in found:
                found[place].append([beyond])
    return found


def nearest(position: Position, road: Feature) -> list[PlacedFigure]:
    """List who stands before the tree, or is the nearest in each direction (RUS-07)."""
    own, found = place_of_tree(position), ways(position, road)
    standing = defaultdict(list)
    for figure in road.figures:
        standing[figure.x, figure.y, figure.spot].append(figure)
    assert own is not None
    if standing[own]:
        return standing[own]
    taken: list[PlacedFigure] = []
    for begin in found[own]:
        seen, here = {own, *begin}, list(begin)
        while here:
            there = [figure for place in here for figure in standing[place]]
            if there:
                taken += [figure for figure in there if figure not in taken]
                break
            here = [on for place in here for end in found[place] for on in end if on not in seen]
            seen |= {*here}
    return taken


def woken(position: Position) -> Position:
    """Spare nobody on the road of the tree if the tile just placed has made it longer (RUS-07)."""
    road, last = road_of_tree(position), position.tiles[-1]
    if road is None or (last.x, last.y) not in road.tiles:
        return position
    return replace(position, spared=0)


def still_spared(position: Position) -> Position:
    """Count nobody as spared who has left the road."""
    road = road_of_tree(position)
    return replace(position, spared=min(position.spared, len(road.figures) if road else 0))


# --- Into the traps -----------------------------------------------------------------------------


def sprung(position: Position) -> Position:
    """Let both traps take whom they reach: behind a tile, the figures and ferries (RUS-10).

    Whom both reach gets into the one that was placed first.
    """
    take = {"tree": taken_from_road, "water": taken_into_water}
    lying = {cell: trap for trap, cell in trap_cells(position).items()}
    for tile in position.tiles:
        if (tile.x, tile.y) in lying:
            position = take[lying[tile.x, tile.y]](position)
    return position


def taken_from_road(position: Position) -> Position:
    """RUS-06 to RUS-08: if somebody came to the road, or it has become longer."""
    road = road_of_tree(position)
    if road is None or len(road.figures) <= position.spared:
        return position
    takes_all = position.rules.solovei_reach == "all"
    chosen = list(road.figures) if takes_all else nearest(position, road)
    position = caught(position, chosen, "tree")
    left = road_of_tree(position)
    return replace(position, spared=len(left.figures) if left else 0)


def taken_into_water(position: Position) -> Position:
    """RUS-09: all meeples around Vodyanoy, those on towers too, but no lords."""
    cell = trap_cells(position).get("water")
    if cell is None:
        return position
    near = around(*cell)
    chosen = [
        f
        for f in position.figures
        if f.figure in MEEPLES and (f.x, f.y) in near
        if f not in position.lords
        if feature_at(position, f.x, f.y, f.spot).kind != Kind.CASTLE
    ]
    position = still_spared(caught(position, chosen, "water"))
    on_top = [t for t in position.towers if t.figure is not None and (t.x, t.y) in near]
    towers = tuple(
        replace(t, seat=None, figure=None) if t in on_top else t for t in position.towers
    )
    return held(replace(position, towers=towers), on_top, "water")


def caught(position: Position, chosen: list[PlacedFigure], trap: str) -> Position:
    """Take figures off the board into a trap; builders have done their work before."""
    if not chosen:
        return position
    if position.dug_at is None and not position.ferried:
        extended = position.has_extended or builders.noted(position).has_extended
        position = replace(position, has_extended=extended)
    return held(dragon.without(position, chosen), chosen, trap)


def held(position: Position, figures: Iterable[object], trap: str) -> Position:
    """Put figures that are off the board into a trap."""
    new = [Trapped(f.seat, trap, f.figure) for f in figures]  # type: ignore[attr-defined,arg-type]
    return replace(position, trapped=tuple(sorted((*position.trapped, *new))))


# --- Out of them --------------------------------------------------------------------------------


def releases(position: Position) -> set[str]:
    """Name the decider's figures in traps (RUS-11), but in one just placed (RUS-12)."""
    cells = trap_cells(position)
    own = (
        t
        for t in position.trapped
        if t.seat == position.decider and cells[t.trap] != dragon.last_cell(position)
    )
    return {f"free {t.trap} {t.figure.name.lower()}" for t in own}


def freed(position: Position, name: str) -> Position:
    """Take a figure of the decider home."""
    _, trap, figure = name.split()
    return let_go(position, [Trapped(position.decider, trap, Figure[figure.upper()])])  # type: ignore[arg-type]


def let_go(position: Position, gone: Iterable[Trapped]) -> Position:
    """Take figures out of traps."""
    left = list(position.trapped)
    for trapped in gone:
        left.remove(trapped)
    return replace(position, trapped=tuple(left))


def captives(position: Position) -> dict[str, tuple[Cell, Trapped]]:
    """Find the meeples in traps that a tower can capture, by name (RUS-15)."""
    cells = trap_cells(position)
    return {
        f"seize {t.figure.name.lower()} {{}},{{}} from {SEATS[t.seat]}".format(*cells[t.trap]): (
            cells[t.trap],
            t,
        )
        for t in position.trapped
        if t.figure in MEEPLES
    }


def eaten(position: Position) -> Position:
    """RUS-15: the dragon eats who is in a trap where it is; no safe wagons (HOUSE-03)."""
    here = {trap for trap, cell in trap_cells(position).items() if cell == position.dragon}
    safe = {Figure.WAGON} if position.rules.house_wagon_safe else set()
    return let_go(
        position, [t for t in position.trapped if t.trap in here and t.figure not in safe]
    )


# --- At the end ---------------------------------------------------------------------------------


def without_lost(position: Position, scores: tuple[int, ...]) -> tuple[int, ...]:
    """RUS-13: 2 points for each meeple in the water."""
    lost = [0] * len(scores)
    for trapped in position.trapped:
        lost[trapped.seat] += 2 * (trapped.trap == "water")
    if position.rules.score_floor:
        lost = [min(n, max(points, 0)) for n, points in zip(lost, scores, strict=True)]
    return tuple(points - n for points, n in zip(scores, lost, strict=True))


# --- What cannot be -----------------------------------------------------------------------------


def wrong_traps(position: Position) -> Iterator[str]:
    """Figures in traps that are not there, and more of them spared than there are."""
    if not position.rules.russian_promos:
        if position.trapped or position.spared:
            yield "traps are not in play"
        return
    cells = trap_cells(position)
    for trapped in position.trapped:
        if trapped.trap not in cells:
            yield f"{trapped} is in a trap that does not lie"
        elif trapped.figure not in CAUGHT[trapped.trap]:
            yield f"{trapped} is never caught there"
    road = road_of_tree(position)
    most = len(road.figures) if road and position.rules.solovei_reach == "nearest" else 0
    if not 0 <= position.spared <= most:
        yield f"{position.spared} figures are spared, of {most}"
