"""Settings of a run that learns a value."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from carc_env.choices import check_choice
from carc_env.rules import Rules
from carc_env.search.features import VERSION
from carc_env.search.weights import INSIGHT, PLAIN

from .checkpoint import CheckpointError
from .settings import RunSettings, check_eval_games


@dataclass(frozen=True)
class ValueConfig(RunSettings):
    """All settings of a run that learns a value; what it counts as steps are games."""

    folder: str = "runs/value"
    """Where checkpoints, curve, logs and weights go."""
    rules: Rules = field(default_factory=Rules)
    """What is played."""
    evaluation: str = PLAIN
    """What is learned: "value", or "insight", which sees more."""
    total_games: int = 20_000
    """All together."""
    round_games: int = 32
    """Games with the same weights."""
    greedy_share: float = 0.0
    """Of the games, in which ``greedy`` has all seats but one; the others are self-play."""
    init: str = ""
    """A file of weights to begin with, or "shipped": those of the package for the nearest rules."""
    hidden_units: int = 0
    """Of a network that tells weights from the indices of their entries, so that entries learn from
    each other (carc_env/search/factored.py); 0: every weight learns on its own."""
    memory_games: int = 250
    """The last games, from which that network learns after each round."""
    learning_rate: float = 0.5
    """Shared by the entries of a state; with ``hidden_units`` that of Adam, such as 0.002."""
    td_lambda: float = 0.5
    """Between the next value (0) and the end of the game (1)."""
    threads: int = 0
    """That play games; 0: one for each processor core."""
    checkpoint_every: int = 1_000
    """Games between checkpoints."""
    eval_every: int = 2_000
    """Games between evaluations; one comes before the first game, one behind the last."""
    eval_against: tuple[str, ...] = ("greedy",)
    """Whom to evaluate against: names (docs/arena.md) or checkpoints."""

    POSITIVE: ClassVar[tuple[str, ...]] = (
        *RunSettings.POSITIVE,
        *("total_games", "round_games", "learning_rate", "memory_games"),
    )
    UNIT = "games"
    MARK: ClassVar[dict[str, Any]] = {"kind": "value", "features": VERSION}
    NO_MARK = "it holds a network, not a value: go on with carc-env train ppo"

    def __post_init__(self) -> None:
        self.check_positive()
        check_choice("evaluation", self.evaluation, (PLAIN, INSIGHT))
        for name in ("td_lambda", "greedy_share"):
            if not 0 <= (share := getattr(self, name)) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, got {share!r}")
        if self.hidden_units < 0:
            raise ValueError(f"hidden_units must be 0 or more, got {self.hidden_units!r}")
        if self.threads < 0:
            raise ValueError(f"threads must be 0 or more, got {self.threads!r}")
        check_eval_games(self.eval_games, self.rules)

    @classmethod
    def saved(cls, path: str | os.PathLike[str], meta: dict[str, Any]) -> Self:
        """The settings in a checkpoint, by its ``meta``.

        Raises
        ------
        CheckpointError
            It is none of a value, one for other features, or its settings are not valid here.
        """
        features = meta.get("features")
        if meta.get("kind") == "value" and features != VERSION:
            raise CheckpointError(
                path, f"it is for features of version {features}, here is {VERSION}"
            )
        return super().saved(path, meta)
