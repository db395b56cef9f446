"""Towers on their foundations, floors in hand, and prisoners."""

from __future__ import annotations

from collections.abc import Iterator

from carc_env.engine.core.codes import Figure, Phase
from carc_env.position import Cell, Position, Prisoner, Tower
from carc_env.render import palette as p
from carc_env.render.card import RIGHT_PART, SUPPLY_LEFT, SUPPLY_STEP, WIDTH
from carc_env.render.declaring import Drawing, Row
from carc_env.render.figure_art import LETTERS, figure_svg, supply_svg
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Piece, around
from carc_env.render.shapes import Point, number
from carc_env.render.sites import thing_on_board
from carc_env.render.survey import Survey
from carc_env.render.symbols import symbol
from carc_env.words import counted, format_cell

FOUNDATION = 11.5
MOST_FLOORS = 5
FLOOR_STEP, FLOOR_RADIUS = 6.0, 9.0
ABOVE_ROW = 4.0
"""Distance of floors and prisoners above the centre of their row."""


def _add_foundation(survey: Survey) -> None:
    """Place the foundation where roads end, in a field, or else in a city (TOW-34).

    It goes into a city if the fields are small.
    """
    if not survey.row.get("tower"):
        return
    roads = survey.plan.roads
    if roads and not survey.plan.gates and all(len(road.sides) == 1 for road in roads):
        spot = roads[0].strands[-1].at(1.0)
    else:
        spot, _ = survey.roomiest_ground(FOUNDATION)
    survey.add("foundation", spot, FOUNDATION, FOUNDATION + 2)


def _above(position: Position) -> Iterator[Piece]:
    """Draw towers from north to south."""
    for tower in sorted(position.towers, key=lambda tower: tower.y):
        yield _tower(tower, *thing_on_board(position, (tower.x, tower.y), "foundation"))


def _tower(tower: Tower, x: float, y: float) -> Piece:
    """Draw stacked floors, their number, and the meeple on top."""
    floors = min(tower.height, MOST_FLOORS)
    parts = [symbol("floor", (x, y - FLOOR_STEP * k), FLOOR_RADIUS) for k in range(floors)]
    top = y - FLOOR_STEP * floors
    if tower.seat is not None and tower.figure is not None:
        parts.append(figure_svg(tower.seat, tower.figure, (x, top - 5), scale=0.6))
    disc = (x + 12, y + 1)
    parts.append(
        f'<circle cx="{number(disc[0])}" cy="{number(disc[1])}" r="6" fill="{p.SHIELD_WHITE}"'
        f' stroke="{p.WALL_LINE}" stroke-width="1"/>'
        + text_svg(
            str(tower.height), disc[0], disc[1] + 3, 7.2, color=p.INK, anchor="middle", weight=2
        )
    )
    svg = (
        f'<g class="tower" data-x="{tower.x}" data-y="{tower.y}" data-height="{tower.height}">'
        f"{''.join(parts)}</g>"
    )
    return Piece(svg, around(x, (top + y) / 2, (y - top) / 2 + 25))


def top_at(position: Position, cell: Cell) -> Point:
    """Return where the meeple on a tower stands, in board units."""
    x, y = thing_on_board(position, cell, "foundation")
    (height,) = (tower.height for tower in position.towers if (tower.x, tower.y) == cell)
    return x, y - FLOOR_STEP * min(height, MOST_FLOORS) - 5


def _away(position: Position) -> Iterator[tuple[int | None, Figure | None]]:
    for tower in position.towers:
        yield tower.seat, tower.figure
    for prisoner in position.prisoners:
        yield prisoner.seat, prisoner.figure


def _prisoners(position: Position, seat: int) -> list[Prisoner]:
    return [prisoner for prisoner in position.prisoners if prisoner.captor == seat]


def _row(position: Position, seat: int, y: float) -> str:
    """Draw a player's floors in hand, then the prisoners in their owners' colours."""
    n, x, y = position.floors[seat], SUPPLY_LEFT, y - ABOVE_ROW
    parts = [
        f'<g class="floors" data-count="{n}">{symbol("floor", (x, y), 6.5)}'
        f"{text_svg(str(n), x + 9.6, y + 3.8, 7.6, color=p.INK, weight=1.5)}</g>"
    ]
    held = _prisoners(position, seat)
    step = min(SUPPLY_STEP, (WIDTH - 14 - RIGHT_PART) / max(len(held), 1))
    for i, prisoner in enumerate(held):
        spot = (RIGHT_PART + step * i, y)
        bars = "".join(f"M{spot[0] + dx:g},{y - 6.5:g}v13" for dx in (-3.6, 0, 3.6))
        parts.append(
            f'<g class="prisoner" data-seat="{prisoner.seat}" data-figure="{prisoner.figure.name}">'
            f"{supply_svg(prisoner.seat, prisoner.figure, spot, 12.5, is_left=True)}"
            f'<path d="{bars}" stroke="{p.WALL_LINE}" stroke-width="1"/></g>'
        )
    return "".join(parts)


def _has(position: Position, seat: int) -> Iterator[str]:
    if position.floors:
        yield counted(position.floors[seat], "floor")
    for prisoner in _prisoners(position, seat):
        yield f"prisoner {LETTERS[prisoner.seat]} {prisoner.figure.name.lower()}"


def _task(position: Position) -> str:
    if position.phase == Phase.CAPTURE and position.captures is not None:
        return f"may capture from the tower at {format_cell(position.captures)}"
    return "chooses the prisoner that comes back" if position.phase == Phase.EXCHANGE else ""


def _lines(position: Position) -> Iterator[str]:
    """Return the lines that list the towers, their floors, and the seats that closed them."""
    told = []
    for tower in position.towers:
        top = "" if tower.seat is None else f" closed by {LETTERS[tower.seat]}"
        told.append(f"{format_cell((tower.x, tower.y))} {counted(tower.height, 'floor')}{top}")
    if told:
        yield f"towers: {', '.join(told)}"


DRAWING = Drawing(
    before_farmers=_add_foundation,
    away=_away,
    above=_above,
    row=Row(lambda position: bool(position.floors), _row),
    has=_has,
    task=_task,
    lines=_lines,
)
