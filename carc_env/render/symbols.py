"""Small drawings on tiles. All of them are upright, whatever the tile's rotation.

Every function draws around the origin at its natural size; :func:`symbol` moves and scales.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import drawings
from carc_env.render.shapes import Point, number

MEEPLE_RADIUS = 12.0


def symbol(kind: str, spot: Point, radius: float, variety: int = 0) -> str:
    """Return a drawing of a given kind at a spot, with a radius of about ``radius``.

    Raises
    ------
    KeyError
        There is no drawing of this kind.
    """
    draw, natural_radius = known_drawings()[kind]
    return (
        f'<g class="{kind}" transform="translate({number(spot[0])} {number(spot[1])})'
        f' scale({radius / natural_radius:.3f})">{draw(variety)}</g>'
    )


def _house(variety: int) -> str:
    roof, shade, wall = p.ROOF[variety], p.ROOF_DARK[variety], p.PLASTER[variety]
    shadow = plain("M-3.4,4.4L4.2,4.4L6,3L5,-0.6L-3.4,0Z", "#3b2a1a", 0.22)
    if variety % 2:  # the gable faces us
        return (
            shadow
            + shape("M-3.4,4.2V-0.4L0,-4.4L3.4,-0.4V4.2Z", wall, width=0.7)
            + shape("M-4.3,0.2L0,-5L4.3,0.2L3.2,0.9L0,-2.8L-3.2,0.9Z", roof, width=0.7)
            + plain("M-0.9,4.2V1.8H0.9V4.2Z", shade)
        )
    return (
        shadow
        + shape("M-4,4.2V0H4V4.2Z", wall, width=0.7)
        + shape("M-4.8,0.6L-3.2,-4H3.2L4.8,0.6Z", roof, width=0.7)
        + plain("M-4.4,0.3L-4,-1.2H4L4.4,0.3Z", shade, 0.55)
        + plain("M-2.4,3.4V1.6H-1V3.4ZM1,3.4V1.6H2.4V3.4Z", shade)
    )


def _tree(variety: int) -> str:
    crown = p.TREE[variety]
    return (
        '<ellipse cx="0.9" cy="2.6" rx="3.2" ry="1.3" fill="#2d3a1c" fill-opacity="0.22"/>'
        + line("M0,0.5V2.6", "#6d563b", 0.9)
        + f'<circle cx="0" cy="-1" r="2.8" fill="{crown}" stroke="{p.TREE_DARK}"'
        ' stroke-width="0.55"/>'
        '<circle cx="-0.9" cy="-1.8" r="1.1" fill="#ffffff" fill-opacity="0.16"/>'
    )


def _monastery(_: int) -> str:
    return (
        plain("M-14,10.5H15L19,6V-1H-12Z", "#2d2412", 0.2)
        # The nave seen from the side, the front of the chapel with its door, and the bell tower.
        + shape("M-13.5,10V-1H3V10Z", p.STONE)
        + shape("M-15,-0.4L-11.5,-8.5H4V-0.4Z", p.CLOTH_RED)
        + plain("M-14.4,-0.9L-13.6,-3H4V-0.9Z", "#7f2a1e", 0.5)
        + shape("M1,10V-3L7,-10L13,-3V10Z", "#f3ecdf")
        + shape("M-0.4,-1.6L7,-10.6L14.4,-1.6L12.9,-0.2L7,-7.2L1.1,-0.2Z", p.CLOTH_RED)
        + shape("M5,10V5.8A2,2 0 0 1 9,5.8V10Z", "#6b4a33", width=0.6)
        + '<circle cx="7" cy="0.4" r="1.7" fill="#7fa5b8" stroke="#57483a" stroke-width="0.6"/>'
        + plain(
            "M-11,7V3.4A1,1 0 0 1 -9,3.4V7ZM-6.4,7V3.4A1,1 0 0 1 -4.4,3.4V7Z"
            "M-1.9,7V3.4A0.9,0.9 0 0 1 -0.1,3.4V7Z",
            "#7d6a58",
        )
        + line("M7,-10.6V-17.2M4.6,-14.8H9.4", p.WALL_LINE, 2.2)
        + line("M7,-10.6V-17M4.8,-14.8H9.2", p.GOLD, 1.1)
    )


def _shrine(_: int) -> str:
    """Draw a round temple on three steps, with a green dome and a gilded star."""
    columns = "".join(f"M{x - 1.15:g},7.2V-2.4H{x + 1.15:g}V7.2Z" for x in (-9, -4.4, 4.4, 9))
    steps = "".join(
        f'<ellipse cx="0" cy="{y}" rx="{rx}" ry="{ry}" fill="{fill}" stroke="{p.WALL_LINE}"'
        ' stroke-width="0.7"/>'
        for y, rx, ry, fill in (
            (9.6, 14.6, 4.6, p.COURT_SHADE),
            (8.2, 12.8, 3.8, p.STONE),
            (7, 11.2, 3, p.COURT),
        )
    )
    return (
        '<ellipse cx="2.4" cy="10.6" rx="16" ry="5" fill="#2d2412" fill-opacity="0.2"/>'
        + steps
        + shape("M-8,6V-2H8V6Z", p.SHADE, width=0.5)
        + shape("M-2,7.4V2A2,2.2 0 0 1 2,2V7.4Z", p.GOLD, p.WALL_LINE, 0.5)
        + shape(columns, p.STONE, width=0.7)
        + shape("M-11.4,-2.2C-11.4,-4.4 11.4,-4.4 11.4,-2.2V0C7,1.6 -7,1.6 -11.4,0Z", p.STONE)
        + shape("M-9.8,-3.4C-9.4,-11 -3.4,-14.4 0,-14.4C3.4,-14.4 9.4,-11 9.8,-3.4Z", p.COPPER)
        + plain("M2.4,-14C6,-12.6 9.2,-9 9.6,-3.6H5.4C5.6,-8 4.4,-11.6 2.4,-14Z", "#21493a", 0.35)
        + line("M0,-14.4V-17", p.WALL_LINE, 1.6)
        + shape(
            "M0,-22.2L1.2,-19.6L4,-19.3L1.9,-17.5L2.5,-14.8L0,-16.2L-2.5,-14.8L-1.9,-17.5"
            "L-4,-19.3L-1.2,-19.6Z",
            p.GOLD,
            p.WALL_LINE,
            0.6,
        )
    )


def _volcano(_: int) -> str:
    """Draw a dark cone that rises from the lake, with glowing lava and some smoke."""
    return (
        '<ellipse cx="1" cy="12.6" rx="21" ry="5.4" fill="#203542" fill-opacity="0.35"/>'
        + shape(
            "M-20,12C-13,7.6 -9.4,-3 -5.4,-9.6C-3.4,-8.2 3.4,-8.2 5.4,-9.6C9.4,-3 13,7.6 20,12"
            "C13,15.6 -13,15.6 -20,12Z",
            "#6f6157",
        )
        + plain(
            "M5.4,-9.6C9.4,-3 13,7.6 20,12C14,15 8,14.8 3,14.8C7,6 6,-2 2.6,-8.6Z", "#433830", 0.5
        )
        + '<ellipse cx="0" cy="-9.6" rx="5.4" ry="2" fill="#5a2417" stroke="#3c312a"'
        ' stroke-width="0.8"/>'
        + plain(
            "M-3.6,-9.2C-2.4,-6 -5.6,-2 -4.2,2.4C-3,0.4 -2.6,-2.6 -1.4,-4.4C-0.4,0 1.6,4 0.8,9"
            "C4,5 2.6,-1 2.2,-4C3,-5.4 3.4,-7.6 3.8,-9.2Z",
            "#e8622c",
        )
        + plain(
            "M-2.2,-9.4C-1.4,-7 -2.6,-4.6 -2.8,-2.4C-1.4,-4.4 -1,-6 0.2,-7C1,-5 1.4,-3 1.4,-1"
            "C2,-4 1.8,-7 2.2,-9.4Z",
            "#f7b63e",
        )
        + "".join(
            f'<circle cx="{x}" cy="{y}" r="{r}" fill="#d9d5cf" fill-opacity="{o}"/>'
            for x, y, r, o in ((0.6, -13.4, 2.4, 0.85), (3.4, -17, 3.2, 0.7), (-0.6, -20, 3.8, 0.5))
        )
    )


def _pig_herd(_: int) -> str:
    """Draw three pigs at a trough."""
    pigs = []
    for x, y, size in ((-5.2, -2.4, 0.9), (5, -3.2, 0.8), (0.4, 3.6, 1.05)):
        pigs.append(
            f'<g transform="translate({x} {y}) scale({size})">'
            '<ellipse cx="0.6" cy="2.9" rx="5.2" ry="1.4" fill="#2d3a1c" fill-opacity="0.25"/>'
            + line("M-2.6,1V3.2M-0.8,1.4V3.4M1.6,1.4V3.4M3,1V3.2", "#b0675f", 1)
            + '<ellipse cx="0" cy="0" rx="4.7" ry="2.9" fill="#efa39b" stroke="#9c544d"'
            ' stroke-width="0.7"/>'
            '<circle cx="-4.6" cy="-0.9" r="2.2" fill="#efa39b" stroke="#9c544d"'
            ' stroke-width="0.7"/>'
            + plain("M-4.6,-2.8L-3.2,-4.2L-2.8,-2Z", "#c9756c")
            + '<circle cx="-6.2" cy="-0.6" r="0.9" fill="#c9756c"/>'
            '<circle cx="-4.8" cy="-1.5" r="0.4" fill="#3b2a1a"/>'
            + line("M4.6,-0.6q1.8,-0.4 1,-1.8", "#9c544d", 0.7)
            + "</g>"
        )
    return "".join(pigs)


def _abbey(_: int) -> str:
    """Draw a church with a tall tower between two cloister wings."""
    arches = "".join(
        f"M{x - 1.6:g},13V8.6A1.6,1.9 0 0 1 {x + 1.6:g},8.6V13Z" for x in (-18.6, -13.8, 13.8, 18.6)
    )
    return (
        plain("M-21.5,14H23L28,8.5V1H-18Z", "#2d2412", 0.22)
        # The tower at the back, the wings, and the front of the church.
        + shape("M-5.6,2V-16H5.6V2Z", p.STONE)
        + shape("M-7.2,-15.4L0,-27L7.2,-15.4Z", p.SLATE)
        + plain("M0,-26.4L6.6,-15.8H2.4Z", p.SLATE_DARK, 0.6)
        + plain(
            "M-3.4,-8V-11.6A1.2,1.4 0 0 1 -1,-11.6V-8ZM1,-8V-11.6A1.2,1.4 0 0 1 3.4,-11.6V-8Z",
            "#5f5346",
        )
        + shape("M-22,13.4V3H-6V13.4ZM6,13.4V3H22V13.4Z", "#efe7d8")
        + shape("M-23.8,3.8L-19.6,-4.6H-4V3.8ZM23.8,3.8L19.6,-4.6H4V3.8Z", p.SLATE)
        + plain("M-23,3.3L-22.2,1.3H-4V3.3ZM23,3.3L22.2,1.3H4V3.3Z", p.SLATE_DARK, 0.55)
        + plain(arches, "#7d6a58")
        + shape("M-9,14V-0.6L0,-9.6L9,-0.6V14Z", "#f6efe2", width=0.9)
        + shape("M-10.8,0.9L0,-11L10.8,0.9L9.1,2.4L0,-7.4L-9.1,2.4Z", p.SLATE)
        + '<circle cx="0" cy="0.4" r="2.8" fill="#8fb4c9" stroke="#57483a" stroke-width="0.7"/>'
        + line("M0,-2.2V3M-2.6,0.4H2.6", "#f6efe2", 0.6)
        + shape("M-2.9,14V8.4A2.9,3.2 0 0 1 2.9,8.4V14Z", "#6b4a33", width=0.7)
        + line("M0,-27V-34M-2.6,-31.4H2.6", p.WALL_LINE, 2.4)
        + line("M0,-27V-33.8M-2.4,-31.4H2.4", p.GOLD, 1.2)
    )


def _garden(_: int) -> str:
    """Draw a clipped hedge around four flower beds and a fountain."""
    pink, yellow = "#d2527a", "#e8c547"
    beds = ((-4.6, -4, pink), (4.6, -4, yellow), (-4.6, 4, yellow), (4.6, 4, pink))
    parts = [
        '<rect x="-10" y="-8.4" width="22" height="19.6" rx="3.4" fill="#2d3a1c"'
        ' fill-opacity="0.25"/>',
        '<rect x="-11" y="-9.6" width="22" height="19.6" rx="3.4" fill="#5f8446"'
        ' stroke="#3f5c30" stroke-width="0.9"/>',
        '<rect x="-8.8" y="-7.5" width="17.6" height="15.4" rx="1.8" fill="#e9dfc2"/>',
    ]
    for x, y, flower in beds:
        parts.append(
            f'<rect x="{x - 3.1}" y="{y - 2.6}" width="6.2" height="5.4" rx="1.2" fill="#86a95a"/>'
        )
        for dx, dy in ((-1.7, -1.1), (0.2, 0.1), (1.8, -1.2), (-1.5, 1.5), (1.7, 1.4)):
            parts.append(
                f'<circle cx="{number(x + dx)}" cy="{number(y + dy)}" r="0.95" fill="{flower}"/>'
            )
    parts.append(
        f'<circle r="2.6" fill="{p.STONE}" stroke="{p.WALL_LINE}" stroke-width="0.6"/>'
        f'<circle r="1.5" fill="{p.RIVER}"/>'
    )
    return "".join(parts)


def _shield(_: int) -> str:
    form = "M-5,-6H5V-0.6C5,3 2.6,5.4 0,6.8C-2.6,5.4 -5,3 -5,-0.6Z"
    return (
        f'<path d="{form}" fill="{p.SHIELD_BLUE}" stroke="{p.WALL_LINE}" stroke-width="2.6"/>'
        f'<path d="{form}" fill="{p.SHIELD_BLUE}" stroke="{p.GOLD}" stroke-width="1.3"/>'
        + plain(
            "M-1.1,-5.4H1.1V-1.7H4.4V0.5H1.1V5.6L0,6.2L-1.1,5.6V0.5H-4.4V-1.7H-1.1Z", p.SHIELD_WHITE
        )
    )


def _cathedral(_: int) -> str:
    tower = "M{0},15V-11L{1},-19L{2},-11V15Z"
    left, right = tower.format(-13, -9, -5), tower.format(5, 9, 13)
    return (
        plain("M-14,16H15L20,11V0H-12Z", "#2d2412", 0.22)
        + shape("M-8,15V-3L0,-10.5L8,-3V15Z", "#efe7d8", width=0.9)
        + shape(left, p.STONE, width=0.9)
        + shape(right, p.STONE, width=0.9)
        + shape("M-13.6,-10.6L-9,-20.5L-4.4,-10.6Z", "#5d7f93", width=0.8)
        + shape("M13.6,-10.6L9,-20.5L4.4,-10.6Z", "#5d7f93", width=0.8)
        + '<circle cx="0" cy="0" r="3.5" fill="#8fb4c9" stroke="#57483a" stroke-width="0.8"/>'
        + line("M0,-3.2V3.2M-3.2,0H3.2M-2.2,-2.2L2.2,2.2M-2.2,2.2L2.2,-2.2", "#efe7d8", 0.6)
        + shape("M-2.6,15V9A2.6,3 0 0 1 2.6,9V15Z", "#6b4a33", width=0.7)
        + plain(
            "M-10,-2.5V-6A1,1.4 0 0 1 -8,-6V-2.5ZM8,-2.5V-6A1,1.4 0 0 1 10,-6V-2.5Z"
            "M-10,7V3A1,1.4 0 0 1 -8,3V7ZM8,7V3A1,1.4 0 0 1 10,3V7Z",
            "#6f6355",
        )
        + line("M-9,-20.5V-24M-10.5,-22.6H-7.5M9,-20.5V-24M7.5,-22.6H10.5", p.WALL_LINE, 0.9)
    )


def _inn(_: int) -> str:
    """Draw a timber-framed house by a pond."""
    return (
        f'<ellipse cx="1" cy="4.6" rx="10" ry="5" fill="{p.RIVER}" stroke="{p.RIVER_EDGE}"'
        ' stroke-width="0.9"/>'
        + line("M3,7.4H7M-5,6.8H-2", p.RIVER_LIGHT, 0.7)
        + shape("M-6,4V-3.4H6V4Z", "#f7eedb")
        + shape("M-7.4,-2.6L-4.6,-9H4.6L7.4,-2.6Z", "#8c4a3a")
        + line(
            "M-2.4,-3V4M2.4,-3V4M-6,0.4H-2.4M2.4,0.4H6M-6,4L-2.4,0.4M6,4L2.4,0.4", "#7a5234", 0.8
        )
        + plain("M-1.2,4V0.6H1.2V4Z", "#6b4a33")
    )


def _token(drawing: str, rim: str) -> str:
    """Draw a round sign in the colour of its goods, which distinguishes them at small sizes."""
    return (
        f'<circle r="7.4" fill="{p.WALL_LINE}"/><circle r="6.9" fill="{rim}"/>'
        f'<circle r="5.7" fill="#fdf8ea"/>{drawing}'
    )


def _wine(_: int) -> str:
    """Draw a standing barrel."""
    return _token(
        shape(
            "M-2.9,-3.6C-4.1,-1.4 -4.1,1.6 -2.9,3.8C-1.4,4.8 1.4,4.8 2.9,3.8"
            "C4.1,1.6 4.1,-1.4 2.9,-3.6Z",
            p.WINE,
            width=0.7,
        )
        + line(
            "M-3.3,-1.5C-1.6,-0.8 1.6,-0.8 3.3,-1.5M-3.3,1.7C-1.6,2.5 1.6,2.5 3.3,1.7", p.GOLD, 1
        )
        + f'<ellipse cy="-3.6" rx="2.9" ry="1" fill="{p.WINE_LIGHT}" stroke="{p.WALL_LINE}"'
        ' stroke-width="0.7"/>',
        p.WINE,
    )


def _grain(_: int) -> str:
    """Draw a sheaf: ears above, a tie, straws below."""
    ears = "".join(
        f'<ellipse cx="{x}" cy="{y}" rx="1.15" ry="2.1" fill="{p.GOLD}" stroke="{p.STRAW}"'
        f' stroke-width="0.5" transform="rotate({angle} {x} {y})"/>'
        for x, y, angle in (
            (-3, -1.9, -34),
            (3, -1.9, 34),
            (-1.6, -3, -16),
            (1.6, -3, 16),
            (0, -3.3, 0),
        )
    )
    return _token(
        line("M0,1.2L-2.6,4.2M0,1.2L2.6,4.2M0,0.6V4.7M0,1.2L-1.3,4.6M0,1.2L1.3,4.6", p.STRAW, 0.8)
        + line("M0,1L-2.6,-1.4M0,1L2.6,-1.4M0,1V-2", p.STRAW, 0.8)
        + ears
        + line("M-1.3,1.1H1.3", p.CLOTH_RED, 1.3),
        p.GOLD,
    )


def _cloth(_: int) -> str:
    """Draw a roll whose end hangs down."""
    return _token(
        shape(
            "M-3.4,-2.2L3.4,-3.4V2.8C1.6,3 0.4,4.4 -1.4,4.2C-2.2,4.1 -2.8,3.8 -3.4,3.4Z",
            p.TEAL,
            width=0.7,
        )
        + line("M-1,-0.2V3.4M1.2,-0.6V2.9", p.TEAL_DARK, 0.6)
        + shape("M-3.2,-4.2L3,-5C4.9,-4.8 4.9,-1.6 3.2,-1.4L-3.2,-0.6Z", p.TEAL, width=0.7)
        + f'<ellipse cx="-3.1" cy="-2.4" rx="1.25" ry="1.8" fill="{p.TEAL_LIGHT}"'
        f' stroke="{p.WALL_LINE}" stroke-width="0.7"/>',
        p.TEAL,
    )


def _bazaar(variety: int) -> str:
    """Draw the ground of a market, elongated if a bridge crosses it."""
    rx, ry = ((18.5, 15.5), (28.0, 15.5), (18.5, 26.0))[variety]
    return (
        f'<ellipse rx="{rx}" ry="{ry}" fill="{p.SAND}" stroke="{p.ROAD_EDGE}" stroke-width="1.2"/>'
        f'<ellipse rx="{rx - 2.4:g}" ry="{ry - 2.4:g}" fill="none" stroke="{p.SAND_SHADE}"'
        ' stroke-width="0.9" stroke-dasharray="2.2 1.8"/>'
    )


def _tent(variety: int) -> str:
    color = p.CANVAS[variety]
    return (
        plain("M-4.6,4.4H5L7.6,2.6V-1H0Z", "#3b2a1a", 0.2)
        + shape("M-4.8,4.2V-0.6H4.8V4.2Z", "#fbf5e4", width=0.7)
        + plain("M-1.4,4.2L0,-0.4L1.4,4.2Z", "#7d5a3d")
        + shape("M-6.4,-0.2L0,-7L6.4,-0.2Z", color, width=0.7)
        + plain("M-2.2,-0.6L-0.5,-5.9H0.5L2.2,-0.6Z", "#fbf5e4")
        + line("M0,-7V-9.4", p.WALL_LINE, 0.7)
        + plain("M0.2,-9.8L3.4,-8.8L0.2,-7.8Z", color)
    )


def _stall(variety: int) -> str:
    """Draw a counter with fruit under a striped awning."""
    color = p.CANVAS[variety]
    fruit = "".join(
        f'<circle cx="{x:g}" cy="0.9" r="1.05" fill="{fill}"/>'
        for x, fill in zip((-3.6, -1.3, 1.1, 3.5), p.FRUIT, strict=True)
    )
    stripes = plain(
        "M-3.5,-0.6L-2.7,-4.8H-0.9L-1.2,-0.6ZM1.2,-0.6L0.9,-4.8H2.7L3.5,-0.6Z", "#fbf5e4"
    )
    return (
        plain("M-5,4.4H5.2L7.6,2.8V-0.4H0Z", "#3b2a1a", 0.2)
        + line("M-4.9,4V-1M4.9,4V-1", p.WALL_LINE, 0.8)
        + shape("M-5.2,4.4V1.3H5.2V4.4Z", "#b98a58", width=0.7)
        + fruit
        + shape("M-6,-0.4L-4.5,-5H4.5L6,-0.4Z", color, width=0.7)
        + stripes
    )


def _rock(variety: int) -> str:
    form, face = (
        ("M-4.6,2.8L-4,-1.2L-1,-3.4L2.6,-2.4L4.6,0.6L4,2.8Z", "M-1,-3.4L2.6,-2.4L4.6,0.6L0.6,0.2Z"),
        ("M-3.6,2.8L-4.2,0L-1.6,-4L1.8,-4.4L3.8,-0.8L3.6,2.8Z", "M-1.6,-4L1.8,-4.4L3.8,-0.8L0,-1Z"),
        ("M-3.8,2.6L-3.6,-0.4L-0.6,-2.2L3,-1.4L3.8,2.6Z", "M-0.6,-2.2L3,-1.4L3.4,0.6L0,0.4Z"),
    )[variety]
    return (
        '<ellipse cx="1" cy="2.6" rx="5" ry="1.6" fill="#2d3a1c" fill-opacity="0.25"/>'
        + shape(form, p.WALL_STONE, width=0.8)
        + plain(face, p.WALL_LIGHT)
    )


def _reeds(variety: int) -> str:
    lean = (-0.8, 0.6, 0.0)[variety]
    heads = "".join(
        f'<ellipse cx="{x + lean:g}" cy="{y:g}" rx="0.85" ry="1.9" fill="#7a5234"/>'
        for x, y in ((-2.2, -3), (0.4, -4.6), (2.6, -2.4))
    )
    return (
        '<ellipse cx="0.6" cy="3.4" rx="4.4" ry="1.4" fill="#2d3a1c" fill-opacity="0.25"/>'
        + line(
            f"M-1.4,3.4L{-2.2 + lean:g},-3M0,3.6L{0.4 + lean:g},-4.6M1.4,3.4L{2.6 + lean:g},-2.4"
            "M-2,3.4Q-3.4,1.4 -4.4,0.6M2.2,3.4Q3.6,1.6 4.8,1.2",
            p.TREE_DARK,
            0.8,
        )
        + heads
    )


def _hill(_: int) -> str:
    """Draw a round hill with a bare top, lit from the north-west."""
    tufts = (
        "M-8,3.4l0.8,-2M-7,3.6v-2.4M-6,3.5l-0.6,-1.8M5.4,4.4l0.8,-2M6.4,4.6v-2.4M7.4,4.5l-0.6,-1.8"
    )
    return (
        '<ellipse cx="2" cy="6.6" rx="14.4" ry="4.6" fill="#2d3a1c" fill-opacity="0.28"/>'
        + shape(
            "M-14,6.4C-10.6,3.6 -8.4,-8.6 -0.6,-9.2C6.4,-9.6 9.4,2.6 14,6.4C9,9.4 -9,9.4 -14,6.4Z",
            p.GRASS_DARK,
            p.HEDGE_DARK,
            0.9,
        )
        + plain(
            "M-10.6,3.4C-8.2,-0.4 -6.6,-8 -0.6,-8.4C1.4,-8.4 2.4,-6.6 3,-4.4"
            "C-1,-4 -5.6,-0.6 -10.6,3.4Z",
            p.GRASS_LIGHT,
            0.9,
        )
        + plain(
            "M-3.6,-6.6C-2.6,-8 -1.4,-8.4 -0.4,-8.4C1.6,-8.4 2.8,-6.4 3.6,-4.6"
            "L1.4,-5.6L-0.4,-4.2L-1.8,-5.6Z",
            p.WALL_LIGHT,
        )
        + line(tufts, p.TREE_DARK, 0.6)
    )


def _dragon_body(body: str, belly: str, edge: str) -> str:
    """Draw a dragon that faces west, with a wing and a curled tail."""
    return (
        shape(
            "M-10,-2.4C-9,-5.6 -5.4,-7.4 -2.6,-6L-1.6,-8.4L0,-5C2.4,-3.4 2,-0.6 1.2,1.2"
            "C4.6,-0.6 8.6,0.4 9.4,3.8C10,6.8 7.6,9 5,8.6C7,7.4 7.2,5.4 5.6,5"
            "C3.4,4.6 3,8 -0.6,8.4C-4.6,8.8 -6.6,6 -5.4,3C-4.8,1.4 -3.4,0.4 -3.4,-1"
            "C-5,-0.4 -8.2,0 -10,-2.4Z",
            body,
            edge,
            0.9,
        )
        + shape(
            "M-1.2,2C0,-3.4 4.6,-8.6 10,-8.6C8.6,-6.6 8.6,-5 9.2,-3.4C6.6,-3.6 4.6,-1.4 3,2.6Z",
            belly,
            edge,
            0.8,
        )
        + plain(
            "M-4.6,3.6C-4.2,1.8 -2.6,1 -2.6,-0.6C-1.4,0.8 -2.6,4 -2.4,7.4C-4.4,7 -5.2,5.4 "
            "-4.6,3.6Z",
            belly,
        )
        + '<circle cx="-5.4" cy="-3.8" r="0.9" fill="#f7e9a8"/>'
    )


def _dragon_sign(_: int) -> str:
    """Draw the dragon sign on a tile."""
    return (
        f'<circle r="11.6" fill="{p.SAND}" stroke="{p.GATE}" stroke-width="1.2"/>'
        f'<g transform="scale(0.84)">{_dragon_body("#a3352b", "#c8604c", "#4f1712")}</g>'
    )


def _dragon(_: int) -> str:
    """Draw the dragon itself, flying over the board."""
    return (
        '<ellipse cx="1" cy="9.6" rx="10.6" ry="3" fill="#2b1a14" fill-opacity="0.34"/>'
        + _dragon_body("#c8402f", "#ee8a5a", "#4f1712")
    )


def _portal(_: int) -> str:
    """Draw a round stone arch around a swirling light."""
    stones = "".join(
        f'<circle cx="{x}" cy="{y}" r="2.1" fill="{p.STONE}" stroke="{p.WALL_LINE}"'
        ' stroke-width="0.7"/>'
        for x, y in (
            (-8, 5),
            (-9, 0.6),
            (-7.6, -4),
            (-4.4, -7.6),
            (0, -9),
            (4.4, -7.6),
            (7.6, -4),
            (9, 0.6),
            (8, 5),
        )
    )
    return (
        '<ellipse cx="0" cy="7.4" rx="11" ry="3.2" fill="#2d3a1c" fill-opacity="0.26"/>'
        + shape("M-7.4,7C-8.6,-8.4 8.6,-8.4 7.4,7C4,8.4 -4,8.4 -7.4,7Z", "#3f5fb0", "#27396b", 0.9)
        + line("M-3.6,3.6C-6,-3.4 3.6,-6.6 4,-0.6C4.2,3 -1,3.4 -0.8,0.2", "#dfe9ff", 1.3)
        + stones
    )


def _princess(_: int) -> str:
    """Draw a lady with a pointed hat and a veil."""
    return (
        f'<circle r="7.4" fill="{p.SAND}" stroke="{p.GATE}" stroke-width="1"/>'
        + shape("M-4.6,6C-4.2,2.4 -2,1.4 0,1.4C2,1.4 4.2,2.4 4.6,6Z", "#b2477e", p.GATE, 0.7)
        + shape("M-1.9,-3L3.4,-7L1.5,-2Z", "#b2477e", p.GATE, 0.6)
        + plain("M3.2,-6.8C6,-5 5.4,-1 4.2,1.4C4.2,-1.6 3.6,-3.6 2.4,-5Z", "#ffffff", 0.8)
        + f'<circle cx="-0.4" cy="-0.8" r="2.6" fill="#f1cfae" stroke="{p.GATE}"'
        ' stroke-width="0.6"/>'
        + plain("M-2.9,-1.2C-2.6,-3.8 1.4,-4 2,-1.4C0.6,-2.6 -1.4,-2.6 -2.9,-1.2Z", "#7a4a22")
    )


def _fairy(_: int) -> str:
    """Draw a small winged figure with a wand."""
    return (
        '<ellipse cx="0" cy="8" rx="6" ry="1.8" fill="#2b1a14" fill-opacity="0.3"/>'
        + shape(
            "M-0.6,-1C-3,-7 -9.4,-6.4 -8,-1.6C-7,1.6 -2.6,1 -0.6,0.4Z", "#d8f0ff", "#5c7d9c", 0.7
        )
        + shape("M0.6,-1C3,-7 9.4,-6.4 8,-1.6C7,1.6 2.6,1 0.6,0.4Z", "#d8f0ff", "#5c7d9c", 0.7)
        + shape("M0,-1.4L4,8H-4Z", "#f3d34e", p.GATE, 0.8)
        + f'<circle cx="0" cy="-4" r="2.7" fill="#f6d9bd" stroke="{p.GATE}" stroke-width="0.7"/>'
        + plain("M-2.7,-4.4C-2.4,-7.4 2.4,-7.4 2.7,-4.4C1,-5.6 -1,-5.6 -2.7,-4.4Z", "#f0b93a")
        + line("M2.4,2L6.4,-2", p.GATE, 0.8)
        + '<circle cx="6.6" cy="-2.4" r="1.3" fill="#fff7c9" stroke="#d9a93c" stroke-width="0.6"/>'
    )


def _vineyard(_: int) -> str:
    """Draw three rows of vines on stakes, with grapes."""
    rows = []
    for y in (-6.6, -0.4, 5.8):
        rows.append(line(f"M-9.6,{y + 2.6:g}H9.6", p.GATE, 1.0))
        for x in (-8, -2.7, 2.6, 7.9):
            rows.append(line(f"M{x:g},{y + 3.4:g}V{y - 3:g}", p.GATE, 0.9))
            rows.append(
                f'<ellipse cx="{x:g}" cy="{y - 1:g}" rx="2.5" ry="2.1" fill="{p.HEDGE}"'
                f' stroke="{p.HEDGE_DARK}" stroke-width="0.6"/>'
            )
            rows += [
                f'<circle cx="{x + dx:g}" cy="{y + dy:g}" r="0.75" fill="#6b3f7d"/>'
                for dx, dy in ((-0.8, 0.2), (0.8, 0.2), (0, 1.3))
            ]
    ground = '<rect x="-11.6" y="-10.8" width="23.2" height="21.2" rx="3" fill="{}"{}/>'
    return ground.format(p.SAND_SHADE, f' stroke="{p.ROAD_EDGE}" stroke-width="0.9"') + "".join(
        rows
    )


def _village(_: int) -> str:
    return (
        f'<circle r="8" fill="{p.ROAD}" stroke="{p.ROAD_EDGE}" stroke-width="1.2"/>'
        f'<circle r="3" fill="{p.STONE}" stroke="{p.WALL_LINE}" stroke-width="0.8"/>'
        f'<circle r="1.4" fill="{p.RIVER}"/>'
    )


def _sheep(_: int) -> str:
    """Draw a sheep seen from the side."""
    return (
        line("M-3,2.6V5.4M2.4,2.6V5.4", p.WALL_LINE, 1.4)
        + shape(
            "M-6,0C-6.4,-2.8 -4,-4.6 -1.8,-4C-0.4,-5.4 2.6,-5 3.4,-3.4C5.6,-3 6,0.4 4.6,1.8"
            "C3.6,3.6 -3.6,3.8 -5,2.2C-5.8,1.6 -6.2,0.8 -6,0Z",
            p.SHIELD_WHITE,
            width=0.8,
        )
        + f'<circle cx="5.4" cy="-2" r="2" fill="{p.WALL_LINE}"/>'
    )


def _foundation(_: int) -> str:
    """Draw a square of hewn stones on which a tower can be built."""
    joints = "M-10,-3.4H10M-10,3.4H10M-3.4,-10V-3.4M4,-3.4V3.4M-4.6,3.4V10M3.4,3.4V10M5,-10V-3.4"
    return (
        '<rect x="-10.4" y="-9.4" width="22.4" height="22" rx="2" fill="#2d2412"'
        ' fill-opacity="0.25"/>'
        f'<rect x="-11" y="-11" width="22" height="22" rx="1.6" fill="{p.WALL_STONE}"'
        f' stroke="{p.WALL_LINE}" stroke-width="1.2"/>'
        + line(joints, p.WALL_LINE, 0.7)
        + f'<rect x="-6.4" y="-6.4" width="12.8" height="12.8" rx="1" fill="{p.SHADE}"'
        f' stroke="{p.WALL_LINE}" stroke-width="1"/>'
    )


def _floor(_: int) -> str:
    """Draw a tower floor: a low block of stones."""
    return (
        shape("M-9,-3.4L0,-7.4L9,-3.4L0,0.6Z", p.WALL_LIGHT, width=0.9)
        + shape("M-9,-3.4L0,0.6V7L-9,3Z", p.WALL_STONE, width=0.9)
        + shape("M9,-3.4L0,0.6V7L9,3Z", p.COURT_SHADE, width=0.9)
        + line("M-4.6,-1.4V5M4.6,-1.4V5", p.WALL_LINE, 0.7)
    )


def _king(_: int) -> str:
    """Draw a crown on a meeple's head."""
    tips = ((-6.2, -15.4), (0, -17.4), (6.2, -15.4))
    return (
        shape("M-5,-9L-6.2,-15L-2.9,-12.3L0,-17L2.9,-12.3L6.2,-15L5,-9Z", p.GOLD, p.SEATS_DARK[2])
        + plain("M-5,-9L-5.3,-10.8H5.3L5,-9Z", p.CLOTH_RED)
        + "".join(
            f'<circle cx="{x}" cy="{y}" r="1.1" fill="{p.CHAIN}" stroke="{p.SEATS_DARK[2]}"'
            ' stroke-width="0.6"/>'
            for x, y in tips
        )
    )


def _robber(_: int) -> str:
    """Draw a sack of coins at a meeple's feet."""
    return (
        shape(
            "M8.6,3.6C5.2,5.6 3.8,8.6 4.8,11C5.6,12.8 13.8,12.8 14.6,11C15.6,8.6 14.2,5.6"
            " 10.8,3.6Z",
            p.SAND_SHADE,
            p.GATE,
        )
        + shape("M8.4,3.4L6.7,0.6L9.7,1.4L12.7,0.6L11,3.4Z", p.SAND, p.GATE)
        + line("M8,3.6H11.4", p.CLOTH_RED, 1.3)
        + f'<circle cx="9.7" cy="8.3" r="2.2" fill="{p.GOLD}" stroke="{p.GATE}"'
        ' stroke-width="0.7"/>'
    )


Symbol = tuple[Callable[[int], str], float]
"""The function that draws a symbol in one of its varieties, and the symbol's natural radius."""

DRAWINGS: dict[str, Symbol] = {
    "house": (_house, 4.6),
    "tree": (_tree, 3.0),
    "monastery": (_monastery, 15.0),
    "abbey": (_abbey, 24.0),
    "shrine": (_shrine, 15.0),
    "volcano": (_volcano, 20.0),
    "pig-herd": (_pig_herd, 9.0),
    "garden": (_garden, 11.0),
    "shield": (_shield, 6.5),
    "cathedral": (_cathedral, 20.0),
    "inn": (_inn, 9.0),
    "wine": (_wine, 7.4),
    "grain": (_grain, 7.4),
    "cloth": (_cloth, 7.4),
    "bazaar": (_bazaar, 16.0),
    "tent": (_tent, 6.0),
    "stall": (_stall, 6.0),
    "rock": (_rock, 4.6),
    "reeds": (_reeds, 5.0),
    "village": (_village, 8.0),
    "hill": (_hill, 15.0),
    "vineyard": (_vineyard, 12.0),
    "dragon-sign": (_dragon_sign, 12.0),
    "dragon": (_dragon, 11.0),
    "portal": (_portal, 11.0),
    "princess": (_princess, 7.6),
    "fairy": (_fairy, 9.0),
    "sheep": (_sheep, 6.5),
    "foundation": (_foundation, 11.0),
    "floor": (_floor, 9.0),
    "king": (_king, MEEPLE_RADIUS),
    "robber": (_robber, MEEPLE_RADIUS),
}
"""Drawings that several sets share; things on top of a meeple are as large as the meeple."""


@cache
def known_drawings() -> dict[str, Symbol]:
    """Return all shared drawings and all drawings of sets, by kind."""
    return DRAWINGS | {
        kind: symbol for drawing in drawings() for kind, symbol in drawing.symbols.items()
    }
