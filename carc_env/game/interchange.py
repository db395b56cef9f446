"""Games as JSON, for programs that do not read the notation.

The form is in ``docs/formats.md``, with a schema in ``docs/schemas/game.schema.json``. Reading a
game replays it, as reading a record does: what breaks a rule or has another score is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carc_env.game.game import Game, Move
from carc_env.game.records import Decision, Record, replay, turns_of
from carc_env.rules import Rules
from carc_env.words import NotationError

FORMAT, VERSION = "carc_env game", 1


def game_to_json(game: Game, about: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A game that was played from its beginning as plain values.

    Parameters
    ----------
    game : Game
        Finished or not.
    about : mapping, optional
        Where it comes from: ``players`` (a name for each seat), ``source``, ``licence``, ``date``
        and what else there is to say. It is kept as it is.

    Raises
    ------
    ValueError
        The game was set up from a position in the middle of a game.
    """
    draw = game.draw
    if not game.is_from_beginning:
        raise ValueError("a game as JSON needs its beginning; write the position instead")
    turns = [
        {
            "turn": moves[0].turn + 1,
            "player": moves[0].turn_player,
            "decisions": [_decision(move) for move in moves],
            "scores": list(moves[-1].scores),
        }
        for moves in turns_of(game)
    ]
    found = {
        "format": FORMAT,
        "version": VERSION,
        "rules": game.rules.to_dict(),
        "draw": list(draw),
        "turns": turns,
        "scores": list(game.scores),
        "finished": game.is_over,
    }
    return found if about is None else {**found, "about": dict(about)}


def game_from_json(found: Mapping[str, Any]) -> Game:
    """Replay a game that :func:`game_to_json` wrote, or another program in the same form.

    Raises
    ------
    ValueError
        It is of another format or version, a part of it is missing or of the wrong kind, or it is
        no legal game with these scores; the message names the turn.
    """
    if (found.get("format"), found.get("version")) != (FORMAT, VERSION):
        kind = f"{found.get('format')!r} version {found.get('version')!r}"
        raise ValueError(f"expected {FORMAT!r} version {VERSION}, found {kind}")
    try:
        record = Record(
            rules=Rules.from_dict(found["rules"]),
            draw=tuple(found["draw"]),
            decisions=tuple(_decisions(found["turns"])),
            scores=tuple(found["scores"]),
            is_finished=found["finished"],
            draw_line=0,
            result_line=len(found["turns"]) + 1,
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"not a game as JSON: {type(error).__name__}: {error}") from error
    try:
        return replay(record)
    except NotationError as error:
        raise ValueError(f"turn {error.line}: {error.reason}") from error


def _decision(move: Move) -> dict[str, Any]:
    drawn = {} if move.token is None else {"token": move.token}
    return {"seat": move.seat, "name": move.name, **drawn}


def _decisions(turns: list[Any]) -> list[Decision]:
    decisions = []
    for turn in turns:
        number, answers = turn["turn"], turn["decisions"]
        for k, answer in enumerate(answers, start=1):
            scores = tuple(turn["scores"]) if k == len(answers) else None
            seat, name, token = answer["seat"], answer["name"], answer.get("token")
            decisions.append(Decision(number, number - 1, seat, name, scores, token))
    return decisions
