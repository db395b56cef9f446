"""Perft: the number of positions at depth n, against the file and against the naive oracle."""

from dataclasses import replace
from itertools import takewhile

import pytest

from carc_env.engine.compiler.jit import BOUNDS_CHECK, JIT
from carc_env.engine.core.codes import Phase
from carc_env.game.notation import format_place
from carc_env.position import PlacedTile
from scripts.perft import divide, format_divide, load_cases, perft
from tests.oracle import naive

CASES = load_cases()

LARGEST = 200 if not JIT else 100_000 if BOUNDS_CHECK else 2_000_000
"""Larger counts are left to ``make perft``."""

ORACLE_DEPTH = {"start": 5, "middle": 3, "abbots": 2, "aside": 5, "forked-river": 4, "shrines": 2}
"""How deep the oracle can look in about a second."""


@pytest.mark.interpreted
@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_the_file(name):
    case = CASES[name]
    small = takewhile(lambda count: count <= LARGEST, case.counts)
    for depth, want in enumerate(small, start=1):
        found = perft(case.position, depth)
        if found != want:
            moves = format_divide(divide(case.position, depth))
            pytest.fail(f"{name}, depth {depth}: {found:,}, the file says {want:,}\n{moves}")


def drawn(position):
    """The next turn: a tile of the bag that fits, those before it aside, or the end (BASE-05)."""
    aside, bag = list(position.aside), list(position.bag)
    while bag and not naive.placements(position, bag[0]):
        aside.append(bag.pop(0))
    seat = (position.turn_player + 1) % position.rules.n_players
    return replace(
        position,
        phase=Phase.PLACE_TILE if bag else Phase.GAME_OVER,
        turn_player=seat,
        decider=seat,
        tile_in_hand=bag.pop(0) if bag else None,
        aside=tuple(aside),
        bag=tuple(bag),
    )


def word(choice):
    """The name of a figure action in our notation."""
    if choice is None or choice == "recall":
        return choice or "pass"
    figure, spot = choice
    return f"{figure.name.lower()} {spot.name}"


def successors(position):
    """All positions one decision away with the names of the decisions, by the oracle's rules."""
    if position.phase == Phase.PLACE_TILE:
        for place in naive.placements(position, position.tile_in_hand):
            tile = PlacedTile(position.tile_in_hand, *place)
            placed = replace(position, tiles=(*position.tiles, tile), tile_in_hand=None)
            yield format_place(tile), replace(placed, phase=Phase.FIGURE)
    for choice in naive.choices(position):
        scores, figures, _ = naive.after(position, choice)
        yield word(choice), drawn(replace(position, scores=scores, figures=figures))


def count(position, depth):
    if depth == 0:
        return 1
    if depth == 1 and position.phase == Phase.PLACE_TILE:
        return len(naive.placements(position, position.tile_in_hand))
    if depth == 1:
        return len(naive.choices(position))
    return sum(count(after, depth - 1) for _, after in successors(position))


@pytest.mark.parametrize("name", CASES)
def test_the_naive_oracle_counts_the_same_behind_every_first_move(name):
    position = CASES[name].position
    for depth in range(1, ORACLE_DEPTH[name] + 1):
        wanted = {move: count(after, depth - 1) for move, after in successors(position)}
        assert divide(position, depth) == wanted
        assert sum(wanted.values()) == CASES[name].counts[depth - 1]


def leaves(position, depth):
    if depth == 0:
        yield position
        return
    for _, after in successors(position):
        yield from leaves(after, depth - 1)


def test_in_some_lines_of_a_position_a_tile_is_put_aside():
    """BASE-05; the counts would not notice if the position lost what it is there for."""
    ends = {leaf.aside for leaf in leaves(CASES["aside"].position, 4)}
    assert ends == {(), ("bg-city4-shield",)}
