"""The action space: one flat ``Discrete``, laid out in named blocks by the rules alone.

==============  ==========  ==================================================================
block           size        meaning
==============  ==========  ==================================================================
``tile``        W * W * 4   cell of the view (row by row) and rotation: the tile in hand, with the
                            bridge that it needs; the abbey, in rotation 0; the tile that a wagon
                            is to go to where its move is chosen in two steps, in rotation 0
``meeple``      15          normal meeple on a spot of the tile just placed
``large``       15          large meeple on a spot of the tile just placed
``abbot``       1           abbot on the monastery or garden of the tile just placed
``mayor``       4           mayor in the city at a side of the tile just placed
``wagon``       5           wagon on the road or city at a side, or on the monastery
``builder``     4           builder on the road or city at a side of the tile just placed
``pig``         8           pig on the field at a half-edge of the tile just placed
``barn``        4           barn on a corner of the tile just placed
``recall``      1           take the own abbot back
``bridge``      10          bridge on the tile just placed or on its neighbour in the north,
                            east, south, west, each north-south or east-west
``wagon move``  45          scored wagon to one of the 3 x 3 cells around it (row by row) and
                            there to the segment at a side or in the centre
``take``        30          castle takes the feature at a side or in the centre of one of the six
                            cells of its fief (row by row), where its lord is asked
``accept``      1           castle; buy
``decline``     1           points for the town; sell
``pick``        6           tile of the bazaar
``bid``         limit + 1   points, from 0
``pass``        1           no figure, no bridge, no bid; draw instead of placing the abbey; wagon
                            home; tile aside that would need a bridge
==============  ==========  ==================================================================

Blocks of systems that are off are absent. Names use view coordinates (column, row); the names that
people read, with coordinates of the table, are made by :meth:`carc_env.game.game.Game.name`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from carc_env.engine.core.codes import FIGURE_SPOTS, MAX_PLAYERS, N_ROTATIONS, Figure
from carc_env.engine.core.tiles import AXES
from carc_env.rules import Rules

BRIDGE_PLACES = ("own", "N", "E", "S", "W")
CENTRE_SPOTS = FIGURE_SPOTS[Figure.WAGON]
"""Spots of everything but fields: the four sides and the centre."""
N_MOVES = 9 * len(CENTRE_SPOTS)
N_TAKES = 6 * len(CENTRE_SPOTS)
FIGURE_BLOCKS = {figure.name.lower(): figure for figure in Figure}


def figures_in_play(rules: Rules) -> tuple[Figure, ...]:
    """The kinds of figures that every seat has."""
    in_play = {
        Figure.MEEPLE: True,
        Figure.LARGE: rules.large_meeples,
        Figure.ABBOT: rules.abbot,
        Figure.MAYOR: rules.mayors,
        Figure.WAGON: rules.wagons,
        Figure.BUILDER: rules.builders,
        Figure.PIG: rules.pigs,
        Figure.BARN: rules.barns,
    }
    return tuple(figure for figure in Figure if in_play[figure])


@dataclass(frozen=True)
class Block:
    """A run of actions of one kind: ``first`` to ``first + size - 1``."""

    name: str
    first: int
    size: int

    def __contains__(self, action: int) -> bool:
        return self.first <= action < self.first + self.size


class ActionLayout:
    """Which index means what under some rules.

    Attributes
    ----------
    blocks : dict[str, Block]
        By name, in the order of their indices; blocks of systems that are off are missing.
    n_actions : int
        Size of the action space.
    view : int
        Width and height of the window.
    """

    def __init__(self, rules: Rules) -> None:
        self.view = rules.view
        sizes = {"tile": N_ROTATIONS * rules.view**2}
        for figure in figures_in_play(rules):
            sizes[figure.name.lower()] = len(FIGURE_SPOTS[figure])
        if rules.abbot:
            sizes["recall"] = 1
        if rules.bridges:
            sizes["bridge"] = len(BRIDGE_PLACES) * len(AXES)
        if rules.wagons:
            sizes["wagon move"] = N_MOVES
        if rules.castles and rules.castle_choice == "ask":
            sizes["take"] = N_TAKES
        if rules.castles or rules.has_auctions:
            sizes["accept"] = sizes["decline"] = 1
        if rules.bazaars:
            sizes["pick"] = MAX_PLAYERS
        if rules.has_auctions:
            sizes["bid"] = rules.bazaar_bid_limit + 1
        sizes["pass"] = 1
        self.blocks: dict[str, Block] = {}
        self.n_actions = 0
        for name, size in sizes.items():
            self.blocks[name] = Block(name, self.n_actions, size)
            self.n_actions += size

    def first(self, block: str) -> int:
        """First action of a block, or -1 when the block is absent."""
        return self.blocks[block].first if block in self.blocks else -1

    def block_of(self, action: int) -> Block:
        """The block that an action lies in.

        Raises
        ------
        ValueError
            The action is outside of the action space.
        """
        for block in self.blocks.values():
            if action in block:
                return block
        raise ValueError(f"action {action} is outside of the action space 0..{self.n_actions - 1}")

    def name(self, action: int) -> str:
        """The unique name of an action, such as ``tile 15,16 r2`` or ``meeple Nw``."""
        block = self.block_of(action)
        rest = action - block.first
        if block.name == "tile":
            row, column = divmod(rest // N_ROTATIONS, self.view)
            return f"tile {column},{row} r{rest % N_ROTATIONS}"
        if block.name == "bridge":
            place, axis = divmod(rest, len(AXES))
            return f"bridge {BRIDGE_PLACES[place]} {AXES[axis]}"
        if block.name == "wagon move":
            cell, place = divmod(rest, len(CENTRE_SPOTS))
            return f"wagon move {cell % 3 - 1},{cell // 3 - 1} {CENTRE_SPOTS[place].name}"
        if block.name == "take":
            cell, place = divmod(rest, len(CENTRE_SPOTS))
            return f"take {cell + 1} {CENTRE_SPOTS[place].name}"
        if block.name == "pick":
            return f"pick {rest + 1}"
        if block.name == "bid":
            return f"bid {rest}"
        if block.name in FIGURE_BLOCKS:
            return f"{block.name} {FIGURE_SPOTS[FIGURE_BLOCKS[block.name]][rest].name}"
        return block.name

    def index(self, name: str) -> int:
        """The action that has a name.

        Raises
        ------
        ValueError
            No action of this layout has the name.
        """
        if (action := _indices(self).get(name)) is None:
            raise ValueError(f"no action is called {name!r} under these rules")
        return action


@lru_cache(maxsize=8)
def _indices(layout: ActionLayout) -> dict[str, int]:
    return {layout.name(action): action for action in range(layout.n_actions)}


@lru_cache(maxsize=64)
def action_layout(rules: Rules) -> ActionLayout:
    """The action layout of some rules."""
    return ActionLayout(rules)
