"""From SVG to pixels, with resvg and Pillow (the extra ``carc_env[render]``).

Drawing a tile takes resvg some milliseconds, copying its pixels a few microseconds. So tiles and
the pieces over them are rendered separately, once, and put together from a cache.
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
"""Sizes in pixels at which squares are drawn; others are scaled down from the next larger one."""
N_SQUARES, N_SMALL, N_PIECES = 600, 1200, 2000
"""Cached pictures of each kind: together some tens of megabytes."""
PNG_LEVEL = 2
"""Compression level: higher ones take up to twice as long for files smaller by a few per cent."""

Image = Any
"""An image of Pillow, which is loaded only when pixels are asked for."""


def png_from_svg(svg: str) -> bytes:
    """Return an SVG at its own size as the bytes of a PNG file.

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
    """Return an SVG as an image of Pillow."""
    return _opened(png_from_svg(svg))


def _opened(png: bytes) -> Image:
    """Return the image in the bytes of a PNG file."""
    with extras_named():
        from PIL import Image as pillow
    image = pillow.open(io.BytesIO(png), formats=["PNG"])
    image.load()
    return image


class Canvas:
    """Pixels on which pieces of a drawing are put one after the other.

    Parameters
    ----------
    width, height : int
        Pixels.
    color : str
        Colour of the ground.

    Raises
    ------
    ImportError
        The extra ``carc_env[render]`` is not installed.
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
        """Draw a piece whose origin lies at a pixel."""
        x, y = math.floor(left), math.floor(top)
        image, dx, dy = _pixels(piece.svg, piece.box, scale, left - x, top - y)
        if image is not None:
            self._image.paste(image, (x + dx, y + dy), image)

    def put_square(self, svg: str, left: int, top: int, size: int) -> None:
        """Draw a square of 100 units that covers the things below it, at a size in pixels."""
        self._image.paste(_square(svg, size), (left, top))

    def rgb(self) -> npt.NDArray[np.uint8]:
        """Return the pixels, shape (height, width, 3)."""
        return np.array(self._image)

    def png(self) -> bytes:
        """Return the pixels as the bytes of a PNG file."""
        file = io.BytesIO()
        self._image.save(file, "PNG", compress_level=PNG_LEVEL)
        return file.getvalue()


@lru_cache(N_PIECES)
def _pixels(
    svg: str, box: tuple[float, float, float, float], scale: float, dx: float, dy: float
) -> tuple[Image | None, int, int]:
    """Return the pixels of a piece, without its empty margins, and where they begin.

    ``dx`` and ``dy`` are the parts of a pixel by which its origin lies beyond a whole one.
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
    """Return a square at a size: scaled down from a larger one, so that a new size costs little."""
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
