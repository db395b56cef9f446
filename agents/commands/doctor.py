"""Show versions, kernels, and how to install what is missing: ``carc-env doctor``."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import carc_env
from carc_env.engine.compiler.cache import cache_root
from carc_env.engine.compiler.jit import IS_SHIPPED, JIT
from carc_env.engine.compiler.processors import COMMON, own_processor
from carc_env.envs.registration import ENV_ID

from .program import read_arguments

EXTRAS = {
    "render": "pictures, films, a window",
    "web": "PNG and GIF of the page; the page itself is part of the core",
    "arena": "ratings, plots",
    "train": "networks and training",
    "ray": "clusters, RLlib",
}
"""Extras for users and their purposes."""
REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(\[(?P<extras>[\w,-]+)\])?[^;]*(;.*extra == .(?P<of>[\w-]+))?"
)
ALL_KERNELS = (
    "from carc_env.search import chance, draws, factored, insight, learning, packing; "
    "from carc_env.search import solving, tree, value; "
    "from carc_env.engine.compiler.jit import prepare_kernels; prepare_kernels()"
)
"""Code that compiles the engine and all searches."""
PROGRAMS = {"ffmpeg": "films as MP4"}


def installed(name: str) -> str | None:
    """Return a distribution's version; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def required() -> dict[str, list[str]]:
    """Return the requirements of the core, named "", and of each extra, by distribution.

    The requirements come from carc_env's metadata; the result is empty if it runs from a clone that
    is not installed.
    """
    try:
        found = [REQUIREMENT.match(line) for line in requires("carc_env") or ()]
    except PackageNotFoundError:
        return {}
    needed: dict[str, list[str]] = {}
    for match in found:
        if match is not None and match["name"] != "carc_env":
            needed.setdefault(match["of"] or "", []).append(match["name"])
    for match in found:
        if match is not None and match["name"] == "carc_env" and match["extras"]:
            for extra in match["extras"].split(","):
                needed.setdefault(match["of"], []).extend(needed[extra])
    return {extra: sorted(names, key=str.lower) for extra, names in needed.items()}


def report() -> tuple[list[str], int]:
    """Return the lines of the report, and how many core distributions are missing."""
    lines = [
        f"carc_env {carc_env.__version__} ({ENV_ID}), Python {platform.python_version()}, "
        f"{platform.system()} on {platform.machine()}, {os.cpu_count()} CPU cores",
        f"kernels: {_cache()}",
    ]
    if IS_SHIPPED:
        lines.append(f"  compile them for this processor, {_own_name()}: carc-env doctor --compile")
    needed = required()
    core = needed.get("", [])
    missing = [name for name in core if installed(name) is None]
    lines.append("core: " + ", ".join(f"{name} {installed(name) or 'MISSING'}" for name in core))
    if not needed:
        lines.append(
            "carc_env is not installed, so its requirements are not known: pip install -e ."
        )
    for extra, use in EXTRAS.items():
        names = needed.get(extra, [])
        absent = [name for name in names if installed(name) is None]
        found = ", ".join(f"{name} {installed(name)}" for name in names if name not in absent)
        lines.append(f"extra {extra} ({use}): {found or 'not installed'}")
        if absent:
            lines.append(f"  missing {', '.join(absent)}: pip install 'carc_env[{extra}]'")
    for tool, use in PROGRAMS.items():
        where = shutil.which(tool)
        lines.append(f"{tool}: {where or f'not found; it is needed for {use} only'}")
    return lines, len(missing)


def _own_name() -> str:
    _, name, _ = own_processor()
    return name


def _cache() -> str:
    """Return the kernels' processor and folder, and their number and size."""
    if not JIT:
        return "not compiled, NUMBA_DISABLE_JIT is set"
    if IS_SHIPPED:
        return f"came with carc_env, compiled for {COMMON} processors"
    folder = cache_root()
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 1e6
    return f"compiled for {_own_name()}; {len(files)} files, {size:.0f} MB in {folder}"


def compile_all() -> int:
    """Compile all missing kernels for this machine's processor, in a separate process."""
    package = Path(carc_env.__file__).parents[1]
    paths = [str(package), *filter(None, [os.environ.get("PYTHONPATH")])]
    asked = {"NUMBA_CPU_NAME": _own_name(), "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-P", "-c", ALL_KERNELS], env={**os.environ, **asked})
    return done.returncode


def run(compile: bool = False) -> int:
    """Print versions, the kernels in use, and what is missing and how to install it.

    Parameters
    ----------
    compile : bool
        Compile all kernels for this machine's processor, even if the package came with generic
        ones, and print nothing else. Later starts use the compiled kernels.
    """
    if compile:
        return compile_all()
    lines, n_missing = report()
    print("\n".join(lines))
    return int(n_missing > 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 1 if part of the core is missing."""
    status: int = read_arguments(run, arguments, "doctor", __doc__)
    return status
