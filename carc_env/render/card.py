"""Dimensions of the side panel, and building blocks for its sections."""

from __future__ import annotations

from carc_env.render import palette as p
from carc_env.render.lettering import text_svg
from carc_env.render.shapes import SIZE, Point, number
from carc_env.render.tile_art import EMBLEM, tile_svg

WIDTH = 220.0
"""Panel width in its own units; the board scales it."""
HAND_HEIGHT = 122.0
"""Height of the tile in hand and the notes beside it."""
SUPPLY_LEFT = 64.0
SUPPLY_STEP = 15.0
RIGHT_PART = 103.0
"""Left edge of the things that players collect."""
NOTE_LEFT = 114.0
"""Left edge of the words beside the tile in hand."""

# Pieces that look the same for all players, 24 units wide.
STOCK_PATHS = {
    "bridge": "M-11.5,7V-1.5C-6,-8 6,-8 11.5,-1.5V7H7.4C7.4,-0.5 -7.4,-0.5 -7.4,7Z",
    "castle": EMBLEM,
}


def count_svg(value: str, label: str, x: float) -> str:
    """Return a large number with its label beside the tile in hand."""
    return text_svg(value, x, 76, 21, color=p.INK, weight=1.3) + text_svg(
        label, x, 96, 8.4, color=p.FAINT_INK, spacing=1.3
    )


def framed_svg(tile: str, corner: Point, size: float, line: str, width: float) -> str:
    """Return a tile drawing with its corner at a point; the outline's width is in panel units."""
    scale = size / SIZE
    return (
        f'<g transform="translate({number(corner[0])} {number(corner[1])}) scale({scale:.4f})">'
        f'<g clip-path="url(#tile-clip)">{tile}</g>'
        f'<rect width="100" height="100" rx="2" fill="none" stroke="{line}"'
        f' stroke-width="{number(width / scale)}"/></g>'
    )


def large_tile_svg(name: str, tile: str) -> str:
    """Return the tile in hand, or what could be placed instead of it."""
    return (
        '<g transform="translate(2 2) scale(0.96)"><rect x="2" y="3" width="100" height="100"'
        ' rx="3" fill="#3b2f1a" fill-opacity="0.22"/>'
        f'<g class="{name}" data-tile="{tile}" clip-path="url(#tile-clip)">'
        f"{tile_svg(tile)}</g>"
        f'<rect width="100" height="100" rx="1.5" fill="none" stroke="{p.INK}"'
        ' stroke-width="1.2" stroke-opacity="0.65"/></g>'
    )
