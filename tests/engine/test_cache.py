"""Files of compiled kernels: who writes them, when they are valid, and which are removed."""

import errno
import os
import pwd
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from numba.np.numpy_support import numpy_version

from carc_env.engine.compiler import cache as caching
from carc_env.engine.compiler import jit, processors

pytestmark = pytest.mark.once
KEY = "f" * 16
KERNELS = {"begin": b"machine code", "step": bytes(100)}
NOBODY = 65534
SENTENCE = "carc_env: carc_env cannot keep compiled kernels ("
ADVICE = "set CARC_ENV_CACHE_DIR to a writable folder with 10 MB free.\n"

# Code for another process, which loads only this file; the file needs nothing else of carc_env.
OTHER = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_cache", {caching.__file__!r})
_cache = importlib.util.module_from_spec(spec)
spec.loader.exec_module(_cache)
cache = _cache.open_cache({KEY!r})
"""
COMPILE = f"""
cache.kernels |= {KERNELS!r}
print(cache.save())
"""
COMPILE_WHEN_TOLD = f"""
print("compiling", flush=True)
sys.stdin.readline()
{COMPILE}
"""


@pytest.fixture
def start(monkeypatch):
    """Open the cache of a version as an import does."""
    opened = []

    def start_with(root, key=KEY):
        monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(root))
        opened.append(caching.open_cache(key))
        return opened[-1]

    yield start_with
    for cache in opened:
        if cache._file is not None:
            cache._file.close()


@pytest.fixture
def shared():
    """Provide a folder that other users can reach as well."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture
def as_somebody_else(shared):
    """Remove the right to write to a folder; root loses it by becoming another user."""

    def take_rights():
        if os.geteuid() == 0:
            os.seteuid(NOBODY)
        else:
            for path in (shared, *shared.rglob("*")):
                path.chmod(0o555)

    yield take_rights
    os.seteuid(os.getuid())
    for path in (shared, *shared.rglob("*")):
        path.chmod(0o755)


@pytest.fixture
def other(tmp_path):
    """Start other processes that open the same cache."""
    processes = []

    def start_other(then):
        process = subprocess.Popen(
            [sys.executable, "-c", OTHER + then],
            env={**os.environ, "CARC_ENV_CACHE_DIR": str(tmp_path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    yield start_other
    for process in processes:
        process.kill()
        process.communicate()


def file_in(root, key=KEY):
    return root / caching.SUBFOLDER / key


def fill(cache, kernels=KERNELS):
    cache.kernels.update(kernels)
    return cache.save()


def make_caches(root, n):
    """Create caches of other versions and return them from the oldest to the newest."""
    for k in range(n):
        path = file_in(root, f"{k:016x}")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(caching.WORDS)
        os.utime(path, (k, k))
    return sorted((root / caching.SUBFOLDER).iterdir())


def test_what_was_saved_is_loaded(tmp_path, start, capsys):
    first = start(tmp_path)
    assert (first.kernels, first.is_complete) == ({}, False)
    assert fill(first)
    second = start(tmp_path)
    assert (second.kernels, second.is_complete) == (KERNELS, True)
    assert capsys.readouterr().err == ""


def test_others_may_read_what_only_the_owner_may_write(tmp_path, start):
    before = os.umask(0)
    try:
        fill(start(tmp_path))
    finally:
        os.umask(before)
    path = file_in(tmp_path)
    assert [oct(p.stat().st_mode & 0o777) for p in (path.parent, path)] == ["0o755", "0o644"]


def test_a_complete_cache_is_loaded_without_the_right_to_write(
    shared, start, as_somebody_else, capsys
):
    fill(start(shared))
    as_somebody_else()
    assert start(shared).is_complete
    assert capsys.readouterr().err == ""


def test_where_nothing_can_be_written_the_import_goes_on(
    shared, start, as_somebody_else, capsys, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    private = shared / f"carc_env-{KEY}"
    private.mkdir(mode=0o700)
    as_somebody_else()
    cache = start(shared / "new")
    assert not cache.is_complete
    assert not fill(cache)
    said = capsys.readouterr().err
    assert said.startswith(SENTENCE) and said.endswith(ADVICE) and said.count("\n") == 1
    assert [*shared.iterdir()] == [private], "no temporary folder"


def test_a_file_in_place_of_the_folder_is_reported(tmp_path, start, capsys):
    (tmp_path / "file").touch()
    assert not start(tmp_path / "file").is_complete
    assert "Not a directory" in capsys.readouterr().err


@pytest.fixture
def without_home(monkeypatch):
    def no_entry(_):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", no_entry)
    for name in ("HOME", "CARC_ENV_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_home_the_import_goes_on(without_home, capsys):
    assert not caching.open_cache(KEY).is_complete
    said = capsys.readouterr().err
    assert said == f"{SENTENCE}there is no home folder), so every start compiles; {ADVICE}"


def test_the_folder_for_caches_is_honoured_without_a_home(without_home, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert caching.cache_root() == tmp_path / "carc_env" / caching.SUBFOLDER


def test_an_empty_variable_names_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CARC_ENV_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "")
    assert caching.cache_root() == tmp_path / ".cache" / "carc_env" / caching.SUBFOLDER


def test_a_full_disk_leaves_no_file(tmp_path, start, capsys):
    cache = start(tmp_path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150, before[1]))
    try:
        is_saved = fill(cache)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not is_saved
    assert not file_in(tmp_path).exists()
    said = capsys.readouterr().err
    assert said.startswith(SENTENCE) and said.endswith(ADVICE) and said.count("\n") == 1


def damaged():
    path = file_in(Path(os.environ["CARC_ENV_CACHE_DIR"]))
    whole = path.read_bytes()
    yield from (whole[:n] for n in range(0, len(whole), 7))
    yield whole + b"more"
    yield whole[:-1] + b"?"
    yield b"garbage" * 100


def test_a_damaged_file_is_compiled_anew_and_replaced(tmp_path, start, capsys):
    fill(start(tmp_path))
    for content in [*damaged()]:
        file_in(tmp_path).write_bytes(content)
        cache = start(tmp_path)
        assert (cache.kernels, cache.is_complete) == ({}, False)
        assert fill(cache)
        assert start(tmp_path).kernels == KERNELS
    assert capsys.readouterr().err == ""


def test_processes_that_start_together_compile_once(tmp_path, other):
    first = other(COMPILE_WHEN_TOLD)
    assert first.stdout.readline() == "compiling\n"
    second = other("print(cache.is_complete, cache.kernels)")
    assert second.stderr.readline() == (
        "carc_env: another process is compiling the rules engine; waiting ...\n"
    )
    assert first.communicate("go on\n") == ("True\n", "")
    assert second.communicate() == (f"True {KERNELS}\n", "")


def test_a_killed_process_keeps_nobody_waiting(tmp_path, other):
    first = other(COMPILE_WHEN_TOLD)
    assert first.stdout.readline() == "compiling\n"
    second = other(COMPILE)
    assert "waiting" in second.stderr.readline()
    first.kill()
    assert second.communicate() == ("True\n", "")


def test_nobody_waits_forever(tmp_path, start, monkeypatch, capsys):
    monkeypatch.setattr(caching, "PATIENCE", 0)
    start(tmp_path)
    assert fill(start(tmp_path))
    assert capsys.readouterr().err.splitlines() == [
        "carc_env: another process is compiling the rules engine; waiting ...",
        "carc_env: the other process has not finished in 0 s, so this process compiles, too.",
    ]


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.ENOTSUP, None])
def test_where_there_are_no_locks_everybody_compiles(tmp_path, start, monkeypatch, capsys, code):
    def refuse(*_):
        raise OSError(code, os.strerror(code))

    if code is None:
        monkeypatch.setattr(caching, "fcntl", None)
    else:
        monkeypatch.setattr(caching.fcntl, "flock", refuse)
    together = [start(tmp_path), start(tmp_path)]
    assert all([fill(cache) for cache in together])
    assert start(tmp_path).kernels == KERNELS
    assert capsys.readouterr().err == ""


def test_old_caches_go_and_the_youngest_stay(tmp_path, start):
    paths = make_caches(tmp_path, 10)
    fill(start(tmp_path))
    assert [path.exists() for path in paths] == [False] * 3 + [True] * 7


def test_nothing_goes_before_the_new_cache_is_there(tmp_path, start):
    paths = make_caches(tmp_path, 10)
    start(tmp_path)
    assert all(path.exists() for path in paths)


def test_a_version_that_is_being_compiled_stays(tmp_path, start):
    slow = start(tmp_path, "0" * 16)
    os.utime(file_in(tmp_path, "0" * 16), (0, 0))
    for k in range(1, 12):
        fill(start(tmp_path, f"{k:016x}"))
    assert fill(slow)
    assert start(tmp_path, "0" * 16).is_complete


def test_what_carc_env_did_not_make_stays(tmp_path, start):
    folder = tmp_path / caching.SUBFOLDER
    make_caches(tmp_path, 12)
    runs = [tmp_path / f"run-{k}" for k in range(6)] + [folder / f"{k:016x}" for k in range(16, 22)]
    for run in runs:
        run.mkdir()
        (run / "latest.ckpt").write_bytes(b"weeks of work")
    foreign = folder / f"{99:016x}"
    foreign.write_bytes(b"weeks of work")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(caching.WORDS)
    link = folder / f"{100:016x}"
    link.symlink_to(elsewhere)
    named = folder / "checkpoint"
    named.write_bytes(caching.WORDS)
    for path in (foreign, elsewhere, named):
        os.utime(path, (0, 0))
    fill(start(tmp_path))
    assert all((run / "latest.ckpt").read_bytes() == b"weeks of work" for run in runs)
    assert foreign.read_bytes() == b"weeks of work"
    assert link.is_symlink() and elsewhere.exists() and named.exists()


def test_without_the_jit_there_is_no_cache(tmp_path):
    run = subprocess.run(
        [sys.executable, "-c", "import carc_env"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "CARC_ENV_CACHE_DIR": str(tmp_path)},
        check=True,
        capture_output=True,
    )
    assert (run.stdout, run.stderr) == (b"", b"")
    assert [*tmp_path.iterdir()] == []


def test_a_copy_of_the_sources_finds_the_same_cache(tmp_path, monkeypatch):
    own = processors.own_processor()
    key = jit._cache_key(own)
    copy, package = tmp_path / "engine", Path(jit.__file__).parents[2]
    for room in ("engine", "sets"):
        shutil.copytree(package / room, tmp_path / room, copy_function=shutil.copyfile)
    monkeypatch.setattr(jit, "__file__", str(copy / "compiler" / "jit.py"))
    assert jit._cache_key(own) == key
    with (copy / "flow" / "turn.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert jit._cache_key(own) != key


def test_each_processor_has_a_cache_of_its_own(monkeypatch):
    monkeypatch.setattr(processors.config, "CPU_NAME", "generic")
    assert jit._cache_key(processors.own_processor()) != jit.KEY


def test_each_numba_has_a_cache_of_its_own(monkeypatch):
    monkeypatch.setattr(jit.numba, "__version__", "0.68.99")
    assert jit._cache_key(processors.own_processor()) != jit.KEY


@pytest.mark.parametrize(("version", "is_same"), [("micro", True), ("minor", False)])
def test_each_minor_version_of_numpy_has_a_cache_of_its_own(monkeypatch, version, is_same):
    major, minor = numpy_version
    if version == "micro":
        monkeypatch.setattr(np, "__version__", f"{major}.{minor}.99")
    else:
        monkeypatch.setattr(jit, "numpy_version", (major, minor + 1))
    assert (jit._cache_key(processors.own_processor()) == jit.KEY) == is_same


SHIPPED_KEY = "e" * 16


@pytest.fixture
def ship(tmp_path, monkeypatch):
    """Put kernels into the package."""
    folder = tmp_path / "package"
    monkeypatch.setattr(caching, "SHIPPED", folder)

    def ship_as(key, kernels):
        monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(folder))
        assert fill(caching.open_cache(key), kernels)
        monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(tmp_path / "own"))
        return file_in(folder, key)

    return ship_as


def test_shipped_kernels_are_taken_before_anything_is_compiled(ship, tmp_path):
    ship(SHIPPED_KEY, KERNELS)
    cache = caching.open_cache(KEY, key_of_shipped=SHIPPED_KEY)
    assert (cache.kernels, cache.is_complete, cache.is_shipped) == (KERNELS, True, True)
    assert not (tmp_path / "own").exists()


def test_kernels_for_the_own_processor_come_first(ship):
    ship(SHIPPED_KEY, {"begin": b"for many"})
    fill(caching.open_cache(KEY))
    cache = caching.open_cache(KEY, key_of_shipped=SHIPPED_KEY)
    assert (cache.kernels, cache.is_shipped) == (KERNELS, False)


def test_shipped_kernels_of_another_version_are_not_taken(ship):
    ship("d" * 16, KERNELS)
    for key in (SHIPPED_KEY, ""):
        cache = caching.open_cache(KEY, key_of_shipped=key)
        assert not cache.is_complete and not cache.is_shipped
        cache._file.close()


def test_damaged_kernels_are_not_taken_from_the_package(ship):
    path = ship(SHIPPED_KEY, KERNELS)
    path.write_bytes(path.read_bytes()[:-1])
    cache = caching.open_cache(KEY, key_of_shipped=SHIPPED_KEY)
    assert not cache.is_complete and not cache.is_shipped
    cache._file.close()


def test_shipped_kernels_need_no_home(ship, without_home, capsys):
    ship(SHIPPED_KEY, KERNELS)
    os.environ.pop("CARC_ENV_CACHE_DIR")
    assert caching.open_cache(KEY, key_of_shipped=SHIPPED_KEY).is_shipped
    assert capsys.readouterr().err == ""


@pytest.fixture
def machine(monkeypatch):
    """Pretend that the processor is another one."""

    def be(platform, features):
        monkeypatch.setattr(processors.config, "CPU_NAME", None)
        monkeypatch.setattr(processors.config, "CPU_FEATURES", None)
        monkeypatch.setattr(processors, "own_processor", lambda: (platform, "own", "+avx512f"))
        monkeypatch.setattr(processors.llvm, "get_host_cpu_features", lambda: features)

    return be


LINUX = "x86_64-unknown-linux-gnu"
ALL_FEATURES = dict.fromkeys(processors.FEATURES, True)


def test_a_processor_that_has_all_features_runs_common_code(machine):
    machine(LINUX, ALL_FEATURES | {"avx512f": False})
    assert processors.common_processor() == (LINUX, processors.COMMON, "")


@pytest.mark.parametrize("missing", processors.FEATURES)
def test_a_processor_that_lacks_a_feature_does_not(machine, missing):
    machine(LINUX, ALL_FEATURES | {missing: False})
    assert processors.common_processor() is None


def test_another_kind_of_processor_does_not(machine):
    machine("aarch64-unknown-linux-gnu", ALL_FEATURES)
    assert processors.common_processor() is None


@pytest.mark.parametrize(("option", "asked"), [("CPU_NAME", "znver4"), ("CPU_FEATURES", "")])
def test_who_names_a_processor_has_kernels_for_it(machine, monkeypatch, option, asked):
    machine(LINUX, ALL_FEATURES)
    monkeypatch.setattr(processors.config, option, asked)
    assert processors.common_processor() is None


@pytest.fixture
def kept(monkeypatch):
    """Replace the cached kernels by an empty dictionary, and return it."""
    kernels = {}
    monkeypatch.setattr(jit._cache, "kernels", kernels)
    return kernels


def as_entry_point(function):
    function.__module__ = f"{jit.ENGINE}.entry"
    return jit.entry_point(jit.i8(jit.i8))(function)


def test_an_entry_point_is_compiled_once_and_loaded_then(kept):
    def twice(n):
        return 2 * n

    assert as_entry_point(twice)(4) == 8
    (name,) = kept
    assert name.endswith("twice")
    loaded = as_entry_point(twice)
    assert sum(loaded.stats.cache_hits.values()) == 1
    assert loaded(5) == 10


LARGE = np.zeros(200_000, np.int64)


def test_no_entry_point_is_kept_that_would_not_find_its_data(kept):
    def first(n):
        return LARGE[n]

    with pytest.raises(TypeError, match="first: a pointer, or an array of more than 1 MB"):
        as_entry_point(first)
    assert kept == {}
