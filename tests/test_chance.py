"""Public chance: what can be drawn next, how likely each draw is, and where it leads."""

import copy
import pickle
import random
from collections import Counter

import numpy as np
import pytest

from carc_env import Game, Phase, Rules, Table, parse_position
from carc_env.engine.core.tiles import TILE_ID
from carc_env.game.table import NUMBERS
from carc_env.rules import PRESETS
from tests.search.games import FACE_DOWN

DRAGON_ON_HILLS = Rules.preset(
    "princess-dragon", sets=("base", "hills", "princess"), hills=True, auto_single=False
)
RULES = {
    **{name: Rules.preset(name, auto_single=False) for name in PRESETS},
    "settled": Rules.preset("all"),
    "dragon on hills": DRAGON_ON_HILLS,
    "late bazaars": Rules.preset("all", bazaar_builder_order="builder_first", auto_single=False),
    "few tiles": Rules.preset("base", deck_size=5, n_players=3),
    "few tokens": Rules.preset("hills-sheep", deck_size=20, auto_single=False),
    "token": Rules.preset("hills-sheep", n_players=4, auto_single=False),
}


def unseen(table):
    """Count the designs of tiles that nobody can see."""
    s = table.states[0]
    tiles = [*s.bag[: int(s.n_bag)], *(s.bag[k] for k in s.hidden[: int(s.n_hidden)])]
    if s.bazaar.waits:
        tiles += [lot.design for lot in s.bazaar.lots[: table.rules.n_players]]
    return Counter(TILE_ID[int(design)] for design in tiles)


def all_ends(table, seen, token):
    """Yield the ends of all draws of the given tiles and the token; tell if no tile is left."""
    outcomes = table.draws()
    if not outcomes:
        yield table, not seen
    for outcome in outcomes:
        if outcome == token or seen[outcome] > 0:
            after = table.clone()
            after.deal(outcome)
            yield from all_ends(after, seen - Counter([outcome]), token)


def is_same(table, other):
    """Return whether two games are the same, apart from the order of hidden tiles."""
    one, two = table.clone(), other.clone()
    one.reshuffle(3), two.reshuffle(3)
    return (
        one.position() == two.position()
        and one.legal_actions() == two.legal_actions()
        and one.scores == two.scores
        and (one.decider, one.phase) == (two.decider, two.phase)
    )


def check_draw(table, action, rng):
    """Check that a draw leads where the bag would, twins agree, and probabilities sum to one."""
    after, real, twin = table.afterstate(action), table.clone(), table.clone()
    twin.reshuffle(rng.randrange(1 << 32))
    again = twin.afterstate(action)
    assert after.states.tobytes() == again.states.tobytes() and after.draws() == again.draws()
    real.step(action)
    if not after.draws():
        assert is_same(after, real)
        return 0
    assert sum(after.draws().values()) == pytest.approx(1) and min(after.draws().values()) > 0
    assert after.legal_actions() == [] and not after.is_over
    token = NUMBERS.get(int(real.states[0].token))
    ends = all_ends(after, unseen(table) - unseen(real), token)
    assert any(is_complete and is_same(end, real) for end, is_complete in ends)
    return len(after.draws())


SHORT = ("few tiles", "few tokens")


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=pytest.mark.interpreted if one in SHORT else ()) for one in RULES],
)
def test_a_draw_leads_where_the_bag_would(name):
    table, rng, most = Table(RULES[name], seed=4), random.Random(4), 0
    while not table.is_over:
        action = table.random_action()
        most = max(most, check_draw(table, action, rng))
        table.step(action)
    assert most > 3


def test_a_bazaar_that_waits_is_turned_up_tile_by_tile():
    """The bazaar's tiles have left the bag, but nobody has seen them (BAZ-21)."""
    rules = FACE_DOWN.replace("builder_first}", "builder_first, auto_single: false}")
    table, rng, n_turned_up = Game.from_position(parse_position(rules), seed=1), random.Random(1), 0
    while not table.is_over and n_turned_up == 0:
        for action in table.legal_actions():
            check_draw(table, action, rng)
            after = table.afterstate(action)
            if table.states[0].bazaar.waits and after.draws():
                after.deal(next(iter(after.draws())))
                n_turned_up += len(after.draws()) > 0
                after.deal(next(iter(after.draws())))
                assert after.phase == Phase.BAZAAR_PICK and after.draws() == {}
        table.step(table.random_action())
    assert n_turned_up > 0


def first_outcome(table, action):
    """Return what the first draw of an action turns up, if its tile comes from the bag."""
    after = table.clone()
    after.step(action)
    s, old = after.states[0], table.states[0]
    if int(s.token) in NUMBERS:
        return NUMBERS[int(s.token)]
    covered = int(s.n_hidden) - int(old.n_hidden)
    return TILE_ID[int(s.bag[int(old.n_bag) - 1 - covered])]


@pytest.mark.parametrize(
    ("name", "seed", "n"), [("base", 1, 6), ("dragon on hills", 5, 12), ("token", 2, 6)]
)
def test_probabilities_are_those_of_shuffled_bags(name, seed, n):
    table, rng, n_checked = Table(RULES[name], seed=seed), random.Random(seed), 0
    while not table.is_over:
        action = table.random_action()
        draws = table.afterstate(action).draws()
        if len(draws) > 1 and rng.randrange(8) == 0 and not table.states[0].bazaar.waits:
            n_checked, found, twin = n_checked + 1, Counter(), table.clone()
            for k in range(300):
                twin.reshuffle(k)
                found[first_outcome(twin, action)] += 1
            assert found.keys() <= draws.keys()
            for outcome, share in draws.items():
                error = (300 * share * (1 - share)) ** 0.5
                assert abs(found[outcome] - 300 * share) < 5 * error + 1
        table.step(action)
    assert n_checked >= n


def test_tiles_that_were_covered_before_the_volcano_are_no_dragons():
    """With few tiles left, this changes the probabilities a lot (PD-07, HS-02)."""
    rules = DRAGON_ON_HILLS.replace(deck_size=14, auto_single=True)
    n_checked = 0
    for seed in range(200):
        table = Table(rules, seed=seed)
        while not table.is_over:
            action = table.random_action()
            s = table.states[0]
            after = table.afterstate(action)
            if int(s.n_hidden) and any("dragon" in str(tile) for tile in after.draws()):
                found, twin, n = Counter(), table.clone(), 500
                for k in range(n):
                    twin.reshuffle(k)
                    found[first_outcome(twin, action)] += 1
                assert found.keys() <= after.draws().keys()
                for outcome, share in after.draws().items():
                    error = (n * share * (1 - share)) ** 0.5
                    assert abs(found[outcome] - n * share) < 5 * error + 1
                n_checked += 1
            table.step(action)
        if n_checked >= 3:
            return
    raise AssertionError("no dragon tile could be drawn beside a covered tile")


@pytest.mark.interpreted
def test_a_game_before_its_first_draw():
    table = Table.before_first_draw(Rules(deck_size=5), seed=8)
    assert sum(table.draws().values()) == pytest.approx(1) and table.n_tiles_left == 5
    real = Table(Rules(deck_size=5), seed=8)
    table.deal(real.tile_in_hand)
    assert is_same(table, real)
    river = Table.before_first_draw(Rules.preset("big-box"))
    assert all(tile.startswith(("rv-", "r2-")) for tile in river.draws())


@pytest.mark.interpreted
def test_the_last_tile_ends_the_game():
    table = Table.before_first_draw(Rules(deck_size=1), seed=8)
    (tile,) = table.draws()
    table.deal(tile)
    while not table.is_over:
        table = table.afterstate(table.legal_actions()[0])
        assert table.draws() == {}
    assert table.n_tiles_left == 0 and max(table.scores) > 0


@pytest.mark.interpreted
def test_a_game_that_waits_for_chance_can_do_nothing_else():
    table = Table.before_first_draw(seed=1)
    for wrong in ("no-tile", 3, None):
        with pytest.raises(ValueError, match="cannot be drawn now; possible: bg-"):
            table.deal(wrong)
    for attempt in (table.greedy_action, table.random_action, table.save_state, table.position):
        with pytest.raises(ValueError, match="call deal"):
            attempt()
    with pytest.raises(ValueError, match="chance comes first"):
        table.step(0)
    copies = [table.clone(), copy.deepcopy(table), pickle.loads(pickle.dumps(table))]
    for one in copies:
        assert one.draws() == table.draws() and one.legal_actions() == []
        one.deal("bg-cap")
        assert one.tile_in_hand == "bg-cap" and one.draws() == {} and table.draws()
    with pytest.raises(ValueError, match="nothing: call afterstate first"):
        one.deal("bg-cap")
    table.reset(seed=1)
    assert table.draws() == {} and table.legal_actions()


@pytest.mark.interpreted
def test_an_afterstate_hides_the_tile_to_come():
    table = Table(Rules(auto_single=False), seed=3)
    after = table.afterstate(table.legal_actions()[0])
    after = after.afterstate(after.legal_actions()[-1])
    assert after.tile_in_hand is None and after.n_tiles_left == table.n_tiles_left
    planes = after.observe(0)
    assert planes.keys() == table.observe(0).keys()
    assert all(np.isfinite(array).all() for array in planes.values())
