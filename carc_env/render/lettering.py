"""Digits and capitals as strokes, so that pictures with numbers need no installed fonts.

The letters are drawn with round caps at a height of ten units; ``WIDTHS`` lists their widths.
"""

from __future__ import annotations

from carc_env.render.shapes import number

CAP_HEIGHT = 10.0
LETTER_GAP = 2.6

_STROKES: dict[str, tuple[float, str]] = {
    " ": (2.6, ""),
    "A": (6.4, "M0 10L3.2 0L6.4 10M1.2 6.6H5.2"),
    "B": (5.6, "M3 4.8H0V0H2.8A2.4 2.4 0 0 1 2.8 4.8M3 4.8A2.6 2.6 0 0 1 3 10H0V4.8"),
    "C": (5.8, "M5.8 2.5A2.95 2.95 0 0 0 0 2.9V7.1A2.95 2.95 0 0 0 5.8 7.5"),
    "D": (5.8, "M0 0H2.6A3.2 3.2 0 0 1 5.8 3.2V6.8A3.2 3.2 0 0 1 2.6 10H0Z"),
    "E": (4.8, "M4.8 0H0V10H4.8M0 4.9H4.1"),
    "F": (4.6, "M4.6 0H0V10M0 5H4"),
    "G": (5.8, "M5.8 2.5A2.95 2.95 0 0 0 0 2.9V7.1A2.9 2.9 0 0 0 5.8 7.1V5.3H3.3"),
    "H": (5.6, "M0 0V10M5.6 0V10M0 4.9H5.6"),
    "I": (0.2, "M0.1 0V10"),
    "J": (3.8, "M3.8 0V7.9A2 2.1 0 0 1 0 7.9"),
    "K": (5.4, "M0 0V10M5.2 0L0 5.8M1.9 3.8L5.4 10"),
    "L": (4.5, "M0 0V10H4.5"),
    "M": (7.0, "M0 10V0L3.5 5.8L7 0V10"),
    "N": (5.7, "M0 10V0L5.7 10V0"),
    "O": (5.8, "M0 2.9A2.9 2.9 0 0 1 5.8 2.9V7.1A2.9 2.9 0 0 1 0 7.1Z"),
    "P": (5.5, "M0 10V0H2.8A2.75 2.75 0 0 1 2.8 5.5H0"),
    "Q": (6.1, "M0 2.9A2.9 2.9 0 0 1 5.8 2.9V7.1A2.9 2.9 0 0 1 0 7.1ZM3.7 7.5L6.1 10.4"),
    "R": (5.5, "M0 10V0H2.8A2.7 2.7 0 0 1 2.8 5.4H0M2.7 5.4L5.5 10"),
    "S": (5.4, "M5.1 2.2A2.5 2.3 0 0 0 0.2 2.4C0.2 5.6 5.4 4.3 5.4 7.5A2.7 2.5 0 0 1 0 7.8"),
    "T": (5.6, "M0 0H5.6M2.8 0V10"),
    "U": (5.6, "M0 0V7.2A2.8 2.8 0 0 0 5.6 7.2V0"),
    "V": (6.0, "M0 0L3 10L6 0"),
    "W": (8.4, "M0 0L2.1 10L4.2 2.4L6.3 10L8.4 0"),
    "X": (5.6, "M0 0L5.6 10M5.6 0L0 10"),
    "Y": (5.8, "M0 0L2.9 5L5.8 0M2.9 5V10"),
    "Z": (5.3, "M0 0H5.2L0 10H5.3"),
    "0": (5.5, "M0 2.75A2.75 2.75 0 0 1 5.5 2.75V7.25A2.75 2.75 0 0 1 0 7.25Z"),
    "1": (2.7, "M0 2.1L2.7 0V10"),
    "2": (5.3, "M0.1 2.7A2.6 2.7 0 0 1 5.3 2.7C5.3 5.2 2.4 6.6 0 10H5.3"),
    "3": (5.3, "M0.3 0H5L2.3 3.9A3 3.05 0 1 1 0 8.1"),
    "4": (5.6, "M4.1 10V0L0 7H5.6"),
    "5": (5.3, "M4.8 0H0.9L0.5 4.5A3 3.05 0 1 1 0 8.3"),
    "6": (5.5, "M4 0C2 2.5 0 4.9 0 7.2A2.75 2.8 0 1 0 5.5 7.2A2.75 2.8 0 1 0 0 7.2"),
    "7": (5.2, "M0 0H5.2L1.8 10"),
    "8": (
        5.5,
        "M0.45 2.4A2.3 2.4 0 1 1 5.05 2.4A2.3 2.4 0 1 1 0.45 2.4"
        "M0 7.4A2.75 2.6 0 1 1 5.5 7.4A2.75 2.6 0 1 1 0 7.4",
    ),
    "9": (5.5, "M1.5 10C3.5 7.5 5.5 5.1 5.5 2.8A2.75 2.8 0 1 0 0 2.8A2.75 2.8 0 1 0 5.5 2.8"),
    "-": (3.4, "M0 5.2H3.4"),
    "+": (4.6, "M0 5.2H4.6M2.3 2.9V7.5"),
    "/": (4.0, "M0 10.6L4 -0.6"),
    ".": (0.2, "M0.1 9.9V10"),
    ",": (0.8, "M0.7 9.9V10L0.1 11.6"),
    ":": (0.2, "M0.1 3.2V3.3M0.1 8.6V8.7"),
}


def text_width(text: str, size: float, spacing: float = 1.0) -> float:
    """Return the width of a text with capitals of height ``size``."""
    gaps = LETTER_GAP * spacing * max(len(text) - 1, 0)
    return (sum(_STROKES[c][0] for c in text.upper()) + gaps) * size / CAP_HEIGHT


def text_svg(
    text: str,
    x: float,
    y: float,
    size: float,
    *,
    color: str,
    anchor: str = "start",
    weight: float = 1.25,
    spacing: float = 1.0,
) -> str:
    """Return a line of text as SVG strokes.

    Parameters
    ----------
    text
        Digits, letters (drawn as capitals), spaces and ``- + / . :``.
    x, y
        Left end (or middle, or right end) of the baseline.
    size
        Height of capitals.
    color
        Stroke colour.
    anchor
        ``start``, ``middle`` or ``end``.
    weight
        Stroke width at height ten.
    spacing
        Scale factor for the gaps between letters.

    Raises
    ------
    KeyError
        The text has an unsupported character.
    """
    width = text_width(text, size, spacing)
    left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
    scale = size / CAP_HEIGHT
    parts = []
    pen = 0.0
    for letter in text.upper():
        advance, strokes = _STROKES[letter]
        if strokes:
            parts.append(f'<path transform="translate({number(pen)} 0)" d="{strokes}"/>')
        pen += advance + LETTER_GAP * spacing
    return (
        f'<g class="text" data-text="{text.upper()}" fill="none" stroke="{color}"'
        f' stroke-width="{number(weight)}" stroke-linecap="round" stroke-linejoin="round"'
        f' transform="translate({number(left)} {number(y - size)}) scale({scale:.4f})">'
        f"{''.join(parts)}</g>"
    )
