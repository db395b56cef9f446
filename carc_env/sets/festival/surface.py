"""The Festival: take back one of your figures."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import N_QUARTERS, Block, Figure, Quarter, Spot
from carc_env.rules import Rules
from carc_env.sets.festival.record import FIGURES, MEEPLES, NO_FESTIVAL
from carc_env.systems.declaring import Actions, Anchor, Choice, System


def _figure(k: int, _: Rules) -> Choice:
    return Choice("return", (0, 0), spot=Spot(k))


def _one_figure(k: int, rules: Rules) -> Choice:
    spots = rules.shared_spots
    kind, place = divmod(k, len(spots))
    return Choice("return one", (0, 0), figure=Figure(kind), spot=spots[place])


def _waiting(k: int, _: Rules) -> Choice:
    kind, quarter = divmod(k, N_QUARTERS)
    return Choice("fetch", figure=Figure(kind), quarter=Quarter(quarter))


def _frees_shepherds(rules: Rules) -> bool:
    return rules.shepherds and rules.festival_return == "figure"


def _set_switches(record: Any, rules: Rules) -> None:
    returned = FIGURES if rules.festival_return == "figure" else MEEPLES
    record.festival = returned if rules.festival else NO_FESTIVAL


FESTIVAL = System(
    name="festival",
    is_on=lambda rules: rules.festival,
    switches=("festival", "festival_return"),
    actions=(
        Actions(
            Block.RETURN,
            "return your figure on a spot of the chosen tile to your supply",
            lambda rules: Spot.lying + rules.lets_lie,
            _figure,
            Anchor.CHOSEN,
        ),
        Actions(
            Block.RETURN_ONE,
            "return one of your figures that share a spot of the chosen tile: its kind "
            "(meeple, large, abbot, mayor, wagon, phantom, builder) times the spot: a side or the "
            "centre; with corn circles, any",
            lambda rules: (Figure.BUILDER + 1) * len(rules.shared_spots),
            _one_figure,
            Anchor.CHOSEN,
            word="return",
            when=lambda rules: bool(rules.shared_spots),
        ),
        Actions(
            Block.RETURN_TOP,
            "return your meeple on the tower of the chosen tile",
            choice=lambda _, __: Choice("return top", (0, 0)),
            anchor=Anchor.CHOSEN,
            when=lambda rules: rules.towers,
        ),
        Actions(
            Block.RETURN_SHEPHERD,
            "return your shepherd on the chosen tile",
            choice=lambda _, __: Choice("return shepherd", (0, 0)),
            anchor=Anchor.CHOSEN,
            when=_frees_shepherds,
        ),
        Actions(
            Block.FETCH,
            "return a meeple that waits in a quarter of Carcassonne",
            lambda rules: rules.n_meeples_named * N_QUARTERS,
            _waiting,
            when=lambda rules: rules.has_count,
        ),
    ),
    set_switches=_set_switches,
)
