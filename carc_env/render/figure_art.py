"""The figures of the players: meeples, which lie down as farmers, and those that always stand."""

from __future__ import annotations

from dataclasses import dataclass

from carc_env.engine.core.codes import Figure
from carc_env.render import palette
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import Point, number

MEEPLE_PATH = (
    "M0,-11.5C2.6,-11.5 4.4,-9.6 4.4,-7.1C4.4,-6.1 4.1,-5.2 3.6,-4.4C6.8,-3.4 11.4,-1.6 11.4,1"
    "C11.4,2.6 9.9,3 8.2,3L5.4,3C6.3,5.3 8.7,8.6 8.7,10.2C8.7,11.1 8.1,11.5 7.3,11.5L2.9,11.5"
    "C1.9,11.5 1.6,11 1.2,10.2L0,7.8L-1.2,10.2C-1.6,11 -1.9,11.5 -2.9,11.5L-7.3,11.5"
    "C-8.1,11.5 -8.7,11.1 -8.7,10.2C-8.7,8.6 -6.3,5.3 -5.4,3L-8.2,3C-9.9,3 -11.4,2.6 -11.4,1"
    "C-11.4,-1.6 -6.8,-3.4 -3.6,-4.4C-4.1,-5.2 -4.4,-6.1 -4.4,-7.1C-4.4,-9.6 -2.6,-11.5 0,-11.5Z"
)

# A meeple in large, so that it is told by its size in the supply as well as on the board.
LARGE_PATH = (
    "M0,-15.6C3.5,-15.6 6,-13.1 6,-9.7C6,-8.3 5.6,-7.1 4.9,-6C9.2,-4.6 15.5,-2.2 15.5,1.4"
    "C15.5,3.5 13.5,4.1 11.2,4.1L7.3,4.1C8.6,7.2 11.8,11.7 11.8,13.9C11.8,15.1 11,15.6 9.9,15.6"
    "L3.9,15.6C2.6,15.6 2.2,15 1.6,13.9L0,10.6L-1.6,13.9C-2.2,15 -2.6,15.6 -3.9,15.6L-9.9,15.6"
    "C-11,15.6 -11.8,15.1 -11.8,13.9C-11.8,11.7 -8.6,7.2 -7.3,4.1L-11.2,4.1"
    "C-13.5,4.1 -15.5,3.5 -15.5,1.4C-15.5,-2.2 -9.2,-4.6 -4.9,-6C-5.6,-7.1 -6,-8.3 -6,-9.7"
    "C-6,-13.1 -3.5,-15.6 0,-15.6Z"
)

ABBOT_PATH = (
    "M0,-13.2C2.4,-11.6 4.3,-9.4 4.3,-6.6C4.3,-5.6 4,-4.9 3.5,-4.2C6.2,-3.2 8.6,-1.2 9.2,2"
    "C9.5,3.6 8.6,4.2 7,3.9L8.6,10C8.8,11 8.3,11.5 7.4,11.5L-7.4,11.5C-8.3,11.5 -8.8,11 -8.6,10"
    "L-7,3.9C-8.6,4.2 -9.5,3.6 -9.2,2C-8.6,-1.2 -6.2,-3.2 -3.5,-4.2C-4,-4.9 -4.3,-5.6 -4.3,-6.6"
    "C-4.3,-9.4 -2.4,-11.6 0,-13.2Z"
)

# A top hat, a short neck, and a belly that leaves no room for legs.
MAYOR_PATH = (
    "M-3.9,-16.4L3.9,-16.4L3.5,-11.2L6.2,-11.2C7,-11.2 7,-9.4 6.2,-9.4L4.2,-9.4"
    "C4.6,-7.4 4.1,-5.9 3.3,-5.1C7.4,-4.6 12.4,-2.4 12.6,0.6C12.7,2.4 11.2,2.8 9.7,2.5"
    "C11.4,6.4 10.2,10 7.6,12.6L1.8,12.6L0,11.6L-1.8,12.6L-7.6,12.6C-10.2,10 -11.4,6.4 -9.7,2.5"
    "C-11.2,2.8 -12.7,2.4 -12.6,0.6C-12.4,-2.4 -7.4,-4.6 -3.3,-5.1C-4.1,-5.9 -4.6,-7.4 -4.2,-9.4"
    "L-6.2,-9.4C-7,-9.4 -7,-11.2 -6.2,-11.2L-3.5,-11.2Z"
)
_HAT = "M-3.7,-13.6L-3.5,-11.4H3.5L3.7,-13.6Z"
_CHAIN = "M-6.4,-3.8C-5,-1.4 -2.6,0.2 0,0.5C2.6,0.2 5,-1.4 6.4,-3.8"
MAYOR_DETAILS = (
    f'<path d="{_HAT}" fill="{{dark}}"/>'
    f'<path d="{_CHAIN}" fill="none" stroke="{{dark}}" stroke-width="2.9"/>'
    f'<path d="{_CHAIN}" fill="none" stroke="{palette.CHAIN}" stroke-width="1.6"'
    ' stroke-dasharray="1.7 0.5"/>'
    f'<circle cx="0" cy="0.9" r="2" fill="{palette.CHAIN}" stroke="{{dark}}" stroke-width="0.8"/>'
)

# A covered wagon from the side: the hood, the box, the shaft, and two wheels.
_WHEELS = ((-6.8, 8), (6.8, 8))
_WHEEL_RADIUS = 4.5
WAGON_PATH = (
    "M-12.4,0.8C-14.4,-6.6 -12.6,-11.4 -8.4,-11.4L8.4,-11.4C12.6,-11.4 14.4,-6.6 12.4,0.8"
    "L16,0.8L16,3.2L11.9,3.2L11,6.6L-11,6.6Z"
) + "".join(
    f"M{x - _WHEEL_RADIUS},{y}a{_WHEEL_RADIUS},{_WHEEL_RADIUS} 0 1 1 {2 * _WHEEL_RADIUS},0"
    f"a{_WHEEL_RADIUS},{_WHEEL_RADIUS} 0 1 1 {-2 * _WHEEL_RADIUS},0Z"
    for x, y in _WHEELS
)
WAGON_DETAILS = (
    '<path d="M-12.3,0.9H15.2V2.4H11.4L10.5,6.6H-10.5L-11.4,2.4Z" fill="{dark}"/>'
    '<path d="M-7.6,-10.8C-9.6,-7 -9.6,-3 -8.6,0.6M7.6,-10.8C9.6,-7 9.6,-3 8.6,0.6" fill="none"'
    ' stroke="{dark}" stroke-width="1" stroke-opacity="0.65"/>'
) + "".join(
    f'<circle cx="{x}" cy="{y}" r="{_WHEEL_RADIUS - 0.5}" fill="{palette.WHEEL}" stroke="{{dark}}"'
    f' stroke-width="1.5"/><path d="M{x - 3},{y}H{x + 3}M{x},{y - 3}V{y + 3}" stroke="{{dark}}"'
    f' stroke-width="1"/><circle cx="{x}" cy="{y}" r="1.2" fill="{{dark}}"/>'
    for x, y in _WHEELS
)

# A wide hat of straw, one arm on the hip, and a mallet in the hand of the other.
BUILDER_PATH = (
    "M-8,-9C-7,-9.8 -5.8,-10 -4.7,-10.2C-4.5,-13.6 -2.6,-15.4 0,-15.4C2.6,-15.4 4.5,-13.6 4.7,-10.2"
    "C5.8,-10 7,-9.8 8,-9C8.1,-7.8 5.8,-7.1 4.5,-7C4.4,-5.7 4.1,-4.8 3.6,-4.2"
    "C6.6,-4.5 8.2,-6 9.2,-8.8L13.6,-8C13.2,-3.4 10.4,0 6.8,1.2L6.7,3L9.3,10.2"
    "C9.7,11.3 9.2,12 8.2,12L3,12C2.1,12 1.8,11.6 1.4,10.8L0,8.2L-1.4,10.8"
    "C-1.8,11.6 -2.1,12 -3,12L-8.2,12C-9.2,12 -9.7,11.3 -9.3,10.2L-6.7,3L-8.6,3.4"
    "C-10.8,3.6 -12.2,2.2 -11.5,0.4C-10.2,-2.6 -7.2,-3.9 -3.6,-4.2C-4.1,-4.8 -4.4,-5.7 -4.5,-7"
    "C-5.8,-7.1 -8.1,-7.8 -8,-9Z"
    "M10.2,-12.8L6.8,-12.8L6.8,-18.6L17,-18.6L17,-12.8L13.6,-12.8L13.6,1.4L10.2,1.4Z"
)
_STRAW_HAT = (
    "M-8,-9C-7,-9.8 -5.8,-10 -4.7,-10.2C-4.5,-13.6 -2.6,-15.4 0,-15.4C2.6,-15.4 4.5,-13.6 4.7,-10.2"
    "C5.8,-10 7,-9.8 8,-9C8.1,-7.8 5.6,-7.1 0,-7.1C-5.6,-7.1 -8.1,-7.8 -8,-9Z"
)
_OUTLINE = 'stroke="{dark}" stroke-width'
BUILDER_DETAILS = (
    f'<path d="M10.2,-12.8H13.6V1.4H10.2Z" fill="{palette.WHEEL}" {_OUTLINE}="0.9"/>'
    f'<path d="M6.8,-18.6H17V-12.8H6.8Z" fill="{palette.WALL_STONE}" {_OUTLINE}="1.3"/>'
    '<path d="M9,-8.4L13.8,-7.6L12.8,-4.8L8,-5.7Z" fill="{dark}"/>'
    f'<path d="{_STRAW_HAT}" fill="{palette.WHEEL}" {_OUTLINE}="1.1"/>'
    f'<path d="M-4.6,-10.3C-2,-9.6 2,-9.6 4.6,-10.3" fill="none" {_OUTLINE}="1.3"/>'
)

# From the side, with a light snout and a curly tail; it never lies down.
PIG_PATH = (
    "M-10.6,-2C-10.6,-7 -6,-9.4 0,-9.4C2.8,-9.4 5,-9 6.6,-8.2L7.2,-11.8L10.6,-8.2"
    "C12.4,-7 13.2,-5.2 13.6,-3.8L16,-3.4C17,-3.2 17.2,0.4 16.2,0.8L13,1.6C12,3.2 10.4,4.2 8.8,4.6"
    "L8.8,8.6C8.8,9.3 8.4,9.7 7.7,9.7L4.4,9.7C3.8,9.7 3.4,9.3 3.3,8.7L3,6.2C0,6.8 -2.6,6.8 -5,6.2"
    "L-5.3,8.7C-5.4,9.3 -5.8,9.7 -6.4,9.7L-9.4,9.7C-10,9.7 -10.4,9.3 -10.4,8.6L-10.4,3"
    "C-10.8,1.4 -10.7,0 -10.6,-2Z"
)
PIG_DETAILS = (
    '<path d="M-10.6,-2.4C-13.8,-2.4 -15.4,-5.6 -13.4,-6.8C-11.4,-7.8 -11.2,-4.8 -13.8,-4"'
    f' fill="none" {_OUTLINE}="1.8" stroke-linecap="round"/>'
    '<path d="M6.4,-8.2C6.6,-6 8.2,-5 9.4,-5.8L10.4,-8.2L7.2,-11.6Z" fill="{dark}"/>'
    f'<ellipse cx="15" cy="-1.3" rx="2" ry="2.7" fill="{palette.SNOUT}" {_OUTLINE}="1"/>'
    '<circle cx="11.4" cy="-3.6" r="1" fill="{dark}"/>'
    '<path d="M3.4,8H8.8V9.6H3.5ZM-10.3,8H-5.2L-5.4,9.6H-10.2Z" fill="{dark}"/>'
)

# The gable of a barn with a broken roof: eaves, a loft, a door with crossed boards.
BARN_PATH = "M-10.4,12L-10.4,0L-13,0L-9.2,-8.4L0,-13.6L9.2,-8.4L13,0L10.4,0L10.4,12Z"
_EAVES = "M-12,-0.8L-8.5,-7.7L0,-12.5L8.5,-7.7L12,-0.8"
BARN_DETAILS = (
    f'<path d="{_EAVES}" fill="none" stroke="{{dark}}" stroke-width="3.4"'
    ' stroke-linejoin="round"/>'
    '<path d="M-5.4,11.6V3.4H5.4V11.6Z" fill="{dark}"/>'
    f'<path d="M-4.6,11.4V4.2H4.6V11.4ZM-4.6,4.2L4.6,11.4M4.6,4.2L-4.6,11.4" fill="none"'
    f' stroke="{palette.SHIELD_WHITE}" stroke-width="1.1" stroke-linejoin="round"/>'
)


# A wide hat, a crook, and a sheep beside them.
SHEPHERD_PATH = (
    "M-3,-15.2C-0.6,-15.2 1,-13.6 1.1,-11.6L4.6,-10.4C5.4,-10.1 5.2,-9 4.4,-8.9L1,-8.6"
    "C0.8,-7.4 0.3,-6.6 -0.4,-6C2.4,-5 4.6,-3.2 5,-0.4L6,3.2C9.4,1.4 15.4,2 16.6,5.2"
    "C18,5.4 18,8 16.4,8.2L15.8,12L13.8,12L13.4,9.6L8.4,9.6L8,12L3.4,12L-9.4,12C-10.4,12 -10.8,11.4"
    " -10.6,10.4L-9.6,-0.6C-9,-3.4 -7.8,-5 -5.6,-6C-6.3,-6.6 -6.8,-7.4 -7,-8.6L-10.4,-8.9"
    "C-11.2,-9 -11.4,-10.1 -10.6,-10.4L-7.1,-11.6C-7,-13.6 -5.4,-15.2 -3,-15.2Z"
    "M-13.6,12L-13.6,-9.6C-16.6,-10.2 -17,-15.2 -13.2,-15.8C-10.6,-16 -9.4,-13.8 -10.4,-12.6"
    "L-12,-13.2C-12.8,-13.2 -12.8,-12 -11.4,-11.2L-11.4,12Z"
)
SHEPHERD_DETAILS = (
    f'<path d="M-7.1,-11.6C-7,-13.6 -5.4,-15.2 -3,-15.2C-0.6,-15.2 1,-13.6 1.1,-11.6L4.6,-10.4'
    f'C5.4,-10.1 5.2,-9 4.4,-8.9H-10.4C-11.2,-9 -11.4,-10.1 -10.6,-10.4Z" fill="{palette.WHEEL}"'
    f' {_OUTLINE}="0.9"/>'
    f'<path d="M5.4,6.2C5.6,3.4 9.4,2.4 12,3C14.6,3.4 15.6,5 15.4,6.6C15.2,8.8 12.6,9.6 10,9.4'
    f'C7,9.4 5.2,8.4 5.4,6.2Z" fill="{palette.SHIELD_WHITE}" {_OUTLINE}="1"/>'
    '<circle cx="15.6" cy="6.2" r="1.7" fill="{dark}"/>'
    '<path d="M8,9.2V12M12.8,9.2V12" fill="none" stroke="{dark}" stroke-width="1.4"/>'
)


@dataclass(frozen=True)
class Form:
    """How a figure looks: outline, what is drawn on it, and the letter of the player.

    ``details`` is SVG with ``{dark}`` for the dark colour of the player.
    """

    path: str
    details: str = ""
    letter_y: float = 5.2  # baseline
    letter_size: float = 5.4
    scale: float = 1.0


FORMS = {
    Figure.MEEPLE: Form(MEEPLE_PATH),
    Figure.LARGE: Form(LARGE_PATH, letter_y=7.2, letter_size=7.6),
    Figure.ABBOT: Form(ABBOT_PATH, letter_y=7.0),
    Figure.MAYOR: Form(MAYOR_PATH, MAYOR_DETAILS, letter_y=10.0, letter_size=5.6),
    Figure.WAGON: Form(WAGON_PATH, WAGON_DETAILS, letter_y=-2.2, letter_size=6.2),
    Figure.BUILDER: Form(BUILDER_PATH, BUILDER_DETAILS, letter_y=6.0, letter_size=6.0),
    Figure.PIG: Form(PIG_PATH, PIG_DETAILS, letter_y=1.6, letter_size=6.4),
    Figure.BARN: Form(BARN_PATH, BARN_DETAILS, letter_y=1.6, letter_size=6.0, scale=1.15),
    Figure.SHEPHERD: Form(SHEPHERD_PATH, SHEPHERD_DETAILS, letter_y=5.0, letter_size=6.0),
}

FARMERS = (Figure.MEEPLE, Figure.LARGE)
"""What lies down in a field."""

FIGURE_SCALE = 1.1
LETTERS = "ABCDEF"
GHOST_RING = 19.0
RING = 8.0
LYING = -90.0
MAT = (17.5, 12.5)
"""Radii of what a farmer lies on."""


def figure_svg(
    seat: int, figure: Figure, spot: Point, *, angle: float = 0.0, scale: float = FIGURE_SCALE
) -> str:
    """A figure centred on a spot, with its outline, a soft shadow and the letter of its player."""
    form = FORMS[figure]
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


def farmer_svg(seat: int, figure: Figure, spot: Point, *, scale: float = FIGURE_SCALE) -> str:
    """A figure that lies in a field, on a mat of straw that no standing figure has."""
    rx, ry = MAT
    mat = (
        f'<ellipse cx="{number(spot[0])}" cy="{number(spot[1])}" rx="{number(rx * scale)}"'
        f' ry="{number(ry * scale)}" fill="{palette.CHAIN}" fill-opacity="0.85"'
        f' stroke="{palette.STRAW}" stroke-width="{number(1.6 * scale)}"/>'
    )
    return mat + figure_svg(seat, figure, spot, angle=LYING, scale=0.85 * scale)


def ring_svg(seat: int, spot: Point) -> str:
    """A ring in which a figure of a player could stand."""
    x, y = number(spot[0]), number(spot[1])
    return (
        f'<circle class="free" cx="{x}" cy="{y}" r="{RING:g}" fill="#fffdf5" fill-opacity="0.6"'
        f' stroke="#fffdf5" stroke-width="5"/><circle cx="{x}" cy="{y}" r="{RING:g}" fill="none"'
        f' stroke="{palette.SEATS[seat]}" stroke-width="3"/>'
    )


def ghost_svg(seat: int, figure: Figure, spot: Point, *, is_next: bool) -> str:
    """A figure that has left its spot and is to move on: faint, in a ring of its player.

    The ring of the one that moves next is closed, the others are dashed.
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
    """A small figure for the supply: filled while it is left, hollow when it is on the board."""
    form = FORMS[figure]
    fill = palette.SEATS[seat] if is_left else "none"
    line = palette.SEATS_DARK[seat] if is_left else palette.CARD_LINE
    return (
        f'<g class="supply" data-figure="{figure.name}" data-left="{int(is_left)}"'
        f' transform="translate({number(spot[0])} {number(spot[1])}) scale({size / 24:.4f})">'
        f'<path d="{form.path}" fill="{fill}" stroke="{line}" stroke-width="1.8"'
        ' stroke-linejoin="round"/>'
        f"{form.details.format(dark=line) if is_left else ''}</g>"
    )
