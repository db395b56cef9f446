"""Where the independent engine differs from our rules or cuts a turn into other pieces, by name.

Nothing but what is named here is left out of a comparison.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from carc_env.engine.codes import Phase
from carc_env.game import Game
from tests.peer.translate import PHASES


class Skip(StrEnum):
    """Why something of one engine has no counterpart in the other; all are counted."""

    COMMIT = "COMMIT, which only ends a phase of theirs"
    ONLY_PASS = "our decision with nothing but pass, where they skip the phase"
    BEFORE_SCORING = "state between a figure action and its scoring, which we never stop at"
    AFTER_DIFFERENCE = "after a difference in the same game"


COMMIT_PHASES = {"CommitActionPhase"}


def decision_skip(line: dict[str, Any]) -> Skip | None:
    """Why a message has no counterpart among our decisions; None if it has one."""
    return Skip.COMMIT if line["phase"] in COMMIT_PHASES else None


def state_skip(line: dict[str, Any]) -> Skip | None:
    """Why the state after a message cannot be compared; None if it can."""
    is_figure_action = line["phase"] == "ActionPhase"
    return (
        Skip.BEFORE_SCORING if is_figure_action and line["st"]["phase"] in COMMIT_PHASES else None
    )


def is_behind(game: Game, phase: str) -> bool:
    """Whether our game waits for a decision that they have left out on the way to a phase."""
    if phase in COMMIT_PHASES:
        return game.phase == Phase.ACTION
    return game.phase != PHASES[phase]
