"""Dragon and towers: greedy and the learned value use them against opponents."""

import numpy as np
import pytest

from carc_env import Game, parse_position
from carc_env.search.features import OFFSETS, TABLES, starting_weights
from carc_env.search.value import value
from carc_env.sets.princess_dragon.dragon.value import FAR

RULES = (
    "{sets: [base, princess, tower], dragon: true, fairy: true, princesses: true, portals: true, "
    "towers: true, auto_single: false}"
)
TILES = """
    bg-cap-straight 0,0 r0
    pd-straight-volcano 1,0 r0
    pd-span-tunnel-dragon -1,0 r0: A meeple E
    to-field-garden 0,1 r0
    bg-monastery 1,1 r0: B meeple mid
    pd-straight-dragon 2,0 r0"""


def position(turn, *headers, tiles=TILES):
    lines = ["[carc_env position 1]", f"[rules {RULES}]", "[scores 0:0]", *headers]
    return parse_position("\n".join([*lines, f"[turn {turn}]", *tiles.split("\n")]))


FLIES = ("A flies", "[dragon 0,1]", "[flight 0,1]")


def test_greedy_lets_the_dragon_eat_its_rival():
    """B's monk is to the east; nobody is to the north, but A's thief is beyond that tile."""
    game = Game.from_position(position(*FLIES))
    assert {game.name(a) for a in game.legal_actions()} == {"dragon 0,0", "dragon 1,1"}
    assert game.name(game.greedy_action()) == "dragon 1,1"


def test_greedy_captures_with_a_tower():
    game = Game.from_position(position("A acts", "[dragon 0,1]", "[floors 10:10]"))
    for name in ("to 0,1", "floor 0,1", "to 1,1", "remove 1,1 mid"):
        assert game.name(game.greedy_action()) == name
        game.apply(name)
    assert len(game.position().prisoners) == 1


def entry(table, *indices):
    """Return the number of an entry."""
    return OFFSETS[table] + int(np.ravel_multi_index(indices, TABLES[table]))


def worth(found, seat, **weights):
    """Return how much more a position is worth to a seat if a few entries have weights."""
    values = np.zeros_like(starting_weights())
    for name, (indices, weight) in weights.items():
        values[entry(name, *indices)] = weight
    game = Game.from_position(found)
    return value(game.states[0], seat, values) - value(game.states[0], seat, 0 * values)


def test_a_figure_is_in_danger_by_its_distance_from_the_dragon():
    found = position("A acts", "[dragon 0,1]", "[floors 10:10]")
    mine = {d: worth(found, 0, danger=((0, 3, 0, d, 1), 1.0)) for d in range(FAR + 1)}
    assert mine == {d: d == 2 for d in range(FAR + 1)}  # the thief at -1,0, on a road of 4 tiles
    theirs = {d: worth(found, 0, danger=((1, 3, 0, d, 1), 1.0)) for d in range(FAR + 1)}
    assert theirs == {d: d == 1 for d in range(FAR + 1)}


@pytest.mark.parametrize("seat", [0, 1])
def test_meeples_in_the_reach_of_a_tower_floors_and_captives_are_seen(seat):
    held = "[prisoners B holds A meeple]"
    found = position("A acts", "[dragon 0,1]", "[floors 10:9]", "[towers 0,1 1]", held)
    times = range(TABLES["range"][1])
    in_reach = sum(worth(found, seat, range=((1 - seat, t, 1), 1.0)) for t in times)
    assert in_reach == 1  # B's monk
    assert sum(worth(found, seat, captive=((seat, t, 1), 1.0)) for t in times) == 1
    assert sum(worth(found, seat, captive=((seat, t, 0), 1.0)) for t in times) == 0
    assert sum(worth(found, seat, floors=((0, t, 3), 1.0)) for t in times) == 1


def test_the_meeple_beside_the_fairy_is_safe_and_hers():
    found = position("A acts", "[dragon 0,1]", "[fairy -1,0 E]", "[floors 10:10]")
    assert worth(found, 0, danger=((0, 3, 0, 2, 1), 1.0)) == 0
    times = range(TABLES["fairy"][1])
    assert sum(worth(found, 0, fairy=((0, t), 1.0)) for t in times) == 1
    assert sum(worth(found, 1, fairy=((1, t), 1.0)) for t in times) == 1
