"""The picture of a position: the board cropped to its tiles, the figures, and the side panel."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Figure, Kind, Spot
from carc_env.position import Place, PlacedFigure, PlacedTile, Position, halves_of
from carc_env.render import palette as p
from carc_env.render.castle_art import castle_svg, frame_svg, middle_of, stand_of_lords
from carc_env.render.figure_art import FARMERS, FIGURE_SCALE, figure_svg, ghost_svg
from carc_env.render.lettering import text_svg, text_width
from carc_env.render.panel import WIDTH as PANEL_UNITS
from carc_env.render.panel import panel_height, panel_svg
from carc_env.render.raster import png_from_svg, rgb_from_svg
from carc_env.render.shapes import SIZE, Point, number
from carc_env.render.sites import kind_of, stand_of
from carc_env.render.tile_art import CLIP, tile_svg

NATURAL_TILE = 100
"""Pixels of a tile when no size is asked for."""

MIN_ACROSS = 3
"""A young board is shown as if it had this many rows and columns."""

MARGIN = 0.035  # of the picture's width
PANEL_SHARE = 0.25
LYING = -90.0
CROWD_STEP = 8.0
SIGN_LETTERS = 13.0  # height of the letters of a mark, in hundredths of a tile
SIGN_BELOW = 22.0
COURT_STEP = 13.0  # between the lords of a castle


@dataclass(frozen=True)
class Frame:
    """Where board and panel lie in the picture, in pixels.

    Tiles begin and end on whole pixels, so that no seams show between them.
    """

    width: int
    height: int
    tile: int
    left: int
    top: int
    panel_left: float
    panel_top: float
    panel_scale: float


@dataclass(frozen=True)
class Mark:
    """What is drawn over a cell of the board: a tile or a figure that could be there, and a text.

    Attributes
    ----------
    x, y
        The cell.
    text
        In a sign on it: digits, letters and ``- + / . :``.
    is_best
        Whether the sign stands out.
    tile, rotation
        A tile that could lie there.
    figure, spot
        A figure of the decider that could stand there, and where.
    """

    x: int
    y: int
    text: str
    is_best: bool = False
    tile: str | None = None
    rotation: int = 0
    figure: Figure | None = None
    spot: Spot | None = None


def board_svg(
    position: Position,
    *,
    highlight: tuple[int, int] | None = None,
    width: int | None = None,
    height: int | None = None,
    marks: Sequence[Mark] = (),
) -> str:
    """A position as an SVG document.

    Parameters
    ----------
    position
        What to draw.
    highlight
        Coordinates of the tile to be outlined; by default the tile that was placed last.
    width
        Width in pixels; by default a tile is 100 pixels wide.
    height
        Height in pixels; by default as high as board and panel need. With both width and height
        all pictures of a game have the same size, and the board is scaled to fit.
    marks
        What is drawn over the board.

    Returns
    -------
    str
        The document. Texts are drawn as strokes, so it needs no fonts. Tiles are groups of the
        class ``tile``, castles of the class ``castle``, figures of the class ``figure``, scored
        wagons that wait of the class ``waiting``, all with their facts as ``data-`` attributes.

    Raises
    ------
    ValueError
        The size is too small for the board, or a figure stands where no tile or segment is.
    """
    cells = [*((tile.x, tile.y) for tile in position.tiles), *((m.x, m.y) for m in marks)]
    frame = _frame(position, cells, width, height)
    west, north = _corner(cells)
    seats = len(position.scores)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{frame.width}" height="{frame.height}"'
        f' viewBox="0 0 {frame.width} {frame.height}">',
        f"<defs>{CLIP}{_designs(position)}</defs>",
        f'<rect width="{frame.width}" height="{frame.height}" fill="{p.PAPER}"/>',
        f'<g class="board" data-seats="{seats}" transform="translate({frame.left} {frame.top})'
        f' scale({number(frame.tile / SIZE)}) translate({-west * SIZE:g} {-north * SIZE:g})">',
        "".join(_shadow(tile) for tile in position.tiles),
        "".join(_tile(tile) for tile in position.tiles),
        _outline(position, highlight),
        _castles(position),
        _target(position),
        _town(position),
        _figures(position),
        "".join(_mark(mark, position) for mark in marks),
        "</g>",
        f'<g transform="translate({number(frame.panel_left)} {number(frame.panel_top)})'
        f' scale({frame.panel_scale:.4f})">{panel_svg(position)}</g>',
        "</svg>",
    ]
    return "".join(parts)


def board_png(
    position: Position,
    *,
    highlight: tuple[int, int] | None = None,
    width: int | None = None,
    height: int | None = None,
) -> bytes:
    """A position as the bytes of a PNG file; parameters as for :func:`board_svg`.

    Raises
    ------
    ImportError
        The extra ``carc_env[render]`` is not installed.
    """
    return png_from_svg(board_svg(position, highlight=highlight, width=width, height=height))


def board_rgb(
    position: Position,
    *,
    width: int = 960,
    height: int = 720,
    highlight: tuple[int, int] | None = None,
) -> npt.NDArray[np.uint8]:
    """A position as pixels; other parameters as for :func:`board_svg`.

    Returns
    -------
    numpy.ndarray
        Shape (height, width, 3), dtype uint8, the same for all positions.

    Raises
    ------
    ImportError
        The extra ``carc_env[render]`` is not installed.
    """
    return rgb_from_svg(board_svg(position, highlight=highlight, width=width, height=height))


# -------------------------------------------------------------------------------------- frame


Cells = Sequence[tuple[int, int]]


def _corner(cells: Cells) -> tuple[float, float]:
    """Board coordinates of the north-west corner of the crop, small boards centred."""
    xs, ys = zip(*cells, strict=True)
    columns, rows = _extent(cells)
    return (
        min(xs) - (columns - (max(xs) - min(xs) + 1)) / 2,
        min(ys) - (rows - (max(ys) - min(ys) + 1)) / 2,
    )


def _extent(cells: Cells) -> tuple[int, int]:
    xs, ys = zip(*cells, strict=True)
    return max(max(xs) - min(xs) + 1, MIN_ACROSS), max(max(ys) - min(ys) + 1, MIN_ACROSS)


def _frame(position: Position, cells: Cells, width: int | None, height: int | None) -> Frame:
    if not position.tiles:
        raise ValueError("a position without tiles cannot be drawn")
    columns, rows = _extent(cells)
    units = panel_height(position)
    if width is None:
        margin = 40
        width = round((columns * NATURAL_TILE + 3 * margin) / (1 - PANEL_SHARE))
    margin = max(4, round(width * MARGIN))
    panel = PANEL_SHARE * width
    across = width - panel - 3 * margin
    if height is None:
        tile = int(across // columns)
        scale = panel / PANEL_UNITS
        height = math.ceil(max(rows * tile, units * scale)) + 2 * margin
    else:
        tile = int(min(across // columns, (height - 2 * margin) // rows))
        scale = min(panel / PANEL_UNITS, (height - 2 * margin) / units)
    # Small boards are centred by half tiles, and tiles begin on whole pixels: the width is even.
    tile -= tile % 2
    if tile < 2:
        raise ValueError(f"{width} x {height} pixels are too few for {columns} x {rows} tiles")
    left = margin + int(across - columns * tile) // 2
    return Frame(
        width=width,
        height=height,
        tile=tile,
        left=left,
        top=(height - rows * tile) // 2,
        panel_left=width - margin - PANEL_UNITS * scale,
        panel_top=(height - units * scale) / 2,
        panel_scale=scale,
    )


# ------------------------------------------------------------------------------ on the board


def _design_id(tile: PlacedTile) -> str:
    return f"{tile.tile}-{tile.rotation % 4}" + (f"-{tile.bridge}" if tile.bridge else "")


def _designs(position: Position) -> str:
    """Every design on the board once, for each of its rotations and bridges."""
    drawn = {_design_id(t): tile_svg(t.tile, t.rotation % 4, t.bridge) for t in position.tiles}
    return "".join(f'<g id="{name}">{drawn[name]}</g>' for name in sorted(drawn))


def _place(x: float, y: float) -> str:
    return f"translate({x * SIZE:g} {y * SIZE:g})"


def _shadow(tile: PlacedTile) -> str:
    return (
        f'<rect width="103" height="103.5" rx="3" fill="#3b2f1a" fill-opacity="0.16"'
        f' transform="{_place(tile.x, tile.y)}"/>'
    )


def _tile(tile: PlacedTile) -> str:
    bridge = f' data-bridge="{tile.bridge}"' if tile.bridge else ""
    return (
        f'<g class="tile" data-tile="{tile.tile}" data-x="{tile.x}" data-y="{tile.y}"'
        f' data-rotation="{tile.rotation}"{bridge} transform="{_place(tile.x, tile.y)}">'
        f'<g clip-path="url(#tile-clip)"><use href="#{_design_id(tile)}"/></g>'
        '<rect x="0.3" y="0.3" width="99.4" height="99.4" fill="none" stroke="#3f3515"'
        ' stroke-width="0.6" stroke-opacity="0.28"/></g>'
    )


def _outline(position: Position, highlight: tuple[int, int] | None) -> str:
    """A soft frame round the last tile, or round the one that was asked for."""
    x, y = highlight or (position.tiles[-1].x, position.tiles[-1].y)
    frame = '<rect x="{0}" y="{0}" width="{1}" height="{1}" rx="2.5" fill="none" stroke="{2}"'
    return (
        f'<g class="highlight" data-x="{x}" data-y="{y}" transform="{_place(x, y)}">'
        f'{frame.format(0, 100, "#3a2d12")} stroke-width="4.6" stroke-opacity="0.45"/>'
        f'{frame.format(0, 100, "#fff3c4")} stroke-width="2.6"/></g>'
    )


def _target(position: Position) -> str:
    """A frame in the colour of the wagon's owner round the tile that the wagon is to go to."""
    if position.wagon_target is None:
        return ""
    x, y = position.wagon_target
    frame = '<rect x="5" y="5" width="90" height="90" rx="5" fill="{}" fill-opacity="0.12"'
    return (
        f'<g class="target" data-x="{x}" data-y="{y}" transform="{_place(x, y)}">'
        f'{frame.format("#fffdf5")} stroke="#fffdf5" stroke-width="6"/>'
        f'{frame.format("none")} stroke="{p.SEATS[position.decider]}" stroke-width="3.4"'
        ' stroke-dasharray="9 6" stroke-linecap="round"/></g>'
    )


def _castles(position: Position) -> str:
    """All castles from north to south, with the banners of their lords."""
    drawn: list[tuple[float, str]] = []
    for castle in position.castles:
        halves = halves_of((castle.x, castle.y, castle.spot))
        seats = tuple(f.seat for f in position.figures if (f.x, f.y, f.spot) in halves)
        drawn.append((middle_of(halves[0])[1], castle_svg(halves[0], seats)))
    return "".join(svg for _, svg in sorted(drawn))


def _town(position: Position) -> str:
    """A frame in the colour of the decider round the town or castle that he decides about."""
    if position.town is None:
        return ""
    return frame_svg(position.town, p.SEATS[position.decider])


def _mark(mark: Mark, position: Position) -> str:
    """A ghost of what could be there, and the sign: at the figure, else in the middle."""
    parts, middle = [], (SIZE / 2, SIZE / 2)
    if mark.tile is not None:
        ghost = tile_svg(mark.tile, mark.rotation)
        parts.append(f'<g clip-path="url(#tile-clip)" opacity="0.5">{ghost}</g>')
    if mark.figure is not None and mark.spot is not None:
        under = next(t for t in position.tiles if (t.x, t.y) == (mark.x, mark.y))
        middle = stand_of(under.tile, under.rotation, mark.spot, under.bridge)
        parts.append(ghost_svg(position.decider, mark.figure, middle, is_next=mark.is_best))
        middle = (middle[0], middle[1] + SIGN_BELOW)
    width = text_width(mark.text, SIGN_LETTERS) + 2 * SIGN_LETTERS
    fill, ink = (p.ACCENT, p.CARD) if mark.is_best else (p.CARD, p.INK)
    parts.append(
        f'<rect x="{number(middle[0] - width / 2)}" y="{number(middle[1] - SIGN_LETTERS)}"'
        f' width="{number(width)}" height="{number(2 * SIGN_LETTERS)}" rx="{SIGN_LETTERS:g}"'
        f' fill="{fill}" stroke="{p.INK}" stroke-width="1"/>'
    )
    base = middle[1] + SIGN_LETTERS / 2
    parts.append(text_svg(mark.text, middle[0], base, SIGN_LETTERS, color=ink, anchor="middle"))
    return (
        f'<g class="mark" data-x="{mark.x}" data-y="{mark.y}" data-text="{mark.text}"'
        f' data-best="{int(mark.is_best)}" transform="{_place(mark.x, mark.y)}">'
        f"{''.join(parts)}</g>"
    )


def _figures(position: Position) -> str:
    """All figures from north to south; those that share a place stand side by side.

    Wagons that wait for their owners are ghosts where they stood.
    """
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    everyone = (*position.figures, *position.wagons)
    courts = {
        half: stand_of_lords(castle)
        for castle in position.castles
        for half in halves_of((castle.x, castle.y, castle.spot))
    }
    stands: list[tuple[Kind, Point]] = []
    for figure in everyone:
        if (figure.x, figure.y) not in tiles:
            raise ValueError(f"no tile under the figure at ({figure.x}, {figure.y})")
        stands.append(_stand(figure, tiles[figure.x, figure.y], courts))
    shares = Counter(spot for _, spot in stands)
    seen: Counter[Point] = Counter()
    drawn: list[tuple[float, str]] = []
    for i, (figure, (kind, spot)) in enumerate(zip(everyone, stands, strict=True)):
        step = COURT_STEP if kind == Kind.CASTLE else CROWD_STEP
        aside = (seen[spot] - (shares[spot] - 1) / 2) * step
        seen[spot] += 1
        place = (spot[0] + aside, spot[1])
        n_before = i - len(position.figures)
        if n_before < 0:
            drawn.append((spot[1], _figure(figure, kind, place)))
        else:
            drawn.append((spot[1], _waiting(figure, kind, place, is_next=n_before == 0)))
    return "".join(svg for _, svg in sorted(drawn))


def _stand(
    figure: PlacedFigure, tile: PlacedTile, courts: dict[Place, Point]
) -> tuple[Kind, Point]:
    """What a figure stands on, and where on the board."""
    place = (figure.x, figure.y, figure.spot)
    if place in courts:
        return Kind.CASTLE, courts[place]
    facts = (tile.tile, tile.rotation, figure.spot, tile.bridge)
    x, y = stand_of(*facts)
    return kind_of(*facts), (figure.x * SIZE + x, figure.y * SIZE + y)


def _figure(figure: PlacedFigure, kind: Kind, spot: Point) -> str:
    is_farmer = kind == Kind.FIELD and figure.figure in FARMERS
    angle = LYING if is_farmer else 0.0
    return (
        f'<g class="figure" {_facts(figure, kind)}>'
        f"{figure_svg(figure.seat, figure.figure, spot, angle=angle, scale=FIGURE_SCALE)}</g>"
    )


def _waiting(wagon: PlacedFigure, kind: Kind, spot: Point, *, is_next: bool) -> str:
    return (
        f'<g class="waiting" {_facts(wagon, kind)} data-next="{int(is_next)}">'
        f"{ghost_svg(wagon.seat, wagon.figure, spot, is_next=is_next)}</g>"
    )


def _facts(figure: PlacedFigure, kind: Kind) -> str:
    return (
        f'data-seat="{figure.seat}" data-figure="{figure.figure.name}" data-kind="{kind.name}"'
        f' data-x="{figure.x}" data-y="{figure.y}" data-spot="{figure.spot.name}"'
    )
