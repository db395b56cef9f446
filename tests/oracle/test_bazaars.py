"""The oracle's bazaars against docs/rules/bazaars.md, and ABB-19, ABB-24."""

from collections import Counter
from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Phase, Spot
from carc_env.position import Bazaar, Lot
from carc_env.rules import Rules

from . import bazaars, naive, turns
from .positions import START, position
from .problems import problems
from .tiles import tile_counts

pytestmark = pytest.mark.once

#: What a bazaar of three seats offers, and what lies under it in the bag.
OFFER = ("bg-curve", "bg-cap", "bg-junction")
REST = ("bg-straight", "bg-monastery", "bg-curve", "bg-cap")


def placed(*tiles, bag=(*OFFER, *REST), **rest):
    """Make a position after a bazaar tile of A's, the first of three seats unless told."""
    defaults = {"sets": ("base", "bridges"), "bazaars": True, "n_players": 3}
    made = position(START, *(tiles or ("bcb-bazaar 0 1 0",)), **defaults | rest)
    assert problems(made) == []
    return replace(made, bag=bag)


def played(made, *names):
    """Play some actions, without problems on the way."""
    for name in names:
        made = turns.following(made, name)
        assert problems(replace(made, bag=None)) == []
    return made


def owners(made):
    return [lot.owner for lot in made.bazaar.offer]


def place_somewhere(made):
    """Place the tile in hand and do nothing else."""
    return played(made, min(turns.legal(made)), "pass")


# --- The auction --------------------------------------------------------------------------------


def test_baz_01_baz_03_baz_04_the_tiles_are_turned_up():
    made = played(placed(), "pass")
    assert made.phase == Phase.BAZAAR_PICK
    assert (made.turn_player, made.decider) == (0, 1)
    assert made.bazaar == Bazaar(0, 0, tuple(map(Lot, OFFER)), chooser=1)
    assert made.bag == REST
    assert turns.legal(made) == {"pick 1", "pick 2", "pick 3"}


def test_baz_01_after_scoring_and_wagons():
    row = ("bg-straight 1 0 0", "bcb-roads-bazaar -1 0 0")
    end = "bg-monastery-road 2 0 0"
    made = placed(row[0], end, row[1], figures=["1 wagon 0 0 N", "0 meeple 1 0 E"], wagons=True)
    assert played(made, "pass").scores == (4, 0, 0)
    wagon = replace(made, figures=(replace(made.figures[0], x=1, spot=Spot.E),))
    moves = played(wagon, "pass")
    assert (moves.phase, moves.scores) == (Phase.WAGON, (0, 4, 0))
    opened = played(moves, "home")
    assert (opened.phase, opened.decider) == (Phase.BAZAAR_PICK, 1)


def test_baz_16_too_few_tiles():
    assert played(placed(bag=OFFER[:2]), "pass").phase == Phase.PLACE_TILE
    assert played(placed(bag=OFFER), "pass").phase == Phase.BAZAAR_PICK


def test_set_06_without_bazaars_the_tile_is_an_ordinary_one():
    made = played(placed(bazaars=False), "pass")
    assert (made.phase, made.turn_player) == (Phase.PLACE_TILE, 1)


def test_baz_04_baz_05_the_bids():
    opening = played(placed(), "pass", "pick 2")
    assert (opening.phase, opening.decider, opening.bazaar.lot) == (Phase.BAZAAR_BID, 1, 1)
    assert turns.legal(opening) == {f"bid {n}" for n in range(21)}
    asked = played(opening, "bid 2")
    assert (asked.decider, asked.bazaar.price, asked.bazaar.bidder) == (2, 2, 1)
    assert turns.legal(asked) == {"pass", *(f"bid {n}" for n in range(3, 21))}
    last = played(asked, "bid 20")
    assert (last.decider, turns.legal(last)) == (0, {"pass"})
    assert (last.bazaar.price, last.bazaar.bidder) == (20, 2)


@pytest.mark.parametrize(
    ("deal", "scores", "owner"), [("buy", (0, -5, 5), 1), ("sell", (0, 5, -5), 2)]
)
def test_baz_06_the_chooser_buys_or_sells(deal, scores, owner):
    made = played(placed(), "pass", "pick 2", "bid 2", "bid 5", "pass")
    assert (made.phase, made.decider) == (Phase.BAZAAR_DEAL, 1)
    assert turns.legal(made) == {"buy", "sell"}
    dealt = played(made, deal)
    assert (dealt.scores, owners(dealt)) == (scores, [None, owner, None])  # BAZ-12


def test_baz_07_without_a_higher_bid_the_chooser_pays_nobody():
    made = played(placed(scores=(1, 1, 1)), "pass", "pick 1", "bid 3", "pass", "pass")
    assert (made.scores, owners(made)) == ((1, -2, 1), [1, None, None])
    assert (made.phase, made.decider) == (Phase.BAZAAR_PICK, 2)
    assert turns.legal(made) == {"pick 2", "pick 3"}  # BAZ-08
    asked = played(made, "pick 3", "bid 0")
    assert asked.decider == 0


@pytest.mark.parametrize(("rule", "chooser"), [("clockwise", 0), ("seller_again", 1)])
def test_baz_09_the_next_chooser(rule, chooser):
    made = placed(bazaar_next_chooser=rule)
    sold = played(made, "pass", "pick 1", "bid 0", "bid 1", "pass", "sell")
    assert (sold.phase, sold.decider) == (Phase.BAZAAR_PICK, chooser)
    bought = played(made, "pass", "pick 1", "bid 0", "bid 1", "pass", "buy")
    assert bought.decider == 2


def test_baz_09_the_seller_comes_last_and_may_overbid():
    made = played(placed(), "pass", "pick 1", "bid 0", "bid 1", "pass", "sell", "pick 2", "bid 0")
    assert (made.decider, turns.legal(made) >= {"pass", "bid 1"}) == (1, True)


def test_baz_10_baz_14_the_last_tile_is_free_and_the_round_begins():
    made = played(placed(), "pass", "pick 1", "bid 2", "pass", "pass", "pick 3", "bid 0", "bid 4")
    round_ = played(made, "sell")
    assert round_.scores == (-4, -2, 4)
    # B has the first tile, A the third, C is left with the second; B places first.
    assert (round_.phase, round_.turn_player, round_.tile_in_hand) == (
        Phase.PLACE_TILE,
        1,
        "bg-curve",
    )
    assert round_.is_bought
    assert round_.bazaar == Bazaar(0, 0, (Lot("bg-cap", 2), Lot("bg-junction", 0)))
    second = place_somewhere(round_)
    assert (second.turn_player, second.tile_in_hand) == (2, "bg-cap")
    third = place_somewhere(second)
    assert (third.turn_player, third.tile_in_hand) == (0, "bg-junction")
    assert third.bazaar.offer == ()
    done = place_somewhere(third)  # BAZ-26
    assert (done.turn_player, done.tile_in_hand) == (1, REST[0])
    assert (done.bazaar, done.is_bought) == (None, False)


def test_baz_12_baz_30_overbids_forbidden():
    made = placed(bazaar_overbid="forbid", scores=(9, 2, 5))
    opening = played(made, "pass", "pick 1")
    assert turns.legal(opening) == {"bid 0", "bid 1", "bid 2"}
    asked = played(opening, "bid 2")
    assert turns.legal(asked) == {"pass", "bid 3", "bid 4", "bid 5"}
    dealing = played(asked, "bid 5", "pass")
    assert turns.legal(dealing) == {"sell"}
    assert played(dealing, "sell").scores == (9, 7, 0)


def test_baz_12_the_limit_of_bids():
    made = played(placed(bazaar_bid_limit=1), "pass", "pick 1")
    assert turns.legal(made) == {"bid 0", "bid 1"}


def test_baz_13_without_points_nobody_bids():
    made = played(placed(bazaar_overbid="forbid"), "pass")
    assert (made.bazaar.takes, made.turn_player, made.decider) == (True, 1, 1)
    one = played(placed(bazaar_overbid="forbid", scores=(0, 0, 1)), "pass")
    assert not one.bazaar.takes


# --- Taking -------------------------------------------------------------------------------------


def test_baz_23_without_auction():
    made = played(placed(bazaar_mode="take"), "pass")
    assert (made.phase, made.turn_player, made.decider) == (Phase.BAZAAR_PICK, 1, 1)
    assert turns.legal(made) == {"pick 1", "pick 2", "pick 3"}
    taken = played(made, "pick 2")
    assert (taken.phase, taken.tile_in_hand, taken.is_bought) == (Phase.PLACE_TILE, "bg-cap", True)
    second = place_somewhere(taken)
    assert (second.phase, second.turn_player) == (Phase.BAZAAR_PICK, 2)
    assert [lot.tile for lot in second.bazaar.offer] == ["bg-curve", "bg-junction"]
    third = place_somewhere(played(second, "pick 2"))
    assert (third.turn_player, turns.legal(third)) == (0, {"pick 1"})
    done = place_somewhere(played(third, "pick 1"))
    assert (done.turn_player, done.bazaar, done.scores) == (1, None, (0, 0, 0))


# --- The round ----------------------------------------------------------------------------------


def with_bought(tile, *tiles, **rest):
    """Make a position in which B is about to take the only tile he can pick."""
    made = placed(*tiles, n_players=2, bazaar_mode="take", bag=(tile, *REST), **rest)
    return played(made, "pass")


def test_baz_17_a_bought_bazaar_tile_starts_nothing():
    made = played(with_bought("bcb-roads-bazaar"), "pick 1")
    after = place_somewhere(made)
    assert (after.phase, after.turn_player, after.delayed) == (Phase.BAZAAR_PICK, 0, ())


@pytest.mark.parametrize("rule", ["redraw", "skip"])
def test_baz_27_a_bought_tile_without_a_place(rule):
    tiles = ("bg-cap 0 -1 2", "bcb-bazaar 0 1 0")  # No city is open.
    made = with_bought("bg-city4-shield", *tiles, bazaar_unplaceable=rule)
    after = played(made, "pick 1")
    assert after.aside == ("bg-city4-shield",)
    if rule == "redraw":
        assert (after.turn_player, after.tile_in_hand) == (1, REST[1])
        assert not after.is_bought
    else:
        assert (after.phase, after.turn_player) == (Phase.BAZAAR_PICK, 0)


def test_bri_09_baz_27_a_bought_tile_may_be_put_aside_if_it_needs_a_bridge():
    tiles = ("bg-city4-shield 0 -1 0", "bg-city3 0 1 1")
    made = position(
        START,
        *tiles,
        sets=("base", "bridges"),
        bazaars=True,
        bridges=True,
        phase=Phase.PLACE_TILE,
        hand="bg-monastery",
        is_bought=True,
        bazaar=Bazaar(1, 1, (Lot("bg-cap", 1),)),
        bag=REST,
    )
    assert "aside" in turns.legal(made)
    drawn = turns.following(made, "aside")
    assert (drawn.turn_player, drawn.tile_in_hand, drawn.is_bought) == (0, REST[0], False)
    rules = replace(made.rules, bazaar_unplaceable="skip")
    skipped = turns.following(replace(made, rules=rules), "aside")
    assert (skipped.turn_player, skipped.tile_in_hand, skipped.is_bought) == (1, "bg-cap", True)


def in_round(bag, delayed=(), **rest):
    """Make a position in A's bazaar of two seats: B has drawn a bazaar tile for one put aside."""
    made = position(
        START,
        "bcb-span-bazaar 0 -1 0",
        sets=("base", "bridges"),
        bazaars=True,
        phase=Phase.PLACE_TILE,
        player=1,
        hand="bcb-bazaar",
        aside=("bg-monastery",),
        bazaar=Bazaar(0, 0, (Lot("bg-cap", 0),)),
        delayed=delayed,
        **rest,
    )
    assert problems(made) == []
    return replace(made, bag=bag)


def test_baz_18_gap_c11_a_drawn_bazaar_tile_waits_for_the_end_of_the_round():
    placed_ = place_somewhere(in_round(REST))
    assert (placed_.turn_player, placed_.tile_in_hand, placed_.delayed) == (0, "bg-cap", (1,))
    opened = place_somewhere(placed_)
    # B's bazaar, A chooses first; afterwards the game goes on with B, who comes after A.
    assert (opened.phase, opened.turn_player, opened.decider) == (Phase.BAZAAR_PICK, 1, 0)
    assert opened.bazaar == Bazaar(1, 0, tuple(map(Lot, REST[:2])), chooser=0)
    assert opened.delayed == ()
    round_ = played(opened, "pick 1", "bid 0", "pass")
    assert (round_.turn_player, round_.tile_in_hand) == (0, REST[0])
    done = place_somewhere(place_somewhere(round_))
    assert (done.turn_player, done.bazaar, done.tile_in_hand) == (1, None, REST[2])


def test_baz_19_several_wait_in_turn():
    made = place_somewhere(in_round(REST, delayed=(0,)))
    assert made.delayed == (0, 1)
    opened = place_somewhere(made)
    assert (opened.bazaar.starter, opened.delayed) == (0, (1,))


def test_baz_28_a_delayed_bazaar_without_tiles_is_dropped():
    made = place_somewhere(place_somewhere(in_round(REST[:1])))
    assert (made.bazaar, made.delayed, made.turn_player) == (None, (), 1)


def test_baz_29_the_bag_may_be_empty_before_the_round_is_over():
    made = played(placed(bag=OFFER, bazaar_mode="take"), "pass")
    assert made.bag == ()
    for seat in (1, 2, 0):
        assert (made.phase, made.turn_player) == (Phase.BAZAAR_PICK, seat)
        made = place_somewhere(played(made, "pick 1"))
    assert made.phase == Phase.GAME_OVER


def test_abb_19_abb_20_baz_24_no_abbey_in_the_round_but_after_it():
    hole = ("bg-cap 0 -1 2", "bg-monastery 2 -1 0", "bg-cap 2 0 1", "bg-monastery 0 1 0")
    tiles = (*hole, "bg-cap 1 -1 2", "bg-caps-opposite 1 1 0", "bcb-bazaar 0 2 0")
    made = played(placed(*tiles, abbeys=True, bag=OFFER, bazaar_mode="take"), "pass")
    for seat in (1, 2, 0):
        assert naive.holes(made) and naive.has_abbey(made, seat)
        made = played(made, "pick 1")
        assert (made.phase, made.turn_player) == (Phase.PLACE_TILE, seat)
        far = max(name for name in turns.legal(made) if " 1,0 " not in name)
        made = played(made, far, "pass")
    assert (made.phase, made.turn_player, made.last_round) == (Phase.DRAW_OR_ABBEY, 1, 2)


# --- Problems -----------------------------------------------------------------------------------


def test_problems_of_auctions():
    def said(made, **changes):
        bazaar = replace(made.bazaar, **changes.pop("bazaar", {}))
        return " / ".join(problems(replace(made, bazaar=bazaar, bag=None, **changes)))

    picks = played(placed(), "pass")
    bids = played(picks, "pick 2", "bid 2")
    deals = played(bids, "bid 5", "pass")
    assert said(picks) == said(bids) == said(deals) == ""
    assert "holds the bazaar" in said(picks, turn_player=1)
    assert "no bazaar in phase" in " ".join(problems(replace(picks, bazaar=None, bag=None)))
    assert "are no bazaars" in said(picks, rules=replace(picks.rules, bazaars=False))
    assert "2 tiles are on offer" in said(picks, bazaar={"offer": picks.bazaar.offer[:2]})
    bought = (Lot("bg-curve", 1), *picks.bazaar.offer[1:])
    assert "have tiles" in said(picks, bazaar={"offer": bought})
    twice = (Lot("bg-curve", 2), Lot("bg-cap", 2), Lot("bg-junction"))
    assert "the seats [2, 2] have tiles" in said(picks, bazaar={"offer": twice})
    assert "is for sale in phase" in said(picks, bazaar={"lot": 1})
    assert "is not for sale" in said(bids, bazaar={"lot": 4})
    assert "bids None" in said(bids, bazaar={"price": None})
    assert "cannot have bid 30" in said(bids, bazaar={"price": 30})
    assert "is asked after" in said(bids, decider=1)
    assert "decides for the chooser" in said(picks, decider=0)
    assert "deals with seat 1" in said(deals, bazaar={"bidder": 1})
    assert "deals with seat 2" in said(deals, decider=0)
    assert "names a seat that nobody has" in said(picks, bazaar={"starter": 3})
    assert "not part of this game" in said(picks, bazaar={"offer": (Lot("ic-cap-gate"),) * 3})
    assert "5 copies of bg-monastery" in said(
        picks, tiles=(*picks.tiles, *[replace(picks.tiles[1], tile="bg-monastery")] * 5)
    )
    forbid = replace(bids.rules, bazaar_overbid="forbid")
    assert "cannot have bid 2" in said(bids, rules=forbid)


def test_problems_of_the_round():
    def said(made, **changes):
        bazaar = replace(made.bazaar, **changes.pop("bazaar", {}))
        return " / ".join(problems(replace(made, bazaar=bazaar, bag=None, **changes)))

    takes = played(placed(bazaar_mode="take"), "pass")
    assert said(takes) == ""
    assert "cannot be left" in said(takes, turn_player=2, decider=2)
    assert "takes for seat" in said(takes, decider=2)
    assert "after its end" in said(takes, bazaar={"chooser": 1})
    hand = played(takes, "pick 1")
    assert said(hand) == ""
    assert "no bought one is aside" in said(hand, is_bought=False)
    assert "goes on in phase" in said(hand, phase=Phase.DRAW_OR_ABBEY, tile_in_hand=None)
    names = ("pass", "pick 1", "bid 0", "pass", "pass", "pick 2", "bid 0", "pass")
    round_ = played(placed(), *names)
    assert said(round_) == ""
    assert "one tile for each" in said(round_, bazaar={"offer": round_.bazaar.offer[:1]})
    assert "one tile for each" in said(round_, turn_player=2, decider=2)
    early = replace(placed(), bag=None)
    assert "no bazaar in phase" in " ".join(problems(replace(early, is_bought=True)))
    assert "no bazaar in phase" in " ".join(problems(replace(early, delayed=(1,))))


def test_negative_scores_come_from_auctions_only():
    for switches, is_wrong in (
        ({}, False),
        ({"bazaar_overbid": "forbid"}, True),
        ({"bazaar_mode": "take"}, True),
        ({"bazaars": False}, True),
    ):
        rules = {"sets": ("base", "bridges"), "bazaars": True} | switches
        made = position(START, "bg-monastery 0 1 0", scores=(-1, 0), **rules)
        assert bool(problems(made)) == is_wrong


def test_the_set_has_eight_bazaars():
    counts = tile_counts(Rules(sets=("base", "bridges")))
    found = Counter({name: n for name, n in counts.items() if bazaars.is_bazaar_tile(name)})
    assert found.total() == 8
