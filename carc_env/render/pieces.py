"""A picture in pieces: joined for SVG, rendered one by one for pixels.

As long as neither a piece's drawing nor its scale changes, its pixels come from a cache, so the
next picture of a game costs only its new pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carc_env.render.shapes import number

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in the drawing's units."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a drawing as an SVG fragment, and a box that encloses it."""

    svg: str
    box: Box


def around(x: float, y: float, reach: float) -> Box:
    """Return the box around a point."""
    return x - reach, y - reach, x + reach, y + reach


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces that belong together; in the SVG, a group with machine-readable facts.

    Their origin is at ``x``, ``y``; the cache treats the same pieces elsewhere as identical.
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
    """Pieces in their own units: the pixel at which their origin lies, and the scale."""

    pieces: Sequence[Piece | Group]
    left: float
    top: float
    scale: float


def svg_of(pieces: Sequence[Piece | Group]) -> str:
    """Return the drawing of several pieces, in order."""
    return "".join(piece.svg for piece in pieces)
