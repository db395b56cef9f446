"""Films of games as GIFs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from carc_env.extras import extras_named

COLORS = 128
LAST_SECONDS = 3.0
"""Seconds for which a film's last frame is shown."""

Frame = npt.NDArray[np.uint8]
"""Shape (height, width, 3)."""


def held(frames: Iterator[Frame], last: Frame, fps: float) -> Iterator[Frame]:
    """Yield a film's frames, and then its last frame for some seconds."""
    return chain(frames, repeat(last, math.ceil(LAST_SECONDS * fps)))


def write_gif(target: Path | BinaryIO, frames: Iterator[Frame], fps: float, last: Frame) -> None:
    """Write a GIF in the last frame's colours: unchanged parts take no space.

    Parameters
    ----------
    target : Path or file
        The output.
    frames : iterator of array, each of shape (height, width, 3), uint8
        At least one.
    fps : float
        Frames per second.
    last : array
        The last frame, which stays for some seconds.

    Raises
    ------
    ImportError
        Pillow is not installed; it comes with ``carc_env[render]``.
    """
    with extras_named():
        from PIL import Image

    palette = Image.fromarray(last).quantize(COLORS)
    plain = Image.Dither.NONE
    shown = held(frames, last, fps)
    images = (Image.fromarray(f).quantize(palette=palette, dither=plain) for f in shown)
    first, duration = next(images), round(1000 / fps)
    first.save(target, "GIF", save_all=True, append_images=images, duration=duration, loop=0)
