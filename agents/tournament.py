"""Tournaments: who meets whom, the file that keeps what was played, and playing what is left."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal

import numpy as np
from pydantic import TypeAdapter, ValidationError

import carc_env
from carc_env.choices import check_choice
from carc_env.envs.naming import AgentSpec, parse_agent
from carc_env.game.records import replace_file, written_to
from carc_env.plain_json import first_problem, read_json
from carc_env.rules import Rules
from carc_env.seeds import DECKS

from .arena import Arena, LineUp, Played, Player, Task, first_places
from .sprt import Sequence as SprtSequence
from .sprt import Sprt

Form = Literal["round-robin", "gauntlet", "table"]
"""Who meets whom, see :func:`line_ups`."""
FORMS: tuple[Form, ...] = ("round-robin", "gauntlet", "table")
FORMAT = "carc_env games"
VERSION = 1
_PLAYED = TypeAdapter(Played)

Spread = Callable[[Callable[[Task], list[Played]], Iterable[Task]], Iterator[list[Played]]]
"""Gets tasks done somewhere; gives results as they are ready."""


def line_ups(agents: Sequence[str], n_seats: int, form: Form) -> list[LineUp]:
    """Who sits together.

    - ``"round-robin"``: everybody meets everybody. With more than two seats one agent meets copies
      of another, and the other way round.
    - ``"gauntlet"``: the first meets each of the others; with more than two seats alone against
      copies of it.
    - ``"table"``: all sit at one table; the last takes the seats that are left.

    Raises
    ------
    ValueError
        There are too few or too many agents for it, or one is named twice.
    """
    check_choice("form", form, FORMS)
    if form == "table":
        if not 1 <= len(agents) <= n_seats:
            raise ValueError(f"{n_seats} seats need 1 to {n_seats} agents, got {len(agents)}")
        return [(*agents, *[agents[-1]] * (n_seats - len(agents)))]
    if len(agents) < 2 or len(set(agents)) < len(agents):
        raise ValueError(f"a {form} needs two or more different agents, got {', '.join(agents)}")
    alone = agents[:1] if form == "gauntlet" else agents
    pairs = [(a, b) for a in alone for b in agents if a != b]
    if n_seats == 2:
        pairs = [(a, b) for a, b in pairs if agents.index(a) < agents.index(b)]
    return [(a, *[b] * (n_seats - 1)) for a, b in pairs]


def make_players(agents: Iterable[str], rules: Rules | None) -> dict[str, Player]:
    """The agents by their words; of those that take a seed what makes them.

    Raises
    ------
    ValueError, ImportError
        As for :func:`carc_env.envs.naming.make_agent`.
    """
    specs: dict[str, AgentSpec] = {text: parse_agent(text) for text in agents}
    made = {text: spec.make(rules) for text, spec in specs.items()}  # also shows who is refused
    return {text: specs[text] if specs[text].takes_seed else made[text] for text in specs}


def heading(arena: Arena) -> dict[str, Any]:
    """What decides how games go, as plain values: the first line of the file of games."""
    return {
        FORMAT: VERSION,
        "carc_env": carc_env.__version__,
        "rules": arena.rules.to_dict(),
        "seed": arena.seed,
        "decks": DECKS,
        "stream": arena.stream.name,
        "agents": {name: _digest(name) for name in arena.players},
    }


def _digest(name: str) -> str | None:
    """Of the file of a checkpoint; None for other agents."""
    path = Path(name)
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else None


class GameFile:
    """The games of a tournament as lines of JSON, each written as soon as it is known.

    The first line is the :func:`heading`; each of the others is a deck that a line-up has played.
    A last line that was cut off, by a kill in the middle of writing it, is dropped.

    Parameters
    ----------
    path : Path
        Read and gone on with if it is there.
    head : dict
        The heading of what shall be played. Agents may be others than those in the file, but not
        others of the same name.

    Attributes
    ----------
    played : list of Played
        What was in the file.
    notes : list of str
        What had to be done to it, for people.

    Raises
    ------
    ValueError
        The file is no such file, damaged, or of other settings; the message tells the difference.
    """

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        self.path = path
        self.played: list[Played] = []
        self.notes: list[str] = []
        if path.exists():
            self._read(head)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, _line(head))
        self._file: IO[bytes] = path.open("ab")

    def _read(self, head: dict[str, Any]) -> None:
        lines = self.path.read_bytes().split(b"\n")
        before = _parsed(self.path, 1, lines[0])
        if before.get(FORMAT) != VERSION:
            raise ValueError(f"{self.path} is no file of games: line 1 does not name {FORMAT!r}")
        if not isinstance(before.get("agents"), dict) or "rules" not in before:
            raise ValueError(f"{self.path}: line 1 names no agents or no rules")
        _check_same(self.path, before, head)
        torn = lines.pop()
        self.played = [
            _played(self.path, number, line) for number, line in enumerate(lines[1:], start=2)
        ]
        agents = {**before["agents"], **head["agents"]}
        if torn or agents != before["agents"]:
            whole = [_line({**before, "agents": agents}), *(line + b"\n" for line in lines[1:])]
            replace_file(self.path, b"".join(whole))
        if torn:
            self.notes.append(
                f"the last line of {self.path} was cut off: it is dropped, its games are played "
                "again"
            )

    def add(self, played: Sequence[Played]) -> None:
        """Write what was played."""
        lines = [asdict(deck) for deck in played]
        for line in lines:
            del line["records"]  # they have files of their own
        with written_to(self.path):
            self._file.write(b"".join(map(_line, lines)))
            self._file.flush()

    def __enter__(self) -> GameFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        with written_to(self.path):  # it tries once more what could not be written
            self._file.close()


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values, allow_nan=False).encode() + b"\n"


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any]:
    values = read_json(f"{path}: line {number}", line)
    if not isinstance(values, dict):
        raise ValueError(f"{path}: line {number} is not a JSON object")
    return values


def _played(path: Path, number: int, line: bytes) -> Played:
    _parsed(path, number, line)
    try:
        played = _PLAYED.validate_json(line, strict=True)
    except ValidationError as error:
        problem = first_problem(error)
        raise ValueError(f"{path}: line {number} is no deck that was played: {problem}") from None
    sizes = {len(played.scores), len(played.decisions), len(played.seconds), len(played.slowest)}
    if sizes.union(map(len, played.scores)) != {len(played.line_up)}:
        raise ValueError(f"{path}: line {number} has not as many numbers as agents sat there")
    return played


def _check_same(path: Path, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to mix games under other settings."""
    changed = [
        f"{name}: {before.get(name)!r} -> {now[name]!r}"
        for name in ("carc_env", "seed", "decks", "stream")
        if before.get(name) != now[name]
    ]
    if rules := Rules.from_dict(before["rules"]).differences(Rules.from_dict(now["rules"])):
        changed.append(f"rules: {rules}")
    known = before["agents"]
    changed += [
        f"{name} is another file now"
        for name, digest in now["agents"].items()
        if name in known and known[name] != digest
    ]
    if changed:
        raise ValueError(
            f"{path} holds games under other settings (there -> here): {'; '.join(changed)}. Go on "
            "with the same settings, or choose another folder"
        )


@dataclass
class Tournament:
    """What is played, and what was.

    Parameters
    ----------
    arena : Arena
        Players, rules, seed.
    line_ups : list of LineUp
        Who sits together.
    n_decks : int
        Decks of each line-up.
    sprt : Sprt, optional
        Ends the tournament, of a single line-up, when it is decided.

    Raises
    ------
    ValueError
        A number is not positive, or a sequential test is not of one agent against one other.
    """

    arena: Arena
    line_ups: list[LineUp]
    n_decks: int
    sprt: Sprt | None = None
    known: dict[tuple[LineUp, int], Played] = field(default_factory=dict)
    """All decks that were played, also those that do not count."""

    def __post_init__(self) -> None:
        if self.n_decks < 1:
            raise ValueError(f"the number of decks must be positive, got {self.n_decks}")
        self._test: SprtSequence | None = None
        if self.sprt is not None:
            if len(self.line_ups) != 1 or len(set(self.line_ups[0][1:])) != 1:
                raise ValueError("a sequential test is of one agent against one other")
            self._test = SprtSequence(self.sprt, self.arena.rules.n_players)

    @property
    def n_games(self) -> int:
        """Games of the whole tournament."""
        return len(self.line_ups) * self.n_decks * self.arena.rules.n_players

    @property
    def test(self) -> SprtSequence | None:
        """The sequential test as it stands: over decks in their order, up to the first gap."""
        if self._test is not None:
            line_up = self.line_ups[0]
            while self._test.decision is None and self._test.n_decks < self.n_decks:
                deck = self.known.get((line_up, self._test.n_decks))
                if deck is None:
                    break
                self._test.add(float(first_places(np.array(deck.scores))[:, 0].mean()))
        return self._test

    @property
    def is_decided(self) -> bool:
        """Whether the sequential test has ended."""
        return self.test is not None and self.test.decision is not None

    @property
    def played(self) -> list[Played]:
        """What counts, in the order of decks and line-ups: whoever has played it, and when."""
        n_decks = self.test.n_decks if self.test is not None and self.is_decided else self.n_decks
        keys = ((line_up, deck) for deck in range(n_decks) for line_up in self.line_ups)
        return [self.known[key] for key in keys if key in self.known]

    def add(self, played: Iterable[Played]) -> list[Played]:
        """Take in decks; returns those that were not known. Records are not kept here."""
        new = [deck for deck in played if (deck.line_up, deck.deck) not in self.known]
        self.known |= {(deck.line_up, deck.deck): replace(deck, records=[]) for deck in new}
        return new

    def tasks(self) -> Iterator[Task]:
        """What is left to play until the test is decided, all line-ups side by side."""
        at_once = {line_up: self.arena.decks_at_once(line_up) for line_up in self.line_ups}
        block = max(at_once.values())
        for first in range(0, self.n_decks, block):
            for line_up, size in at_once.items():
                for k in range(first, min(first + block, self.n_decks), size):
                    decks = range(k, min(k + size, first + block, self.n_decks))
                    if self.is_decided:
                        return
                    if any((line_up, deck) not in self.known for deck in decks):
                        yield line_up, decks

    def play(
        self,
        spread: Spread = map,
        *,
        keep: Callable[[list[Played]], object] | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Play what is left.

        Parameters
        ----------
        spread : callable
            Gets the tasks done, see :mod:`carc_env.agents.workers`. Default: here.
        keep : callable, optional
            Called with what was played, as soon as it is known.
        is_stopped : callable
            Asked before each task; what was begun is finished.

        Raises
        ------
        AgentError
            An agent failed; what was played before is kept.
        """
        wanted = takewhile(lambda _: not is_stopped(), self.tasks())
        for played in spread(self.arena.play_task, wanted):
            new = self.add(played)
            if keep is not None:
                keep(new)
            if self.is_decided:
                return
