"""Encodings: incremental updates equal a rewrite from scratch, in every form."""

import copy
import functools
import pickle

import numpy as np
import pytest

from carc_env import Rules, Table
from carc_env.engine.core.board import BOARD
from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.flow.legal import MAX_FIGURE_ACTIONS
from carc_env.engine.sight import planes
from carc_env.engine.sight.lanes import ANY_ACTION, NO_ACTION
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.games import Games
from carc_env.envs.opponents import RandomPlayer
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.layout.encodings import ENCODINGS, make_encoding
from carc_env.layout.observations import (
    board_shape,
    global_names,
    max_active,
    max_legal,
    max_tiles,
    plane_names,
    seat_planes,
    token_names,
)
from tests.engine.short_games import SHORT_GAMES, begun
from tests.engine.test_random_games import variants_of_anything

N = 2
"""Number of games side by side."""
RULES = {
    "base": Rules(),
    "no abbot": Rules(abbot=False),
    "view 16": Rules(view=16),
    "view 20": Rules(n_players=3, view=20),
    "view 24": Rules(n_players=4, view=24),
    "five": Rules(n_players=5),
    "abbey-mayor": Rules.preset("abbey-mayor", n_players=4, view=20),
    "bridges": Rules.preset("bridges", n_players=3),
    "take": Rules(
        n_players=4,
        castles=True,
        bazaars=True,
        bazaar_mode="take",
        sets=SHORT_GAMES["delayed bazaars"].rules.sets,
    ),
    "inns": Rules.preset("inns", n_players=3),
    "traders": Rules.preset("traders", n_players=2),
    "river": Rules.preset("river", n_players=2),
    "all, three": Rules.preset("all", n_players=3),
    "all, six": Rules.preset("all", n_players=6, castle_choice="ask"),
}
FORMS = {"action_mask": True, "legal_list": True}


def begin(games, i, seed, seat):
    """Begin a game that one seat plays through its lane, against random players.

    If ``seat`` is None, every seat plays through its lane.
    """
    players = [None if seat in (None, k) else RandomPlayer() for k in range(games.rules.n_players)]
    games.begin(i, seed, players, seat=seat)


def go_on(games):
    """Take a random action in every running game; return whether there was a running game."""
    runs = games.lanes["n_legal"] > 0
    games.lanes["action"] = np.where(runs, ANY_ACTION, NO_ACTION)
    games.play()
    return runs.any()


def assert_as_from_scratch(games, form):
    kept = games.seen
    for i, seat in enumerate(games.lanes["seat"].tolist()):
        fresh = games.table(i).observe(seat, form)
        assert fresh.keys() == kept.keys()
        for key, wanted in fresh.items():
            found = kept[key][i]
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            assert found.tobytes() == wanted.tobytes(), (
                f"{key} of game {i}, seat {seat} of {games.rules}, differs at "
                f"{np.argwhere(found != wanted)[:5].tolist()}"
            )


def check_games(games, form, seat, seed, *, start=None, n_steps=None):
    """Compare games with observations written from scratch, at every decision.

    Return the phases that occurred and whether the view moved. ``start(seed)`` returns a table to
    begin at.
    """
    for i in range(len(games)):
        begin(games, i, seed + i, seat)
        if start is not None:
            games.states[i : i + 1] = start(seed + i).states
    games.play()
    first_view = games.states["view_row"].copy()
    phases, has_moved, n = set(), False, 0
    while True:
        assert_as_from_scratch(games, form)
        phases |= {Phase(int(phase)) for phase in games.states["phase"]}
        has_moved |= bool((games.states["view_row"] != first_view).any())
        n += 1
        if n == n_steps or not go_on(games):
            return phases, has_moved


@pytest.mark.interpreted
def test_the_first_decisions_are_as_from_scratch():
    """A version of the next test that is short enough to run without the JIT."""
    for name in ENCODINGS:
        form = make_encoding(Rules(), name, **FORMS)
        check_games(Games(Rules(), 1, form), form, None, seed=4, n_steps=8)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_every_step_is_as_from_scratch(rules, encoding):
    """The games are self-play or played from a fixed seat, and reuse the lanes of earlier games."""
    form = make_encoding(rules, encoding, **FORMS)
    games = Games(rules, N, form)
    for seed, seat in enumerate((None, rules.n_players - 1, None, 0)):
        phases, has_moved = check_games(games, form, seat, seed * N)
        assert has_moved and Phase.GAME_OVER in phases


@pytest.mark.long
def test_every_step_is_as_from_scratch_with_any_parts_of_the_game():
    phases = set()
    for k, rules in enumerate(list(variants_of_anything())[1::4]):
        form = make_encoding(rules, [*ENCODINGS][k % 3], **FORMS)
        seat = k // 3 % rules.n_players if k % 2 else None
        phases |= check_games(Games(rules, 1, form), form, seat, seed=k)[0]
    rare = {Phase.SECOND_SPOT, Phase.SHARE}  # see the short games below
    assert phases >= set(Phase) - rare


@pytest.mark.parametrize("short", SHORT_GAMES.values(), ids=SHORT_GAMES)
def test_every_step_is_as_from_scratch_where_something_rare_is_near(short):
    phases = set()
    for k in range(6):
        form = make_encoding(short.rules, [*ENCODINGS][k % 3], **FORMS)
        games = Games(short.rules, 4 * N, form)
        seat = k % short.rules.n_players if k % 2 else None
        start = functools.partial(begun, short)
        phases |= check_games(games, form, seat, seed=30 * k, start=start)[0]
    wanted = short.comes_to & {phase.name.lower() for phase in Phase}
    assert {phase.name.lower() for phase in phases} >= wanted


def test_a_game_given_up_leaves_nothing_behind():
    rules = Rules.preset("all", n_players=3)
    for name in ENCODINGS:
        form = make_encoding(rules, name, **FORMS)
        games = Games(rules, N, form)
        for seed in range(12):
            check_games(games, form, None, N * seed, n_steps=9 * seed + 1)


def decisions(rules, seed):
    """Yield the table of a random game at every decision and at the end."""
    table = Table(rules, seed=seed)
    while not table.is_over:
        yield table
        table.step_unchecked(table.random_action())
    yield table


def test_projected_scores_are_the_standings():
    """Projected scores are sums over what is shown; standings come from the features."""
    for k, rules in enumerate(list(variants_of_anything())[::8]):
        names = global_names(rules)
        projected = [names.index(f"projected {seat}") for seat in range(rules.n_players)]
        for table in decisions(rules, seed=k):
            found = table.observe(0)["globals"][projected]
            np.testing.assert_allclose(found, np.array(table.standings) / 100, atol=1e-6)


def without_candidates(rules, board):
    names = plane_names(rules)
    kept = np.array([not name.startswith("candidate") for name in names])
    return np.where(kept[:, None, None], board, 0)


FORM_RULES = [
    Rules(view=12),
    Rules(n_players=5),
    Rules.preset("abbey-mayor", n_players=3),
    pytest.param(Rules.preset("all", n_players=3), marks=pytest.mark.interpreted),
    Rules.preset("all", n_players=6),
]


@pytest.fixture
def some(n_games):
    """Return a function that thins out decisions if they are slow."""
    every = 1 if n_games(4000) == 4000 else 20

    def chosen(all_decisions):
        return (table for k, table in enumerate(all_decisions) if k % every == 0)

    return chosen


@pytest.mark.parametrize("rules", FORM_RULES, ids=lambda rules: f"{rules.n_players}p-{rules.view}")
def test_tokens_are_the_planes_of_the_tiles_in_the_order_of_placement(rules, some):
    n_planes = board_shape(rules)[0]
    assert token_names(rules) == (*plane_names(rules), "row", "column")
    tokens_form = make_encoding(rules, "tokens")
    for table in some(decisions(rules, seed=3)):
        for seat in (0, rules.n_players - 1):
            board = without_candidates(rules, table.observe(seat)["board"])
            tokens = table.observe(seat, tokens_form)["tokens"]
            n = np.count_nonzero(board[0])
            rows, columns = tokens[:n, n_planes:].astype(int).T
            assert np.array_equal(tokens[:n, :n_planes], board[:, rows, columns].T)
            assert not tokens[n:].any()
            in_order = table.states["tiles"]["cell"][0, :n]
            assert np.unique(in_order - BOARD * rows - columns).size == 1


@pytest.mark.parametrize("rules", FORM_RULES, ids=lambda rules: f"{rules.n_players}p-{rules.view}")
def test_sparse_planes_make_the_planes_again(rules, some):
    n_planes, view, _ = board_shape(rules)
    form = make_encoding(rules, "sparse")
    assert form.n_features == n_planes * view * view
    for table in some(decisions(rules, seed=4)):
        for seat in (0, rules.n_players - 1):
            seen = table.observe(seat, form)
            (n,) = seen["n_active"]
            flat = np.zeros(form.n_features + 1, np.uint8)
            flat[seen["indices"]] = seen["weights"]
            board = flat[:-1].reshape(view, view, n_planes).transpose(2, 0, 1)
            assert np.array_equal(board, without_candidates(rules, table.observe(seat)["board"]))
            assert np.unique(seen["indices"][:n]).size == n and seen["weights"][:n].all()
            assert (seen["indices"][n:] == form.n_features).all()
            assert not seen["weights"][n:].any()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rules", FORM_RULES, ids=lambda rules: f"{rules.n_players}p-{rules.view}")
def test_the_list_of_legal_actions_is_the_mask(rules, encoding, some):
    form = make_encoding(rules, encoding, **FORMS)
    for table in some(decisions(rules, seed=5)):
        for seat in range(rules.n_players):
            seen = table.observe(seat, form)
            (n,) = seen["n_legal"]
            asked = seat == table.decider and not table.is_over
            assert seen["action_mask"].sum() == n == len(table.legal_actions()) * asked
            assert sorted(seen["legal"][:n]) == np.flatnonzero(seen["action_mask"]).tolist()
            assert (seen["legal"][n:] == -1).all()
            assert np.array_equal(seen["action_mask"], table.action_mask(seat))


@pytest.mark.parametrize("rules", FORM_RULES, ids=lambda rules: f"{rules.n_players}p-{rules.view}")
def test_what_is_not_wanted_is_left_out(rules):
    table = Table(rules, seed=6)
    for mask, listed in ((False, False), (True, False), (False, True)):
        seen = table.observe(None, make_encoding(rules, action_mask=mask, legal_list=listed))
        wanted = ["board", "globals"] + ["action_mask"] * mask + ["legal", "n_legal"] * listed
        assert list(seen) == wanted


# Room in arrays.


def in_which_figures_stand(rules):
    """Return a mask of the planes that show figures."""
    per_seat = seat_planes(rules)
    is_figure = [not name.startswith("leads") for name in per_seat]
    n_before = board_shape(rules)[0] - len(per_seat) * rules.n_players
    return np.array([False] * n_before + is_figure * rules.n_players)


def which_are_marks(rules):
    """Return a mask of the planes that mark what concerns a decision."""
    marks = {"last tile", "wagon from", "wagon to", "castle", "town", "chosen", "dragon", "flown"}
    marks |= {"fairy", "tower", "top", "capturing", "ingots", "entitled"}
    marks |= {f"{what} {side}" for what in ("mouth", "token", "ferry") for side in "NESW"}
    marks |= {"lake", "ferried", "mage", "witch", "building"}
    return np.array([name in marks for name in plane_names(rules)])


@pytest.mark.long
def test_nothing_outgrows_its_room():
    """Each part of a bound is checked on its own: a sum could hide a part that does not hold.

    - A connected board of n tiles has at most 2 n + 2 empty cells beside it: the first tile has 4,
      and each further tile takes up one cell and adds at most 3. A cell has 4 rotations, and there
      is `pass`.
    - A row of ``tokens`` shows at most ``most_shown`` of its form, without figures and marks.
    - A figure shows one plane. There are 3 marks, 2 on each castle and the town, one for the chosen
      tile, one for the fairy, one for the dragon and one for each tile of a flight, two for each of
      18 towers and one for the tower that captures, two for each of 16 ingots, two for each of 14
      tunnel mouths, four for each of 8 lakes, one for the mage and one for the witch, and one for
      each of 18 little buildings.
    """
    reached, most_active, most_legal = 0, 0.0, 0.0
    for k, rules in enumerate(list(variants_of_anything())[::8]):
        form = make_encoding(rules, "sparse", legal_list=True)
        columns = board_shape(rules)[0]
        figures, marks = in_which_figures_stand(rules), which_are_marks(rules)
        parts = ~figures & ~marks
        n_figures = sum(Table(rules, seed=0).supply(0).values()) * rules.n_players
        n_marks = 3 + 2 * (rules.tokens_each * rules.n_players + 1)
        n_marks += rules.acts_elsewhere + rules.fairy + 8 * rules.dragon + 37 * rules.towers
        n_marks += 32 * rules.gold + 28 * rules.tunnels + 32 * rules.ferries + 2 * rules.mage_witch
        n_marks += 18 * rules.little_buildings
        room = np.array([planes.most_shown(f, rules.n_players) for f in range(planes.N_FORMS)])
        for j, table in enumerate(decisions(rules, seed=k)):
            states = table.states
            n_tiles, n_legal = int(states["n_tiles"][0]), len(table.legal_actions())
            assert n_tiles <= max_tiles(rules)
            assert states["n_frontier"][0] <= 2 * n_tiles + 2
            places = 4 * (2 * n_tiles + 2) + 1
            others = max(MAX_FIGURE_ACTIONS, rules.bazaar_bid_limit + 1) + 1
            assert n_legal <= (places if table.phase == Phase.PLACE_TILE else others)
            assert max(places, others) <= max_legal(rules)
            most_legal = max(most_legal, n_legal / max_legal(rules))
            if j % 5 and not table.is_over:
                continue
            seen = table.observe(None, form)
            tokens = table.observe(None, "tokens")["tokens"][:n_tiles, :columns]
            shown = np.count_nonzero(tokens[:, parts], axis=1)
            assert (shown <= room[states["tiles"]["design"][0, :n_tiles]]).all()
            assert np.count_nonzero(tokens[:, figures]) <= n_figures
            assert np.count_nonzero(tokens[:, marks]) <= n_marks
            assert seen["n_active"] == np.count_nonzero(tokens)
            most_active = max(most_active, int(seen["n_active"][0]) / max_active(rules))
        reached += n_tiles == max_tiles(rules)
    assert reached > 0
    assert 0.2 < most_active <= 1 and 0.1 < most_legal <= 1


def test_the_first_tile_uses_all_the_room_for_places():
    states = Table(Rules(), seed=1).states
    assert (states["n_tiles"][0], states["n_frontier"][0]) == (1, 2 * 1 + 2)


# Interfaces.

KEYS = {
    "planes": {"board"},
    "tokens": {"tokens"},
    "sparse": {"indices", "weights", "n_active"},
    "features": {"tokens", "features", "n_features", "links", "n_links"},
}
SPACE_RULES = [Rules(view=12), Rules.preset("all", n_players=3)]


def by_name(rules):
    return rules.sets[-1]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rules", SPACE_RULES, ids=by_name)
def test_the_space_of_the_aec_environment_holds_what_is_seen(rules, encoding, some):
    env = CarcassonneAEC(rules, encoding=encoding, legal_list=True)
    env.reset(seed=1)
    for _ in some(played(env)):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["observation"].keys() == KEYS[encoding] | {"globals", "legal", "n_legal"}
            assert seen["observation"]["n_legal"] == seen["action_mask"].sum()


def test_nobody_may_do_anything_in_a_game_that_is_lost():
    env = CarcassonneAEC(Rules(view=12), illegal_action="lose", legal_list=True)
    env.reset(seed=1)
    env.step(env.action_space(env.agent_selection).n - 1)
    assert all(env.terminations.values())
    for _ in range(3):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert not seen["action_mask"].any() and seen["observation"]["n_legal"] == 0
            assert (seen["observation"]["legal"] == -1).all()
        if env.agents:
            env.step(None)


def test_an_encoding_for_other_rules_is_refused():
    table = Table(Rules(n_players=3), seed=1)
    with pytest.raises(ValueError, match=r"view: 12 -> 32$"):
        table.observe(0, make_encoding(Rules(view=12)))


def test_a_screen_notices_another_game():
    env = CarcassonneAEC(Rules(view=12))
    env.reset(seed=1)
    saved = env.table.save_state()
    for action in (None, "load", "new", "clone"):
        for _ in range(20):
            env.step(env.table.random_action())
            env.observe(env.agent_selection)
        if action == "load":
            env.table.load_state(saved)
        elif action == "new":
            env.table.reset(seed=2)
        elif action == "clone":
            env._table = env.table.clone()
        seat = env.table.decider
        seen = env.observe(f"player_{seat}")["observation"]
        for name, row in env.table.observe(seat).items():
            assert np.array_equal(seen[name], row), (action, name)


def test_large_cities_count_in_full_in_projected_scores():
    """A plane shows at most 255 points, but projected scores are not limited."""
    table = Table(Rules(view=20), seed=3)
    features = table.states["features"][0]
    city = None
    while city is None:
        table.step_unchecked(table.random_action())
        kinds = features["kind"] == Kind.CITY
        occupied = np.flatnonzero(kinds & (features["n_segments"] > 0) & (features["figure"] >= 0))
        city = occupied[0] if occupied.size else None
    features["n_tiles"][city] = 300
    at = [global_names(table.rules).index(f"projected {seat}") for seat in range(2)]
    assert max(table.standings) >= 300
    found = 100 * table.observe(0)["globals"][at]
    np.testing.assert_allclose(found, table.standings, atol=1e-3)


def played(env):
    """Play a random game in an AEC environment; yield at every decision and at the end."""
    while not env.table.is_over:
        yield
        env.step(env.table.random_action())
    yield


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rules", SPACE_RULES, ids=by_name)
def test_the_space_of_the_gymnasium_environment_holds_what_is_seen(rules, encoding, n_games):
    env = CarcassonneEnv(rules, encoding=encoding, observe_mask=True, legal_list=True)
    seen, info = env.reset(seed=1)
    over, n = False, 0
    while not over and n < n_games(4000):
        assert env.observation_space.contains(seen)
        assert seen.keys() == KEYS[encoding] | {"globals", "action_mask", "legal", "n_legal"}
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        seen, _, over, _, info = env.step(seen["legal"][0])
        n += 1
    assert env.observation_space.contains(seen)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("rules", SPACE_RULES, ids=by_name)
@pytest.mark.parametrize("opponents", ["random", "self"])
def test_the_space_of_the_vector_environment_holds_what_is_seen(rules, encoding, opponents):
    env = CarcassonneVectorEnv(
        3, rules, opponents, encoding=encoding, observe_mask=True, legal_list=True
    )
    seen, info = env.reset(seed=1)
    n_ended = 0
    while n_ended < 3:
        assert env.observation_space.contains(seen)
        assert seen.keys() == KEYS[encoding] | {"globals", "action_mask", "legal", "n_legal"}
        assert env.single_observation_space.contains({key: rows[1] for key, rows in seen.items()})
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        actions = np.where(seen["n_legal"][:, 0] > 0, seen["legal"][:, 0], 0)
        seen, _, ended, _, info = env.step(actions)
        n_ended += ended.sum()


@pytest.mark.parametrize(
    "make", [make_encoding, CarcassonneAEC, CarcassonneEnv, CarcassonneVectorEnv]
)
def test_unknown_encodings_are_refused(make):
    with pytest.raises(
        ValueError, match="encoding must be one of 'planes', 'tokens', 'sparse', 'features'; "
    ):
        make(rules=Rules(), encoding="pixels")


def test_unknown_encodings_are_told_what_was_given():
    with pytest.raises(ValueError, match="got 'Planes'"):
        make_encoding(Rules(), "Planes")


COPIES = [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]


def assert_same(mine, theirs):
    assert mine.keys() == theirs.keys()
    for key in mine:
        if isinstance(mine[key], dict):
            assert_same(mine[key], theirs[key])
        else:
            assert np.array_equal(mine[key], theirs[key]), key


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("duplicate", COPIES, ids=["deepcopy", "pickle"])
def test_copies_of_the_aec_environment_go_on_the_same(duplicate, encoding):
    env = CarcassonneAEC(reward="margin", encoding=encoding, legal_list=True)
    env.reset(seed=3)
    for _ in range(9):
        env.step(int(env.observe(env.agent_selection)["observation"]["legal"][0]))
    twin = duplicate(env)
    for _ in range(9):
        agent = env.agent_selection
        seen = env.observe(agent)
        assert_same(seen, twin.observe(agent))
        for one in (env, twin):
            one.step(int(seen["observation"]["legal"][seen["observation"]["n_legal"][0] - 1]))
        assert (env.rewards, env.agent_selection) == (twin.rewards, twin.agent_selection)
    assert twin.table.save_state() == env.table.save_state()


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("duplicate", COPIES, ids=["deepcopy", "pickle"])
def test_copies_of_the_gymnasium_environment_go_on_the_same(duplicate, encoding):
    env = CarcassonneEnv(reward="margin", encoding=encoding, observe_mask=True, legal_list=True)
    seen, _ = env.reset(seed=3)
    for _ in range(9):
        seen, *_ = env.step(seen["legal"][0])
    twin = duplicate(env)
    for _ in range(9):
        action = seen["legal"][seen["n_legal"][0] - 1]
        (seen, *results, info), (other, *their_results, their_info) = (
            one.step(action) for one in (env, twin)
        )
        assert_same(seen, other)
        assert_same(info, their_info)
        assert results == their_results
    assert_same(env.reset()[0], twin.reset()[0])
