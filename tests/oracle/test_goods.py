"""The oracle's trade goods against docs/rules/traders.md, TRA-01 to TRA-04."""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Phase
from carc_env.rules import Rules

from . import goods, naive, turns
from .positions import START, legal, position
from .problems import problems
from .tiles import FACTS, tile_counts

pytestmark = pytest.mark.once

TRADERS = {"sets": ("base", "traders", "abbey"), "goods": True}

#: A city with two wines and a cloth, of five tiles; its last tile completes it.
CITY = (
    START,
    "tb-span-wine 0 -1 0",
    "tb-span-wine-gate 0 -2 0",
    "tb-span-cloth-and-cap 0 -3 0",
    "bg-cap 0 -4 2",
)


def scored(made):
    """Do nothing more in a turn after which the next tile is drawn."""
    assert problems(made) == []
    return turns.following(replace(made, bag=("bg-curve",)), "pass")


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_tra_01_the_supply_is_what_the_cities_show(edition):
    counts = tile_counts(Rules(sets=("base", "traders"), edition=edition, abbot=edition == "C2"))
    shown = [
        city["goods"]
        for name, n in counts.items()
        for city in n * FACTS[name].get("cities", [])
        if "goods" in city
    ]
    assert [shown.count(name) for name in ("wine", "grain", "cloth")] == [9, 6, 5]


@pytest.mark.parametrize("people", [["1 meeple 0 -1 N"], []])
def test_tra_01_who_completes_the_city_gets_the_tokens(people):
    done = scored(legal(*CITY, figures=people, **TRADERS))
    assert done.goods == ((2, 0, 1), (0, 0, 0))
    assert done.scores == (0, 10 * len(people))


def test_tra_01_tokens_add_up_and_need_a_complete_city():
    made = legal(*CITY, player=1, **TRADERS)
    assert made.goods == ((0, 0, 0),) * 2
    had = replace(made, goods=((1, 2, 0), (3, 0, 1)))
    assert goods.collected(had) == ((1, 2, 0), (5, 0, 2))
    assert scored(legal(*CITY[:-1], player=1, **TRADERS)).goods == ((0, 0, 0),) * 2
    assert scored(legal(*CITY, **TRADERS | {"goods": False})).goods == ()


def test_tra_01_a_city_gives_its_goods_once():
    later = legal(*CITY, "bg-monastery 1 -1 0", **TRADERS)
    assert later.goods == ((2, 0, 1), (0, 0, 0))
    assert scored(later).goods == later.goods


def test_tra_02_most_tokens_of_a_kind():
    made = position(START, n_players=3, phase=Phase.GAME_OVER, **TRADERS)
    tokens = ((4, 3, 0), (4, 2, 0), (1, 0, 0))
    assert goods.points(replace(made, goods=tokens)) == (20, 10, 0)
    assert goods.points(made) == (0, 0, 0)
    assert naive.final_scores(replace(made, goods=tokens, scores=(5, 6, 7))) == (25, 16, 7)


def test_tra_03_cas_10_no_tokens_for_an_open_city_or_a_castle():
    made = legal(*CITY[:-1], **TRADERS)
    ended = turns.following(replace(made, bag=()), "pass")
    assert (ended.phase, ended.goods) == (Phase.GAME_OVER, ((0, 0, 0),) * 2)
    castle = position(*CITY, castles=True, castles_at=["0 0 N"], **TRADERS)
    assert goods.collected(castle) == ((0, 0, 0),) * 2


def test_tra_04_abb_18_an_abbey_gives_the_goods_to_its_player():
    rim = (START, "bg-cap 0 -1 2", "bg-monastery 2 -1 0", "bg-cap 2 0 1", "bg-monastery 0 1 0")
    wine = ("tb-span-wine 1 -1 0", "bg-cap 1 -2 2", "bg-cap 1 1 0")
    people = ["1 meeple 1 -2 S"]
    made = legal(*rim, *wine, "am-abbey 1 0 0", figures=people, abbeys=True, **TRADERS)
    done = scored(made)
    assert (done.goods, done.scores) == (((1, 0, 0), (0, 0, 0)), (0, 4))


def test_problems_of_goods():
    def said(**changes):
        return " / ".join(problems(replace(made, **changes)))

    made = position(*CITY, "bg-monastery 1 -1 0", **TRADERS)
    assert said() == said(goods=((0, 0, 0), (2, 0, 1))) == ""
    assert "tokens of WINE for 2" in said(goods=((1, 0, 1), (0, 0, 0)))
    assert "tokens of GRAIN for 0" in said(goods=((2, 1, 1), (0, 0, 0)))
    assert "tokens of GRAIN for 0" in said(goods=((2, 1, 1), (0, -1, 0)))
    assert "0 hands of goods" in said(goods=())
    last = position(*CITY, **TRADERS)
    assert problems(last) == []
    assert problems(replace(last, goods=((2, 0, 1), (0, 0, 0)))) != []
