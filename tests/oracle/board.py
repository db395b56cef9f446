"""What is on the board: all features, flooded from scratch."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache

from carc_env.engine.core.codes import Figure, Good, Kind, Phase, Spot
from carc_env.position import PlacedFigure, PlacedTile, Position

from . import tunnel
from .tiles import FACTS, Cell, Place, Segment, across, segments_of

#: Figures that are meeples: they occupy a feature and count in its majority (BARN-01, TRA-05).
MEEPLES = {*(Figure.MEEPLE, Figure.LARGE, Figure.ABBOT, Figure.MAYOR, Figure.WAGON, Figure.PHANTOM)}


@dataclass(frozen=True, slots=True)
class Feature:
    """A connected road, city or field, one monastery or garden, or a castle."""

    kind: Kind
    segments: frozenset[Place]
    tiles: frozenset[Cell]
    coats: int
    has_extra: bool
    """An inn stands at the road, or a cathedral in the city."""
    has_river_inn: bool
    """One on a river tile."""
    has_herd: bool
    """Of a field: its pig-herds (RIV2-10, RUS-14)."""
    is_below_walls: bool
    """Of a field: it touches the city of Carcassonne (COU-21)."""
    goods: tuple[Good, ...]
    """The trade goods of a city, each as often as it is shown; in no castle (TRA-03)."""
    faces: frozenset[Cell]
    """Cells on which a tile must lie before the feature is complete, its own cells aside."""
    corners: frozenset[Place]
    """Of a field: the tile corners that show nothing but this field (BARN-03)."""
    is_complete: bool = False
    """Fields and castles never are."""
    figures: tuple[PlacedFigure, ...] = ()
    """Everything that stands on it, builders, pigs and barns too."""
    cities: frozenset[Feature] = frozenset()
    """Of a field: the cities and castles it touches (BASE-26); empty for all others."""
    hills: frozenset[Cell] = frozenset()
    """Its cells with hills, where these are in play (HS-03)."""
    counts_hills: bool = False
    """The most meeples on hills win a tie, not any (HS-03)."""

    @property
    def meeples(self) -> tuple[PlacedFigure, ...]:
        """What occupies it and counts in its majority."""
        return tuple(figure for figure in self.figures if figure.figure in MEEPLES)

    @property
    def passing(self) -> tuple[PlacedFigure, ...]:
        """All that goes home when it is scored (TRA-06, TRA-14), not barns (BARN-09).

        Nor shepherds (HS-37).
        """
        staying = (Figure.BARN, Figure.SHEPHERD)
        return tuple(figure for figure in self.figures if figure.figure not in staying)

    def has(self, seat: int, *kinds: Figure) -> bool:
        """Tell whether a seat has one of these figures on it."""
        return any(figure.seat == seat and figure.figure in kinds for figure in self.figures)

    @property
    def barns(self) -> tuple[PlacedFigure, ...]:
        """The barns of a field, several if fields have grown together (BARN-08)."""
        return tuple(figure for figure in self.figures if figure.figure == Figure.BARN)


def occupied_cells(position: Position) -> set[Cell]:
    """Collect the cells on which a tile lies."""
    return {(tile.x, tile.y) for tile in position.tiles}


def around(x: int, y: int) -> set[Cell]:
    """Collect the eight cells around a cell."""
    return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - {(x, y)}


def trap_cells(position: Position) -> dict[str, Cell]:
    """Find the traps that lie on the board, where they are in play (RUS-01)."""
    tiles = position.tiles if position.rules.russian_promos else ()
    return {FACTS[t.tile]["trap"]: (t.x, t.y) for t in tiles if "trap" in FACTS[t.tile]}


def surroundings(position: Position, x: int, y: int) -> int:
    """Count a cell and its occupied neighbours: the worth of a monastery or garden (GAR-04)."""
    return 1 + len(around(x, y) & occupied_cells(position))


@lru_cache(maxsize=64)
def flooded(
    tiles: tuple[PlacedTile, ...], ways: tunnel.Joined = ()
) -> tuple[tuple[Segment, ...], ...]:
    """Flood everything on the board from one segment after the other, fields last.

    By ways between segments that lie apart, too: through tunnels (TUN-07) and over lakes (FER-05).
    """
    everything = [segment for tile in tiles for segment in segments_of(tile)]
    everything.sort(key=lambda segment: segment.kind == Kind.FIELD)
    touching = defaultdict(list)  # of a shared side two (HS-40)
    for segment in everything:
        for link in segment.at:
            touching[segment.kind, segment.x, segment.y, link].append(segment)
    by_place = {segment.place: segment for segment in everything}
    through = {by_place[a]: by_place[b] for pair in ways for a, b in (pair, pair[::-1])}
    found, seen = [], set()
    for first in everything:
        if first in seen:
            continue
        seen.add(first)
        connected = [first]
        for segment in connected:  # which grows meanwhile
            if (beyond := through.get(segment)) and beyond not in seen:
                seen.add(beyond)
                connected.append(beyond)
            for link in segment.at:
                for beyond in touching[segment.kind, *across(segment.x, segment.y, link)]:
                    if beyond not in seen:
                        seen.add(beyond)
                        connected.append(beyond)
        found.append(tuple(connected))
    return tuple(found)


def over_lakes(position: Position) -> tunnel.Joined:
    """List the roads that ferries join (FER-05)."""
    return tuple(
        ((f.x, f.y, Spot[f.sides[0]]), (f.x, f.y, Spot[f.sides[1]])) for f in position.ferries
    )


def changed_roads(position: Position) -> set[Place]:
    """Collect the roads that ferries of this placement join now or have joined before (FER-13)."""
    now = {(f.x, f.y): f.sides for f in position.ferries}
    return {
        (f.x, f.y, Spot[side])
        for f in position.ferried
        for sides in (now.get((f.x, f.y)), f.before)
        for side in sides or ""
    }


as_it_is = lru_cache(maxsize=4096)(replace)
"""A feature with what the rest of the board makes of it; most are as they were a move ago."""


N_BOARDS = 32
"""How many boards are remembered with their features."""

boards: dict[tuple[int, ...], tuple[object, tuple[Feature, ...]]] = {}
"""Features by the identity of all that they depend on, which is kept, so that no id is used twice.

Positions share what a move leaves alone, so this finds nearly all of them without any hash.
"""


def features(position: Position) -> tuple[Feature, ...]:
    """Find all features on the board, fields last."""
    on_board = (
        *(position.rules, position.tiles, position.figures, position.lords),
        *(position.castles, position.tunnels, position.ferries),
    )
    key = tuple(map(id, on_board))
    if key not in boards:
        if len(boards) == N_BOARDS:
            del boards[next(iter(boards))]
        boards[key] = (on_board, features_without_lords(position))
    return boards[key][1]


def features_without_lords(position: Position) -> tuple[Feature, ...]:
    """Find the features; lords of a town that others score do not stand on it (CAS-37)."""
    left = Counter(position.figures) - Counter(position.lords)
    figures = tuple(f for f in position.figures if f in left for _ in range(left.pop(f, 0)))
    board = (position.rules, position.tiles, figures)
    lain = {name: getattr(position, name) for name in ("castles", "tunnels", "ferries")}
    return features_of(Position(*board, (), Phase.PLACE_TILE, 0, 0, **lain))


@lru_cache(maxsize=32)
def features_of(position: Position) -> tuple[Feature, ...]:
    """Find them by what they depend on: all else changes with every question."""
    occupied = occupied_cells(position)
    hills = {(t.x, t.y) for t in position.tiles if FACTS[t.tile].get("hill", False)}
    castles = {(c.x, c.y, c.spot) for c in position.castles}
    taken = {(f.x, f.y, f.spot) for f in position.figures}
    found: list[Feature] = []
    city_at: dict[Place, Feature] = {}
    open_mouths = tunnel.open_mouths(position)
    ways = (*tunnel.joined(position), *over_lakes(position))
    for connected in flooded(position.tiles, ways):
        ground = gathered(connected)
        covered = taken & ground.segments | taken & ground.corners
        figures = [f for f in position.figures if (f.x, f.y, f.spot) in covered] if covered else []
        feature = as_it_is(
            ground,
            is_complete=ground.kind not in (Kind.FIELD, Kind.LINES)  # BASE-20, MON-05
            and ground.faces <= occupied
            and open_mouths.isdisjoint(ground.segments),  # TUN-06
            figures=tuple(figures),
            cities=frozenset([city_at[s.x, s.y, spot] for s in connected for spot in s.cities]),
            hills=ground.tiles & hills if position.rules.hills else frozenset(),
            counts_hills=position.rules.hill_tiebreak == "count",
        )
        if ground.kind == Kind.CITY:
            if not castles.isdisjoint(ground.segments):
                # CAS-10, CAS-31, TRA-03: no complete city; without coats of arms and goods.
                feature = replace(feature, kind=Kind.CASTLE, coats=0, goods=(), is_complete=False)
            city_at.update(dict.fromkeys(feature.segments, feature))
        found.append(feature)
    return tuple(found)


@lru_cache(maxsize=4096)
def gathered(connected: tuple[Segment, ...]) -> Feature:
    """Make the feature that consists of these segments, on a board that is empty otherwise."""
    kind = connected[0].kind
    return Feature(
        kind=kind,
        segments=frozenset(segment.place for segment in connected),
        tiles=frozenset((segment.x, segment.y) for segment in connected),
        coats=sum(segment.coats for segment in connected),
        has_extra=any(segment.has_extra for segment in connected),  # INN-02, INN-04, INN-08
        has_river_inn=any(segment.has_extra and segment.is_on_river for segment in connected),
        has_herd=any(segment.has_herd for segment in connected),
        is_below_walls=any(segment.is_below_walls for segment in connected),
        goods=tuple(s.good for s in connected if s.good is not None),
        faces=faced(kind, connected),
        corners=frozenset((s.x, s.y, corner) for s in connected for corner in s.corners),
    )


def faced(kind: Kind, connected: tuple[Segment, ...]) -> frozenset[Cell]:
    """Collect the cells beyond all sides of a road or city, or those around a monastery or garden.

    What lies there does not matter: land tiles match, and an abbey closes every side (ABB-09), is
    a neighbour like any other (ABB-14, GAR-07), and connects nothing (ABB-10, ABB-11).
    """
    if kind in (Kind.MONASTERY, Kind.GARDEN):  # BASE-14, GAR-03, ABB-13
        return frozenset(cell for segment in connected for cell in around(segment.x, segment.y))
    return frozenset(across(s.x, s.y, link)[:2] for s in connected for link in s.at)


def feature_at(position: Position, x: int, y: int, spot: Spot) -> Feature:
    """Find the feature that owns a spot; ``KeyError`` where the tile has no such segment.

    A corner belongs to the field that fills it, if one does.
    """
    for feature in features(position):
        if (x, y, spot) in feature.segments | feature.corners:
            return feature
    raise KeyError(f"no segment {spot!r} at ({x}, {y})")


def completed(position: Position) -> list[Feature]:
    """List the features that the last tile has completed, whoever is there (BASE-19, ABB-09).

    And the road that a token has, wherever it lies (TUN-11), and those that ferries have changed
    (FER-13).
    """
    last = position.tiles[-1]
    here = (last.x, last.y)
    changed = changed_roads(position)
    return [
        f
        for f in features(position)
        if f.is_complete
        if here in f.tiles
        or here in f.faces
        or position.dug_at in f.segments
        or not f.segments.isdisjoint(changed)
    ]
