"""The action space: one flat ``Discrete``, laid out in named blocks by the rules alone.

The systems declare the blocks, with their sizes and the names of their actions, in
:mod:`carc_env.systems`; ``docs/reference/actions.md`` lists what each means. Blocks of systems that
are off are absent. Names use view coordinates (column, row); the names that people
read, with coordinates of the table, are made by :meth:`carc_env.Game.name`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache

from carc_env.rules import Rules
from carc_env.systems import actions_of
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
    """The meaning of each index under some rules.

    Attributes
    ----------
    blocks : dict[str, Run]
        By name, in the order of their indices; blocks of systems that are off are missing.
    n_actions : int
        Size of the action space.
    rules : Rules
        The rules.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.blocks: dict[str, Run] = {}
        self.n_actions = 0
        for actions in actions_of(rules):
            name, size = title_of(actions.block), actions.size(rules)
            self.blocks[name] = Run(name, self.n_actions, size, actions)
            self.n_actions += size
        self._runs = (*self.blocks.values(),)
        self._firsts = [run.first for run in self._runs]

    def first(self, block: str) -> int:
        """Return the first action of a block, or -1 if the block is absent."""
        return self.blocks[block].first if block in self.blocks else ABSENT

    def block_of(self, action: int) -> Run:
        """Return the block of an action.

        Raises
        ------
        ValueError
            The action is outside the action space.
        """
        if 0 <= action < self.n_actions:
            return self._runs[bisect_right(self._firsts, action) - 1]
        raise ValueError(f"action {action} is outside the action space 0..{self.n_actions - 1}")

    def choice(self, action: int) -> Choice:
        """Return the parts of an action; its cell counts from the anchor of its block."""
        run = self.block_of(action)
        return run.actions.at(action - run.first, self.rules)

    def name(self, action: int) -> str:
        """Return the unique name of an action, such as ``tile 15,16 r2`` or ``meeple Nw``."""
        return name_of(self.choice(action))

    def index(self, name: str) -> int:
        """Return the action with a name.

        Raises
        ------
        ValueError
            No action of this layout has this name.
        """
        if (action := _indices(self).get(name)) is None:
            raise ValueError(f"no action is called {name!r} under these rules")
        return action


@lru_cache(maxsize=8)
def _indices(layout: ActionLayout) -> dict[str, int]:
    return {layout.name(action): action for action in range(layout.n_actions)}


@lru_cache(maxsize=64)
def action_layout(rules: Rules) -> ActionLayout:
    """Return the action layout of some rules."""
    return ActionLayout(rules)
