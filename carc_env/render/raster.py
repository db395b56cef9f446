"""From SVG to pixels, with resvg (the extra ``carc_env[render]``)."""

from __future__ import annotations

import io
import os
from types import ModuleType

import numpy as np
import numpy.typing as npt

MISSING = 'drawing pixels needs an extra: pip install "carc_env[render]"'


def png_from_svg(svg: str) -> bytes:
    """An SVG at its own size as the bytes of a PNG file.

    Raises
    ------
    ImportError
        resvg is not installed.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise ImportError(MISSING) from error
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True))


def rgb_from_svg(svg: str) -> npt.NDArray[np.uint8]:
    """An SVG at its own size as an array of shape (height, width, 3).

    Raises
    ------
    ImportError
        resvg or pygame is not installed.
    """
    pygame = load_pygame()
    surface = pygame.image.load(io.BytesIO(png_from_svg(svg)), "board.png")
    pixels = pygame.surfarray.array3d(surface)
    return np.ascontiguousarray(pixels.swapaxes(0, 1), dtype=np.uint8)


def load_pygame() -> ModuleType:
    """Pygame without its greeting.

    Raises
    ------
    ImportError
        Pygame is not installed.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError(MISSING) from error
    module: ModuleType = pygame
    return module
