"""Training settings by name: the files of ``configs``, which come with the package."""

from __future__ import annotations

from pathlib import Path

from carc_env.__main__ import TRAINED_BY
from carc_env.choices import did_you_mean

_AGENTS = Path(__file__).parent
FOLDER = next(path for path in (_AGENTS / "configs", _AGENTS.parent / "configs") if path.is_dir())
"""In an installed package it is within the agents, in a clone beside them."""


def settings_of_the_package() -> dict[str, Path]:
    """Return the files by their names, which are those of the files without the ending."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}


def training_of(name: str) -> str:
    """Return the training script of settings: their names begin with it; others are for ``ppo``.

    Names that begin with ``ppo`` belong to the recipe in a single file, ``ppo.py``.
    """
    first = name.partition("-")[0]
    if first == "ppo":
        return "ppo.py"
    return first if first in TRAINED_BY else "ppo"


def settings_file(source: Path) -> Path:
    """Return a file of settings: a user's file, or one of the package by name.

    Raises
    ------
    ValueError
        There is neither; the message lists the names, with the one that was probably meant.
    """
    known = settings_of_the_package()
    if source.is_file():
        return source
    if str(source) not in known:
        raise ValueError(
            f"{str(source)!r} is neither a file nor the name of settings that come with the "
            f"package: {', '.join(known)}{did_you_mean(source.stem, known)}"
        )
    return known[str(source)]
