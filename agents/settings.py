"""A run's settings as a frozen dataclass that converts from and to YAML and JSON."""

from __future__ import annotations

import argparse
import copy
import dataclasses
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, NoReturn, Self, TypeVar, get_type_hints

from pydantic import ConfigDict, Field, PositiveInt, TypeAdapter, ValidationError

from carc_env.choices import check_choice
from carc_env.envs.distributions import RulesDistribution
from carc_env.envs.vector import SELF
from carc_env.files import read_text
from carc_env.plain_yaml import read_yaml
from carc_env.rules import Rules
from carc_env.tasks import task

from .checkpoint import CheckpointError, check_decks
from .curve import Row, has_ended

S = TypeVar("S", bound="Settings")
Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True)
class Settings:
    """The base class of all run settings; every setting has a default."""

    def __post_init__(self) -> None:
        """Check every setting against its declared type, converting ints to floats where needed.

        Raises
        ------
        ValueError
            A value has another type or is not allowed; the message names the setting.
        """
        for name, check in _checks(type(self)).items():  # type: ignore[arg-type]
            value = getattr(self, name)
            try:
                object.__setattr__(self, name, check.validate_python(value))
            except ValidationError as error:
                problem = error.errors()[0]["msg"].removeprefix("Input ")
                raise ValueError(f"{name} {problem}, got {value!r}") from None

    @classmethod
    def from_dict(cls, settings: dict[str, Any], of: str = "") -> Self:
        """Create settings from plain values, as read from YAML or JSON.

        Parameters
        ----------
        settings : dict
            The values by name; missing settings get their defaults.
        of : str
            A suffix for messages, such as " of network" for nested settings.

        Raises
        ------
        ValueError
            A name is unknown, or a value has the wrong type or is not allowed.
        """
        if not isinstance(settings, dict):
            raise ValueError(f"the settings{of} must be a mapping of names to values: {settings!r}")
        plain, kinds = {**settings}, _kinds(cls)
        for name, value in settings.items():
            check_choice(f"setting{of}", name, kinds)
            if kinds[name] is Rules:
                plain[name] = Rules.from_dict(value)
            elif is_dataclass(kinds[name]):
                plain[name] = kinds[name].from_dict(value, f" of {name}")
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

    def to_dict(self) -> dict[str, Any]:
        """Return all settings as plain values, except ``overwrite``, which is given each time."""
        plain = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
        plain.pop("overwrite", None)
        for field in fields(self):
            if isinstance(value := getattr(self, field.name), Rules):
                plain[field.name] = value.to_dict()
        return plain

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some settings changed."""
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True)
class RunSettings(Settings):
    """Settings shared by all training runs; a step is a decision by the learner."""

    folder: str = "runs/new"
    """Folder for checkpoints, the learning curve and logs."""
    task: str = ""
    """The task to train for (docs/tasks.md); --task also sets its rules and opponents."""
    overwrite: bool = False
    """Begin even if the folder contains files, and replace those of a run; not stored with the
    run."""
    seed: int = 0
    """The same seed on the same machine with the same number of threads gives the same run."""
    threads: PositiveInt = 2
    """CPU threads for torch and for the games."""
    checkpoint_every: PositiveInt = 50_000
    """Steps between checkpoints."""
    eval_every: PositiveInt = 50_000
    """Steps between evaluations; there is also one before the first and after the last step."""
    eval_games: PositiveInt = 200
    """Games per opponent; the decks are always the same, each played from every seat."""
    eval_against: tuple[str, ...] = ("random", "greedy")
    """Evaluation opponents: names (docs/ladder.md) or checkpoints."""
    records: str = ""
    """Folder for the records of all evaluation games."""
    stop_at_win_rate: float | None = None
    """Stop as soon as an evaluation against the first opponent reaches this win rate."""
    wandb: str = ""
    """Weights & Biases project for the curve; requires the wandb package."""

    UNIT: ClassVar[str] = "steps"
    """The unit of steps; the setting ``total_<unit>`` is their total number."""
    MARK: ClassVar[dict[str, Any]] = {}
    """Metadata that identifies a checkpoint of this kind of run."""
    NO_MARK: ClassVar[str] = ""
    """The error message for a checkpoint of another kind of run."""

    @property
    def total(self) -> int:
        """Total number of steps in a run."""
        n: int = getattr(self, f"total_{self.UNIT}")
        return n

    def is_done(self, curve: Sequence[Row]) -> bool:
        """Return whether a run with this curve did all steps or reached ``stop_at_win_rate``."""
        return has_ended(curve, self.total, self.eval_against, self.stop_at_win_rate)

    @classmethod
    def saved(cls, path: str | os.PathLike[str], meta: dict[str, Any]) -> Self:
        """Return the settings stored in a checkpoint's ``meta``.

        Raises
        ------
        CheckpointError
            The checkpoint belongs to another kind of run, or its settings are invalid in this
            version.
        """
        if any(meta.get(name) != value for name, value in cls.MARK.items()):
            raise CheckpointError(path, cls.NO_MARK)
        check_decks(path, meta)
        try:
            return cls.from_dict(meta["config"])
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(path, f"its settings are not valid here: {error}") from error

    def check_goes_on(
        self, path: str | os.PathLike[str], config: Self, fixed: Sequence[str]
    ) -> None:
        """Raise a ``CheckpointError`` if settings differ in something that is fixed on resuming."""
        for name in fixed:
            was, now = getattr(self, name), getattr(config, name)
            if was != now:
                change = was.differences(now) if isinstance(was, Rules) else f"{was} -> {now}"
                raise CheckpointError(path, f"{name} cannot change when a run resumes: {change}")


def with_game(config: S, arguments: list[str]) -> tuple[S, list[str]]:
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
        found = task(given.task)
        changes = {"task": found.name, "rules": found.env_rules, "opponents": (found.opponents,)}
    config = copy.copy(config)
    for name, value in changes.items():
        if hasattr(config, name):
            object.__setattr__(config, name, value)
    return config, others


def distribution_of(config: RunSettings) -> RulesDistribution | None:
    """Return the distribution from which a run's task draws the rules of its training games.

    It is None for a task with one kind of rules, and without a task.
    """
    rules = task(config.task).rules if config.task else None
    return rules if isinstance(rules, RulesDistribution) else None


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


def check_task(
    config: RunSettings, rules: Rules, distribution: RulesDistribution | None = None
) -> None:
    """Raise a ``ValueError`` if a run's game differs from that of its task.

    Parameters
    ----------
    config : RunSettings
        The run's settings.
    rules : Rules
        The rules of its games. With a distribution, they have its layout.
    distribution : RulesDistribution, optional
        Draws the rules of its training games.
    """
    if not config.task:
        return
    found = task(config.task)
    if change := found.env_rules.differences(rules):
        raise ValueError(f"{found.name} has other rules than the run (task -> run): {change}")
    if distribution_of(config) is not distribution:
        raise ValueError(
            f"the rules of {found.name} and of this run's games are not drawn from the same "
            "distribution: a run on this task needs carc_env.tasks.task(NAME).rules"
        )
    opponents = getattr(config, "opponents", (SELF,))
    if opponents != (found.opponents,):
        raise ValueError(
            f"in {found.name} the opponents are {found.opponents!r}, but in this run "
            f"{', '.join(opponents)}: choose another task, or none"
        )


def check_eval_games(eval_games: int, rules: Rules) -> None:
    """Raise a ``ValueError`` unless the games are whole decks, each played from every seat."""
    if eval_games % rules.n_players:
        raise ValueError(
            f"eval_games must be a multiple of rules.n_players = {rules.n_players}, "
            f"got {eval_games}: every deck is played once from each seat"
        )


def _kinds(of: type[Any]) -> dict[str, Any]:
    """Return the types of all settings; one redeclared as a plain int keeps its limits."""
    kinds: dict[str, Any] = {}
    for base in reversed(of.__mro__):
        for name, hint in get_type_hints(base, include_extras=True).items():
            if getattr(kinds.get(name), "__origin__", None) is not hint:
                kinds[name] = hint
    return {field.name: kinds[field.name] for field in fields(of)}


@cache
def _checks(of: type[Any]) -> dict[str, TypeAdapter[Any]]:
    """Return a validator for each setting, except dataclasses, which validate themselves."""
    strict = ConfigDict(strict=True, allow_inf_nan=False)
    kinds = _kinds(of).items()
    return {
        name: TypeAdapter(kind, config=strict) for name, kind in kinds if not is_dataclass(kind)
    }
