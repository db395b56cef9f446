"""Where compiled kernels are kept, and which older ones may go.

Everything lies in a subfolder of its own. A folder there is named after a hash of what was compiled
and holds a file in whose words carc_env says that it made the folder: no other is ever removed.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

SUBFOLDER = "kernels"
MARKER = "made-by-carc_env"
WORDS = "carc_env keeps compiled kernels here; it removes this folder when it is out of date.\n"
N_KEPT = 4

_NAME = re.compile("[0-9a-f]{16}")


def cache_root() -> Path:
    """The folder that holds all caches, of every version."""
    if chosen := os.environ.get("CARC_ENV_CACHE_DIR"):
        return Path(chosen) / SUBFOLDER
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "carc_env" / SUBFOLDER


def mark(folder: Path) -> None:
    """Say that carc_env made a folder."""
    (folder / MARKER).write_text(WORDS, encoding="utf-8")


def is_own(folder: Path) -> bool:
    """Tell whether carc_env made a folder: by its name, and by a file in carc_env's words."""
    if not _NAME.fullmatch(folder.name) or folder.is_symlink():
        return False
    try:
        return (folder / MARKER).read_text(encoding="utf-8") == WORDS
    except (OSError, UnicodeDecodeError):
        return False


def open_cache(key: str) -> Path:
    """The cache folder with a name; a temporary one where none can be made."""
    root = cache_root()
    folder = root / key
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        mark(folder)
    except OSError as error:
        temporary = Path(tempfile.mkdtemp(prefix="carc_env-"))
        print(
            f"carc_env: no cache can be kept ({error}), so every start compiles; "
            "set CARC_ENV_CACHE_DIR to a folder that can be written.",
            file=sys.stderr,
        )
        return temporary
    if is_new:
        prune(root, folder)
    return folder


def prune(root: Path, keep: Path) -> None:
    """Remove the oldest caches of other versions, and nothing that carc_env did not make."""
    others = sorted(
        (folder for folder in root.iterdir() if folder != keep and is_own(folder)),
        key=lambda folder: folder.stat().st_mtime,
    )
    for folder in others[: max(0, len(others) - N_KEPT + 1)]:
        shutil.rmtree(folder, ignore_errors=True)
