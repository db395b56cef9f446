"""Perft: the number of positions at depth n equals the file and the naive oracle."""

from itertools import takewhile

import pytest

from carc_env.engine.compiler.jit import BOUNDS_CHECK, JIT
from scripts.perft import divide, format_divide, load_cases, perft
from tests.oracle import turns

CASES = load_cases()

LARGEST = 200 if not JIT else 100_000 if BOUNDS_CHECK else 700_000
"""Only the long tests and ``make perft`` check larger counts."""


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("name", "largest"),
    [
        *((name, LARGEST) for name in CASES),
        *(pytest.param(name, 2_000_000, marks=pytest.mark.long) for name in ("abbots", "tower")),
    ],
)
def test_counts_are_those_of_the_file(name, largest):
    case = CASES[name]
    small = takewhile(lambda count: count <= largest, case.counts)
    for depth, want in enumerate(small, start=1):
        found = perft(case.position, depth)
        if found != want:
            moves = format_divide(divide(case.position, depth))
            pytest.fail(f"{name}, depth {depth}: {found:,}, the file says {want:,}\n{moves}")


def successors(position):
    """Yield the name of each decision with the position after it, by the oracle's rules."""
    for name in sorted(turns.legal(position)):
        yield name, turns.following(position, name)


def count(position, depth):
    """Return the number of positions that are ``depth`` decisions away."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(turns.legal(position))
    return sum(count(after, depth - 1) for _, after in successors(position))


@pytest.mark.parametrize("name", CASES)
def test_the_naive_oracle_counts_the_same_behind_every_first_move(name):
    position = CASES[name].position
    for depth in range(1, CASES[name].oracle + 1):
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
    """BASE-05: the counts alone would not show that the position sets a tile aside."""
    ends = {leaf.aside for leaf in leaves(CASES["aside"].position, 4)}
    assert ends == {(), ("bg-city4-shield",)}
