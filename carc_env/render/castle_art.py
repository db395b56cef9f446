"""Castles: a walled court across both halves of a town, with a keep, towers and its lords.

The owner's banner flies over the keep until the lords have gone home; the castle then no longer
scores, and its roofs are grey (CAS-24). Castles are upright whether their tiles lie side by side or
one above the other.
"""

from __future__ import annotations

from carc_env.engine.core.codes import SIDE_SPOTS, Spot
from carc_env.position import Castle, Place
from carc_env.render import palette as p
from carc_env.render.brush import line, plain, shape
from carc_env.render.shapes import MIDDLES, SIZE, Point, number

# Around the middle of the side that the halves share: both caps, drawn as one.
_FLAT = "M-46,0C-35,-9 -25,-29 0,-29C25,-29 35,-9 46,0C35,9 25,29 0,29C-25,29 -35,9 -46,0Z"
_TALL = "M0,-46C9,-35 29,-25 29,0C29,25 9,35 0,46C-9,35 -29,25 -29,0C-29,-25 -9,-35 0,-46Z"

# Foot, radius and height.
_FLAT_TOWERS = (
    (-23, -14, 6, 16),
    (23, -14, 6, 16),
    (-44, 6, 6.2, 15),
    (44, 6, 6.2, 15),
    (-23, 23, 5, 9),
    (23, 23, 5, 9),
)
_TALL_TOWERS = ((0, -38, 6, 13), (-25, 0, 6, 16), (25, 0, 6, 16), (0, 47, 5.6, 10))
_KEEP: Point = (0, -3)
_LORDS: Point = (0, 11)


def middle_of(place: Place) -> Point:
    """Return the middle of a town or castle in board units, with tiles ``SIZE`` wide."""
    x, y, spot = place
    middle = MIDDLES[SIDE_SPOTS.index(spot)]
    return x * SIZE + middle[0], y * SIZE + middle[1]


def stand_of_lords(castle: Castle) -> Point:
    """Return where a castle's lords stand: in its court, in board units."""
    middle = middle_of((castle.x, castle.y, castle.spot))
    return middle[0] + _LORDS[0], middle[1] + _LORDS[1]


def castle_svg(place: Place, seats: tuple[int, ...]) -> str:
    """Return a castle as an SVG group in board units; ``seats`` are its lords' seats."""
    x, y = middle_of(place)
    is_flat = place[2] in (Spot.N, Spot.S)
    outline = _FLAT if is_flat else _TALL
    court = p.COURT if seats else p.COURT_SHADE
    parts = [
        f'<g transform="translate(3 4)">{plain(outline, p.SHADE, 0.28)}</g>',
        plain(outline, court),
        line(outline, p.WALL_LINE, 8.4),
        line(outline, p.WALL_STONE, 6.4),
        f'<path d="{outline}" fill="none" stroke="{p.WALL_LIGHT}" stroke-width="5.4"'
        ' stroke-dasharray="4.4 2"/>',
    ]
    standing = [(_KEEP[1], _keep(seats))]
    for tower in _FLAT_TOWERS if is_flat else _TALL_TOWERS:
        standing.append((tower[1], _tower(*tower, is_done=not seats)))
    parts += [svg for _, svg in sorted(standing)]
    return (
        f'<g class="castle" data-x="{place[0]}" data-y="{place[1]}" data-spot="{place[2].name}"'
        f' data-done="{int(not seats)}" transform="translate({number(x)} {number(y)})">'
        f"{''.join(parts)}</g>"
    )


def frame_svg(place: Place, color: str) -> str:
    """Return a dashed line around a town or castle that its occupier decides about."""
    x, y = middle_of(place)
    outline = _FLAT if place[2] in (Spot.N, Spot.S) else _TALL
    return (
        f'<g class="town" data-x="{place[0]}" data-y="{place[1]}" data-spot="{place[2].name}"'
        f' transform="translate({number(x)} {number(y)}) scale(1.1)">'
        f'<path d="{outline}" fill="#fffdf5" fill-opacity="0.12" stroke="#fffdf5"'
        ' stroke-width="6" stroke-linejoin="round"/>'
        f'<path d="{outline}" fill="none" stroke="{color}" stroke-width="3.4"'
        ' stroke-dasharray="9 6" stroke-linecap="round" stroke-linejoin="round"/></g>'
    )


def _tower(x: float, y: float, radius: float, height: float, *, is_done: bool) -> str:
    """Return a round tower, whose roof shows from afar whether the castle is still waiting."""
    roof, dark = (p.LEAD, p.LEAD_DARK) if is_done else (p.WINE, p.WINE_DARK)
    r, eaves = radius, radius + 1.6
    foot = f"A{r},2.2 0 0 0 {r},0"
    return (
        f'<g transform="translate({number(x)} {number(y)})">'
        + plain(f"M{-r},0{foot}L{r + 6},-4L{r + 4},-8H0Z", p.SHADE, 0.22)
        + shape(f"M{-r},{-height}V0{foot}V{-height}Z", p.WALL_LIGHT, width=1)
        + plain(f"M{r * 0.35:g},{-height}V1.7Q{r * 0.8:g},1.4 {r},0V{-height}Z", p.WALL_STONE, 0.55)
        + plain(
            f"M-1.1,{-height + 9}V{-height + 5.4}A1.1,1.3 0 0 1 1.1,{-height + 5.4}v3.6Z", p.SLIT
        )
        + shape(
            f"M{-eaves},{-height + 1}L0,{-height - 2.1 * r}L{eaves},{-height + 1}"
            f"A{eaves},2 0 0 1 {-eaves},{-height + 1}Z",
            roof,
            width=1,
        )
        + plain(
            f"M0,{-height - 2 * r}L{eaves - 0.6:g},{-height + 0.8}Q{r * 0.7:g},{-height + 2.4}"
            f" {r * 0.25:g},{-height + 2.4}Z",
            dark,
            0.5,
        )
        + "</g>"
    )


def _keep(seats: tuple[int, ...]) -> str:
    """Return the keep with the lords' banner, or a bare pole once they have gone."""
    banners = "".join(
        shape(f"M0.6,{y}H13L10,{y + 4}L13,{y + 8}H0.6Z", p.SEATS[seat], p.SEATS_DARK[seat], 1)
        for seat, y in zip(dict.fromkeys(seats), (-46, -37), strict=False)
    )
    slits = "M-7.6,-13V-17A1.4,1.6 0 0 1 -4.8,-17V-13ZM4.8,-13V-17A1.4,1.6 0 0 1 7.6,-17V-13Z"
    return (
        f'<g class="keep" transform="translate({number(_KEEP[0])} {number(_KEEP[1])})">'
        + plain("M-12,1H13L21,-6V-18H0Z", p.SHADE, 0.24)
        + line("M0,-28V-46", p.WALL_LINE, 1.6)
        + shape("M-12,1V-24H12V1Z", p.STONE, width=1)
        + plain("M5,0.4V-24H11.6V0.4Z", p.COURT_SHADE, 0.8)
        + shape("M-13,-22V-30H-8.6V-26.8H-4.4V-30H4.4V-26.8H8.6V-30H13V-22Z", p.WALL_LIGHT, width=1)
        + plain(slits + "M-1.4,-15V-19A1.4,1.6 0 0 1 1.4,-19V-15Z", p.SLIT)
        + shape("M-3.6,1V-5A3.6,4 0 0 1 3.6,-5V1Z", p.GATE, width=0.8)
        + banners
        + "</g>"
    )
