"""The games in a folder: a list, their results, and how well a player plays.

A player is a name: the games that count are those in which a person with that name played against
agents. Everything is read from the journal's files and cached until a file changes.
"""

from __future__ import annotations

import json
import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from carc_env.game.lines import whole_lines
from carc_env.plain_json import read_json
from carc_env.rules import Rules
from carc_env.web.journal import SCALE, Journal, origin_in
from carc_env.web.play import Sitter

PAGE = 20
"""Number of games listed at once."""
RATED = 30
"""Number of most recent games that a rating uses."""
FIRST_LEVEL = 2
"""The level of a player without games, counted from 0."""
_LOG = logging.getLogger(__name__)
_RESULT = re.compile(r"^\[result (-?\d+(?::-?\d+)*)\]$", re.M)


@dataclass(frozen=True)
class Level:
    """A step on the strength scale: an agent and its Elo, 0 for ``random``."""

    agent: str
    elo: int


@cache
def levels() -> tuple[Level, ...]:
    """Return the scale, weakest level first, as measured by ``scripts/levels.py``."""
    table = json.loads((files("carc_env.web") / "levels.json").read_text())
    return tuple(Level(row["agent"], row["elo"]) for row in table["levels"])


@dataclass(frozen=True)
class Entry:
    """A summary of a game.

    Attributes
    ----------
    game
        The game's name.
    begun
        Start time, in seconds since 1970.
    sets
        Sets in addition to the base game.
    sitters
        The current players, by seat.
    ply
        Number of decisions so far.
    scores
        The final scores; None while the game continues.
    accuracy
        Accuracy in percent by seat, if the game was reviewed; None for a seat that had no choices.
    """

    game: str
    begun: float
    sets: tuple[str, ...]
    sitters: tuple[Sitter, ...]
    ply: int = 0
    scores: tuple[int, ...] | None = None
    accuracy: tuple[int | None, ...] | None = None
    is_protected: bool = False
    is_branch: bool = False
    """Whether it is a variation, which does not count for its players."""

    def told(self) -> dict[str, Any]:
        """Return the page's data."""
        return {
            "game": self.game,
            "begun": self.begun,
            "sets": self.sets,
            "names": [sitter.name for sitter in self.sitters],
            "agents": [sitter.agent for sitter in self.sitters],
            "ply": self.ply,
            "over": self.scores is not None,
            "scores": self.scores,
            "accuracy": self.accuracy,
            "protected": self.is_protected,
            "isBranch": self.is_branch,
        }

    def is_like(self, words: Sequence[str], state: str, set_name: str | None) -> bool:
        """Return whether it contains all the words, is running or over, and has the set."""
        if state != "any" and (self.scores is None) != (state == "running"):
            return False
        if set_name is not None and set_name not in ("base", *self.sets):
            return False
        about = [s.name for s in self.sitters] + [s.agent or "" for s in self.sitters]
        text = " ".join((*about, *self.sets)).casefold()
        return all(word in text for word in words)


class History:
    """The games of a journal."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self._known: dict[str, tuple[tuple[int, int], Entry | None]] = {}

    def entries(self) -> list[Entry]:
        """Return all games, including deleted games, most recently changed first."""
        return [entry for game_id in self.journal.ids() if (entry := self._entry(game_id))]

    def _entry(self, game_id: str) -> Entry | None:
        """Return a game; None if the file is not a game or has disappeared in the meantime."""
        path = self.journal.file(game_id)
        try:
            stat = path.stat()
        except FileNotFoundError:
            return None
        stamp = stat.st_mtime_ns, stat.st_size
        if game_id not in self._known or self._known[game_id][0] != stamp:
            try:
                head = self.journal.head(game_id)
                entry = _entry_of(game_id, head, stat.st_mtime, path.read_bytes())
                if entry.scores is None:
                    entry = replace(entry, scores=self._old_result(game_id, stat.st_mtime_ns))
            except (OSError, ValueError, LookupError, TypeError) as error:
                _LOG.warning("a file in the data folder is no game: %s", error)
                self._known[game_id] = stamp, None
            else:
                self._known[game_id] = stamp, entry
        return self._known[game_id][1]

    def _old_result(self, game_id: str, changed: int) -> tuple[int, ...] | None:
        """Return the scores from the record of a game that ended before its file stored them."""
        path = self.journal.record(game_id)
        if not path.exists() or path.stat().st_mtime_ns < changed:
            return None
        found = _RESULT.search(path.read_text("utf-8"))
        return tuple(map(int, found[1].split(":"))) if found else None


def _entry_of(game_id: str, head: dict[str, Any], changed: float, content: bytes) -> Entry:
    """Return the summary of a game file."""
    rules = Rules.from_dict(head["rules"])
    sitters = [Sitter(str(one["name"]), one["agent"]) for one in head["sitters"]]
    ply, is_protected = 0, False
    scores: tuple[int, ...] | None = None
    accuracy: tuple[int | None, ...] | None = None
    for text in whole_lines(content)[1:]:
        match line := read_json("line", text):
            case {"do": _}:
                ply += 1
            case {"undo": int(ply)}:
                scores = accuracy = None
            case {"seat": int(seat), "agent": agent}:
                sitters[seat] = Sitter(line.get("name") or sitters[seat].name, agent)
            case {"lock": _}:
                is_protected = True
            case {"over": list(found)}:
                scores = tuple(map(int, found))
                accuracy = tuple(line["accuracy"]) if line.get("scale") == SCALE else None
    sets = tuple(name for name in rules.sets if name != "base")
    begun = float(head.get("begun", changed))
    return Entry(
        game=game_id,
        begun=begun,
        sets=sets,
        sitters=tuple(sitters),
        ply=ply,
        scores=scores,
        accuracy=accuracy,
        is_protected=is_protected,
        is_branch=origin_in(head) is not None,
    )


# ------------------------------------------------------------------------------ about a player


def players(entries: Iterable[Entry]) -> list[str]:
    """Return the names of people with finished games against agents, most frequent first."""
    found = Counter(
        sitter.name
        for entry in entries
        if entry.scores is not None and any(s.agent for s in entry.sitters)
        for sitter in entry.sitters
        if sitter.agent is None
    )
    return [name for name, _ in found.most_common()]


@dataclass(frozen=True)
class Meeting:
    """A player's result against an agent, given as the player's lead in points."""

    agent: str
    margin: int

    @property
    def share(self) -> float:
        """1 for a win, 1/2 for a draw, otherwise 0."""
        return 0.5 if self.margin == 0 else float(self.margin > 0)


def meetings(name: str, entries: Iterable[Entry]) -> list[Meeting]:
    """Return a player's finished games with each agent at the table, most recent first."""
    found = []
    for entry in entries:
        mine = [k for k, s in enumerate(entry.sitters) if s.name == name and s.agent is None]
        if entry.scores is None or len(mine) != 1:
            continue
        own = entry.scores[mine[0]]
        found += [
            Meeting(sitter.agent, own - points)
            for sitter, points in zip(entry.sitters, entry.scores, strict=True)
            if sitter.agent is not None
        ]
    return found


def about(name: str, entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the page's data about a player."""
    met = meetings(name, entries)
    elo = rating(met)
    agents = sorted({one.agent for one in met}, key=_strength)
    return {
        "name": name,
        "names": players(entries),
        "against": [_against(agent, met) for agent in agents],
        "accuracy": _accuracies(name, entries),
        "rated": min(RATED, sum(_elo(one.agent) is not None for one in met)),
        "elo": round(elo),
        "level": suggested(elo),
    }


def _against(agent: str, met: Iterable[Meeting]) -> dict[str, Any]:
    margins = [one.margin for one in met if one.agent == agent]
    return {
        "agent": agent,
        "games": len(margins),
        "won": sum(margin > 0 for margin in margins),
        "drawn": sum(margin == 0 for margin in margins),
        "lost": sum(margin < 0 for margin in margins),
        "margin": round(sum(margins) / len(margins), 1),
    }


def _accuracies(name: str, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the accuracies in all reviewed games, oldest first."""
    found = []
    for entry in sorted(entries, key=lambda one: one.begun):
        for sitter, percent in zip(entry.sitters, entry.accuracy or (), strict=False):
            if sitter.name == name and sitter.agent is None and percent is not None:
                found.append({"game": entry.game, "begun": entry.begun, "percent": percent})
    return found


def _strength(agent: str) -> tuple[float, str]:
    """Return a sort key for agents: agents that are not levels come last, by name."""
    elo = _elo(agent)
    return math.inf if elo is None else elo, agent


def _elo(agent: str) -> float | None:
    """Return an agent's Elo, if known."""
    return next((level.elo for level in levels() if level.agent == agent), None)


def rating(met: Sequence[Meeting]) -> float:
    """Return the Elo that makes the most recent results against levels most likely.

    One draw against a weak level is added, so that a rating exists without games and after a
    winning streak.
    """
    rated = [(elo, one.share) for one in met if (elo := _elo(one.agent)) is not None][:RATED]
    rated.append((levels()[FIRST_LEVEL].elo, 0.5))
    low, high = levels()[0].elo - 1000.0, levels()[-1].elo + 1000.0
    while high - low > 0.5:
        middle = (low + high) / 2
        surplus = sum(share - 1 / (1 + 10 ** ((elo - middle) / 400)) for elo, share in rated)
        low, high = (middle, high) if surplus > 0 else (low, middle)
    return (low + high) / 2


def suggested(elo: float) -> int:
    """Return the number of the level closest to a rating, counted from 1."""
    distances = [abs(level.elo - elo) for level in levels()]
    return 1 + distances.index(min(distances))
