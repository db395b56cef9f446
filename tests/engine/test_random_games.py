"""Random games: the state never has a problem, and the same seeds give the same games."""

import hashlib
import itertools
import math
import os
import subprocess
import sys
import warnings
from functools import cache, reduce
from itertools import chain
from operator import or_

import numpy as np
import pytest

from carc_env import Game, Phase, Rules, Table
from carc_env.engine import entry
from carc_env.engine.compiler.jit import JIT
from carc_env.engine.core.codes import Kind, Problem, Stock
from carc_env.engine.core.state import BOARD, new_states
from carc_env.engine.core.tiles import DESIGN
from carc_env.layout.template import legal_buffer, template
from carc_env.rules import CHOICES, PRESETS, TILE_SETS
from carc_env.rules import SWITCHES as ALL_SWITCHES
from carc_env.sets import import_all
from scripts.golden import PLAN
from tests.rooms import SYSTEMS_OF, room_of
from tests.soak import NUMBERS


def parts(n):
    """Number the parts of many games; the first runs in every mode, the others are long tests."""
    return [0, *(pytest.param(k, marks=pytest.mark.long) for k in range(1, n))]


TENTHS = parts(10)

GAMES = 20_000
VARIANTS = [
    *(Rules.preset(name, n_players=2 + k % 5) for k, name in enumerate(PRESETS)),
    *map(Rules.from_dict, PLAN["random"]),
]
VARIANT_NAMES = [*PRESETS, *(rules.to_yaml() for rules in VARIANTS[len(PRESETS) :])]
LOOK_EVERY = 1 if JIT else 12
"""Interval, in decisions, between two checks for problems."""


def problems_of_games(rules, seed, n_games):
    """Return the problems after the first decision of random games that leaves any."""
    states, actions = new_states(1), legal_buffer()
    for k in range(n_games):
        entry.begin(states, 0, template(rules), np.uint64(seed + k))
        n, n_decisions = entry.legal(states, 0, actions), 0
        while n > 0:
            entry.apply(states, 0, actions[entry.random_number(states, 0, n)])
            n, n_decisions = entry.legal(states, 0, actions), n_decisions + 1
            is_looked_at = n == 0 or n_decisions % LOOK_EVERY == 0
            if is_looked_at and (found := entry.problems(states, 0)):
                return Problem(found)
    return Problem(0)


@pytest.mark.interpreted
@pytest.mark.parametrize("tenth", TENTHS)
@pytest.mark.parametrize("rules", VARIANTS, ids=VARIANT_NAMES)
def test_no_decision_of_random_games_leaves_a_problem(rules, tenth, n_games):
    n = n_games(GAMES // len(VARIANTS) // 10)
    assert problems_of_games(rules, 2026 + tenth * n, n) == Problem(0)


@pytest.mark.interpreted
def test_towers_of_ten_floors_and_more_leave_no_problem():
    """Each player raises the tallest tower that they can (TOW-05) and otherwise plays at random."""
    rules = Rules.preset("tower", n_players=3, sets=("base", "princess", "tower"), dragon=True)
    game, n_decisions = Game(rules, seed=5), 0
    while not game.is_over:
        choices = {game.choice(action): action for action in game.legal_actions()}
        floors = [choice for choice in choices if choice.kind == "floor"]
        if game.phase == Phase.FIGURE:
            height = {(t.x, t.y): t.height for t in game.position().towers}
            cells = [one for one in choices if one.cell in height and one.kind == "tile"]
            floors = [max(cells, key=lambda one: height[one.cell])] if cells else floors
        game.apply(choices[floors[0]] if floors else game.random_action())
        n_decisions += 1
        assert n_decisions % LOOK_EVERY or not entry.problems(game.states, 0)
    assert max(tower.height for tower in game.position().towers) >= 10


SYSTEMS = ("abbeys", "mayors", "barns", "wagons")
ABBEY_GAMES = 10_000


def abbey_variants():
    """Yield each subset of the five systems of Abbey & Mayor with each value of their switches."""
    subsets = itertools.product((False, True), repeat=1 + len(SYSTEMS))
    switches = itertools.product(
        ("one_round", "until_blocked", "none"), ("C2", "C1"), (False, True)
    )
    for k, ((tiles, *on), (endgame, adjacency, rolls)) in enumerate(
        itertools.product(subsets, list(switches))
    ):
        yield Rules(
            n_players=2 + k % 5,
            sets=("base", "abbey") if tiles else ("base",),
            abbot=k % 3 > 0,
            abbey_endgame=endgame,
            wagon_adjacency=adjacency,
            house_wagon_roll=rolls,
            **dict(zip(SYSTEMS, on, strict=True)),
        )


@pytest.mark.parametrize("tenth", TENTHS)
def test_no_decision_with_any_part_of_abbey_and_mayor_leaves_a_problem(tenth, n_games):
    """SET-01: each system can be switched on alone."""
    n = n_games(ABBEY_GAMES // 10)
    assert check_games(list(abbey_variants()), n, tenth * n) >= n


GAMES_OF_ANYTHING = 4_000
SET_APART = {
    *("n_players", "sets", "edition", "abbot", "winter_gardens", "deck_size", "view"),
    *("auto_single", "count_with_river", "bridges", "castles", "bazaars", *SYSTEMS),
}
"""Fields of rules that the variants do not draw: they contain all subsets of some of these fields,
and others contradict each other."""
SWITCHES = {
    name: sorted((CHOICES | NUMBERS)[name], key=lambda value: value != default)
    for name in ALL_SWITCHES
    if name not in SET_APART
    for default in [getattr(Rules(), name)]
}
"""All other switches, each with its values, the default first."""
DRAWN_SETS = tuple(name for name in TILE_SETS if name not in ("base", "abbey", "bridges"))
N_BITS = 256


def variants_of_anything():
    """Yield every subset of bridges, castles, bazaars, their tiles and Abbey & Mayor, 16 times.

    The other switches and sets change in a fixed pattern. Any two of them occur together with both
    at their default, both at another value, and one of each.
    """
    subsets = itertools.product((False, True), repeat=5)
    for k, ((tiles, abbey, *on), turn) in enumerate(itertools.product(subsets, range(16))):
        bits = int.from_bytes(hashlib.sha256(str(k).encode()).digest()[: N_BITS // 8])
        switches = {
            name: values[(bits >> place & 1) * (1 + k % (len(values) - 1))]
            for place, (name, values) in enumerate(SWITCHES.items())
        }
        drawn = [name for place, name in enumerate(DRAWN_SETS) if bits >> N_BITS - 1 - place & 1]
        with warnings.catch_warnings(action="ignore"):  # about systems without their tiles
            rules = Rules(
                n_players=2 + turn % 5,
                sets=("base", *drawn, *["abbey"] * abbey, *["bridges"] * tiles),
                count_with_river="allow",
                **dict.fromkeys(SYSTEMS, abbey),
                **dict(zip(("bridges", "castles", "bazaars"), on, strict=True)),
                **switches,
            )
        yield rules


def check_games(variants, n_games, first_seed):
    """Play games that are distributed over the variants; return how many were played."""
    share = n_games / len(variants)
    n_played = 0
    for k, rules in enumerate(variants):
        n = math.ceil((k + 1) * share) - math.ceil(k * share)
        assert problems_of_games(rules, first_seed + k, n) == Problem(0), rules
        n_played += n
    return n_played


@pytest.mark.parametrize("fortieth", parts(40))
def test_no_decision_with_any_parts_of_the_game_leaves_a_problem(fortieth, n_games):
    n, variants = n_games(GAMES_OF_ANYTHING // 40), list(variants_of_anything())
    variants = variants[fortieth:] + variants[:fortieth]  # each part plays other variants
    assert check_games(variants, n, fortieth * n) >= n


def test_the_variants_of_anything_have_all_values_and_any_two_switches_meet():
    variants = list(variants_of_anything())
    assert len(variants) == 32 * 16
    assert len(SWITCHES) + len(DRAWN_SETS) <= N_BITS
    full = [rules for rules in variants if rules.bridges and rules.castles and rules.bazaars]
    values = [
        {name: getattr(rules, name) != values[0] for name, values in SWITCHES.items()}
        | {f"the tiles of {name}": name in rules.sets for name in DRAWN_SETS}
        for rules in full
    ]
    for one, other in itertools.combinations(values[0], 2):
        # Without tunnels, tunnel_breaks_road is None.
        n_meetings = 3 if (one, other) == ("tunnels", "tunnel_breaks_road") else 4
        assert len({(v[one], v[other]) for v in values}) == n_meetings, (one, other)
    for name, all_values in SWITCHES.items():
        assert {getattr(rules, name) for rules in variants} == {*all_values}, name


def test_the_variants_are_all_subsets_and_switch_values():
    variants = list(abbey_variants())
    assert len(variants) == 32 * 12 and len(set(variants)) == len(variants)


def damage(name, value):
    """Return a function that writes a number into a field, or into the first place of a list."""

    def spoil(states):
        states[name].flat[0] = value

    return spoil


def swap_first_tiles(states):
    states["tiles"]["rotation"][0, 1] += 1


def lose_a_meeple(states):
    states["players"]["supply"][0, 0, 0] -= 1


def miscount_open_sides(states):
    feature = states["segments"]["feature"][0, 0]
    states["features"]["n_open"][0, feature] += 1


def miscount_cities_beside_a_field(states):
    is_field = (states["features"]["kind"][0] == Kind.FIELD) & (
        states["features"]["n_segments"][0] > 0
    )
    states["features"]["shields"][0, is_field.argmax()] += 1


def miscount_completed(name):
    def miscount(states):
        states["completed"][name][0, Kind.CITY] += 1

    return miscount


def lose_a_bridge(states):
    states["players"]["stock"][0, 1, Stock.BRIDGE] -= 1


def give_the_seller_a_tile(states):
    states["bazaar"]["lots"]["owner"][0, 0] = 0


def invent_wine(states):
    states["players"]["stock"][0, 0, Stock.WINE] += 1


def crown_two_kings(states):
    states["players"]["stock"][0, :2, Stock.KING] = 1


def put_a_shrine_among_monasteries(states):
    cells = states["tiles"]["cell"][0, : states["n_tiles"][0]].astype(int)
    near = np.abs(np.subtract.outer(cells // BOARD, cells // BOARD)) <= 1
    near &= np.abs(np.subtract.outer(cells % BOARD, cells % BOARD)) <= 1
    states["tiles"]["design"][0, : len(cells)] = DESIGN["bg-monastery"]
    states["tiles"]["design"][0, near.sum(0).argmax()] = DESIGN["cu-shrine"]
    states["rules"]["rivals"] = 1


def invent_sheep(states):
    states["players"]["stock"][0, 0, Stock.SHEEP_1] = 1


def invent_somebody_inside(states):
    states["players"]["waiting"][0, 0] = 1


def invent_an_ingot(states):
    states["players"]["stock"][0, 1, Stock.INGOT] = 1


def owe_a_second_part(states):
    states["bazaar"]["owed_part"] = 1


def lay_a_bazaar_face_down(states):
    states["bazaar"]["waits"] = 1
    states["bazaar"]["starter"] = states["turn_player"]


DAMAGE = (
    (Problem.EDGES, swap_first_tiles),
    (Problem.FRONTIER, damage("n_frontier", 1)),
    (Problem.FEATURES, miscount_open_sides),
    (Problem.FEATURES, miscount_cities_beside_a_field),
    (Problem.FEATURES, miscount_completed("n_features")),
    (Problem.FEATURES, miscount_completed("largest")),
    (Problem.FEATURES, miscount_completed("n_largest")),
    (Problem.FIGURES, lose_a_meeple),
    (Problem.TILES, damage("bag", 1)),
    (Problem.VIEW, damage("view_row", 0)),
    (Problem.TURN, damage("decider", 6)),
    (Problem.TURN, damage("first_part", 0)),
    (Problem.TURN, damage("extends", 1)),
    (Problem.STOCK, lose_a_bridge),
    (Problem.STOCK, invent_wine),
    (Problem.STOCK, crown_two_kings),
    (Problem.BAZAAR, give_the_seller_a_tile),
    (Problem.BAZAAR, owe_a_second_part),
    (Problem.BAZAAR, lay_a_bazaar_face_down),
    (Problem.RIVALS, put_a_shrine_among_monasteries),
    (Problem.FLOCKS, damage("next_token", 0)),
    (Problem.FLOCKS, invent_sheep),
    (Problem.COUNT, invent_somebody_inside),
    (Problem.GOLD, invent_an_ingot),
)


NOT_LOOKED_AT = {
    "rolled": "features that a wagon has rolled over: any are possible",
    "pig_herd": "no problem is about it",
    "hidden": "as many as n_hidden says",
    "flown": "as many as n_flown says",
}
"""Fields of sets in which any number is valid -> the reason."""


def problems_of(room):
    """Return the problems that the systems of a room declare."""
    return reduce(or_, chain(*(system.problems for system in SYSTEMS_OF[room])), Problem(0))


OF_SETS = [
    pytest.param(problems_of(room_of(module)), field.name, id=field.name)
    for module in import_all("record")
    for field in module.PART.game
    if isinstance(field.type, str) and field.name not in NOT_LOOKED_AT
]
"""Each number that sets store in a game, or the first of several, with the problems of its set."""


@cache
def some_game():
    states = new_states(1)
    entry.begin(states, 0, template(Rules(abbot=False, bridges=True)), np.uint64(5))
    for _ in range(20):
        n = entry.legal(states, 0, buffer := legal_buffer())
        entry.apply(states, 0, buffer[n // 2])
    assert entry.problems(states, 0) == 0
    return states


def problems_with(spoil):
    """Return the problems of a game after some damage."""
    spoil(states := some_game().copy())
    return Problem(entry.problems(states, 0))


def problems_with_other_numbers(name):
    """Return the problems of a game if 0 or 1 replaces another number in a field."""
    return problems_with(damage(name, 0)) | problems_with(damage(name, 1))


@pytest.mark.parametrize(("problem", "spoil"), DAMAGE)
@pytest.mark.interpreted
def test_every_kind_of_damage_is_found(problem, spoil):
    assert problems_with(spoil) & problem


@pytest.mark.parametrize(("of_its_set", "name"), OF_SETS)
@pytest.mark.interpreted
def test_numbers_of_sets_that_no_game_writes_are_found(of_its_set, name):
    found = problems_with_other_numbers(name)
    assert found & (Problem.TURN | of_its_set if of_its_set else found)


def test_there_is_damage_of_every_kind():
    found = {problem for problem, _ in DAMAGE} | {Problem.UNSCORED}
    for param in OF_SETS:
        found |= {*problems_with_other_numbers(param.values[1])}
    assert found == {*Problem}


@pytest.mark.interpreted
def test_a_complete_feature_that_keeps_its_figures_is_found():
    table = Table(seed=0)
    states = table._states
    while not np.any(states["features"]["figure"][0] >= 0):
        table.step(table.random_action())
    while table.phase.name != "PLACE_TILE":
        table.step(table.random_action())
    feature = np.flatnonzero(states["features"]["figure"][0] >= 0)[0]
    states["features"]["kind"][0, feature] = 2
    states["features"]["n_open"][0, feature] = 0
    assert Problem.UNSCORED in Problem(entry.problems(states, 0))


DIGEST = """
import hashlib
from carc_env import Rules
from carc_env.envs.opponents import RandomPlayer
from carc_env.envs.games import Games

digest = hashlib.sha256()
for rules in (
    Rules(),
    Rules(n_players=6),
    Rules.preset("abbey-mayor", n_players=4),
    Rules.preset("abbey-mayor", n_players=3, wagon_adjacency="C1", house_wagon_roll=True),
    Rules.preset("bridges", n_players=3, castle_choice="ask", bazaar_overbid="forbid"),
    Rules.preset("bridges", n_players=5, bridge_timing="any_time_before_scoring"),
    Rules.preset("inns", n_players=2),
    Rules.preset("all", n_players=3, bazaar_builder_order="builder_first"),
):
    games = Games(rules, 1)
    games.begin(0, seed=11, players=[RandomPlayer()] * rules.n_players)
    games.play()
    digest.update(games.states.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.once
def test_the_same_seeds_give_the_same_bytes_with_and_without_the_jit():
    digests = []
    for flag in ("0", "1"):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.append(run.stdout.strip())
    assert len(digests[0]) == len(hashlib.sha256().hexdigest())
    assert digests[0] == digests[1]


def test_reading_a_state_leaves_its_bytes_alone():
    table = Table(seed=3)
    while not table.is_over:
        before = table._states.tobytes()
        table.observe(0)
        table.action_mask()
        assert table.standings and table.problems() == Problem(0)
        assert table._states.tobytes() == before
        table.step(table.random_action())


def test_the_order_of_the_bag_is_uniform():
    """SET-03: every tile is equally likely to be drawn first."""
    rules = Rules()
    states = new_states(1)
    counts = np.zeros(200, np.int64)
    n = 20_000
    for seed in range(n):
        entry.begin(states, 0, template(rules), np.uint64(seed))
        counts[states["bag"][0, 0]] += 1
    copies = np.bincount(template(rules)["bag"][0, : template(rules)["n_bag"][0]], minlength=200)
    expected = n * copies / copies.sum()
    deviation = (counts - expected)[copies > 0] / np.sqrt(expected[copies > 0])
    assert np.abs(deviation).max() < 4.5
