"""Games as JSON, for programs that do not read the notation.

``docs/formats.md`` describes the format, with a schema in ``docs/schemas/game.schema.json``.
Reading a game replays it, as with a record: a game that breaks a rule or whose scores differ is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.game.game import Game, Move
from carc_env.game.records import Decision, Record, replay, turns_of
from carc_env.plain_json import check_plain, first_problem
from carc_env.rules import Rules
from carc_env.words import NotationError

FORMAT, VERSION = "carc_env game", 1


class _Part(BaseModel):
    """The parts of the format that ``docs/schemas/game.schema.json`` describes."""

    model_config = ConfigDict(strict=True, extra="forbid")


_Seat = Annotated[int, Field(ge=0, lt=MAX_PLAYERS)]


class _Decision(_Part):
    seat: _Seat
    name: str
    token: Annotated[int, Field(ge=0, le=4)] | None = None


class _Turn(_Part):
    turn: int
    player: _Seat
    decisions: list[_Decision]
    scores: list[int]


class _Form(_Part):
    format: Literal["carc_env game"]
    version: Literal[1]
    rules: dict[str, Any]
    draw: list[str]
    turns: list[_Turn]
    scores: list[int]
    finished: bool
    about: dict[str, Any] = {}


def game_to_json(game: Game, about: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a game as plain values; it must have been played from its beginning.

    Parameters
    ----------
    game : Game
        Finished or not.
    about : mapping, optional
        Where the game comes from: ``players`` (a name for each seat), ``source``, ``licence``,
        ``date`` and anything else. It is stored unchanged.

    Raises
    ------
    ValueError
        The game was set up from a position in the middle of a game.
    """
    draw = game.draw
    if not game.is_from_beginning:
        raise ValueError(
            "a game as JSON needs its beginning, but this one was set up from a "
            "position: write the position instead"
        )
    found = {
        "format": FORMAT,
        "version": VERSION,
        "rules": game.rules.plain.to_dict(),
        "draw": list(draw),
        "turns": _turns(game),
        "scores": list(game.scores),
        "finished": game.is_over,
    }
    return found if about is None else {**found, "about": dict(about)}


def game_from_json(found: Mapping[str, Any]) -> Game:
    """Replay a game in this format, written by :func:`game_to_json` or another program.

    Raises
    ------
    ValueError
        The format or version differs, a part is missing, unknown or of the wrong type, or the turns
        and scores are not those of a legal game; the message names the turn.
    """
    form = _checked(found)
    record = Record(
        rules=Rules.from_dict(form["rules"]),
        draw=tuple(form["draw"]),
        decisions=tuple(_decisions(form["turns"])),
        scores=tuple(form["scores"]),
        is_finished=form["finished"],
        draw_line=0,
        result_line=len(form["turns"]) + 1,
    )
    try:
        game = replay(record)
    except NotationError as error:
        raise ValueError(f"turn {error.line}: {error.reason}") from error
    for own, its in zip_longest(_turns(game), form["turns"]):
        if own != its:
            raise ValueError(
                f"turn {(own or its)['turn']}: the replayed game has {own}, the file has {its}"
            )
    return game


def _checked(found: Any) -> dict[str, Any]:
    """Return the content if it has the required form."""
    if not isinstance(found, Mapping):
        raise ValueError(f"not a game as JSON: expected an object, found {type(found).__name__}")
    form = {**found}
    check_plain("not a game as JSON", form)
    if (form.get("format"), form.get("version")) != (FORMAT, VERSION):
        kind = f"{form.get('format')!r} version {form.get('version')!r}"
        raise ValueError(f"expected {FORMAT!r} version {VERSION}, found {kind}")
    try:
        _Form.model_validate(form)
    except ValidationError as error:
        raise ValueError(f"not a game as JSON: {first_problem(error)}") from None
    return form


def _turns(game: Game) -> list[dict[str, Any]]:
    return [
        {
            "turn": moves[0].turn + 1,
            "player": moves[0].turn_player,
            "decisions": [_decision(move) for move in moves],
            "scores": list(moves[-1].scores),
        }
        for moves in turns_of(game)
    ]


def _decision(move: Move) -> dict[str, Any]:
    drawn = {} if move.token is None else {"token": move.token}
    return {"seat": move.seat, "name": move.name, **drawn}


def _decisions(turns: list[dict[str, Any]]) -> Iterator[Decision]:
    for turn in turns:
        number, answers = turn["turn"], turn["decisions"]
        for k, answer in enumerate(answers, start=1):
            scores = tuple(turn["scores"]) if k == len(answers) else None
            seat, name, token = answer["seat"], answer["name"], answer.get("token")
            yield Decision(number, number - 1, seat, name, scores, token)
