"""The decorators: kernels of users, their cache, and other versions of numba."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from carc_env import Rules, Table
from carc_env.engine.compiler import cache, jit, known
from carc_env.engine.compiler.jit import JIT, entry_point, i8
from carc_env.engine.compiler.memory import reals_for
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
    """Import a user's module of kernels, as often as the test asks for."""
    monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(tmp_path / "cache"))
    # Bytecode files distinguish versions of a source only to the second.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
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
def test_and_until_the_search_changes_whose_kernels_it_may_call(
    users_module, tmp_path, monkeypatch
):
    users_module()
    read = Path.read_bytes

    def edited(path):
        return read(path) + b"# edited" * (path.name == "features.py")

    monkeypatch.setattr(Path, "read_bytes", edited)
    users_module()
    assert len(kept(tmp_path)) == 2


FACTORIES = """
from numba import float64 as f8
from carc_env.engine.compiler.jit import entry_point, i8

def at(k):
    @entry_point(i8(i8[::1]))
    def of_closure(a):
        return a[k]
    return of_closure

def last(wraparound):
    @entry_point(i8(i8[::1]), wraparound=wraparound)
    def of_wraparound(a):
        return a[-1]
    return of_wraparound

def twice(signature):
    @entry_point(signature)
    def of_signature(x):
        return x + x
    return of_signature
"""


@needs_compiler
def test_entry_points_of_one_name_are_told_apart(users_module):
    numbers = np.arange(10, 20)
    for _ in range(2):  # first compiled, then loaded
        users = users_module(FACTORIES)
        assert [users.at(k)(numbers) for k in (0, 3, -1)] == [10, 13, 19]
        assert [users.last(w)(numbers[1:]) for w in (False, True)] == [10, 19]
        assert users.twice(users.i8(users.i8))(3) == 6
        assert users.twice(users.f8(users.f8))(1.5) == 3.0


@needs_compiler
def test_nobody_waits_for_an_error_that_is_kept(users_module, capsys):
    broken = MODULE.replace("def doubled(s, seat):", "def doubled(s, seat):\n    s.no_such_field")
    for _ in range(2):
        with pytest.raises((KeyError, TypingError)) as kept_error:
            users_module(broken)
    assert "waiting" not in capsys.readouterr().err
    assert kept_error.value.__traceback__ is not None


@needs_compiler
def test_what_is_no_file_stops_nobody(users_module, tmp_path):
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / ".#lock.py").symlink_to(tmp_path / "user@host.1:2")
    path = tmp_path / "pkg" / "users.py"
    path.write_text(MODULE)
    spec = importlib.util.spec_from_file_location("pkg.users", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.twice_the_score(new_states(1), 0) == 0


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


LAST = """
import numpy as np
from carc_env.engine.compiler.jit import entry_point, i8, kernel, numba

@kernel(i8(i8[::1]){asked})
def last(numbers):
    return numbers[-1]

@entry_point(i8(i8[::1]){asked})
def last_of(numbers):
    return last(numbers[1:]) + 100 * numbers[-1]

def found():
    return last_of(np.arange(1, 5)[1:])
"""


def test_in_a_users_kernel_a_negative_index_counts_from_the_end(users_module):
    assert users_module(LAST.format(asked="")).found() == 404


@needs_compiler
def test_a_users_kernel_can_do_without_negative_indices(users_module):
    module = users_module(LAST.format(asked=", wraparound=False"))
    assert module.found() == 102  # the elements before the arrays


SOMEBODYS = """
import numpy as np
from carc_env.engine.compiler.jit import entry_point, i8, kernel, numba

@numba.njit
def last(numbers):
    return numbers[-1]

@entry_point(i8(i8[::1]), wraparound=False)
def last_of(numbers):
    return last(numbers)
"""


@needs_compiler
def test_what_numba_compiles_inside_an_entry_point_is_as_everywhere(users_module):
    module = users_module(SOMEBODYS)
    assert module.last_of(np.arange(4)) == 3
    assert module.last(np.arange(4)) == 3


IN_A_THREAD = """
import sys
import threading
import numba
import numpy as np

wrong, is_over = [], threading.Event()

def compile_others():
    while not is_over.is_set():
        last = numba.njit(numba.float64(numba.float64[::1]))(lambda numbers: numbers[-1])
        wrong.extend({last(np.arange(6.0))} - {5.0})

thread = threading.Thread(target=compile_others, daemon=True)
thread.start()
exec(open(sys.argv[1]).read(), {"__name__": "users"})
is_over.set()
thread.join()
print(wrong)
"""


@needs_compiler
def test_what_other_threads_compile_meanwhile_is_as_everywhere(tmp_path):
    users = tmp_path / "users.py"
    users.write_text("import carc_env\n" + MODULE)
    run = [sys.executable, "-c", IN_A_THREAD, str(users)]
    printed = subprocess.run(run, capture_output=True, text=True, check=True, timeout=600)
    assert printed.stdout == "[]\n", printed.stderr


@needs_compiler
def test_plain_numba_cannot_call_a_kernel(users_module):
    module = users_module(MODULE)

    @numba.njit
    def caller(states):
        return module_doubled(states[0], 0)

    module_doubled = module.doubled
    with pytest.raises(TypeError, match="only kernels and entry points can call a kernel"):
        caller(new_states(1))


def test_the_installed_numba_is_as_expected():
    assert known.what_is_unknown() == ""


def test_another_numba_is_noticed(monkeypatch):
    owner = known.CompileResult
    monkeypatch.setattr(owner, "_reduce", lambda result, kind: None)
    assert known.what_is_unknown() == "_reduce takes result, kind"
    monkeypatch.delattr(owner, "_reduce")
    assert known.what_is_unknown() == "there is no _reduce"
    monkeypatch.setattr(numba, "version_info", numba.version_info._replace(short=(0, 61)))
    assert known.what_is_unknown() == "it knows 0.68"


@needs_compiler
def test_plain_numba_gets_all_options_that_it_has(monkeypatch):
    def options():
        kernel = jit._kernel_of_plain_numba(lambda n: n, i8(i8), inline=True)
        return kernel.targetoptions

    asked = {"_nrt": False, "forceinline": True, "error_model": "numpy"}
    asked |= {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    assert options().items() >= asked.items()
    monkeypatch.delattr(known.DefaultOptions, "forceinline")
    assert asked.keys() - options().keys() == {"forceinline"}


PLAY = """
from carc_env import Game, Rules
game = Game(Rules(n_players=3), seed=5)
while not game.is_over:
    game.apply(game.greedy_action())
print(game.scores)
"""


@pytest.mark.long
@pytest.mark.anew
@needs_compiler
def test_with_another_numba_games_are_the_same_and_the_next_start_is_quick(tmp_path):
    other = f"""
from numba.core import codegen
known = codegen.CPUCodeLibrary.finalize
codegen.CPUCodeLibrary.finalize = lambda *arguments: known(*arguments)
{PLAY}"""
    own = {**os.environ, "CARC_ENV_CACHE_DIR": str(tmp_path)}
    kept = []
    for code, env in ((PLAY, os.environ), (other, own), (other, own)):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
        assert run.stdout == "(66, 97, 98)\n", run.stderr
        assert ("plain numba" in run.stderr) == (code == other)
        files = (tmp_path / cache.OF_PLAIN_NUMBA).rglob("*.nbc")
        kept.append({path: path.stat().st_mtime_ns for path in files})
    assert len(kept[1]) > 30 and kept[2] == kept[1]


@needs_compiler
def test_room_of_a_size_that_is_no_constant_is_refused_in_words():
    rows, columns = 3, 4
    with pytest.raises(TypingError, match=r"take a constant.* outside the kernel"):

        @entry_point(i8(i8))
        def first_of(n):
            return int(reals_for(rows * columns)[0]) + n
