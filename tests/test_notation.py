"""Positions as text: they survive a round trip, and errors name the line."""

import random
from collections import Counter
from dataclasses import replace
from importlib.resources import files

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from carc_env import Game, Rules, Table
from carc_env.engine.core.codes import Phase
from carc_env.game.notation import _TURN, MAX_LINE, WORDS, format_position, parse_position
from carc_env.game.puzzles import PUZZLE_HEADER, parse_puzzle
from carc_env.game.records import format_record, load_record, parse_record
from carc_env.layout.encodings import make_encoding
from carc_env.systems import QUESTIONS
from carc_env.words import NotationError, split_parts

OPENING = """
[carc_env position 1]
[rules {n_players: 2}]
[scores 12:7]
[turn B places bg-curve]   # a comment
bg-cap-straight 0,0 r0
bg-cap 0,-1 r2: A meeple Nw
bg-monastery 0,1 r0: B abbot mid
"""


def random_game(seed, n_players, n_steps, preset="base", **switches):
    rng = random.Random(seed)
    game = Game(Rules.preset(preset, n_players=n_players, **switches), seed=seed)
    for _ in range(n_steps):
        if game.is_over:
            break
        game.apply(rng.choice(game.legal_actions()))
    return game


def check_round_trip(game):
    """Check that a game survives a round trip, with the same text, actions and standings."""
    position = game.position()
    assert parse_position(format_position(position)) == position
    assert parse_position(str(game)) == position
    again = Game.from_position(position)
    assert again.legal_actions() == game.legal_actions()
    assert list(map(again.name, again.legal_actions())) == list(
        map(game.name, game.legal_actions())
    )
    assert again.standings == game.standings
    assert again.position() == position


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 150))
def test_positions_round_trip_through_text_and_engine(seed, n_players, n_steps):
    game = random_game(seed, n_players, n_steps)
    check_round_trip(game)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.integers(0, 600),
    st.sampled_from(["bazaar_first", "builder_first"]),
    st.booleans(),
)
def test_positions_with_all_sets_round_trip(seed, n_players, n_steps, order, flag):
    switches = {"bazaar_builder_order": order, "auto_single": flag}
    if flag:
        switches |= {"bridge_limit": "per_turn", "builder_bridge_trigger": "any_extension"}
    game = random_game(seed, n_players, n_steps, "all", **switches)
    check_round_trip(game)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.integers(60, 260),
    st.sampled_from(["C1", "C2"]),
    st.booleans(),
)
def test_positions_with_abbey_and_mayor_round_trip(seed, n_players, n_steps, adjacency, flag):
    switches = {"wagon_adjacency": adjacency, "auto_single": flag, "house_wagon_roll": not flag}
    game = random_game(seed, n_players, n_steps, "abbey-mayor", **switches)
    check_round_trip(game)


WAGONS = """
[carc_env position 1]
[rules {n_players: 2, sets: [base, abbey], abbeys: true, wagons: true}]
[scores 2:0]
[abbeys 1:1]
[wagons B 1,0 E]
[turn A moves]
bg-cap-straight 0,0 r0
bg-junction 1,0 r0
bg-monastery-road 2,0 r0
bg-curve -1,0 r3
"""


@pytest.mark.parametrize("adjacency", ["C1", "C2"])
def test_a_wagon_in_the_middle_of_rolling_is_read_and_written(adjacency, n_games):
    rules = Rules.preset("abbey-mayor", wagon_adjacency=adjacency, house_wagon_roll=True)
    n_rolling = 0
    for seed in range(n_games(20)):
        rng, game = random.Random(seed), Game(rules, seed=seed)
        while not game.is_over:
            game.apply(rng.choice(game.legal_actions()))
            if game.phase.name.startswith("WAGON") and game.position().rolled:
                check_round_trip(game)
                n_rolling += 1
    assert n_rolling > 0 or n_games(20) < 20


def test_a_waiting_wagon_is_read_and_written():
    game = Game.from_position(parse_position(WAGONS))
    assert (game.turn_player, game.decider, game.phase.name) == (0, 1, "WAGON")
    assert "home" in [game.name(a) for a in game.legal_actions()]
    assert "[wagons B 1,0 E]" in str(game) and "[turn A moves]" in str(game)


def test_a_position_reads_as_a_person_writes_it():
    game = Game.from_position(parse_position(OPENING))
    assert game.scores == (12, 7)
    assert game.decider == 1 and game.tile_in_hand == "bg-curve"
    assert game.n_tiles_left == 71 - 3
    assert game.legal_actions()


def test_the_seed_shuffles_an_unknown_bag():
    position = parse_position(OPENING)
    bags = [Game.from_position(position, seed=seed).position().bag for seed in (1, 1, 2)]
    assert bags[0] == bags[1] != bags[2]
    assert sorted(bags[0]) == sorted(bags[2])


def broken(old, new):
    return OPENING.strip().replace(old, new)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "expected [carc_env position 1]"),
        (broken("position 1]", "position 2]"), 1, "expected [carc_env position 1]"),
        (broken("n_players: 2", "n_players: 7"), 2, "n_players must be an int from 2 to 6"),
        (broken("n_players: 2", "wizard: 2"), 2, "switch must be one of"),
        (broken("12:7", "12"), 3, "expected 2 numbers"),
        (broken("12:7", "12:x"), 3, "expected 2 numbers"),
        (broken("12:7", "-0:7"), 3, "expected 2 numbers"),
        (broken("12:7", "012:7"), 3, "expected 2 numbers"),
        (broken("12:7", "\u0661\u0662:7"), 3, "expected 2 numbers"),
        (broken("12:7", "9" * 5_000 + ":7"), 3, "expected 2 numbers"),
        (broken("0,-1 r2", "-0,-1 r2"), 6, "expected a tile such as"),
        (broken("0,-1 r2", "0,-\u0661 r2"), 6, "expected a tile such as"),
        (broken("B places bg-curve", "B sleeps"), 4, "expected 'B places bg-cap'"),
        (broken("B places", "C places"), 4, "'C' is none of the seats AB"),
        (broken("0,-1 r2", "0,-1 r4"), 6, "expected a tile such as"),
        (broken("A meeple Nw", "A meeple X"), 6, "expected a figure such as"),
        (broken("A meeple Nw", "A dragon N"), 6, "expected a figure such as"),
        (broken("[scores 12:7]\n", ""), 6, "[scores ...] is missing"),
        (broken("bg-monastery 0,1", "bg-monastery 0,-1"), 7, "a second tile at 0,-1"),
        (broken("[scores 12:7]", "[weather fine]"), 3, "unknown header"),
        (broken("[scores 12:7]", "[scores 12:7]\n[scores 12:7]"), 4, "a second [scores ...]"),
        (
            WAGONS.strip().replace("[wagons B 1,0 E]\n", ""),
            5,
            "[wagons ...] goes with a turn that moves",
        ),
        (WAGONS.strip().replace("B 1,0 E", "B 1,0 X"), 5, "expected a segment such as '3,4 N'"),
        (WAGONS.strip().replace("1:1]", "1]"), 4, "expected 2 numbers"),
        ("\n".join(OPENING.strip().splitlines()[:3]), 3, "[turn ...] is missing; is the text cut"),
    ],
)
def test_text_that_is_not_a_position_is_refused_with_line_and_reason(text, line, reason):
    with pytest.raises(NotationError) as caught:
        parse_position(text)
    assert caught.value.line == line
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (broken("bg-cap 0,-1 r2", "bg-cap 0,-1 r0"), "bg-cap at 0,-1 r0: does not fit"),
        (broken("bg-cap 0,-1 r2", "bg-cap 5,5 r2"), "does not fit"),
        (broken("bg-cap 0,-1 r2", "bg-cap 900,5 r2"), "bg-cap at 900,5 r2: off the table"),
        (
            broken("bg-cap 0,-1 r2", "bg-cap 64,-1 r2"),
            "off the table, on which x and y run from -31",
        ),
        (broken("bg-cap 0,-1 r2", "bg-cap 64000,-1001 r2"), "off the table"),
        (broken("bg-cap 0,-1 r2", f"bg-cap {10**30},-1 r2"), "off the table"),
        (broken("bg-monastery 0,1", "bg-monastery 0,31"), "bg-monastery at 0,31 r0: off the table"),
        (broken("bg-monastery 0,1", "bg-monastery -32,1"), "off the table"),
        (broken("bg-cap 0,-1", "bg-caps 0,-1"), "unknown tile 'bg-caps'"),
        (broken("bg-cap-straight 0,0", "bg-cap-straight 1,0"), "first tile must be"),
        (broken("A meeple Nw", "A meeple N"), "this spot names no segment of the tile"),
        (broken("B abbot mid", "B abbot mid, B abbot mid"), "no abbot is left in the supply"),
        (broken("A meeple Nw", "A abbot Nw"), "not sound"),
        (broken("A meeple Nw", "A meeple S"), "not sound"),  # complete, so already scored
        (broken("places bg-curve", "places bg-city4-shield"), "is in hand but fits nowhere"),
        (broken("[scores", "[bag bg-curve]\n[scores"), "the bag does not hold exactly the tiles"),
        (broken("[scores", "[bag bg-curve]\n[scores"), "missing: 3 bg-cap, "),
        (broken("[scores", "[aside bg-crossroads bg-crossroads]\n[scores"), "1 more than the set"),
    ],
)
@pytest.mark.interpreted
def test_positions_that_break_a_rule_are_refused(text, reason):
    with pytest.raises(ValueError, match=r".") as caught:
        Game.from_position(parse_position(text))
    assert reason in str(caught.value)


@pytest.mark.parametrize("name", ["turn_player", "decider"])
@pytest.mark.parametrize("seat", [-1, 2, 10**9])
def test_seats_that_nobody_has_are_refused_by_name(name, seat):
    position = replace(parse_position(OPENING), **{name: seat})
    with pytest.raises(ValueError, match=f"{name}: there is no seat {seat}"):
        Game.from_position(position)


JUST_COMPLETED = """
[carc_env position 1]
[rules {abbot: false, auto_single: false}]
[scores 0:0]
[turn A acts]
bg-cap-straight 0,0 r0
bg-cap 0,-1 r2: A meeple S
"""
FAR_OFF = JUST_COMPLETED + "bg-straight 1,0 r0\n"


def test_a_feature_that_the_tile_just_placed_completed_waits_to_be_scored():
    game = Game.from_position(parse_position(JUST_COMPLETED))
    game.apply("pass")
    assert game.scores == (4, 0) and game.problems() == 0


BRIDGING = "[rules {sets: [base, bridges], bridges: true, bridge_timing: any_time_before_scoring}]"


@pytest.mark.parametrize("phase", ["acts", "bridges"])
def test_a_complete_feature_that_the_last_tile_does_not_touch_is_refused_by_name(phase):
    text = FAR_OFF.replace("[rules {abbot: false, auto_single: false}]", BRIDGING)
    position = parse_position(text.replace("acts", phase))
    Game.from_position(replace(position, figures=()))
    with pytest.raises(
        ValueError, match=r"UNSCORED.*complete is the city at 0,-1 S, whose figures"
    ):
        Game.from_position(position)


WITH_BARN = """
[carc_env position 1]
[rules {barns: true, auto_single: false}]
[scores 0:0]
[turn A acts]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0
bg-cap 1,1 r2
bg-cap 0,1 r2: A meeple Nw, B barn NE
"""


def test_farmers_beside_a_barn_wait_only_where_the_last_tile_joined_them():
    Game.from_position(parse_position(WITH_BARN))
    text = WITH_BARN + "bg-monastery 1,-1 r0\n"
    with pytest.raises(ValueError, match=r"UNSCORED.*a barn lies in the field at 0,1 "):
        Game.from_position(parse_position(text))


def test_tiles_out_of_the_game_have_no_order():
    """A position does not depend on which of two equal tiles was put aside."""
    rules = Rules(sets=("base", "inns"), auto_single=False)
    bag = list(Game(rules, seed=1).position().bag)
    bag.append(Game(rules, seed=1).tile_in_hand)
    first = ["ic-cathedral", *["bg-cap"] * 3, "bg-city4-shield", "bg-straight", "ic-cathedral"]
    for tile in first:
        bag.remove(tile)
    bag.sort(reverse=True)
    game = Game(rules, draw=[*first, *bag])
    for place in ("ic-cathedral 0,-1 r0", "bg-cap -1,-1 r1", "bg-cap 1,-1 r3", "bg-cap 0,-2 r2"):
        game.apply(place)
        game.apply("pass")
    again = Game.from_position(parse_position(str(game)))
    for twin in (game, again):
        twin.apply("bg-straight 1,0 r0")
        twin.apply("pass")
    assert game.position().aside == ("bg-city4-shield", "ic-cathedral")
    assert str(again) == str(game) and again.position() == game.position()


def test_aside_tiles_are_written_by_name_and_read_in_any_order():
    text = OPENING.strip().replace("[scores", "[aside bg-straight bg-cap]\n[scores")
    position = parse_position(text)
    assert position.aside == ("bg-cap", "bg-straight")
    assert parse_position(format_position(position)) == position
    assert position == parse_position(text.replace("bg-straight bg-cap]", "bg-cap bg-straight]"))
    assert Game.from_position(position).position().aside == position.aside


@pytest.mark.parametrize("score", [10_000, 10_001, 1_000_000, -1_000_000])
@pytest.mark.parametrize("encoding", ["planes", "tokens", "sparse"])
def test_every_score_of_a_position_can_be_observed(score, encoding):
    text = JUST_COMPLETED.replace("0:0", f"{score}:0")
    form = make_encoding(Rules(abbot=False, auto_single=False), encoding)
    game = Game.from_position(parse_position(text))
    assert all(form.space().contains(game.observe(seat, form)) for seat in (0, 1))
    game.apply("pass")
    assert game.scores[0] == score + 4
    assert all(form.space().contains(game.observe(seat, form)) for seat in (0, 1))


def test_a_game_above_ten_thousand_points_is_saved_and_read_back():
    game = Game.from_position(parse_position(JUST_COMPLETED.replace("0:0", "10000:-10000")))
    game.apply("pass")
    table = Table(game.rules)
    table.load_state(game.save_state())
    assert table.scores == (10_004, -10_000)
    assert Game.from_position(game.position()).scores == table.scores


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[abbeys 1:1]", "[abbeys 1:2]", "every seat has 0 to 1"),
        ("[abbeys 1:1]", "[abbeys 1:0]", "every seat has 1 in total"),
        ("B 1,0 E", "B 5,5 E", "no tile lies there"),
        ("bg-curve -1,0 r3", "am-abbey -1,0 r0", "does not fit"),
        ("bg-curve -1,0 r3", "bg-curve -1,0 r3: A barn NE", "no barn is left in the supply"),
        ("bg-curve -1,0 r3", "bg-curve -1,0 r3: A meeple NE", "only barns, stand on corners"),
        ("[turn A moves]", "[turn A moves to 0,0]", "only under wagon_adjacency='C1'"),
        ("[wagons B 1,0 E]", "[wagons B 1,0 E, B 0,0 E]", "two wagons of the same seat wait"),
        ("bg-curve -1,0 r3", "bg-curve -1,0 r3: B wagon E", "not sound"),
        ("[turn A moves]", "[last round 1]\n[turn A moves]", "not sound"),
        ("bg-cap-straight 0,0 r0", "bg-cap-straight 0,0 r2", "must be bg-cap-straight 0,0 r0"),
        ("[scores 2:0]", "[scores 2:99999999999]", "score 99999999999 of seat 1 is out of range"),
        ("wagons: true", "wagons: false", "wagons wait, but the rules have none"),
    ],
)
@pytest.mark.interpreted
def test_positions_of_abbey_and_mayor_that_break_a_rule_are_refused(old, new, reason):
    assert old in WAGONS
    with pytest.raises(ValueError, match=r".") as caught:
        Game.from_position(parse_position(WAGONS.replace(old, new)))
    assert reason in str(caught.value)


def test_without_the_header_everybody_has_an_abbey():
    game = Game.from_position(parse_position(WAGONS.replace("[abbeys 1:1]\n", "")))
    assert (game.stock(0)["abbeys"], game.stock(1)["abbeys"]) == (1, 1)


@pytest.mark.interpreted
def test_nobody_begins_without_an_abbey():
    hole = """
        [carc_env position 1]
        [rules {sets: [base, abbey], abbeys: true}]
        [scores 0:0]
        [abbeys 1:1]
        [turn A begins]
        bg-cap-straight 0,0 r0
        bg-curve -1,0 r3
        bg-curve 1,0 r0
        bg-straight -1,1 r1
        bg-straight 1,1 r1
        bg-curve -1,2 r2
        bg-straight 0,2 r0
        """
    assert Game.from_position(parse_position(hole)).phase == Phase.DRAW_OR_ABBEY
    laid = (
        hole.replace("1:1]", "0:1]").rstrip()
        + "\n        bg-curve 1,2 r1\n        am-abbey 0,1 r0\n"
    )
    with pytest.raises(ValueError, match="TURN"):
        Game.from_position(parse_position(laid))


QUIET = """
[carc_env position 1]
[rules {sets: [base, bridges], bridges: true, bazaars: true}]
[scores 0:0]
[turn A acts]
bg-cap-straight 0,0 r0
bg-monastery 0,1 r0
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[turn", "[bridged]\n[turn", "TURN"),
        ("bridges: true, ", "bridges: false, ", None),
        ("[turn", "[bought]\n[turn", "BAZAAR"),
        ("[turn", "[last round 99999]\n[turn", "last round 99999"),
        ("[turn A acts]", "[turn A bridges]", "cannot occur"),
        ("r0\nbg-mon", "r0 bridge NS\nbg-mon", "does not end on fields"),
        ("0,1 r0", "0,1 r0 bridge EW", "every seat has 3 in total"),
        ("bridges: true, bazaars: true", "bazaars: true", None),
    ],
)
@pytest.mark.interpreted
def test_marks_that_do_not_go_with_the_position_are_refused(old, new, reason):
    assert QUIET.count(old) == 1
    text = QUIET.strip().replace(old, new)
    if reason is None:
        assert Game.from_position(parse_position(text)).phase == Phase.FIGURE
        return
    with pytest.raises(ValueError, match=reason):
        Game.from_position(parse_position(text))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[bridged yes]", "expected [bridged]"),
        ("[castles 0,0]", "expected a castle such as"),
        ("[town B]", "expected a segment such as"),
        ("[bazaar bg-cap]", "expected 'A: bg-cap B, bg-curve'"),
        ("[bazaar A: bg-cap Z]", "expected a tile such as"),
        ("[auction B]", "needs [bazaar ...]"),
        ("[delayed B]", "needs [bazaar ...]"),
        ("[bazaar A: bg-cap]\n[auction B 2]", "there is no tile 2 on offer"),
        ("[bazaar A: bg-cap]\n[auction B two]", "expected 'B', 'B 2'"),
        ("[bazaar A: bg-cap]\n[delayed B, Z]", "expected a seat"),
        ("[tokens 3]", "expected 2 numbers"),
        ("[second 0,1]", "expected [second part 3,4]"),
        ("[extended yes]", "expected [extended]"),
        ("[owed 0,1]", "needs [bazaar ...]"),
        ("[bazaar A: bg-cap]\n[owed here]", "expected [owed 3,4]"),
        ("[wine 1]", "expected 2 numbers"),
        ("[beer 1:0]", "unknown header"),
    ],
)
def test_words_of_bridges_castles_bazaars_and_traders_are_checked(line, reason):
    with pytest.raises(NotationError) as caught:
        parse_position(QUIET.strip().replace("[turn", f"{line}\n[turn"))
    assert reason in str(caught.value)


TRADERS = "sets: [base, traders, bridges], builders: true, pigs: true, goods: true, bazaars: true"
SECOND_PART = f"""
[carc_env position 1]
[rules {{n_players: 3, {TRADERS}}}]
[scores 3:0:0]
[wine 1:0:0]
[second part -1,1]
[turn A places bg-curve]
bg-cap-straight 0,0 r0: A meeple E
bg-straight 1,0 r0: A builder E
bg-cap 1,1 r3
tb-span-wine 0,1 r1
bg-cap -1,1 r1
"""

OWED = "[bazaar A: bg-curve A]\n[owed 0,1]"
BOUGHT = "[bought]\n[turn B places bg-curve]"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[wine 1:0:0]\n", "", None),
        ("[second part -1,1]\n", "", None),
        ("[wine 1:0:0]", "[wine 1:1:0]", "STOCK"),
        ("[wine 1:0:0]", "[wine -1:0:0]", "out of range"),
        ("goods: true", "goods: false", "the rules have none"),
        ("second part -1,1", "second part 5,5", "no tile was placed at 5,5"),
        ("second part -1,1", "second part 0,0", "no tile was placed at 0,0"),
        ("[second part -1,1]", "[extended]", "TURN"),
        ("A places bg-curve", "A acts", "TURN"),
        (
            "[second part -1,1]\n[turn A places bg-curve]",
            "[second part 0,1]\n[turn A acts]",
            None,
        ),
        ("[second part -1,1]", "[second part -1,1]\n[bought]", "TURN"),
        ("[second part -1,1]", "[second part -1,1]\n[bazaar A waits: bg-cap, bg-cap]", "BAZAAR"),
        ("[second part -1,1]", "[bazaar A waits: bg-curve, bg-curve, bg-curve]", "BAZAAR"),
        (
            "[second part -1,1]",
            "[second part -1,1]\n[bazaar A waits: bg-curve, bg-curve, bg-curve]",
            "BAZAAR",
        ),
        ("[second part -1,1]", "[second part 1,1]", "TURN"),
        ("[wine 1:0:0]", "[wine 65536:0:0]", "out of range"),
        ("[second part -1,1]", f"[second part -1,1]\n{OWED}", "BAZAAR"),
        ("[second part -1,1]\n[turn A places bg-curve]", f"{OWED}\n{BOUGHT}", "BAZAAR"),
        (": A builder E", ": B builder E", "FIGURES"),
        (": A builder E", ": A builder E, A builder E", "no builder is left"),
        (": A builder E", ": A pig Nw", "FIGURES"),
        ("builders: true, ", "", "no builder is left"),
    ],
)
@pytest.mark.interpreted
def test_second_parts_that_do_not_go_with_the_position_are_refused(old, new, reason):
    assert SECOND_PART.count(old) == 1
    text = SECOND_PART.strip().replace(old, new)
    if reason is None:
        assert Game.from_position(parse_position(text)).turn_player == 0
        return
    with pytest.raises(ValueError, match=reason):
        Game.from_position(parse_position(text))


AROUND_A_BAZAAR = f"""
[carc_env position 1]
[rules {{{TRADERS}, bridges: true, bridge_limit: per_turn}}]
[scores 3:0]
[bridges 2:3]
[bought]
[bazaar A: bg-curve A]
[owed 0,1 bridged]
[turn B places bg-curve]
bg-cap-straight 0,0 r0: A meeple E
bg-straight 1,0 r0: A builder E
bcb-bazaar 0,1 r0 bridge EW
"""
WAITS = AROUND_A_BAZAAR.replace("per_turn", "per_turn, bazaar_builder_order: builder_first")
WAITS = (
    WAITS.replace("[bought]\n", "")
    .replace("B places", "A places")
    .replace(
        "[bazaar A: bg-curve A]\n[owed 0,1 bridged]",
        "[bazaar A waits: bg-curve, bg-curve]\n[second part 0,1]\n[bridged]",
    )
)


@pytest.mark.parametrize(
    ("text", "old", "new", "is_sound"),
    [
        (AROUND_A_BAZAAR, "[owed 0,1 bridged]", "[owed 0,1 bridged]", True),
        (AROUND_A_BAZAAR, "[owed 0,1 bridged]", "[owed 0,1]", True),
        (AROUND_A_BAZAAR, "[owed 0,1 bridged]", "[owed 1,0]", False),
        (AROUND_A_BAZAAR, "per_turn", "per_placement", False),
        (AROUND_A_BAZAAR, "per_turn", "per_turn, bazaar_builder_order: builder_first", False),
        (AROUND_A_BAZAAR, "builders: true", "large_meeples: true", False),
        (WAITS, "[bridged]", "[bridged]", True),
        (WAITS, "[second part 0,1]", "[second part 1,0]", False),
        (WAITS, "[second part 0,1]\n", "", False),
        (WAITS, "[bridged]", "[owed 0,1]", False),
        (WAITS, "[bridged]", "[delayed B]", False),
        (WAITS, "builder_first", "bazaar_first", False),
        (WAITS, "waits: bg-curve,", "waits: bg-curve B,", False),
    ],
)
@pytest.mark.interpreted
def test_what_follows_or_waits_for_a_bazaar_is_checked(text, old, new, is_sound):
    assert text.count(old) == 1
    position = text.strip().replace(old, new)
    if "large_meeples" in new:
        position = position.replace(": A builder E", "")
    if is_sound:
        assert str(Game.from_position(parse_position(position))).count("0,1") > 1
        return
    with pytest.raises(ValueError, match="not sound"):
        Game.from_position(parse_position(position))


def test_a_bridge_is_built_with_a_placement_even_once_a_turn():
    text = WAITS.replace("[second part 0,1]\n", "").replace(
        "[bazaar A waits: bg-curve, bg-curve]\n", ""
    )
    with pytest.raises(ValueError, match="TURN"):
        Game.from_position(parse_position(text.strip()))


@pytest.mark.parametrize(
    "bag",
    ["bg-cap rv-road-bend rv-lake", "rv-lake rv-road-bend bg-cap", "rv-road-bend bg-cap rv-lake"],
)
def test_a_bag_in_which_the_river_does_not_come_first_is_refused(bag):
    game = Game(Rules.preset("river"), seed=1)
    rest = Counter(game.position().bag) - Counter(bag.split())
    aside = " ".join(rest.elements())
    text = f"""
        [carc_env position 1]
        [rules {{sets: [base, river1]}}]
        [scores 0:0]
        [turn A places {game.tile_in_hand}]
        [aside {aside}]
        [bag {bag}]
        rv-source 0,0 r0
        """
    with pytest.raises(ValueError, match="rv-lake as the last of them"):
        Game.from_position(parse_position(text))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("0,0 N, 5,3 E =8", ["0,0 N", "5,3 E =8"]),
        ("3,-1 N A2, 0,0 E B1", ["3,-1 N A2", "0,0 E B1"]),
        ("3,4 2, 5,6 1 A large", ["3,4 2", "5,6 1 A large"]),
        ("B 3,4 E, E 5,6 mid", ["B 3,4 E", "E 5,6 mid"]),
    ],
)
def test_blanks_separate_parts_that_begin_with_a_cell_or_a_seat_and_a_cell(text, parts):
    assert split_parts(text) == split_parts(text.replace(", ", " ")) == parts


def test_parts_without_a_cell_need_commas():
    assert split_parts("A holds B meeple, B holds A large") == [
        "A holds B meeple",
        "B holds A large",
    ]
    assert split_parts("B 3 3 2") == ["B 3 3 2"]


def test_every_header_has_an_example_that_says_what_it_means():
    text = (files("carc_env.game") / "headers.yaml").read_text("utf-8")
    examples = [e for told in yaml.safe_load(text).values() for e in told]
    assert {example[1:-1].split(" ")[0] for example in examples} == WORDS
    turns = [example[1:-1].partition(" ")[2] for example in examples if example[1:5] == "turn"]
    verbs = {match["verb"] for turn in turns if (match := _TURN.fullmatch(turn))}
    assert len(verbs) == len(turns) and verbs | {"over"} == {q.verb for q in QUESTIONS.values()}


def test_lists_with_commas_or_with_blanks_are_the_same():
    game = Game(seed=1)
    (bag,) = (line for line in str(game).splitlines() if line.startswith("[bag "))
    commas = bag.replace("bag ", "bag,").replace(" ", ", ").replace("bag,", "bag ")
    assert commas.count(",") == game.n_tiles_left - 1
    assert parse_position(str(game).replace(bag, commas)) == game.position()
    commas, blanks = (f"[wagons B 1,0 E{between}A 1,0 W]" for between in (", ", " "))
    written, read = (
        parse_position(WAGONS.replace("[wagons B 1,0 E]", wagons)) for wagons in (commas, blanks)
    )
    assert written == read and len(read.wagons) == 2


def test_commas_may_separate_the_tiles_of_a_record():
    text = format_record(Game(seed=1))
    (line,) = (line for line in text.splitlines() if line.startswith("[draw "))
    tiles = line.removeprefix("[draw ").removesuffix("]").split(" ")
    commas = text.replace(line, f"[draw {', '.join(tiles)}]")
    assert parse_record(commas) == parse_record(text)


@pytest.mark.parametrize("n", [11_000, MAX_LINE + 1, 1_000_000])
def test_long_rules_are_refused_before_they_are_parsed(n, monkeypatch):
    """YAML needs half a minute for a few megabytes, and the server has one thread for such work."""
    monkeypatch.setattr("carc_env.rules.read_yaml", pytest.fail)
    rules = f"{{sets: [{'base,' * (n // 5)}base]}}"
    position = OPENING.replace("{n_players: 2}", rules)
    record = format_record(Game(seed=1)).replace("[rules {}]", f"[rules {rules}]")
    puzzle = f"[{PUZZLE_HEADER}]\n[source nobody]\n{position}"
    for read, text in (
        (parse_position, position),
        (load_record, record),
        (parse_puzzle, puzzle),
        (Rules.from_yaml, rules),
    ):
        with pytest.raises(
            ValueError, match=r"(rules|a line) of \d[\d,]* characters, more than \d"
        ):
            read(text)


@pytest.mark.parametrize("word", ["draw", "players", "unfinished"])
def test_no_line_of_a_record_is_longer_than_we_write(word):
    record = format_record(Game(seed=1), ("Ann", "Ben"))
    with pytest.raises(NotationError, match="a line of 1,00"):
        load_record(record.replace(f"[{word} ", f"[{word} {'1, ' * 333_333}"))


def test_the_longest_lines_of_the_largest_games_are_read():
    """The longest lines are the bag with all sets, and rules that name every switch."""
    rules = Rules.preset("all", n_players=6)
    assert Rules.from_yaml(yaml.safe_dump(rules.to_dict(), indent=8)) == rules
    game = Game(rules, seed=1)
    assert load_record(format_record(game)).draw == game.draw


def test_comments_are_as_long_as_you_like():
    assert parse_position(f"# {'a' * 100_000}\n{OPENING}") == parse_position(OPENING)
