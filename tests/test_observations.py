"""Observations: names, values for a known position, perspective, and no hidden information."""

import re

import numpy as np
import pytest

from carc_env import Game, Rules, Table
from carc_env.engine.core.codes import Phase
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.game.notation import parse_position
from carc_env.layout.encodings import Planes
from carc_env.layout.observations import (
    board_shape,
    describe_globals,
    describe_planes,
    global_names,
    plane_names,
)
from tests.oracle import naive

POSITION = """
[carc_env position 1]
[rules {auto_single: false}]
[scores 20:5]
[turn A places bg-straight]
bg-cap-straight 0,0 r0: A meeple N
bg-monastery 0,1 r0: B abbot mid
bg-straight 1,0 r0: B meeple Nw
"""
START = 16, 16
TWO_ON_A_TILE = """
[carc_env position 1]
[rules {sets: [base, princess], portals: true, auto_single: false}]
[scores 0:0]
[turn A places bg-monastery-road]
bg-cap-straight 0,0 r0
bg-monastery-road 1,0 r0: A meeple W, A meeple mid
"""


def seen(text=POSITION, seat=0):
    game = Game.from_position(parse_position(text))
    observation = game.observe(seat)
    planes = dict(zip(plane_names(game.rules), observation["board"], strict=True))
    numbers = dict(zip(global_names(game.rules), observation["globals"], strict=True))
    return planes, numbers


def cell(game_view, x, y, n_columns, n_rows):
    """Return a cell's row and column in the view, given the size of the board's bounding box."""
    return y - n_rows + game_view // 2, x - n_columns + game_view // 2


@pytest.mark.parametrize(
    "rules",
    [
        Rules(abbot=False),
        Rules(),
        Rules(n_players=5, view=20),
        Rules.preset("abbey-mayor", n_players=3),
        Rules(barns=True, abbeys=True),
        Rules.preset("bridges", n_players=4),
        Rules.preset("inns", n_players=3),
        Rules.preset("all", n_players=3),
        Rules.preset("river", builders=True),
        Rules(sets=("base", "bridges"), castles=True, bazaars=True, bazaar_mode="take"),
    ],
)
def test_observations_lie_in_their_space(rules):
    space = Planes(rules).space()
    assert len(set(plane_names(rules))) == board_shape(rules)[0]
    assert len(set(global_names(rules))) == space["globals"].shape[0]
    assert sum(n for _, n, _, _ in describe_globals(rules)) == len(global_names(rules))
    table = Table(rules, seed=1)
    while not table.is_over:
        for seat in range(rules.n_players):
            assert space.contains(table.observe(seat))
        table.step(table.random_action())
    assert space.contains(table.observe(0))


def test_the_planes_of_a_known_position():
    planes, _ = seen()
    # The box is 2 x 2 cells, so its middle is the cell (1, 1), which is at row and column 16.
    start, monastery, straight = (15, 15), (16, 15), (15, 16)
    assert {tuple(c) for c in np.argwhere(planes["occupied"])} == {start, monastery, straight}
    assert planes["city N"][start] and planes["road E"][start] and not planes["road N"][start]
    assert planes["link EW"][start] and not planes["link NE"][start]
    assert planes["monastery"][monastery] and not planes["monastery"][start]
    assert planes["leads N 0"][start] and not planes["leads N 1"][start]
    assert planes["worth N"][start] == 1
    assert planes["worth E"][start] == 2
    assert not planes["complete N"][start]
    assert planes["leads Nw 1"][straight] and not planes["leads Nw 0"][straight]
    assert planes["leads En 1"][start], "the field runs from the straight to the start tile"
    assert planes["leads mid 1"][monastery] and planes["worth mid"][monastery] == 3
    assert planes["meeple 0"][start] == 1 and planes["meeple 1"].sum() == 0
    assert planes["farmer 1"][straight] == 1 and planes["abbot 1"][monastery] == 1
    assert planes["last tile"][straight] == 1 and planes["last tile"].sum() == 1
    candidates = sum(planes[f"candidate r{r}"].sum() for r in range(4))
    assert candidates == len(Game.from_position(parse_position(POSITION)).legal_actions())


def test_the_other_seat_sees_the_same_from_its_own_side():
    mine, _ = seen(seat=0)
    theirs, numbers = seen(seat=1)
    assert np.array_equal(mine["leads N 0"], theirs["leads N 1"])
    assert np.array_equal(mine["leads mid 1"], theirs["leads mid 0"])
    assert np.array_equal(mine["farmer 1"], theirs["farmer 0"])
    assert numbers["score 0"] == pytest.approx(0.05)
    assert numbers["score 1"] == pytest.approx(0.20)


def test_the_globals_of_a_known_position():
    _, numbers = seen()
    assert numbers["phase place_tile"] == 1 and numbers["phase figure"] == 0
    assert numbers["score 0"] == pytest.approx(0.2)
    assert numbers["projected 0"] == pytest.approx(0.21)
    assert numbers["projected 1"] == pytest.approx(0.08)
    assert numbers["meeples 0"] == pytest.approx(6 / 7) and numbers["abbots 1"] == 0
    assert numbers["turn 0"] == 1 and numbers["turn 1"] == 0
    assert numbers["hand bg-straight"] == 1
    assert numbers["left bg-straight"] == pytest.approx(5 / 7)
    assert numbers["left bg-cap-straight"] == pytest.approx(3 / 4)
    assert numbers["left bg-cap"] == 1
    assert all(v == 0 for name, v in numbers.items() if name.startswith("free"))


def test_the_spots_of_the_tile_just_placed():
    text = POSITION.replace("A places bg-straight", "B acts")
    text = text.replace(": B meeple Nw", "")
    _, numbers = seen(text, seat=1)
    assert numbers["phase figure"] == 1
    assert numbers["road E"] == 1 and numbers["free E"] == 1
    assert numbers["worth E"] == pytest.approx(2 / 20) and numbers["open E"] == pytest.approx(2 / 8)
    assert numbers["field Nw"] == 1 and numbers["free N"] == 0


@pytest.mark.parametrize("preset", ["base", "abbey-mayor"])
def test_majorities_and_worth_agree_with_the_naive_oracle(preset):
    table = Table(Rules.preset(preset, n_players=3), seed=12)
    names = plane_names(table.rules)
    n_checked = 0
    while not table.is_over:
        table.step(table.random_action())
        position = table.position()
        if len(position.tiles) % 12 or table.phase != Phase.PLACE_TILE:
            continue
        board = dict(zip(names, table.observe(1)["board"], strict=True))
        x0, y0 = naive.window(position)
        for feature in naive.features(position):
            leaders = naive.majority(feature)
            for x, y, spot in feature.segments:
                at = (y - y0, x - x0)
                if f"worth {spot.name}" not in board:
                    continue
                for k in range(3):
                    assert board[f"leads {spot.name} {k}"][at] == ((1 + k) % 3 in leaders)
                assert board[f"worth {spot.name}"][at] == naive.value(position, feature, True)
                n_checked += 1
    assert n_checked > 50


ABBEY = """
[carc_env position 1]
[rules {n_players: 3, sets: [base, abbey], abbeys: true, mayors: true, barns: true, wagons: true}]
[scores 0:0:0]
[abbeys 1:0:1]
[turn A begins]
bg-cap-straight 0,0 r0: C mayor N
bg-junction 1,0 r0: A wagon S
bg-straight 1,1 r1
bg-curve -1,0 r3
bg-straight -1,1 r1
bg-curve -1,2 r2
bg-monastery-road 0,2 r0
am-abbey 0,1 r0: B abbot mid
"""


def test_planes_and_globals_of_abbey_and_mayor():
    holes = ABBEY.replace("am-abbey 0,1 r0: B abbot mid\n", "").replace("1:0:1", "1:1:1")
    planes, numbers = seen(holes)
    assert planes["candidate r0"].sum() == 1 and planes["abbey"].sum() == 0
    assert planes["mayor 2"].sum() == 1 and planes["wagon 0"].sum() == 1
    assert (numbers["abbeys 0"], numbers["abbeys 1"], numbers["wagons 0"]) == (1, 1, 0)
    assert numbers["phase draw_or_abbey"] == 1
    planes, numbers = seen(ABBEY.replace("A begins", "A places bg-straight"), seat=1)
    assert planes["abbey"].sum() == 1 and planes["abbot 0"].sum() == 1
    assert (numbers["abbeys 0"], numbers["abbeys 1"], numbers["abbots 0"]) == (0, 1, 0)


def test_strength_zero_is_no_majority():
    """MAY-09, BARN-01: a mayor without coats, or a barn alone, has no majority."""
    planes, _ = seen(ABBEY.replace("A begins", "A places bg-straight"), seat=2)
    start = np.argwhere(planes["mayor 0"])[0]
    assert not any(planes[f"leads N {seat}"][tuple(start)] for seat in range(3))


def test_a_barn_is_shown_with_its_corner():
    text = """
    [carc_env position 1]
    [rules {barns: true}]
    [scores 0:0]
    [turn A places bg-curve]
    bg-cap-straight 0,0 r0: B barn SE
    bg-straight 1,0 r0
    bg-monastery 0,1 r0
    bg-monastery 1,1 r0
    """
    planes, _ = seen(text, seat=1)
    assert planes["barn 0"].max() == 2 and planes["barn 0"].sum() == 2
    assert planes["leads Es 0"].sum() == planes["leads Es 1"].sum() == 0


TRADERS = """
[carc_env position 1]
[rules {n_players: 3, sets: [base, river1, traders], builders: true, pigs: true, goods: true}]
[scores 0:0:0]
[wine 0:1:0]
[second part 1,-2]
[turn A places bg-curve]
rv-source 0,0 r0: C meeple Nw, C pig Nw
tb-span-wine 0,1 r1
bg-cap 1,1 r3
bg-cap -1,1 r1
bg-straight 0,-1 r0: A meeple E
bg-curve 1,-1 r0: A builder S
tb-corner-grain 0,-2 r0
tb-span-cloth-and-cap 1,-2 r3
"""


def test_planes_and_globals_of_traders_and_the_river():
    planes, numbers = seen(TRADERS)
    grain, cloth = np.argwhere(planes["grain"]), np.argwhere(planes["cloth"])
    assert len(grain) == len(cloth) == planes["wine"].sum() == 1
    assert (cloth - grain).tolist() == [[0, 1]]
    assert planes["river W"].sum() == 1 and planes["river N"].sum() == 0
    assert (np.argwhere(planes["river W"]) - grain).tolist() == [[2, 0]]
    assert planes["builder 0"].sum() == planes["pig 2"].sum() == 1
    assert (numbers["builders 0"], numbers["builders 1"], numbers["pigs 2"]) == (0, 1, 0)
    assert numbers["wine 1"] == pytest.approx(0.1) and numbers["wine 0"] == 0
    assert (numbers["second part"], numbers["extended"]) == (1, 0)
    _, numbers = seen(TRADERS.replace("[second part 1,-2]\n", ""))
    assert numbers["second part"] == 0


@pytest.mark.parametrize(
    ("preset", "n_players"), [("abbey-mayor", 2), ("abbey-mayor", 4), ("all", 3), ("big-box", 3)]
)
def test_the_rest_of_the_bag_is_hidden(preset, n_players):
    rules = Rules.preset(preset, n_players=n_players, bazaar_builder_order="builder_first")
    table = Table(rules, seed=8)
    while not table.is_over:
        twin = table.clone()
        twin.reshuffle(77)
        for seat in range(n_players):
            mine, other = table.observe(seat), twin.observe(seat)
            assert np.array_equal(mine["board"], other["board"])
            assert np.allclose(mine["globals"], other["globals"], rtol=0, atol=1e-6)
        assert table.legal_actions() == twin.legal_actions()
        table.step(table.random_action())


def test_planes_hold_what_their_description_says():
    rules = Rules.preset("all", n_players=3)
    described = {name: found.values for found in describe_planes(rules) for name in found.names}
    values = [described[re.sub(r" \d$", " #", name)] for name in plane_names(rules)]
    table, largest = Table(rules, seed=1), np.zeros(len(values), int)
    while not table.is_over:
        largest = np.maximum(largest, table.observe()["board"].max(axis=(1, 2)))
        table.step(table.greedy_action())
    most = {"1": 1, "1; 2": 2, "0 to 2": 2, "1 to 4": 4}
    assert {value for value in values if "points" not in value} == most.keys()
    for name, value, found in zip(plane_names(rules), values, largest, strict=True):
        assert found <= most.get(value, 255), name


def test_of_two_meeples_on_a_tile_one_stays_in_view():
    """PD-65: the second meeple came through a portal; then the road is completed."""
    game = Game.from_position(parse_position(TWO_ON_A_TILE))
    env = CarcassonneVectorEnv(1, rules=game.rules, opponents="self")
    env.reset(seed=1, options={"states": [game.position()]})
    for name in ("bg-monastery-road -1,0 r2", "pass"):
        action = game.action(name)
        game.apply(action)
        observation, *_ = env.step(np.array([action]))
    table = env.table(0)
    assert [(f.spot.name, f.seat) for f in game.position().figures] == [("mid", 0)]
    fresh = table.observe(table.decider)["board"]
    assert fresh[plane_names(game.rules).index("meeple 1")].sum() == 1
    assert np.array_equal(observation["board"][0], fresh.transpose(1, 2, 0).ravel())
