"""Without the JIT, errors that compiled code hides are raised, and games have the same bytes."""

import os
import subprocess
import sys

import numpy as np
import pytest

from carc_env import Rules
from carc_env.engine import entry
from carc_env.engine.compiler.jit import JIT
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.state import new_states
from carc_env.layout.template import template
from tests.engine.digest import GREEDY_GAMES, RANDOM_GAMES, digest

pytestmark = pytest.mark.interpreted
without_the_jit = pytest.mark.skipif(JIT, reason="`make test-interpreted` runs this")


@without_the_jit
@pytest.mark.parametrize("name", [*RANDOM_GAMES, *GREEDY_GAMES])
def test_what_is_shown_and_what_greedy_players_do_is_the_same_with_the_jit(name):
    compiled = subprocess.run(
        [sys.executable, "-m", "tests.engine.digest", name],
        env={**os.environ, "NUMBA_DISABLE_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert compiled.stdout.split() == [digest(name)]


@without_the_jit
def test_an_overflow_is_an_error():
    with pytest.raises(RuntimeWarning, match="overflow"):
        np.int64(2**62) * np.int64(2)


@without_the_jit
def test_unwritten_memory_is_no_index():
    with pytest.raises(IndexError):
        np.zeros(2**20, np.int8)[room_for(1)[0]]


def test_states_are_copied_over_each_other():
    states = new_states(2)
    for i in range(2):
        entry.begin(states, i, template(Rules()), np.uint64(i))
    other = states[1].tobytes()
    assert states[0].tobytes() != other
    entry.clone_many(states, 2)
    assert [state.tobytes() for state in states] == [other] * 2
