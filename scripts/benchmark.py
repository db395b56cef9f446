"""Measure what the README claims: ``python scripts/benchmark.py [--json FILE] [--markdown]``.

Every figure is the median over rounds on one core; what is compared is measured in turns in the
same run. ``--native`` names a C++ program that plays complete random base games without abbots and
prints one JSON line with ``med_games``: it is compiled with ``g++ -O3`` and run between our rounds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from carc_env import Rules, Table, afterstates, carcassonne_v0, rollouts
from carc_env.engine import entry
from carc_env.engine.core.state import STATE, new_states
from carc_env.engine.sight.lanes import ANY_ACTION, ASKED, RANDOM
from carc_env.envs.games import Games
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.game.records import replace_file
from carc_env.layout.encodings import Arrays, Planes, make_encoding
from carc_env.layout.template import legal_buffer, template

NATIVE = Path(__file__).resolve().parents[2] / "shared" / "bench" / "native_base.cpp"
CORE = Rules(edition="C1", abbot=False)
BASE = Rules()
ABBEY_MAYOR = Rules.preset("abbey-mayor")
BRIDGES = Rules.preset("bridges", n_players=3)
EVERYTHING = Rules.preset("all", n_players=4)
N_GAMES = 4_096
N_LANES = 64
N_CLONES = 400_000
N_BATCH = 256
BATCH_STEPS = 400
"""Decisions of each game of a batch: more than a game has on average, with all sets about 350."""


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, in which unit, and the bar if there is one."""

    key: str
    what: str
    unit: str
    bar: str = ""


FIGURES = (
    Figure("core_games_per_s", "base game without abbot, random, in a kernel", "games/s"),
    Figure("native_games_per_s", "the same in C++ (g++ -O3)", "games/s"),
    Figure("native_ratio", "ours / C++", "", ">= 1.0"),
    Figure("base_games_per_s", "base game with abbot, random, in a kernel", "games/s", "~ 20,000"),
    Figure("base_decisions_per_s", "the same, decisions", "1/s"),
    Figure("abbey_games_per_s", "base + abbot + Abbey & Mayor, the same", "games/s"),
    Figure("abbey_decisions_per_s", "the same, decisions", "1/s"),
    Figure("abbey_ratio", "its decisions / those of the base game", "", ">= 0.6"),
    Figure(
        "bridges3_games_per_s",
        "with Bridges, Castles & Bazaars, three players, the same",
        "games/s",
        ">= 4,000",
    ),
    Figure("bridges3_decisions_per_s", "the same, decisions", "1/s"),
    Figure("all4_games_per_s", "with all sets, four players, the same", "games/s", ">= 2,500"),
    Figure("all4_decisions_per_s", "the same, decisions", "1/s"),
    Figure(
        "slowest_decision_us",
        "its slowest decision in 40 games, with the legal actions after it",
        "us",
        "<= 20",
    ),
    Figure("aec_per_s", "PettingZoo loop, mask + planes", "steps/s", ">= 60,000"),
    Figure("connect_four_per_s", "the same loop, PettingZoo's connect_four_v3", "steps/s"),
    Figure("connect_four_ratio", "ours / connect four", "", ">= 5"),
    Figure(
        "batch256_planes_per_s",
        "256 games, random in the kernel, planes + mask",
        "decisions/s",
    ),
    Figure("planes_ratio", "its decisions / those without observations", "", ">= 0.18"),
    Figure("batch256_tokens_per_s", "256 games, tokens + mask", "decisions/s"),
    Figure("tokens_ratio", "its decisions / those without observations", "", ">= 0.22"),
    Figure("batch256_sparse_per_s", "256 games, sparse planes + mask", "decisions/s"),
    Figure(
        "batch256_all4_planes_per_s",
        "256 games, planes + mask, all sets, four players",
        "decisions/s",
    ),
    Figure("all4_planes_ratio", "its decisions / those without observations", "", ">= 0.14"),
    Figure(
        "batch64_all4_planes_per_s",
        "64 of these games, which need a quarter of the memory",
        "decisions/s",
    ),
    Figure(
        "vector256_per_s",
        "VectorEnv.step with 256 games, numpy chooses, planes + mask",
        "steps/s",
        ">= 400,000",
    ),
    Figure("vector1_per_s", "the same with one game", "steps/s", ">= 100,000"),
    Figure("threads2_ratio", "two threads / one, 2,048 games, in the kernel", "", ">= 1.8"),
    Figure(
        "sb3_env_percent",
        "environment's share of the time of train_sb3.py, two cores",
        "%",
        "< 10",
    ),
    Figure("ppo_frames_per_s", "ppo.py, end to end, two cores", "frames/s", ">= 10,000"),
    Figure("game_bytes", "memory of a game of all sets, but for what is shown", "B", "<= 40,960"),
    Figure("shown_bytes", "planes, globals and mask of such a game", "B"),
    Figure("greedy_game_ms", "a game of greedy against random", "ms"),
    Figure("observe_us", "planes + globals from scratch, middle of a game", "us"),
    Figure("afterstates_per_s", "afterstates of positions in the middle of a game", "states/s"),
    Figure("rollouts_per_s", "random games to the end from there", "games/s"),
    Figure("greedy_rollouts_per_s", "the same, greedy", "games/s"),
    Figure("clone_us", "copy of a state, in a kernel", "us", "<= 1.5"),
    Figure("state_bytes", "size of a state", "B", "<= 40,000"),
    Figure("compile_s", "first import (compiles the engine)", "s", "<= 60"),
    Figure("import_s", "later imports", "s", "<= 1.5"),
)


def seconds(work: Callable[[], Any]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def play_games(rules: Rules) -> tuple[float, float]:
    """Complete random games and decisions a second, all in a kernel."""
    games = Games(rules, N_LANES)
    n_decisions = 0

    def play() -> None:
        nonlocal n_decisions
        for first in range(0, N_GAMES, N_LANES):
            for i in range(N_LANES):
                games.begin(i, seed=first + i, players=[RANDOM] * rules.n_players)
            n_decisions += games.play()

    took = seconds(play)
    return N_GAMES / took, n_decisions / took


def pettingzoo_loop(env: Any, n_steps: int) -> float:
    """Steps a second of the usual loop, taking a random legal action."""
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    n = 0
    start = time.perf_counter()
    while n < n_steps:
        env.reset()
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            legal = observation["action_mask"].view(np.bool_).nonzero()[0]
            over = terminated or truncated
            env.step(None if over else legal[int(rng.random() * len(legal))])
            n += 1
    return n / (time.perf_counter() - start)


def connect_four() -> Any:
    """PettingZoo's own environment, with its usual wrappers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.classic import connect_four_v3
    return connect_four_v3.env()


def batch_loop(rules: Rules, encoding: str, n_games: int = N_BATCH) -> float:
    """Decisions a second of many games in which random legal actions are taken in the kernel.

    Whoever is asked is shown board, globals and mask after every decision.
    """
    games = Games(rules, n_games, make_encoding(rules, encoding))
    seats = [ASKED] * rules.n_players
    for i in range(n_games):
        games.begin(i, seed=i, players=seats)
    games.play()
    n_decisions, seed = 0, n_games

    def play() -> None:
        nonlocal n_decisions, seed
        for _ in range(BATCH_STEPS * N_BATCH // n_games):
            ended = (games.lanes["n_legal"] == 0).nonzero()[0].tolist()
            games.lanes["action"] = ANY_ACTION
            for i in ended:
                games.begin(i, seed=seed, players=seats)
                seed += 1
            n_decisions += games.play()

    play()  # touches all memory, and brings the games to different stages
    n_decisions = 0
    took = seconds(play)
    return n_decisions / took


def pick_listed(observed: Arrays, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """A random action of each game off the lists of legal ones; -1 where there is none."""
    n_games = len(observed["legal"])
    chosen = (rng.random(n_games) * observed["n_legal"][:, 0]).astype(np.intp)
    actions: npt.NDArray[np.int32] = observed["legal"][np.arange(n_games), chosen]
    return actions


def vector_loop(n_games: int, n_steps: int) -> float:
    """Steps a second of self-play through ``VectorEnv.step``, taking random legal actions."""
    env = CarcassonneVectorEnv(n_games, opponents="self", legal_list=True)
    rng = np.random.default_rng(0)
    observed, _ = env.reset(seed=0)

    def play() -> None:
        nonlocal observed
        for _ in range(n_steps):
            observed = env.step(pick_listed(observed, rng))[0]

    play()
    took = seconds(play)
    env.close()
    return n_games * n_steps / took


def threads_ratio(n_games: int = 2048, n_steps: int = 20) -> float:
    """Speed of two threads as a multiple of that of one, the games stepped in the kernel."""

    def stepping(num_threads: int) -> float:
        games = Games(BASE, n_games, Planes(BASE), num_threads=num_threads)
        for i in range(n_games):
            games.begin(i, seed=i, players=[ASKED] * BASE.n_players)
        games.play()

        def play() -> None:
            for _ in range(n_steps):
                games.lanes["action"] = ANY_ACTION
                games.play()

        play()
        took = seconds(play)
        games.close()
        return took

    return stepping(1) / stepping(2)


def memory_of_a_game(rules: Rules) -> tuple[int, int]:
    """Bytes that a game takes among many, and bytes of what is shown of it."""
    games = Games(rules, 1, Planes(rules))
    hidden = games.states.nbytes + games.lanes.nbytes + games.canvas.shown.nbytes
    return hidden, sum(rows.nbytes for rows in games.canvas) - games.canvas.shown.nbytes


def greedy_game() -> float:
    """Milliseconds of a game of greedy against random."""
    table = Table(BASE, seed=1)

    def game() -> None:
        while not table.is_over:
            table.step(table.greedy_action() if table.decider == 0 else table.random_action())

    return 1000 * seconds(game)


def middle_of_a_game() -> Table:
    """A random game of 40 tiles."""
    table = Table(BASE, seed=2)
    while table.n_tiles_left > 31:
        table.step(table.random_action())
    return table


def looking_ahead() -> float:
    """Afterstates a second, from Python."""
    table, n = middle_of_a_game(), 200
    n_states = n * len(table.legal_actions())
    return n_states / seconds(lambda: [afterstates(table) for _ in range(n)])


def rolling_out(player: Literal["random", "greedy"], n: int) -> float:
    """Rollouts of half a game a second, in one call."""
    table = middle_of_a_game()
    return n / seconds(lambda: rollouts(table, n, player, seed=0))


def observing() -> float:
    """Microseconds for the observation of a game of 40 tiles."""
    table, n = middle_of_a_game(), 2_000

    def observe() -> None:
        for _ in range(n):
            table.observe(0)

    return 1e6 * seconds(observe) / n


def slowest_decision(rules: Rules, n_games: int = 40) -> float:
    """Microseconds of the slowest decision of random games, called from Python.

    Every decision is carried out several times from a copy of the state; its fastest time counts,
    which leaves out what the machine does meanwhile.
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
    return 1e6 * slowest


def cloning() -> float:
    """Microseconds to copy a state among 64 of them."""
    states = new_states(64)
    return 1e6 * seconds(lambda: entry.clone_many(states, N_CLONES)) / N_CLONES


def importing() -> tuple[float, float]:
    """Seconds of the first import with an empty cache, and of the next one."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", "import carc_env"]
        environment = {**os.environ, "CARC_ENV_CACHE_DIR": cache}

        def run() -> None:
            subprocess.run(command, env=environment, check=True, capture_output=True)

        return seconds(run), min(seconds(run) for _ in range(3))


def recipe(line: str, pattern: str) -> float:
    """The number that a training script prints."""
    script, *options = line.split()
    path = str(Path(__file__).parent / script)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, path, *options, "--save", f"{folder}/recipe.ckpt"]
        run = subprocess.run(command, check=True, capture_output=True)
    (number,) = re.findall(pattern, run.stdout.decode())
    return float(number.replace(",", ""))


def compile_native(source: Path, folder: str) -> list[str] | None:
    """The command that runs the C++ program, or None with a word why it is left out."""
    if not source.exists() or shutil.which("g++") is None:
        print(f"left out: the C++ program ({source} or g++ is not there)", file=sys.stderr)
        return None
    binary = str(Path(folder) / "native")
    subprocess.run(["g++", "-O3", "-march=native", str(source), "-o", binary], check=True)
    return [binary, "1"]


def measure(native: Path, n_rounds: int) -> dict[str, float]:
    """All figures by key; those of a missing peer are left out."""
    samples: dict[str, list[float]] = {}

    def note(key: str, value: float) -> None:
        samples.setdefault(key, []).append(value)

    ours, peer = carcassonne_v0.env(), connect_four()
    with tempfile.TemporaryDirectory() as folder:
        command = compile_native(native, folder)
        for _ in track(range(n_rounds), "measuring", console=Console(stderr=True)):
            note("core_games_per_s", play_games(CORE)[0])
            if command:
                run = subprocess.run(command, check=True, capture_output=True, text=True)
                note("native_games_per_s", json.loads(run.stdout)["med_games"])
            games, base_decisions = play_games(BASE)
            note("base_games_per_s", games)
            note("base_decisions_per_s", base_decisions)
            games, abbey_decisions = play_games(ABBEY_MAYOR)
            note("abbey_games_per_s", games)
            note("abbey_decisions_per_s", abbey_decisions)
            note("abbey_ratio", abbey_decisions / base_decisions)
            games, decisions = play_games(BRIDGES)
            note("bridges3_games_per_s", games)
            note("bridges3_decisions_per_s", decisions)
            games, all4_decisions = play_games(EVERYTHING)
            note("all4_games_per_s", games)
            note("all4_decisions_per_s", all4_decisions)
            note("aec_per_s", pettingzoo_loop(ours, 20_000))
            note("connect_four_per_s", pettingzoo_loop(peer, 8_000))
            for encoding in ("planes", "tokens"):
                stepped = batch_loop(BASE, encoding)
                note(f"batch256_{encoding}_per_s", stepped)
                note(f"{encoding}_ratio", stepped / base_decisions)
            note("batch256_sparse_per_s", batch_loop(BASE, "sparse"))
            stepped = batch_loop(EVERYTHING, "planes")
            note("batch256_all4_planes_per_s", stepped)
            note("all4_planes_ratio", stepped / all4_decisions)
            note("batch64_all4_planes_per_s", batch_loop(EVERYTHING, "planes", 64))
            note("vector256_per_s", vector_loop(256, 200))
            note("vector1_per_s", vector_loop(1, 10_000))
            note("threads2_ratio", threads_ratio())
            note("greedy_game_ms", greedy_game())
            note("observe_us", observing())
            note("afterstates_per_s", looking_ahead())
            note("rollouts_per_s", rolling_out("random", 400))
            note("greedy_rollouts_per_s", rolling_out("greedy", 8))
            note("clone_us", cloning())
    found = {key: statistics.median(values) for key, values in samples.items()}
    if command:
        found["native_ratio"] = found["core_games_per_s"] / found["native_games_per_s"]
    found["connect_four_ratio"] = found["aec_per_s"] / found["connect_four_per_s"]
    found["slowest_decision_us"] = slowest_decision(EVERYTHING)
    if find_spec("torch") is None:
        print("left out: the training scripts (torch is not there)", file=sys.stderr)
    else:
        found["sb3_env_percent"] = recipe(
            "train_sb3.py --steps 16384 --games 8", r"environment takes ([\d.]+)%"
        )
        found["ppo_frames_per_s"] = recipe(
            "ppo.py --frames 400000 --eval-games 8", r"([\d,]+)/s without the evaluations"
        )
    found["state_bytes"] = STATE.itemsize
    found["game_bytes"], found["shown_bytes"] = memory_of_a_game(EVERYTHING)
    found["compile_s"], found["import_s"] = importing()
    return found


def rows(found: dict[str, float]) -> list[tuple[str, str, str]]:
    """The table: what, the figure with its unit, and the bar."""
    table = []
    for figure in FIGURES:
        if figure.key in found:
            value = found[figure.key]
            text = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
            table.append((figure.what, f"{text} {figure.unit}".strip(), figure.bar))
    return table


def show(found: dict[str, float], markdown: bool) -> None:
    """Print the table."""
    if markdown:
        print("| | | bar |\n| --- | --: | --: |")
        for row in rows(found):
            print(f"| {' | '.join(row)} |")
        return
    grid = Grid("", "", "bar", title="carc_env, one core, medians")
    for column in (1, 2):
        grid.columns[column].justify = "right"
    for row in rows(found):
        grid.add_row(*row)
    Console().print(grid)


def main(
    out: Annotated[Path | None, tyro.conf.arg(name="json")] = None,
    native: Path = NATIVE,
    rounds: int = 7,
    markdown: bool = False,
) -> None:
    """Measure, print a table and write the figures.

    Parameters
    ----------
    out
        File for the figures as JSON.
    native
        C++ source to compare with; left out when it is not there.
    rounds
        How often everything is measured; the median counts.
    markdown
        Print the table as it stands in the documentation.
    """
    if rounds < 1:
        raise SystemExit(f"--rounds must be at least 1, got {rounds}")
    found = measure(native, rounds)
    show(found, markdown)
    if out is not None:
        replace_file(out, json.dumps(found, indent=2).encode())
        print(f"written: {out}")


if __name__ == "__main__":
    tyro.cli(main)
