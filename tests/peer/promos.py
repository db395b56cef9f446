"""Apply their version of the Russian promos to our game by hand.

In their version, no abbot enters the hut (RUS-16), traps do not act when a seat declines to move
out of Carcassonne (RUS-10), and a bridge over the tree carries its road (RUS-06).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import NO_TILE
from carc_env.game.game import Game
from carc_env.position import Position
from carc_env.words import format_cell
from tests.peer.translate import Cell, trapped

HUT = "ru-yaga-hut"
TREE = "ru-straight-razboynik"

Line = dict[str, Any]


# Abbots and the hut.


def huts(position: Position) -> set[Cell]:
    """Return the cells with a hut."""
    return {(tile.x, tile.y) for tile in position.tiles if tile.tile == HUT}


def abbots_in_huts(position: Position, last: Cell) -> set[str]:
    """Return the names of actions that put an abbot into a hut."""
    cells = {format_cell(cell) for cell in huts(position)}
    names = {f"abbot mid at {cell}" for cell in cells}
    return names | ({"abbot mid"} if format_cell(last) in cells else set())


def lands_in_hut(game: Game) -> bool:
    """Return whether a flying abbot can land only in a hut."""
    if game.phase != Phase.LANDING or not game.rules.russian_promos:
        return False
    names = {game.name(action) for action in game.legal_actions()}
    return names == {"abbot mid"} and game.position().chosen_cell in huts(game.position())


def let_come_home(game: Game, *, may: bool) -> None:
    """Set whether a figure that could land may come home instead (FLY-09)."""
    game._states[0].rules.may_come_down = may
    game._list_legal()


# Traps.


def with_traps_asleep(game: Game, actions: Sequence[int], line: Line) -> Game | None:
    """Return our game after a seat declines to move out of Carcassonne, without any trap acting.

    Their traps act once a seat has moved all the meeples that it can. None if their traps did act
    after the message, or if ours would catch nobody.
    """
    if line["phase"] != "CocScoringPhase" or line["act"] != "PASS" or game.phase != Phase.JOIN:
        return None
    plain, there = game.clone(), game.clone()
    traps = there._states[0].traps
    before = traps.copy()
    traps[:] = NO_TILE
    for action in actions:
        plain.apply(action)
        there.apply(action)
    traps[:] = before
    there._list_legal()
    found, theirs = there.position().trapped, trapped(line["st"]["figs"])
    return there if list(found) == theirs != list(plain.position().trapped) else None


# Bridges over the tree.


def bridges_tree(game: Game, act: str) -> bool:
    """Return whether an action has put a bridge over the tree or the tree under a bridge."""
    if not (game.rules.russian_promos and game.rules.bridges and "BRIDGE" in act):
        return False
    return any(tile.tile == TREE and tile.bridge is not None for tile in game.position().tiles)
