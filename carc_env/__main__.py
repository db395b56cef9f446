"""The command line: ``carc-env COMMAND ...`` or ``python -m carc_env COMMAND ...``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from carc_env import __version__
from carc_env.choices import did_you_mean
from carc_env.plain_output import print_anywhere

COMMANDS = {
    "play": "play against agents in the browser, or with --text in the terminal",
    "show": "replay a record as pictures, a film, statistics or text",
    "analyse": "what an agent thinks of a position, or of every decision of a game",
    "observe": "the planes, globals and actions of any rules as tables",
    "data": "data sets of games: check, export to Minari",
    "evaluate": "a match: the same decks from every seat",
    "task": "tasks on which results are compared: list, evaluate, tabulate",
    "text": "tasks for language models: list, show, evaluate",
    "tournament": "agents meet: round robin, gauntlet or one table",
    "train": "train an agent: value or maskable-ppo",
    "recipe": "copy an algorithm in one file: list, or print one",
    "benchmark": "measure the speeds that the documentation gives",
    "together": "the rules for two sets that are played together",
    "doctor": "versions, kernels, and what is missing and how to install it",
}
"""Each command is a module in ``carc_env.agents.commands`` with a ``main`` function."""

TRAINED_BY = {"value": "commands.train_value", "maskable-ppo": "recipes.maskable_ppo"}
"""Each training is a module in ``carc_env.agents`` with a ``main`` function."""
HELP = ("-h", "--help")
NOBODY_READS = 141
"""The exit status when the reader of the output has closed it: a shell's status for SIGPIPE."""


def usage() -> str:
    """Return the list of commands, one per line."""
    lines = [f"  {name:12} {what}" for name, what in COMMANDS.items()]
    return "\n".join(
        [
            "usage: carc-env COMMAND ... | --version",
            "",
            *lines,
            "",
            "carc-env COMMAND --help shows the options of a command.",
        ]
    )


def train_usage() -> str:
    """Return the help text of ``carc-env train``."""
    return (
        "usage: carc-env train value CONFIG ...\n"
        "       carc-env train maskable-ppo ...\n\n"
        "CONFIG is a file of settings or a checkpoint to continue from. The other arguments are\n"
        "settings by name: docs/training.md. carc-env recipe lists more ways to train.\n\n"
        "--help after these arguments lists the settings."
    )


def _module_of(arguments: list[str]) -> tuple[str, list[str]]:
    """Return a command line's module within ``carc_env.agents``, and the rest of the line.

    Raises
    ------
    ValueError
        There is no such command.
    """
    name, *others = arguments
    if name not in COMMANDS:
        known = ", ".join(COMMANDS)
        meant = did_you_mean(name, COMMANDS)
        raise ValueError(f"there is no command {name!r}: choose one of {known}{meant}")
    if name != "train":
        return f"commands.{name}", others
    if not others or others[0] not in TRAINED_BY:
        found = f", got {others[0]!r}{did_you_mean(others[0], TRAINED_BY)}" if others else ""
        raise ValueError(f"carc-env train needs one of {', '.join(TRAINED_BY)}{found}")
    return TRAINED_BY[others[0]], others[1:]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    print_anywhere()
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # as in `carc-env doctor | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes at its end
        return NOBODY_READS
    return status


def _run(arguments: Sequence[str] | None) -> int:
    given = [*(sys.argv[1:] if arguments is None else arguments)]
    if not given or given[0] in HELP:
        print(usage())
        return 0 if given else 2
    if given[0] == "--version":
        print(f"carc_env {__version__}")
        return 0
    if given[0] == "train" and given[1:2] and given[1] in HELP:
        print(train_usage())
        return 0
    try:
        module, others = _module_of(given)
    except ValueError as error:
        print(f"{error}\n\n{usage()}", file=sys.stderr)
        return 2
    import_module("carc_env.agents.interrupt").end_quietly()
    if module.startswith("recipes."):
        return _run_recipe(module, " ".join(["carc-env", *given[:2]]), others)
    command = import_module(f"carc_env.agents.{module}")
    status: int = command.main(others)
    return status


def _run_recipe(module: str, program: str, others: list[str]) -> int:
    """Run a recipe, which reads its arguments itself, as in a copy."""
    try:
        with import_module("carc_env.extras").extras_named():
            recipe = import_module(f"carc_env.agents.{module}")
    except ModuleNotFoundError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    before, sys.argv = sys.argv, [program, *others]
    try:
        recipe.main()
    finally:
        sys.argv = before
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being loaded
    sys.exit(main())
