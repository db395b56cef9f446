"""A picture in pieces: for the SVG they are joined, for pixels they are rendered one by one.

As long as neither the drawing of a piece nor its scale changes, its pixels are taken from a cache,
so that the next picture of a game costs only its new pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carc_env.render.shapes import number

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in the units of the drawing."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a drawing as an SVG fragment, and a box that encloses it."""

    svg: str
    box: Box


def around(x: float, y: float, reach: float) -> Box:
    """Return the box round a point."""
    return x - reach, y - reach, x + reach, y + reach


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces that belong together, in the SVG a group with facts for readers.

    Their origin lies at ``x``, ``y``; the same pieces elsewhere are the same for the cache.
    """

    facts: str
    x: float
    y: float
    pieces: Sequence[Piece]

    @property
    def svg(self) -> str:
        """The drawing of the group."""
        place = f"translate({number(self.x)} {number(self.y)})"
        return f'<g {self.facts} transform="{place}">{svg_of(self.pieces)}</g>'


@dataclass(frozen=True, slots=True)
class Layer:
    """Pieces in units of their own: the pixel at which their origin lies, and the scale."""

    pieces: Sequence[Piece | Group]
    left: float
    top: float
    scale: float


def svg_of(pieces: Sequence[Piece | Group]) -> str:
    """Return the drawing of several pieces, in order."""
    return "".join(piece.svg for piece in pieces)
