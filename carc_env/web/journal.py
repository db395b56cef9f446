"""Games on disk: one file each, to which every decision is appended as it is taken.

The first line of a file tells how the game began and who plays; every other one is a decision by
its name, with the token that it drew, ``{"undo": n}`` if all but n decisions were taken back,
``{"seat": ...}``, ``{"lock": ...}`` with the hash of the key of a seat, or ``{"over": [scores]}``,
which a review repeats with its accuracies. Names outlive changes of action numbers. The record of a
finished game is stored beside it. The file of a deleted game has another ending until the game is
forgotten.
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
SUFFIX, ASIDE = ".jsonl", ".jsonl.deleted"
_LOG = logging.getLogger(__name__)


class Journal:
    """The games of a data folder.

    Games that were deleted while another server ran are forgotten.

    Parameters
    ----------
    folder : Path
        The folder of the files; created if necessary.
    """

    keeps = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._origins: dict[str, Origin | None] = {}  # of files that were read
        folder.mkdir(parents=True, exist_ok=True)
        for game_id in self._ids(ASIDE):
            self.forget(game_id)

    def _path(self, game_id: str, suffix: str = SUFFIX) -> Path:
        if not _is_id(game_id):
            raise ValueError(f"{game_id!r} is not the name of a game")
        return self.folder / f"{game_id}{suffix}"

    def __contains__(self, game_id: str) -> bool:
        """Return whether there is such a game, and it was not deleted."""
        return self._path(game_id).exists()

    def is_deleted(self, game_id: str) -> bool:
        """Return whether a game can be restored."""
        return self._path(game_id, ASIDE).exists()

    def ids(self) -> list[str]:
        """Return all games, including deleted ones, the one that was changed last first."""
        found = {*self._ids(SUFFIX), *self._ids(ASIDE)}
        return sorted(found, key=self._changed, reverse=True)

    def _changed(self, game_id: str) -> float:
        """Return when a game was last changed; one that has just disappeared comes last."""
        try:
            return self.file(game_id).stat().st_mtime
        except FileNotFoundError:
            return 0.0

    def _ids(self, suffix: str) -> list[str]:
        names = [path.name.removesuffix(suffix) for path in self.folder.glob(f"*{suffix}")]
        return [name for name in names if _is_id(name)]

    def file(self, game_id: str) -> Path:
        """Return the file of a game, wherever it is now."""
        return self._path(game_id, ASIDE if self.is_deleted(game_id) else SUFFIX)

    def record(self, game_id: str) -> Path:
        """Return the record of a finished game, if it has one."""
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
        if play.game.is_over:
            lines.append(_end_of(play))
        text = "".join(json.dumps(line) + "\n" for line in lines)
        replace_file(self._path(game_id), text.encode())

    def add(self, game_id: str, line: dict[str, Any]) -> None:
        """Add a line to the file of a game.

        Raises
        ------
        OSError
            It cannot be written; all whole lines are unchanged.
        """
        add_lines(self._path(game_id), [line])

    def finish(self, game_id: str, play: Play) -> None:
        """Write the result of a game, and its record beside its file, if it has one."""
        self.add(game_id, _end_of(play))
        if play.start.position is None:
            write_record(self.record(game_id), play.game, play.names)

    def note_review(self, game_id: str, play: Play, accuracy: Sequence[int | None]) -> None:
        """Write the result of a review: how accurately each seat has played, in percent."""
        self.add(game_id, _end_of(play) | {"accuracy": list(accuracy)})

    def delete(self, game_id: str) -> None:
        """Put a game aside, until it is restored or forgotten."""
        self._path(game_id).rename(self._path(game_id, ASIDE))

    def restore(self, game_id: str) -> None:
        """Restore a deleted game."""
        self._path(game_id, ASIDE).rename(self._path(game_id))

    def forget(self, game_id: str) -> None:
        """Remove a deleted game, and its record."""
        self._path(game_id, ASIDE).unlink(missing_ok=True)
        self.record(game_id).unlink(missing_ok=True)

    def locks(self, game_id: str) -> dict[int, str]:
        """Return the locks of the seats of a game, deleted or not; see :mod:`.owners`."""
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
            The file is no game of this version.
        """
        try:
            with self.file(game_id).open(encoding="utf-8") as file:
                return _checked(read_json("line 1", file.readline()))
        except OSError as error:  # whose text contains the path
            raise ValueError(f"game {game_id} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise ValueError(f"game {game_id} cannot be read: {error}") from error

    def family(self, game_id: str) -> list[str]:
        """Return a game with all its variations and theirs, each after the one that it leaves.

        For a variation, they are those of the game that it comes from, if that still exists.
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
            The file is no game, or a decision in it is not legal.
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
    """The journal of games that are not kept."""

    keeps = False

    def write_all(self, game_id: str, play: Play) -> None:
        """Write nothing."""

    def add(self, game_id: str, line: dict[str, Any]) -> None:
        """Add nothing."""

    def finish(self, game_id: str, play: Play) -> None:
        """Write no record."""


def line_of(name: str, token: int | None) -> dict[str, Any]:
    """Return the line of a decision, with the token that it drew."""
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
        case {"seat": int(seat), "agent": str() | None as agent}:
            play.reseat(seat, agent)
        case {"lock": str(lock), "seat": int(seat)} if seat in range(len(play.sitters)):
            play.owners.locks[seat] = lock
        case {"over": _}:
            pass  # as the decisions show
        case _:
            raise ValueError(f"unknown line {text[:80]!r}")


def _sitter(values: Any) -> Sitter:
    match values:
        case {"name": str(name), "agent": str() | None as agent}:
            return Sitter(name, agent)
    raise ValueError(f"nobody can take a seat as {values!r}")


def origin_in(head: dict[str, Any]) -> Origin | None:
    """Return which game a game is a variation of, by its first line.

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
    """Return the decisions of a game by their names."""
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
