"""The figures of the players: meeple, farmer (a meeple lying down) and abbot."""

from __future__ import annotations

from carc_env.engine.codes import Figure
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

ABBOT_PATH = (
    "M0,-13.2C2.4,-11.6 4.3,-9.4 4.3,-6.6C4.3,-5.6 4,-4.9 3.5,-4.2C6.2,-3.2 8.6,-1.2 9.2,2"
    "C9.5,3.6 8.6,4.2 7,3.9L8.6,10C8.8,11 8.3,11.5 7.4,11.5L-7.4,11.5C-8.3,11.5 -8.8,11 -8.6,10"
    "L-7,3.9C-8.6,4.2 -9.5,3.6 -9.2,2C-8.6,-1.2 -6.2,-3.2 -3.5,-4.2C-4,-4.9 -4.3,-5.6 -4.3,-6.6"
    "C-4.3,-9.4 -2.4,-11.6 0,-13.2Z"
)

PATHS = {Figure.MEEPLE: MEEPLE_PATH, Figure.ABBOT: ABBOT_PATH}

FIGURE_SCALE = 1.1
LETTERS = "ABCDEF"


def figure_svg(
    seat: int, figure: Figure, spot: Point, *, angle: float = 0.0, scale: float = FIGURE_SCALE
) -> str:
    """A figure centred on a spot, with its outline, a soft shadow and the letter of its player."""
    path = PATHS[figure]
    letter_y = 5.2 if figure == Figure.MEEPLE else 7.0
    letter = text_svg(
        LETTERS[seat], 0, letter_y, 5.4, color=palette.SEATS_LETTER[seat], anchor="middle", weight=2
    )
    return (
        f'<g transform="translate({number(spot[0])} {number(spot[1])}) scale({number(scale)})">'
        f'<g transform="translate(1 1.5) rotate({number(angle)})">'
        f'<path d="{path}" fill="#1d1408" fill-opacity="0.35"/></g>'
        f'<g transform="rotate({number(angle)})">'
        f'<path d="{path}" fill="{palette.SEATS[seat]}" stroke="#fffdf5" stroke-width="3.2"'
        f' stroke-linejoin="round"/>'
        f'<path d="{path}" fill="{palette.SEATS[seat]}" stroke="{palette.SEATS_DARK[seat]}"'
        f' stroke-width="1.5" stroke-linejoin="round"/>'
        f"{letter}</g></g>"
    )


def supply_svg(seat: int, figure: Figure, spot: Point, size: float, *, is_left: bool) -> str:
    """A small figure for the supply: filled while it is left, hollow when it is on the board."""
    fill = palette.SEATS[seat] if is_left else "none"
    line = palette.SEATS_DARK[seat] if is_left else palette.CARD_LINE
    return (
        f'<path class="supply" data-left="{int(is_left)}" d="{PATHS[figure]}" fill="{fill}"'
        f' stroke="{line}" stroke-width="1.8" stroke-linejoin="round"'
        f' transform="translate({number(spot[0])} {number(spot[1])}) scale({size / 24:.4f})"/>'
    )
