"""The features on the board, found by a flood fill from scratch."""

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
    """The road has an inn, or the city has a cathedral."""
    has_river_inn: bool
    """The road has an inn on a river tile."""
    has_herd: bool
    """The field shows a pig-herd (RIV2-10, RUS-14)."""
    is_below_walls: bool
    """The field touches the city of Carcassonne (COU-21)."""
    goods: tuple[Good, ...]
    """The trade goods that a city shows, one entry per symbol; a castle has none (TRA-03)."""
    faces: frozenset[Cell]
    """Neighbouring cells that must have a tile before the feature is complete."""
    corners: frozenset[Place]
    """The tile corners that show only this field (BARN-03); empty for other features."""
    is_complete: bool = False
    """Always false for fields and castles."""
    figures: tuple[PlacedFigure, ...] = ()
    """All figures on the feature, including builders, pigs and barns."""
    cities: frozenset[Feature] = frozenset()
    """The cities and castles that a field touches (BASE-26); empty for other features."""
    hills: frozenset[Cell] = frozenset()
    """The feature's cells with hills, if hills are in play (HS-03)."""
    counts_hills: bool = False
    """The most meeples on hills win a tie; otherwise one meeple on a hill is enough (HS-03)."""

    @property
    def meeples(self) -> tuple[PlacedFigure, ...]:
        """The figures that occupy the feature and count in its majority."""
        return tuple(figure for figure in self.figures if figure.figure in MEEPLES)

    @property
    def passing(self) -> tuple[PlacedFigure, ...]:
        """The figures that return when the feature is scored (TRA-06, TRA-14).

        Barns (BARN-09) and shepherds (HS-37) stay.
        """
        staying = (Figure.BARN, Figure.SHEPHERD)
        return tuple(figure for figure in self.figures if figure.figure not in staying)

    def has(self, seat: int, *kinds: Figure) -> bool:
        """Return whether a seat has a figure of one of these kinds on the feature."""
        return any(figure.seat == seat and figure.figure in kinds for figure in self.figures)

    @property
    def barns(self) -> tuple[PlacedFigure, ...]:
        """The barns of a field; there are several if fields have been joined (BARN-08)."""
        return tuple(figure for figure in self.figures if figure.figure == Figure.BARN)


def occupied_cells(position: Position) -> set[Cell]:
    """Return the cells with a tile."""
    return {(tile.x, tile.y) for tile in position.tiles}


def around(x: int, y: int) -> set[Cell]:
    """Return the eight cells around a cell."""
    return {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - {(x, y)}


def trap_cells(position: Position) -> dict[str, Cell]:
    """Return the cells of the traps on the board by name, if traps are in play (RUS-01)."""
    tiles = position.tiles if position.rules.russian_promos else ()
    return {FACTS[t.tile]["trap"]: (t.x, t.y) for t in tiles if "trap" in FACTS[t.tile]}


def surroundings(position: Position, x: int, y: int) -> int:
    """Count a cell and its occupied neighbours: the points of a monastery or garden (GAR-04)."""
    return 1 + len(around(x, y) & occupied_cells(position))


@lru_cache(maxsize=64)
def flooded(
    tiles: tuple[PlacedTile, ...], ways: tunnel.Joined = ()
) -> tuple[tuple[Segment, ...], ...]:
    """Group the segments on the board into connected features, fields last.

    ``ways`` connects segments that do not touch: through tunnels (TUN-07) or over lakes (FER-05).
    """
    everything = [segment for tile in tiles for segment in segments_of(tile)]
    everything.sort(key=lambda segment: segment.kind == Kind.FIELD)
    touching = defaultdict(list)  # a shared side has two segments (HS-40)
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
        for segment in connected:  # The loop appends to this list.
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
    """List the pairs of roads that ferries join (FER-05)."""
    return tuple(
        ((f.x, f.y, Spot[f.sides[0]]), (f.x, f.y, Spot[f.sides[1]])) for f in position.ferries
    )


def changed_roads(position: Position) -> set[Place]:
    """Return the roads that the ferries of this placement join now or joined before (FER-13)."""
    now = {(f.x, f.y): f.sides for f in position.ferries}
    return {
        (f.x, f.y, Spot[side])
        for f in position.ferried
        for sides in (now.get((f.x, f.y)), f.before)
        for side in sides or ""
    }


as_it_is = lru_cache(maxsize=4096)(replace)
"""Add the properties that depend on the rest of the board to a feature.

The results are cached because a move changes few features.
"""


N_BOARDS = 32
"""Maximum number of boards in the cache."""

boards: dict[tuple[int, ...], tuple[object, tuple[Feature, ...]]] = {}
"""Features by the ids of the objects that they depend on.

The objects are stored as well, so Python cannot reuse their ids. Positions share the objects that
a move leaves unchanged, so this cache finds nearly all features without hashing.
"""


def features(position: Position) -> tuple[Feature, ...]:
    """Return all features on the board, fields last."""
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
    """Return the features without the lords of a town that others score (CAS-37)."""
    left = Counter(position.figures) - Counter(position.lords)
    figures = tuple(f for f in position.figures if f in left for _ in range(left.pop(f, 0)))
    board = (position.rules, position.tiles, figures)
    lain = {name: getattr(position, name) for name in ("castles", "tunnels", "ferries")}
    return features_of(Position(*board, (), Phase.PLACE_TILE, 0, 0, **lain))


@lru_cache(maxsize=32)
def features_of(position: Position) -> tuple[Feature, ...]:
    """Return the features of a position with only the attributes that features depend on.

    All other attributes differ from call to call and would defeat the cache.
    """
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
                # CAS-10, CAS-31, TRA-03: not a complete city, no coats of arms, no goods.
                feature = replace(feature, kind=Kind.CASTLE, coats=0, goods=(), is_complete=False)
            city_at.update(dict.fromkeys(feature.segments, feature))
        found.append(feature)
    return tuple(found)


@lru_cache(maxsize=4096)
def gathered(connected: tuple[Segment, ...]) -> Feature:
    """Return the feature that consists of these segments, ignoring the rest of the board."""
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
    """Return the cells across all sides of a feature, or those around a monastery or garden.

    Any tile there counts. Land tiles match, and an abbey closes every side (ABB-09). An abbey is
    also a neighbour like any other tile (ABB-14, GAR-07) and connects nothing (ABB-10, ABB-11).
    """
    if kind in (Kind.MONASTERY, Kind.GARDEN):  # BASE-14, GAR-03, ABB-13
        return frozenset(cell for segment in connected for cell in around(segment.x, segment.y))
    return frozenset(across(s.x, s.y, link)[:2] for s in connected for link in s.at)


def feature_at(position: Position, x: int, y: int, spot: Spot) -> Feature:
    """Return the feature at a spot; raise ``KeyError`` if the tile has no such segment.

    A corner belongs to the field that fills it, if there is one.
    """
    for feature in features(position):
        if (x, y, spot) in feature.segments | feature.corners:
            return feature
    raise KeyError(f"no segment {spot!r} at ({x}, {y})")


def completed(position: Position) -> list[Feature]:
    """List the features that the last tile completed, occupied or not (BASE-19, ABB-09).

    The list includes the road that a tunnel token completed, wherever it is (TUN-11), and complete
    roads that ferries changed (FER-13).
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
