"""The page's drawings: tiles, figures and small things as SVG, each sent once.

A drawing's key is ``t:bg-cap:2`` for a tile in a rotation, ``t:bg-cap:2:NS`` with a bridge,
``f:0:MEEPLE`` for a seat's figure, ``b`` for the back of a tile, and ``x:wine`` for a token. A tile
comes with a map: a grid of letters that shows where each segment lies.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, TypedDict, get_args

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import MAX_PLAYERS, Figure, Kind
from carc_env.engine.core.tiles import FORMS, SEGMENT_KIND, segments_of
from carc_env.render import palette
from carc_env.render.bridge_art import DECKS
from carc_env.render.card import STOCK_PATHS
from carc_env.render.figure_art import figure_form, figure_svg
from carc_env.render.plan import Axis, form_of, plan_of, turned_axis
from carc_env.render.shapes import distance_to_line
from carc_env.render.shelf import kept
from carc_env.render.sites import sites_of
from carc_env.render.survey import CELLS, CITY, FIELD, OTHER, ROAD, field_masks, grid_spots, ground
from carc_env.render.symbols import known_drawings
from carc_env.render.tile_art import back_svg, tile_svg

TOKENS = {
    **dict.fromkeys(("wine", "grain", "cloth"), "-8 -8 16 16"),
    "sheep": "-8 -7 16 14",
    "floor": "-10 -9 20 18",
    "king": "-8.5 -20 17 17",
    "robber": "2 -2 15 17",
    "abbey": "-25 -37 54 54",
    "bazaar": "-19.7 -19.7 39.4 39.4",
    "count": "-15 -16.4 31 31",
    "darmstadtium": "-10 -9.25 19 19",
    "dragon": "-11 -10 23 23",
    "fairy": "-9 -7.7 18 18",
    "festival": "-11.5 -12.5 23 23",
    "foundation": "-12 -12 24.5 24.5",
    "goldmine": "-13 -14 28 28",
    "hill": "-15.5 -15 32 32",
    "mage": "-10.5 -12.2 23 23",
    "portal": "-11.7 -11.7 23.4 23.4",
    "shrine": "-19.5 -23.5 40 40",
    "siege": "-9 -9 18 18",
    "smithy": "-18.5 -28 42 42",
    "witch": "-13 -11.8 22.6 22.6",
    **dict.fromkeys(("blue-rose", "orange-rose"), "-14.5 -16.2 29 29"),
    **dict.fromkeys(("little-house", "little-shed", "little-tower"), "-11.5 -11.3 23.2 23.2"),
}
"""The boxes of small drawings that extend beyond their radius around the origin."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NOTHING = "."
BRIDGE_HALF_WIDTH = 6.0
MONASTERY_RADIUS, GARDEN_RADIUS = 18.0, 12.0


class Drawing(TypedDict, total=False):
    """A drawing in the box ``box``; tiles have a map and the kinds of their segments."""

    svg: str
    box: str
    map: str
    kinds: list[str]


@lru_cache(maxsize=4096)
def drawing(key: str) -> Drawing:
    """Return the drawing with the given key.

    Raises
    ------
    ValueError
        No drawing has this key.
    """
    try:
        match key.split(":"):
            case ["b"]:
                return {"svg": back_svg(), "box": "0 0 100 100"}
            case ["x", name] if name in known_drawings():
                return _symbol(name)
            case ["x", name] if name in STOCK_PATHS:
                path = f'<path d="{STOCK_PATHS[name]}" fill="currentColor"/>'
                return {"svg": path, "box": "-13 -12 26 24"}
            case ["f", seat, figure]:
                return _figure(int(seat), Figure[figure])
            case ["t", tile, rotation]:
                return _tile(tile, int(rotation), None)
            case ["t", tile, rotation, ("NS" | "EW") as bridge]:
                return _tile(tile, int(rotation), bridge)
    except (KeyError, ValueError) as error:
        raise ValueError(f"there is no drawing {key!r}: {error}") from None
    raise ValueError(f"there is no drawing {key!r}")


def _symbol(name: str) -> Drawing:
    draw, radius = known_drawings()[name]
    box = f"{-radius:g} {-radius:g} {2 * radius:g} {2 * radius:g}"
    return {"svg": draw(0), "box": TOKENS.get(name, box)}


def _figure(seat: int, figure: Figure) -> Drawing:
    if not 0 <= seat < MAX_PLAYERS:
        raise ValueError(f"there is no seat {seat}")
    return {"svg": figure_svg(seat, figure, (0, 0), scale=1.0), "box": "-20 -20 40 40"}


def _tile(tile: str, rotation: int, bridge: Axis | None) -> Drawing:
    if not 0 <= rotation < 4:
        raise ValueError(f"there is no rotation {rotation}")
    form = form_of(tile, rotation, bridge)
    kinds = [Kind(int(kind)).name for kind in SEGMENT_KIND[form, : len(segments_of(FORMS[form]))]]
    name = f"{tile} {rotation} {bridge}"
    svg = kept(f"art {name}", lambda: tile_svg(tile, rotation, bridge).encode())
    ground = kept(f"map {name}", lambda: "".join(_map(tile, rotation, bridge).ravel()).encode())
    return {
        "svg": svg.decode(),
        "box": "0 0 100 100",
        "map": ground.decode(),
        "kinds": kinds,
    }


Letters = npt.NDArray[np.str_]


def _map(tile: str, rotation: int, bridge: Axis | None) -> Letters:
    """Return the letter of the segment at every sampled spot, shape (CELLS, CELLS), as placed.

    Segments are numbered as everywhere else: cities, roads, fields, the centre, the bridge.
    """
    stored = turned_axis(bridge, rotation)
    row, plan = FORMS[form_of(tile, 0, stored)], plan_of(tile, stored)
    n_cities, n_roads = len(plan.cities), len(plan.roads)
    labels, letters = ground(plan), np.full((CELLS, CELLS), NOTHING)
    for k in range(n_cities):
        letters[labels == CITY + k] = LETTERS[k]
    for k in range(n_roads):
        letters[labels == ROAD + k] = LETTERS[n_cities + k]
    for k, mask in enumerate(field_masks(row, labels)):
        letters[mask & (labels == FIELD)] = LETTERS[n_cities + n_roads + k]
    centre = n_cities + n_roads + len(row["fields"])
    for spot, radius in _centres(tile, stored):
        near = np.hypot(*(grid_spots() - spot).T) < radius
        letters[near.reshape(CELLS, CELLS)] = LETTERS[centre]
    if plan.abbey is not None:
        letters[labels == OTHER] = LETTERS[centre]
    turned = np.rot90(letters, -rotation)
    if bridge is not None:
        near = distance_to_line(grid_spots(), DECKS[bridge].points) < BRIDGE_HALF_WIDTH
        turned = np.where(near.reshape(CELLS, CELLS), LETTERS[len(segments_of(row)) - 1], turned)
    return turned


def _centres(tile: str, bridge: Axis | None) -> list[tuple[Any, float]]:
    """Return the location and size of a tile's monastery or garden."""
    plan = plan_of(tile, bridge)
    found: list[tuple[Any, float]] = [
        (thing.spot, GARDEN_RADIUS)
        for thing in sites_of(tile, bridge).things
        if thing.kind == "garden"
    ]
    return found if plan.monastery is None else [(plan.monastery, MONASTERY_RADIUS)]


Shape = Literal["circle", "square", "diamond", "triangle", "hexagon", "star"]
SHAPES: tuple[Shape, ...] = get_args(Shape)
"""Shapes by seat: together with the letter, they distinguish players when colours do not."""


def seat_looks() -> list[dict[str, str]]:
    """Return every seat's colours and shape."""
    return [
        {"color": color, "dark": dark, "letter": letter, "shape": shape}
        for color, dark, letter, shape in zip(
            palette.SEATS, palette.SEATS_DARK, palette.SEATS_LETTER, SHAPES, strict=True
        )
    ]


def outlines() -> dict[str, str]:
    """Return every figure's outline, for supplies."""
    return {figure.name: figure_form(figure).path for figure in Figure}
