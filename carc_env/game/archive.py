"""A folder of records: games saved by environments and scripts."""

from __future__ import annotations

import os
from pathlib import Path

from carc_env.files import user_path
from carc_env.game.game import Game
from carc_env.game.records import format_record, replace_file
from carc_env.game.table import Table


class Archive:
    """Writes records into a folder; files are named by game number and record checksum.

    Several processes can share a folder: only identical games have the same name.

    Parameters
    ----------
    folder : path
        It is created if necessary.

    Raises
    ------
    ValueError
        The folder has no name.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not os.fspath(folder):
            raise ValueError(
                'records needs the name of a folder, got "": pass "." for the current one, '
                "or leave it out to keep no records"
            )
        self.folder = user_path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.n_kept = 0

    def keep(self, game: Table) -> Path | None:
        """Write the record of a game.

        Returns
        -------
        Path or None
            The file, or None if the game began from a given state or position and so has no record.

        Raises
        ------
        TypeError
            The game is a plain ``Table``, which does not store its moves.
        """
        if not isinstance(game, Game):
            raise TypeError(f"a record needs a Game, which stores its moves, got {game!r}")
        if not game.is_from_beginning:
            return None
        return self.keep_record(format_record(game))

    def keep_record(self, record: str, about: str = "") -> Path:
        """Write a record, preceded by a comment that describes the game; return the file."""
        check = record.rstrip().rpartition("[check ")[2].rstrip("]")
        self.n_kept += 1
        path = self.folder / f"{self.n_kept:06d}-{check}.carc"
        comment = f"# {' '.join(about.split())}\n" if about else ""
        replace_file(path, (comment + record).encode())
        return path
