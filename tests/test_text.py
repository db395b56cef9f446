"""Text views, rules in words, and answers of language models."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carc_env import Game, Rules, parse_position
from carc_env.engine.core.codes import Phase
from carc_env.envs.naming import make_agent
from carc_env.envs.text import TextGame, read_answer, read_view, rules_text, text_view, tiles_in
from carc_env.envs.text.view import as_seen
from carc_env.game.table import Table
from carc_env.rules import PRESETS
from carc_env.sets import SETS
from carc_env.web.features import unseen

ROOT = Path(__file__).parents[1]
SLIP = 0.1
"""Proportion of random actions, which lead to unusual positions."""


def positions(rules, n, share=1.0, seed=0):
    """Yield n tables from `value` games with some random actions; keep each with chance `share`."""
    rng, player, number = random.Random(seed), make_agent("value", rules), 0
    while n > 0:
        table = Table(rules, seed=number)
        number += 1
        while n > 0 and not table.is_over:
            if rng.random() < share:
                yield table
                n -= 1
            is_slip = rng.random() < SLIP
            table.step(table.random_action() if is_slip else player.act(table))


def check_is_complete(preset, n, share):
    """Check that `value` decides the same from the text alone as from the whole position."""
    rules = Rules.preset(preset)
    player = make_agent("value", rules)
    n_alike = 0
    for table in positions(rules, n, share):
        text = text_view(table)
        rebuilt, whole = read_view(text, seed=1), Game.from_position(table.position())
        chosen = rebuilt.name(player.act(rebuilt))
        assert chosen == whole.name(player.act(whole)), text
        answer = read_answer(table, f"[[{chosen}]]", strict=True)
        assert answer.action is not None
        n_alike += answer.action == player.act(table)
        assert as_seen(rebuilt.position()) == as_seen(table.position())
        assert unseen(rebuilt.position()) == unseen(table.position())
        for number in range(2):  # bag order, tiles under hills, next token
            other = table.clone()
            other.reshuffle(number)
            other.states[0].rng = number
            assert text_view(other) == text
    # `value` looks at the first figure on a feature, but a position does not record which it was.
    assert n - n_alike <= max(1, n // 100)


@pytest.mark.once
@pytest.mark.parametrize("preset", PRESETS)
def test_the_text_is_complete_and_shows_nothing_hidden(preset):
    check_is_complete(preset, 20, share=0.1)


@pytest.mark.long
@pytest.mark.parametrize("preset", PRESETS)
def test_the_text_is_complete_in_many_positions(preset):
    check_is_complete(preset, 2_000, share=1.0)


def test_face_down_tiles_of_a_bazaar_are_hidden():
    rules = Rules.preset("all", bazaar_builder_order="builder_first")
    n_seen = 0
    for table in positions(rules, 1_500):
        bazaar = table.position().bazaar
        if bazaar is not None and bazaar.waits:
            n_seen += 1
            assert f"[bazaar {'AB'[bazaar.starter]} waits: ?, ?]" in text_view(table)
            assert (
                tiles_in(table.position())
                .keys()
                .isdisjoint(
                    {lot.tile for lot in bazaar.offer}
                    - {t.tile for t in table.position().tiles}
                    - {table.tile_in_hand}
                )
            )
    assert n_seen


def midgame(n_tiles=36, preset=None):
    table, player = Table(preset, seed=3), make_agent("value")
    while table.states[0].n_tiles < n_tiles or table.phase != Phase.PLACE_TILE:
        table.step(player.act(table))
    return table


def test_a_short_view_in_the_middle_of_a_game_has_few_words():
    table = midgame()
    text = text_view(table)
    assert len(text.split()) <= 700
    assert len(text_view(table, known=tiles_in(table.position())).split()) <= 400
    assert "Occupied features" in text_view(table, length="long")


@pytest.mark.long
def test_views_are_fast():
    tables = [table.clone() for table in positions(Rules(), 1_000)]
    times = []
    for _ in range(3):
        began = time.process_time()
        for table in tables:
            text_view(table)
        times.append((time.process_time() - began) / len(tables))
    assert min(times) < 1 / 2_000


def test_only_the_decider_gets_actions_and_every_tile_is_explained_once():
    table = midgame()
    own, other = text_view(table), text_view(table, seat=1 - table.decider)
    assert "rotations after" in own and "rotations after" not in other
    assert other.startswith(f"You are {'AB'[1 - table.decider]}.")
    for tile in tiles_in(table.position()):
        assert own.count(f"\n{tile}: sides") == 1
    assert "sides" not in text_view(table, known=tiles_in(table.position()))
    with pytest.raises(ValueError, match="seat must be 0 to 1"):
        text_view(table, seat=2)
    with pytest.raises(ValueError, match="length must be one of"):
        text_view(table, length="medium")


@pytest.mark.parametrize("preset", ["base", "all", "minis"])
def test_all_legal_actions_are_listed_by_name_or_by_cell(preset):
    for table in positions(Rules.preset(preset), 60, share=0.1):
        game = Game.at(table.rules, table.states)
        told = text_view(table).partition("Question: ")[2]
        for name in map(game.name, table.legal_actions()):
            tile, _, place = name.partition(" ")
            cell, _, turn = place.partition(" ")
            in_full = any(name in line.split(": ")[-1].split(", ") for line in told.splitlines())
            groups = [group.split() for line in told.splitlines() for group in line.split("; ")]
            grouped = any(words[:1] == [cell] and turn in words[1:] for words in groups)
            assert in_full or (f"Place {tile} at" in told and grouped), (name, told)


# The rules in words.


@pytest.mark.parametrize("preset", PRESETS)
def test_the_rules_explain_all_that_occurs(preset):
    rules = Rules.preset(preset)
    told = rules_text(rules)
    for table in positions(rules, 50, share=0.2):
        game = Game.at(rules, table.states)
        headers = [line for line in str(game).splitlines() if line.startswith("[")]
        words = {line[1:-1].split(" ")[0] for line in headers} - {"carc_env", "bag"}
        assert [word for word in words if f"`[{word}" not in told] == []
        names = [game.name(action) for action in table.legal_actions()]
        if table.phase not in (Phase.PLACE_TILE, Phase.DRAW_OR_ABBEY):
            # The question names the words for accepting, declining and passing.
            asked = ("castle", "score", "buy", "sell", "grow", "herd", "home", "stay")
            firsts = {name.split(" ")[0] for name in names}.difference(asked)
            assert [word for word in firsts if f"`{word}" not in told] == []


def test_each_room_has_a_short_text():
    base = (ROOT / "carc_env/systems/prompt.txt").read_text("utf-8")
    assert len(base.split()) <= 800
    n_words = Counter()
    for room in SETS:
        text = ROOT.joinpath("carc_env/sets", *room.split("."), "prompt.txt").read_text("utf-8")
        assert text.startswith("## ") and len(text.split()) <= 200, room
        n_words[room.split(".")[0]] += len(text.split())
    assert min(n_words.values()) >= 100 and len(n_words) == 34


def test_the_rules_name_switches_that_differ_and_leave_out_sets_that_are_not_in_play():
    told = rules_text(Rules(small_city_points=2, n_players=3))
    assert "Points of a complete city of two tiles: 2" in told and "3 players" in told
    assert "## Bridges" not in told and "`[bridges" not in told
    assert "## Bridges" in rules_text(Rules.preset("bridges"))


# Answers.

BEGINNING = """
[carc_env position 1]
[rules {}]
[scores 0:0]
[turn A places bg-curve]
bg-cap-straight 0,0 r0
"""


def at(text):
    return Game.from_position(parse_position(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[[bg-curve 1,0 r0]]", "bg-curve 1,0 r0"),
        ("First bg-curve 0,1 r0, no: bg-curve 1,0 r0.", "bg-curve 1,0 r0"),
        ("[[bg-curve 0,1 r0]] is worse than [[bg-curve 1,0 r0]], I think.", "bg-curve 1,0 r0"),
        ("[[bg-curve 1,0 r0]] and not bg-curve 0,1 r0", "bg-curve 1,0 r0"),
        ("BG-Curve  1,0\nR0", "bg-curve 1,0 r0"),
        ("[[ my answer: bg-curve 1,0 r0 ]]", "bg-curve 1,0 r0"),
    ],
)
def test_the_last_action_named_counts(text, name):
    game = at(BEGINNING)
    assert read_answer(game, text) == read_answer(game, f"[[{name}]]", strict=True)
    assert game.name(read_answer(game, text).action) == name


@pytest.mark.parametrize(
    "text", ["bg-curve 1,0 r0", "[[BG-curve 1,0 r0]]", "[[]]", "[bg-curve 1,0 r0]"]
)
def test_the_strict_mode_wants_brackets_and_exact_names(text):
    answer = read_answer(at(BEGINNING), text, strict=True)
    assert answer.action is None and ("[[bg-curve" in answer.reason or "not legal" in answer.reason)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("bg-curve 0,0 r0", "There is already a tile here"),
        ("bg-curve 5,5 r0", "Tiles must touch another tile"),
        ("bg-curve 1,0 r2", "it fits only with r0, r1"),
        ("bg-curve 0,-1 r0", "It would need a city at S"),
        ("bg-cap 0,1 r0", "You hold bg-curve"),
        ("bg-curve 999999999999,0 r0", "The table ends here"),
        ("meeple N", "Where does this tile go"),
    ],
)
def test_an_illegal_placement_gets_its_reason(name, reason):
    answer = read_answer(at(BEGINNING), f"[[{name}]]")
    assert answer.action is None and answer.name == name and reason in answer.reason


def test_an_illegal_figure_gets_its_reason():
    game = at(BEGINNING.replace("0,0 r0", "0,0 r0: B meeple E"))
    game.apply("bg-curve 1,0 r0")
    assert "The road is occupied: B" in read_answer(game, "meeple S").reason
    assert "An abbot goes" in read_answer(game, "abbot S").reason
    assert "names no segment" not in read_answer(game, "meeple mid").reason
    assert read_answer(game, "[[meeple NW]]", strict=True).name == "meeple NW"


WORDS = ("bg-curve", "1,0", "0,-1", "r0", "r7", "meeple", "abbot", "N", "Nw", "mid", "[[", "]]")
WORDS += ("pass", "recall", "[", "]", "{}", "%s", "\n", "\x00", ",", "-", "1" * 60, "to 1,0")


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)), st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_answer_raises_an_exception(text, strict):
    for game in FUZZED:
        answer = read_answer(game, text, strict)
        assert (answer.action in game.legal_actions()) == (not answer.reason)
        assert len(answer.reason) < 600


def fuzzed():
    placed = at(BEGINNING)
    placed.apply("bg-curve 1,0 r0")
    late = [t.clone() for t in positions(Rules.preset("big-box"), 3, share=0.02)]
    return [at(BEGINNING), placed, *late]


FUZZED = fuzzed()


# Games.


def test_a_game_counts_tries_and_replaces_the_last_one():
    game = TextGame(seed=7, agents={1: make_agent("greedy")}, tries=2)
    assert not game.answer("no idea").action
    assert game.prompt().startswith("No action was named.") and "Tries left: 1." in game.prompt()
    game.answer("none")
    assert (game.n_questions, game.n_illegal, game.n_replaced) == (1, 2, 1)
    assert len(game.game.moves) == 1 and game.seat == 0 and "Tries left" not in game.prompt()
    with pytest.raises(ValueError, match="tries must be at least 1"):
        TextGame(tries=0)


def test_a_prompt_tells_the_moves_since_the_last_question_of_its_seat():
    game = TextGame(seed=7, agents={1: make_agent("greedy")})
    first = game.prompt(remembers=True)
    assert "Moves since" not in first and "bg-cap-straight: sides" in first
    game.answer(game.game.name(game.game.legal_actions()[0]))
    game.answer("[[pass]]")
    second = game.prompt(remembers=True)
    assert second.startswith("Moves since your last question: A ") and ", B " in second
    assert "bg-cap-straight: sides" not in second and "Moves" not in game.prompt()


@pytest.mark.parametrize("preset", ["base", "all"])
def test_value_plays_whole_games_through_the_text(preset):
    rules = Rules.preset(preset)
    player = make_agent("value", rules)
    game = TextGame(rules, {1: make_agent("random")}, seed=5)
    while not game.is_over:
        seen = read_view(game.prompt())
        game.answer(f"I choose [[{seen.name(player.act(seen))}]].")
    assert game.n_illegal == 0 and game.margin(0) > 0 and game.outcome(0) == 1.0
