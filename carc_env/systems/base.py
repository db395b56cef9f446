"""The base game: tiles and meeples."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import N_ROTATIONS, Block, Figure, Phase
from carc_env.rules import Rules
from carc_env.systems.declaring import (
    Actions,
    Anchor,
    Choice,
    Question,
    Stance,
    System,
    always,
)


def _place(k: int, rules: Rules) -> Choice:
    row, column = divmod(k // N_ROTATIONS, rules.view)
    return Choice("tile", (column, row), rotation=k % N_ROTATIONS)


def _set_switches(record: Any, rules: Rules) -> None:
    record.n_players = rules.n_players
    record.view_size = rules.view
    record.small_city_points = rules.small_city_points
    record.auto_single = rules.auto_single


BASE = System(
    name="base",
    is_on=always,
    switches=(
        *("n_players", "sets", "edition", "deck_size", "small_city_points"),
        *("view", "auto_single"),
    ),
    figures={Figure.MEEPLE: Stance("a spot of the tile just placed")},
    questions=(
        Question(
            Phase.PLACE_TILE,
            "places",
            "PLACE THE TILE",
            "turn player",
            about="tile_in_hand",
            passing="aside",
            asks="Where does this tile go, and how is it turned?",
        ),
        Question(
            Phase.FIGURE,
            "acts",
            "PLACE A FIGURE",
            "turn player",
            asks="Do you place a figure on the tile, and where?",
        ),
        Question(Phase.GAME_OVER, "over", "GAME OVER", ""),
    ),
    actions=(
        Actions(
            Block.TILE,
            "place the tile in hand: `4 * (row * view + column) + rotation`, in cells of the view",
            lambda rules: N_ROTATIONS * rules.view**2,
            _place,
            Anchor.VIEW,
        ),
        Actions(
            Block.PASS,
            "place no figure or bridge; make no bid; draw instead of placing the abbey; take the "
            "wagon back; put the tile aside",
        ),
    ),
    set_switches=_set_switches,
)
