"""A folder of records: what environments and scripts keep of the games that they play."""

from __future__ import annotations

import os
from pathlib import Path

from carc_env.files import user_path
from carc_env.game.game import Game
from carc_env.game.records import format_record, replace_file
from carc_env.game.table import Table


class Archive:
    """Writes records into a folder, under the number of the game and the checksum of the record.

    Several processes can write into one folder: only the same game has the same name.

    Parameters
    ----------
    folder : path
        It is made if need be.

    Raises
    ------
    ValueError
        The folder has no name.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not os.fspath(folder):
            raise ValueError(
                'records need the name of a folder, got "": "." is the current one; leave the '
                "word out to keep none"
            )
        self.folder = user_path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.n_kept = 0

    def keep(self, game: Table) -> Path | None:
        """Write the record of a game.

        Returns
        -------
        Path or None
            The file; None for a game that began in the middle, at a state or position that was
            given: it has no record.

        Raises
        ------
        TypeError
            The game is a mere table, which does not know its moves.
        """
        if not isinstance(game, Game):
            raise TypeError(f"a record needs a Game, which knows its moves, got {game!r}")
        if not game.is_from_beginning:
            return None
        return self.keep_record(format_record(game))

    def keep_record(self, record: str, about: str = "") -> Path:
        """Write a record, below a comment that says what the game was; returns the file."""
        check = record.rstrip().rpartition("[check ")[2].rstrip("]")
        self.n_kept += 1
        path = self.folder / f"{self.n_kept:06d}-{check}.carc"
        comment = f"# {' '.join(about.split())}\n" if about else ""
        replace_file(path, (comment + record).encode())
        return path
