"""The players' figures: meeples, which lie down as farmers, and figures that always stand."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.render import palette
from carc_env.render.declaring import Form, drawing_of
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import Point, number

MEEPLE = Form(
    "M0,-11.5C2.6,-11.5 4.4,-9.6 4.4,-7.1C4.4,-6.1 4.1,-5.2 3.6,-4.4C6.8,-3.4 11.4,-1.6 11.4,1"
    "C11.4,2.6 9.9,3 8.2,3L5.4,3C6.3,5.3 8.7,8.6 8.7,10.2C8.7,11.1 8.1,11.5 7.3,11.5L2.9,11.5"
    "C1.9,11.5 1.6,11 1.2,10.2L0,7.8L-1.2,10.2C-1.6,11 -1.9,11.5 -2.9,11.5L-7.3,11.5"
    "C-8.1,11.5 -8.7,11.1 -8.7,10.2C-8.7,8.6 -6.3,5.3 -5.4,3L-8.2,3C-9.9,3 -11.4,2.6 -11.4,1"
    "C-11.4,-1.6 -6.8,-3.4 -3.6,-4.4C-4.1,-5.2 -4.4,-6.1 -4.4,-7.1C-4.4,-9.6 -2.6,-11.5 0,-11.5Z"
)

FARMERS = (Figure.MEEPLE, Figure.LARGE, Figure.PHANTOM)
"""Figures that lie down in a field."""


def lies(figure: Figure, kind: Kind) -> bool:
    """Return whether a figure lies down: in a field, or on a special monastery (MON-03)."""
    return kind == Kind.LINES or (kind == Kind.FIELD and figure in FARMERS)


FIGURE_SCALE = 1.1
LETTERS = "ABCDEF"
GHOST_RING = 19.0
RING = 8.0
LYING = -90.0
MAT = (17.5, 12.5)
"""Radii of the ground below a lying figure."""


def figure_form(figure: Figure) -> Form:
    """Return a figure's look; the looks of a set's figures are in its ``drawing.py``."""
    return drawing_of(figure).figures.get(figure, MEEPLE)


def figure_svg(
    seat: int, figure: Figure, spot: Point, *, angle: float = 0.0, scale: float = FIGURE_SCALE
) -> str:
    """Return a figure centred on a spot, with outline, soft shadow and its player's letter."""
    form = figure_form(figure)
    letter = text_svg(
        LETTERS[seat],
        0,
        form.letter_y,
        form.letter_size,
        color=palette.SEATS_LETTER[seat],
        anchor="middle",
        weight=2,
    )
    return (
        f'<g transform="translate({number(spot[0])} {number(spot[1])})'
        f' scale({number(scale * form.scale)})">'
        f'<g transform="translate(1 1.5) rotate({number(angle)})">'
        f'<path d="{form.path}" fill="#1d1408" fill-opacity="0.35"/></g>'
        f'<g transform="rotate({number(angle)})">'
        f'<path d="{form.path}" fill="{palette.SEATS[seat]}" stroke="#fffdf5" stroke-width="3.2"'
        f' stroke-linejoin="round"/>'
        f'<path d="{form.path}" fill="{palette.SEATS[seat]}" stroke="{palette.SEATS_DARK[seat]}"'
        f' stroke-width="1.5" stroke-linejoin="round"/>'
        f"{form.details.format(dark=palette.SEATS_DARK[seat])}"
        f'<g transform="rotate({number(-angle)} 0 {number(form.letter_y - form.letter_size / 2)})">'
        f"{letter}</g></g></g>"
    )


def lying_svg(
    seat: int, figure: Figure, kind: Kind, spot: Point, *, scale: float = FIGURE_SCALE
) -> str:
    """Return a lying figure: a farmer on a straw mat, or a figure on a slab at a monastery."""
    mat = _slab(spot, scale) if kind == Kind.LINES else _straw(spot, scale)
    return mat + figure_svg(seat, figure, spot, angle=LYING, scale=0.85 * scale)


def _straw(spot: Point, scale: float) -> str:
    rx, ry = MAT
    return (
        f'<ellipse cx="{number(spot[0])}" cy="{number(spot[1])}" rx="{number(rx * scale)}"'
        f' ry="{number(ry * scale)}" fill="{palette.CHAIN}" fill-opacity="0.85"'
        f' stroke="{palette.STRAW}" stroke-width="{number(1.6 * scale)}"/>'
    )


def _slab(spot: Point, scale: float) -> str:
    """Return a stone slab with a red cross, whose four ends are visible."""
    rx, ry = MAT
    rect = f'<rect x="{-rx:g}" y="{-ry:g}" width="{2 * rx:g}" height="{2 * ry:g}" rx="2.4"'
    return (
        f'<g class="slab" transform="translate({number(spot[0])} {number(spot[1])})'
        f' scale({number(scale)})">{rect} fill="{palette.STONE}"/>'
        f'<path d="M{-rx:g},0H{rx:g}M0,{-ry:g}V{ry:g}" stroke="{palette.CLOTH_RED}"'
        f' stroke-width="5.6"/>{rect} fill="none" stroke="{palette.WALL_LINE}"'
        ' stroke-width="1.6"/></g>'
    )


def ring_svg(seat: int, spot: Point) -> str:
    """Return a ring where a player's figure could stand."""
    x, y = number(spot[0]), number(spot[1])
    return (
        f'<circle class="free" cx="{x}" cy="{y}" r="{RING:g}" fill="#fffdf5" fill-opacity="0.6"'
        f' stroke="#fffdf5" stroke-width="5"/><circle cx="{x}" cy="{y}" r="{RING:g}" fill="none"'
        f' stroke="{palette.SEATS[seat]}" stroke-width="3"/>'
    )


def ghost_svg(seat: int, figure: Figure, spot: Point, *, is_next: bool) -> str:
    """Return a figure that has left its spot and will move on: faint, in a ring of its player.

    The ring is closed around the figure that moves next, and dashed around the others.
    """
    dashes = "" if is_next else ' stroke-dasharray="5 4"'
    ring = (
        f'<circle cx="{number(spot[0])}" cy="{number(spot[1])}" r="{GHOST_RING:g}" fill="{{}}"'
        ' fill-opacity="0.35" stroke="{}" stroke-width="{}"{}/>'
    )
    return (
        ring.format("#fffdf5", "#fffdf5", 5.2, "")
        + ring.format("none", palette.SEATS[seat], 3, dashes)
        + f'<g opacity="0.55">{figure_svg(seat, figure, spot, scale=0.85 * FIGURE_SCALE)}</g>'
    )


def supply_svg(seat: int, figure: Figure, spot: Point, size: float, *, is_left: bool) -> str:
    """Return a small figure for the supply: filled if in hand, hollow if on the board."""
    form = figure_form(figure)
    fill = palette.SEATS[seat] if is_left else "none"
    line = palette.SEATS_DARK[seat] if is_left else palette.CARD_LINE
    return (
        f'<g class="supply" data-figure="{figure.name}" data-left="{int(is_left)}"'
        f' transform="translate({number(spot[0])} {number(spot[1])}) scale({size / 24:.4f})">'
        f'<path d="{form.path}" fill="{fill}" stroke="{line}" stroke-width="1.8"'
        ' stroke-linejoin="round"/>'
        f"{form.details.format(dark=line) if is_left else ''}</g>"
    )
