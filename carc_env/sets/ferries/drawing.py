"""Lakes with piers, and the ferries on them."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Phase
from carc_env.position import Ferry, PlacedTile, Position
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.pieces import Box, Piece, around
from carc_env.render.plan import pier_at, plan_of
from carc_env.render.shapes import SIZE, Point, mix, number, turn
from carc_env.sets.ferries.record import SIDES
from carc_env.systems.declaring import Choice
from carc_env.words import format_cell

BOW = 0.45
"""How far towards the centre of its lake a ferry is drawn, as a fraction of the distance."""
BOAT = 0.85
"""Scale of a ferry, small enough to show its route on both sides."""


def _lake(_: int) -> str:
    """Draw water with an uneven shore, reeds and a few highlights."""
    return (
        shape(
            "M-15,2C-17,-7 -10,-15 0,-15C11,-16 17,-8 15.4,1C15,11 8,16 -2,15.4C-10,15 -14,10"
            "-15,2Z",
            p.RIVER,
            p.RIVER_EDGE,
            1.2,
        )
        + plain(
            "M-12.6,1C-13.6,-7 -8,-12.6 0,-12.8C-6,-10 -10,-5 -10.4,2C-10.6,6 -9,9.6 -7,12"
            "C-10.6,9.4 -12.2,5.6 -12.6,1Z",
            p.RIVER_EDGE,
            0.35,
        )
        + line("M-3,-7H4M6,-4H9M-8,3H-3M2,6.4H9M-4,10H1", p.RIVER_LIGHT, 0.9)
        + line("M-11,10L-12.4,6.4M-10,11L-10,6.6M-9,12L-7.8,8.2", p.GRASS_DARK, 0.8)
        + line("M10.6,-10.4L11.6,-13.4M9.4,-11.4L9.2,-14.6", p.GRASS_DARK, 0.8)
    )


def _pier(_: int) -> str:
    """Draw planks from the shore to the water, which lies below."""
    return (
        shape("M-3,-2.4H3V5H-3Z", p.SAND_SHADE, p.GATE, 0.8)
        + line("M-3,-0.2H3M-3,1.8H3M-3,3.6H3", p.GATE, 0.5)
        + plain("M-3.9,2.6H-2.5V6H-3.9ZM2.5,2.6H3.9V6H2.5Z", p.GATE)
    )


def _boat(_: int) -> str:
    """Draw a flat boat with a rail, from west to east."""
    return (
        plain("M-7.4,4.6C-4,6.6 4,6.6 7.4,4.6L8,2.6H-8Z", p.SHADE, 0.3)
        + shape("M-8.4,-2.6L-6.4,3.8H6.4L8.4,-2.6L6.2,-3.4H-6.2Z", p.GATE, p.INK, 0.8)
        + shape("M-6.8,-2.4H6.8L5.6,1.6H-5.6Z", p.SAND, p.GATE, 0.6)
        + line("M-3,-2.2L-2.6,1.4M0,-2.2V1.4M3,-2.2L2.6,1.4", p.GATE, 0.5)
    )


def _ends(ferry: Ferry, tile: PlacedTile) -> tuple[Point, Point]:
    """Return the positions on the board of the two piers that a ferry joins."""
    a, b = (pier_at(tile.tile, tile.rotation, SIDES.index(side)) for side in ferry.sides)
    return _on_board(ferry, a), _on_board(ferry, b)


def _on_board(ferry: Ferry, spot: Point) -> Point:
    return SIZE * ferry.x + spot[0], SIZE * ferry.y + spot[1]


def way_of(ferry: Ferry, tile: PlacedTile) -> tuple[Point, Point, Point]:
    """Return the two ends of a ferry's route, and where the boat is drawn."""
    a, b = _ends(ferry, tile)
    lake = plan_of(tile.tile).lake
    assert lake is not None, f"{tile} has no lake"
    middle = _on_board(ferry, turn(lake, tile.rotation))
    return a, b, mix(mix(a, b, 0.5), middle, BOW)


def _below(position: Position) -> Iterator[Piece]:
    """Draw the ferries on their routes from one road to another."""
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    moved = {(ferried.x, ferried.y) for ferried in position.ferried}
    for ferry in position.ferries:
        way = way_of(ferry, tiles[ferry.x, ferry.y])
        is_new = (ferry.x, ferry.y) in moved
        yield Piece(_drawn(ferry, way, is_new=is_new), around(*way[2], 20))


def _drawn(ferry: Ferry, way: tuple[Point, Point, Point], *, is_new: bool) -> str:
    (ax, ay), (bx, by), (x, y) = way
    # A curve through the boat: its control point is twice as far from the chord.
    pull = 2 * x - (ax + bx) / 2, 2 * y - (ay + by) / 2
    path = (
        f"M{number(ax)},{number(ay)}Q{number(pull[0])},{number(pull[1])} {number(bx)},{number(by)}"
    )
    ring = f'<circle r="10.4" fill="none" stroke="{p.GOLD}" stroke-width="1.6"/>' if is_new else ""
    return (
        f'<g class="ferry" data-x="{ferry.x}" data-y="{ferry.y}" data-sides="{ferry.sides}">'
        f"{line(path, p.RIVER_EDGE, 5.2)}{line(path, p.ROAD, 3.6)}"
        f'<g transform="translate({number(x)} {number(y)}) scale({BOAT})">{ring}{_boat(0)}</g></g>'
    )


_BOXES: dict[str, Point] = {
    "NE": (76, 24),
    "ES": (76, 76),
    "SW": (24, 76),
    "NW": (24, 24),
    "EW": (60.5, 50),
    "NS": (39.5, 50),
}
"""The click area on a tile for a ferry between two sides; areas do not overlap."""
BOX = 10.0


def _area(choice: Choice) -> Box | None:
    """Return the square on the tile that represents a pair of sides."""
    if choice.kind != "ferry" or choice.cell is None or choice.axis is None:
        return None
    x, y = (SIZE * at + on for at, on in zip(choice.cell, _BOXES[choice.axis], strict=True))
    return x - BOX, y - BOX, x + BOX, y + BOX


def _task(position: Position) -> str:
    return {
        Phase.FERRY: "must lay the ferry of the new lake",
        Phase.FERRIES: "may move a ferry",
    }.get(position.phase, "")


def _lines(position: Position) -> Iterator[str]:
    """Return the lines that list the ferries."""
    if position.ferries:
        told = [f"{format_cell((f.x, f.y))} {f.sides}" for f in position.ferries]
        yield f"ferries: {', '.join(told)}"


DRAWING = Drawing(
    symbols={"lake": (_lake, 16.0), "pier": (_pier, 6.0), "ferry": (_boat, 9.0)},
    letters={"lake": "~"},
    below=_below,
    area=_area,
    task=_task,
    lines=_lines,
)
