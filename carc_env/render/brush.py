"""Three ways to draw a path: filled with an outline, filled without an outline, or as a line."""

from __future__ import annotations

from carc_env.render import palette as p
from carc_env.render.shapes import number


def shape(path: str, fill: str, outline: str = p.WALL_LINE, width: float = 0.8) -> str:
    """Return a filled path with an outline."""
    return (
        f'<path d="{path}" fill="{fill}" stroke="{outline}" stroke-width="{number(width)}"'
        ' stroke-linejoin="round"/>'
    )


def plain(path: str, fill: str, opacity: float = 1.0) -> str:
    """Return a filled path without an outline."""
    faint = f' fill-opacity="{number(opacity)}"' if opacity < 1 else ""
    return f'<path d="{path}" fill="{fill}"{faint}/>'


def line(path: str, color: str, width: float, cap: str = "round") -> str:
    """Return a path as a line."""
    return (
        f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{number(width)}"'
        f' stroke-linecap="{cap}" stroke-linejoin="round"/>'
    )
