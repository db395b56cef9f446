r"""Training data sets of games: their players, moves and move values.

A data set is a folder of files, ``games-00000.npz`` and so on, each containing several games. A
file is a compressed archive of numpy arrays without pickles. ``meta`` is JSON text with the format,
version, splits and recipe, which includes the rules; the other arrays are

============ ============== =======================================================================
``numbers``  int32 (g,)     number of each game in the set; it determines the split, see
                            :func:`split_of`
``seeds``    uint64 (g,)    seed of its deck: ``Table(rules, seed=seed)``
``players``  uint8 (g, p)   player in each seat: index into the recipe's agents
``scores``   int32 (g, p)   final scores
``lengths``  int32 (g,)     number of decisions with a choice in each game
``actions``  int32 (d,)     actions in these decisions, game after game
``values``   float32 (L,)   the teacher's value for each legal action in these decisions, in points,
                            actions ascending; no value exceeds that of the teacher's choice; NaN
                            where the teacher did not look; empty without a teacher
============ ============== =======================================================================

Nothing else is stored: :mod:`carc_env.agents.positions` replays the games and creates the decider's
observations on the way. An illegal action or a different score raises an error.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import Opponent
from carc_env.game.records import replace_file
from carc_env.game.table import Table
from carc_env.plain_arrays import TEXT, Form, read_arrays
from carc_env.plain_json import read_json
from carc_env.rules import Rules
from carc_env.search.analysis import Line
from carc_env.seeds import DECKS, Stream, seed_of

FORMAT, VERSION = "carc_env dataset", 2
PATTERN = "games-*.npz"
CHECKSUMS = "checksums.json"
Split = Literal["train", "validation", "test"]
SPLITS: dict[Split, range] = {
    "train": range(18),
    "validation": range(18, 19),
    "test": range(19, 20),
}
"""Game numbers of each split, modulo 20."""


def split_of(number: int) -> Split:
    """Return the split of the game with the given number: 90% are for training."""
    return next(name for name, numbers in SPLITS.items() if number % 20 in numbers)


class Games(NamedTuple):
    """The games in a file; the module docstring describes the arrays."""

    numbers: npt.NDArray[np.int32]
    seeds: npt.NDArray[np.uint64]
    players: npt.NDArray[np.uint8]
    scores: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]

    @property
    def n(self) -> int:
        """Number of games."""
        return len(self.numbers)

    def actions_of(self, k: int) -> list[int]:
        """Return the actions in the decisions with a choice of game k."""
        end = int(self.lengths[: k + 1].sum(dtype=np.int64))
        found: list[int] = self.actions[end - int(self.lengths[k]) : end].tolist()
        return found


def replay(rules: Rules, games: Games, k: int) -> Iterator[tuple[Table, list[int], int]]:
    """Replay game k; yield at each decision with a choice, before it is taken.

    Yields
    ------
    table : Table
        The game, the same object each time.
    legal : list of int
        The legal actions, ascending.
    action : int
        The recorded action.

    Raises
    ------
    ValueError
        An action is not legal, or the game does not end as recorded.
    """
    table = Table(rules, seed=int(games.seeds[k]))
    for action in games.actions_of(k):
        legal = forced(table)
        yield table, legal, action
        table.step(action)
    check_end(table, games, k)


def check_end(table: Table, games: Games, k: int) -> None:
    """Raise a ``ValueError`` unless game k ends as recorded after all actions."""
    if forced(table) or list(table.scores) != games.scores[k].tolist():
        raise ValueError(
            f"game {games.numbers[k]} is recorded with {games.scores[k].tolist()}, but replayed "
            f"it stands at {list(table.scores)}"
        )


def forced(table: Table) -> list[int]:
    """Play all forced decisions; return the legal actions at the next decision with a choice."""
    while len(legal := table.legal_actions()) == 1:
        table.step_unchecked(legal[0])
    return legal


def scalar_of(kind: Any) -> Any:
    """Return the scalar type of an ``npt.NDArray``, which is an alias from numpy 2.5 on."""
    last = get_args(kind)[-1]
    return get_args(last)[0] if get_origin(last) is np.dtype else last


DTYPES = {name: scalar_of(kind).__name__ for name, kind in get_type_hints(Games).items()}
"""The dtype of each array in a file, by array name."""
FORMS: dict[str, Form] = {
    name: (dtype, 2 if name in ("players", "scores") else 1) for name, dtype in DTYPES.items()
}
MAX_BYTES = 2**32
"""Largest file that is read, in bytes."""


@dataclass(frozen=True)
class Recipe:
    """The recipe of a data set.

    A file depends only on the recipe and the file number, unless an agent or the teacher uses a
    clock.

    Parameters
    ----------
    rules : Rules
        The rules of the games.
    agents : tuple of str
        The players; each seat in each game is drawn from them.
    teacher : str
        The agent that values actions, with ``analyse``. Empty: no values.
    explore : float
        Proportion of decisions that are sampled; better moves are more probable.
    temperature : float
        Softmax temperature of the sampling, in points.
    games : int
        Number of games in each file.
    seed : int
        Seed of the whole data set.

    Attributes
    ----------
    decks : int
        Version of the seeding scheme, :data:`carc_env.seeds.DECKS`.

    Raises
    ------
    ValueError
        A number is out of range.
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
        if self.explore and not self.teacher:
            raise ValueError("without a teacher random moves have no values: explore must be 0")

    def to_dict(self) -> dict[str, Any]:
        """Return the recipe as plain values."""
        return {**asdict(self), "agents": list(self.agents), "rules": self.rules.to_dict()}

    def make(self, number: int) -> Games:
        """Play and return the games of the file with the given number."""
        maker = _Maker(self)
        first = number * self.games
        for game in range(first, first + self.games):
            maker.play(game)
        return maker.games()


_MIXED = ("value",) * 4 + ("search:sims=1000,evaluation=value",)
PUBLISHED = {
    "base": Recipe(Rules(view=20), _MIXED, teacher="", explore=0, games=100, seed=20),
    "all": Recipe(Rules.preset("all", view=30), _MIXED, teacher="", explore=0, games=100, seed=20),
}
"""The folders of the published data set, with 10,000 games each."""


class Teacher(Opponent, Protocol):
    """An agent that values actions."""

    def analyse(self, table: Table) -> list[Line]:
        """Return the values of the legal actions, best first."""


def teacher_of(recipe: Recipe) -> Teacher:
    """Return the teacher of a recipe.

    Raises
    ------
    ValueError
        There is no such agent, or it cannot analyse.
    """
    teacher = make_agent(recipe.teacher, recipe.rules)
    if not hasattr(teacher, "analyse"):
        raise ValueError(f"{recipe.teacher!r} cannot teach: it has no analyse()")
    return cast(Teacher, teacher)


class _Maker:
    """Plays games and stores the moves."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._teacher = teacher_of(recipe) if recipe.teacher else None
        self._agents = [
            self._teacher
            if self._teacher and name == recipe.teacher
            else make_agent(name, recipe.rules)
            for name in recipe.agents
        ]
        self._rows: dict[str, list[Any]] = {name: [] for name in Games._fields}

    def play(self, game: int) -> None:
        """Play a game between randomly drawn players, and add it."""
        recipe, rows = self._recipe, self._rows
        rng = np.random.default_rng([recipe.seed, game])
        seed = seed_of(Stream.TRAINING, recipe.seed, game)
        table = Table(recipe.rules, seed=seed)
        players = rng.integers(len(recipe.agents), size=recipe.rules.n_players)
        first = len(rows["actions"])
        while legal := forced(table):
            agent = self._agents[players[table.decider]]
            lines = self._teacher.analyse(table) if self._teacher else []
            if rng.random() < recipe.explore:
                action = self._by_lot(lines, rng)
            else:
                action = lines[0].action if agent is self._teacher else agent.act(table)
            values = {line.action: min(line.value, lines[0].value) for line in lines}
            if lines:
                rows["values"] += [values.get(one, np.nan) for one in legal]
            rows["actions"].append(action)
            table.step(action)
        rows["numbers"].append(game)
        rows["seeds"].append(seed)
        rows["players"].append(players)
        rows["scores"].append(table.scores)
        rows["lengths"].append(len(rows["actions"]) - first)

    def _by_lot(self, lines: Sequence[Line], rng: np.random.Generator) -> int:
        values = np.minimum([line.value for line in lines], lines[0].value)
        shares = np.exp((values - values.max()) / self._recipe.temperature)
        return lines[int(rng.choice(len(lines), p=shares / shares.sum()))].action

    def games(self) -> Games:
        """Return all games added so far."""
        return Games(**{name: np.array(self._rows[name], kind) for name, kind in DTYPES.items()})


def file_name(number: int) -> str:
    """Return the name of the file with the given number."""
    return PATTERN.replace("*", f"{number:05d}")


def meta_of(recipe: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata of a file."""
    splits = {name: [*numbers] for name, numbers in SPLITS.items()}
    return {"format": FORMAT, "version": VERSION, "splits": splits, "recipe": recipe}


def write_file(path: Path, recipe: Recipe, games: Games) -> None:
    """Write a file of a set atomically."""
    content = io.BytesIO()
    meta = np.array(json.dumps(meta_of(recipe.to_dict())))
    np.savez_compressed(content, meta=meta, **games._asdict())
    replace_file(path, content.getvalue())


def read_meta(path: Path) -> dict[str, Any]:
    """Return the recipe of a file, as plain values.

    Raises
    ------
    ValueError
        The file does not belong to a data set, or has another version.
    OSError
        The file cannot be read.
    """
    with path.open("rb") as file:
        try:
            found = read_arrays(file, {"meta": (TEXT, 0)}, MAX_BYTES)
            meta = read_json("meta", str(found["meta"]))
            if meta["format"] != FORMAT:
                raise ValueError(f"format {meta['format']!r}")
            if meta["version"] != VERSION:
                raise ValueError(f"version {meta['version']}, but this carc_env reads {VERSION}")
            recipe = dict(meta["recipe"])
            Rules.from_dict(recipe["rules"])
            list(map(str, recipe["agents"]))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: not a file of a data set: {error}") from error
    return recipe


def describe(path: Path) -> dict[str, Any]:
    """Return the structure of a file, as plain values for ``docs/schemas/dataset.schema.json``.

    Returns
    -------
    dict
        ``meta`` and, for each array, its ``dtype`` and ``shape``; the values are not read.

    Raises
    ------
    ValueError
        The file does not belong to a data set, or has another version.
    OSError
        The file cannot be read.
    """
    return {
        "meta": meta_of(read_meta(path)),
        "arrays": {
            name: {"dtype": array.dtype.name, "shape": list(array.shape)}
            for name, array in read_games(path)._asdict().items()
        },
    }


def read_games(path: Path) -> Games:
    """Return the games in a file as recorded, without replaying them.

    Raises
    ------
    ValueError
        The file is damaged.
    OSError
        The file cannot be read.
    """
    recipe = read_meta(path)
    seats, n_agents = Rules.from_dict(recipe["rules"]).n_players, len(recipe["agents"])
    with path.open("rb") as file:
        try:
            games = Games(**read_arrays(file, FORMS, MAX_BYTES))
            for name in ("seeds", "players", "scores", "lengths"):
                if (n := len(getattr(games, name))) != games.n:
                    raise ValueError(f"{name} of {n} games, numbers of {games.n}")
            if (games.lengths < 0).any() or games.lengths.sum(dtype=np.int64) != len(games.actions):
                raise ValueError("lengths does not match the number of actions")
            if games.players.shape[1] != seats or (games.players >= n_agents).any():
                raise ValueError(f"players are not {seats} numbers below {n_agents} for each game")
            if (games.numbers < 0).any() or np.isinf(games.values).any():
                raise ValueError("a number of a game is negative, or a value is infinite")
        except ValueError as error:
            raise ValueError(f"{path}: not a file of a data set: {error}") from error
    return games


def checksums_of(folder: Path) -> dict[str, Any]:
    """Return checksums of the content of all files in a data set, including subfolders.

    Returns
    -------
    dict
        ``files``, SHA-256 checksums by file name; ``all``, a checksum of these. They cover the
        arrays, so recompressing a file does not change them.

    Raises
    ------
    ValueError, OSError
        A file is refused.
    """
    files = {}
    for path in sorted(folder.rglob(PATTERN)):
        found = hashlib.sha256(json.dumps(read_meta(path), sort_keys=True).encode())
        for name, array in read_games(path)._asdict().items():
            found.update(f"{name} {array.dtype.name} {array.shape}\n".encode())
            found.update(array.tobytes())
        files[path.relative_to(folder).as_posix()] = found.hexdigest()
    whole = hashlib.sha256(json.dumps(files).encode()).hexdigest()
    return {"all": whole, "files": files}


class Dataset:
    """A data set in one or more folders, all with the same rules, read file by file.

    Parameters
    ----------
    folders : sequence of path
        Folders written by ``scripts/make_dataset.py``.

    Raises
    ------
    ValueError
        A folder is empty, or files have different rules.

    Attributes
    ----------
    rules : Rules
        The rules of all games.
    files : list of Path
        All files, sorted by name.
    """

    def __init__(self, folders: Sequence[str | os.PathLike[str]]) -> None:
        self.files: list[Path] = []
        for folder in map(Path, folders):
            self.files += (here := sorted(folder.glob(PATTERN)))
            if not here:
                raise ValueError(
                    f"{folder}: it contains no {PATTERN}; make some with scripts/make_dataset.py"
                )
        self.rules = Rules.from_dict(read_meta(self.files[0])["rules"])
        for path in self.files[1:]:
            rules = Rules.from_dict(read_meta(path)["rules"])
            if change := self.rules.differences(rules):
                raise ValueError(f"{path} has other rules than {self.files[0]}: {change}")
