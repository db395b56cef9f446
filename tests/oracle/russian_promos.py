"""The Russian promos (docs/rules/russian-promos.md): the hut and the two traps."""

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
"""Figures that each trap catches (RUS-08, RUS-09)."""


# --- The hut ------------------------------------------------------------------------------------


def is_hut(position: Position, cell: Cell) -> bool:
    """Return whether a cell has the hut, with the promos in play (RUS-02)."""
    names = {(tile.x, tile.y): tile.tile for tile in position.tiles}
    return position.rules.russian_promos and bool(FACTS[names[cell]].get("hut"))


def hut_points(position: Position, cell: Cell) -> int:
    """Return 1 point plus 1 for each empty cell around the hut (RUS-02, RUS-03)."""
    return 1 + len(around(*cell) - occupied_cells(position))


# --- The tree -----------------------------------------------------------------------------------


def road_of_tree(position: Position) -> Feature | None:
    """Return the road that passes the tree (RUS-06)."""
    own = place_of_tree(position)
    return None if own is None else feature_at(position, *own)


def place_of_tree(position: Position) -> Place | None:
    """Return the printed road on the tree's tile; a bridge there is a separate road."""
    cell = trap_cells(position).get("tree")
    if cell is None:
        return None
    tile = next(tile for tile in position.tiles if (tile.x, tile.y) == cell)
    return next(s.place for s in segments_of(tile) if s.kind == Kind.ROAD)


def ways(position: Position, road: Feature) -> dict[Place, list[list[Place]]]:
    """Return, for each segment of a road, the segments that each of its ends leads to."""
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
    """List the figures at the tree, or else the nearest figures in each direction (RUS-07)."""
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
    """Spare no figure on the tree's road if the tile just placed extended the road (RUS-07)."""
    road, last = road_of_tree(position), position.tiles[-1]
    if road is None or (last.x, last.y) not in road.tiles:
        return position
    return replace(position, spared=0)


def still_spared(position: Position) -> Position:
    """Stop counting figures as spared that have left the road."""
    road = road_of_tree(position)
    return replace(position, spared=min(position.spared, len(road.figures) if road else 0))


# --- Catching figures ---------------------------------------------------------------------------


def sprung(position: Position) -> Position:
    """Let both traps catch figures in reach: after a tile, after figures and ferries (RUS-10).

    If both traps reach a figure, the trap that was placed first catches it.
    """
    take = {"tree": taken_from_road, "water": taken_into_water}
    lying = {cell: trap for trap, cell in trap_cells(position).items()}
    for tile in position.tiles:
        if (tile.x, tile.y) in lying:
            position = take[lying[tile.x, tile.y]](position)
    return position


def taken_from_road(position: Position) -> Position:
    """Catch figures on the tree's road if a figure joined it or it grew (RUS-06 to RUS-08)."""
    road = road_of_tree(position)
    if road is None or len(road.figures) <= position.spared:
        return position
    takes_all = position.rules.solovei_reach == "all"
    chosen = list(road.figures) if takes_all else nearest(position, road)
    position = caught(position, chosen, "tree")
    left = road_of_tree(position)
    return replace(position, spared=len(left.figures) if left else 0)


def taken_into_water(position: Position) -> Position:
    """Catch all meeples around Vodyanoy, including those on towers, but no lords (RUS-09)."""
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
    """Move figures from the board into a trap, after recording a builder's extension."""
    if not chosen:
        return position
    if position.dug_at is None and not position.ferried:
        extended = position.has_extended or builders.noted(position).has_extended
        position = replace(position, has_extended=extended)
    return held(dragon.without(position, chosen), chosen, trap)


def held(position: Position, figures: Iterable[object], trap: str) -> Position:
    """Put figures that are already off the board into a trap."""
    new = [Trapped(f.seat, trap, f.figure) for f in figures]  # type: ignore[attr-defined,arg-type]
    return replace(position, trapped=tuple(sorted((*position.trapped, *new))))


# --- Freeing figures ----------------------------------------------------------------------------


def releases(position: Position) -> set[str]:
    """Return the names for freeing the decider's figures (RUS-11), not in a new trap (RUS-12)."""
    cells = trap_cells(position)
    own = (
        t
        for t in position.trapped
        if t.seat == position.decider and cells[t.trap] != dragon.last_cell(position)
    )
    return {f"free {t.trap} {t.figure.name.lower()}" for t in own}


def freed(position: Position, name: str) -> Position:
    """Return one of the decider's trapped figures to supply."""
    _, trap, figure = name.split()
    return let_go(position, [Trapped(position.decider, trap, Figure[figure.upper()])])  # type: ignore[arg-type]


def let_go(position: Position, gone: Iterable[Trapped]) -> Position:
    """Remove figures from traps."""
    left = list(position.trapped)
    for trapped in gone:
        left.remove(trapped)
    return replace(position, trapped=tuple(left))


def captives(position: Position) -> dict[str, tuple[Cell, Trapped]]:
    """Return the meeples in traps that a tower can capture, by name (RUS-15)."""
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
    """Let the dragon eat figures in a trap on its cell (RUS-15), but not safe wagons (HOUSE-03)."""
    here = {trap for trap, cell in trap_cells(position).items() if cell == position.dragon}
    safe = {Figure.WAGON} if position.rules.house_wagon_safe else set()
    return let_go(
        position, [t for t in position.trapped if t.trap in here and t.figure not in safe]
    )


# --- At the end ---------------------------------------------------------------------------------


def without_lost(position: Position, scores: tuple[int, ...]) -> tuple[int, ...]:
    """Subtract 2 points for each meeple in the water (RUS-13)."""
    lost = [0] * len(scores)
    for trapped in position.trapped:
        lost[trapped.seat] += 2 * (trapped.trap == "water")
    if position.rules.score_floor:
        lost = [min(n, max(points, 0)) for n, points in zip(lost, scores, strict=True)]
    return tuple(points - n for points, n in zip(scores, lost, strict=True))


# --- Impossible positions -----------------------------------------------------------------------


def wrong_traps(position: Position) -> Iterator[str]:
    """Report figures in missing traps or of wrong kinds, and too many spared figures."""
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
