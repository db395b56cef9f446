"""The packages of the wheel, and wheels with compiled kernels; all else is in pyproject.toml.

The folder ``agents`` is installed as ``carc_env.agents``, and ``configs`` and the runs of
``docs/results`` within it: many packages call something ``agents``, and only one of them could
have the name for itself.

With ``CARC_ENV_WITH_KERNELS=1`` the wheel holds the kernels, compiled for a common processor. That
needs carc_env's dependencies: ``CARC_ENV_WITH_KERNELS=1 python -m build --no-isolation``.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from email import message_from_string
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from setuptools import Distribution, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

OURS = {
    "carc_env.agents": "agents",
    "carc_env.agents.commands": "agents/commands",
    "carc_env.agents.recipes": "agents/recipes",
    "carc_env.agents.configs": "configs",
    "carc_env.agents.results": "docs/results",
}
MODULES = ["carc_env_text"]
"""Modules beside the packages: verifiers finds a taskset by the name of a top-level module."""
SHIPPED = "carc_env/engine/compiler/shipped"
"""Where ``compiler/cache.py`` looks for kernels that came with the package."""
COMMON = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
"""The common processor of ``compiler/processors.py``."""


class OfOnePlatform(Distribution):
    """A distribution with machine code in it."""

    def has_ext_modules(self) -> bool:
        """Tell setuptools so."""
        return True


class WithKernels(build_py):
    """The sources, and the kernels that they compile to."""

    def run(self) -> None:
        """Copy the sources, and let the copy compile itself."""
        super().run()
        package = Path(self.build_lib).absolute()
        shutil.rmtree(package / SHIPPED, ignore_errors=True)
        own = {"CARC_ENV_CACHE_DIR": str(package / SHIPPED), "PYTHONPATH": str(package)}
        subprocess.run(
            [sys.executable, "-B", "-m", "carc_env", "doctor", "--compile"],
            cwd=package,
            env={**os.environ, **COMMON, **own},
            check=True,
        )


class TaggedAsNumba(bdist_wheel):
    """Kernels run where the numba runs that has compiled them."""

    def get_tag(self) -> tuple[str, str, str]:
        """The tag of numba's own wheel."""
        about = message_from_string(distribution("numba").read_text("WHEEL") or "")
        tags = [tag.split("-") for tag in about.get_all("Tag", [])]
        pythons, abis, platforms = (".".join(sorted({*part})) for part in zip(*tags, strict=True))
        return pythons, abis, platforms


class Found(editable_wheel):
    """An editable install that is found beside a folder of its name.

    A script that lies beside a clone called ``carc_env`` would get that folder as a package without
    a file, for what setuptools installs is asked only where the path has nothing. Its place in the
    path, which it has for namespaces, here answers for packages too: as anywhere, one with files
    goes before a folder without, and ``PYTHONPATH`` before both.
    """

    IN_PATH = (
        b"        if fullname in NAMESPACES:\n",
        b"        if fullname in MAPPING and fullname not in NAMESPACES:\n"
        b"            return _EditableFinder.find_spec(fullname)\n",
    )

    def _select_strategy(self, *given: Any) -> Any:
        strategy = super()._select_strategy(*given)
        files = getattr(strategy, "get_implementation", None)
        if files is not None:  # so it is in setuptools 77 to 80; others install as ever

            def changed() -> Iterator[tuple[str, bytes]]:
                before, added = self.IN_PATH
                for name, content in files():
                    yield name, content.replace(before, added + before, 1)

            strategy.get_implementation = changed
        return strategy


packages = [*find_packages(include=["carc_env*"]), *OURS]
if os.environ.get("CARC_ENV_WITH_KERNELS"):
    commands = {"build_py": WithKernels, "bdist_wheel": TaggedAsNumba, "editable_wheel": Found}
    setup(
        packages=packages,
        package_dir=OURS,
        py_modules=MODULES,
        cmdclass=commands,
        distclass=OfOnePlatform,
    )
else:
    setup(
        packages=packages,
        package_dir=OURS,
        py_modules=MODULES,
        cmdclass={"editable_wheel": Found},
    )
