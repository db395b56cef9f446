"""Sheds, houses and towers on tiles, and those that players have left."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from carc_env.position import BuildingKind, Position
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.card import SUPPLY_LEFT
from carc_env.render.corners import building_spot
from carc_env.render.declaring import Drawing, Row
from carc_env.render.lettering import text_svg
from carc_env.render.pieces import Piece, around
from carc_env.render.symbols import symbol
from carc_env.words import counted, format_cell

RADIUS = 12.0
STEP = 26.0
"""Distance from one kind to the next on a card."""
KINDS: tuple[BuildingKind, ...] = ("shed", "house", "tower")
BOARDS, BOARDS_DARK, BOARDS_LIGHT = "#a9794c", "#5d3d22", "#c79a68"
RIM, MEADOW = "#6c5a3a", "#cfd9a0"


def _token(drawn: str) -> str:
    """Draw a building on a round wooden token with a meadow on it."""
    return (
        f'<circle cx="0.8" cy="1.2" r="10.4" fill="{p.SHADE}" fill-opacity="0.35"/>'
        f'<circle r="10.4" fill="{MEADOW}" stroke="{RIM}" stroke-width="1.4"/>'
        f'<circle r="8.9" fill="none" stroke="{p.GRASS_DARK}" stroke-width="0.6"/>'
        f'<ellipse cx="0.4" cy="5.4" rx="6.6" ry="1.5" fill="{p.SHADE}" fill-opacity="0.25"/>'
    ) + drawn


def _shed(_: int) -> str:
    """Draw a wooden shed with a pent roof and an open door."""
    return _token(
        shape("M-5.4,5.2V-1.6L5.4,-3.4V5.2Z", BOARDS, BOARDS_DARK, 0.8)
        + line("M-3.4,5V-2M-1.4,5V-2.2M2.8,5V-2.8M4.2,5V-3", BOARDS_DARK, 0.5)
        + plain("M-1.2,5.1V0.8H2.4V5.1Z", p.SLIT)
        + shape("M2.4,5.2V0.8L4.4,1.6V6Z", BOARDS_LIGHT, BOARDS_DARK, 0.6)
        + shape("M-7,-0.8L-6.2,-3.2L6.6,-5.6L6.6,-2.8Z", p.LEAD, p.LEAD_DARK, 0.8)
        + line("M-3.6,-1.5L-3.2,-3.6M-0.4,-2L0,-4.2M3,-2.4L3.4,-4.8", p.LEAD_DARK, 0.5)
    )


def _house(_: int) -> str:
    """Draw a half-timbered house with a red roof and a chimney."""
    return _token(
        shape("M2.6,-3.4V-7.2H4.6V-1.6Z", p.WALL_STONE, p.WALL_LINE, 0.6)
        + shape("M-5,5.4V-0.4H5V5.4Z", p.PLASTER[2], BOARDS_DARK, 0.8)
        + line(
            "M-5,2.4H5M-1.8,-0.2V5.2M1.8,-0.2V5.2M-4.8,-0.2L-2,2.2M4.8,-0.2L2,2.2", BOARDS_DARK, 0.7
        )
        + plain("M-1.4,5.2V2H1.4V5.2Z", p.GATE)
        + shape("M-6.6,0.4L-4,-5.2H4L6.6,0.4Z", p.ROOF[1], p.ROOF_DARK[2], 0.8)
        + line(
            "M-5,-1.4H5M-4.6,-3.2H4.4M-2.6,-1.4V0.2M0,-3.2V-1.4M2.6,-1.4V0.2", p.ROOF_DARK[2], 0.45
        )
    )


def _tower(_: int) -> str:
    """Draw a round stone tower with a pointed blue roof and a pennant."""
    return _token(
        line("M0,-7V-9.6", p.WALL_LINE, 0.7)
        + plain("M0.2,-9.8L3.6,-8.8L0.2,-7.8Z", p.CLOTH_RED)
        + shape("M-3.2,5.6V-2H3.2V5.6Z", p.WALL_LIGHT, p.WALL_LINE, 0.8)
        + plain("M0.8,5.2V-1.8H2.9V5.2Z", p.WALL_STONE, 0.6)
        + line("M-3,0.8H-1M-2.4,3H0M0.6,1.8H2.8M0.2,4.2H2.6", p.WALL_STONE, 0.5)
        + plain("M-0.8,5.5V3.2C-0.8,2 0.8,2 0.8,3.2V5.5Z", p.GATE)
        + plain("M-0.6,0.8V-0.8H0.6V0.8Z", p.SLIT)
        + shape("M-4.4,-1.6L0,-7.6L4.4,-1.6Z", p.SLATE, p.SLATE_DARK, 0.8)
        + plain("M0.4,-6.6L3.6,-2.1H1Z", p.SLATE_DARK, 0.5)
    )


DRAWN: dict[BuildingKind, Callable[[int], str]] = {
    "shed": _shed,
    "house": _house,
    "tower": _tower,
}


def _above(position: Position) -> Iterator[Piece]:
    """Draw buildings on tiles, from north to south."""
    for building in sorted(position.built, key=lambda building: building.y):
        x, y = building_spot(position, (building.x, building.y))
        drawn = symbol(f"little-{building.kind}", (x, y), RADIUS)
        facts = f'data-x="{building.x}" data-y="{building.y}" data-building="{building.kind}"'
        yield Piece(f'<g class="built" {facts}>{drawn}</g>', around(x, y, RADIUS + 2))


def _row(position: Position, seat: int, y: float) -> str:
    """Return how many buildings of each kind a player has left."""
    return "".join(
        _left(kind, n, SUPPLY_LEFT + STEP * k, y)
        for k, (kind, n) in enumerate(zip(KINDS, position.unbuilt[seat], strict=True))
    )


def _left(kind: BuildingKind, n: int, x: float, y: float) -> str:
    color, faint = (p.INK, "") if n else (p.CARD_LINE, ' opacity="0.3"')
    return (
        f'<g class="unbuilt" data-building="{kind}" data-count="{n}">'
        f"<g{faint}>{symbol(f'little-{kind}', (x, y), 6.6)}</g>"
        f"{text_svg(str(n), x + 9.4, y + 3.8, 7.6, color=color, weight=1.5)}</g>"
    )


def _has(position: Position, seat: int) -> Iterator[str]:
    """Return the buildings that a player has left, in words."""
    for kind, n in zip(KINDS, position.unbuilt[seat] if position.unbuilt else (), strict=False):
        if n:
            yield counted(n, kind)


def _lines(position: Position) -> Iterator[str]:
    """Return the lines that list the buildings."""
    if position.built:
        told = (f"{format_cell((b.x, b.y))} {b.kind}" for b in position.built)
        yield f"buildings: {', '.join(told)}"


DRAWING = Drawing(
    symbols={f"little-{kind}": (draw, 11.0) for kind, draw in DRAWN.items()},
    above=_above,
    row=Row(lambda position: bool(position.unbuilt), _row),
    has=_has,
    lines=_lines,
)
