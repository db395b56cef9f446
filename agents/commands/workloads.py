"""Workloads of ``carc-env benchmark``: each function sets one up and returns a measurer."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from carc_env import Game, Rules, Table, afterstates, rollouts
from carc_env.engine import entry
from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import new_states
from carc_env.engine.sight.lanes import ANY_ACTION
from carc_env.envs.games import Games
from carc_env.envs.opponents import RandomPlayer
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.layout.encodings import Arrays, Planes, make_encoding
from carc_env.layout.template import legal_buffer, template
from carc_env.position import Position

CORE = Rules(edition="C1", abbot=False)
BASE = Rules()
ABBEY_MAYOR = Rules.preset("abbey-mayor")
BRIDGES = Rules.preset("bridges", n_players=3)
EVERYTHING = Rules.preset("all", n_players=4)
BIG_BOX = Rules.preset("big-box", n_players=4)
N_LANES = 64
LONGEST_GAME = 400
"""Decisions in a game: more than the average, which is about 350 with all sets."""
SLICE_SECONDS = 0.05

FIRST_PICTURE = """
import sys, time
import PIL.Image, resvg_py
from carc_env.agents.commands.workloads import late_positions
from carc_env.render import board_png, shelf
if sys.argv[1] == "0":
    shelf._shelf = lambda _: None
position = next(late_positions())
start = time.perf_counter()
board_png(position)
print(time.perf_counter() - start)
"""
"""Code that prints how many seconds the first picture in a process takes."""

Slice = Callable[[], float]
"""Measures briefly and returns a rate per second, seconds, or another quantity."""


class LeftOut(Exception):
    """A figure's requirement is missing."""


def rate(work: Callable[[], int], clock: Callable[[], float] = time.perf_counter) -> Slice:
    """Measure a rate per second; ``work`` does some work and returns the amount done."""

    def measure() -> float:
        n, start = 0, clock()
        while (took := clock() - start) < SLICE_SECONDS:
            n += work()
        return n / took

    return measure


def pace(work: Callable[[], int]) -> Slice:
    """Measure the seconds per unit of work."""
    per_second = rate(work)
    return lambda: 1 / per_second()


def seconds(work: Callable[[], Any]) -> float:
    """Measure the seconds that a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# The engine alone.


def random_games(
    rules: Rules,
    unit: Literal["games", "decisions"],
    clock: Callable[[], float] = time.perf_counter,
) -> Slice:
    """Measure complete random games, each in a single kernel call."""
    games = Games(rules, N_LANES)
    seeds = count()

    def play() -> int:
        for i in range(N_LANES):
            games.begin(i, seed=next(seeds), players=[RandomPlayer()] * rules.n_players)
        n_decisions = games.play()
        return N_LANES if unit == "games" else n_decisions

    return rate(play, clock)


def native_games(source: Path | None) -> Slice:
    """Measure random games in a C++ program that prints JSON with ``med_games``, in games/s."""
    if source is None:
        raise LeftOut("--native FILE.cpp names a program")
    if not source.exists() or shutil.which("g++") is None:
        raise LeftOut(f"{source} or g++ is not there")
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    program = f"{folder}/native"
    subprocess.run(["g++", "-O3", "-march=native", str(source), "-o", program], check=True)

    def play() -> float:
        run = subprocess.run([program, "1"], check=True, capture_output=True)
        return float(json.loads(run.stdout)["med_games"])

    return play


def slowest_decision(rules: Rules, n_games: int = 40) -> float:
    """Return the seconds of the slowest decision in random games, called from Python.

    Every decision is applied several times, each time to a copy of the state; the fastest time
    counts, which excludes other work on the machine.
    """
    states, actions, listed = new_states(2), legal_buffer(), legal_buffer()
    rng = np.random.default_rng(0)
    slowest = 0.0
    for seed in range(n_games):
        entry.begin(states, 0, template(rules), np.uint64(seed))
        while (n := entry.settle_game(states, 0, actions)) > 0:
            action = int(actions[rng.integers(n)])

            def decide(action: int = action) -> None:
                entry.apply(states, 1, action)
                entry.settle_game(states, 1, listed)

            times = []
            for _ in range(5):
                states[1] = states[0]
                times.append(seconds(decide))
            slowest = max(slowest, min(times))
            entry.apply(states, 0, action)
    return slowest


def cloning() -> Slice:
    """Measure copying a state, with 64 states in memory."""
    states, n = new_states(64), 4_000

    def clone() -> int:
        entry.clone_many(states, n)
        return n

    return pace(clone)


# Environments.


def pettingzoo_game(env: Any, rng: np.random.Generator) -> int:
    """Play a random game in the usual PettingZoo loop; return the number of steps."""
    env.reset()
    n = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        legal = observation["action_mask"].view(np.bool_).nonzero()[0]
        over = terminated or truncated
        env.step(None if over else legal[int(rng.random() * len(legal))])
        n += 1
    return n


def pettingzoo(make: Callable[[], Any]) -> Slice:
    """Measure steps in a PettingZoo environment."""
    env = make()
    env.reset(seed=0)
    return rate(partial(pettingzoo_game, env, np.random.default_rng(0)))


def connect_four() -> Any:
    """Make PettingZoo's Connect Four environment, with its usual wrappers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.classic import connect_four_v3
    return connect_four_v3.env()


def batch(rules: Rules, encoding: str, n_games: int = 256, num_threads: int = 1) -> Slice:
    """Measure decisions in many games in turn, with random actions chosen in the kernel.

    After every decision, the next decider gets the board, globals and mask. The games start at
    different times, so that they are at different stages.
    """
    games = Games(rules, n_games, make_encoding(rules, encoding), num_threads=num_threads)
    lanes, seeds = games.lanes, count()

    def step(n_begun: int = n_games) -> int:
        ended = (lanes["n_legal"][:n_begun] == 0).nonzero()[0].tolist()
        lanes["action"][:n_begun] = ANY_ACTION
        for i in ended:
            games.begin(i, seed=next(seeds), players=[None] * rules.n_players)
        return games.play()

    for k in range(LONGEST_GAME):
        step(1 + k * n_games // LONGEST_GAME)
    return rate(step)


def pick_listed(observed: Arrays, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """Return a random legal action for each game from its list; -1 if the list is empty."""
    n_games = len(observed["legal"])
    chosen = (rng.random(n_games) * observed["n_legal"][:, 0]).astype(np.intp)
    actions: npt.NDArray[np.int32] = observed["legal"][np.arange(n_games), chosen]
    return actions


def vector(n_games: int, num_threads: int = 1) -> Slice:
    """Measure self-play steps through ``VectorEnv.step`` with random legal actions."""
    env = CarcassonneVectorEnv(n_games, opponents="self", legal_list=True, num_threads=num_threads)
    rng = np.random.default_rng(0)
    observed, _ = env.reset(seed=0)

    def step() -> int:
        nonlocal observed
        observed = env.step(pick_listed(observed, rng).astype(np.int64))[0]
        return n_games

    for _ in range(LONGEST_GAME):
        step()
    return rate(step)


# A single game, and its copies.


def middle_of_a_game() -> Table:
    """Return a random game with 40 tiles on the board."""
    table = Table(BASE, seed=2)
    while table.n_tiles_left > 31:
        table.step(table.random_action())
    return table


def observing() -> Slice:
    """Measure observations of a game with 40 tiles on the board."""
    table = middle_of_a_game()

    def observe() -> int:
        table.observe(0)
        return 1

    return pace(observe)


def greedy_games() -> Slice:
    """Measure games between greedy and random."""

    def play() -> int:
        table = Table(BASE, seed=1)
        while not table.is_over:
            table.step(table.greedy_action() if table.decider == 0 else table.random_action())
        return 1

    return pace(play)


def looking_ahead() -> Slice:
    """Measure afterstates, called from Python."""
    table = middle_of_a_game()
    return rate(lambda: len(afterstates(table).actions))


def rolling_out(player: Literal["random", "greedy"], n: int) -> Slice:
    """Measure rollouts of half a game, n per call."""
    table = middle_of_a_game()

    def play() -> int:
        rollouts(table, n, player, seed=0)
        return n

    return rate(play)


def bytes_of_a_game() -> float:
    """Return the bytes that the engine needs per game with all sets, in a batch of many."""
    games = Games(EVERYTHING, 1, Planes(EVERYTHING))
    return float(games.states.nbytes + games.lanes.nbytes + games.canvas.shown.nbytes)


def importing(cache: str | None = None) -> float:
    """Return the seconds until the kernels are ready, with the current cache or another one."""
    chosen = {} if cache is None else {"CARC_ENV_CACHE_DIR": cache}
    ready = "import carc_env; from carc_env.engine.compiler.jit import prepare_kernels as ready"
    command = [sys.executable, "-c", f"{ready}; ready()"]
    environment = {**os.environ, **chosen}
    return seconds(
        lambda: subprocess.run(command, env=environment, check=True, capture_output=True)
    )


def late_positions() -> Iterator[Position]:
    """Yield consecutive positions, one per tile, from halfway through games with all sets."""
    for seed in count():
        game = Game(EVERYTHING, seed=seed)
        half = game.n_tiles_left // 2
        while not game.is_over:
            was_tile = game.phase == Phase.PLACE_TILE
            game.apply(game.random_action())
            if was_tile and game.n_tiles_left < half:
                yield game.position()


def drawing(draw: Callable[[Position], Any]) -> Callable[[], Slice]:
    """Measure drawing consecutive positions, each with one more tile than the last."""

    def opened() -> Slice:
        if find_spec("resvg_py") is None:
            raise LeftOut("needs the extra render")
        positions = late_positions()
        draw(next(positions))

        def work() -> int:
            draw(next(positions))
            return 1

        return pace(work)

    return opened


def first_picture(kept: bool) -> Callable[[], Slice]:
    """Measure the seconds of a process's first picture, with or without the disk cache."""

    def opened() -> Slice:
        if find_spec("resvg_py") is None:
            raise LeftOut("needs the extra render")
        command = [sys.executable, "-c", FIRST_PICTURE, str(int(kept))]

        def measure() -> float:
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            return float(done.stdout)

        return measure

    return opened


def compiling() -> float:
    """Return the seconds of an import with an empty kernel cache."""
    with tempfile.TemporaryDirectory() as cache:
        return importing(cache)
