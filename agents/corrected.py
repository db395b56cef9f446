"""``corrected``: what ``value`` expects, corrected by a network, under any rules for two players.

``python -m carc_env.agents.corrected --rules everything`` trains the network, with the
settings of ``td.py``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from carc_env.files import user_path
from carc_env.game.afterstates import AfterstateBatch, AfterstateEncoder
from carc_env.game.table import Table
from carc_env.rules import Layout, Rules, RulesLike
from carc_env.search.players import ValuePlayer

from .recipes.td import Agent, Judge, main

SHIPPED = "corrected.pt"
SEATS = 2


class ValueEncoder(AfterstateEncoder):
    """An encoder for two players whose scores differ as ``value`` expects at the end.

    For a placement, that is what it expects after the best figure action.
    """

    def __init__(self, rules: RulesLike = None) -> None:
        super().__init__(rules)
        self._value = ValuePlayer()

    def changes(
        self,
        states: npt.NDArray[Any],
        which: npt.ArrayLike,
        rules: Sequence[Rules] | None = None,
        bases: tuple[npt.NDArray[Any], npt.ArrayLike] | None = None,
    ) -> AfterstateBatch:
        """Return all afterstates of some games, see :meth:`AfterstateEncoder.changes`."""
        return self._valued(super().changes(states, which, rules, bases), states, which, rules)

    def whole(
        self,
        states: npt.NDArray[Any],
        which: npt.ArrayLike,
        actions: npt.ArrayLike,
        rules: Sequence[Rules] | None = None,
    ) -> AfterstateBatch:
        """Return one afterstate of each game in full, see :meth:`AfterstateEncoder.whole`."""
        return self._valued(super().whole(states, which, actions, rules), states, which, rules)

    def _valued(
        self,
        batch: AfterstateBatch,
        states: npt.NDArray[Any],
        which: npt.ArrayLike,
        rules: Sequence[Rules] | None,
    ) -> AfterstateBatch:
        """Return a batch with scores that differ by the leads that ``value`` expects."""
        games = np.asarray(which, np.int64).tolist()
        tables = [
            Table.at(one, states[i : i + 1])
            for i, one in zip(games, rules or [self.rules] * len(games), strict=True)
        ]
        ends = np.cumsum(batch.n_actions)[:-1]
        expected: list[float] = []
        for table, actions in zip(tables, np.split(batch.actions, ends), strict=True):
            found = {line.action: line.value for line in self._value.analyse(table)}
            expected += [found[action] for action in actions.tolist()]
        half = np.array(expected, np.float32)[batch.action_of] / 2
        return batch._replace(scores=np.stack([half, -half], 1))


class _Own(local):
    """The judges of each thread, by the view, because encoders write into their buffers."""

    def __init__(self) -> None:
        self.judges: dict[int, Judge] = {}


class CorrectedAgent:
    """Plays any rules for two players, in any layout.

    A table in another layout than the network's is laid out anew for each decision.

    Parameters
    ----------
    path : path, optional
        The run's ``td.pt``. Default: the network that comes with the package.
    rules : Rules, optional
        The rules to play. Default: any.

    Raises
    ------
    ValueError
        The rules are for more than two players.
    """

    def __init__(self, path: Path | None = None, rules: Rules | None = None) -> None:
        if rules is not None and rules.n_players > SEATS:
            raise ValueError(f"corrected plays games for {SEATS}, not for {rules.n_players}")
        shipped = Path(str(files("carc_env.agents"))) / "shipped" / SHIPPED
        at = shipped if path is None else user_path(os.fspath(path))
        self._path, self._agent = path, Agent(at, encode=ValueEncoder)
        self._own = _Own()

    def act(self, table: Table) -> int:
        """Return the action with the best afterstate.

        Raises
        ------
        ValueError
            The game has more than two players.
        """
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """Return the action with the best afterstate at each table; raises as :meth:`act`."""
        found: dict[int, int] = {}
        for view in {table.rules.view for table in tables}:
            which = [k for k, table in enumerate(tables) if table.rules.view == view]
            actions = self._judge(view).act_many([tables[k] for k in which])
            found |= dict(zip(which, actions, strict=True))
        return [found[k] for k in range(len(tables))]

    def _judge(self, view: int) -> Judge:
        """Return a judge for tables with a view; the network does not depend on it."""
        judges = self._own.judges
        if view not in judges:
            layout = Layout.everything(SEATS, view=view)
            encoder = ValueEncoder(Rules.preset("base", view=view, layout=layout))
            judges[view] = Judge(self._agent.net, encoder, self._agent.a)
        return judges[view]

    def __reduce__(self) -> tuple[type[CorrectedAgent], tuple[Path | None]]:
        return CorrectedAgent, (self._path,)


if __name__ == "__main__":
    main(ValueEncoder)
