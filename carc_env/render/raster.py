"""From SVG to pixels, with resvg and Pillow (the ``carc_env[render]`` extra).

Drawing a tile takes resvg several milliseconds; copying its pixels takes a few microseconds. So
tiles and the pieces on top of them are rendered separately, once, and assembled from a cache.
"""

from __future__ import annotations

import hashlib
import io
import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.extras import extras_named
from carc_env.render.pieces import Layer, Piece
from carc_env.render.shapes import SIZE
from carc_env.render.shelf import kept
from carc_env.render.tile_art import CLIP

MASTERS = (128, 256)
"""Pixel sizes at which squares are rendered; others are scaled down from the next larger one."""
N_SQUARES, N_SMALL, N_PIECES = 600, 1200, 2000
"""Cached pictures of each kind: tens of megabytes in total."""
PNG_LEVEL = 2
"""Compression level: higher levels take up to twice as long to save a few per cent."""

Image = Any
"""A Pillow image; Pillow is loaded only when pixels are requested."""


def png_from_svg(svg: str) -> bytes:
    """Return an SVG at its own size as a PNG file's bytes.

    Raises
    ------
    ImportError
        resvg is not installed.
    """
    with extras_named():
        import resvg_py
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))


def rgb_from_svg(svg: str) -> npt.NDArray[np.uint8]:
    """Return an SVG at its own size as an array of shape (height, width, 3).

    Raises
    ------
    ImportError
        resvg or Pillow is not installed.
    """
    return np.array(_decoded(svg).convert("RGB"))


def _decoded(svg: str) -> Image:
    """Return an SVG as a Pillow image."""
    return _opened(png_from_svg(svg))


def _opened(png: bytes) -> Image:
    """Return the image in a PNG file's bytes."""
    with extras_named():
        from PIL import Image as pillow
    image = pillow.open(io.BytesIO(png), formats=["PNG"])
    image.load()
    return image


class Canvas:
    """Pixels onto which pieces of a drawing are put one after the other.

    Parameters
    ----------
    width, height : int
        Size in pixels.
    color : str
        Background colour.

    Raises
    ------
    ImportError
        The ``carc_env[render]`` extra is not installed.
    """

    def __init__(self, width: int, height: int, color: str) -> None:
        with extras_named():
            from PIL import Image as pillow
        self._image = pillow.new("RGB", (width, height), color)

    def put_layer(self, layer: Layer) -> None:
        """Draw all pieces of a layer, including those in groups."""
        for part in layer.pieces:
            if isinstance(part, Piece):
                self.put(part, layer.left, layer.top, layer.scale)
                continue
            left, top = layer.left + part.x * layer.scale, layer.top + part.y * layer.scale
            for piece in part.pieces:
                self.put(piece, left, top, layer.scale)

    def put(self, piece: Piece, left: float, top: float, scale: float) -> None:
        """Draw a piece with its origin at a given pixel."""
        x, y = math.floor(left), math.floor(top)
        image, dx, dy = _pixels(piece.svg, piece.box, scale, left - x, top - y)
        if image is not None:
            self._image.paste(image, (x + dx, y + dy), image)

    def put_square(self, svg: str, left: int, top: int, size: int) -> None:
        """Draw a square of 100 units, at a size in pixels; it hides whatever is below it."""
        self._image.paste(_square(svg, size), (left, top))

    def rgb(self) -> npt.NDArray[np.uint8]:
        """Return the pixels, shape (height, width, 3)."""
        return np.array(self._image)

    def png(self) -> bytes:
        """Return the pixels as a PNG file's bytes."""
        file = io.BytesIO()
        self._image.save(file, "PNG", compress_level=PNG_LEVEL)
        return file.getvalue()


@lru_cache(N_PIECES)
def _pixels(
    svg: str, box: tuple[float, float, float, float], scale: float, dx: float, dy: float
) -> tuple[Image | None, int, int]:
    """Return a piece's pixels, without its empty margins, and where they begin.

    ``dx`` and ``dy`` are the fractions of a pixel by which its origin lies past a whole pixel.
    """
    left, top = math.floor(box[0] * scale + dx), math.floor(box[1] * scale + dy)
    width = math.ceil(box[2] * scale + dx) - left
    height = math.ceil(box[3] * scale + dy) - top
    shift = f"translate({dx - left:.6g} {dy - top:.6g}) scale({scale:.6g})"
    image = _decoded(_document(svg, width, height, f"0 0 {width} {height}", shift)).convert("RGBA")
    found = image.getbbox()
    if found is None:
        return None, 0, 0
    return image.crop(found), left + found[0], top + found[1]


@lru_cache(N_SMALL)
def _square(svg: str, size: int) -> Image:
    """Return a square at a size, scaled down from a larger one so that new sizes are cheap."""
    from PIL.Image import Resampling

    larger = next((master for master in MASTERS if master >= size), size)
    drawn = _drawn_square(svg, larger)
    return drawn if larger == size else drawn.resize((size, size), Resampling.LANCZOS)


@lru_cache(N_SQUARES)
def _drawn_square(svg: str, size: int) -> Image:
    document = _document(svg, size, size, f"0 0 {SIZE:g} {SIZE:g}", "")
    name = f"square {hashlib.sha256(document.encode()).hexdigest()}"
    return _opened(kept(name, lambda: png_from_svg(document))).convert("RGB")


def _document(svg: str, width: int, height: int, view: str, transform: str) -> str:
    clip = f"<defs>{CLIP}</defs>" if "#tile-clip" in svg else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="{view}">{clip}<g transform="{transform}">{svg}</g></svg>'
    )
