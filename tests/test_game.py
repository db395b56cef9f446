"""Game and Table: the behaviour that people and search rely on."""

import copy
import pickle
import zlib
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from carc_env import Choice, Game, Rules, Table
from carc_env.engine.core.codes import Figure, Good, Kind, Phase, Spot
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.game.notation import parse_position
from carc_env.layout.template import template
from carc_env.rules import PRESETS
from tests.search.games import FACE_DOWN

DRAW = Game(seed=1).position().bag


def full_draw(seed=1):
    position = Game(seed=seed).position()
    return [*position.aside, position.tile_in_hand, *position.bag]


def test_a_position_that_is_read_twice_is_that_of_the_game_now():
    games = [Game(Rules.preset(preset), seed=2) for preset in ("base", "tower")]
    for k in range(60):
        game = games[k % 2]
        game.reshuffle(k)
        game.step(game.random_action())
        if k % 10 == 9:
            game.load_state(game.save_state())
        position = game.position()
        assert position is game.position()
        assert position.rules == game.rules and position.scores == game.scores
        assert (position.phase, position.decider) == (game.phase, game.decider)
        assert position.tile_in_hand == game.tile_in_hand
        assert len(position.bag) == game.n_tiles_left


def test_the_readme_names_work():
    game = Game(Rules(n_players=3), seed=7)
    action = game.legal_actions()[0]
    name = game.name(action)
    game.apply(action)
    assert game.moves[0].name == name
    assert game.clone().scores == game.scores == (0, 0, 0)
    assert game.decider in range(3)
    assert str(game).startswith("[carc_env position 1]")
    assert "in the bag" in repr(game)


def test_names_and_numbers_mean_the_same():
    game = Game(seed=2)
    while not game.is_over:
        names = [game.name(action) for action in game.legal_actions()]
        assert len(set(names)) == len(names)
        assert [game.action(name) for name in names] == game.legal_actions()
        game.apply(names[len(names) // 2])


def test_a_fixed_draw_order_is_followed():
    draw = full_draw()
    game = Game(draw=draw)
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    assert list(game.drawn) == draw


@pytest.mark.parametrize(
    ("draw", "reason"),
    [
        (["bg-curve"], "draw must hold the 71 tiles"),
        (full_draw()[1:], rf": missing: 1 {full_draw()[0]}$"),
        (["bg-curve", "bg-cap", *full_draw()], ": too many: 1 bg-cap, 1 bg-curve$"),
        (["bg-curve", *full_draw()[1:]], rf": missing: 1 {full_draw()[0]}; too many: 1 bg-curve$"),
        (["dragon"], "draw: unknown tile 'dragon'"),
        ([*full_draw(), "bg-curve"], "draw must hold the 71 tiles"),
    ],
)
def test_a_wrong_draw_order_is_refused(draw, reason):
    with pytest.raises(ValueError, match=reason):
        Game(draw=draw)


def test_a_rotation_that_looks_the_same_is_named():
    bag = full_draw()
    bag.remove("bg-straight")
    game = Game(draw=["bg-straight", *bag])
    assert "bg-straight 1,0 r0" in [game.name(action) for action in game.legal_actions()]
    hint = r"; bg-straight looks the same in r2 as in r0: write 'bg-straight 1,0 r0'$"
    with pytest.raises(ValueError, match=hint):
        game.apply("bg-straight 1,0 r2")
    for wrong in ("bg-straight 1,0 r1", "bg-straight 9,9 r2", "bg-cap 1,0 r2", "dragon 1,0 r2"):
        with pytest.raises(ValueError, match=r"is not legal for A .*\)$"):
            game.apply(wrong)


def test_what_was_aside_before_a_game_was_set_up_is_no_part_of_its_moves():
    text = """
        [carc_env position 1]
        [rules {auto_single: false}]
        [scores 0:0]
        [turn A places bg-straight]
        [aside bg-cap bg-city4-shield]
        bg-cap-straight 0,0 r0
        """
    game = Game.from_position(parse_position(text))
    again = Game(game.rules)
    again.load_state(game.save_state())
    for loaded in (game, again):
        loaded.apply("bg-straight 1,0 r0")
        assert loaded.moves[0].aside == ()


def test_phases_and_their_like_print_as_their_names():
    game = Game(seed=1)
    assert str(game.phase) == f"{game.phase}" == "PLACE_TILE"
    assert [str(code) for code in (Kind.CITY, Figure.ABBOT, Spot.Nw, Good.WINE)] == [
        "CITY",
        "ABBOT",
        "Nw",
        "WINE",
    ]
    assert int(game.phase) == 1 == game.phase


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range_are_refused(seed):
    with pytest.raises(ValueError, match="seed must be from 0 to"):
        Game(seed=seed)


def test_without_a_seed_games_differ():
    assert len({Game().position().bag for _ in range(4)}) > 1


def test_an_illegal_action_is_refused_and_changes_nothing():
    game = Game(seed=3)
    before = game.save_state(), game.moves
    for wrong in (game.layout.first("pass"), -1, 10**6):
        with pytest.raises(ValueError, match=rf"action {wrong} is not legal .* PLACE_TILE: there"):
            game.apply(wrong)
    with pytest.raises(ValueError, match=r"'meeple N' is not legal for A in phase PLACE_TILE"):
        game.apply("meeple N")
    assert (game.save_state(), game.moves) == before


def test_a_tile_action_in_the_figure_phase_is_refused():
    game = Game(Rules(auto_single=False), seed=3)
    action = game.legal_actions()[0]
    game.apply(action)
    with pytest.raises(ValueError, match="phase FIGURE"):
        game.apply(action)


@pytest.mark.interpreted
def test_nothing_is_legal_after_the_end():
    game = Game(seed=3)
    while not game.is_over:
        game.apply(game.legal_actions()[-1])
    assert game.legal_actions() == []
    assert game.phase == Phase.GAME_OVER
    assert game.standings == game.scores
    assert game.winners and max(game.scores) == game.scores[game.winners[0]]
    with pytest.raises(ValueError, match="0 legal actions"):
        game.apply(0)
    with pytest.raises(ValueError, match="none, because the game is over"):
        game.apply("pass")


def test_a_clone_goes_its_own_way_and_draws_the_same_tiles():
    game = Game(seed=9)
    for _ in range(30):
        game.apply(game.legal_actions()[0])
    twin, before = game.clone(), str(game)
    while not twin.is_over:
        twin.apply(twin.legal_actions()[0])
    assert str(game) == before
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    assert str(game) == str(twin) and game.moves == twin.moves


def test_tables_that_were_pickled_with_shared_memory_are_independent():
    """Ray gives all copies of an array the same memory, which is read-only."""
    table = Table(seed=1)
    buffers = []
    saved = pickle.dumps(table, protocol=5, buffer_callback=buffers.append)
    shared = [bytes(buffer) for buffer in buffers]
    one, other = (pickle.loads(saved, buffers=shared) for _ in range(2))
    before = other.legal_actions()
    one.step(one.legal_actions()[0])
    assert other.legal_actions() == before == table.legal_actions()


def test_pickled_games_and_tables_go_on_the_same():
    for thing in (Game(seed=4), Table(seed=4)):
        thing.step(thing.legal_actions()[0])
        again = pickle.loads(pickle.dumps(thing))
        assert again.save_state() == thing.save_state()
        while not thing.is_over:
            action = thing.legal_actions()[0]
            thing.step(action)
            again.step(action)
        assert again.scores == thing.scores and again.is_over


@pytest.mark.interpreted
def test_reshuffling_keeps_what_players_can_see():
    game = Game(seed=4)
    twin = game.clone()
    twin.reshuffle(5)
    mine, other = game.position(), twin.position()
    assert mine.bag != other.bag and sorted(mine.bag) == sorted(other.bag)
    assert mine.tiles == other.tiles and mine.tile_in_hand == other.tile_in_hand


def test_tiles_that_lie_face_down_are_as_likely_as_those_in_the_bag():
    position = parse_position(FACE_DOWN)
    rest = Counter(Game.from_position(position).position().bag)
    bag = ("bg-crossroads", "bg-city4-shield")
    aside = tuple((rest - Counter(bag)).elements())
    game = Game.from_position(replace(position, bag=bag, aside=aside))
    found = Counter()
    for seed in range(1200):
        game.reshuffle(seed)
        seen = game.position()
        hidden = tuple(sorted(lot.tile for lot in seen.bazaar.offer))
        assert Counter(hidden) + Counter(seen.bag) == Counter((*bag, "bg-cap", "bg-curve"))
        assert not game.problems()
        found[hidden] += 1
    assert len(found) == 6 and all(150 < n < 250 for n in found.values())


def test_saved_states_are_restored_to_the_byte():
    table = Table(seed=6)
    saved = []
    for _ in range(40):
        saved.append((table.save_state(), table.legal_actions(), table.scores))
        table.step(table.random_action())
    for state, actions, scores in reversed(saved):
        table.load_state(state)
        assert (table.save_state(), table.legal_actions(), table.scores) == (state, actions, scores)


def test_damaged_states_are_refused_and_the_table_is_unchanged():
    table = Table(seed=6)
    state = table.save_state()
    flipped = bytearray(state)
    flipped[-9] ^= 1
    cases = {
        b"": "not a saved state",
        b"pickle" + state: "not a saved state",
        state[:-100]: "cut off or edited",
        bytes(flipped): "cut off or edited",
        Table(Rules(n_players=3), seed=1).save_state(): "other rules",
        state.replace(state.split(b"\n")[2], b"0" * 16): "another version",
    }
    for damaged, reason in cases.items():
        with pytest.raises(ValueError, match=reason):
            table.load_state(damaged)
        assert table.save_state() == state


def test_last_scores_tell_who_got_what_for_which_feature():
    game = Game.from_position(
        parse_position(
            """
            [carc_env position 1]
            [rules {auto_single: false}]
            [scores 0:0]
            [turn A places bg-cap]
            bg-cap-straight 0,0 r0: B meeple N
            """
        )
    )
    game.apply("bg-cap 0,-1 r2")
    game.apply("pass")
    assert [(s.seat, s.points, s.kind) for s in game.last_scores] == [(1, 4, Kind.CITY)]
    assert game.supply(1) == {Figure.MEEPLE: 7, Figure.ABBOT: 1}


def test_templates_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        template(Rules())["phase"] = 1


@pytest.mark.parametrize("action", ["pass now", 1.5, None, [1], 10**30, -1])
def test_what_is_no_legal_action_is_refused_as_such(action):
    table = Table(seed=3)
    before = table.save_state()
    with pytest.raises(ValueError, match="is not legal for seat 0 in phase PLACE_TILE"):
        table.step(action)
    assert not (action is not None and table.is_legal(action))
    assert table.save_state() == before


def test_numpy_integers_are_actions():
    table = Table(seed=3)
    table.step(np.int64(table.legal_actions()[0]))
    assert table.n_tiles_left == 70


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_seats_that_do_not_exist_are_refused(seat):
    game = Game(seed=3)
    for ask in (game.observe, game.action_mask, game.supply, game.stock):
        with pytest.raises(ValueError, match=f"seat must be 0 to 1, got {seat}"):
            ask(seat)


def test_there_is_no_action_after_the_end():
    table = Table(seed=3)
    while not table.is_over:
        table.step(table.random_action())
    for choose in (table.random_action, table.greedy_action):
        with pytest.raises(ValueError, match="the game is over"):
            choose()


def test_a_shallow_copy_is_a_clone():
    game = Game(seed=3)
    twin = copy.copy(game)
    before = game.save_state(), game.legal_actions(), game.moves
    twin.apply(twin.legal_actions()[0])
    assert (game.save_state(), game.legal_actions(), game.moves) == before


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (3, "rules must be the name of a preset or a mapping of switches, got 3"),
        (("base",), "rules must be the name of a preset"),
        ("bridge", "preset must be one of 'base', .*; got 'bridge'; did you mean 'bridges'"),
    ],
)
def test_what_are_no_rules_is_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        Table(rules)


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        (None, Rules()),
        ("all", Rules.preset("all")),
        ({"n_players": 3}, Rules(n_players=3)),
        ({"preset": "all", "n_players": 3}, Rules.preset("all", n_players=3)),
    ],
)
@pytest.mark.parametrize(
    "make", [Game, Table, CarcassonneEnv, CarcassonneAEC, partial(CarcassonneVectorEnv, 2)]
)
def test_rules_are_given_as_a_preset_or_a_mapping_everywhere(make, given, rules):
    assert make(rules=given).rules == rules


def test_a_state_under_sets_in_another_order_is_the_same_game():
    rules = Rules(sets=("base", "inns", "traders"))
    saved = Table(rules, seed=1).save_state()
    head, _, layout, named, content = saved.split(b"\n", 4)
    assert named == b"{sets: [base, inns, traders]}"
    body = b"\n".join((layout, b"{sets: [traders, base, inns]}", content))
    table = Table(rules, seed=2)
    table.load_state(b"\n".join((head, f"{zlib.crc32(body):08x}".encode(), body)))
    assert table.save_state() == saved


@pytest.mark.parametrize("preset", PRESETS)
def test_every_choice_leads_back_to_its_action(preset):
    game = Game(Rules.preset(preset, n_players=3), seed=5)
    while not game.is_over:
        actions = game.legal_actions()
        assert [game.action(game.choice(action)) for action in actions[:3]] == actions[:3]
        assert len({game.choice(action) for action in actions}) == len(actions)
        game.apply(game.choice(game.random_action()))


def test_a_choice_that_is_not_legal_is_refused():
    game = Game(seed=3)
    before = game.save_state()
    with pytest.raises(
        ValueError, match=r"Choice\(kind='pass'.* is not legal for A in phase PLACE"
    ):
        game.apply(Choice("pass"))
    assert game.save_state() == before


@pytest.mark.parametrize("auto_single", [True, False])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_log_can_be_played_again(preset, auto_single):
    rules = Rules.preset(preset, n_players=3, auto_single=auto_single)
    game = Game(rules, seed=6)
    while not game.is_over:
        game.apply(game.random_action())
    for again in (Game.from_position(game.initial_position), Game(rules, draw=game.drawn)):
        again.replay(game.moves[:7])
        again.replay(game.moves)
        assert again.scores == game.scores and again.is_over
        assert [move.name for move in again.moves] == [move.name for move in game.moves]
        assert str(again) == str(game)


def test_a_move_of_a_log_is_an_action():
    game = Game(seed=8)
    game.apply(game.random_action())
    first = game.moves[0]
    twin = Game.from_position(game.initial_position)
    twin.apply(first)
    assert twin.moves == game.moves
    before = twin.save_state()
    with pytest.raises(ValueError, match=f"'{first.name}' is a move of B, but A decides in phase"):
        twin.apply(replace(first, seat=1))
    assert twin.save_state() == before


def test_a_log_of_another_game_is_refused_where_it_parts():
    game = Game(Rules(auto_single=False), seed=8)
    for _ in range(6):
        game.apply(game.legal_actions()[0])
    twin = Game.from_position(game.initial_position)
    log = [*game.moves[:3], replace(game.moves[3], scores=(5, 5)), *game.moves[4:]]
    with pytest.raises(ValueError, match=r"move 4 is Move.* here, but Move.* in the log"):
        twin.replay(log)
    assert twin.moves == game.moves[:4]
