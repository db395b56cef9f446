"""Compare speed with other environments: ``python scripts/compare.py [--json FILE]``.

At each decision, every environment provides the legal actions and an observation and gets a random
legal action. Environments that are not installed are left out; ``pip install -e '.[peers]'``
installs most of them. catanatron-gym pins an old gymnasium but runs with ours: ``pip install
--no-deps catanatron-gym`` adds it.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Annotated, Any

import gymnasium
import numpy as np
import numpy.typing as npt
import tyro
from carc_env.agents.commands.workloads import BASE, EVERYTHING, pettingzoo_game, pick_listed
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from carc_env import Rules, carcassonne_v1
from carc_env.arguments import UserPath
from carc_env.envs.registration import ENV_ID
from carc_env.game.records import replace_file
from carc_env.layout.encodings import ENCODINGS

N_GAMES = 256
HEADINGS = ("package", "game", "speed", "bytes/step")

Play = Callable[[int], float]
"""Plays at least the given number of steps and returns the steps per second."""
Mask = npt.NDArray[np.int8]


@dataclass(frozen=True)
class Contender:
    """One line of the table.

    ``needs`` lists the modules that it imports, and ``install`` is the command to install them;
    ``version_of`` is the distribution whose version is shown. ``open`` makes the environment and
    returns a function that plays it and the size in bytes of one decision's observation and mask.
    """

    key: str
    package: str
    game: str
    version_of: str
    open: Callable[[], tuple[Play, float]]
    needs: tuple[str, ...] = ()
    install: str = "pip install -e '.[peers]'"

    def missing(self) -> list[str]:
        """Return the modules that are not installed."""
        return [name for name in self.needs if find_spec(name) is None]


@dataclass(frozen=True)
class Speed:
    """Measurements of a contender."""

    key: str
    package: str
    version: str
    game: str
    steps_per_s: float
    bytes_per_step: float


def n_bytes(observed: Any) -> int:
    """Return the total size in bytes of an array or of a dict of arrays."""
    if isinstance(observed, dict):
        return sum(n_bytes(part) for part in observed.values())
    return int(observed.nbytes)


def pick(legal: Sequence[int] | npt.NDArray[Any], rng: np.random.Generator) -> Any:
    """Return a random legal action, given a list or a mask."""
    return legal[int(rng.random() * len(legal))]


def pettingzoo(make: Callable[[], Any]) -> tuple[Play, float]:
    """Return a player for an AEC environment whose observations contain the mask."""
    env = make()
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def play(n_steps: int) -> float:
        n, start = 0, time.perf_counter()
        while n < n_steps:
            n += pettingzoo_game(env, rng)
        return n / (time.perf_counter() - start)

    return play, n_bytes(env.last()[0])


def classic(name: str) -> Any:
    """Return a player for one of PettingZoo's classic games with its usual wrappers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.import_module(f"pettingzoo.classic.{name}").env()


def gymnasium_env(
    env_id: str, mask_of: Callable[[dict[str, Any]], Mask], **settings: Any
) -> tuple[Play, float]:
    """Return a player for a single-agent environment; ``mask_of`` gets the mask from an info."""
    env: Any = gymnasium.make(env_id, **settings)
    rng = np.random.default_rng(0)
    observed, first_info = env.reset(seed=0)

    def play(n_steps: int) -> float:
        start = time.perf_counter()
        info = env.reset()[1]
        for _ in range(n_steps):
            legal = mask_of(info).view(np.bool_).nonzero()[0]
            _, _, terminated, truncated, info = env.step(pick(legal, rng))
            if terminated or truncated:
                info = env.reset()[1]
        return n_steps / (time.perf_counter() - start)

    return play, n_bytes(observed) + n_bytes(mask_of(first_info))


def catan_mask(info: dict[str, Any]) -> Mask:
    """Return a mask for catanatron's environment, which lists the legal ones of its 290 actions."""
    mask = np.zeros(290, np.int8)
    mask[info["valid_actions"]] = 1
    return mask


def vector_env(rules: Rules, encoding: str) -> tuple[Play, float]:
    """Return a player for many self-play games; each game's step counts separately."""
    env: Any = gymnasium.make_vec(
        ENV_ID,
        num_envs=N_GAMES,
        rules=rules,
        opponents="self",
        encoding=encoding,
        legal_list=True,
    )
    rng = np.random.default_rng(0)
    observed, first_info = env.reset(seed=0)

    def play(n_steps: int) -> float:
        nonlocal observed
        n_calls = -(-n_steps // N_GAMES)
        start = time.perf_counter()
        for _ in range(n_calls):
            observed = env.step(pick_listed(observed, rng))[0]
        return n_calls * N_GAMES / (time.perf_counter() - start)

    return play, (n_bytes(observed) + n_bytes(first_info["action_mask"])) / N_GAMES


def open_spiel(name: str, *, arrays: bool) -> tuple[Play, float]:
    """Return a player for an OpenSpiel game, called from Python.

    It uses either lists, as in OpenSpiel's examples, or reused arrays, which are faster except in
    the smallest games. Sizes are computed as if both used float32 and int8.
    """
    import pyspiel
    from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

    game = pyspiel.load_game(name)
    has_observation = game.get_type().provides_observation_tensor
    observation = make_observation(game, None if has_observation else INFO_STATE_OBS_TYPE)
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    rng = np.random.default_rng(0)

    def look_at_arrays(state: Any) -> list[int]:
        observation.set_from(state, state.current_player())
        legal: list[int] = state.legal_actions()
        mask[:] = 0
        mask[legal] = 1
        return legal

    def look_at_lists(state: Any) -> list[int]:
        if has_observation:
            state.observation_tensor()
        else:
            state.information_state_tensor()
        state.legal_actions_mask()
        legal: list[int] = state.legal_actions()
        return legal

    look = look_at_arrays if arrays else look_at_lists

    def play(n_steps: int) -> float:
        n = 0
        start = time.perf_counter()
        while n < n_steps:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    state.apply_action(pick(state.chance_outcomes(), rng)[0])
                    continue
                state.apply_action(pick(look(state), rng))
                n += 1
        return n / (time.perf_counter() - start)

    return play, n_bytes(observation.tensor) + n_bytes(mask)


def ours(key: str, through: str, opens: Callable[[Rules], tuple[Play, float]]) -> list[Contender]:
    """Return the base game and the preset ``all``, through one of our interfaces."""
    everything = ("preset `all`, 4 players", EVERYTHING)
    games = {"base": ("base game, 2 players", BASE), "all": everything}
    return [
        Contender(
            f"{key}_{name}", "carc_env", f"{game}, {through}", "carc_env", partial(opens, rules)
        )
        for name, (game, rules) in games.items()
    ]


def classics() -> list[Contender]:
    """Return contenders for PettingZoo's board games."""
    return [
        Contender(
            f"pettingzoo_{name}",
            "PettingZoo",
            name,
            "pettingzoo",
            partial(pettingzoo, partial(classic, name)),
            needs,
        )
        for name, needs in {
            "connect_four_v3": ("pygame",),
            "chess_v6": ("pygame", "chess"),
            "go_v5": ("pygame",),
        }.items()
    ]


def spiels() -> list[Contender]:
    """Return contenders for OpenSpiel games, with lists and with arrays."""
    return [
        Contender(
            f"open_spiel_{name}_{'arrays' if arrays else 'lists'}",
            "OpenSpiel",
            f"{name}, {'arrays' if arrays else 'lists'}",
            "open_spiel",
            partial(open_spiel, full_name, arrays=arrays),
            ("pyspiel",),
        )
        for name, full_name in {
            "connect_four": "connect_four",
            "chess": "chess",
            "go": "go(board_size=19)",
            "hearts": "hearts",
        }.items()
        for arrays in (True, False)
    ]


def open_ours(rules: Rules) -> tuple[Play, float]:
    """Return a player for our PettingZoo environment."""
    return pettingzoo(partial(carcassonne_v1.env, rules=rules))


def open_single(rules: Rules) -> tuple[Play, float]:
    """Return a player for our single-agent environment."""
    return gymnasium_env(ENV_ID, lambda info: info["action_mask"], rules=rules)


CATAN = Contender(
    "catanatron_gym",
    "catanatron-gym",
    "Catan, 2 players, Gymnasium",
    "catanatron-gym",
    partial(gymnasium_env, "catanatron_gym:catanatron-v1", catan_mask),
    ("catanatron", "catanatron_gym"),
    "pip install -e '.[peers]' && pip install --no-deps catanatron-gym",
)

CONTENDERS = (
    *ours("aec", "PettingZoo", open_ours),
    *ours("gymnasium", "Gymnasium", open_single),
    *(
        contender
        for name in ENCODINGS
        for contender in ours(
            f"vector_{name}",
            f"{N_GAMES} games as a vector, {name}",
            partial(vector_env, encoding=name),
        )
    ),
    *classics(),
    *spiels(),
    CATAN,
)


def installed(contenders: Sequence[Contender]) -> list[Contender]:
    """Return the contenders that are installed; print how to install the others."""
    found = []
    for contender in contenders:
        if missing := contender.missing():
            print(
                f"left out: {contender.package} {contender.game} ({', '.join(missing)} not "
                f"installed; {contender.install})",
                file=sys.stderr,
            )
        else:
            found.append(contender)
    return found


def measure(contenders: Sequence[Contender], n_rounds: int, seconds: float) -> list[Speed]:
    """Measure all contenders in turn in each round; return the medians over rounds."""
    opened = [contender.open() for contender in contenders]
    n_steps = [max(1, int(seconds * play(max(1, int(seconds * 1000))))) for play, _ in opened]
    samples: list[list[float]] = [[] for _ in opened]
    for _ in track(range(n_rounds), "measuring", console=Console(stderr=True)):
        for (play, _), n, sample in zip(opened, n_steps, samples, strict=True):
            sample.append(play(n))
    return [
        Speed(c.key, c.package, version(c.version_of), c.game, statistics.median(sample), size)
        for c, (_, size), sample in zip(contenders, opened, samples, strict=True)
    ]


def lines(speeds: Sequence[Speed]) -> list[list[str]]:
    """Return the table's lines: steps per second relative to the first one, to three digits.

    The ratios do not depend on the machine's speed and load; ``carc-env benchmark`` measures the
    first contender in steps per second.
    """
    return [
        [
            f"{speed.package} {speed.version}",
            speed.game,
            f"{speed.steps_per_s / speeds[0].steps_per_s:.3g}",
            f"{speed.bytes_per_step:,.0f}",
        ]
        for speed in speeds
    ]


def show(speeds: Sequence[Speed]) -> None:
    """Print the table."""
    grid = Grid(*HEADINGS)
    for column in grid.columns[2:]:
        column.justify = "right"
    for line in lines(speeds):
        grid.add_row(*line)
    Console().print(grid)


def markdown_of(speeds: Sequence[Speed]) -> str:
    """Return the table as it appears in docs/performance.md."""
    rows = [HEADINGS, ("---", "---", "--:", "--:"), *lines(speeds)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def machine() -> str:
    """Return a description of the machine."""
    processor = platform.processor() or platform.machine()
    return f"{platform.system()}, {processor}, Python {platform.python_version()}"


def use_one_core() -> None:
    """Pin everything to one core, including library threads, if the system supports it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def main(
    out: Annotated[UserPath | None, tyro.conf.arg(name="json")] = None,
    markdown: bool = False,
    rounds: int = 5,
    seconds: float = 1.0,
) -> None:
    """Measure everything that is installed, print a table and write the figures.

    Parameters
    ----------
    out
        Write the figures to this file as JSON.
    markdown
        Print the table as it appears in docs/performance.md.
    rounds
        Number of times to measure everything; the median counts.
    seconds
        Approximate measuring time per contender and round. In less than a second, many parallel
        games do not end, and the beginning of a game is faster than the rest.
    """
    if rounds < 1 or seconds <= 0:
        raise SystemExit(f"--rounds and --seconds must be positive, got {rounds} and {seconds}")
    use_one_core()
    speeds = measure(installed(CONTENDERS), rounds, seconds)
    print(f"one core, medians of {rounds} rounds; {machine()}", file=sys.stderr)
    if markdown:
        print(markdown_of(speeds))
    else:
        show(speeds)
    if out is not None:
        content = {"machine": machine(), "rounds": rounds, "speeds": [*map(vars, speeds)]}
        replace_file(out, json.dumps(content, indent=2).encode())
        print(f"written: {out}")


if __name__ == "__main__":
    tyro.cli(main)
