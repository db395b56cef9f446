"""Where the independent engine differs from our rules or cuts a turn into other pieces, by name.

Nothing but what is named here is left out of a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from carc_env.engine.codes import Phase
from carc_env.game import Game
from tests.peer.translate import PHASES

Line = dict[str, Any]


class Skip(StrEnum):
    """Why something of one engine has no counterpart in the other; all are counted."""

    COMMIT = "COMMIT, which only ends a phase of theirs"
    ONLY_PASS = "our decision with nothing but pass, where they skip the phase"
    BEFORE_SCORING = "state between a figure action and its scoring, which we never stop at"
    BEFORE_DRAWING = "state between declining the abbey and the draw, which we never stop at"
    AFTER_WAGON = "state between a wagon's move and what follows, which we never stop at"
    TAKEN_BACK = "abbey declined in the last round by a seat that they ask again (ABB-23)"
    ASKED_AGAIN = "abbey declined in the last round by a seat that we do not ask again (ABB-23)"
    OTHER_ROUND = "state inside their repeated last round"
    AFTER_DIFFERENCE = "after a difference in the same game"


COMMIT_PHASES = {"CommitActionPhase", "CommitAbbeyPassPhase"}
"""Phases without any choice."""

LAST_ROUND = "AbbeyEndGamePhase"

BETWEEN = {
    ("ActionPhase", "CommitActionPhase"): Skip.BEFORE_SCORING,
    ("AbbeyPhase", "CommitAbbeyPassPhase"): Skip.BEFORE_DRAWING,
}
"""Phases before and after a message -> why the state after it is none of ours."""


def decision_skip(line: Line) -> Skip | None:
    """Why a message has no counterpart among our decisions; None if it has one."""
    return Skip.COMMIT if line["act"] == "COMMIT" else None


def state_skip(line: Line) -> Skip | None:
    """Why the state after a message cannot be compared; None if it can."""
    if line["phase"] == "WagonPhase" and line["act"].startswith("MEEPLE"):
        return Skip.AFTER_WAGON
    return BETWEEN.get((line["phase"], line["st"]["phase"]))


def is_behind(game: Game, line: Line) -> bool:
    """Whether our game waits for a decision that they have left out on the way to a message."""
    if line["act"] == "COMMIT":
        return line["phase"] == "CommitActionPhase" and game.phase == Phase.ACTION
    return game.phase != PHASES[line["phase"]]


def last_round_skips(messages: Sequence[Line]) -> dict[int, Skip]:
    """What their last round repeats (ABB-23), by index in the messages.

    While the last turn player has an abbey they go round until abbeys or holes are used up; we ask
    each seat once. Declining changes nothing on the board, so a seat that places its abbey in a
    later round does it in our first one, and what was declined since then is left out. After that,
    seats that declined before it are not asked any more; they may decline again, but an abbey that
    they place is a difference.
    """
    skips: dict[int, Skip] = {}
    asked: set[int] = set()
    declined: list[int] = []
    for index, line in enumerate(messages):
        if line["phase"] != LAST_ROUND:
            continue
        seat = line["player"]
        if line["act"] == "PASS" and seat in asked:
            skips[index] = Skip.ASKED_AGAIN
        elif line["act"] == "PASS":
            declined.append(index)
        else:
            seats = [messages[k]["player"] for k in declined]
            first = seats.index(seat) if seat in seats else len(seats)
            asked |= {*seats[:first], seat}
            for k in declined[first:]:
                is_asked = messages[k]["player"] in seats[:first]
                skips[k] = Skip.ASKED_AGAIN if is_asked else Skip.TAKEN_BACK
            declined = []
    return skips


def is_other_round(messages: Sequence[Line], index: int, skips: dict[int, Skip]) -> bool:
    """Whether the state after a message lies in the part of a last round that they repeat."""
    if messages[index]["st"]["phase"] == "GameOverPhase":
        return False
    return index in skips or skips.get(index + 1) == Skip.ASKED_AGAIN
