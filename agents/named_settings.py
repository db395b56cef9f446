"""Named settings of ``carc-env train value``: the files in ``configs``, part of the package."""

from __future__ import annotations

from pathlib import Path

from carc_env.choices import did_you_mean

_AGENTS = Path(__file__).parent
FOLDER = next(path for path in (_AGENTS / "configs", _AGENTS.parent / "configs") if path.is_dir())
"""Folder of the settings: within the agents in an installed package, next to them in a clone."""


def settings_of_the_package() -> dict[str, Path]:
    """Return the settings files by name, which is the file name without its extension."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}


def settings_file(source: Path) -> Path:
    """Return a settings file: a user's file, or a named one from the package.

    Raises
    ------
    ValueError
        Neither exists; the message lists the names and suggests the one that was probably meant.
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
