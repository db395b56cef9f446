"""The oracle's builders in bazaars: docs/rules/bazaars.md, BAZ-15, BAZ-18, BAZ-20 to 22, BAZ-24."""

from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Phase

from . import turns
from .positions import START, legal, position
from .problems import problems

pytestmark = pytest.mark.once

SETS = {"sets": ("base", "bridges"), "builders": True, "bazaars": True, "bazaar_mode": "take"}

#: A city of the first seat with his builder, and a road of the second seat with his.
BOARD = ("bg-city4-shield 0 -1 0", "bg-span 0 -2 0", "bg-straight 1 0 0", "bg-straight 2 0 0")
PEOPLE = ["0 meeple 0 -1 N", "0 builder 0 -2 N", "1 meeple 1 0 E", "1 builder 2 0 E"]
BAZAAR = "bcb-city4-bazaar -1 -1 0"

#: What the bazaar offers two seats, and what is drawn afterwards.
BAG = ("bg-cap", "bg-junction", "bg-monastery", "bg-curve", "bg-curve", "bg-cap", "bg-junction")


def placed(last=BAZAAR, bag=BAG, **rest):
    """Make a position after a bazaar tile that has extended the builder's city of A."""
    made = legal(START, *BOARD, last, figures=PEOPLE, **SETS | rest)
    return replace(made, bag=bag)


def play(made, *names):
    """Play some actions, without problems on the way."""
    for name in names:
        made = turns.following(made, name)
        assert problems(replace(made, bag=None)) == []
    return made


def to_move(made):
    return made.phase, made.turn_player, made.tile_in_hand


def place_apart(made):
    """Place the tile in hand where it extends no builder's road or city, and do nothing else."""
    for name in sorted(turns.legal(made)):
        done = play(made, name, "pass")
        if done.first_part != (done.tiles[-1].x, done.tiles[-1].y):
            return done
    raise AssertionError("every place extends something")


def test_baz_20_the_bazaar_comes_first_and_the_second_part_is_owed():
    made = play(placed(), "pass")
    assert to_move(made) == (Phase.BAZAAR_PICK, 1, None)
    assert (made.bazaar.owed, made.first_part, made.bazaar.waits) == ((-1, -1), None, False)
    b_done = place_apart(play(made, "pick 1"))
    assert to_move(b_done)[:2] == (Phase.BAZAAR_PICK, 0)
    owed = place_apart(play(b_done, "pick 1"))
    assert to_move(owed) == (Phase.PLACE_TILE, 0, BAG[2])
    assert (owed.first_part, owed.bazaar) == ((-1, -1), None)
    after = place_apart(owed)
    assert (to_move(after), after.first_part) == ((Phase.PLACE_TILE, 1, BAG[3]), None)


def test_baz_21_the_second_part_comes_first_and_the_tiles_wait():
    made = play(placed(bazaar_builder_order="builder_first"), "pass")
    assert to_move(made) == (Phase.PLACE_TILE, 0, BAG[2])
    assert (made.first_part, made.bazaar.waits, made.bazaar.owed) == ((-1, -1), True, None)
    assert [lot.tile for lot in made.bazaar.offer] == list(BAG[:2])
    opened = place_apart(made)
    assert to_move(opened) == (Phase.BAZAAR_PICK, 1, None)
    assert (opened.first_part, opened.bazaar.waits) == (None, False)
    done = place_apart(play(place_apart(play(opened, "pick 1")), "pick 1"))
    assert (to_move(done), done.bazaar) == ((Phase.PLACE_TILE, 1, BAG[3]), None)


@pytest.mark.parametrize("order", ["bazaar_first", "builder_first"])
def test_baz_16_without_a_bazaar_there_is_only_the_second_part(order):
    made = play(placed(bag=BAG[:1], bazaar_builder_order=order), "pass")
    assert (to_move(made), made.bazaar) == ((Phase.PLACE_TILE, 0, BAG[0]), None)


def test_baz_01_without_an_extension_there_is_only_the_bazaar():
    made = play(placed("bcb-bazaar 1 1 0"), "pass")
    assert (made.bazaar.owed, made.first_part) == (None, None)


def test_baz_15_a_bought_tile_brings_its_own_second_part_at_once():
    made = play(placed("bcb-bazaar 1 1 0"), "pass", "pick 2", "bg-junction 3,0 r0", "pass")
    assert to_move(made) == (Phase.PLACE_TILE, 1, BAG[2])
    assert (made.first_part, made.is_bought, made.bazaar.takes) == ((3, 0), False, True)
    after = place_apart(made)
    assert to_move(after)[:2] == (Phase.BAZAAR_PICK, 0)


@pytest.mark.parametrize("order", ["bazaar_first", "builder_first"])
def test_baz_22_the_bought_tile_of_the_starter_brings_one_too(order):
    first = play(placed(bazaar_builder_order=order), "pass")
    if order == "builder_first":
        first = place_apart(first)
    mine = play(place_apart(play(first, "pick 2")), "pick 1", "bg-cap 0,-3 r2", "pass")
    assert (mine.turn_player, mine.first_part) == (0, (0, -3))
    after = place_apart(mine)
    if order == "bazaar_first":
        assert (after.turn_player, after.first_part) == (0, (-1, -1))
        after = place_apart(after)
    assert (after.turn_player, after.first_part, after.bazaar) == (1, None, None)


def test_baz_18_a_bazaar_tile_of_a_second_part_waits_for_the_end_of_the_round():
    bag = ("bg-junction", "bg-cap", "bcb-bazaar", *BAG[3:])
    made = play(placed(bag=bag), "pass", "pick 1", "bg-junction 3,0 r0", "pass")
    assert (made.tile_in_hand, made.turn_player) == ("bcb-bazaar", 1)
    delayed = place_apart(made)
    assert (delayed.delayed, delayed.turn_player) == ((1,), 0)
    second = place_apart(play(delayed, "pick 1"))
    assert (second.bazaar.starter, second.bazaar.resumes, second.turn_player) == (1, 0, 0)
    assert second.bazaar.owed == (-1, -1)  # BAZ-20: behind the delayed ones too.
    over = place_apart(play(place_apart(play(second, "pick 1")), "pick 1"))
    assert (over.turn_player, over.first_part, over.bazaar) == (0, (-1, -1), None)


def test_baz_21_a_bazaar_tile_drawn_while_tiles_wait_is_delayed():
    bag = ("bg-cap", "bg-cap", "bcb-bazaar", *BAG[3:])
    made = play(placed(bag=bag, bazaar_builder_order="builder_first"), "pass")
    assert (made.tile_in_hand, made.bazaar.waits) == ("bcb-bazaar", True)
    opened = place_apart(made)
    assert (opened.delayed, opened.bazaar.starter, opened.turn_player) == ((0,), 0, 1)
    next_ = place_apart(play(place_apart(play(opened, "pick 1")), "pick 1"))
    assert (next_.bazaar.starter, next_.delayed, next_.turn_player) == (0, (), 1)


def test_baz_20_a_bazaar_tile_of_the_owed_part_starts_one_at_once():
    bag = ("bg-cap", "bg-curve", "bcb-bazaar", *BAG[3:])
    made = play(placed(bag=bag), "pass")
    owed = place_apart(play(place_apart(play(made, "pick 1")), "pick 1"))
    assert (owed.tile_in_hand, owed.first_part) == ("bcb-bazaar", (-1, -1))
    again = place_apart(owed)
    assert (again.phase, again.bazaar.starter, again.bazaar.owed) == (Phase.BAZAAR_PICK, 0, None)


def test_bri_20_baz_20_the_bridge_of_the_turn_is_remembered():
    switches = {"bridges": True, "bridge_limit": "per_turn"}
    made = placed("bcb-span-bazaar 0 -3 0", **switches)
    first = play(made, "bridge 0,-3 EW", "pass")
    assert first.bazaar.owed_bridged and not first.has_bridged
    assert not play(made, "pass").bazaar.owed_bridged
    mine = play(place_apart(play(first, "pick 2")), "pick 1", "bg-cap 0,-4 r2")
    assert any(name.startswith("bridge") for name in turns.legal(mine))  # BAZ-15: another turn.
    own = play(mine, "pass")
    assert (own.first_part, own.has_bridged) == ((0, -4), False)
    owed = place_apart(own)
    assert (owed.first_part, owed.has_bridged) == ((0, -3), True)


def test_baz_24_tra_11_an_abbey_in_a_second_part_of_the_round():
    hole = ("bg-monastery 0 1 0", "bg-monastery 0 2 0", "bg-monastery 1 2 0", "bg-cap 2 1 1")
    sets = {"sets": ("base", "abbey", "bridges"), "abbeys": True}
    tiles = (START, *BOARD, *hole, "bg-monastery 2 2 0", "bcb-bazaar 3 2 0")
    made = legal(*tiles, figures=PEOPLE, **SETS | sets)
    bought = play(replace(made, bag=BAG), "pass", "pick 2")
    assert bought.phase == Phase.PLACE_TILE
    second = play(bought, "bg-junction 3,0 r0", "pass")
    assert (second.phase, second.turn_player) == (Phase.DRAW_OR_ABBEY, 1)
    assert turns.legal(second) == {"draw", "am-abbey 1,1 r0"}
    last = play(second, "am-abbey 1,1 r0", "pass")
    assert (last.phase, last.turn_player) == (Phase.BAZAAR_PICK, 0)


def test_baz_13_baz_21_points_of_the_second_part_count():
    """Nobody has points when the tiles are set aside, but somebody has when they are turned up."""
    rules = {"bazaar_mode": "auction", "bazaar_overbid": "forbid"}
    made = placed(bazaar_builder_order="builder_first", **rules)
    waiting = play(made, "pass")
    assert not waiting.bazaar.takes
    assert place_apart(waiting).bazaar.takes
    scored = place_apart(replace(waiting, scores=(1, 0)))
    assert (scored.bazaar.takes, scored.bazaar.chooser) == (False, 1)


def test_problems_of_bazaars_with_second_parts():
    def said(made, **changes):
        bazaar = replace(made.bazaar, **changes.pop("bazaar", {}))
        return " / ".join(problems(replace(made, bazaar=bazaar, bag=None, **changes)))

    owed = play(placed(), "pass")
    assert said(owed) == ""
    assert "cannot be owed" in said(owed, bazaar={"owed": (0, -1)})
    builder_first = replace(owed.rules, bazaar_builder_order="builder_first")
    assert "cannot be owed" in said(owed, rules=builder_first)
    assert "an earlier part" in said(owed, bazaar={"owed_bridged": True})
    assert "in no first part" in said(owed, bazaar={"owed": None, "owed_bridged": True})
    assert "no builders" in said(owed, rules=replace(owed.rules, builders=False))
    waits = play(placed(bazaar_builder_order="builder_first"), "pass")
    assert said(waits) == ""
    assert "waits for nothing" in said(waits, first_part=None)
    assert "bazaar of (0, -1) waits" in said(waits, first_part=(0, -1))
    assert "waits for nothing" in said(waits, rules=owed.rules)
    assert "waits for seat" in said(waits, bazaar={"starter": 1})
    assert "face down are auctioned" in said(waits, bazaar={"chooser": 1})
    assert "1 tiles wait for 2 seats" in said(waits, bazaar={"offer": waits.bazaar.offer[:1]})
    early = position(START, *BOARD, BAZAAR, figures=PEOPLE, first_part=(2, 0), **SETS)
    assert problems(early) == []
