"""The oracle's pigs against docs/rules/traders.md, TRA-12 to TRA-18, and CAS-28."""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Spot

from . import naive, turns
from .board import feature_at
from .positions import (
    BARN,
    BLOCK,
    JOINT,
    LARGE,
    MEEPLE,
    NORTH,
    PIG,
    START,
    placed_figures,
    position,
    spots,
)
from .positions import legal as legal_position
from .problems import problems

pytestmark = pytest.mark.once

PIGS = {"pigs": True, "barns": True, "large_meeples": True}

#: A farmer and the pig of the first seat in the field of ``BLOCK``.
FARMER = "0 meeple -1 1 Nw"
PIG_OF_A = "0 pig -1 2 Nw"


def legal(*tiles, **rest):
    """Make a position with pigs in which nothing is impossible."""
    return legal_position(*tiles, **PIGS | rest)


def field_of(made):
    return feature_at(made, 0, 1, Spot.Nw)


@pytest.mark.parametrize("farmer", ["meeple", "large"])
def test_tra_12_a_pig_joins_its_owners_farmer(farmer):
    made = legal(*BLOCK, figures=[f"0 {farmer} -1 1 Nw"])
    choices = naive.figure_choices(made)
    assert spots(choices, PIG) == {"Nw"}
    assert not spots(choices, MEEPLE) & {"Nw"} and not spots(choices, LARGE) & {"Nw"}
    other = replace(made, turn_player=1, decider=1)
    assert spots(naive.figure_choices(other), PIG) == set()
    lies = turns.following(replace(made, bag=("bg-curve",)), "pig Nw")
    assert lies.figures[-1:] == placed_figures("0 pig 1 2 Nw")
    assert naive.supply(lies, 0)[PIG] == 0
    weak = replace(lies, figures=(*lies.figures, *placed_figures("1 large 0 1 Nw")))
    assert naive.majority(field_of(weak)) == ([1] if farmer == "meeple" else [0, 1])


def test_tra_12_only_in_fields_and_only_one():
    tiles = (START, "bg-straight 1 0 0", "bg-straight 2 0 0")
    on_road = legal(*tiles, figures=["0 meeple 1 0 E"])
    assert spots(naive.figure_choices(on_road), PIG) == set()
    field = {"figures": ["0 meeple 1 0 Nw"]}
    assert spots(naive.figure_choices(legal(*tiles, **field)), PIG) == {"Nw"}
    assert spots(naive.figure_choices(legal(*tiles, **field, pigs=False)), PIG) == set()
    used = legal(*tiles, "bg-straight 3 0 0", figures=["0 meeple 1 0 Nw", "0 pig 2 0 Nw"])
    assert spots(naive.figure_choices(used), PIG) == set()


def test_tra_16_no_pig_beside_a_barn_alone():
    made = legal(*BLOCK, "bg-straight 2 1 1", figures=["0 barn 1 2 NW"])
    assert spots(naive.figure_choices(made), PIG) == set()


@pytest.mark.parametrize(("pig", "points"), [(PIG_OF_A, 8), ("1 pig -1 2 Nw", 6)])
def test_tra_13_one_more_for_each_city_with_ones_own_pig(pig, points):
    made = position(*BLOCK, figures=[FARMER, pig], **PIGS)
    assert naive.final_scores(made) == (points, 0)


def test_tra_18_a_tie_is_a_majority_and_less_is_none():
    made = legal(*BLOCK, figures=[FARMER, PIG_OF_A, "1 meeple 0 1 Nw"])
    assert naive.final_scores(made) == (8, 6)
    strong = placed_figures(FARMER, PIG_OF_A, "1 large 0 1 Nw")
    assert naive.final_scores(replace(made, figures=strong)) == (0, 6)


def test_tra_14_a_barn_is_placed_on_a_field_with_a_pig():
    made = legal(*BLOCK, figures=[FARMER, PIG_OF_A, "1 meeple 0 1 Nw"], player=1)
    scores, figures, _ = naive.after(made, (BARN, Spot.NW))
    assert (scores, figures) == ((8, 6), placed_figures("1 barn 1 2 NW"))


def test_tra_14_tra_15_tra_18_a_field_joined_to_that_of_a_barn():
    people = ["1 barn 1 2 NW", "0 meeple 1 0 Nw", "1 meeple -1 0 Nw"]
    made = legal(*BLOCK, *NORTH, JOINT, figures=people)
    assert spots(naive.figure_choices(made), PIG) == {"Nw"}
    assert naive.score_turn(made)[:2] == ((2, 2), made.figures[:1])
    scores, figures, _ = naive.after(made, (PIG, Spot.Nw))
    assert (scores, figures) == ((4, 2), made.figures[:1])
    before = legal(*BLOCK, *NORTH, JOINT, figures=[*people, "0 pig -2 0 Nw"])
    assert naive.score_turn(before)[:2] == ((4, 2), made.figures[:1])


def test_tra_17_a_barn_gets_nothing_for_pigs():
    made = position(*BLOCK, figures=["0 barn 1 2 NW", "0 pig -1 2 Nw"], **PIGS)
    assert naive.final_scores(made) == (8, 0)


def test_cas_28_section_25_all_cases():
    """Two complete cities, a castle and the own pig, without a pig-herd and a siege."""
    tiles = (*BLOCK, "bg-cap-garden 2 1 1", "bg-caps-opposite 3 1 1", "bg-corner 0 3 1")
    rest = {"castles": True, "castles_at": ["2 1 E"]}
    made = legal(*tiles, figures=[FARMER, PIG_OF_A], **rest)
    assert naive.final_scores(made) == (4 + 4 + 5, 0)
    worth = [naive.field_worth_to(field_of(made), each, 0) for each in (3, 1)]
    assert worth == [4 + 4 + 5, 2 + 2 + 3]
    assert naive.field_worth_to(field_of(made), 3, 1) == 3 + 3 + 4
    barn = legal(*tiles, figures=["0 barn 1 2 NW"], **rest)
    assert naive.final_scores(barn) == (4 + 4 + 5, 0)


def test_problems_of_pigs():
    def said(*people, **rest):
        return " / ".join(problems(position(*BLOCK, figures=people, **PIGS | rest)))

    assert said(FARMER, PIG_OF_A) == ""
    assert "without a meeple" in said(PIG_OF_A)
    assert "without a meeple" in said(FARMER, "1 pig -1 2 Nw")
    assert "stands on a MONASTERY" in said(FARMER, "0 pig 0 1 mid")
    assert "1 PIG too many" in said(FARMER, PIG_OF_A, pigs=False)
