"""Settings of a run that learns a value function, from and to YAML and JSON."""

from __future__ import annotations

import argparse
import copy
import dataclasses
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import Annotated, Any, Literal, NoReturn, Self, get_type_hints

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)

from carc_env.choices import check_choice
from carc_env.files import read_text
from carc_env.plain_yaml import read_yaml
from carc_env.rules import Rules
from carc_env.search.features import VERSION
from carc_env.tasks import task

from .checkpoint import CheckpointError, check_decks
from .curve import Row, has_ended

Share = Annotated[float, Field(ge=0, le=1)]
MARK: dict[str, Any] = {"kind": "value", "features": VERSION}
"""Metadata that identifies a checkpoint of such a run."""


@dataclass(frozen=True)
class ValueConfig:
    """All settings of a run that learns a value function; its steps are games.

    Raises
    ------
    ValueError
        A value has another type or is not allowed; the message names the setting.
    """

    folder: str = "runs/value"
    """Folder for checkpoints, the learning curve and weights."""
    task: str = ""
    """The task to train for (docs/tasks.md); --task also sets its rules."""
    overwrite: bool = False
    """Begin even if the folder contains files, and replace those of a run; not stored with the
    run."""
    rules: Rules = field(default_factory=Rules)
    """Rules to play."""
    evaluation: Literal["value", "insight"] = "value"
    """Value function to learn: "value", or "insight", which has more features."""
    seed: int = 0
    """The same seed gives the same run, with any number of threads."""
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
    checkpoint_every: PositiveInt = 1_000
    """Games between checkpoints."""
    eval_every: PositiveInt = 2_000
    """Games between evaluations; there is also one before the first and after the last game."""
    eval_games: PositiveInt = 200
    """Games per opponent; the decks are always the same, each played from every seat."""
    eval_against: tuple[str, ...] = ("greedy",)
    """Evaluation opponents: names (docs/ladder.md) or checkpoints."""
    records: str = ""
    """Folder for the records of all evaluation games."""
    stop_at_win_rate: float | None = None
    """Stop as soon as an evaluation against the first opponent reaches this win rate."""

    def __post_init__(self) -> None:
        for name, check in _checks().items():
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, check.validate_python(value))
            except ValidationError as error:
                problem = error.errors()[0]["msg"].removeprefix("Input ")
                raise ValueError(f"{name} {problem}, got {value!r}") from None
        if self.eval_games % self.rules.n_players:
            raise ValueError(
                f"eval_games must be a multiple of rules.n_players = {self.rules.n_players}, "
                f"got {self.eval_games}: every deck is played once from each seat"
            )

    @classmethod
    def from_dict(cls, settings: dict[str, Any]) -> Self:
        """Create settings from plain values by name; missing settings get their defaults.

        Raises
        ------
        ValueError
            A name is unknown, or a value has the wrong type or is not allowed.
        """
        if not isinstance(settings, dict):
            raise ValueError(f"the settings must be a mapping of names to values: {settings!r}")
        names, plain = [one.name for one in fields(cls)], {**settings}
        for name, value in settings.items():
            check_choice("setting", name, names)
            if name == "rules":
                plain[name] = Rules.from_dict(value)
            elif isinstance(value, list):
                plain[name] = tuple(value)
        return cls(**plain)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read settings from a YAML file.

        Raises
        ------
        ValueError
            The file is not a YAML mapping, or :meth:`from_dict` refuses it; the message names the
            file.
        """
        try:
            settings = read_yaml("settings", read_text(path))
            return cls.from_dict({} if settings is None else settings)
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error

    @classmethod
    def saved(cls, path: str | os.PathLike[str], meta: dict[str, Any]) -> Self:
        """Return the settings stored in a checkpoint's ``meta``.

        Raises
        ------
        CheckpointError
            The checkpoint is not of a value function, has other features, or its settings are
            invalid in this version.
        """
        if meta.get("kind") != MARK["kind"]:
            raise CheckpointError(path, "it holds a network, not a value: it only plays")
        if (features := meta.get("features")) != VERSION:
            raise CheckpointError(
                path, f"it is for features of version {features}, but this is version {VERSION}"
            )
        check_decks(path, meta)
        try:
            return cls.from_dict({k: v for k, v in meta["config"].items() if k not in FORMER})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CheckpointError(path, f"its settings are not valid here: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """Return all settings as plain values, except ``overwrite``, which is given each time."""
        plain = asdict(self) | {"rules": self.rules.to_dict()}
        del plain["overwrite"]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in plain.items()}

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some settings changed."""
        return dataclasses.replace(self, **changes)

    def is_done(self, curve: Sequence[Row]) -> bool:
        """Return whether a run with this curve played all games or reached its win rate."""
        return has_ended(curve, self.total_games, self.eval_against, self.stop_at_win_rate)

    def check_task(self) -> None:
        """Raise a ``ValueError`` if the games differ from those of the task."""
        if not self.task:
            return
        found = task(self.task)
        if not isinstance(found.rules, Rules):
            raise ValueError(
                f"{found.name} draws the rules of each game, but a value is learned under one set "
                "of rules: train one of the recipes"
            )
        if change := found.rules.differences(self.rules):
            raise ValueError(f"{found.name} has other rules than the run (task -> run): {change}")
        if not found.is_self_play:
            raise ValueError(
                f"in {found.name} the opponents are {found.opponents!r}, but a value learns by "
                "self-play: choose another task, or none"
            )


FORMER = ("wandb",)
"""Settings in earlier checkpoints that mean nothing any more."""


def with_game(config: ValueConfig, arguments: list[str]) -> tuple[ValueConfig, list[str]]:
    """Apply ``--task`` or ``--rules``; return the new configuration and the remaining arguments.

    Whether the game fits the settings is checked later, when the other arguments are known.

    Raises
    ------
    ValueError
        The rules or the task do not exist, or both are given.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--rules")
    chosen.add_argument("--task")
    parser.error = _refuse  # type: ignore[method-assign]
    given, others = parser.parse_known_args(arguments)
    changes: dict[str, Any] = {}
    if given.rules is not None:
        changes = {"rules": Rules.from_yaml(given.rules)}
    if given.task is not None:
        changes = {"task": task(given.task).name, "rules": task(given.task).env_rules}
    config = copy.copy(config)
    for name, value in changes.items():
        object.__setattr__(config, name, value)
    return config, others


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


@cache
def _checks() -> dict[str, TypeAdapter[Any]]:
    """Return a validator for each setting, except rules, which validate themselves."""
    strict = ConfigDict(strict=True, allow_inf_nan=False)
    hints = get_type_hints(ValueConfig, include_extras=True)
    return {k: TypeAdapter(hints[k], config=strict) for k in hints if k != "rules"}
