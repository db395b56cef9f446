"""Saved states with any content: impossible ones are refused, all others are played to the end."""

import random
import zlib

import numpy as np
import pytest

from carc_env import Rules, Table
from carc_env.engine.core.codes import Phase, Problem
from carc_env.engine.core.state import STATE, states_from_bytes
from carc_env.game.table import STATE_HEADER
from tests.soak import check_copies, random_rules

CHANGES = 1_200
RULES = (
    Rules(),
    Rules(n_players=6, view=12),
    Rules.preset("traders", n_players=3),
    Rules.preset("river", n_players=5),
    Rules.preset("abbey-mayor", n_players=4, wagon_adjacency="C1", house_wagon_roll=True),
    Rules.preset("bridges", n_players=3, castle_choice="ask", bazaar_overbid="forbid"),
    Rules.preset("all", n_players=2, bridge_timing="any_time_before_scoring"),
    Rules.preset("all", n_players=6, bazaar_builder_order="builder_first", auto_single=False),
)
OF_RULES = pytest.mark.parametrize(
    "rules", RULES, ids=lambda rules: f"{rules.n_players}p-{rules.sets[-1]}"
)


def saved_with(table, content):
    """Return what the table would save if its record had these bytes, with a valid checksum."""
    _, _, layout, rules, _ = table.save_state().split(b"\n", 4)
    body = b"\n".join((layout, rules, content))
    return b"\n".join((STATE_HEADER, f"{zlib.crc32(body):08x}".encode(), body))


def played(rules, seed, n_steps):
    table = Table(rules, seed=seed)
    for _ in range(n_steps):
        if not table.is_over:
            table.step(table.random_action())
    return table


def leaves(dtype, path=()):
    """Yield the paths of all fields that are not records themselves."""
    for name, (field, _) in dtype.fields.items():
        if field.base.fields is None:
            yield (*path, name)
        else:
            yield from leaves(field.base, (*path, name))


LEAVES = list(leaves(STATE))


def field_of(states, path):
    """Return all numbers of a field, with one axis for each level of records."""
    for name in path:
        states = states[name]
    return states


def random_place(rng, field):
    """Return a random index into a field, more often into the first records, which are in use."""
    return tuple(rng.randrange(min(n, rng.choice((60, n)))) for n in field.shape)


def flip_a_bit(rng, states):
    content = states.view(np.uint8)
    content[rng.randrange(content.size)] ^= 1 << rng.randrange(8)


def change_a_field(rng, states):
    """Write a number, usually a small one, to a random place in a random field."""
    field = field_of(states, rng.choice(LEAVES))
    place, ends = random_place(rng, field), np.iinfo(field.dtype)
    near = int(field[place]) + rng.choice((-1, 1))
    number = rng.choice((0, 1, near, rng.randrange(200), rng.randrange(4096), ends.max, ends.min))
    field[place] = min(max(number, ends.min), ends.max)


def copy_within_a_field(rng, states):
    """Copy a number to another place in the same field, where it is within its limits, too."""
    field = field_of(states, rng.choice(LEAVES))
    field[random_place(rng, field)] = field[random_place(rng, field)]


@pytest.mark.parametrize(
    "change",
    [flip_a_bit, change_a_field, pytest.param(copy_within_a_field, marks=pytest.mark.long)],
)
@OF_RULES
def test_a_changed_state_is_refused_or_can_be_played_to_its_end(rules, change, n_games):
    rng, n_refused = random.Random(7), 0
    n = n_games(CHANGES) // (3 * len(RULES))
    for k in range(n):
        table = played(rules, k, rng.randrange(250))
        before = table.save_state()
        states = states_from_bytes(table.states.tobytes())
        change(rng, states)
        try:
            table.load_state(saved_with(table, states.tobytes()))
        except ValueError as error:
            assert str(error).startswith("the saved state is not sound: ")
            assert table.save_state() == before
            n_refused += 1
            continue
        assert table.problems() == Problem(0)
        while not table.is_over:
            table.step(table.greedy_action() if rng.random() < 0.1 else table.random_action())
            assert table.problems() == Problem(0)
    assert n_refused > 0 or n < 50  # a few changes may all be harmless


@OF_RULES
def test_records_of_random_bytes_are_refused(rules):
    rng, table = random.Random(1), played(rules, 1, 60)
    content = states_from_bytes(table.states.tobytes())
    for share in (0.001, 0.1, 1.0):
        states = content.copy().view(np.uint8)
        for place in rng.sample(range(states.size), int(share * states.size)):
            states[place] = rng.randrange(256)
        with pytest.raises(ValueError, match="the saved state is not sound: its rules"):
            table.load_state(saved_with(table, states.tobytes()))
        spoilt = states.view(STATE)
        spoilt["rules"] = content["rules"]
        with pytest.raises(ValueError, match="the saved state is not sound: "):
            table.load_state(saved_with(table, spoilt.tobytes()))


def check_states(rules, seed, first=0, n=10**6):
    """Save, load, write and parse up to ``n`` states of a random game, one after another."""
    table = played(rules, seed, first)
    check_copies(table)
    for _ in range(n - 1):
        if table.is_over:
            return
        table.step(table.random_action())
        check_copies(table)


@OF_RULES
def test_every_state_of_a_game_can_be_loaded_and_written(rules):
    rng = random.Random(3)
    for seed in range(3):
        check_states(rules, seed, rng.randrange(250), 8)


@pytest.mark.filterwarnings("ignore:.* has no effect")
@pytest.mark.parametrize("part", range(10))
def test_every_state_under_random_rules_can_be_loaded_and_written(part):
    rng = random.Random(f"some states {part}")
    for seed in range(3):
        check_states(random_rules(rng), seed, rng.randrange(250), 10)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.* has no effect")
@pytest.mark.parametrize("part", range(20))
def test_every_state_of_whole_games_can_be_loaded_and_written(part):
    rng = random.Random(f"all states {part}")
    for seed in range(4):
        check_states(random_rules(rng), seed)


def put(path, place, number):
    def change(states):
        field_of(states, path)[(0, *place)] = number

    return change


def join_two_fields(states):
    """Merge the two fields of the start tile into one feature, with all counts correct."""
    s = states[0]
    north, south = (int(s.segments["feature"][k]) for k in (2, 3))
    assert north != south and s.features["kind"][north] == s.features["kind"][south]
    s.segments["feature"][s.segments["feature"] == south] = north
    ends = s.segments["next"][[north, south]]
    s.segments["next"][[south, north]] = ends
    for name in ("n_segments", "shields", "bonus"):
        s.features[name][north] += s.features[name][south]
        s.features[name][south] = 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            put(("phase",), (), len(Phase)),
            f"phase is {len(Phase)}, but must be 0 to {len(Phase) - 1}",
        ),
        (put(("phase",), (), 9), "not sound"),
        (put(("decider",), (), 2), "decider is 2, but must be 0 to 1"),
        (put(("rules", "view_size"), (), 30), "its rules are not"),
        (put(("tiles", "design"), (0,), 30_000), "tiles.design is 30000, but must be 0 to"),
        (put(("segments", "next"), (0,), 30_000), "segments.next is 30000"),
        (put(("segments", "next"), (0,), 2), "features and segments"),
        (put(("segments", "tile"), (6,), 0), "no tile shows segment 6"),
        (put(("figures", "segment"), (8,), 0), "Problem.FIGURES"),
        (put(("figures", "next"), (9,), 3), "figures"),
        (put(("features", "figure"), (0,), 3), "figures"),
        (put(("frontier", "edges"), (0,), 0), "board and frontier"),
        (put(("board",), (70,), 1), "board and frontier"),
        (put(("board",), (70,), -1), "board and frontier"),
        (put(("min_row",), (), 31), "min_row"),
        (put(("players", "score"), (1,), 2**31 - 1), "score 2147483647 of seat 1 is out of range"),
        (put(("bazaar", "n_delayed"), (), -1), "bazaar.n_delayed is -1"),
        (put(("bazaar", "lot"), (), 3), "bazaar"),
        (put(("completed", "largest"), (3,), 30), "completed"),
        (put(("rolled",), (0,), 1), "contradict its tiles and figures: rolled"),
        (put(("rolled",), (11,), 2**63), "rolled is 767, but must be 0 to"),
        (join_two_fields, "features and segments"),
    ],
)
def test_what_is_wrong_with_a_state_is_named(change, reason):
    table = played(Rules(auto_single=False), 3, 5)
    states = states_from_bytes(table.states.tobytes())
    change(states)
    with pytest.raises(ValueError, match=r"^the saved state is not sound: ") as caught:
        table.load_state(saved_with(table, states.tobytes()))
    assert reason in str(caught.value)
