"""Carcassonne in OpenSpiel, for two to six players, with explicit chance nodes.

    import pyspiel
    import carc_env.envs.open_spiel  # registers the game

    game = pyspiel.load_game("carc_env", {"rules": "tower", "players": 3})

Install it with ``pip install 'carc_env[openspiel]'``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import yaml

from carc_env.engine.core.tiles import DESIGN, N_DESIGNS
from carc_env.extras import extras_named
from carc_env.game.notation import format_position
from carc_env.game.table import NUMBERS, Table
from carc_env.rules import Rules

with extras_named():
    import pyspiel

NAME = "carc_env"
MAX_GAME_LENGTH = 5000
DEFAULTS = {"rules": "base", "players": 2, "deck_size": 0, "seed": 0, "encoding": "planes"}
"""Parameters: rules (a preset or YAML), players, tiles in the bag (0: all), the seed that decides
which tiles a smaller bag lacks, and the encoding of tensors."""

GAME_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Carcassonne",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=6,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=DEFAULTS,
)


class CarcassonneGame(pyspiel.Game):  # type: ignore[misc]
    """The game. Returns are final ranks from 1 to -1, as rewards elsewhere, and sum to 0."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(params or {})}
        rules = Rules.of(yaml.safe_load(given["rules"]))
        rules = rules.replace(n_players=given["players"], deck_size=given["deck_size"] or None)
        self.encoding = given["encoding"]
        self.start = Table.before_first_draw(rules, seed=given["seed"])
        info = pyspiel.GameInfo(
            num_distinct_actions=self.start.layout.n_actions,
            max_chance_outcomes=N_DESIGNS + max(NUMBERS.values()) + 1,
            num_players=rules.n_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MAX_GAME_LENGTH,
        )
        super().__init__(GAME_TYPE, info, given)

    def new_initial_state(self) -> CarcassonneState:
        """Return a game whose first tile is still to be drawn."""
        return CarcassonneState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> Observer:
        """Return an observer for tensors and strings."""
        return Observer(self.start, self.encoding, kind is not None and kind.perfect_recall)


class _Kept:
    """A table that nobody changes, so that copies of a state can share it."""

    def __init__(self, table: Table) -> None:
        self.table, self.draws = table, {_code(one): one for one in table.draws()}

    def __deepcopy__(self, _: Any) -> _Kept:
        return self


def _code(outcome: str | int) -> int:
    return DESIGN[outcome] if isinstance(outcome, str) else N_DESIGNS + outcome


class CarcassonneState(pyspiel.State):  # type: ignore[misc]
    """A decision, or a tile, token or die that chance decides on."""

    def __init__(self, game: CarcassonneGame) -> None:
        super().__init__(game)
        self._kept = _Kept(game.start)

    @property
    def table(self) -> Table:
        """The game; do not change it."""
        return self._kept.table

    def current_player(self) -> int:
        """Return the seat that decides, or that chance does, or that the game is over."""
        if self.table.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self._kept.draws else self.table.decider

    def _legal_actions(self, player: int) -> list[int]:
        return self.table.legal_actions() if player == self.table.decider else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return what can be drawn, as numbers, with probabilities."""
        shares = self.table.draws()
        return [(code, shares[outcome]) for code, outcome in self._kept.draws.items()]

    def _apply_action(self, action: int) -> None:
        if not self._kept.draws:
            self._kept = _Kept(self.table.afterstate(action))
            return
        after = self.table.clone()
        after.deal(self._kept.draws[action])
        self._kept = _Kept(after)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return str(self._kept.draws.get(action, action))
        return str(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.table.is_over

    def returns(self) -> list[float]:
        """Return each seat's final rank, from 1 to -1; 0 before the end."""
        scores = np.array(self.table.scores if self.is_terminal() else [0] * self.num_players())
        ranks: list[float] = np.sign(scores[:, None] - scores).sum(1).tolist()
        return [rank / (len(scores) - 1) for rank in ranks]

    def __str__(self) -> str:
        if self._kept.draws:
            return f"chance after {self.history()}"
        return format_position(replace(self.table.position(), bag=None))


class Observer:
    """Writes what a seat sees, as a flat tensor and as text.

    Parameters
    ----------
    table : Table
        A game under the rules to observe.
    encoding : str
        The encoding of tensors.
    recalls : bool
        Whether strings are histories instead of positions.
    """

    def __init__(self, table: Table, encoding: str, recalls: bool) -> None:
        self._encoding, self._recalls = encoding, recalls
        shown = table.observe(0, encoding)
        self.tensor = np.zeros(sum(array.size for array in shown.values()), np.float32)
        self.dict: dict[str, Any] = {}
        first = 0
        for name, array in shown.items():
            end = first + array.size
            self.dict[name] = self.tensor[first:end].reshape(array.shape)
            first = end

    def set_from(self, state: CarcassonneState, player: int) -> None:
        """Write a seat's view to the tensor."""
        for name, array in state.table.observe(player, self._encoding).items():
            self.dict[name][...] = array

    def string_from(self, state: CarcassonneState, player: int) -> str:
        """Return a seat's view as text."""
        return " ".join(map(str, state.history())) if self._recalls else str(state)


pyspiel.register_game(GAME_TYPE, CarcassonneGame)
