"""Copy an algorithm in one file, to run and change.

    carc-env recipe                       list the algorithms
    carc-env recipe ppo > my_ppo.py       copy one
    python my_ppo.py --help               its settings

docs/recipes.md describes them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from importlib.resources import files

import tyro

from carc_env.choices import check_choice

from .program import read_arguments


def recipes() -> dict[str, str]:
    """Return the source of each recipe, by name."""
    found = [file for file in files("carc_env.agents.recipes").iterdir() if file.is_file()]
    texts = {file.name: file.read_text("utf-8") for file in found if file.name.endswith(".py")}
    return {name[:-3]: text for name, text in sorted(texts.items()) if name != "__init__.py"}


def run(name: tyro.conf.Positional[str] = "") -> int:
    """Print a recipe's source.

    Parameters
    ----------
    name
        Name of a recipe. Default: list all.
    """
    texts = recipes()
    if name:
        try:
            print(texts[check_choice("recipe", name.replace("-", "_"), texts)], end="")
        except ValueError as error:
            raise SystemExit(str(error)) from error
        return 0
    for one, text in texts.items():
        print(f"{one:14} {(ast.get_docstring(ast.parse(text)) or '').splitlines()[0]}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    status: int = read_arguments(run, arguments, "recipe", __doc__)
    return status
