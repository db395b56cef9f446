"""Pictures of positions: the board cropped to its tiles, the figures, and the side panel."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from carc_env.engine.core.codes import Kind
from carc_env.position import PlacedFigure, PlacedTile, Position
from carc_env.render import palette as p
from carc_env.render.card import WIDTH as PANEL_UNITS
from carc_env.render.declaring import courts_in, drawing_of, drawings, waiting_in
from carc_env.render.figure_art import (
    FIGURE_SCALE,
    figure_svg,
    ghost_svg,
    lies,
    lying_svg,
    ring_svg,
)
from carc_env.render.legal import Mark, legal_marks
from carc_env.render.lettering import text_svg, text_width
from carc_env.render.ownership import owner_pieces
from carc_env.render.panel import panel_height, panel_pieces
from carc_env.render.pieces import Box, Layer, Piece, around, svg_of
from carc_env.render.plan import Axis
from carc_env.render.raster import Canvas
from carc_env.render.shapes import SIZE, Point, number
from carc_env.render.shelf import kept
from carc_env.render.sites import kind_of, stand_of, tile_at
from carc_env.render.tile_art import CLIP, tile_svg

NATURAL_TILE = 100
"""Tile width in pixels if no size is given, unless the picture would be too wide."""
NATURAL_WIDTH = 1800
"""Maximum picture width in pixels if no size is given."""

MIN_ACROSS = 3
"""A small board is shown as if it had this many rows and columns."""

FRAME_WIDTH, FRAME_HEIGHT = 960, 720
"""Frame size in pixels if no size is given."""

MARGIN = 0.035  # of the picture's width
PANEL_SHARE = 0.25
CROWD_STEP = 8.0
SIGN_LETTERS = 13.0  # letter height in a mark, in hundredths of a tile
SIGN_BELOW = 22.0
FIGURE_REACH = 24.0  # from the point where a figure stands, before scaling
READABLE_TILE = 66
"""On tiles with fewer pixels, figures are drawn larger, up to ``MOST_LARGER``."""
MOST_LARGER = 1.9
RIM_SHARE, RIM_TILE_SHARE, RIM_LETTERS = 0.36, 0.24, (5.0, 15.0)
"""Height of the numbers at the rim: as a fraction of the margin, as a fraction of a tile, and the
limits in pixels."""


@dataclass(frozen=True)
class Frame:
    """Where the board and the panel are in the picture, in pixels.

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


class Look(TypedDict, total=False):
    """Options for pictures, which the functions below accept by name."""

    highlight: tuple[int, int] | None
    """Coordinates of the tile to outline; by default, the most recently placed tile."""
    width: int | None
    """Width in pixels; by default, a tile is 100 pixels wide, and the picture at most 1800."""
    height: int | None
    """Height in pixels; by default, as high as the board and the panel need.

    If both width and height are given, all pictures of a game have the same size, and the board is
    scaled to fit.
    """
    marks: Sequence[Mark]
    """Marks to draw on the board."""
    legal: bool
    """Whether to mark the locations of legal actions: cells for the tile, spots for figures, and
    destinations for wagons."""
    owners: bool
    """Whether to tint features in the colours of the players who would score them."""
    coordinates: bool
    """Whether to number the board's columns and rows at its rim (default: yes)."""


def board_svg(position: Position, **look: Unpack[Look]) -> str:
    """Return a position as an SVG document.

    Parameters
    ----------
    position
        The position to draw.
    look
        See :class:`Look`.

    Returns
    -------
    str
        The document. Texts are drawn as strokes, so no fonts are needed. Groups have the class
        ``tile``, ``castle``, ``figure`` or, for scored wagons that are waiting, ``waiting``; their
        facts are in ``data-`` attributes.

    Raises
    ------
    ValueError
        The size is too small for the board, or a figure stands where there is no tile or segment.
    """
    picture = _Picture(position, **look)
    frame = picture.frame
    size = f'width="{frame.width}" height="{frame.height}"'
    board, panel = picture.layers()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}'
        f' viewBox="0 0 {frame.width} {frame.height}">'
        f"<defs>{CLIP}{_designs(position)}</defs>"
        f'<rect {size} fill="{p.PAPER}"/>'
        f'<g class="board" data-seats="{len(position.scores)}" transform="{_placed(board)}">'
        f"{''.join(_shadow(tile) for tile in position.tiles)}"
        f"{''.join(_tile(tile) for tile in position.tiles)}{svg_of(board.pieces)}</g>"
        f'<g transform="{_placed(panel)}"><g class="panel">{svg_of(panel.pieces)}</g></g></svg>'
    )


def board_png(position: Position, **look: Unpack[Look]) -> bytes:
    """Return a position as a PNG file's bytes; parameters as for :func:`board_svg`.

    Raises
    ------
    ImportError
        The ``carc_env[render]`` extra is not installed.
    """
    return _paint(position, look).png()


def board_rgb(position: Position, **look: Unpack[Look]) -> npt.NDArray[np.uint8]:
    """Return a position as pixels; parameters as for :func:`board_svg`, by default 960 x 720.

    Returns
    -------
    numpy.ndarray
        Shape (height, width, 3), dtype uint8, the same for all positions.

    Raises
    ------
    ImportError
        The ``carc_env[render]`` extra is not installed.
    """
    return _paint(position, {"width": FRAME_WIDTH, "height": FRAME_HEIGHT, **look}).rgb()


def _placed(layer: Layer) -> str:
    return f"translate({number(layer.left)} {number(layer.top)}) scale({layer.scale:.6g})"


def _paint(position: Position, look: Look) -> Canvas:
    """Return a position's pixels: cached tiles side by side, with the other things on top."""
    picture = _Picture(position, **look)
    board, panel = picture.layers()
    size = picture.frame.tile
    canvas = Canvas(picture.frame.width, picture.frame.height, p.PAPER)
    corners = [
        (round(board.left) + t.x * size, round(board.top) + t.y * size) for t in picture.tiles
    ]
    for corner in corners:
        canvas.put(_SHADOW, *corner, board.scale)
    for tile, corner in zip(picture.tiles, corners, strict=True):
        canvas.put_square(_art(tile.tile, tile.rotation % 4, tile.bridge), *corner, size)
    for layer in (board, panel):
        canvas.put_layer(layer)
    return canvas


class _Picture:
    """A picture's layout, and the things on top of the tiles."""

    def __init__(
        self,
        position: Position,
        *,
        highlight: tuple[int, int] | None = None,
        width: int | None = None,
        height: int | None = None,
        marks: Sequence[Mark] = (),
        legal: bool = False,
        owners: bool = False,
        coordinates: bool = True,
    ) -> None:
        self.position, self.tiles = position, position.tiles
        self.highlight, self.owners, self.coordinates = highlight, owners, coordinates
        self.marks = [*(legal_marks(position) if legal else ()), *marks]
        cells = [*((t.x, t.y) for t in position.tiles), *((m.x, m.y) for m in self.marks)]
        if legal:  # every picture of a game has room for anything that may be legal in the next
            cells += [(tile.x + d, tile.y + d) for tile in position.tiles for d in (-1, 1)]
        self.cells = cells
        self.frame = _frame(position, cells, width, height)

    def layers(self) -> tuple[Layer, Layer]:
        """Return the layers on top of the tiles, and the panel."""
        frame, position = self.frame, self.position
        west, north = _corner(self.cells)
        pieces = [
            *(owner_pieces(position) if self.owners else ()),
            _outline(position, self.highlight),
            *(piece for drawing in drawings() for piece in drawing.below(position)),
            *_target(position),
            *_figures(position, figure_scale(frame.tile)),
            *_above(position),
            *(_mark(mark, position) for mark in self.marks),
            *(_rim(self.cells, frame) if self.coordinates else ()),
        ]
        left, top = frame.left - west * frame.tile, frame.top - north * frame.tile
        return (
            Layer(pieces, left, top, frame.tile / SIZE),
            Layer(panel_pieces(position), frame.panel_left, frame.panel_top, frame.panel_scale),
        )


# -------------------------------------------------------------------------------------- frame


Cells = Sequence[tuple[int, int]]


def _corner(cells: Cells) -> tuple[float, float]:
    """Return the board coordinates of the crop's north-west corner, with small boards centred."""
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
        width = min(width, NATURAL_WIDTH)
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
    # Small boards are centred by half tiles, and tiles begin on whole pixels, so the width is even.
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
    """Return every design on the board once per rotation and bridge."""
    drawn = {_design_id(t): tile_svg(t.tile, t.rotation % 4, t.bridge) for t in position.tiles}
    return "".join(f'<g id="{name}">{drawn[name]}</g>' for name in sorted(drawn))


def _place(x: float, y: float) -> str:
    return f"translate({x * SIZE:g} {y * SIZE:g})"


_SHADOW = Piece(
    '<rect width="103" height="103.5" rx="3" fill="#3b2f1a" fill-opacity="0.16"/>',
    (0, 0, 104, 104),
)
_EDGE = (
    '<rect x="0.3" y="0.3" width="99.4" height="99.4" fill="none" stroke="#3f3515"'
    ' stroke-width="0.6" stroke-opacity="0.28"/>'
)


@cache
def _art(tile: str, rotation: int, bridge: Axis | None) -> str:
    """Return a tile with its edge; always the same object, so that look-ups are fast."""
    content = kept(
        f"art {tile} {rotation} {bridge}", lambda: tile_svg(tile, rotation, bridge).encode()
    )
    return content.decode() + _EDGE


def _shadow(tile: PlacedTile) -> str:
    return f'<g transform="{_place(tile.x, tile.y)}">{_SHADOW.svg}</g>'


def _over(x: int, y: int, beyond: float = 0.0) -> Box:
    """Return a cell's box with some surroundings."""
    return around((x + 0.5) * SIZE, (y + 0.5) * SIZE, SIZE / 2 + beyond)


def _tile(tile: PlacedTile) -> str:
    bridge = f' data-bridge="{tile.bridge}"' if tile.bridge else ""
    return (
        f'<g class="tile" data-tile="{tile.tile}" data-x="{tile.x}" data-y="{tile.y}"'
        f' data-rotation="{tile.rotation}"{bridge} transform="{_place(tile.x, tile.y)}">'
        f'<g clip-path="url(#tile-clip)"><use href="#{_design_id(tile)}"/></g>{_EDGE}</g>'
    )


def _outline(position: Position, highlight: tuple[int, int] | None) -> Piece:
    """Return a soft frame around the last tile, or around the requested tile."""
    x, y = highlight or (position.tiles[-1].x, position.tiles[-1].y)
    frame = '<rect x="{0}" y="{0}" width="{1}" height="{1}" rx="2.5" fill="none" stroke="{2}"'
    return Piece(
        f'<g class="highlight" data-x="{x}" data-y="{y}" transform="{_place(x, y)}">'
        f'{frame.format(0, 100, "#3a2d12")} stroke-width="4.6" stroke-opacity="0.45"/>'
        f'{frame.format(0, 100, "#fff3c4")} stroke-width="2.6"/></g>',
        _over(x, y, 4),
    )


def _target(position: Position) -> list[Piece]:
    """Return a frame in the decider's colour around the tile chosen for a figure."""
    targets = (drawing.target(position) for drawing in drawings())
    target = next(filter(None, targets), position.chosen_cell)
    if target is None:
        return []
    x, y = target
    return [
        Piece(
            f'<g class="target" data-x="{x}" data-y="{y}" transform="{_place(x, y)}">'
            f"{_dashed(position.decider)}</g>",
            _over(x, y),
        )
    ]


def neutral_svgs(position: Position) -> list[tuple[str, Box]]:
    """Return ownerless things above the figures: drawings, and their boxes on the board."""
    return [(piece.svg, piece.box) for piece in _above(position)]


def _above(position: Position) -> list[Piece]:
    return [piece for drawing in drawings() for piece in drawing.above(position)]


def _dashed(seat: int) -> str:
    """Return a dashed frame in a player's colour, just inside a tile."""
    frame = '<rect x="5" y="5" width="90" height="90" rx="5" fill="{}" fill-opacity="0.12"'
    return (
        f'{frame.format("#fffdf5")} stroke="#fffdf5" stroke-width="6"/>'
        f'{frame.format("none")} stroke="{p.SEATS[seat]}" stroke-width="3.4"'
        ' stroke-dasharray="9 6" stroke-linecap="round"/>'
    )


def _mark(mark: Mark, position: Position) -> Piece:
    """Return a ghost of what could be placed, and the sign: at the figure, or else in the middle.

    A mark without a text is a frame around the cell, or a ring where a figure could stand.
    """
    parts, middle = [], (SIZE / 2, SIZE / 2)
    if mark.tile is not None:
        ghost = tile_svg(mark.tile, mark.rotation)
        parts.append(f'<g clip-path="url(#tile-clip)" opacity="0.5">{ghost}</g>')
    if mark.figure is not None and mark.spot is not None:
        under = tile_at(position, (mark.x, mark.y))
        middle = stand_of(under.tile, under.rotation, mark.spot, under.bridge)
        parts.append(ghost_svg(position.decider, mark.figure, middle, is_next=mark.is_best))
        middle = (middle[0], middle[1] + SIGN_BELOW)
    parts.append(_sign(mark, middle) if mark.text else _place_mark(mark, position))
    return Piece(
        f'<g class="mark" data-x="{mark.x}" data-y="{mark.y}" data-text="{mark.text}"'
        f' data-best="{int(mark.is_best)}" transform="{_place(mark.x, mark.y)}">'
        f"{''.join(parts)}</g>",
        _over(mark.x, mark.y, SIZE),
    )


def _place_mark(mark: Mark, position: Position) -> str:
    """Return the mark for a possible placement: a frame, or a ring at a spot."""
    if mark.spot is None:
        return _dashed(position.decider)
    if mark.figure is not None:
        return ""
    under = tile_at(position, (mark.x, mark.y))
    x, y = stand_of(under.tile, under.rotation, mark.spot, under.bridge)
    return ring_svg(position.decider, (x, y))


def _sign(mark: Mark, middle: Point) -> str:
    """Return the text of a mark on a plate."""
    width = text_width(mark.text, SIGN_LETTERS) + 2 * SIGN_LETTERS
    fill, ink = (p.ACCENT, p.CARD) if mark.is_best else (p.CARD, p.INK)
    plate = (
        f'<rect x="{number(middle[0] - width / 2)}" y="{number(middle[1] - SIGN_LETTERS)}"'
        f' width="{number(width)}" height="{number(2 * SIGN_LETTERS)}" rx="{SIGN_LETTERS:g}"'
        f' fill="{fill}" stroke="{p.INK}" stroke-width="1"/>'
    )
    base = middle[1] + SIGN_LETTERS / 2
    return plate + text_svg(mark.text, middle[0], base, SIGN_LETTERS, color=ink, anchor="middle")


def figure_scale(tile: int) -> float:
    """Return the figure scale for a tile size in pixels: larger than life on small tiles."""
    return FIGURE_SCALE * min(max(READABLE_TILE / tile, 1.0), MOST_LARGER)


def standing_in(
    position: Position, scale: float = FIGURE_SCALE
) -> Iterator[tuple[PlacedFigure, PlacedTile, Kind, Point]]:
    """Return all figures with tile, kind of segment and location; waiting figures come last.

    Locations are in board units; figures that share a location stand side by side.

    Raises
    ------
    ValueError
        There is no tile under a figure.
    """
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    everyone, courts = (*position.figures, *waiting_in(position)), courts_in(position)
    stands: list[tuple[PlacedTile, Kind, Point, float]] = []
    for figure in everyone:
        if (tile := tiles.get((figure.x, figure.y))) is None:
            raise ValueError(f"no tile under the figure at ({figure.x}, {figure.y})")
        if court := courts.get((figure.x, figure.y, figure.spot)):
            stands.append((tile, court.kind, court.stand, court.step))
        else:
            facts = (tile.tile, tile.rotation, figure.spot, tile.bridge)
            x, y = stand_of(*facts)
            spot = (figure.x * SIZE + x, figure.y * SIZE + y)
            stands.append((tile, kind_of(*facts), spot, CROWD_STEP))
    shares, seen = Counter(spot for _, _, spot, _ in stands), Counter[Point]()
    for figure, (tile, kind, spot, step) in zip(everyone, stands, strict=True):
        aside = (seen[spot] - (shares[spot] - 1) / 2) * (step * scale / FIGURE_SCALE)
        seen[spot] += 1
        yield figure, tile, kind, (spot[0] + aside, spot[1])


def _figures(position: Position, scale: float) -> list[Piece]:
    """Return all figures from north to south; figures waiting for their owners are ghosts."""
    drawn: list[tuple[float, Piece]] = []
    for i, (figure, _, kind, place) in enumerate(standing_in(position, scale)):
        n_before = i - len(position.figures)
        if n_before < 0:
            svg = _figure(figure, kind, place, scale)
            svg += drawing_of(figure.figure).beside(position, figure, place, scale)
        else:
            svg = _waiting(figure, kind, place, is_next=n_before == 0)
        drawn.append((place[1], Piece(svg, around(*place, FIGURE_REACH * scale))))
    return [piece for _, piece in sorted(drawn, key=lambda figure: figure[0])]


def _figure(figure: PlacedFigure, kind: Kind, spot: Point, scale: float) -> str:
    if lies(figure.figure, kind):
        drawn = lying_svg(figure.seat, figure.figure, kind, spot, scale=scale)
    else:
        drawn = figure_svg(figure.seat, figure.figure, spot, scale=scale)
    return f'<g class="figure" {_facts(figure, kind)}>{drawn}</g>'


def _waiting(figure: PlacedFigure, kind: Kind, spot: Point, *, is_next: bool) -> str:
    return (
        f'<g class="waiting" {_facts(figure, kind)} data-next="{int(is_next)}">'
        f"{ghost_svg(figure.seat, figure.figure, spot, is_next=is_next)}</g>"
    )


def _facts(figure: PlacedFigure, kind: Kind) -> str:
    return (
        f'data-seat="{figure.seat}" data-figure="{figure.figure.name}" data-kind="{kind.name}"'
        f' data-x="{figure.x}" data-y="{figure.y}" data-spot="{figure.spot.name}"'
    )


def _rim(cells: Cells, frame: Frame) -> list[Piece]:
    """Return the column numbers above the board and the row numbers to its left."""
    scale = frame.tile / SIZE
    least, most = RIM_LETTERS
    pixels = max(least, min(frame.left * RIM_SHARE, frame.tile * RIM_TILE_SHARE, most))
    letters = pixels / scale
    west, north = _corner(cells)
    xs, ys = zip(*cells, strict=True)
    labels = []
    for x in range(min(xs), max(xs) + 1):
        labels.append((str(x), (x + 0.5) * SIZE, north * SIZE - 0.6 * letters, "middle"))
    for y in range(min(ys), max(ys) + 1):
        labels.append((str(y), west * SIZE - 0.6 * letters, (y + 0.5) * SIZE + letters / 2, "end"))
    return [
        Piece(
            text_svg(text, x, y, letters, color=p.FAINT_INK, anchor=anchor, weight=1.6),
            around(x, y, 3 * letters),
        )
        for text, x, y, anchor in labels
    ]
