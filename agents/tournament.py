"""Tournaments: their pairings, the game file, and playing the remaining games."""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter, ValidationError

import carc_env
from carc_env.choices import check_choice
from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.naming import AgentSpec, parse_agent
from carc_env.envs.opponents import TRUSTED
from carc_env.files import user_path
from carc_env.game.lines import add_lines, whole_lines
from carc_env.game.records import replace_file
from carc_env.plain_json import first_problem, read_json
from carc_env.rules import Rules
from carc_env.seeds import DECKS

from .arena import (
    Arena,
    LineUp,
    Played,
    Player,
    RulesOfDecks,
    Task,
    first_places,
    rules_of_deck,
)
from .intervals import share_interval
from .sprt import Sequence as SprtSequence
from .sprt import Sprt

Form = Literal["round-robin", "gauntlet", "table"]
"""The form of a tournament, see :func:`line_ups`."""
FORMS: tuple[Form, ...] = ("round-robin", "gauntlet", "table")
FORMAT = "carc_env games"
VERSION = 1
QUICK = 0.02
"""Agents that decide in less time than this, in seconds, are quick."""
FIRST = 50
"""Number of decks to play before checking whether they suffice."""
STEP = 10
"""Minimum number of further decks if they do not."""
_PLAYED = TypeAdapter(Played)

Spread = Callable[[Callable[[Task], list[Played]], Iterable[Task]], Iterator[list[Played]]]
"""A function that does tasks somewhere and yields results as they become ready."""


def line_ups(agents: Sequence[str], n_seats: int, form: Form) -> list[LineUp]:
    """Return the line-ups of a tournament.

    - ``"round-robin"``: each agent meets each other one. With more than two seats, one agent meets
      copies of another, and vice versa.
    - ``"gauntlet"``: the first agent meets each of the others; with more than two seats, it plays
      alone against copies of the other.
    - ``"table"``: all agents sit at one table; the last one takes the remaining seats.

    Raises
    ------
    ValueError
        There are too few or too many agents for the form, or one is named twice.
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


def make_players(
    agents: Iterable[str], rules: RulesOfDecks | None, seed: int = 0
) -> dict[str, Player]:
    """Return the agents by spec, as factories if they differ from game to game.

    Those are agents with a seed, and for a distribution, agents that are made for their rules.

    Parameters
    ----------
    agents : iterable of str
        The agent specs.
    rules : Rules or RulesDistribution, optional
        The rules to be played. Default: any.
    seed : int
        The seed that shuffles the decks.

    Raises
    ------
    ValueError, ImportError
        As for :func:`carc_env.envs.naming.make_agent`.
    """
    specs: dict[str, AgentSpec] = {text: parse_agent(text) for text in agents}
    first = rules_of_deck(Dealer(rules), seed, 0) if isinstance(rules, RulesDistribution) else rules
    players: dict[str, Player] = {}
    for text, spec in specs.items():
        made = spec.make(first)  # the error names the refused agent
        is_for_rules = first is not rules and spec.takes_rules and type(made) not in TRUSTED
        players[text] = spec if spec.takes_seed or is_for_rules else made
    return players


def heading(arena: Arena) -> dict[str, Any]:
    """Return everything that determines the games as plain values: the game file's first line."""
    return {
        FORMAT: VERSION,
        "carc_env": carc_env.__version__,
        "rules": Dealer(arena.rules).rules.to_dict(),
        "seed": arena.seed,
        "decks": DECKS,
        "stream": arena.stream.name,
        "agents": {name: _digest(name, player) for name, player in arena.players.items()},
    }


def _digest(name: str, player: Player) -> str | None:
    """Return a digest of the files that determine an agent's play; None for built-in agents.

    These are the files named by its spec, such as a checkpoint or an option's weights, and the file
    that defines its class.
    """
    files = [path for part in re.split("[?,=]", name) if (path := user_path(part)).is_file()]
    made_by = player.factory if isinstance(player, AgentSpec) else type(player)
    if made_by.__module__.partition(".")[0] != "carc_env":
        with suppress(TypeError, OSError):  # the class is not defined in a file
            files.append(Path(inspect.getfile(made_by)))
    content = b"".join(path.read_bytes() for path in files if path.is_file())
    return hashlib.sha256(content).hexdigest()[:16] if files else None


class GameFile:
    """A tournament's games as lines of JSON, each written as soon as the games are over.

    The first line is the :func:`heading`; every other line is a deck played by a line-up. If a kill
    truncated the last line, it is dropped.

    Parameters
    ----------
    path : Path
        The file, which is read if it exists; new games are appended.
    head : dict
        The new games' heading. It may list other agents than the file, but not different ones under
        the same name.

    Attributes
    ----------
    played : list of Played
        The games in the file.
    notes : list of str
        Messages about repairs to the file.

    Raises
    ------
    ValueError
        The file is not a game file, is damaged or has other settings; the message names the
        difference.
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

    def _read(self, head: dict[str, Any]) -> None:
        content = self.path.read_bytes()
        lines = whole_lines(content)
        tail = content.rpartition(b"\n")[2]
        before = _parsed(self.path, 1, lines[0] if lines else tail)
        if before.get(FORMAT) != VERSION:
            raise ValueError(f"{self.path} is no file of games: line 1 does not name {FORMAT!r}")
        if not isinstance(before.get("agents"), dict) or "rules" not in before:
            raise ValueError(f"{self.path}: line 1 names no agents or no rules")
        _check_same(self.path, before, head)
        self.played = [
            _played(self.path, number, line) for number, line in enumerate(lines[1:], start=2)
        ]
        agents = {**before["agents"], **head["agents"]}
        if agents != before["agents"]:
            whole = [_line({**before, "agents": agents}), *(line + b"\n" for line in lines[1:])]
            replace_file(self.path, b"".join(whole))
        if tail and tail != lines[-1]:
            self.notes.append(
                f"the last line of {self.path} was cut off: it is dropped, and its games are "
                "played again"
            )

    def add(self, played: Sequence[Played]) -> None:
        """Append played decks.

        Raises
        ------
        OSError
            The file cannot be written; earlier games are intact.
        """
        lines = [asdict(deck) for deck in played]
        for line in lines:
            del line["records"]  # they have their own files
            if not line["rules"]:
                del line["rules"]
        add_lines(self.path, lines)


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
    """Refuse to mix games played under different settings."""
    changed = [
        f"{name}: {before.get(name)!r} -> {now[name]!r}"
        for name in ("carc_env", "seed", "decks", "stream")
        if before.get(name) != now[name]
    ]
    if rules := Rules.from_dict(before["rules"]).differences(Rules.from_dict(now["rules"])):
        changed.append(f"rules: {rules}")
    known = before["agents"]
    changed += [
        f"{name} is another agent now: a file that determines its play has changed"
        for name, digest in now["agents"].items()
        if name in known and known[name] != digest
    ]
    if changed:
        raise ValueError(
            f"{path} contains games under other settings (there -> here): {'; '.join(changed)}. "
            "Continue with the same settings, or choose another folder"
        )


@dataclass
class Tournament:
    """A tournament's plan and its games.

    Parameters
    ----------
    arena : Arena
        The players, rules and seed.
    line_ups : list of LineUp
        The line-ups.
    n_decks : int
        Number of decks per line-up.
    sprt : Sprt, optional
        A test that ends the tournament when decided; there must be a single line-up.
    within : float, optional
        The largest allowed distance of the interval's ends from the win rate of a line-up's first
        agent. Each line-up continues until its interval is narrow enough, starting with ``n_decks``
        decks if all its agents are :data:`QUICK`, otherwise with :data:`FIRST`. Decks count in
        numerical order, so results do not depend on the workers.

    Raises
    ------
    ValueError
        A number is not positive, or a sequential test does not have one agent against one other.
    """

    arena: Arena
    line_ups: list[LineUp]
    n_decks: int
    sprt: Sprt | None = None
    within: float | None = None
    known: dict[tuple[LineUp, int], Played] = field(default_factory=dict)
    """All decks played, including those that do not count."""

    def __post_init__(self) -> None:
        if self.n_decks < 1:
            raise ValueError(f"the number of decks must be positive, got {self.n_decks}")
        if self.within is not None and not self.within > 0:
            raise ValueError(f"the width of an interval must be positive, got {self.within}")
        self._dealer = Dealer(self.arena.rules)
        self._test: SprtSequence | None = None
        if self.sprt is not None:
            if len(self.line_ups) != 1 or len(set(self.line_ups[0][1:])) != 1:
                raise ValueError("a sequential test needs one agent against one other")
            self._test = SprtSequence(self.sprt, self.n_seats)

    @property
    def n_seats(self) -> int:
        """The number of players in each game."""
        return len(self.line_ups[0])

    @property
    def n_games(self) -> int:
        """Number of games in the whole tournament, as far as known."""
        return sum(map(self.decks_of, self.line_ups)) * self.n_seats

    def decks_of(self, line_up: LineUp) -> int:
        """Return how many of a line-up's decks count, as far as known."""
        if self.within is None:
            return self.n_decks
        n = min(FIRST, self.n_decks)
        while all((line_up, deck) in self.known for deck in range(n)):
            played = [self.known[line_up, deck] for deck in range(n)]
            won = share_interval([first_places(np.array(p.scores))[:, 0].mean() for p in played])
            reach = max(won.high - won.value, won.value - won.low)
            if n < self.n_decks and _are_quick(played):
                n = self.n_decks
            elif reach > self.within:
                n += min(n, max(STEP, math.ceil(n * (reach / self.within) ** 2) - n))
            else:
                break
        return n

    @property
    def test(self) -> SprtSequence | None:
        """The state of the sequential test over decks in numerical order, up to the first gap."""
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
        """The decks that count, ordered by deck and line-up."""
        n_decks = {line_up: self.decks_of(line_up) for line_up in self.line_ups}
        if self.test is not None and self.is_decided:
            n_decks = dict.fromkeys(self.line_ups, self.test.n_decks)
        keys = (
            (line_up, deck)
            for deck in range(max(n_decks.values()))
            for line_up in self.line_ups
            if deck < n_decks[line_up]
        )
        return [self.known[key] for key in keys if key in self.known]

    def add(self, played: Iterable[Played]) -> list[Played]:
        """Add decks and return the new ones; their records are returned but not stored.

        Raises
        ------
        ValueError
            A deck was played under other rules than those that it draws.
        """
        new = [deck for deck in played if (deck.line_up, deck.deck) not in self.known]
        for deck in new if self._dealer.distribution else ():
            drawn = rules_of_deck(self._dealer, self.arena.seed, deck.deck, self.arena.stream)
            if drawn.plain.to_yaml() != deck.rules:
                change = Rules.from_yaml(deck.rules).differences(drawn.plain)
                raise ValueError(
                    f"deck {deck.deck} was played under other rules than those that are drawn now "
                    f"(played -> drawn): {change}. Continue with the same distribution, or choose "
                    "another folder"
                )
        self.known |= {(deck.line_up, deck.deck): replace(deck, records=[]) for deck in new}
        return new

    def tasks(self) -> Iterator[Task]:
        """Yield the remaining tasks until the test is decided, alternating between line-ups."""
        n_decks = {line_up: self.decks_of(line_up) for line_up in self.line_ups}
        at_once = {line_up: self.arena.decks_at_once(line_up) for line_up in self.line_ups}
        block = max(at_once.values())
        for first in range(0, max(n_decks.values()), block):
            for line_up, size in at_once.items():
                end = min(first + block, n_decks[line_up])
                for k in range(first, end, size):
                    decks = range(k, min(k + size, end))
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
        """Play the remaining games.

        Parameters
        ----------
        spread : callable
            Does the tasks, see :mod:`carc_env.agents.workers`. Default: do them in this process.
        keep : callable, optional
            Called with new decks as soon as they have been played.
        is_stopped : callable
            Called before each task to ask whether to stop; tasks in progress are allowed to finish.

        Raises
        ------
        AgentError
            An agent failed; games played before are kept.
        """
        while (wanted := [*self.tasks()]) and not is_stopped():
            for played in spread(
                self.arena.play_task, takewhile(lambda _: not is_stopped(), wanted)
            ):
                new = self.add(played)
                if keep is not None:
                    keep(new)
                if self.is_decided:
                    return


def _are_quick(played: Iterable[Played]) -> bool:
    """Return whether all agents of a line-up decide quickly."""
    seconds, decisions = (
        np.sum([getattr(deck, name) for deck in played], axis=0)
        for name in ("seconds", "decisions")
    )
    return bool((seconds < QUICK * decisions).all())
