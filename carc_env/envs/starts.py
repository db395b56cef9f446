"""Custom starts of games: saved states and positions, given as reset options."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy.typing as npt

from carc_env.choices import check_choice
from carc_env.engine import entry
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import states_from_bytes
from carc_env.game.conversion import deal, lay_out
from carc_env.game.table import Table, rules_saved
from carc_env.layout.template import legal_buffer
from carc_env.position import Position
from carc_env.rules import Rules

OPTIONS = ("state", "rules")
"""Reset options for a single game."""


class Start:
    """A saved state or a position, validated, from which any number of games can begin.

    Parameters
    ----------
    given : bytes or Position
        The result of :meth:`Table.save_state`, from which games continue as that game would have;
        or a position, whose bag is shuffled by the seed if its order is unknown.
    rules : Rules
        The rules of the games. In a shared layout, a state may have any rules that fit into it.

    Raises
    ------
    ValueError
        The argument is neither, is damaged, breaks a rule, or is for different rules.

    Attributes
    ----------
    rules : Rules
        The rules of the state, in the layout of the given ones.
    """

    def __init__(self, given: object, rules: Rules) -> None:
        self._position: Position | None = None
        self.rules = rules = _rules_here(given, rules)
        if isinstance(given, bytes):
            table = Table(rules, seed=0)
            table.load_state(given)
            self._states = table.states
        elif isinstance(given, Position):
            if change := given.rules.plain.differences(rules.plain):
                raise ValueError(f"the position has other rules (there -> here): {change}")
            self._position = replace(given, rules=rules)
            self._states = lay_out(self._position)
        else:
            raise ValueError(
                "a state to begin at must be the bytes of Table.save_state() or a Position, not "
                f"of type {type(given).__name__}"
            )

    def check_unfinished(self) -> None:
        """Raise a ``ValueError`` if the game is over."""
        if self._states[0].phase == Phase.GAME_OVER:
            raise ValueError("the game of the state is over: pass a state before its end")

    def states(self, seed: int) -> npt.NDArray[Any]:
        """Return a new array with one game that begins here, at a decision."""
        states = states_from_bytes(self._states.tobytes())
        if self._position is not None:
            deal(states, self._position, seed)
            entry.settle_game(states, 0, legal_buffer())
        return states

    def lead(self, table: Table, seed: int) -> None:
        """Make a table under the same rules continue from here."""
        table._hold(self.states(seed))
        table._list_legal()


def _rules_here(given: object, rules: Rules) -> Rules:
    """Return the rules of a state, if they can differ from the given ones."""
    if rules.layout is None:
        return rules
    found = rules_saved(given) if isinstance(given, bytes) else getattr(given, "rules", None)
    return rules if found is None else found.replace(layout=rules.layout)


def start_of(options: dict[str, Any], rules: Rules) -> Start | None:
    """Return the start that the reset options define for a single game; None for a new game.

    Raises
    ------
    ValueError
        An option is unknown, or the state is refused.
    """
    for option in options:
        check_choice("an option of reset", option, OPTIONS)
    return Start(options["state"], rules) if "state" in options else None


MAX_BEGINNINGS = 100
"""Most games that an environment begins in a row if opponents end each one early."""


def ended_early(seat: int) -> str:
    """Return the error message for opponents that end all of these games."""
    return (
        f"opponents have ended {MAX_BEGINNINGS} games in a row before seat {seat}, the learner, "
        "was asked: begin at an earlier state, or choose another seat"
    )
