"""Settings of a run that learns a value function."""

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
    """All settings of a run that learns a value function; its steps are games."""

    folder: str = "runs/value"
    """Folder for checkpoints, the learning curve, logs and weights."""
    rules: Rules = field(default_factory=Rules)
    """Rules to play."""
    evaluation: Literal["value", "insight"] = "value"
    """Value function to learn: "value", or "insight", which has more features."""
    total_games: PositiveInt = 20_000
    """Total number of games."""
    round_games: PositiveInt = 32
    """Games per round, played with the same weights."""
    # Weights trained only by self-play can stay weak against others: in The Tower with four
    # players, 0.7 raised their win rate against three greedy agents from 36.9% to 50.3%.
    greedy_share: Share = 0.0
    """Proportion of games in which ``greedy`` has all seats but one; the rest are self-play."""
    init: str = ""
    """Initial weights: a file, or "shipped" for the package's weights for the nearest rules."""
    hidden_units: NonNegativeInt = 0
    """Hidden units of a network that computes weights from entry indices, so that entries learn
    from each other (carc_env/search/factored.py); 0: every weight is learned separately."""
    memory_games: PositiveInt = 250
    """Number of recent games from which that network learns after each round."""
    learning_rate: PositiveFloat = 0.5
    """Learning rate, divided among a state's entries; with ``hidden_units``, Adam's, such as
    0.002."""
    td_lambda: Share = 0.5
    """Lambda of TD: from the next value (0) to the end of the game (1)."""
    threads: NonNegativeInt = 0
    """Threads that play games; 0: one per processor core."""
    checkpoint_every: int = 1_000
    """Games between checkpoints."""
    eval_every: int = 2_000
    """Games between evaluations; there is also one before the first and after the last game."""
    eval_against: tuple[str, ...] = ("greedy",)
    """Evaluation opponents: names (docs/ladder.md) or checkpoints."""

    UNIT = "games"
    MARK: ClassVar[dict[str, Any]] = {"kind": "value", "features": VERSION}
    NO_MARK = "it holds a network, not a value: continue with carc-env train maskable-ppo"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_eval_games(self.eval_games, self.rules)

    @classmethod
    def saved(cls, path: str | os.PathLike[str], meta: dict[str, Any]) -> Self:
        """Return the settings stored in a checkpoint's ``meta``.

        Raises
        ------
        CheckpointError
            The checkpoint is not of a value function, has other features, or its settings are
            invalid in this version.
        """
        features = meta.get("features")
        if meta.get("kind") == "value" and features != VERSION:
            raise CheckpointError(
                path, f"it is for features of version {features}, but this is version {VERSION}"
            )
        return super().saved(path, meta)
