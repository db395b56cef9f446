"""Two-part turns in combination with bazaars, abbeys, bridges, castles, wagons and goods."""

from __future__ import annotations

import random

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.words import SEATS
from tests.goods import goods_of

from .looks import bridges_offered, builders, decision, figures, names, offered, score_log, targets
from .positions import RING, START_LINE, Table, headers, known, reread
from .scenario import ABBEY, each, play

BUILDERS = "builders: true"
BAZAARS = f"sets: [base, bridges], bazaars: true, {BUILDERS}"
TAKE = f"{BAZAARS}, bazaar_mode: take"
FIRST = f"{BAZAARS}, bazaar_builder_order: builder_first"
ABBEYS = f"abbeys: true, {BUILDERS}"

TABLE = Table(rules=BUILDERS)
position, played = TABLE.position, TABLE.played

PICK, BID = Phase.BAZAAR_PICK, Phase.BAZAAR_BID


def then(game, *moves):
    """Play more moves; after every move, the game must be readable from its own text."""
    for move in each(moves):
        game.apply(move)
        if not game.is_over:
            reread(game)
    return game


def to_place(game):
    """Return seat, part and tile to place; the part is ``drawn``, ``bought`` or ``second``."""
    if game.phase != Phase.PLACE_TILE:
        return None
    position = game.position()
    part = "bought" if position.is_bought else "drawn"
    part = part if position.first_part is None else "second"
    return f"{SEATS[game.turn_player]} {part} {game.tile_in_hand}"


def follow(game, *placements):
    """Place tiles without figures; each placement begins with the text of :func:`to_place`."""
    for placement in each(placements):
        *start, cell, rotation = placement.split()
        assert to_place(game) == " ".join(start)
        then(game, f"{start[-1]} {cell} {rotation}; pass")
    return game


def share_out(game):
    """Hold an auction without overbidding: each chooser gets the first tile for nothing."""
    while game.phase == PICK:
        then(game, min(names(game)), "bid 0")
        while game.phase == BID:
            then(game, "pass")
    return game


def first_part(game):
    return game.position().first_part


# Bazaars.

#: A's builder is in the city, B's is on the road.
BOTH = ("bg-cap-straight 0,0 r0: A meeple N, A builder N, B meeple E, B builder E",)
ONLY_A = ("bg-cap-straight 0,0 r0: A meeple N, A builder N",)
ONLY_B = ("bg-cap-straight 0,0 r0: B meeple E, B builder E",)

#: Tiles for a bazaar that is not played to its end.
MORE = ("bg-monastery", "bg-curve", "bg-cap", "bg-junction", "bg-corner")


def bazaar_of_a(tiles, *bag, place="bcb-bazaar 0,1 r0", rules=BAZAARS, n_players=3):
    """Let A place a bazaar tile, by default one that extends nothing."""
    text = position(tiles, turn=f"A places {place.split()[0]}", rules=rules, n_players=n_players)
    return then(play(text, bag=bag), place, "pass")


EXTENDING = "bcb-span-bazaar 0,-1 r0"


@pytest.mark.rule("TRA-07")
def test_baz_15_a_bought_tile_may_bring_a_second_part_before_the_next_player_places():
    bag = ("bg-straight", "bg-cap", "bg-monastery", "bg-monastery", "bg-curve", "bg-curve")
    game = share_out(bazaar_of_a(ONLY_B, *bag))
    follow(game, "B bought bg-straight 1,0 r0")
    assert to_place(game) == "B second bg-monastery"
    assert {"second part 1,0", "bazaar A: bg-cap C, bg-monastery A"} <= headers(game)
    assert "bought" not in headers(game)
    assert game.n_tiles_left == 2
    then(game, "bg-monastery 0,2 r0; meeple mid")
    assert "B meeple 0,2 mid" in figures(game)
    follow(
        game,
        "C bought bg-cap 0,3 r2; A bought bg-monastery 1,1 r0",
        "B drawn bg-curve -1,1 r1; C drawn bg-curve 2,0 r1",
    )


@pytest.mark.rule("BAZ-23")
def test_baz_15_so_it_does_where_tiles_are_taken():
    bag = ("bg-straight", "bg-cap", "bg-monastery", "bg-monastery", "bg-curve", "bg-curve")
    game = bazaar_of_a(ONLY_B, *bag, rules=TAKE)
    then(game, "pick 1")
    follow(game, "B bought bg-straight 1,0 r0", "B second bg-monastery 0,2 r0")
    assert decision(game) == (PICK, "C")
    then(game, "pick 1")
    follow(game, "C bought bg-cap 0,3 r2")
    then(game, "pick 1")
    follow(game, "A bought bg-monastery 1,1 r0", "B drawn bg-curve -1,1 r1")


@pytest.mark.rule("TRA-07", "TRA-08")
def test_baz_15_not_by_the_tile_of_another_player_and_not_twice():
    # C extends B's road; B extends it with the tiles of both parts.
    bag = ("bg-straight", "bg-straight", "bg-monastery", "bg-straight", "bg-curve", "bg-curve")
    game = share_out(bazaar_of_a(ONLY_B, *bag))
    follow(
        game,
        "B bought bg-straight 1,0 r0",
        "B second bg-straight 2,0 r0",
        "C bought bg-straight 3,0 r0; A bought bg-monastery 0,2 r0",
        "B drawn bg-curve 4,0 r1",
        "B second bg-curve -1,1 r1",
    )


@pytest.mark.rule("BAZ-14", "TRA-09", "TRA-06")
def test_baz_15_the_bought_tile_may_complete_the_builders_feature():
    tiles = ("bg-cap-straight 0,0 r0: B meeple N, B builder N",)
    bag = ("bg-cap", "bg-curve", "bg-monastery", "bg-monastery", "bg-curve")
    game = share_out(bazaar_of_a(tiles, *bag))
    follow(game, "B bought bg-cap 0,-1 r2")
    assert (game.scores, builders(game, "B")) == ((0, 4, 0), 1)
    follow(game, "B second bg-monastery 0,2 r0", "C bought bg-curve -1,1 r1")


@pytest.mark.rule("BAZ-17")
def test_baz_15_a_bought_bazaar_tile_may_extend_too():
    bag = ("bcb-roads-bazaar", "bg-cap", "bg-curve", "bg-monastery", "bg-monastery")
    game = share_out(bazaar_of_a(ONLY_B, *bag))
    follow(
        game,
        "B bought bcb-roads-bazaar 1,0 r0",
        "B second bg-monastery 0,2 r0",
        "C bought bg-cap 0,3 r2; A bought bg-curve -1,1 r1",
        "B drawn bg-monastery 1,1 r0",
    )


@pytest.mark.rule("BAZ-18", "BAZ-27")
def test_baz_15_a_tile_drawn_for_a_bought_one_may_extend_and_its_bazaar_is_delayed():
    tiles = (*ONLY_B, "bg-cap 0,-1 r2")
    bag = ("bg-city4-shield", "bg-cap", "bg-curve", "bcb-roads-bazaar", "bg-monastery", *MORE)
    game = share_out(bazaar_of_a(tiles, *bag))
    follow(game, "B drawn bcb-roads-bazaar 1,0 r0")
    assert game.position().delayed == (1,)
    follow(
        game, "B second bg-monastery 0,2 r0", "C bought bg-cap 0,3 r2; A bought bg-curve -1,1 r1"
    )
    assert (decision(game), game.position().bazaar.starter) == ((PICK, "C"), 1)


@pytest.mark.rule("BAZ-15", "BAZ-26")
def test_baz_18_a_bazaar_tile_of_a_second_part_starts_one_after_the_round():
    bag = (
        *("bg-straight", "bg-cap", "bg-monastery"),
        "bcb-road-bazaar-inn",
        *("bg-monastery", "bg-curve", "bg-straight"),
        *("bg-monastery", "bg-curve"),
    )
    game = share_out(bazaar_of_a(ONLY_B, *bag))
    follow(game, "B bought bg-straight 1,0 r0", "B second bcb-road-bazaar-inn 0,2 r0")
    assert (to_place(game), game.position().delayed) == ("C bought bg-cap", (1,))
    follow(game, "C bought bg-cap 0,3 r2; A bought bg-monastery 1,1 r0")
    bazaar = game.position().bazaar
    assert (decision(game), bazaar.starter, bazaar.resumes) == ((PICK, "C"), 1, 0)
    share_out(game)
    follow(
        game,
        "C bought bg-monastery -1,1 r0",
        "A bought bg-curve -1,2 r3",
        "B bought bg-straight 2,0 r0",  # a turn of its own
        "B second bg-monastery 1,2 r0",
        "B drawn bg-curve 3,0 r1",
    )


@pytest.mark.rule("BAZ-18")
def test_baz_19_bazaars_of_two_second_parts_follow_in_turn_order():
    tiles = ("bg-cap-straight 0,0 r0: B meeple E, B builder E, C meeple N, C builder N",)
    bag = (
        *("bg-straight", "bg-span", "bg-curve"),
        *("bcb-road-bazaar-inn", "bcb-span-bazaar"),
        *MORE,
        "bg-curve",
    )
    game = share_out(bazaar_of_a(tiles, *bag))
    follow(
        game,
        "B bought bg-straight 1,0 r0",
        "B second bcb-road-bazaar-inn 0,2 r0",
        "C bought bg-span 0,-1 r0",
        "C second bcb-span-bazaar 0,-2 r0",
    )
    assert game.position().delayed == (1, 2)
    follow(game, "A bought bg-curve -1,1 r1")
    assert (decision(game), game.position().delayed) == ((PICK, "C"), (2,))
    assert game.position().bazaar.starter == 1


@pytest.mark.rule("TRA-07")
def test_baz_20_the_bazaar_and_its_round_come_before_the_second_part():
    bag = ("bg-monastery", "bg-monastery", "bg-straight", "bg-monastery", "bg-curve", "bg-curve")
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING)
    assert decision(game) == (PICK, "B")
    assert (game.position().bazaar.owed, first_part(game)) == ((0, -1), None)
    assert "owed 0,-1" in headers(game)
    share_out(game)
    follow(
        game,
        "B bought bg-monastery 0,1 r0; C bought bg-monastery 0,2 r0",
        "A bought bg-straight 1,0 r0",
    )
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -1))
    assert game.position().bazaar is None
    assert not any(header.startswith("owed") for header in headers(game))
    follow(game, "A second bg-monastery 0,3 r0", "B drawn bg-curve 2,0 r1; C drawn bg-curve 1,1 r3")


@pytest.mark.rule("BAZ-23")
def test_baz_20_so_it_is_where_tiles_are_taken():
    bag = ("bg-monastery", "bg-monastery", "bg-straight", "bg-monastery", "bg-curve")
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=TAKE)
    for seat, placement in (
        ("B", "B bought bg-monastery 0,1 r0"),
        ("C", "C bought bg-monastery 0,2 r0"),
        ("A", "A bought bg-straight 1,0 r0"),
    ):
        assert decision(game) == (PICK, seat)
        follow(then(game, "pick 1"), placement)
    follow(game, "A second bg-monastery 0,3 r0", "B drawn bg-curve 2,0 r1")


@pytest.mark.rule("BAZ-18", "BAZ-19")
def test_baz_20_delayed_bazaars_come_before_the_second_part_too():
    bag = (
        *("bg-straight", "bg-monastery", "bg-curve"),
        "bcb-road-bazaar-inn",
        *("bg-monastery", "bg-curve", "bg-straight"),
        *("bg-monastery", "bg-monastery", "bg-curve"),
    )
    game = share_out(bazaar_of_a(BOTH, *bag, place=EXTENDING))
    follow(
        game,
        "B bought bg-straight 1,0 r0",
        "B second bcb-road-bazaar-inn 0,1 r0",
        "C bought bg-monastery 0,2 r0; A bought bg-curve 2,0 r1",
    )
    bazaar = game.position().bazaar
    assert (decision(game), bazaar.starter, bazaar.resumes) == ((PICK, "C"), 1, 0)
    assert bazaar.owed == (0, -1)
    share_out(game)
    follow(
        game,
        "C bought bg-monastery 0,3 r0; A bought bg-curve -1,1 r3; B bought bg-straight -1,0 r0",
        "B second bg-monastery 1,1 r0; A second bg-monastery 1,2 r0",
        "B drawn bg-curve 1,3 r3",
    )


@pytest.mark.rule("BAZ-01")
def test_baz_20_a_bazaar_tile_drawn_in_the_owed_part_starts_its_own_bazaar():
    bag = (
        *("bg-monastery", "bg-monastery", "bg-straight"),
        "bcb-bazaar",
        *("bg-monastery", "bg-curve", "bg-cap"),
        "bg-curve",
    )
    game = share_out(bazaar_of_a(ONLY_A, *bag, place=EXTENDING))
    follow(
        game,
        "B bought bg-monastery 0,1 r0; C bought bg-monastery 0,2 r0",
        "A bought bg-straight 1,0 r0",
        "A second bcb-bazaar 0,3 r0",
    )
    bazaar = game.position().bazaar
    assert (decision(game), bazaar.starter, bazaar.resumes) == ((PICK, "B"), 0, 0)
    assert (bazaar.owed, first_part(game)) == (None, None)
    share_out(game)
    follow(
        game,
        "B bought bg-monastery 1,1 r0; C bought bg-curve 2,0 r1; A bought bg-cap 0,4 r2",
        "B drawn bg-curve -1,1 r1",
    )


@pytest.mark.rule("BAZ-21", "BAZ-01", "TRA-08")
@pytest.mark.parametrize("rules", [BAZAARS, FIRST])
def test_baz_20_a_bazaar_tile_in_the_second_part_of_a_plain_turn(rules):
    tiles = ("bg-cap-straight 0,0 r0: A meeple E, A builder E",)
    text = position(tiles, turn="A places bg-straight", rules=rules, n_players=3)
    bag = ("bcb-roads-bazaar", "bg-monastery", "bg-curve", "bg-cap", "bg-curve")
    game = then(play(text, bag=bag), "bg-straight 1,0 r0; pass")
    # It extends the road again, but there is no third part.
    follow(game, "A second bcb-roads-bazaar 2,0 r0")
    assert (decision(game), game.position().bazaar.owed) == ((PICK, "B"), None)
    share_out(game)
    follow(
        game,
        "B bought bg-monastery 0,1 r0; C bought bg-curve 1,1 r3; A bought bg-cap 0,2 r2",
        "B drawn bg-curve -1,1 r1",
    )


@pytest.mark.rule("BAZ-21", "BAZ-16")
@pytest.mark.parametrize("rules", [BAZAARS, FIRST])
def test_baz_20_without_enough_tiles_for_a_bazaar_the_second_part_follows_at_once(rules):
    bag = ("bg-monastery", "bg-curve")
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=rules)
    assert game.position().bazaar is None
    follow(game, "A second bg-monastery 0,1 r0", "B drawn bg-curve 1,0 r1")
    assert game.is_over


@pytest.mark.rule("BAZ-21", "TRA-08")
@pytest.mark.parametrize("rules", [BAZAARS, FIRST])
def test_baz_20_a_bazaar_tile_that_extends_nothing_brings_no_second_part(rules):
    bag = ("bg-monastery", "bg-curve", "bg-straight", "bg-curve")
    game = bazaar_of_a(ONLY_A, *bag, rules=rules)
    assert (decision(game), game.position().bazaar.owed) == ((PICK, "B"), None)
    share_out(game)
    follow(
        game,
        "B bought bg-monastery 0,2 r0; C bought bg-curve -1,1 r1; A bought bg-straight 1,0 r0",
        "B drawn bg-curve 2,0 r1",
    )


@pytest.mark.rule("TRA-06", "TRA-09")
def test_baz_20_the_second_part_is_owed_although_the_builder_has_gone_home():
    # B completes the city in the bazaar round.
    bag = ("bg-cap", "bg-monastery", "bg-straight", "bg-monastery", "bg-curve")
    game = share_out(bazaar_of_a(ONLY_A, *bag, place=EXTENDING))
    follow(game, "B bought bg-cap 0,-2 r2")
    assert (game.scores, builders(game, "A")) == ((6, 0, 0), 1)
    follow(
        game,
        "C bought bg-monastery 0,1 r0; A bought bg-straight 1,0 r0",
        "A second bg-monastery 0,2 r0",
        "B drawn bg-curve 2,0 r1",
    )


@pytest.mark.rule("BAZ-22", "TRA-08")
def test_baz_20_neither_of_two_second_parts_brings_another_one():
    # The bazaar tile, the bought tile and the tiles of both second parts all extend the city.
    bag = (
        *("bg-monastery", "bg-curve", "bg-span"),
        *("bg-span-shield", "bg-span-shield", "bg-curve"),
    )
    game = share_out(bazaar_of_a(ONLY_A, *bag, place=EXTENDING))
    follow(
        game,
        "B bought bg-monastery 0,1 r0; C bought bg-curve 1,0 r1; A bought bg-span 0,-2 r0",
        "A second bg-span-shield 0,-3 r0; A second bg-span-shield 0,-4 r0",
        "B drawn bg-curve 1,1 r3",
    )


@pytest.mark.rule("BAZ-22", "TRA-08")
@pytest.mark.parametrize("rules", [BAZAARS, FIRST])
def test_baz_20_a_builder_who_came_with_the_bazaar_tile_waits_for_the_bought_one(rules):
    bag = ("bg-monastery", "bg-curve", "bg-span", "bg-monastery", "bg-curve")
    game = then(
        played(
            ("bg-cap-straight 0,0 r0: A meeple N",),
            turn="A places bcb-span-bazaar",
            rules=rules,
            n_players=3,
            bag=bag,
        ),
        EXTENDING,
        "builder N",
    )
    assert (decision(game), game.position().bazaar.owed) == ((PICK, "B"), None)
    follow(
        share_out(game),
        "B bought bg-monastery 0,1 r0; C bought bg-curve 1,0 r1; A bought bg-span 0,-2 r0",
        "A second bg-monastery 0,2 r0",
        "B drawn bg-curve 1,1 r3",
    )


@pytest.mark.rule("TRA-07")
def test_baz_21_the_second_part_comes_before_the_tiles_are_turned_up():
    bag = ("bg-monastery", "bg-cap", "bg-straight", "bg-monastery", "bg-curve", "bg-curve")
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=FIRST)
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -1))
    assert (game.position().bazaar.waits, game.n_tiles_left) == (True, 2)
    assert "bazaar A waits: bg-monastery, bg-cap, bg-straight" in headers(game)
    follow(game, "A second bg-monastery 0,1 r0")
    assert (decision(game), game.position().bazaar.waits) == ((PICK, "B"), False)
    assert [lot.tile for lot in game.position().bazaar.offer] == list(bag[:3])
    share_out(game)
    follow(
        game,
        "B bought bg-monastery 0,2 r0; C bought bg-cap 0,3 r2; A bought bg-straight 1,0 r0",
        "B drawn bg-curve 2,0 r1; C drawn bg-curve 1,1 r3",
    )


@pytest.mark.rule("BAZ-23")
def test_baz_21_so_it_is_where_tiles_are_taken():
    bag = ("bg-monastery", "bg-cap", "bg-straight", "bg-monastery", "bg-curve")
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=f"{FIRST}, bazaar_mode: take")
    follow(game, "A second bg-monastery 0,1 r0")
    for placement in (
        "B bought bg-monastery 0,2 r0",
        "C bought bg-cap 0,3 r2",
        "A bought bg-straight 1,0 r0",
    ):
        assert decision(game) == (PICK, placement[0])
        follow(then(game, "pick 1"), placement)
    follow(game, "B drawn bg-curve 2,0 r1")


@pytest.mark.rule("BAZ-18", "TRA-08")
@pytest.mark.parametrize("second", ["bcb-bazaar 0,1 r0", "bcb-city4-bazaar 0,-2 r0"])
def test_baz_21_a_bazaar_tile_of_that_second_part_is_delayed(second):
    # The tile ``bcb-city4-bazaar`` extends the city again.
    tile = second.split()[0]
    bag = (
        *("bg-curve", "bg-curve", "bg-straight"),
        tile,
        *("bg-monastery", "bg-curve", "bg-junction"),
        "bg-curve",
    )
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=FIRST)
    follow(game, f"A second {second}")
    bazaar = game.position().bazaar
    assert (decision(game), bazaar.starter, game.position().delayed) == ((PICK, "B"), 0, (0,))
    assert [lot.tile for lot in bazaar.offer] == list(bag[:3])
    share_out(game)
    follow(
        game, "B bought bg-curve -1,0 r2; C bought bg-curve 1,0 r1; A bought bg-straight 1,-1 r1"
    )
    bazaar = game.position().bazaar
    assert (decision(game), bazaar.starter, bazaar.resumes) == ((PICK, "B"), 0, 0)
    assert game.position().delayed == ()
    assert [lot.tile for lot in bazaar.offer] == list(bag[4:7])
    share_out(game)
    follow(
        game,
        "B bought bg-monastery 1,1 r0; C bought bg-curve 2,0 r3; A bought bg-junction 2,1 r3",
        "B drawn bg-curve 2,2 r2",
    )


@pytest.mark.rule("BAZ-15", "BAZ-20")
def test_baz_22_bazaar_first_the_part_of_the_bought_tile_comes_at_once_then_the_owed_one():
    bag = (*("bg-monastery", "bg-curve", "bg-span"), *("bg-monastery", "bg-monastery", "bg-curve"))
    game = share_out(bazaar_of_a(ONLY_A, *bag, place=EXTENDING))
    follow(game, "B bought bg-monastery 0,1 r0; C bought bg-curve 1,0 r1; A bought bg-span 0,-2 r0")
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -2))
    assert {"second part 0,-2", "owed 0,-1", "bazaar A:"} <= headers(game)
    follow(game, "A second bg-monastery 0,2 r0")
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -1))
    follow(game, "A second bg-monastery 0,3 r0", "B drawn bg-curve 1,1 r3")


@pytest.mark.rule("BAZ-15", "BAZ-21")
def test_baz_22_builder_first_the_part_of_the_bought_tile_is_the_second_one():
    bag = (*("bg-monastery", "bg-curve", "bg-span"), *("bg-monastery", "bg-monastery", "bg-curve"))
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=FIRST)
    follow(game, "A second bg-monastery 0,1 r0")
    share_out(game)
    follow(game, "B bought bg-monastery 0,2 r0; C bought bg-curve 1,0 r1; A bought bg-span 0,-2 r0")
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -2))
    follow(game, "A second bg-monastery 0,3 r0", "B drawn bg-curve 1,1 r3")


@pytest.mark.rule("BAZ-18", "BAZ-20")
def test_baz_22_a_bazaar_tile_of_the_first_of_both_parts_comes_before_the_owed_one():
    bag = (
        *("bg-monastery", "bg-curve", "bg-span"),
        "bcb-bazaar",
        *("bg-monastery", "bg-curve", "bg-cap"),
        *("bg-monastery", "bg-curve"),
    )
    game = share_out(bazaar_of_a(ONLY_A, *bag, place=EXTENDING))
    follow(
        game,
        "B bought bg-monastery 0,1 r0; C bought bg-curve 1,0 r1; A bought bg-span 0,-2 r0",
        "A second bcb-bazaar 0,2 r0",
    )
    bazaar = game.position().bazaar
    assert (decision(game), bazaar.starter, bazaar.owed) == ((PICK, "B"), 0, (0, -1))
    share_out(game)
    follow(
        game,
        "B bought bg-monastery 0,3 r0; C bought bg-curve 1,1 r3; A bought bg-cap 0,4 r2",
        "A second bg-monastery -1,2 r0",
        "B drawn bg-curve -1,1 r1",
    )


@pytest.mark.parametrize("rules", [BAZAARS, FIRST])
@pytest.mark.parametrize("n_players", [2, 6])
def test_baz_22_any_number_of_players(n_players, rules):
    # Every player but A has a curve, which does not extend A's city.
    others = ["bg-curve"] * (n_players - 1)
    bag = (*others, "bg-span", "bg-monastery", "bg-monastery", "bg-curve")
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=rules, n_players=n_players)
    parts = []
    placements = {"bg-monastery": ["0,1 r0", "0,2 r0"], "bg-span": ["0,-2 r0"]}
    placements["bg-curve"] = ["1,0 r1", "-1,0 r2", "1,1 r3", "2,1 r0", "2,2 r2"]
    while game.phase != Phase.GAME_OVER:
        if game.phase == PICK:
            share_out(game)
        words = to_place(game).split()
        parts.append(" ".join(words[:2]))
        if words[1] == "drawn":
            break
        where = placements[words[2]].pop(0)
        then(game, f"{words[2]} {where}; pass")
    bought = [f"{seat} bought" for seat in SEATS[1:n_players]]
    if rules == BAZAARS:
        assert parts == [*bought, "A bought", "A second", "A second", "B drawn"]
    else:
        assert parts == ["A second", *bought, "A bought", "A second", "B drawn"]


@pytest.mark.rule("BAZ-15", "BAZ-22")
@pytest.mark.parametrize("switch", ["allow", "forbid"])
def test_abt_21_an_abbot_of_the_bought_tile_in_the_two_second_parts_that_follow(switch):
    # A places the abbot in the first part of one turn; the last second part belongs to another.
    rules = f"{BAZAARS}, abbot_recall_second_part: {switch}"
    bag = ("bg-monastery", "bg-curve", "bg-corner-garden", "bg-monastery", "bg-monastery")
    game = share_out(bazaar_of_a(ONLY_A, *bag, "bg-curve", place=EXTENDING, rules=rules))
    follow(game, "B bought bg-monastery 0,1 r0; C bought bg-curve 1,0 r1")
    then(game, "bg-corner-garden 0,-2 r1; abbot mid")
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -2))
    then(game, "bg-monastery 0,2 r0")
    assert ("recall" in names(game)) == (switch == "allow")
    then(game, "pass")
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -1))
    then(game, "bg-monastery 0,3 r0; recall")
    assert game.scores == (2, 0, 0)  # the garden's only neighbour is the bazaar tile


# Abbeys in bazaars and at the end.


def ring(figures_there):
    """Return the ring around a hole at (0, 1), with figures on the start tile."""
    return [f"{RING[0]}: {figures_there}", *RING[1:]]


HOLE = f"{ABBEY} 0,1 r0"
QUESTION = {HOLE, "draw"}


@pytest.mark.rule("BAZ-24", "BAZ-15")
@pytest.mark.parametrize("mode", ["auction", "take"])
@pytest.mark.parametrize("choice", ["abbey", "draw"])
def test_abb_19_in_a_second_part_of_the_round_the_abbey_may_be_placed(choice, mode):
    rules = f"{BAZAARS}, abbeys: true, bazaar_mode: {mode}"
    bag = ("bg-straight", "bg-cap", "bg-monastery", "bg-curve", "bg-curve")
    tiles = ring("B meeple E, B builder E")
    game = bazaar_of_a(tiles, *bag, place="bcb-bazaar 0,3 r0", rules=rules)
    if mode == "take":
        then(game, "pick 1")
    else:
        share_out(game)
    assert to_place(game) == "B bought bg-straight"
    assert not any(name.startswith(ABBEY) for name in names(game))
    follow(game, "B bought bg-straight 2,0 r0")
    assert (decision(game), names(game)) == ((Phase.DRAW_OR_ABBEY, "B"), QUESTION)
    assert first_part(game) == (2, 0)
    if choice == "abbey":
        then(game, HOLE, "meeple mid")
        assert (game.scores, game.n_tiles_left) == ((0, 9, 0), 2)
    else:
        follow(then(game, "draw"), "B second bg-curve 3,0 r1")
    # C has bought a tile or takes one, so C is not asked.
    if mode == "take":
        assert decision(game) == (PICK, "C")
        then(game, "pick 1")
    follow(game, "C bought bg-cap 0,4 r2")


THREE_BOUGHT = (
    "B bought bg-monastery 0,3 r0; C bought bg-cap 0,4 r2",
    "A bought bg-monastery 1,3 r0",
)


def asked_for_an_abbey(rules, *more):
    """Play to A's second part at the ring; the bought tiles are placed before or after it."""
    bag = ("bg-monastery", "bg-cap", "bg-monastery", *more)
    tiles, rules = ring("A meeple E, A builder E"), f"{rules}, abbeys: true"
    game = bazaar_of_a(tiles, *bag, place="bcb-roads-bazaar 2,0 r0", rules=rules)
    if game.phase == PICK:
        follow(share_out(game), *THREE_BOUGHT)
    assert (decision(game), names(game)) == ((Phase.DRAW_OR_ABBEY, "A"), QUESTION)
    assert first_part(game) == (2, 0)
    return game


@pytest.mark.rule("BAZ-24", "BAZ-20", "BAZ-21")
@pytest.mark.parametrize("rules", [BAZAARS, FIRST])
def test_abb_19_in_the_starters_second_part_too(rules):
    game = asked_for_an_abbey(rules, "bg-curve", "bg-curve")
    assert game.n_tiles_left == 2
    then(game, HOLE, "meeple mid")
    assert game.scores == (9, 0, 0)
    if rules == FIRST:
        assert decision(game) == (PICK, "B")
        follow(share_out(game), *THREE_BOUGHT)
    follow(game, "B drawn bg-curve 3,0 r1")


@pytest.mark.rule("BAZ-15", "TRA-07")
@pytest.mark.parametrize("n_left", [0, 1])
def test_baz_29_second_parts_of_a_round_that_used_up_the_stack(n_left):
    bag = ("bg-straight", "bg-cap", "bg-monastery", *["bg-monastery"] * n_left)
    game = share_out(bazaar_of_a(ONLY_B, *bag))
    follow(game, "B bought bg-straight 1,0 r0")
    if n_left:
        follow(game, "B second bg-monastery 0,2 r0")
    assert (game.is_over, game.n_tiles_left) == (False, 0)
    follow(game, f"C bought bg-cap 0,{2 + n_left} r2; A bought bg-monastery 1,1 r0")
    assert game.is_over
    assert len(game.position().tiles) == 5 + n_left


@pytest.mark.rule("BAZ-20", "BASE-22")
@pytest.mark.parametrize("n_left", [0, 1])
def test_baz_29_the_owed_part_is_done_if_a_tile_is_left(n_left):
    bag = ("bg-monastery", "bg-monastery", "bg-straight", *["bg-monastery"] * n_left)
    game = share_out(bazaar_of_a(ONLY_A, *bag, place=EXTENDING))
    follow(
        game,
        "B bought bg-monastery 0,1 r0; C bought bg-monastery 0,2 r0",
        "A bought bg-straight 1,0 r0",
    )
    if n_left:
        assert not game.is_over
        follow(game, "A second bg-monastery 0,3 r0")
    assert game.is_over
    assert game.scores == (2, 0, 0)  # two tiles of A's city


@pytest.mark.rule("BAZ-21", "BAZ-16")
@pytest.mark.parametrize("n_left", [0, 1])
def test_baz_29_builder_first_the_tiles_of_the_bazaar_are_not_for_the_second_part(n_left):
    bag = ("bg-monastery", "bg-curve", "bg-straight", *["bg-monastery"] * n_left)
    game = bazaar_of_a(ONLY_A, *bag, place=EXTENDING, rules=FIRST)
    if n_left:
        follow(game, "A second bg-monastery 0,1 r0")
    assert (decision(game), game.n_tiles_left) == ((PICK, "B"), 0)
    share_out(game)
    follow(
        game,
        f"B bought bg-monastery 0,{1 + n_left} r0; C bought bg-curve 1,0 r1",
        "A bought bg-straight -1,0 r0",
    )
    assert game.is_over


@pytest.mark.rule("BAZ-24", "TRA-11", "ABB-19")
@pytest.mark.parametrize("choice", ["abbey", "draw"])
def test_baz_29_the_abbey_may_be_placed_in_a_second_part_without_tiles(choice):
    bag = ("bg-straight", "bg-cap", "bg-monastery")
    tiles = ring("B meeple E, B builder E")
    rules = f"{BAZAARS}, abbeys: true"
    game = share_out(bazaar_of_a(tiles, *bag, place="bcb-bazaar 0,3 r0", rules=rules))
    follow(game, "B bought bg-straight 2,0 r0")
    assert (decision(game), names(game)) == ((Phase.DRAW_OR_ABBEY, "B"), QUESTION)
    assert game.position().last_round is None
    then(game, *((HOLE, "meeple mid") if choice == "abbey" else ("draw",)))
    follow(game, "C bought bg-cap 0,4 r2; A bought bg-monastery 1,3 r0")
    order = []
    while not game.is_over:
        order.append(decision(game))
        then(game, "draw")
    expected = [] if choice == "abbey" else list("BCA")
    assert order == [(Phase.DRAW_OR_ABBEY, seat) for seat in expected]


@pytest.mark.rule("BAZ-20", "BAZ-21", "TRA-11", "ABB-20")
@pytest.mark.parametrize("rules", [BAZAARS, FIRST])
@pytest.mark.parametrize("choice", ["abbey", "draw"])
def test_baz_29_so_it_may_in_the_starters_second_part(choice, rules):
    game = asked_for_an_abbey(rules)
    assert game.position().last_round is None
    then(game, *((HOLE, "pass") if choice == "abbey" else ("draw",)))
    if rules == FIRST:
        follow(share_out(game), *THREE_BOUGHT)
    order = []
    while not game.is_over:
        order.append((SEATS[game.decider], game.position().last_round))
        then(game, "draw")
    assert order == ([] if choice == "abbey" else [("B", 2), ("C", 1), ("A", 0)])


@pytest.mark.rule("ABB-18", "ABB-20")
@pytest.mark.parametrize("endgame", ["one_round", "until_blocked", "none"])
def test_tra_11_after_the_last_land_tile_the_abbey_may_be_placed(endgame):
    rules = f"{ABBEYS}, abbey_endgame: {endgame}"
    text = position(ring("A meeple E, A builder E"), turn="A places bg-straight", rules=rules)
    game = then(play(text, bag=()), "bg-straight 2,0 r0; pass")
    assert (decision(game), names(game)) == ((Phase.DRAW_OR_ABBEY, "A"), QUESTION)
    assert (first_part(game), game.position().last_round) == ((2, 0), None)
    then(game, HOLE, "meeple mid")
    # No hole is left for B; the road has four tiles.
    assert game.is_over
    assert game.scores == (9 + 4, 0)


@pytest.mark.rule("ABB-20", "ABB-23")
@pytest.mark.parametrize(
    ("endgame", "order"), [("one_round", "BA"), ("until_blocked", "BA"), ("none", "")]
)
def test_tra_11_who_draws_instead_may_be_asked_again_in_the_round_of_abbeys(endgame, order):
    rules = f"{ABBEYS}, abbey_endgame: {endgame}"
    text = position(ring("A meeple E, A builder E"), turn="A places bg-straight", rules=rules)
    game = then(play(text, bag=()), "bg-straight 2,0 r0; pass; draw")
    found = ""
    while not game.is_over and len(found) < 2:
        assert names(game) == QUESTION
        assert first_part(game) is None
        found += SEATS[game.decider]
        then(game, "draw")
    assert found == order


#: Two holes, at (0, 1) and (2, 1), with a road along the north.
TWO_HOLES = (
    "bg-cap-straight 0,0 r0: A meeple E, A builder E",
    *(f"bg-straight {x},0 r0" for x in (-1, 1, 2, 3)),
    *(f"bg-monastery {x},1 r0" for x in (-1, 1, 3)),
    *(f"bg-cap {x},2 r2" for x in (-1, 0, 1, 2)),
    "bg-cap-garden 3,2 r2",
)


@pytest.mark.rule("ABB-20")
@pytest.mark.parametrize(("endgame", "is_over"), [("one_round", False), ("none", True)])
def test_tra_11_after_it_the_others_have_their_round(endgame, is_over):
    rules = f"{ABBEYS}, abbey_endgame: {endgame}"
    text = position(TWO_HOLES, turn="A places bg-curve", rules=rules)
    game = then(play(text, bag=()), "bg-curve 4,0 r1; pass", HOLE, "pass")
    assert game.is_over == is_over
    if not is_over:
        assert (decision(game), names(game)) == (
            (Phase.DRAW_OR_ABBEY, "B"),
            {f"{ABBEY} 2,1 r0", "draw"},
        )
        then(game, f"{ABBEY} 2,1 r0; pass")
        assert game.is_over


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize("abbeys", ["true", "false"])
def test_tra_11_without_a_hole_the_game_is_over(abbeys):
    tiles = ("bg-cap-straight 0,0 r0: A meeple E, A builder E",)
    text = position(tiles, turn="A places bg-straight", rules=f"{BUILDERS}, abbeys: {abbeys}")
    game = then(play(text, bag=()), "bg-straight 1,0 r0; pass")
    assert game.is_over
    assert game.scores == (2, 0)


@pytest.mark.rule("BASE-22")
@pytest.mark.parametrize("abbeys", ["true", "false"])
def test_tra_07_the_game_may_end_with_a_second_part(abbeys):
    rules = f"{BUILDERS}, abbeys: {abbeys}"
    text = position(ring("A meeple E, A builder E"), turn="A places bg-straight", rules=rules)
    game = then(play(text, bag=("bg-monastery",)), "bg-straight 2,0 r0; pass")
    if abbeys == "true":
        then(game, "draw")
    follow(game, "A second bg-monastery 0,3 r0")
    if abbeys == "true":
        # The last land tile is placed in A's turn, so B is the first in the abbey round.
        assert (decision(game), game.position().last_round) == ((Phase.DRAW_OR_ABBEY, "B"), 1)
        then(game, "draw; draw")
    assert game.is_over
    assert game.scores == (4, 0)


# Bridges.


def bridged(tiles, turn, rules="", hand="3:3", more=()):
    rules = ", ".join(filter(None, (f"sets: [base, bridges], bridges: true, {BUILDERS}", rules)))
    return position(tiles, turn=turn, rules=rules, headers=[f"[bridges {hand}]", *more])


ON_THE_ROAD = ("bg-cap-straight 0,0 r0: A meeple E, A builder E",)
LIMITS = ["per_placement", "per_turn"]


@pytest.mark.rule("BRI-03")
@pytest.mark.parametrize("limit", LIMITS)
def test_bri_20_a_second_bridge_in_the_second_part(limit):
    text = bridged(ON_THE_ROAD, "A places bg-straight", f"bridge_limit: {limit}")
    game = play(text, bag=("bg-monastery", "bg-curve", "bg-straight", "bg-monastery"))
    then(game, "bg-straight 1,0 r0; bridge 1,0 NS; pass")
    assert to_place(game) == "A second bg-monastery"
    assert game.position().has_bridged == (limit == "per_turn")
    # Next to the road and the bridge at (1, 0), the monastery needs a bridge.
    needed = {f"bg-monastery {cell} r0" for cell in ("-1,0", "2,0", "1,1", "1,-1")}
    assert names(game) & needed == (needed if limit == "per_placement" else set())
    then(game, "bg-monastery 0,1 r0")
    assert bridges_offered(game) == ({"0,1 EW"} if limit == "per_placement" else set())
    if limit == "per_placement":
        then(game, "bridge 0,1 EW")
        assert (bridges_offered(game), game.stock(0)["bridges"]) == (set(), 1)
    then(game, "pass")
    # The bridge limit starts anew in B's turn and in A's next turn.
    assert (to_place(game), game.position().has_bridged) == ("B drawn bg-curve", False)
    then(game, "bg-curve 2,0 r1; pass; bg-straight -1,0 r0")
    assert bridges_offered(game) >= {"-1,0 NS"}


@pytest.mark.rule("BRI-08")
@pytest.mark.parametrize("limit", LIMITS)
def test_bri_20_a_needed_bridge_of_the_first_part_counts(limit):
    text = bridged(ON_THE_ROAD, "A places bg-monastery", f"bridge_limit: {limit}")
    game = then(play(text, bag=("bg-monastery", "bg-curve")), "bg-monastery 1,0 r0; pass")
    assert (to_place(game), game.stock(0)["bridges"]) == ("A second bg-monastery", 2)
    then(game, "bg-monastery 0,1 r0")
    assert bridges_offered(game) == ({"0,1 EW"} if limit == "per_placement" else set())


@pytest.mark.parametrize("limit", LIMITS)
def test_bri_20_the_bridge_may_be_kept_for_the_second_part(limit):
    text = bridged(ON_THE_ROAD, "A places bg-straight", f"bridge_limit: {limit}")
    game = play(text, bag=("bg-monastery", "bg-curve"))
    then(game, "bg-straight 1,0 r0; pass; bg-monastery 0,1 r0")
    assert bridges_offered(game) == {"0,1 EW"}
    then(game, "bridge 0,1 EW")
    assert bridges_offered(game) == set()
    then(game, "pass")
    assert (to_place(game), game.position().has_bridged) == ("B drawn bg-curve", False)


@pytest.mark.rule("BRI-10")
@pytest.mark.parametrize("limit", LIMITS)
def test_bri_20_so_it_is_with_bridges_after_the_figure(limit):
    rules = f"bridge_limit: {limit}, bridge_timing: any_time_before_scoring"
    text = bridged(ON_THE_ROAD, "A places bg-straight", rules)
    game = play(text, bag=("bg-monastery", "bg-curve"))
    then(game, "bg-straight 1,0 r0; meeple Nw")
    assert decision(game) == (Phase.BRIDGE, "A")
    then(game, "bridge 1,0 NS")
    assert to_place(game) == "A second bg-monastery"
    then(game, "bg-monastery 0,1 r0; meeple mid")
    if limit == "per_placement":
        assert (decision(game), names(game)) == ((Phase.BRIDGE, "A"), {"bridge 0,1 EW", "pass"})
        then(game, "pass")
    assert to_place(game) == "B drawn bg-curve"


@pytest.mark.rule("BAZ-20", "BAZ-22", "BAZ-14")
@pytest.mark.parametrize("limit", LIMITS)
def test_bri_20_bought_tiles_are_turns_and_the_owed_part_belongs_to_the_first(limit):
    rules = f"{BAZAARS}, bridges: true, bridge_limit: {limit}"
    text = position(ONLY_A, turn="A places bcb-span-bazaar", rules=rules, n_players=3)
    bag = ("bg-cap", "bg-curve", "bg-monastery", "bg-monastery", "bg-curve")
    game = then(play(text, bag=bag), EXTENDING, "bridge 0,-1 EW; pass")
    bazaar = game.position().bazaar
    assert (bazaar.owed, bazaar.owed_bridged) == ((0, -1), limit == "per_turn")
    assert ("owed 0,-1 bridged" in headers(game)) == (limit == "per_turn")
    follow(share_out(game), "B bought bg-cap 0,1 r1; C bought bg-curve -1,0 r2")
    then(game, "bg-monastery 0,2 r0")
    assert bridges_offered(game) == {"0,2 EW"}
    then(game, "pass")
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -1))
    then(game, "bg-monastery 0,3 r0")
    expected = {"0,2 EW", "0,3 EW"} if limit == "per_placement" else set()
    assert bridges_offered(game) == expected
    then(game, "pass")
    assert to_place(game) == "B drawn bg-curve"


@pytest.mark.rule("BAZ-22")
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("part", ["bought", "second"])
def test_bri_20_a_bridge_with_the_bought_tile_is_not_one_of_the_owed_part(part, limit):
    # The bought tile extends the city again; A builds a bridge with it or in its second part.
    rules = f"{BAZAARS}, bridges: true, bridge_limit: {limit}"
    text = position(ONLY_A, turn="A places bcb-span-bazaar", rules=rules, n_players=3)
    bag = ("bg-cap", "bg-curve", "bg-span", "bg-monastery", "bg-monastery", "bg-curve")
    game = then(play(text, bag=bag), EXTENDING, "pass")
    follow(share_out(game), "B bought bg-cap 0,1 r1; C bought bg-curve -1,0 r2")
    then(game, "bg-span 0,-2 r0")
    assert bridges_offered(game) >= {"0,-2 EW"}
    then(game, *(("bridge 0,-2 EW", "pass") if part == "bought" else ("pass",)))
    then(game, "bg-monastery 0,2 r0")
    may_build = part == "second" or limit == "per_placement"
    assert bridges_offered(game) == ({"0,2 EW"} if may_build else set())
    then(game, *(("bridge 0,2 EW", "pass") if part == "second" else ("pass",)))
    assert (to_place(game), first_part(game)) == ("A second bg-monastery", (0, -1))
    then(game, "bg-monastery 0,3 r0")
    assert "0,3 EW" in bridges_offered(game)


TRIGGERS = ["tile_must_join", "any_extension"]


@pytest.mark.rule("BRI-08", "TRA-07")
@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize(
    ("tiles", "place", "has_second_part"),
    [
        # A bridge, new or already built, connects the tile to the builder's road.
        (ON_THE_ROAD, "bg-monastery 1,0 r0", True),
        ((*ON_THE_ROAD, "bg-monastery 1,0 r0 bridge EW"), "bg-monastery 2,0 r0", True),
        ((*ON_THE_ROAD, "bg-monastery 1,0 r0 bridge EW"), "bg-straight 2,0 r0", True),
        # The new tile's road is the builder's road, and a bridge beside the tile continues it.
        (
            (
                START_LINE,
                "bg-straight 1,0 r0; bg-straight 2,0 r0",
                "bg-monastery 0,1 r0; bg-monastery-road 2,1 r0: A meeple W, A builder W",
            ),
            "bg-straight 1,1 r0",
            True,
        ),
        # A bridge over the tile or beside it is not part of the builder's road.
        ((*ON_THE_ROAD, "bg-monastery 0,1 r0"), "bg-straight 1,1 r0", False),
        ((*ON_THE_ROAD, "bg-junction 1,0 r0"), "bg-monastery 2,0 r0", False),
    ],
)
def test_bri_23_the_tile_must_become_part_of_the_builders_road(
    tiles, place, has_second_part, trigger
):
    n_built = str(tiles).count("bridge")
    text = bridged(
        tiles,
        f"A places {place.split()[0]}",
        f"builder_bridge_trigger: {trigger}",
        hand=f"3:{3 - n_built}",
    )
    game = then(play(text), place, "pass")
    assert to_place(game).split()[:2] == (["A", "second"] if has_second_part else ["B", "drawn"])


@pytest.mark.rule("BRI-04")
@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("timing", ["before_figure", "any_time_before_scoring"])
@pytest.mark.parametrize("bridge", ["0,1 EW", "0,2 EW"])
def test_bri_23_a_bridge_for_itself_extends_nothing(bridge, timing, trigger):
    text = bridged(
        (*ON_THE_ROAD, "bg-monastery 0,1 r0"),
        "A places bg-monastery",
        f"builder_bridge_trigger: {trigger}, bridge_timing: {timing}",
    )
    game = then(play(text), f"bg-monastery 0,2 r0; bridge {bridge}; pass")
    assert to_place(game).split()[:2] == ["B", "drawn"]


@pytest.mark.rule("BRI-11", "TRA-05")
@pytest.mark.parametrize("trigger", TRIGGERS)
def test_bri_23_a_builder_may_stand_on_a_bridge(trigger):
    tiles = ("bg-cap-straight 0,0 r0: A meeple E",)
    text = bridged(tiles, "A places bg-monastery", f"builder_bridge_trigger: {trigger}")
    game = play(text, bag=("bg-curve", "bg-straight", "bg-curve"))
    then(game, "bg-monastery 1,0 r0")
    assert offered(game, "builder") == {"E"}
    then(game, "builder E")
    assert figures(game) == {"A meeple 0,0 E", "A builder 1,0 E"}
    # The tile and the bridge with which the builder was placed do not count.
    follow(game, "B drawn bg-curve 0,1 r0; A drawn bg-straight 2,0 r0")
    assert to_place(game) == "A second bg-curve"


# Castles.

#: A's town lacks its second half, which also extends the road of A's builder.
TOWN_AND_ROAD = (
    "bg-cap-straight 0,0 r0: A meeple N; bg-straight 1,0 r0",
    "bg-straight 1,-1 r0: A meeple E, A builder E",
    "bg-straight -1,0 r0",
    "bg-monastery-road -1,-1 r2: {rival}",
)
CASTLES = f"castles: true, {BUILDERS}"


@pytest.mark.rule("CAS-12", "CAS-11", "TRA-07")
@pytest.mark.parametrize(
    ("rival", "scores"), [("", (8, 0)), ("B meeple E", (8, 4)), ("B meeple E, B meeple E", (4, 4))]
)
def test_cas_13_the_second_part_scores_a_castle_of_the_first(rival, scores):
    tiles = [line.format(rival=rival).removesuffix(": ") for line in TOWN_AND_ROAD]
    text = position(tiles, turn="A places bg-cap-straight", rules=CASTLES)
    game = play(text, bag=("bg-monastery-road", "bg-curve"))
    then(game, "bg-cap-straight 0,-1 r2; pass")
    assert decision(game) == (Phase.CASTLE, "A")
    then(game, "castle")
    assert (to_place(game), game.scores) == ("A second bg-monastery-road", (0, 0))
    assert figures(game) >= {"A meeple 0,0 N", "A builder 1,-1 E"}
    follow(game, "A second bg-monastery-road 2,-1 r0")
    assert ("A", 4, Kind.CASTLE) in score_log(game)
    assert (game.scores, to_place(game)) == (scores, "B drawn bg-curve")
    assert (figures(game), builders(game, "A")) == (set(), 1)


@pytest.mark.rule("CAS-13", "TRA-09")
def test_cas_12_a_road_completed_by_the_tile_of_the_town_does_not_score_the_castle():
    # The first tile completes the town and a road. The second tile completes a road of five in
    # the fief.
    tiles = [line.format(rival="").removesuffix(": ") for line in TOWN_AND_ROAD]
    tiles += ["bg-monastery-road 2,-1 r0", "bg-junction -2,0 r0"]
    text = position(tiles, turn="A places bg-cap-straight", rules=CASTLES)
    game = play(text, bag=("bg-junction", "bg-curve"))
    then(game, "bg-cap-straight 0,-1 r2; pass; castle")
    assert (to_place(game), game.scores) == ("A second bg-junction", (4, 0))
    assert builders(game, "A") == 1
    follow(game, "A second bg-junction 2,0 r0")
    assert (score_log(game), game.scores) == ([("A", 5, Kind.CASTLE)], (9, 0))


@pytest.mark.rule("TRA-06")
@pytest.mark.parametrize("seat", ["A", "B"])
@pytest.mark.parametrize("choice", ["castle", "score"])
def test_cas_42_a_builder_goes_home_when_the_town_is_turned(choice, seat):
    tiles = ("bg-cap-straight 0,0 r0: A meeple N, A builder N",)
    game = then(played(tiles, turn=f"{seat} places bg-cap", rules=CASTLES), "bg-cap 0,-1 r2; pass")
    assert (decision(game), builders(game, "A")) == ((Phase.CASTLE, "A"), 0)
    then(game, choice)
    assert builders(game, "A") == 1
    assert figures(game) == ({"A meeple 0,0 N"} if choice == "castle" else set())
    assert game.scores == ((0, 0) if choice == "castle" else (4, 0))
    # It is A's second part if A completed the town (TRA-09); otherwise it is A's next turn.
    assert to_place(game).split()[:2] == ["A", "second" if seat == "A" else "drawn"]


@pytest.mark.rule("TRA-05")
def test_cas_42_one_that_came_with_the_tile_of_the_town_too():
    tiles = ("bg-cap-straight 0,0 r0: A meeple N",)
    text = position(tiles, turn="A places bg-cap", rules=CASTLES)
    game = then(play(text), "bg-cap 0,-1 r2; builder S; castle")
    assert (builders(game, "A"), figures(game)) == (1, {"A meeple 0,0 N"})
    assert to_place(game).split()[:2] == ["B", "drawn"]


@pytest.mark.rule("CAS-34", "CAS-37")
@pytest.mark.parametrize(
    ("knights", "choices", "lords"),
    [
        # First, a player in the minority has a builder; then both players have the majority.
        ("A meeple N, A meeple N, B meeple N, B builder N", ["castle"], 2),
        ("A meeple N, A builder N, B meeple N, B builder N", ["castle", "castle"], 2),
        ("A meeple N, A builder N, B meeple N, B builder N", ["castle", "score"], 1),
        ("A meeple N, A builder N, B meeple N, B builder N", ["score", "score"], 0),
    ],
)
def test_cas_42_every_builder_of_the_town_goes_home(knights, choices, lords):
    tiles = (f"bg-cap-straight 0,0 r0: {knights}",)
    text = position(tiles, turn="A places bg-cap", rules=CASTLES)
    game = then(play(text), "bg-cap 0,-1 r2; pass", *choices)
    assert (builders(game, "A"), builders(game, "B")) == (1, 1)
    assert len(game.position().figures) == lords
    has_second_part = "A builder" in knights
    assert to_place(game).split()[:2] == (["A", "second"] if has_second_part else ["B", "drawn"])


@pytest.mark.rule("CAS-24", "TRA-05")
def test_cas_42_no_builder_joins_a_lord():
    # A's castle is complete, so no new tile can be part of it.
    tiles = ("bg-cap-straight 0,0 r0: A meeple N", "bg-cap 0,-1 r2")
    headers = ["[castles 0,0 N]", "[tokens 2:3]"]
    game = played(tiles, "bg-straight 1,0 r0", rules=CASTLES, headers=headers)
    assert offered(game, "builder") == set()


@pytest.mark.rule("TRA-07", "TRA-09")
@pytest.mark.parametrize("choice", ["take -1,0 E", "take 1,-1 S"])
def test_cas_22_a_lord_chooses_before_the_second_part(choice):
    # The tile completes A's road of three and a road of two in the fief of B's castle.
    tiles = (
        "bg-cap-straight 0,0 r0: A meeple E, A builder E",
        "bg-cap 0,-1 r2: B meeple S",
        "bg-monastery-road -1,0 r2",
        "bg-monastery-road 1,-1 r3",
    )
    about = ["[castles 0,0 N]", "[tokens 3:2]"]
    rules = f"{CASTLES}, castle_choice: ask"
    text = position(tiles, turn="A places bg-junction", rules=rules, headers=about)
    game = then(play(text, bag=("bg-cap", "bg-curve")), "bg-junction 1,0 r1; pass")
    assert (decision(game), game.turn_player) == ((Phase.CASTLE_CHOICE, "B"), 0)
    assert "extended" in headers(game)
    assert choice in names(game)
    then(game, choice)
    assert game.scores == (3, 3 if choice.endswith("E") else 2)
    follow(game, "A second bg-cap 2,0 r0", "B drawn bg-curve 3,0 r3")


# Wagons.

#: A road of two tiles whose eastern end is missing.
ROAD = ("bg-cap-straight 0,0 r0: {figures}", "bg-monastery-road -1,0 r2")
WAGONS = f"wagons: true, {BUILDERS}"
END = "bg-monastery-road 1,0 r0"


def road_end(figures_there, *bag, rules=WAGONS, n_players=2):
    """Let A complete the road of three tiles and return the game."""
    tiles = [line.format(figures=figures_there) for line in ROAD]
    text = position(tiles, turn="A places bg-monastery-road", rules=rules, n_players=n_players)
    return then(play(text, bag=bag or None), END, "pass")


@pytest.mark.rule("TRA-06", "TRA-09")
@pytest.mark.parametrize(("adjacency", "moves"), [("C2", []), ("C1", ["to 1,0"])])
def test_wag_04_the_builder_goes_home_and_the_wagon_moves_on(adjacency, moves):
    rules = f"{WAGONS}, wagon_adjacency: {adjacency}"
    game = road_end("A wagon E, A builder E", "bg-curve", "bg-cap", rules=rules)
    assert (decision(game), game.scores) == ((Phase.WAGON, "A"), (3, 0))
    assert (builders(game, "A"), figures(game)) == (1, set())
    assert targets(game) >= {"-1,0 mid", "1,0 mid"}
    assert "extended" in headers(game)
    then(game, *moves, "wagon 1,0 mid")
    assert (to_place(game), figures(game)) == ("A second bg-curve", {"A wagon 1,0 mid"})
    assert "extended" not in headers(game)
    follow(game, "A second bg-curve 0,1 r0", "B drawn bg-cap 2,0 r0")


@pytest.mark.rule("TRA-05", "TRA-07")
def test_wag_15_in_the_second_part_the_builder_may_follow_the_wagon():
    game = road_end("A wagon E, A builder E", "bg-span", "bg-cap", "bg-curve", "bg-straight")
    assert targets(game) == {"-1,0 mid", "1,0 mid", "0,0 N"}
    then(game, "wagon 0,0 N; bg-span 0,-1 r0")
    assert offered(game, "builder") == {"N"}
    then(game, "builder N")
    # The tile with which the builder was placed gives no second part; B completes the city.
    follow(game, "B drawn bg-cap 0,-2 r2")
    assert (decision(game), game.turn_player) == ((Phase.WAGON, "A"), 1)
    assert (game.scores, builders(game, "A")) == ((9, 0), 1)
    then(game, "home")
    assert to_place(game) == "A drawn bg-curve"


@pytest.mark.rule("TRA-07", "TURN-02")
@pytest.mark.parametrize("move", ["wagon 1,0 mid", "wagon 0,0 N", "home"])
def test_wag_11_the_wagon_of_another_player_moves_before_the_second_part(move):
    game = road_end("A meeple E, A builder E, B wagon E", "bg-curve", "bg-cap")
    assert (decision(game), game.turn_player, game.scores) == ((Phase.WAGON, "B"), 0, (3, 3))
    assert {"extended", "turn A moves"} <= headers(game)
    then(game, move)
    assert (to_place(game), first_part(game)) == ("A second bg-curve", (1, 0))
    follow(game, "A second bg-curve 0,1 r0", "B drawn bg-cap 2,0 r0")


@pytest.mark.rule("TRA-07")
def test_wag_11_several_wagons_move_before_it():
    figures_there = "A wagon E, A builder E, B wagon E, B builder E, C wagon E"
    game = road_end(figures_there, "bg-curve", "bg-cap", "bg-curve", n_players=3)
    assert decision(game) == (Phase.WAGON, "A")
    then(game, "wagon 1,0 mid")
    assert (decision(game), targets(game)) == ((Phase.WAGON, "B"), {"-1,0 mid", "0,0 N"})
    then(game, "home")
    assert (decision(game), builders(game, "B")) == ((Phase.WAGON, "C"), 1)
    then(game, "wagon -1,0 mid")
    follow(game, "A second bg-curve 0,1 r0", "B drawn bg-cap 2,0 r0")


@pytest.mark.rule("TRA-07")
def test_wag_11_a_wagon_scored_by_another_player_brings_its_owner_no_second_part():
    tiles = [line.format(figures="B wagon E, B builder E") for line in ROAD]
    text = position(tiles, turn="A places bg-monastery-road", rules=WAGONS)
    game = then(play(text, bag=("bg-curve", "bg-cap")), END, "pass")
    assert (decision(game), "extended" in headers(game)) == ((Phase.WAGON, "B"), False)
    then(game, "wagon 1,0 mid")
    follow(game, "B drawn bg-curve 0,1 r0; A drawn bg-cap 2,0 r0")


@pytest.mark.rule("TRA-09")
def test_wag_10_a_wagon_without_a_target_leaves_the_second_part_as_it_is():
    tiles = (
        "bg-cap-straight 0,0 r0: A wagon E, A builder E, B meeple N",
        "bg-monastery-road -1,0 r2: B meeple mid",
    )
    text = position(tiles, turn="A places bg-city3-gate", rules=WAGONS)
    game = then(play(text, bag=("bg-curve", "bg-cap")), "bg-city3-gate 1,0 r0; meeple N")
    assert (to_place(game), game.scores) == ("A second bg-curve", (3, 0))


@pytest.mark.rule("TRA-08")
def test_wag_12_a_wagon_may_be_scored_in_both_parts():
    # The wagon moves from the road to the city, which the second tile completes.
    game = road_end("A wagon E, A builder E", "bg-cap", "bg-curve")
    then(game, "wagon 0,0 N; bg-cap 0,-1 r2; pass")
    assert (decision(game), game.scores, first_part(game)) == ((Phase.WAGON, "A"), (7, 0), (1, 0))
    assert "extended" not in headers(game)
    then(game, "wagon 1,0 mid")
    assert (to_place(game), figures(game)) == ("B drawn bg-curve", {"A wagon 1,0 mid"})


# Goods.


@pytest.mark.rule("TRA-07")
def test_tra_01_cities_of_both_parts_give_their_goods():
    tiles = (
        "bg-cap-straight 0,0 r0: A meeple N",
        "tb-span-wine 0,-1 r0: A builder N",
        "bg-straight 1,0 r0",
        "tb-span-grain-gate 1,1 r3; bg-cap 2,1 r3",
    )
    rules = f"sets: [base, traders], goods: true, {BUILDERS}"
    game = played(tiles, turn="A places bg-cap", rules=rules, bag=("bg-cap", "bg-curve"))
    then(game, "bg-cap 0,-2 r2; pass")
    assert {good.name: n for good, n in goods_of(game, 0).items() if n} == {"WINE": 1}
    then(game, "bg-cap 0,1 r1; pass")
    assert {good.name: n for good, n in goods_of(game, 0).items() if n} == {"WINE": 1, "GRAIN": 1}
    assert not any(goods_of(game, 1).values())
    assert to_place(game) == "B drawn bg-curve"


@pytest.mark.rule("BAZ-14")
def test_tra_01_a_bought_tile_gives_goods_to_who_places_it():
    tiles = ("bg-cap-straight 0,0 r0: A meeple N", "tb-span-wine 0,-1 r0")
    rules = "sets: [base, traders, bridges], bazaars: true, goods: true"
    bag = ("bg-cap", "bg-monastery", "bg-curve", "bg-curve")
    game = share_out(bazaar_of_a(tiles, *bag, rules=rules))
    follow(game, "B bought bg-cap 0,-2 r2")
    assert [sum(goods_of(game, seat).values()) for seat in range(3)] == [0, 1, 0]
    assert game.scores == (6, 0, 0)


# Everything in one turn.

#: The bazaar tile completes A's town and B's road, and a bridge over it extends A's road.
EVERYTHING = (
    "bg-cap-straight 0,0 r0: A meeple N",
    *(line for line in RING[1:]),
    "bg-monastery-road 1,-1 r0: A meeple W, A builder W",
    "bg-monastery 1,-2 r0; bg-monastery-road 0,-2 r3: B wagon S",
)


@pytest.mark.rule("BAZ-20", "BAZ-21", "BRI-23", "CAS-06")
@pytest.mark.parametrize("order", ["bazaar_first", "builder_first"])
def test_turn_02_abbey_or_draw_bridge_figure_castle_scoring_wagon_bazaar_and_second_part(order):
    rules = (
        "sets: [base, abbey, bridges], builders: true, pigs: true, abbeys: true, mayors: true, "
        "barns: true, wagons: true, bridges: true, castles: true, bazaars: true, "
        f"bazaar_builder_order: {order}"
    )
    bag = ("bcb-cap-road-bazaar", "bg-monastery", "bg-curve", "bg-monastery", "bg-curve")
    game = then(played(EVERYTHING, seat="B", rules=rules, bag=bag), "pass")
    events = []
    for move in (
        "draw",
        "bcb-cap-road-bazaar 0,-1 r2",
        "meeple Nw",
        "castle",
        "wagon 0,-2 mid",
    ):
        events.append((*decision(game), game.scores))
        then(game, move)
    assert events == [
        (Phase.DRAW_OR_ABBEY, "A", (0, 0)),
        (Phase.PLACE_TILE, "A", (0, 0)),
        (Phase.FIGURE, "A", (0, 0)),
        (Phase.CASTLE, "A", (0, 0)),
        (Phase.WAGON, "B", (0, 2)),
    ]
    assert game.stock(0)["bridges"] == 2
    for part in ("bazaar", "second") if order == "bazaar_first" else ("second", "bazaar"):
        if part == "second":
            assert (decision(game), first_part(game)) == ((Phase.DRAW_OR_ABBEY, "A"), (0, -1))
            follow(then(game, "draw"), "A second bg-monastery 0,3 r0")
        else:
            assert decision(game) == (PICK, "B")
            share_out(game)
            follow(game, "B bought bg-monastery 1,3 r0; A bought bg-curve 2,0 r1")
    assert decision(game) == (Phase.DRAW_OR_ABBEY, "B")


#: Rules for games with everything that can happen between the two parts of a turn.
VARIANTS = {
    "bazaar first": (
        "bazaar_builder_order: bazaar_first, bridge_limit: per_turn, bazaar_overbid: forbid"
    ),
    "builder first": (
        "bazaar_builder_order: builder_first, bazaar_mode: take, bazaar_unplaceable: skip, "
        "builder_bridge_trigger: any_extension, bridge_timing: any_time_before_scoring"
    ),
    "builder first, auctions": (
        "bazaar_builder_order: builder_first, bazaar_bid_limit: 3, castle_choice: ask, "
        "bazaar_next_chooser: seller_again, wagon_from_castle: neighbours, "
        "abbot_recall_second_part: forbid"
    ),
}


def choose(game, rng):
    """Return a random action; prefer to place builders, and tiles beside builders."""
    options = {game.name(action): action for action in game.legal_actions()}
    liked = [name for name in options if name.startswith("builder")]
    if game.phase == Phase.PLACE_TILE:
        beside = {
            f"{f.x + dx},{f.y + dy}"
            for f in game.position().figures
            if (f.seat, f.figure) == (game.turn_player, Figure.BUILDER)
            for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0))
        }
        liked = [name for name in options if name != "aside" and name.split()[1] in beside]
    return options[rng.choice(liked or list(options))]


@pytest.mark.rule("BAZ-20", "BAZ-21", "BRI-20")
@pytest.mark.parametrize(
    "variant", [pytest.param(v, marks=[pytest.mark.long][:k]) for k, v in enumerate(VARIANTS)]
)
def test_tra_07_a_game_read_from_its_text_goes_on_in_the_same_way(variant):
    rules = (
        "sets: [base, inns, traders, abbey, bridges], large_meeples: true, inns: true, "
        "builders: true, pigs: true, goods: true, abbeys: true, mayors: true, barns: true, "
        f"wagons: true, bridges: true, castles: true, bazaars: true, {VARIANTS[variant]}"
    )
    rng = random.Random(variant)
    game = played(BOTH, turn="A places bcb-span-bazaar", rules=rules, n_players=3)
    then(game, EXTENDING, "pass")
    readers = []
    seen = set()
    while not game.is_over:
        now = game.position()
        kind = (now.first_part is not None, now.bazaar is not None)
        if any(kind) or now.has_extended:
            seen.add(kind)
        if now.has_extended or (any(kind) and rng.random() < 0.1):
            text = str(game)
            assert parse_position(text) == now
            readers = [*readers[-1:], Game.from_position(parse_position(text))]
        action = choose(game, rng)
        game.apply(action)
        for reader in readers:
            reader.apply(action)
            assert reader.legal_actions() == game.legal_actions()
        if readers:
            assert known(readers[0]) == known(game)
    is_builder_first = "builder_first" in VARIANTS[variant]
    assert {(True, is_builder_first), (False, True)} <= seen
