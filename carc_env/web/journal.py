"""Games on disk: one file each, to which every decision is appended as it is made.

The first line in a file describes how the game began and who plays. Every other line is a decision
by name, with the token that it drew; ``{"undo": n}`` if all but n decisions were taken back;
``{"seat": ...}``; ``{"lock": ...}`` with the hash of a seat's key; or ``{"over": [scores]}``, which
a review repeats with its accuracies. Names survive changes to action numbers. A finished game's
record is stored next to the game. The file of a deleted game gets another extension until the game
is forgotten.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from carc_env.game.lines import add_lines, whole_lines
from carc_env.game.records import replace_file, write_record
from carc_env.plain_json import read_json
from carc_env.web.play import Origin, Play, Sitter, Start, repeat

FORMAT, VERSION = "carc_env web game", 1
SCALE = 2
"""Version of the accuracies; those of different versions are not comparable."""
SUFFIX, ASIDE = ".jsonl", ".jsonl.deleted"
_LOG = logging.getLogger(__name__)


class Journal:
    """The games in a data folder.

    Games that were deleted in an earlier run of the server are forgotten.

    Parameters
    ----------
    folder : Path
        The folder for the files; it is created if necessary.
    """

    keeps = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._origins: dict[str, Origin | None] = {}  # of files already read
        folder.mkdir(parents=True, exist_ok=True)
        for game_id in self._ids(ASIDE):
            self.forget(game_id)

    def _path(self, game_id: str, suffix: str = SUFFIX) -> Path:
        if not _is_id(game_id):
            raise ValueError(f"{game_id!r} is not the name of a game")
        return self.folder / f"{game_id}{suffix}"

    def __contains__(self, game_id: str) -> bool:
        """Return whether the game exists and has not been deleted."""
        return self._path(game_id).exists()

    def is_deleted(self, game_id: str) -> bool:
        """Return whether a game can be restored."""
        return self._path(game_id, ASIDE).exists()

    def ids(self) -> list[str]:
        """Return all games, including deleted games, most recently changed first."""
        found = {*self._ids(SUFFIX), *self._ids(ASIDE)}
        return sorted(found, key=self._changed, reverse=True)

    def _changed(self, game_id: str) -> float:
        """Return when a game was last changed; a game that has just disappeared comes last."""
        try:
            return self.file(game_id).stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def _ids(self, suffix: str) -> list[str]:
        names = [path.name.removesuffix(suffix) for path in self.folder.glob(f"*{suffix}")]
        return [name for name in names if _is_id(name)]

    def file(self, game_id: str) -> Path:
        """Return a game's file, wherever it is now."""
        return self._path(game_id, ASIDE if self.is_deleted(game_id) else SUFFIX)

    def record(self, game_id: str) -> Path:
        """Return the path of a finished game's record."""
        return self._path(game_id, ".carc")

    def write_all(self, game_id: str, play: Play) -> None:
        """Write a game with all its decisions."""
        head = {"format": FORMAT, "version": VERSION, **play.start.to_dict()}
        head["begun"] = round(time.time())
        head["sitters"] = [asdict(sitter) for sitter in play.sitters]
        if play.origin is not None:
            head["origin"] = asdict(play.origin)
        lines = [head, *map(line_of, _names(play), play.tokens)]
        lines += [{"lock": lock, "seat": seat} for seat, lock in play.owners.locks.items()]
        lines += [{"host": play.owners.host}] if play.owners.host else []
        if play.game.is_over:
            lines.append(_end_of(play))
        text = "".join(json.dumps(line) + "\n" for line in lines)
        replace_file(self._path(game_id), text.encode())

    def add(self, game_id: str, line: dict[str, Any]) -> None:
        """Add a line to a game's file.

        Raises
        ------
        OSError
            The line cannot be written; all complete lines are unchanged.
        """
        add_lines(self._path(game_id), [line])

    def finish(self, game_id: str, play: Play) -> None:
        """Write a game's result and, if it has a record, its record next to the game's file."""
        self.add(game_id, _end_of(play))
        if play.start.position is None:
            write_record(self.record(game_id), play.game, play.names)

    def note_review(self, game_id: str, play: Play, accuracy: Sequence[int | None]) -> None:
        """Write a review's result: how accurately each seat has played, in percent."""
        self.add(game_id, _end_of(play) | {"accuracy": list(accuracy), "scale": SCALE})

    def delete(self, game_id: str) -> None:
        """Set a game aside until it is restored or forgotten."""
        self._path(game_id).rename(self._path(game_id, ASIDE))

    def restore(self, game_id: str) -> None:
        """Restore a deleted game."""
        self._path(game_id, ASIDE).rename(self._path(game_id))

    def forget(self, game_id: str) -> None:
        """Remove a deleted game and its record."""
        self._path(game_id, ASIDE).unlink(missing_ok=True)
        self.record(game_id).unlink(missing_ok=True)

    def locks(self, game_id: str) -> dict[int, str]:
        """Return a game's seat locks, whether or not it is deleted; see :mod:`.owners`."""
        found = {}
        for text in whole_lines(self.file(game_id).read_bytes())[1:]:
            if text.startswith(b'{"lock"'):
                line = read_json("line", text)
                found[int(line["seat"])] = str(line["lock"])
        return found

    def head(self, game_id: str) -> dict[str, Any]:
        """Return the first line of a file.

        Raises
        ------
        ValueError
            The file is not a game from this version.
        """
        try:
            with self.file(game_id).open(encoding="utf-8") as file:
                return _checked(read_json("line 1", file.readline()))
        except OSError as error:  # the error's text contains the path
            raise ValueError(f"game {game_id} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise ValueError(f"game {game_id} cannot be read: {error}") from error

    def family(self, game_id: str) -> list[str]:
        """Return a game with all its variations and theirs, each after its original.

        For a variation, the family is that of its original game, if that still exists.
        """
        for other in set(self._ids(SUFFIX)) - {*self._origins}:
            try:
                self._origins[other] = origin_in(self.head(other))
            except ValueError as error:
                _LOG.warning("a file in the data folder is not a game: %s", error)
        while (origin := self._origins.get(game_id)) and origin.game in self:
            game_id = origin.game
        return self._behind(game_id)

    def _behind(self, game_id: str) -> list[str]:
        leaving = [
            (origin.ply, other)
            for other, origin in self._origins.items()
            if origin and origin.game == game_id and other in self
        ]
        return [game_id, *(one for _, other in sorted(leaving) for one in self._behind(other))]

    def read(self, game_id: str) -> Play:
        """Return a game as it was left; a truncated last line is dropped.

        Raises
        ------
        ValueError
            The file is not a game, or it contains an illegal decision.
        """
        head = self.head(game_id)
        lines = whole_lines(self._path(game_id).read_bytes())[1:]
        try:
            sitters = tuple(map(_sitter, head["sitters"]))
            play = Play(Start.from_dict(head), sitters, origin_in(head))
            for line in filter(None, lines):
                _carry_out(play, line)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"game {game_id} cannot be read: {error}") from error
        return play


class Unkept:
    """The journal for games that are not saved."""

    keeps = False

    def write_all(self, game_id: str, play: Play) -> None:
        """Write nothing."""

    def add(self, game_id: str, line: dict[str, Any]) -> None:
        """Add nothing."""

    def finish(self, game_id: str, play: Play) -> None:
        """Write no record."""


def line_of(name: str, token: int | None) -> dict[str, Any]:
    """Return the line for a decision, with the token that it drew."""
    return {"do": name} if token is None else {"do": name, "token": token}


def _end_of(play: Play) -> dict[str, Any]:
    return {"over": list(play.game.scores)}


def _carry_out(play: Play, text: bytes) -> None:
    match read_json("line", text):
        case {"do": str(name), "token": int(token)}:
            play.act(play.game.action(name), token)
        case {"do": str(name)}:
            play.act(play.game.action(name))
        case {"undo": int(ply)} if 0 <= ply <= play.ply:
            play.rewind(ply)
        case {"seat": int(seat), "agent": str() | None as agent, "name": str(name)}:
            play.reseat(seat, agent, name)
        case {"seat": int(seat), "agent": str() | None as agent}:
            play.reseat(seat, agent)
        case {"lock": str(lock), "seat": int(seat)} if seat in range(len(play.sitters)):
            play.owners.locks[seat] = lock
        case {"host": str(lock)}:
            play.owners.host = lock
        case {"over": _}:
            pass  # the decisions already show it
        case _:
            raise ValueError(f"unknown line {text[:80]!r}")


def _sitter(values: Any) -> Sitter:
    match values:
        case {"name": str(name), "agent": str() | None as agent}:
            return Sitter(name, agent)
    raise ValueError(f"nobody can take a seat as {values!r}")


def origin_in(head: dict[str, Any]) -> Origin | None:
    """Return the origin of a variation, from the first line of its file.

    Raises
    ------
    ValueError
        The line has an unknown form.
    """
    match head.get("origin"):
        case None:
            return None
        case {"game": str(game), "ply": int(ply), "shows_deck": bool(shows_deck)}:
            return Origin(game, ply, shows_deck)
    raise ValueError(f"unknown origin {head['origin']!r}")


def _names(play: Play) -> list[str]:
    """Return a game's decisions by name."""
    game, names = play.start.game(), []
    for decision in play.decisions:
        names.append(game.name(decision[0]))
        repeat(game, decision)
    return names


def _is_id(name: str) -> bool:
    return len(name) == 10 and set(name) <= set("0123456789abcdef")


def _checked(head: Any) -> dict[str, Any]:
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ValueError("it is not a game")
    if head.get("version") != VERSION:
        raise ValueError(f"it is of version {head.get('version')!r}, but this is version {VERSION}")
    return head
