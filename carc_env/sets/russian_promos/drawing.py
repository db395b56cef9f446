"""The hut on chicken legs, the stone, the tree and the water, with the figures in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from carc_env.engine.core.codes import Figure
from carc_env.engine.core.tiles import FACTS
from carc_env.position import Cell, Position, Trapped
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing
from carc_env.render.figure_art import LETTERS, figure_svg
from carc_env.render.pieces import Piece, around
from carc_env.render.shapes import Point
from carc_env.render.sites import thing_on_board, tile_at
from carc_env.render.survey import Survey
from carc_env.sets.russian_promos.record import TRAPS

TRAP_ON: dict[str, str] = {row["id"]: row["trap"] for row in FACTS if "trap" in row}
"""Tile -> the trap on it."""
NAMES = {"tree": "solovei", "water": "vodyanoy"}
"""Trap -> the name used for its drawing."""
RADIUS, BESIDE_BRIDGE = {"tree": 17.0, "water": 24.0}, 13.0
N_ACROSS = 4
"""Number of figures that stand side by side in a trap."""
STEP: Point = (11.5, 11.0)
SMALL = 0.5
"""Scale of the figures in a trap."""
LOGS, LOGS_DARK, ROOF = "#a9773f", "#5d3d1d", "#6f4a8e"
BARK, BARK_DARK, LEAVES, LEAVES_DARK = "#7a5430", "#3f2a16", "#4d7438", "#2c4720"
POND, POND_DARK, POND_LIGHT, BEARD = "#3f7f88", "#235059", "#8fc4c4", "#5d8a4a"


def _hut(_: int) -> str:
    """Draw a log cabin with a steep roof, on two chicken legs."""
    legs = "".join(
        line(f"M{x:g},5V11M{x:g},11L{x - 3:g},14M{x:g},11V14.4M{x:g},11L{x + 3:g},14",
             p.GOLD, 1.5)
        for x in (-4.6, 4.6)
    )  # fmt: skip
    return (
        '<ellipse cx="1" cy="14" rx="13" ry="3.4" fill="#2d2412" fill-opacity="0.22"/>'
        + legs
        + shape("M-9,6.4V-4.6H9V6.4Z", LOGS, LOGS_DARK)
        + line("M-9,-1.8H9M-9,1H9M-9,3.8H9", LOGS_DARK, 0.6)
        + shape("M-2.6,6.4V-1.4H2.6V6.4Z", LOGS_DARK, LOGS_DARK, 0.6)
        + shape("M4.4,-2.8H7.6V0.6H4.4Z", p.GOLD, LOGS_DARK, 0.6)
        + shape("M-12.4,-3.6L0,-16.6L12.4,-3.6L9.8,-2.2L0,-12.4L-9.8,-2.2Z", ROOF, "#38234b")
        + plain("M-9.2,-4.4L0,-14L9.2,-4.4Z", ROOF)
        + line("M-5.6,-7H5.6M-3,-10H3", "#38234b", 0.6)
        + shape("M-7.6,-10V-15.4H-4.8V-13Z", p.COURT_SHADE, p.WALL_LINE, 0.6)
        + line("M-6.2,-16.4C-8,-18 -4.4,-19 -6.4,-21", p.SHIELD_WHITE, 1.0)
    )


def _stone(_: int) -> str:
    """Draw a mossy boulder with runes, which blocks the way."""
    return (
        '<ellipse cx="1.2" cy="6.2" rx="8.6" ry="2.4" fill="#2d2412" fill-opacity="0.3"/>'
        + shape(
            "M-7.4,6.4L-8,0.6L-5.8,-4.4L-1.8,-7.4L3.2,-6.6L6.8,-2.4L8,3L7,6.6Z",
            p.WALL_STONE, p.WALL_LINE, 1.1,
        )
        + plain("M-7.4,0.6L-5.4,-4L-1.8,-6.8L3,-6L3.8,-1.6L2.6,5.8H-6.8Z", p.WALL_LIGHT)
        + line("M-4.6,-0.4L-3.4,-3.4L-2.2,-0.4M0.2,-4V-0.6M-4,1.4V4M-1.8,1.4L-0.4,4M1,1.4V4",
               p.WALL_LINE, 0.9)
        + plain("M-7,6.6C-7.2,4.6 -5,4 -4,5.4C-2.6,4.4 -1,5.4 -1,6.6Z", p.GRASS_DARK)
    )  # fmt: skip


def _tree(_: int) -> str:
    """Draw an old oak with a hollow that looks like a mouth, and a nest in its crown."""
    return (
        '<ellipse cx="1" cy="12" rx="9" ry="2.6" fill="#2d2412" fill-opacity="0.25"/>'
        + shape(
            "M-3.4,-3C-2.6,3 -3.4,8 -7,12.4C-3,11.2 3,11.2 7,12.4C3.4,8 2.6,3 3.4,-3Z",
            BARK, BARK_DARK,
        )
        + shape(
            "M-4,-2C-10,-0.6 -13.4,-5 -11.2,-8.4C-12,-13 -6,-15.6 -3.4,-13.4C-1,-17 6,-16 6.6,-12.4"
            "C11.6,-12.6 13.6,-7 11,-4.6C11.4,-0.6 7,0 4,-2C2,0 -2,0 -4,-2Z",
            LEAVES, LEAVES_DARK,
        )
        + plain("M-10,-6C-8,-11 -4,-12 -1,-11C-5,-10 -8,-8 -10,-6Z", "#86ad5f", 0.7)
        + plain("M1,-12.6C4,-13.6 7,-11 7.4,-8.6C5,-10.6 3,-11.6 1,-12.6Z", "#86ad5f", 0.7)
        + shape("M-1.8,3.2C-1.8,0.8 1.8,0.8 1.8,3.2C1.8,6.2 -1.8,6.2 -1.8,3.2Z", BARK_DARK,
                "#23160a", 0.5)
        + line("M-5.4,-6.4L-2.6,-5.2M5.4,-6.4L2.6,-5.2", BARK_DARK, 1.1)
    )  # fmt: skip


def _water(_: int) -> str:
    """Draw a pond with a lily, and an old man in it up to his beard."""
    return (
        shape(
            "M-16,3C-17.4,-4 -9,-9.6 1,-9C11,-9.4 17.6,-4 16.2,3C16,10 8,12.6 -1,12"
            "C-9.6,12.4 -15.4,9 -16,3Z",
            POND, POND_DARK, 1.0,
        )
        + line("M-12.6,2H-8.4M8,-3H12.4M6,7.4H11M-10,8H-5", POND_LIGHT, 0.9)
        + shape("M-3.6,-4.4C-3.8,-9.6 3.8,-9.6 3.6,-4.4L3.2,0H-3.2Z", "#b7cfa0", POND_DARK, 0.7)
        + shape("M-4.2,-4.4C-5,-10.4 5,-10.4 4.2,-4.4C2.6,-7 -2.6,-7 -4.2,-4.4Z", BEARD,
                "#33552a", 0.6)
        + shape("M-3.8,-2C-4.8,2.6 -2,5.6 0,6.4C2,5.6 4.8,2.6 3.8,-2C2,-0.4 -2,-0.4 -3.8,-2Z",
                BEARD, "#33552a", 0.6)
        + line("M-1.5,-3.8V-3.6M1.5,-3.8V-3.6", p.INK, 1.1)
        + line("M-6.6,4.6C-4,6.6 4,6.6 6.6,4.6", POND_LIGHT, 0.8)
        + shape("M-11.6,-2.6C-8.6,-4.6 -6.4,-2.6 -7.4,-1C-9,-0.2 -11,-0.8 -11.6,-2.6Z",
                p.GRASS_DARK, POND_DARK, 0.4)
    )  # fmt: skip


def _add_trap(survey: Survey) -> None:
    """Draw the tree in front of its road, and the water where a field has the most room."""
    trap, screen = survey.row.get("trap"), survey.plan.screen
    if trap is None:
        return
    if screen is not None:
        spot, room = screen, RADIUS[trap] if survey.plan.bridge is None else BESIDE_BRIDGE
    else:
        spot, room = survey.roomiest_field()
    radius = min(RADIUS[trap], room)
    survey.add(NAMES[trap], spot, radius, radius)


def trap_at(position: Position, cell: Cell) -> Point | None:
    """Return the centre of the trap on a cell in board units, or None if there is no trap."""
    trap = TRAP_ON.get(tile_at(position, cell).tile)
    return None if trap is None else thing_on_board(position, cell, NAMES[trap])


def _traps_on(position: Position) -> Iterator[tuple[str, Cell]]:
    """Return the traps on the board and their places."""
    for tile in position.tiles:
        if tile.tile in TRAP_ON:
            yield TRAP_ON[tile.tile], (tile.x, tile.y)


def _above(position: Position) -> Iterator[Piece]:
    """Draw the figures in each trap, in rows below its centre."""
    for trap, cell in _traps_on(position):
        there = [trapped for trapped in position.trapped if trapped.trap == trap]
        x, y = thing_on_board(position, cell, NAMES[trap])
        for k, trapped in enumerate(there):
            row, column = divmod(k, N_ACROSS)
            n_here = min(N_ACROSS, len(there) - N_ACROSS * row)
            spot = x + STEP[0] * (column - (n_here - 1) / 2), y + 6 + STEP[1] * row
            yield Piece(_figure(trapped, spot), around(*spot, 12))


def _figure(trapped: Trapped, spot: Point) -> str:
    return (
        f'<g class="trapped" data-seat="{trapped.seat}" data-trap="{trapped.trap}"'
        f' data-figure="{trapped.figure.name}">'
        f"{figure_svg(trapped.seat, trapped.figure, spot, scale=SMALL)}</g>"
    )


def _away(position: Position) -> Iterator[tuple[int | None, Figure | None]]:
    return ((trapped.seat, trapped.figure) for trapped in position.trapped)


def _lines(position: Position) -> Iterator[str]:
    """Return the lines that list the figures in each trap."""
    for trap in TRAPS:
        there = Counter(
            f"{LETTERS[t.seat]} {t.figure.name.lower()}" for t in position.trapped if t.trap == trap
        )
        if there:
            names = [f"{n} x {name}" if n > 1 else name for name, n in there.items()]
            yield f"in the {trap}: {', '.join(names)}"


DRAWING = Drawing(
    moves=True,
    symbols={
        "hut": (_hut, 15.0),
        "stone": (_stone, 8.0),
        "solovei": (_tree, 13.0),
        "vodyanoy": (_water, 17.0),
    },
    letters={"hut": "y", "solovei": "s", "vodyanoy": "z"},
    before_farmers=_add_trap,
    above=_above,
    away=_away,
    lines=_lines,
)
