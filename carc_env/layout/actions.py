"""The action space: a flat ``Discrete`` of named blocks, determined by the rules alone.

The systems in :mod:`carc_env.systems` declare the blocks, with their sizes and the names of their
actions; ``docs/reference/actions.md`` lists what each block means. Blocks of disabled systems are
absent. Names use view coordinates (column, row). Human-readable names, with table coordinates, come
from :meth:`carc_env.Game.name`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache

from carc_env.rules import Layout, Rules
from carc_env.systems import actions_laid_out
from carc_env.systems.declaring import Actions, Choice, name_of, title_of

ABSENT = -1


@dataclass(frozen=True)
class Run:
    """A run of actions of one kind: ``first`` to ``first + size - 1``."""

    name: str
    first: int
    size: int
    actions: Actions = field(compare=False)


class ActionLayout:
    """The meaning of each action index under given rules.

    Attributes
    ----------
    blocks : dict[str, Run]
        The blocks by name, in index order; blocks of disabled systems are absent.
    n_actions : int
        The size of the action space.
    rules : Rules
        The rules.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules, self._room = rules, rules.room
        self.blocks: dict[str, Run] = {}
        self.n_actions = 0
        for actions in actions_laid_out(rules):
            name, size = title_of(actions.block), actions.size(self._room)
            self.blocks[name] = Run(name, self.n_actions, size, actions)
            self.n_actions += size
        self._runs = (*self.blocks.values(),)
        self._firsts = [run.first for run in self._runs]

    def first(self, block: str) -> int:
        """Return the first action of a block, or -1 if the block is absent."""
        return self.blocks[block].first if block in self.blocks else ABSENT

    def block_of(self, action: int) -> Run:
        """Return the block that contains an action.

        Raises
        ------
        ValueError
            The action is outside the action space.
        """
        if 0 <= action < self.n_actions:
            return self._runs[bisect_right(self._firsts, action) - 1]
        raise ValueError(f"action {action} is outside the action space 0..{self.n_actions - 1}")

    def choice(self, action: int) -> Choice:
        """Return an action as its parts; its cell is relative to the block's anchor."""
        run = self.block_of(action)
        return run.actions.at(action - run.first, self._room)

    def name(self, action: int) -> str:
        """Return an action's unique name, such as ``tile 15,16 r2`` or ``meeple Nw``."""
        return name_of(self.choice(action))

    def index(self, name: str) -> int:
        """Return the action with the given name.

        Raises
        ------
        ValueError
            No action in this layout has this name.
        """
        if (action := _indices(self).get(name)) is None:
            raise ValueError(f"no action is called {name!r} under these rules")
        return action


@lru_cache(maxsize=8)
def _indices(layout: ActionLayout) -> dict[str, int]:
    return {layout.name(action): action for action in range(layout.n_actions)}


def action_layout(rules: Rules) -> ActionLayout:
    """Return the action layout for the given rules, the same for all rules in a shared layout."""
    return _layout_of(rules) if rules.layout is None else _shared_layout_of(rules.layout)


@lru_cache(maxsize=64)
def _shared_layout_of(layout: Layout) -> ActionLayout:
    return ActionLayout(layout.covers[0].replace(layout=layout))


@lru_cache(maxsize=64)
def _layout_of(rules: Rules) -> ActionLayout:
    return ActionLayout(rules)
