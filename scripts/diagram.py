"""Draw ``docs/images/observation.png``: what a seat observes and how its actions are numbered.

``draw_docs.py`` calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from carc_env.agents.figures import png_of
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from carc_env import Rules, Table
from carc_env.engine.core.codes import Phase
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import board_shape, global_names, plane_names
from carc_env.render import board_rgb
from carc_env.render import palette as p

RULES = Rules()
SEED, N_TILES_LEFT = 186, 46
SHOWN = (
    *("occupied", "city N", "road E", "worth N", "complete S", "worth mid"),
    *("leads N 0", "leads N 1", "meeple 0", "meeple 1", "farmer 0", "candidate r1"),
)
"""Planes to draw; the last one shows the legal placements."""
GROUPS = {
    **{"phase": 1.0, "seats": 2.2, "tile in hand": 2.6, "tiles left": 2.6},
    "spots of the tile just placed": 4.0,
}
"""Groups of globals and their widths in the picture."""
BLOCK_WIDTHS = {"tile": 7.6, "meeple": 1.8}
ROTATION = 1
MARGIN = 2
"""Number of cells to show around the board in pictures of planes."""
INKS = LinearSegmentedColormap.from_list("inks", [p.CARD, p.RIVER, p.SHIELD_BLUE, "#14304f"])


def middle_of_a_game() -> Table:
    """Return a random game halfway through, when a tile is about to be placed."""
    table = Table(RULES, seed=SEED)
    while table.n_tiles_left > N_TILES_LEFT or table.phase != Phase.PLACE_TILE:
        table.step(table.random_action())
    return table


def group_of(name: str) -> str:
    """Return a global's group in the picture."""
    groups, first, last = [*GROUPS], name.split(" ")[0], name.split(" ")[-1]
    if first in ("phase", "hand"):
        return groups[0] if first == "phase" else groups[2]
    if first in ("left", "tiles"):
        return groups[3]
    return groups[1] if last.isdigit() else groups[4]


def plain(axes: Axes) -> None:
    """Remove the ticks and draw a thin frame."""
    axes.set(xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set(color=p.CARD_LINE, linewidth=0.8)


def heading(axes: Axes, title: str, words: str) -> None:
    """Write an array's name above the axes, followed by a description."""
    axes.text(0, 0.95, title, family="monospace", weight="bold", size=11, color=p.INK, va="top")
    axes.text(0, 0.16, words, size=9.5, color=p.FAINT_INK, va="bottom")
    axes.axis("off")


def boxes(
    axes: Axes, parts: list[tuple[str, str, float]], draw: Callable[[str, float, float], None]
) -> None:
    """Draw boxes side by side from (name, words below, width), and fill them with ``draw``."""
    x = 0.0
    for name, words, width in parts:
        axes.add_patch(Rectangle((x, 0), width, 1, fc=p.CARD, ec="none"))
        draw(name, x, width)
        axes.add_patch(Rectangle((x, 0), width, 1, fc="none", ec=p.CARD_LINE))
        for k, text in enumerate((name, words)):
            axes.text(x + width / 2, -0.4 - 0.38 * k, text, ha="center", size=8.5, color=p.INK)
        x += width + 0.08
    axes.set(xlim=(0, x - 0.08), ylim=(0, 1))
    axes.axis("off")


def draw_globals(axes: Axes, numbers: npt.NDArray[np.float32]) -> None:
    """Draw the globals as cells in groups."""
    names = global_names(RULES)
    groups = {
        group: [k for k, name in enumerate(names) if group_of(name) == group] for group in GROUPS
    }

    def draw(group: str, x: float, width: float) -> None:
        cell = width / len(groups[group])
        for k, number in enumerate(groups[group]):
            color = INKS(float(np.clip(numbers[number], 0, 1)))
            axes.add_patch(Rectangle((x + k * cell, 0), cell, 1, fc=color, ec="none"))

    parts = [(name, f"{len(groups[name])}", width) for name, width in GROUPS.items()]
    boxes(axes, parts, draw)


def draw_mask(axes: Axes, legal: npt.NDArray[Any], marked: int) -> None:
    """Draw the blocks of actions, with a line for each legal action."""
    blocks = action_layout(RULES).blocks

    def draw(block: str, x: float, width: float) -> None:
        run = blocks[block]
        for action in legal[(legal >= run.first) & (legal < run.first + run.size)]:
            place = x + (action - run.first + 0.5) / run.size * width
            color, line = (p.CLOTH_RED, 2.2) if action == marked else (p.SHIELD_BLUE, 1.0)
            axes.plot([place, place], [0, 1], color=color, lw=line)

    parts = []
    for run in blocks.values():
        last = f" to {run.first + run.size - 1:,}" if run.size > 1 else ""
        parts.append((run.name, f"{run.first:,}{last}", BLOCK_WIDTHS.get(run.name, 0.8)))
    boxes(axes, parts, draw)


def observation_diagram() -> bytes:
    """Return the picture as PNG data."""
    table = middle_of_a_game()
    seen, mask = table.observe(), table.action_mask()
    names, layout = list(plane_names(RULES)), action_layout(RULES)
    rows, columns = np.nonzero(seen["board"][names.index("occupied")])
    low = min(rows.min(), columns.min()) - MARGIN
    high = max(rows.max(), columns.max()) + 1 + MARGIN
    legal = np.flatnonzero(mask)
    action = int(next(a for a in legal if a % 4 == ROTATION))
    row, column = divmod(action // 4, RULES.view)

    figure = Figure(figsize=(11.5, 8.3), dpi=120, facecolor="white")
    grid = figure.add_gridspec(
        8,
        1,
        height_ratios=(0.5, 4.9, 0.25, 0.5, 0.5, 0.75, 0.5, 0.5),
        **{"hspace": 0.1, "left": 0.025, "right": 0.975, "top": 0.985, "bottom": 0.085},
    )
    shape = ", ".join(map(str, board_shape(RULES)))
    heading(
        figure.add_subplot(grid[0]),
        f"board: uint8 ({shape})",
        f"a byte for each plane and cell; {len(SHOWN)} planes, cut to the cells around the board",
    )
    body = grid[1].subgridspec(1, 2, width_ratios=(1.0, 1.16), wspace=0.02)
    picture = figure.add_subplot(body[0])
    picture.imshow(board_rgb(table.position(), width=1000, height=960))
    plain(picture)
    picture.set_anchor("W")
    small = body[1].subgridspec(3, 4, wspace=0.02, hspace=0.22)
    for k, name in enumerate(SHOWN):
        axes = figure.add_subplot(small[k // 4, k % 4])
        plane = seen["board"][names.index(name)][low:high, low:high].astype(float)
        axes.imshow(plane / max(plane.max(), 1), cmap=INKS, vmin=0, vmax=1)
        axes.set_title(name, size=9, family="monospace", color=p.INK, pad=3)
        plain(axes)
        if name == SHOWN[-1]:
            corner = (column - low - 0.5, row - low - 0.5)
            axes.add_patch(Rectangle(corner, 1, 1, fc=p.CLOTH_RED, ec="none"))

    heading(
        figure.add_subplot(grid[3]),
        f"globals: float32 ({len(seen['globals'])},)",
        "numbers that belong to no cell; the darker, the larger",
    )
    draw_globals(figure.add_subplot(grid[4]), seen["globals"])
    heading(
        figure.add_subplot(grid[6]),
        f"action_mask: int8 ({len(mask):},)",
        f"1 for each legal action, here {len(legal)} of {len(mask):,}; red: action {action:,} = "
        f"4 * ({row} * {RULES.view} + {column}) + {ROTATION}, which is {layout.name(action)!r}",
    )
    draw_mask(figure.add_subplot(grid[7]), legal, action)
    return png_of(figure)
