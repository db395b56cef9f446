"""Explain in sentences why a position is refused: what is wrong and how to write it instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt

from carc_env.engine import entry
from carc_env.engine.core.codes import LAST_OF_PLACEMENT, Kind, Phase, Problem
from carc_env.position import Position
from carc_env.systems import SYSTEMS
from carc_env.systems.places import named
from carc_env.words import format_segment

SENTENCES: dict[Problem, str] = {
    Problem.EDGES: "two tiles side by side show different edges (BASE-04)",
    Problem.FRONTIER: "the free cells are not the empty cells beside tiles",
    Problem.FEATURES: "roads, cities, fields or monasteries are miscounted",
    Problem.FIGURES: "a figure stands where it may not, without the meeple that a builder or pig "
    "needs, or more of a kind are out than their seat has (GAR-01, TRA-06, "
    "TRA-16)",
    Problem.TILES: "tiles are lost or duplicated: board, hand, bazaar, bag and [aside ...] must "
    "make up the set",
    Problem.VIEW: "a tile lies outside the view: make it wider, {view: 62} at most",
    Problem.STOCK: "bridges, castle tokens, goods or markers do not add up: goods come from "
    "complete cities only, a marker has one holder after something was completed "
    "(BRI-01, TRA-01, KR-17)",
    **{problem: words for system in SYSTEMS for problem, words in system.problems.items()},
}
"""What each problem means for a position's text; two other problems get detailed messages."""


def reasons(flags: int, states: npt.NDArray[Any], position: Position) -> str:
    """Return what is wrong with a position's record, one problem after another."""
    told = {
        **SENTENCES,
        Problem.TURN: _of_turn(position),
        Problem.UNSCORED: _of_unscored(states) if flags & Problem.UNSCORED else "",
    }
    return "; ".join(f"{flag!r}: {told[flag]}" for flag in Problem if flags & flag)


def _of_unscored(states: npt.NDArray[Any]) -> str:
    """Return the feature that should have been scored: the one under the first figure concerned."""
    s = states[0]
    figure = int(entry.unscored(states, 0))
    segment = int(s.figures[figure].segment)
    kind = Kind(int(s.features[int(s.segments[segment].feature)].kind))
    why = "a barn lies in" if kind == Kind.FIELD else "complete is"
    return (
        f"{why} the {kind.name.lower()} at {format_segment(named(s, segment))}, whose figures "
        "were scored and sent home at once; only features that the tile just placed touches can "
        "wait for that"
    )


def _begins_part(position: Position) -> bool:
    return position.phase in (Phase.DRAW_OR_ABBEY, Phase.PLACE_TILE)


def _has_late_extension(position: Position) -> bool:
    return position.has_extended and not Phase.EXCHANGE <= position.phase <= LAST_OF_PLACEMENT


def _asks_another(position: Position) -> bool:
    is_own = position.phase <= Phase.FLOCK or position.phase == Phase.GAME_OVER
    return is_own and position.decider != position.turn_player


ODD_TURNS: tuple[tuple[Callable[[Position], bool], str], ...] = (
    (
        lambda p: p.phase == Phase.GAME_OVER and bool(p.bag is None or p.bag),
        "tiles are left in the bag although the game is over: name them all in [aside ...]",
    ),
    (
        lambda p: (p.has_extended or p.first_part is not None) and not p.rules.builders,
        "[extended] and [second part ...] need builders in play (TRA-07)",
    ),
    (
        lambda p: p.has_extended and p.first_part is not None,
        "[extended] in a [second part ...]: there is no third part (TRA-08)",
    ),
    (
        _has_late_extension,
        "[extended] before the figure action is over: leave the line out, because whether the "
        "builder's feature was extended is noted after that action (TRA-09, XW-02)",
    ),
    (
        lambda p: p.first_part is not None,
        "[second part ...] must name the tile that was placed just before this part, no abbey, "
        "or the bazaar tile before a bazaar (TRA-07, TRA-10, BAZ-20)",
    ),
    (
        lambda p: p.has_bridged and (_begins_part(p) or p.phase > Phase.FLOCK),
        "[bridged] is allowed in the figure action; after it, and in a second part, only in a "
        "turn with bridge_limit='per_turn' (BRI-03, BRI-20)",
    ),
    (lambda p: p.has_bridged, "[bridged], but all bridges of the turn player are in hand (BRI-01)"),
    (
        lambda p: p.last_round is not None,
        "[last round ...] needs abbeys, an empty bag, and no second part (ABB-20)",
    ),
    (
        lambda p: p.phase == Phase.DRAW_OR_ABBEY,
        "a player begins with an abbey who has none in hand (ABB-02)",
    ),
    (
        lambda p: p.phase == Phase.FLOCK,
        "the tile just placed has not extended the field of the turn player's shepherd (HS-29)",
    ),
    (
        lambda p: bool(p.wagons),
        "[wagons ...] wait in a turn that moves, decides or takes, clockwise from the turn "
        "player, and count in the supply of their owners (WAG-11)",
    ),
    (_asks_another, "tiles and figures belong to the turn player, but another seat is asked"),
)
"""The first condition that holds explains what is wrong with a position that has
:attr:`Problem.TURN`."""


def _of_turn(position: Position) -> str:
    for is_so, sentence in ODD_TURNS:
        if is_so(position):
            return sentence
    return "phase, tile in hand and players are inconsistent"
