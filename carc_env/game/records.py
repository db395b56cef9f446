"""Records of whole games: write, read, verify, replay.

A record resembles the notation of a chess game::

    [carc_env game 1]
    [rules {n_players: 2}]
    [draw bg-city3 bg-straight bg-curve ...]
    [players ["Ann", "Ben"]]
    1 A bg-city3 0,-1 r2, meeple N = 0:0
    2 B bg-straight -1,0 r0, pass = 0:0
    ...
    71 A bg-cap 3,2 r1, recall = 70:64
    [result 70:64]
    [check 5f3c2a90]

Each line is a turn: its number, the seat, the decisions in order, and the scores after it. A
decision by another seat begins with that seat's letter and a colon. ``aside bg-monastery`` is a
tile that was drawn and could not be placed. ``shepherd Se draws 3`` gives the number of sheep on
the token that a decision drew, or ``wolf``, and ``fly large rolls 2`` gives the result of a die
roll. ``[draw ...]`` is the order of the whole bag, so that an ``[unfinished 12:7]`` game continues
as it would have; ``[players ...]``, by seat, is optional. The last line guards against edits: it is
the CRC-32 of all lines before it, without surrounding blanks and comments (``#``).
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby, repeat
from pathlib import Path

from carc_env.files import read_text, user_path
from carc_env.game.game import Game, Move, made_move
from carc_env.game.notation import parse_rules, split_header, split_lines
from carc_env.plain_json import check_plain, read_json
from carc_env.rules import Rules
from carc_env.systems import SYSTEMS
from carc_env.words import (
    COUNT,
    SEATS,
    NotationError,
    format_scores,
    parse_scores,
    printable,
    split_words,
)

RECORD_HEADER = "carc_env game 1"
ASIDE = "aside "
WOLF = "wolf"
VERBS = {word: verb for system in SYSTEMS for word, verb in system.brought.items()}
"""First word of a decision that depends on chance -> the word before its outcome."""
_BROUGHT = re.compile(rf"(?P<name>.+) (?P<verb>{'|'.join({*VERBS.values()})}) (?P<what>.+)")

_TURN = re.compile(rf"(?P<number>{COUNT}) (?P<seat>[A-F]) (?P<decisions>.+) = (?P<scores>\S+)")


@dataclass(frozen=True, slots=True)
class Decision:
    """A recorded decision; ``scores`` are those after the turn, given with its last decision."""

    line: int
    turn: int
    seat: int
    name: str
    scores: tuple[int, ...] | None = None
    token: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A parsed record; :func:`replay` checks that its game is legal."""

    rules: Rules
    draw: tuple[str, ...]
    decisions: tuple[Decision, ...]
    scores: tuple[int, ...]
    is_finished: bool
    draw_line: int
    result_line: int
    players: tuple[str, ...] = ()
    """Player names by seat; empty if the record has none."""


def format_record(game: Game, players: Sequence[str] = ()) -> str:
    """Return the record of a game that was played from its beginning.

    Parameters
    ----------
    game : Game
        The game, over or not.
    players : sequence of str
        The players' names by seat. Default: the record has no names.

    Raises
    ------
    ValueError
        The game was set up from a position in the middle of a game, the number of names is not the
        number of seats, or a name is empty or not text.
    """
    if len(players) not in (0, game.rules.n_players):
        raise ValueError(f"{len(players)} names for {game.rules.n_players} players")
    if "" in players:
        raise ValueError("a name is empty")
    check_plain("the names", [*players])
    draw = game.draw
    if not game.is_from_beginning:
        raise ValueError(
            "a record needs a game from its beginning, but this one was set up from "
            "a position: write the position instead"
        )
    lines = [f"[{RECORD_HEADER}]", f"[rules {game.rules.plain.to_yaml()}]"]
    lines.append(f"[draw {' '.join(draw)}]")
    if players:  # a "#" would begin a comment
        names = printable(json.dumps([*players], ensure_ascii=False)).replace("#", r"\u0023")
        lines.append(f"[players {names}]")
    lines += [_format_turn(moves) for moves in turns_of(game)]
    status = "result" if game.is_over else "unfinished"
    lines.append(f"[{status} {format_scores(game.scores)}]")
    lines.append(f"[check {_checksum(lines)}]")
    return "\n".join(lines) + "\n"


def turns_of(game: Game) -> list[list[Move]]:
    """Return a game's moves, turn by turn."""
    by_turn = groupby(game.moves, lambda move: (move.turn, move.turn_player))
    return [list(moves) for _, moves in by_turn]


def _format_turn(moves: list[Move]) -> str:
    words: list[str] = []
    for move in moves:
        words += [ASIDE + tile for tile in move.aside]
        prefix = "" if move.seat == move.turn_player else f"{SEATS[move.seat]}: "
        words.append(prefix + move.name + _format_token(move))
    last = moves[-1]
    head = f"{last.turn + 1} {SEATS[last.turn_player]}"
    return f"{head} {', '.join(words)} = {format_scores(last.scores)}"


def _format_token(move: Move) -> str:
    """Return a move's chance outcome as written in a record."""
    if move.token is None:
        return ""
    return f" {VERBS[move.name.split(' ')[0]]} {move.token or WOLF}"


def _checksum(lines: list[str]) -> str:
    text = "\n".join(lines)
    return f"{zlib.crc32(text.encode()):08x}"


def parse_record(text: str) -> Record:
    """Parse a record that :func:`format_record` wrote, without replaying it.

    Raises
    ------
    NotationError
        The text is truncated or not in the notation; the message gives the line and the reason.
    """
    lines = list(split_lines(text))
    if not lines or lines[0][1] != f"[{RECORD_HEADER}]":
        found = lines[0][1] if lines else "nothing"
        raise NotationError(1, f"expected [{RECORD_HEADER}], found {found!r}")
    if len(lines) < 5 or not lines[-1][1].startswith("[check "):
        raise NotationError(lines[-1][0], "the record ends without [check ...]: it is cut off")
    line, content = _header(lines[1], "rules")
    rules = parse_rules(content, line)
    draw_line, draw = _header(lines[2], "draw")
    players = _players(lines, rules.n_players)
    decisions = [
        d
        for line, turn in lines[_first_turn(lines) : -2]
        for d in _parse_turn(line, turn, rules.n_players)
    ]
    result_line, result = lines[-2]
    status, scores = split_header(result)
    if status not in ("result", "unfinished"):
        raise NotationError(
            result_line, f"expected [result ...] or [unfinished ...], found {result!r}"
        )
    return Record(
        rules=rules,
        draw=tuple(split_words(draw)),
        players=players,
        decisions=tuple(decisions),
        scores=parse_scores(scores, rules.n_players, result_line),
        is_finished=status == "result",
        draw_line=draw_line,
        result_line=result_line,
    )


def _header(numbered: tuple[int, str], name: str) -> tuple[int, str]:
    line, content = numbered
    found, rest = split_header(content)
    if found != name or not content.endswith("]"):
        raise NotationError(line, f"expected [{name} ...], found {content!r}")
    return line, rest


def _first_turn(lines: list[tuple[int, str]]) -> int:
    """Return the index of the first turn among the lines, after the headers."""
    return 3 + lines[3][1].startswith("[players ")


def _players(lines: list[tuple[int, str]], n_players: int) -> tuple[str, ...]:
    """Return the players' names, if the record has them."""
    if _first_turn(lines) == 3:
        return ()
    line, content = _header(lines[3], "players")
    try:
        names = read_json("the names", content)
    except ValueError as error:
        raise NotationError(line, str(error)) from None
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise NotationError(line, f"expected a list of names, found {content}")
    if len(names) != n_players:
        raise NotationError(line, f"{len(names)} names for {n_players} players")
    return tuple(names)


def _parse_turn(line: int, text: str, n_players: int) -> Iterator[Decision]:
    if not (match := _TURN.fullmatch(text)):
        raise NotationError(
            line, f"expected a turn such as '3 A bg-cap 0,1 r2, pass = 0:4', found {text!r}"
        )
    scores = parse_scores(match["scores"], n_players, line)
    turn, turn_player = int(match["number"]) - 1, SEATS.index(match["seat"])
    words = [w for w in match["decisions"].split(", ") if not w.startswith(ASIDE)]
    for k, word in enumerate(words):
        owner, colon, name = word.partition(": ")
        seat = SEATS.index(owner) if colon and owner in SEATS else turn_player
        is_last = k == len(words) - 1
        name, token = _parse_token(line, name if colon else word)
        yield Decision(line, turn, seat, name, scores if is_last else None, token)


def _parse_token(line: int, word: str) -> tuple[str, int | None]:
    """Split a decision from its chance outcome."""
    if not (match := _BROUGHT.fullmatch(word)):
        return word, None
    name, verb, what = match.groups()
    if verb != VERBS.get(name.split(" ")[0]) or what not in (WOLF, *"1234"):
        raise NotationError(
            line, f"expected 'draws 1' to 'draws 4' or {WOLF}, or a roll, found {word!r}"
        )
    return name, 0 if what == WOLF else int(what)


def replay(record: Record) -> Game:
    """Replay a record and verify every decision and every score.

    Raises
    ------
    NotationError
        A decision is not legal, or the scores differ from the record; the message gives the line
        and the reason.
    """
    try:
        game = Game(record.rules, draw=record.draw)
    except ValueError as error:
        raise NotationError(record.draw_line, str(error)) from error
    for k, decision in enumerate(record.decisions):
        _replay_decision(game, k, decision)
    for line, have, want in (
        (record.result_line, len(game.moves), len(record.decisions)),
        (record.result_line, game.scores, record.scores),
        (record.result_line, game.is_over, record.is_finished),
    ):
        if have != want:
            raise NotationError(line, f"the game stands at {have}, but the record has {want}")
    return game


def _replay_decision(game: Game, k: int, decision: Decision) -> None:
    try:
        move = made_move(game, k, decision.name, decision.token)
    except ValueError as error:
        raise NotationError(decision.line, str(error)) from error
    have = (move.turn, move.seat, move.name)
    if have != (decision.turn, decision.seat, decision.name):
        raise NotationError(
            decision.line,
            f"turn {move.turn + 1} is {SEATS[move.seat]} {move.name}, but the record has turn "
            f"{decision.turn + 1}, {SEATS[decision.seat]} {decision.name}",
        )
    if decision.token != move.token:
        raise NotationError(
            decision.line,
            f"{decision.name}: the record lacks the chance outcome of this decision",
        )
    if decision.scores is not None and decision.scores != move.scores:
        raise NotationError(
            decision.line,
            f"the scores are {format_scores(move.scores)}, but the record has "
            f"{format_scores(decision.scores)}",
        )


def load_record(text: str) -> Game:
    """Parse, replay and verify a record.

    Raises
    ------
    NotationError
        The record is truncated, edited or from another version; the message gives the line and the
        reason.
    """
    game = replay(parse_record(text))
    lines = list(split_lines(text))
    _check_turns(game, lines[_first_turn(lines) : -2])
    number, content = lines[-1]
    want = _checksum([line for _, line in lines[:-1]])
    if content != f"[check {want}]":
        raise NotationError(number, f"{content} does not match the text ({want}): it was edited")
    return game


def _check_turns(game: Game, lines: list[tuple[int, str]]) -> None:
    """Refuse turns of a replayed record that differ from what carc_env would write.

    Replaying checks neither the tiles set aside nor the turn player.
    """
    wanted = chain(map(_format_turn, turns_of(game)), repeat("over"))
    for (line, text), turn in zip(lines, wanted, strict=False):
        if text != turn:
            raise NotationError(line, f"the turn is {turn!r}, but the record has {text!r}")


def read_record(path: str | os.PathLike[str]) -> Game:
    """Read a record file and replay it.

    Raises
    ------
    NotationError
        As for :func:`load_record`; also if the file is not text.
    """
    return load_record(read_notation(path))


def read_notation(path: str | os.PathLike[str]) -> str:
    """Return the text of a notation file.

    Raises
    ------
    NotationError
        The file is not text.
    """
    try:
        return read_text(path)
    except ValueError as error:
        raise NotationError(1, str(error)) from error


def write_record(path: str | os.PathLike[str], game: Game, players: Sequence[str] = ()) -> None:
    """Write a game's record; an existing file is replaced only when the new one is complete.

    Names and errors are as for :func:`format_record`.
    """
    replace_file(user_path(path), format_record(game, players).encode())


def replace_file(path: Path, content: bytes) -> None:
    """Write to a temporary file in the same folder, then rename it; permissions are the usual ones.

    Raises
    ------
    OSError
        The file cannot be written; the message is that of :func:`written_to`.
    """
    with written_to(path):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)  # a signal may arrive right after the rename
            raise


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Make write errors in a ``with`` block name the file and what remains of it.

    An error about a full disk names no file, and other errors name the temporary file.

    Raises
    ------
    OSError
        The block raised an OSError; this one has the same type and names the path.
    """
    try:
        yield
    except OSError as error:
        reason = f"{error.strerror} (not written; the previous file is intact)"
        raise OSError(error.errno, reason, str(path)) from error


def leftovers(folder: Path, pattern: str) -> list[Path]:
    """Return temporary files of :func:`replace_file`, left by killed writers or still in use.

    Parameters
    ----------
    folder : Path
        The folder that holds the final files.
    pattern : str
        A pattern for the file names, as for ``Path.glob``; escape literal names.
    """
    return [*folder.glob(f".{pattern}.{'[a-z0-9_]' * 8}")]  # as tempfile.mkstemp names them
