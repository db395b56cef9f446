"""Reading files given to commands: records, positions, and JCloisterZone games."""

from __future__ import annotations

from pathlib import Path

from carc_env.game.game import Game
from carc_env.game.jcz import load_jcz, players_of_jcz
from carc_env.game.notation import first_line, parse_position
from carc_env.game.records import RECORD_HEADER, load_record, parse_record, read_notation

JCLOISTERZONE = ".jcz"
FAILURES = (ValueError, OSError, ImportError)


def no_folder(**files: Path | None) -> str | None:
    """Return the problem with options that name output files; None if their folders exist."""
    for option, path in files.items():
        if path is not None and not path.parent.is_dir():
            return f"--{option}: there is no folder {path.parent}: create it, or name another one"
    return None


def read_game(path: Path) -> Game:
    """Read a game from a file; a position becomes a game without moves.

    Raises
    ------
    ValueError
        The file contains no game, or is damaged; the message names the place.
    OSError
        The file cannot be read.
    """
    return read_game_and_players(path)[0]


def read_game_and_players(path: Path) -> tuple[Game, tuple[str, ...]]:
    """Read a game and its players' names, which are empty if the file has none."""
    text = read_notation(path)
    if path.suffix == JCLOISTERZONE:
        return load_jcz(text), players_of_jcz(text)
    if first_line(text) == f"[{RECORD_HEADER}]":
        return load_record(text), parse_record(text).players
    return Game.from_position(parse_position(text)), ()
