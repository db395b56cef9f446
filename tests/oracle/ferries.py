"""The Ferries (docs/rules/ferries.md): lakes, the roads that ferries join, and ferry moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from carc_env.engine.core.codes import Figure, Kind, Phase, Spot
from carc_env.position import Ferried, Ferry, PlacedTile, Position

from .board import MEEPLES, features, flooded
from .mage_witch import going_on
from .phases import is_placed, is_unscored
from .tiles import FACTS, SIDES, Cell, Place, segments_of
from .tunnel import joined


def is_lake(tile: PlacedTile) -> bool:
    """Return whether the roads of a tile end at a lake (FER-01)."""
    return bool(FACTS[tile.tile].get("ferry"))


def lakes(position: Position) -> list[PlacedTile]:
    """List the tiles with lakes, in the order in which they were placed."""
    known = [tile for tile in position.tiles if tile.tile in FACTS]
    return [tile for tile in known if is_lake(tile)] if position.rules.ferries else []


def roads_on(tile: PlacedTile) -> list[Place]:
    """List the roads of a tile."""
    return [segment.place for segment in segments_of(tile) if segment.kind == Kind.ROAD]


def pairs(tile: PlacedTile) -> list[str]:
    """List the pairs of sides that the ferry on a lake can connect (FER-04)."""
    shown = {spot.name for *_, spot in roads_on(tile)}
    return [a + b for a, b in combinations(SIDES, 2) if {a, b} <= shown]


def ends(ferry: Ferry) -> tuple[Place, Place]:
    """Return the two roads that a ferry joins."""
    a, b = ((ferry.x, ferry.y, Spot[side]) for side in ferry.sides)
    return a, b


def ferry_on(position: Position, cell: Cell) -> Ferry | None:
    """Return the ferry on a lake, if there is one."""
    return next((f for f in position.ferries if (f.x, f.y) == cell), None)


def is_due(position: Position) -> bool:
    """Return whether the lake on the tile just placed gets its ferry now (FER-04)."""
    last = position.tiles[-1]
    if not position.rules.ferries or not is_lake(last) or ferry_on(position, (last.x, last.y)):
        return False
    thieves = [f for f in position.figures if (f.x, f.y, f.spot) in roads_on(last)]
    has_thief = any(figure.figure in MEEPLES for figure in thieves)
    return has_thief or position.rules.ferry_without_meeple == "place"


def layings(position: Position) -> set[str]:
    """Return the names of the legal positions of the new ferry."""
    return {name(position.tiles[-1], sides) for sides in pairs(position.tiles[-1])}


def name(lake: PlacedTile, sides: str) -> str:
    return f"ferry {lake.x},{lake.y} {sides}"


def within_reach(position: Position) -> set[Cell]:
    """Return the lakes with the nearest ferries along the roads of the tile just placed.

    These ferries are reached without crossing another ferry (FER-08, FER-12). The way may lead
    through tunnels, but not through the token of this placement (TUN-12).
    """
    last = position.tiles[-1]
    own = set(roads_on(last))
    ways = tuple(pair for pair in joined(position) if position.dug_at not in pair)
    found = set()
    for connected in flooded(position.tiles, ways):
        places = {segment.place for segment in connected}
        if own.isdisjoint(places):
            continue
        for ferry in position.ferries:
            if not places.isdisjoint(ends(ferry)):
                found.add((ferry.x, ferry.y))
    return found - {(last.x, last.y)}


def moves(position: Position) -> set[str]:
    """Return the names of the legal ferry moves; each moves once per placement (FER-09, FER-10)."""
    if not position.ferries:
        return set()
    near = within_reach(position) - {(f.x, f.y) for f in position.ferried}
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    return {
        name(tiles[f.x, f.y], sides)
        for f in position.ferries
        if (f.x, f.y) in near
        for sides in pairs(tiles[f.x, f.y])
        if sides != f.sides
    }


def laid(position: Position, chosen: str) -> Position:
    """Lay or move a ferry; a builder that is cut off from its meeples returns (FER-15)."""
    _, cell, sides = chosen.split()
    x, y = map(int, cell.split(","))
    order = [(tile.x, tile.y) for tile in lakes(position)]
    found = [f for f in position.ferries if (f.x, f.y) != (x, y)]
    found.append(Ferry(x, y, sides))
    found.sort(key=lambda ferry: order.index((ferry.x, ferry.y)))
    before = ferry_on(position, (x, y))
    ferried = [*position.ferried, Ferried(x, y, before.sides if before else None)]
    ferried.sort(key=lambda ferry: order.index((ferry.x, ferry.y)))
    return with_builders_home(replace(position, ferries=tuple(found), ferried=tuple(ferried)))


def with_builders_home(position: Position) -> Position:
    """Return builders to supply from roads without a meeple of the same player."""
    alone = [
        figure
        for feature in features(position)
        if feature.kind == Kind.ROAD
        for figure in feature.figures
        if figure.figure == Figure.BUILDER
        if not any(meeple.seat == figure.seat for meeple in feature.meeples)
    ]
    return replace(position, figures=tuple(f for f in position.figures if f not in alone))


# --- Impossible positions -----------------------------------------------------------------------


def wrong_places(position: Position) -> Iterator[str]:
    """Report ferries without a lake, several on one lake, and ferries that join no roads."""
    there = {(tile.x, tile.y): tile for tile in lakes(position)}
    for cell, n in Counter((ferry.x, ferry.y) for ferry in position.ferries).items():
        if cell not in there or n > 1:
            yield f"{n} ferries lie at {cell}"
    for ferry in position.ferries:
        lake = there.get((ferry.x, ferry.y))
        if lake and ferry.sides not in pairs(lake):
            yield f"{ferry} joins no roads"


def wrong_ferries(position: Position) -> Iterator[str]:
    """Report ferries that are missing or were laid too early (FER-04)."""
    there = {(tile.x, tile.y) for tile in lakes(position)}
    last = (position.tiles[-1].x, position.tiles[-1].y)
    before = {*BEFORE_FERRY, Phase.FERRY}
    new = {last} if going_on(position) in before else set()
    with_ferry = {(ferry.x, ferry.y) for ferry in position.ferries}
    if position.rules.ferry_without_meeple == "place" and with_ferry != there - new:
        yield f"ferries lie at {sorted(with_ferry)}"
    elif with_ferry & new:
        yield f"a ferry lies at {last} already"
    yield from wrong_notes(position)


BEFORE_FERRY = {
    *(Phase.INGOT, Phase.FIGURE, Phase.ELSEWHERE, Phase.LANDING, Phase.CAPTURE, Phase.EXCHANGE),
    *(Phase.BRIDGE, Phase.SECOND, Phase.SECOND_SPOT, Phase.TUNNEL),
}
"""Phases of a placement that come before its ferry."""


def wrong_notes(position: Position) -> Iterator[str]:
    """Report impossible ferry moves of this placement and impossible phases (FER-04, FER-10)."""
    if position.ferried:
        is_late = position.phase == Phase.FLIGHT
        is_late = is_late and position.rules.dragon_timing == "after_scoring"
        scoring = position.phase in (Phase.CASTLE_CHOICE, Phase.SHARE)
        may_be = is_placed(position) and (is_unscored(position) or scoring) and not is_late
        if not may_be or going_on(position) in {*BEFORE_FERRY, Phase.FERRY}:
            yield f"ferries at {position.ferried} were moved in phase {position.phase.name}"
    last = position.tiles[-1]
    for ferried in position.ferried:
        now = ferry_on(position, (ferried.x, ferried.y))
        is_new = (ferried.x, ferried.y) == (last.x, last.y)
        may_be_new = ferried.before is None and is_new
        may_be_old = ferried.before is not None and not is_new
        if now is None or now.sides == ferried.before or not (may_be_new or may_be_old):
            yield f"{ferried} cannot be, with {now} there"
    if position.phase == Phase.FERRY and not is_due(position):
        yield "no ferry is due"
    if position.phase in (Phase.FERRIES, Phase.FLOCK) and is_due(position):
        yield "the new ferry does not lie"
    if position.phase == Phase.FERRIES and not moves(position):
        yield f"seat {position.decider} can move no ferry"
