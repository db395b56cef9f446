"""The decorators: kernels of users, what is kept of them, and other versions of numba."""

import importlib.util
import subprocess
import sys

import pytest

from carc_env import Rules, Table
from carc_env.engine.compiler import cache, patches
from carc_env.engine.compiler.jit import JIT
from carc_env.engine.core.state import new_states

pytestmark = pytest.mark.once
needs_compiler = pytest.mark.skipif(not JIT, reason="nothing is compiled")

MODULE = """
from carc_env.engine.compiler.jit import entry_point, i8, kernel
from carc_env.engine.core.state import State, States

@kernel(i8(State, i8))
def doubled(s, seat):
    return 2 * s.players[seat].score

@entry_point(i8(States, i8))
def twice_the_score(states, seat):
    return doubled(states[0], seat)
"""


@pytest.fixture
def users_module(tmp_path, monkeypatch):
    """Imports a user's module of kernels, as often as asked for."""
    monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # it tells sources apart by the second
    path = tmp_path / "users.py"

    def import_it(text=MODULE):
        path.write_text(text)
        spec = importlib.util.spec_from_file_location("users", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return import_it


def kept(tmp_path):
    return sorted((tmp_path / "cache" / cache.USERS).glob("*"))


def test_a_users_kernel_reads_a_game(users_module):
    table = Table(Rules(), seed=1)
    table.states[0].players[1].score = 21
    assert users_module().twice_the_score(table.states, 1) == 42


@needs_compiler
def test_a_users_entry_point_is_kept_until_its_source_changes(users_module, tmp_path):
    states = new_states(1)
    states[0].players[0].score = 5
    assert users_module().twice_the_score(states, 0) == 10
    (first,) = kept(tmp_path)
    written = first.read_bytes()
    assert users_module().twice_the_score(states, 0) == 10
    assert (kept(tmp_path), first.read_bytes()) == ([first], written)
    assert users_module(MODULE.replace("2 *", "3 *")).twice_the_score(states, 0) == 15
    assert len(kept(tmp_path)) == 2


@needs_compiler
def test_what_is_typed_at_a_prompt_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(tmp_path / "cache"))
    typed = {"__name__": "__main__"}
    exec(MODULE, typed)
    assert typed["twice_the_score"](new_states(1), 0) == 0
    assert kept(tmp_path) == []


@needs_compiler
def test_a_users_kernel_cannot_be_called_from_python(users_module):
    with pytest.raises(TypeError, match="doubled: Python can only call entry points"):
        users_module().doubled(new_states(1)[0], 0)


def test_the_installed_numba_is_as_expected():
    assert patches.what_is_unknown() == ""


def test_another_numba_is_noticed(monkeypatch):
    owner = patches.arrayobj
    monkeypatch.setattr(owner, "fix_integer_index", lambda context, typ: None)
    assert patches.what_is_unknown() == "fix_integer_index takes context, typ"
    monkeypatch.delattr(owner, "fix_integer_index")
    assert patches.what_is_unknown() == "there is no fix_integer_index"


PLAY = """
from carc_env import Game, Rules
game = Game(Rules(n_players=3), seed=5)
while not game.is_over:
    game.apply(game.greedy_action())
print(game.scores)
"""


@pytest.mark.long
@needs_compiler
def test_with_another_numba_games_are_the_same():
    other = f"""
from numba.np import arrayobj
known = arrayobj.fix_integer_index
arrayobj.fix_integer_index = lambda *arguments: known(*arguments)
{PLAY}"""
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for code in (PLAY, other)
    ]
    assert runs[1].stdout == runs[0].stdout
    assert "plain numba" in runs[1].stderr and "plain numba" not in runs[0].stderr
