"""Little Buildings (docs/rules/little-buildings.md): supplies, and the points that they add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Kind, Phase
from carc_env.position import Building, Position
from carc_env.rules import Rules

from .board import Feature
from .mage_witch import going_on
from .river import first_tiles

KINDS = ("shed", "house", "tower")
#: Phases of a figure action other than building; nothing is built in that action.
ACTED_OTHERWISE = {Phase.ELSEWHERE, Phase.CAPTURE, Phase.EXCHANGE}


def dealt(rules: Rules) -> list[Counter[str]]:
    """Return the buildings that each seat begins with (LB-01, LB-02)."""
    if not rules.little_buildings:
        return []
    hands = [Counter(dict.fromkeys(KINDS, 6 // rules.n_players)) for _ in range(rules.n_players)]
    if rules.n_players == 4 and rules.little_building_share == "total":
        for hand, more in zip(hands, ("house", "house", "tower", "tower"), strict=True):
            hand[more] += 1
    return hands


def left(position: Position, seat: int) -> Counter[str]:
    """Return the buildings that a seat has left."""
    return Counter(dict(zip(KINDS, position.unbuilt[seat], strict=True)))


def points_of(position: Position, building: Building) -> int:
    """Return the points that a building adds (LB-05, LB-08)."""
    tower, house, shed = map(int, position.rules.little_building_points.split("/"))
    return {"shed": shed, "house": house, "tower": tower}[building.kind]


def added(position: Position, feature: Feature) -> int:
    """Return the points that buildings add to a feature (LB-05).

    For a monastery, a garden or lines, buildings on all nine cells count (XLB-02, MON-15). A castle
    has no points of its own (CAS-25).
    """
    if feature.kind == Kind.CASTLE:
        return 0
    cells = set(feature.tiles)
    if feature.kind in (Kind.MONASTERY, Kind.GARDEN, Kind.LINES):
        ((x, y),) = feature.tiles
        cells = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    return sum(points_of(position, b) for b in position.built if (b.x, b.y) in cells)


def legal(position: Position) -> set[str]:
    """Return the names of the buildings that the decider can build (LB-03)."""
    if not position.rules.little_buildings:
        return set()
    return {f"build {kind}" for kind, n in left(position, position.decider).items() if n > 0}


def built(position: Position, name: str) -> Position:
    """Put a building on the tile just placed (LB-03)."""
    kind, last = name.removeprefix("build "), position.tiles[-1]
    hands = list(position.unbuilt)
    hand = left(position, position.decider) - Counter([kind])
    hands[position.decider] = tuple(hand[one] for one in KINDS)
    new = Building(last.x, last.y, kind)
    return replace(position, built=(*position.built, new), unbuilt=tuple(hands))


def wrong_buildings(position: Position) -> Iterator[str]:
    """Report wrong numbers of buildings, and buildings on impossible tiles."""
    in_all = sum(dealt(position.rules), Counter())
    hands = [left(position, seat) for seat in range(len(position.unbuilt))]
    for hand in hands:
        if any(n < 0 for n in hand.values()):
            yield f"{hand} buildings in hand"
    found = Counter(building.kind for building in position.built)
    for kind in KINDS:
        if found[kind] + sum(hand[kind] for hand in hands) != in_all[kind]:
            yield f"{found[kind]} {kind}s on tiles and {hands} in hand"
    most = [max((hand[kind] for hand in dealt(position.rules)), default=0) for kind in KINDS]
    if any(n > m for hand in position.unbuilt for n, m in zip(hand, most, strict=True)):
        yield f"more than {most} buildings in one hand"
    cells = [(tile.x, tile.y) for tile in position.tiles]
    places = [(building.x, building.y) for building in position.built]
    if len(set(places)) < len(places):
        yield "two buildings stand on one tile"
    n_first = len(first_tiles(position.rules))
    for place in places:
        if place not in cells[n_first:]:
            yield f"nobody has placed the tile at {place}"
        elif place == cells[-1] and is_undecided(position):
            yield "a building stands on the tile just placed, but the figure action is to come"


def is_undecided(position: Position) -> bool:
    """Return whether the figure action is still to come, or one without building is in progress."""
    early = {Phase.FIGURE, Phase.INGOT, *ACTED_OTHERWISE}
    return going_on(position) in early
