"""Optional packages: errors about a missing package name the extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

EXTRA_OF = {
    "PIL": "render",
    "pygame": "render",
    "resvg_py": "render",
    "choix": "arena",
    "matplotlib": "arena",
    "scipy": "arena",
    "sb3_contrib": "train",
    "stable_baselines3": "train",
    "tensorboard": "train",
    "torch": "train",
    "torchrl": "train",
    "tqdm": "train",
    "minari": "minari",
    "openai": "text",
    "textarena": "textarena",
    "verifiers": "verifiers",
    "openenv": "openenv",
    "pyspiel": "openspiel",
    "ray": "ray",
    "jax": "jax",
}
"""The smallest extra that includes each package, by import name."""


@contextmanager
def extras_named() -> Iterator[None]:
    """Make failed imports in a ``with`` block name the extra to install.

    Raises
    ------
    ModuleNotFoundError
        The original error; if the package belongs to an extra, the message explains how to install
        it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRA_OF:
            raise
        raise ModuleNotFoundError(
            f"this needs {package}, which is not installed: "
            f"pip install 'carc_env[{EXTRA_OF[package]}]'",
            name=error.name,
        ) from error


def check_installed(*packages: str) -> None:
    """Import packages early that are otherwise needed only at the end of a long run.

    Raises
    ------
    ModuleNotFoundError
        One of the packages is not installed.
    """
    with extras_named():
        for package in packages:
            import_module(package)
