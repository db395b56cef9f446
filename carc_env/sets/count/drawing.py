"""The city of Carcassonne: its quarters, the meeples that wait there, and the count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from carc_env.engine.core.codes import Figure, Phase, Quarter
from carc_env.engine.core.tiles import FACTS
from carc_env.position import Position, Waiting
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.card import SUPPLY_LEFT
from carc_env.render.declaring import Drawing, Row
from carc_env.render.figure_art import LETTERS, figure_svg
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Box, Piece, around
from carc_env.render.shapes import SIZE, Point
from carc_env.render.survey import Survey
from carc_env.render.symbols import DRAWINGS, symbol
from carc_env.systems.declaring import Choice

CELLS = {row["id"]: row["table"] for row in FACTS if "table" in row}
"""Cells of Carcassonne's tiles (COU-01)."""
SQUARE: Point = (94.0, 44.0)
"""Width and height of a quarter's square."""
SIGN_AT, SIGN_RADIUS = 35.0, 10.5
"""Distance of a quarter's sign, where the count stands, from the centre of its square."""
CROWD: Point = (66.0, 40.0)
"""Size of the area for the waiting meeples in a quarter."""
CROWD_MIDDLE = -12.0
MOST_ROOM = 22.0
"""Maximum size of each waiting meeple's area."""
MOST_ROWS = 5
SLIGHT = (Figure.MEEPLE, Figure.ABBOT)
ROOM_OF_SLIGHT, ROOM_OF_STOUT = 25.0, 31.0
"""Natural sizes of the slight figures and of all others."""
COUNT_RADIUS = 16.0
ROW_STEP = 37.0
"""Distance from quarter to quarter on a player's card."""


@dataclass(frozen=True)
class Building:
    """The building that a quarter is named after: a drawing, its tile and its place there."""

    kind: str
    tile: str
    spot: Point
    radius: float


@dataclass(frozen=True)
class Ward:
    """A quarter as printed: its square, and the building on its far side.

    ``side`` is the end of the square with the sign, 1 for the east.
    """

    tile: str
    middle: Point
    side: int
    building: Building
    paving: str
    border: str


NORTH, SOUTH = (50.0, 26.0), (50.0, 74.0)
WEST_TILE, EAST_TILE = "co-6", "co-7"
WARDS = {
    Quarter.CASTLE: Ward(
        WEST_TILE, NORTH, -1, Building("keep", "co-2", (50, 76), 22), p.COURT, p.WINE
    ),
    Quarter.MARKET: Ward(
        EAST_TILE, NORTH, 1, Building("market", "co-3", (50, 78), 34), p.SAND, p.STRAW
    ),
    Quarter.BLACKSMITH: Ward(
        EAST_TILE, SOUTH, 1, Building("smithy", "co-11", (74, 25), 19), p.ASH, p.LEAD_DARK
    ),
    Quarter.CATHEDRAL: Ward(
        WEST_TILE, SOUTH, -1, Building("minster", "co-10", (50, 28), 20), p.STONE, p.SLATE
    ),
}


# ----------------------------------------------------------------------------------- on tiles


def _add_quarters(survey: Survey) -> None:
    """Draw the quarters' squares, and the buildings that they are named after."""
    for quarter, ward in WARDS.items():
        if survey.row["id"] == ward.tile:
            survey.add("quarter", ward.middle, SQUARE[0] / 2, SIZE / 2, quarter)
        if survey.row["id"] == ward.building.tile:
            radius = ward.building.radius
            survey.add(ward.building.kind, ward.building.spot, radius, radius)


def _square(variety: int) -> str:
    """Draw a quarter's square, with its sign at one end."""
    ward = WARDS[Quarter(variety)]
    width, height = SQUARE
    frame = (
        f'<rect x="{-width / 2:g}" y="{-height / 2:g}" width="{width:g}" height="{height:g}"'
        f' rx="5" fill="{ward.paving}" stroke="{ward.border}" stroke-width="1.8"/>'
    )
    joints = "".join(
        f"M{x + 4 * (row % 2):g},{y:g}h4.6"
        for row, y in enumerate(range(-17, 20, 5))
        for x in range(-43, 40, 8)
    )
    faint = f'<g stroke-opacity="0.28">{line(joints, ward.border, 0.7)}</g>'
    sign = symbol(_sign_of(Quarter(variety)), (SIGN_AT * ward.side, 0), SIGN_RADIUS)
    return frame + faint + sign


def _sign_of(quarter: Quarter) -> str:
    return f"{quarter.name.lower()}-quarter"


def _sign(drawing: str, rim: str) -> str:
    """Draw a round sign in the style of the goods tokens."""
    return (
        f'<circle r="9.8" fill="{p.WALL_LINE}"/><circle r="9.2" fill="{rim}"/>'
        f'<circle r="7.4" fill="#fdf8ea"/>{drawing}'
    )


def _castle_sign(_: int) -> str:
    towers = "M-5.2,5V-4.4H-3.4V-3H-1.8V-4.4H1.8V-3H3.4V-4.4H5.2V5Z"
    return _sign(
        shape(towers, p.WINE_LIGHT, p.WINE_DARK, 0.8)
        + plain("M-1.6,5V1.8A1.6,1.8 0 0 1 1.6,1.8V5Z", p.WINE_DARK),
        p.WINE,
    )


def _market_sign(_: int) -> str:
    """Draw a pair of scales."""
    return _sign(
        line("M0,-5V4.6M-3,5H3M-4.6,-3.4H4.6", p.STRAW, 1.2)
        + shape("M-7,0.6H-2.2A2.4,2.4 0 0 1 -7,0.6ZM2.2,0.6H7A2.4,2.4 0 0 1 2.2,0.6Z", p.GOLD)
        + line(
            "M-4.6,-3.4L-6.8,0.6M-4.6,-3.4L-2.4,0.6M4.6,-3.4L2.4,0.6M4.6,-3.4L6.8,0.6", p.STRAW, 0.7
        ),
        p.GOLD,
    )


def _blacksmith_sign(_: int) -> str:
    """Draw an anvil."""
    return _sign(
        shape(
            "M-6.4,-2.8H5.8V-0.6C3.6,-0.2 2.4,0.8 2.2,2.4H3.8V4.6H-3.8V2.4H-2.2"
            "C-2.4,0.8 -3.4,0.2 -4.4,0C-5.8,-0.4 -6.4,-1.4 -6.4,-2.8Z",
            p.LEAD_DARK,
            p.INK,
        ),
        p.LEAD_DARK,
    )


def _cathedral_sign(_: int) -> str:
    """Draw a church window."""
    return _sign(
        shape("M-4,5V-0.8C-4,-3.4 -1.6,-5 0,-6.2C1.6,-5 4,-3.4 4,-0.8V5Z", "#8fb4c9", p.SLATE_DARK)
        + line("M0,-5.6V5M-4,0.6H4", p.SLATE_DARK, 0.8),
        p.SLATE,
    )


def _keep(_: int) -> str:
    """Draw the count's castle: a keep between two round towers, with his banner."""

    def tower(x: float) -> str:
        slit = f"M{x - 0.7:g},-1V-5.4H{x + 0.7:g}V-1Z"
        return (
            shape(f"M{x - 5:g},14V-9H{x + 5:g}V14Z", p.WALL_LIGHT)
            + plain(f"M{x + 1.6:g},13.6V-8.6H{x + 4.6:g}V13.6Z", p.WALL_STONE, 0.6)
            + shape(f"M{x - 6.4:g},-8.6L{x:g},-18.6L{x + 6.4:g},-8.6Z", p.SLATE)
            + plain(slit, p.SLIT)
        )

    return (
        plain("M-21,15H23L28,10V2H-18Z", p.SHADE, 0.22)
        + shape("M-21,14V3H21V14Z", p.WALL_STONE)
        + line("M-20,3V0.6M-15,3V0.6M15,3V0.6M20,3V0.6", p.WALL_LINE, 3)
        + shape("M-9,14V-12H-9.8V-16H-6V-13.6H-2V-16H2V-13.6H6V-16H9.8V-12H9V14Z", p.STONE)
        + plain("M3.4,13.6V-11.6H8.6V13.6Z", p.COURT_SHADE, 0.8)
        + plain(
            "M-5,-3V-6.6A1.2,1.4 0 0 1 -2.6,-6.6V-3ZM2.6,-3V-6.6A1.2,1.4 0 0 1 5,-6.6V-3Z", p.SLIT
        )
        + shape("M-3.4,14V7.6A3.4,3.8 0 0 1 3.4,7.6V14Z", p.GATE, width=0.7)
        + tower(-15)
        + tower(15)
        + line("M0,-16V-25", p.WALL_LINE, 1.1)
        + shape("M0.4,-25H9L6.8,-22.4L9,-19.8H0.4Z", COUNT_COLOR, COUNT_DARK, 0.7)
    )


def _market(_: int) -> str:
    """Draw tents and stalls side by side."""
    row = (("tent", -26, 1), ("stall", -9, 0), ("stall", 9, 2), ("tent", 26, 3))
    return "".join(symbol(kind, (x, 0), 9.6, variety) for kind, x, variety in row)


def _smithy(_: int) -> str:
    """Draw an open workshop with a glowing hearth, an anvil in front of it, and smoke."""
    return (
        plain("M-16,13H18L23,8V0H-12Z", p.SHADE, 0.22)
        + "".join(
            f'<circle cx="{x}" cy="{y}" r="{r}" fill="#e4e0da" fill-opacity="{o}"/>'
            for x, y, r, o in ((9.6, -17, 2.2, 0.9), (12, -20.4, 2.8, 0.75), (9, -23.6, 3.2, 0.55))
        )
        + shape("M6.6,-5V-14.6H12.6V-5Z", p.ROOF_DARK[0])
        + shape("M-15,12V-3H15V12Z", p.WALL_LIGHT)
        + shape("M-17.6,-2.4L-12,-11.6H12L17.6,-2.4Z", p.LEAD_DARK)
        + line("M-15,-6.6H15", p.INK, 0.6)
        + shape("M-12,12V1H-1V12Z", p.GATE, width=0.7)
        + plain("M-10,11.6C-10.6,7 -7.4,6.6 -7.6,3C-4.6,5 -2.6,8.4 -3.4,11.6Z", "#e8622c")
        + plain("M-8,11.6C-8.2,9 -6.6,8.4 -6.6,6.4C-5,8 -4.6,9.8 -5,11.6Z", "#f7b63e")
        + shape(
            "M3,3.4H11.6V5.4C9.8,5.6 9,6.4 8.8,7.6V9.6H10.4V11.8H4.6V9.6H6.2V7.6"
            "C6,6.2 4.6,5.6 3,5.2Z",
            p.LEAD,
            p.INK,
            0.7,
        )
    )


COUNT_COLOR, COUNT_DARK = "#6b4a94", "#33204f"


def _count(_: int) -> str:
    """Draw a lord in a violet cloak with an ermine collar, a coronet and a staff."""
    ermine = "".join(
        f'<circle cx="{x}" cy="{y}" r="0.5" fill="{p.INK}"/>'
        for x, y in ((-3.6, -2.2), (-1.2, -1), (1.2, -1), (3.6, -2.2))
    )
    return (
        '<ellipse cx="1" cy="11.4" rx="9.6" ry="2.6" fill="#1d1408" fill-opacity="0.35"/>'
        + shape(
            "M0,-13C2.8,-13 4.6,-11 4.6,-8.4C4.6,-7 4.2,-5.8 3.4,-5C7.4,-3.6 8.4,-0.6 8.8,3L10,11.6"
            "H-10L-8.8,3C-8.4,-0.6 -7.4,-3.6 -3.4,-5C-4.2,-5.8 -4.6,-7 -4.6,-8.4C-4.6,-11 -2.8,-13"
            " 0,-13Z",
            p.SHIELD_WHITE,
            p.SHIELD_WHITE,
            3.2,
        )
        + line("M10.4,11.4V-7", p.GATE, 1.5)
        + f'<circle cx="10.4" cy="-8.2" r="1.8" fill="{p.GOLD}" stroke="{p.GATE}"'
        ' stroke-width="0.7"/>'
        + shape(
            "M-3.6,-4.6C-7.6,-3 -8.4,0 -8.8,3L-10,11.6H10L8.8,3C8.4,0 7.6,-3 3.6,-4.6Z",
            COUNT_COLOR,
            COUNT_DARK,
            1.2,
        )
        + plain("M-1.4,0L-2.8,11H2.8L1.4,0Z", p.GOLD)
        + shape(
            "M-5.6,-3.6C-3.4,-5.4 3.4,-5.4 5.6,-3.6C5.4,-0.6 2.6,1 0,1C-2.6,1 -5.4,-0.6 -5.6,-3.6Z",
            p.SHIELD_WHITE,
            COUNT_DARK,
            0.8,
        )
        + ermine
        + f'<circle cy="-8" r="3.9" fill="#f1cfae" stroke="{p.GATE}" stroke-width="0.8"/>'
        + plain(
            "M-3.6,-7.4C-2.4,-5.6 2.4,-5.6 3.6,-7.4C3.6,-4.4 1.6,-3.2 0,-3.2C-1.6,-3.2 -3.6,-4.4"
            " -3.6,-7.4Z",
            "#8d8579",
        )
        + shape(
            "M-4.2,-9.6L-5,-14.4L-2.4,-12.4L0,-15.4L2.4,-12.4L5,-14.4L4.2,-9.6Z",
            p.CHAIN,
            p.GATE,
            0.8,
        )
    )


# ---------------------------------------------------------------------------------- the board


def middle_of(quarter: Quarter) -> Point:
    """Return the centre of a quarter's square, in board units."""
    ward = WARDS[quarter]
    x, y = CELLS[ward.tile]
    return x * SIZE + ward.middle[0], y * SIZE + ward.middle[1]


def _area(choice: Choice) -> Box | None:
    """Return the square of the quarter that an action refers to."""
    if choice.quarter is None:
        return None
    (x, y), (width, height) = middle_of(choice.quarter), SQUARE
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _above(position: Position) -> Iterator[Piece]:
    """Draw the waiting meeples, each in its quarter, and the count."""
    if position.count is None:
        return
    for quarter in Quarter:
        guests = [one for one in position.waiting if one.quarter == quarter]
        x, y = middle_of(quarter)
        if guests:
            svg = "".join(_guests(guests, (x + CROWD_MIDDLE * WARDS[quarter].side, y)))
            yield Piece(
                f'<g class="guests" data-quarter="{quarter.name}">{svg}</g>',
                around(x, y, SQUARE[0] / 2 + 4),
            )
    x, y = middle_of(position.count)
    x += (SIGN_AT - 1) * WARDS[position.count].side
    yield Piece(
        f'<g data-quarter="{position.count.name}">{symbol("count", (x, y - 2), COUNT_RADIUS)}</g>',
        around(x, y, COUNT_RADIUS + 8),
    )


def _guests(guests: list[Waiting], middle: Point) -> Iterator[str]:
    """Arrange guests in rows, as large as space allows."""
    n_across, n_rows, room = _rows(len(guests))
    for i, guest in enumerate(guests):
        row, column = divmod(i, n_across)
        n_here = min(n_across, len(guests) - row * n_across)
        spot = (
            middle[0] + (column - (n_here - 1) / 2) * room,
            middle[1] + (row - (n_rows - 1) / 2) * room,
        )
        scale = room / (ROOM_OF_SLIGHT if guest.figure in SLIGHT else ROOM_OF_STOUT)
        yield (
            f'<g class="guest" data-seat="{guest.seat}" data-figure="{guest.figure.name}">'
            f"{figure_svg(guest.seat, guest.figure, spot, scale=scale)}</g>"
        )


def _rows(n: int) -> tuple[int, int, float]:
    """Return how many guests fit side by side, the number of rows, and each guest's space."""
    found = []
    for n_rows in range(1, MOST_ROWS + 1):
        n_across = -(-n // n_rows)
        room = min(CROWD[0] / n_across, CROWD[1] / n_rows, MOST_ROOM)
        found.append((n_across, n_rows, room))
    return max(found, key=lambda rows: rows[2])


def _away(position: Position) -> Iterator[tuple[int | None, Figure | None]]:
    return ((one.seat, one.figure) for one in position.waiting)


def _card_row(position: Position, seat: int, y: float) -> str:
    """Return how many meeples a player has in each quarter."""
    parts = []
    for k, quarter in enumerate(Quarter):
        n = sum((one.seat, one.quarter) == (seat, quarter) for one in position.waiting)
        x = SUPPLY_LEFT + ROW_STEP * k
        parts.append(
            f'<g class="quarter" data-quarter="{quarter.name}" data-count="{n}"'
            f' opacity="{1 if n else 0.4}">{symbol(_sign_of(quarter), (x, y), 6.8)}'
            f"{text_svg(str(n), x + 9.6, y + 3.8, 7.6, color=p.INK, weight=1.5)}</g>"
        )
    return "".join(parts)


def _task(position: Position) -> str:
    if position.phase == Phase.JOIN:
        return "may let a meeple leave Carcassonne"
    if position.phase == Phase.ENTER:
        return "may put a meeple into Carcassonne"
    return "moves the count or leaves him" if position.phase == Phase.COUNT else ""


def _state(position: Position) -> str:
    return "" if position.count is None else f"; count: {position.count.name.lower()}"


def _lines(position: Position) -> Iterator[str]:
    """Return the lines that list the meeples in each quarter."""
    told = []
    for quarter in Quarter:
        guests = Counter(
            f"{LETTERS[one.seat]} {one.figure.name.lower()}"
            for one in position.waiting
            if one.quarter == quarter
        )
        names = [f"{n} x {name}" if n > 1 else name for name, n in guests.items()]
        if names:
            told.append(f"{quarter.name.lower()} {', '.join(names)}")
    if told:
        yield f"Carcassonne: {'; '.join(told)}"


DRAWING = Drawing(
    moves=True,
    symbols={
        "quarter": (_square, SQUARE[0] / 2),
        "castle-quarter": (_castle_sign, 9.8),
        "market-quarter": (_market_sign, 9.8),
        "blacksmith-quarter": (_blacksmith_sign, 9.8),
        "cathedral-quarter": (_cathedral_sign, 9.8),
        "keep": (_keep, 20.0),
        "market": (_market, 34.0),
        "smithy": (_smithy, 18.0),
        "minster": DRAWINGS["cathedral"],
        "count": (_count, 14.0),
    },
    letters={"keep": "H", "market": "$", "smithy": "Y", "minster": "X"},
    before_farmers=_add_quarters,
    area=_area,
    away=_away,
    above=_above,
    row=Row(lambda position: position.count is not None, _card_row),
    task=_task,
    state=_state,
    lines=_lines,
)
