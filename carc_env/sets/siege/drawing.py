"""The army outside the walls of a besieged city."""

from __future__ import annotations

from carc_env.render import palette
from carc_env.render.brush import line, plain, shape
from carc_env.render.declaring import Drawing


def _siege(_: int) -> str:
    """Draw two crossed swords in front of a burning tower."""
    flames = (
        "M-3.4,-1.4C-4.6,-4 -2.4,-4.6 -2.6,-7C-1,-6 -0.8,-4.8 -0.9,-3.8C0.4,-5 0.4,-7 -0.2,-8.6"
        "C2.6,-7 2.4,-4.6 2,-3.4C3,-4 3.2,-5 3.2,-6C4.6,-4 4.2,-2.2 3.4,-1.4Z"
    )
    blades = "".join(
        line(f"M{side * 5.4:g},5.4L{side * -4.6:g},-4.2", palette.WALL_LINE, 2.4)
        + line(f"M{side * 5.2:g},5.2L{side * -4.4:g},-4", palette.WALL_LIGHT, 1.2)
        + line(f"M{side * 2.2:g},4.6L{side * 4.8:g},1.8", palette.GATE, 1.4)
        + f'<circle cx="{side * 5.6:g}" cy="5.6" r="1" fill="{palette.GOLD}"'
        f' stroke="{palette.GATE}" stroke-width="0.4"/>'
        for side in (1, -1)
    )
    return (
        f'<circle r="7.8" fill="{palette.CLOTH_RED}" stroke="{palette.GATE}" stroke-width="1"/>'
        + f'<circle r="6.4" fill="none" stroke="{palette.GOLD}" stroke-width="0.6"/>'
        + plain(flames, palette.FRUIT[1])
        + shape(
            "M-3.4,4.6V-2.2H-2V-1.1H-0.7V-2.2H0.7V-1.1H2V-2.2H3.4V4.6Z",
            palette.WALL_STONE,
            palette.WALL_LINE,
            0.6,
        )
        + blades
    )


DRAWING = Drawing(
    symbols={"siege": (_siege, 8.2)},
    letters={"siege": "Z"},
    emblem=lambda city: "siege" if city.get("besieged") else None,
)
