"""Locations on a tile: figures, coats of arms, gardens, inns, houses and trees.

A survey (``survey.py``) finds these locations once per design; they are cached on disk.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from carc_env.engine.core.codes import CORNER_SPOTS, Kind, Spot
from carc_env.engine.core.tiles import (
    CORNER_SEGMENT,
    MAZE,
    SEGMENT_KIND,
    SPOT_SEGMENT,
)
from carc_env.position import Cell, PlacedTile, Position
from carc_env.render.declaring import drawings
from carc_env.render.plan import Axis, form_of, turned_axis
from carc_env.render.shapes import (
    CORNERS,
    SIZE,
    Point,
    turn,
)
from carc_env.render.shelf import kept
from carc_env.render.survey import Survey, Thing


@dataclass(frozen=True)
class Sites:
    """Locations of the things on a form.

    ``stands[segment][rotation]`` is in board orientation, with segments in the order of
    ``segments_of``; ``things`` are as stored (rotation 0).
    """

    stands: tuple[tuple[Point, ...], ...]
    things: tuple[Thing, ...]


def kind_of(tile: str, rotation: int, spot: Spot, bridge: Axis | None = None) -> Kind:
    """Return a segment's kind; parameters and errors as for :func:`stand_of`."""
    form = form_of(tile, rotation, bridge)
    return Kind(int(SEGMENT_KIND[form, _segment(tile, rotation, spot, bridge)]))


def is_maze(tile: str, rotation: int, spot: Spot, bridge: Axis | None = None) -> bool:
    """Return whether a road is a maze (LAB-01); parameters and errors as for :func:`stand_of`."""
    form = form_of(tile, rotation, bridge)
    return bool(_segment(tile, rotation, spot, bridge) == MAZE[form])


def stand_of(tile: str, rotation: int, spot: Spot, bridge: Axis | None = None) -> Point:
    """Return where a figure on a segment stands, in board orientation, in the square 0..100.

    Parameters
    ----------
    tile
        The design's ID.
    rotation
        Clockwise quarter turns from the stored layout.
    spot
        The segment's spot in board orientation; a corner stands for the point itself, where four
        tiles meet.
    bridge
        The direction of the bridge across the tile, in board orientation.

    Raises
    ------
    ValueError
        The tile has no segment with this spot, no single field shows at this corner, or no such
        bridge can stand on the tile.
    """
    segment = _segment(tile, rotation, spot, bridge)
    if spot in CORNER_SPOTS:
        return CORNERS[(CORNER_SPOTS.index(spot) + 1) % 4]
    return sites_of(tile, turned_axis(bridge, rotation)).stands[segment][rotation % 4]


def stand_on_board(position: Position, cell: Cell, spot: Spot) -> Point:
    """Return where a figure on a segment stands, in board units; errors as for :func:`stand_of`."""
    tile = tile_at(position, cell)
    x, y = stand_of(tile.tile, tile.rotation, spot, tile.bridge)
    return cell[0] * SIZE + x, cell[1] * SIZE + y


def thing_on_board(position: Position, cell: Cell, kind: str) -> Point:
    """Return where the only thing of a kind stands on a cell's tile."""
    tile = tile_at(position, cell)
    things = sites_of(tile.tile, turned_axis(tile.bridge, tile.rotation)).things
    (spot,) = (thing.spot for thing in things if thing.kind == kind)
    x, y = turn(spot, tile.rotation)
    return cell[0] * SIZE + x, cell[1] * SIZE + y


def tile_at(position: Position, cell: Cell) -> PlacedTile:
    """Return the tile on an occupied cell."""
    return next(tile for tile in position.tiles if (tile.x, tile.y) == cell)


def _segment(tile: str, rotation: int, spot: Spot, bridge: Axis | None) -> int:
    form = form_of(tile, rotation, bridge)
    if spot in CORNER_SPOTS:
        segment = int(CORNER_SEGMENT[form, rotation % 4, CORNER_SPOTS.index(spot)])
        missing = "field at the corner"
    else:
        segment = int(SPOT_SEGMENT[form, rotation % 4, int(spot)])
        missing = "segment"
    if segment < 0:
        raise ValueError(f"{tile!r} at rotation {rotation} has no {missing} {spot.name}")
    return segment


@cache
def sites_of(tile: str, bridge: Axis | None = None) -> Sites:
    """Return the locations on a design, or on its form with a bridge (as stored, rotation 0)."""
    form_of(tile, 0, bridge)  # raises if there is no such form
    content = kept(f"sites {tile} {bridge}", lambda: _packed(_surveyed(tile, bridge)))
    stands, things = json.loads(content)
    return Sites(
        tuple(tuple((x, y) for x, y in spots) for spots in stands),
        tuple(Thing(kind, (x, y), radius, variety) for kind, (x, y), radius, variety in things),
    )


def _packed(sites: Sites) -> bytes:
    things = [(t.kind, t.spot, t.radius, t.variety) for t in sites.things]
    return json.dumps([sites.stands, things]).encode()


def _surveyed(tile: str, bridge: Axis | None) -> Sites:
    survey = Survey(tile, bridge)
    survey.seat_figures()
    survey.add_rocks_and_reeds()
    survey.add_emblems([drawing.emblem for drawing in drawings()])
    for drawing in drawings():
        drawing.before_farmers(survey)
    survey.seat_farmers()
    for drawing in drawings():
        drawing.after_farmers(survey)
    survey.add_houses()
    survey.add_trees()
    stands = tuple(survey.stands[j] for j in range(len(survey.segments)))
    return Sites(stands, tuple(sorted(survey.things, key=lambda thing: thing.spot[1])))
