"""The folder of compiled kernels: what is removed from it, and what never is."""

import os

import pytest

from carc_env.engine import _cache

pytestmark = pytest.mark.once
KEY = "f" * 16


@pytest.fixture
def start(monkeypatch):
    """Opens the cache of a version as an import does."""

    def start_with(root):
        monkeypatch.setenv("CARC_ENV_CACHE_DIR", str(root))
        return _cache.open_cache(KEY)

    return start_with


def make_caches(root, n):
    for k in range(n):
        folder = root / _cache.SUBFOLDER / f"{k:016x}"
        folder.mkdir(parents=True)
        _cache.mark(folder)
        (folder / "complete").touch()
        os.utime(folder, (k, k))
    return sorted((root / _cache.SUBFOLDER).iterdir())


def test_old_caches_go_and_the_youngest_stay(tmp_path, start):
    folders = make_caches(tmp_path, 6)
    start(tmp_path)
    assert [folder.exists() for folder in folders] == [False] * 3 + [True] * 3


def test_folders_of_other_people_stay(tmp_path, start):
    runs = [tmp_path / f"run-{k}" for k in range(6)]
    lookalikes = [tmp_path / _cache.SUBFOLDER / f"{k:016x}" for k in range(16, 22)]
    for folder in (*runs, *lookalikes):
        folder.mkdir(parents=True)
        (folder / "complete").touch()
        (folder / "latest.ckpt").write_bytes(b"weeks of work")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    _cache.mark(elsewhere)
    link = tmp_path / _cache.SUBFOLDER / f"{99:016x}"
    link.symlink_to(elsewhere)
    named = tmp_path / _cache.SUBFOLDER / "checkpoints"
    named.mkdir()
    _cache.mark(named)
    make_caches(tmp_path, 8)
    start(tmp_path)
    for folder in (*runs, *lookalikes):
        assert (folder / "latest.ckpt").read_bytes() == b"weeks of work"
    assert link.is_symlink()
    assert elsewhere.is_dir()
    assert named.is_dir()


def test_nothing_is_removed_beside_a_temporary_cache(tmp_path, start, monkeypatch):
    """A cache that cannot be made where it should be is no reason to tidy up elsewhere."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(_cache.tempfile, "tempdir", str(temporary))
    folders = make_caches(temporary, 8)
    (tmp_path / "file").touch()
    assert start(tmp_path / "file").parent == temporary
    assert all(folder.is_dir() for folder in folders)
