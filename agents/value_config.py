"""Settings of a run that learns a value."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from pydantic import NonNegativeInt, PositiveFloat, PositiveInt

from carc_env.rules import Rules
from carc_env.search.features import VERSION

from .checkpoint import CheckpointError
from .settings import RunSettings, Share, check_eval_games


@dataclass(frozen=True)
class ValueConfig(RunSettings):
    """All settings of a run that learns a value; its steps are games."""

    folder: str = "runs/value"
    """Folder for checkpoints, curve, logs and weights."""
    rules: Rules = field(default_factory=Rules)
    """What is played."""
    evaluation: Literal["value", "insight"] = "value"
    """What is learned: "value", or "insight", which sees more."""
    total_games: PositiveInt = 20_000
    """All together."""
    round_games: PositiveInt = 32
    """Games with the same weights."""
    # Weights that only beat themselves can stay weak against others: in The Tower with four
    # players, 0.7 raised them from 36.9% to 50.3% of games against three greedy.
    greedy_share: Share = 0.0
    """Of the games, in which ``greedy`` has all seats but one; the others are self-play."""
    init: str = ""
    """A file of weights to begin with, or "shipped": those of the package for the nearest rules."""
    hidden_units: NonNegativeInt = 0
    """Of a network that tells weights from the indices of their entries, so that entries learn from
    each other (carc_env/search/factored.py); 0: every weight learns on its own."""
    memory_games: PositiveInt = 250
    """The last games, from which that network learns after each round."""
    learning_rate: PositiveFloat = 0.5
    """Shared by the entries of a state; with ``hidden_units`` that of Adam, such as 0.002."""
    td_lambda: Share = 0.5
    """Between the next value (0) and the end of the game (1)."""
    threads: NonNegativeInt = 0
    """That play games; 0: one for each processor core."""
    checkpoint_every: int = 1_000
    """Games between checkpoints."""
    eval_every: int = 2_000
    """Games between evaluations; one comes before the first game, one after the last."""
    eval_against: tuple[str, ...] = ("greedy",)
    """Whom to evaluate against: names (docs/ladder.md) or checkpoints."""

    UNIT = "games"
    MARK: ClassVar[dict[str, Any]] = {"kind": "value", "features": VERSION}
    NO_MARK = "it holds a network, not a value: go on with carc-env train ppo"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_eval_games(self.eval_games, self.rules)

    @classmethod
    def saved(cls, path: str | os.PathLike[str], meta: dict[str, Any]) -> Self:
        """Return the settings in a checkpoint, by its ``meta``.

        Raises
        ------
        CheckpointError
            It is not one of a value, one for other features, or its settings are not valid here.
        """
        features = meta.get("features")
        if meta.get("kind") == "value" and features != VERSION:
            raise CheckpointError(
                path, f"it is for features of version {features}, but this is version {VERSION}"
            )
        return super().saved(path, meta)
