r"""Games as a data set to learn from: what was seen, what could be done and how good it was.

A set is a folder of files, ``games-00000.npz`` and so on, each with the decisions of some games.
A file is a compressed archive of numpy arrays without pickles; ``meta`` is JSON text with format,
version, rules and the recipe, and the others are

============ ============== =======================================================================
``indices``  uint32 (S,)    planes that are not zero, ``(row * view + column) * n_planes + plane``,
                            of all decisions one after the other
``weights``  uint8 (S,)     what they are
``n_active`` int32 (n,)     how many belong to each decision
``globals``  float32 (n, G) the globals
``legal``    int32 (L,)     legal actions, of all decisions one after the other
``values``   float32 (L,)   what the teacher thinks of each, in points, and never more than of what
                            it would take; NaN where it did not look
``n_legal``  int32 (n,)     how many belong to each decision
``actions``  int32 (n,)     what was played
``margins``  float32 (n,)   points of the decider less those of the best rival, at the end
``seats``    uint8 (n,)     the decider
``games``    int32 (n,)     number of the game
============ ============== =======================================================================

The planes and globals are those of ``planes`` in docs/observations.md, as the decider sees them,
candidates for the tile in hand included. Decisions with a single choice are left out.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import Opponent
from carc_env.game.records import replace_file
from carc_env.game.table import Table
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import Planes
from carc_env.layout.observations import board_shape, global_names
from carc_env.plain_arrays import TEXT, Form, read_arrays
from carc_env.plain_json import read_json
from carc_env.rules import Rules
from carc_env.search.analysis import Line
from carc_env.seeds import DECKS, Stream, seed_of

FORMAT, VERSION = "carc_env dataset", 1
PATTERN = "games-*.npz"
POOL = 16
"""Files that are mixed with one another when a set is read."""


class Decisions(NamedTuple):
    """Some decisions; see the module for the arrays."""

    indices: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.uint8]
    n_active: npt.NDArray[np.int32]
    globals: npt.NDArray[np.float32]
    legal: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]
    n_legal: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int32]
    margins: npt.NDArray[np.float32]
    seats: npt.NDArray[np.uint8]
    games: npt.NDArray[np.int32]

    @property
    def n(self) -> int:
        """How many they are."""
        return len(self.actions)

    def pick(self, which: npt.NDArray[np.int64]) -> Decisions:
        """Some of them, in the given order."""
        active = _ranges(self.n_active, which)
        legal = _ranges(self.n_legal, which)
        rest = {name: getattr(self, name)[which] for name in _EACH}
        return Decisions(
            indices=self.indices[active],
            weights=self.weights[active],
            legal=self.legal[legal],
            values=self.values[legal],
            **rest,
        )


_EACH = ("n_active", "globals", "n_legal", "actions", "margins", "seats", "games")
"""Arrays with a row for each decision."""


def _ranges(counts: npt.NDArray[np.int32], which: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where the entries of some decisions are, of which each has so many."""
    firsts = (np.cumsum(counts, dtype=np.int64) - counts)[which]
    lengths = counts[which].astype(np.int64)
    before = np.cumsum(lengths) - lengths
    found: npt.NDArray[np.int64] = np.arange(lengths.sum()) + np.repeat(firsts - before, lengths)
    return found


def joined(parts: Sequence[Decisions]) -> Decisions:
    """All decisions of several parts."""
    return Decisions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


DTYPES = {
    name: get_args(get_args(kind)[1])[0].__name__
    for name, kind in get_type_hints(Decisions).items()
}
"""The dtype of each array, by its name."""
FORMS: dict[str, Form] = {
    name: (dtype, 2 if name == "globals" else 1) for name, dtype in DTYPES.items()
}
MAX_BYTES = 2**32
"""Of a file that is read."""


@dataclass(frozen=True)
class Recipe:
    """How a data set is made.

    What becomes of a file is a function of it and of the file's number, unless an agent or the
    teacher looks at the clock.

    Parameters
    ----------
    rules : Rules
        What is played.
    agents : tuple of str
        Who plays: each seat of each game one of them by lot.
    teacher : str
        Who says how good actions are: an agent with ``analyse``.
    explore : float
        Share of decisions that are played by lot: a move is the more probable the better it is.
    temperature : float
        Points by which a move is worse that has 1/e of the chance then.
    games : int
        In each file.
    seed : int
        Of all of it.

    Attributes
    ----------
    decks : int
        Which decks seeds mean, :data:`carc_env.seeds.DECKS`.

    Raises
    ------
    ValueError
        A number is out of its range.
    """

    rules: Rules
    agents: tuple[str, ...] = ("value",)
    teacher: str = "value"
    explore: float = 0.1
    temperature: float = 2.0
    games: int = 50
    seed: int = 1
    decks: int = field(default=DECKS, init=False)

    def __post_init__(self) -> None:
        if not self.agents:
            raise ValueError("agents must name at least one")
        if not 0 <= self.explore <= 1:
            raise ValueError(f"explore must be from 0 to 1, got {self.explore}")
        if not self.temperature > 0 or self.games < 1 or self.seed < 0:
            raise ValueError("temperature and games must be more than 0, seed not negative")

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {**asdict(self), "agents": list(self.agents), "rules": self.rules.to_dict()}

    def make(self, number: int) -> Decisions:
        """The decisions of the games of a file."""
        maker = _Maker(self)
        first = number * self.games
        for game in range(first, first + self.games):
            maker.play(game)
        return maker.decisions()


class Teacher(Opponent, Protocol):
    """An agent that says what it thinks of actions."""

    def analyse(self, table: Table) -> list[Line]:
        """What it thinks of the legal actions, the best one first."""


def teacher_of(recipe: Recipe) -> Teacher:
    """The teacher of a recipe.

    Raises
    ------
    ValueError
        There is no such agent, or it does not analyse.
    """
    teacher = make_agent(recipe.teacher, recipe.rules)
    if not hasattr(teacher, "analyse"):
        raise ValueError(f"{recipe.teacher!r} cannot teach: it has no analyse()")
    return cast(Teacher, teacher)


class _Maker:
    """Plays games and keeps what it sees."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._encoding = Planes(recipe.rules, flat_board=True)
        self._teacher = teacher_of(recipe)
        self._agents = {
            name: self._teacher if name == recipe.teacher else make_agent(name, recipe.rules)
            for name in recipe.agents
        }
        self._rows: dict[str, list[Any]] = {name: [] for name in Decisions._fields}

    def play(self, game: int) -> None:
        """Play a game with players by lot, and add its decisions."""
        recipe, rows = self._recipe, self._rows
        rng = np.random.default_rng([recipe.seed, game])
        table = Table(recipe.rules, seed=seed_of(Stream.TRAINING, recipe.seed, game))
        names = rng.choice(list(recipe.agents), recipe.rules.n_players)
        first = len(rows["actions"])
        while not table.is_over:
            actions = table.legal_actions()
            if len(actions) == 1:
                table.step(actions[0])
                continue
            lines = self._teacher.analyse(table)
            agent = self._agents[names[table.decider]]
            if rng.random() < recipe.explore:
                action = self._by_lot(lines, rng)
            else:
                action = lines[0].action if agent is self._teacher else agent.act(table)
            self._add(table, actions, lines, action)
            rows["games"].append(game)
            table.step(action)
        points = table.scores
        for seat in rows["seats"][first:]:
            rivals = [p for k, p in enumerate(points) if k != seat]
            rows["margins"].append(points[seat] - max(rivals))

    def _by_lot(self, lines: Sequence[Line], rng: np.random.Generator) -> int:
        values = np.minimum([line.value for line in lines], lines[0].value)
        shares = np.exp((values - values.max()) / self._recipe.temperature)
        return lines[int(rng.choice(len(lines), p=shares / shares.sum()))].action

    def _add(self, table: Table, actions: list[int], lines: Sequence[Line], action: int) -> None:
        rows, seen = self._rows, table.observe(encoding=self._encoding)
        indices = np.flatnonzero(seen["board"])
        values = {line.action: min(line.value, lines[0].value) for line in lines}
        rows["indices"].append(indices.astype(np.uint32))
        rows["weights"].append(seen["board"][indices])
        rows["n_active"].append(len(indices))
        rows["globals"].append(seen["globals"].copy())
        rows["legal"].append(np.array(actions, np.int32))
        rows["values"].append(np.array([values.get(a, np.nan) for a in actions], np.float32))
        rows["n_legal"].append(len(actions))
        rows["actions"].append(action)
        rows["seats"].append(table.decider)

    def decisions(self) -> Decisions:
        """All that was added."""
        flat = {name: np.concatenate(self._rows[name]) for name in ("indices", "weights")}
        flat |= {name: np.concatenate(self._rows[name]) for name in ("legal", "values")}
        return Decisions(
            **flat,
            n_active=np.array(self._rows["n_active"], np.int32),
            globals=np.stack(self._rows["globals"]),
            n_legal=np.array(self._rows["n_legal"], np.int32),
            actions=np.array(self._rows["actions"], np.int32),
            margins=np.array(self._rows["margins"], np.float32),
            seats=np.array(self._rows["seats"], np.uint8),
            games=np.array(self._rows["games"], np.int32),
        )


def file_name(number: int) -> str:
    """What the file of a number is called."""
    return PATTERN.replace("*", f"{number:05d}")


def write_file(path: Path, recipe: Recipe, decisions: Decisions) -> None:
    """Write a file of a set, whole or not at all."""
    meta = {"format": FORMAT, "version": VERSION, "recipe": recipe.to_dict()}
    content = io.BytesIO()
    np.savez_compressed(content, meta=np.array(json.dumps(meta)), **decisions._asdict())
    replace_file(path, content.getvalue())


def read_meta(path: Path) -> dict[str, Any]:
    """The recipe of a file, as plain values.

    Raises
    ------
    ValueError
        It is no file of a data set, or one of another version.
    OSError
        It cannot be read.
    """
    with path.open("rb") as file:
        try:
            found = read_arrays(file, {"meta": (TEXT, 0)}, MAX_BYTES)
            meta = read_json("meta", str(found["meta"]))
            if meta["format"] != FORMAT:
                raise ValueError(f"format {meta['format']!r}")
            if meta["version"] != VERSION:
                raise ValueError(f"version {meta['version']}, this carc_env reads {VERSION}")
            recipe = dict(meta["recipe"])
            Rules.from_dict(recipe["rules"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: not a file of a data set: {error}") from error
    return recipe


def describe(path: Path) -> dict[str, Any]:
    """What is in a file, as plain values for ``docs/schemas/dataset.schema.json``.

    Returns
    -------
    dict
        ``meta`` and, for each array, its ``dtype`` and ``shape``; the values are not looked at.

    Raises
    ------
    ValueError
        It is no file of a data set, or one of another version.
    OSError
        It cannot be read.
    """
    recipe, decisions = read_meta(path), read_file(path)
    return {
        "meta": {"format": FORMAT, "version": VERSION, "recipe": recipe},
        "arrays": {
            name: {"dtype": array.dtype.name, "shape": list(array.shape)}
            for name, array in decisions._asdict().items()
        },
    }


def read_file(path: Path) -> Decisions:
    """The decisions of a file.

    Raises
    ------
    ValueError
        It is damaged.
    OSError
        It cannot be read.
    """
    with path.open("rb") as file:
        try:
            decisions = Decisions(**read_arrays(file, FORMS, MAX_BYTES))
            _check_counts(decisions)
        except ValueError as error:
            raise ValueError(f"{path}: not a file of a data set: {error}") from error
    return decisions


def _check_counts(decisions: Decisions) -> None:
    """Raise a ``ValueError`` unless the arrays belong together and hold numbers."""
    for name in _EACH:
        if (n := len(getattr(decisions, name))) != decisions.n:
            raise ValueError(f"{name} of {n} decisions, actions of {decisions.n}")
    for name, parts in (("n_active", ("indices", "weights")), ("n_legal", ("legal", "values"))):
        counts = getattr(decisions, name)
        sizes = {len(getattr(decisions, part)) for part in parts}
        if (counts < 0).any() or sizes != {int(counts.sum(dtype=np.int64))}:
            raise ValueError(f"{name} does not say how many {' and '.join(parts)} there are")
    if not (np.isfinite(decisions.globals).all() and np.isfinite(decisions.margins).all()):
        raise ValueError("a global or a margin is no number")


def datasets_in(folders: Sequence[Path]) -> list[Dataset]:
    """The data sets in some folders, those of the same rules as one.

    Raises
    ------
    ValueError
        There is nothing in a folder, or files in one folder are of different rules.
    """
    by_rules: dict[str, list[Path]] = {}
    for folder in folders:
        by_rules.setdefault(Dataset([folder]).rules.to_yaml(), []).append(folder)
    return [Dataset(same) for same in by_rules.values()]


class Dataset:
    """Folders of files, all of the same rules, read file by file.

    Parameters
    ----------
    folders : sequence of Path
        What ``scripts/make_dataset.py`` wrote.

    Raises
    ------
    ValueError
        There is nothing in a folder, or files are of different rules.

    Attributes
    ----------
    rules : Rules
        Of all games.
    files : list of Path
        In the order of their names.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.files = [path for folder in folders for path in sorted(folder.glob(PATTERN))]
        for folder in folders:
            if not any(folder.glob(PATTERN)):
                raise ValueError(
                    f"{folder}: no {PATTERN} in it; scripts/make_dataset.py makes some"
                )
        self.rules = Rules.from_dict(read_meta(self.files[0])["rules"])
        for path in self.files[1:]:
            rules = Rules.from_dict(read_meta(path)["rules"])
            if change := self.rules.differences(rules):
                raise ValueError(f"{path}: of other rules than {self.files[0]}: {change}")

    def _read(self, path: Path) -> Decisions:
        """The decisions of a file; ``ValueError`` for what these rules do not have."""
        found, n_globals = read_file(path), len(global_names(self.rules))
        if (n := found.globals.shape[1]) != n_globals:
            raise ValueError(f"{path}: {n} globals, but its rules have {n_globals}")
        n_planes, n_actions = prod(board_shape(self.rules)), action_layout(self.rules).n_actions
        for name, below in (("indices", n_planes), ("legal", n_actions), ("actions", n_actions)):
            numbers = getattr(found, name)
            if numbers.size and not 0 <= numbers.min() <= numbers.max() < below:
                raise ValueError(f"{path}: {name} must be from 0 to {below - 1}")
        return found

    def batches(self, size: int, seed: int, first: int = 0) -> Iterator[tuple[int, Decisions]]:
        """Batches of mixed decisions without an end, each with its number.

        The files are read in a new order each time; ``POOL`` of them are mixed with one another, so
        no more than these are in memory. What does not fill a batch is left out.

        Parameters
        ----------
        size : int
            Decisions in a batch.
        seed : int
            Of the order.
        first : int
            Number of the first one; those before it are passed over.

        Raises
        ------
        ValueError
            A file is damaged, or there are fewer decisions than one batch.
        """
        number, epoch = 0, 0
        while True:
            rng = np.random.default_rng([seed, epoch])
            order, began = rng.permutation(len(self.files)), number
            for at in range(0, len(order), POOL):
                pool = joined([self._read(self.files[k]) for k in order[at : at + POOL]])
                mixed = rng.permutation(pool.n)
                for begin in range(0, pool.n - size + 1, size):
                    if number >= first:
                        yield number, pool.pick(mixed[begin : begin + size])
                    number += 1
            if number == began:
                raise ValueError(f"fewer than {size} decisions in {len(self.files)} files")
            epoch += 1


def in_turn(
    datasets: Sequence[Dataset], size: int, seed: int, first: int = 0
) -> Iterator[tuple[int, Decisions]]:
    """Batches of several data sets in turn, each with the number of its data set.

    Parameters
    ----------
    datasets : sequence of Dataset
        Of one kind of rules each.
    size, seed, first
        As for :meth:`Dataset.batches`.
    """
    n = len(datasets)
    streams = [
        data.batches(size, seed, (first - k + n - 1) // n) for k, data in enumerate(datasets)
    ]
    for number in count(first):
        yield number % n, next(streams[number % n])[1]
