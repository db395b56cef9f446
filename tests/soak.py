"""Play long under random rules with every check on: ``make soak``, ``python -m tests.soak``.

A part is 100,000 decisions. Each game draws its own sets, switches and number of seats. All kernels
check array bounds, and these checks run:

- every decision: the state record has no problems, and the legal action list matches the mask;
- every tenth decision: hidden tiles change neither an observation nor the legal actions, and
  clones, saved states and positions in the notation are the same game;
- every twentieth game: its record is replayed; every five-hundredth: the naive oracle agrees, move
  by move.

Each finished part is a file under ``runs/soak``, in a folder named after the engine. A stopped run
can therefore continue, and parts of an older engine do not count. Failures are written there, too,
with the rules, the seed and the actions that lead to them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, fields, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np

PART = 100_000
"""Decisions per part."""
TWIN_EVERY, COPY_EVERY = 10, 10
"""Decisions between checks of hidden tiles, and between checks of copies."""
RECORD_EVERY, ORACLE_EVERY = 20, 500
"""Games between record checks, and between games against the oracle."""
NUMBERS = {
    "n_players": range(2, 7),
    "view": range(12, 34, 2),
    "bazaar_bid_limit": (1, 3, 20),
    "deck_size": (None, None, None, 1, 12, 40),
}
"""Values of the switches that are neither booleans nor one of a few words."""


def random_rules(rng: random.Random, **given: Any) -> Any:
    """Draw rules: each switch that is not given and each tile set is drawn separately."""
    from carc_env.rules import CHOICES, SWITCHES, TILE_SETS, Rules

    while True:
        switches = {
            name: rng.choice((CHOICES | NUMBERS)[name]) for name in SWITCHES if name != "sets"
        }
        share = rng.choice((0.2, 0.5, 0.9))
        sets = ("base", *(name for name in TILE_SETS[1:] if rng.random() < share))
        try:
            return Rules(**{**switches, "sets": sets, **given})
        except ValueError:  # two switches contradict each other
            continue


@dataclass
class Tally:
    """Counts of the checks."""

    n_decisions: int = 0
    n_games: int = 0
    n_twins: int = 0
    n_copies: int = 0
    n_records: int = 0
    n_oracle: int = 0
    seconds: float = 0.0
    phases: Counter[str] = field(default_factory=Counter)
    switches: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Add the counts of another part."""
        for one in fields(self):
            if one.name in ("phases", "switches"):
                getattr(self, one.name).update(getattr(other, one.name))
            else:
                setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


def check_decision(table: Any) -> None:
    """Check that the record has no problem, and that legal action list and mask agree."""
    found = table.problems()
    assert not found, found
    legal = table.legal_actions()
    assert legal and all(a < b for a, b in pairwise(legal)), legal
    assert np.flatnonzero(table.action_mask()).tolist() == legal


def check_twin(table: Any, rng: random.Random) -> None:
    """Check that hidden tiles change neither an observation nor the legal actions."""
    twin = table.clone()
    twin.reshuffle(rng.randrange(1 << 32))
    assert not (found := twin.problems()), found
    seat = rng.randrange(table.rules.n_players)
    name = rng.choice(("planes", "tokens", "sparse"))
    mine, other = table.observe(seat, name), twin.observe(seat, name)
    for key in mine:
        if not np.array_equal(mine[key], other[key]):  # faster than the next line
            np.testing.assert_allclose(mine[key], other[key], rtol=0, atol=1e-6, err_msg=key)
    assert table.legal_actions() == twin.legal_actions()


def check_copies(table: Any) -> None:
    """Check that clones, saved states and positions in the notation are the same game."""
    from carc_env import Game, Table, format_position, parse_position

    saved, legal = table.save_state(), table.legal_actions()
    assert table.clone().save_state() == saved
    other = Table(table.rules, seed=0)
    other.load_state(saved)
    assert other.save_state() == saved and other.legal_actions() == legal
    position = table.position()
    assert parse_position(format_position(position)) == position
    game = Game.from_position(position)
    assert game.position() == position and game.legal_actions() == legal
    unseen = parse_position(format_position(replace(position, bag=None)))
    assert Game.from_position(unseen, seed=1).legal_actions() == legal


def play(rules: Any, seed: int, rng: random.Random, tally: Tally, actions: list[int]) -> None:
    """Play a game with all checks; collect the actions, so that a failure can be reproduced."""
    from carc_env import Table

    table = Table(rules, seed=seed)
    greed = rng.choice((0.0, 0.0, 0.3, 0.8))
    while not table.is_over:
        check_decision(table)
        tally.n_decisions += 1
        tally.phases[table.phase.name] += 1
        if tally.n_decisions % TWIN_EVERY == 0:
            check_twin(table, rng)
            tally.n_twins += 1
        if tally.n_decisions % COPY_EVERY == 0:
            check_copies(table)
            tally.n_copies += 1
        is_greedy = rng.random() < greed
        actions.append(table.greedy_action() if is_greedy else rng.choice(table.legal_actions()))
        table.step(actions[-1])
    assert not (found := table.problems()), found
    assert table.winners and table.scores == table.standings


def check_record(rules: Any, seed: int, actions: list[int]) -> None:
    """Check that the record of a game loads as the same game."""
    from carc_env import Game, format_record, load_record

    game = Game(rules, seed=seed)
    for action in actions:
        game.apply(action)
    assert game.is_over
    text = format_record(game)
    other = load_record(text)
    assert other.position() == game.position() and format_record(other) == text


def check_against_oracle(rules: Any, seed: int) -> None:
    """Check that the naive oracle, which shares no code with the engine, agrees move by move."""
    from carc_env import Game
    from tests.engine.test_against_oracle import play_and_compare

    play_and_compare(Game(rules, seed=seed), seed)


def play_part(number: int, n_decisions: int, folder: Path) -> Tally:
    """Play a part and store its counts; a part always consists of the same games.

    Raises
    ------
    AssertionError
        A check fails. The file ``failed-<part>.txt`` in the folder shows where.
    """
    from carc_env.game.records import replace_file

    warnings.filterwarnings("ignore", ".* has no effect", UserWarning)  # systems without tiles
    rng, tally, started = random.Random(f"soak {number}"), Tally(), time.perf_counter()
    while tally.n_decisions < n_decisions:
        rules, seed = random_rules(rng), rng.randrange(1 << 32)
        actions: list[int] = []
        try:
            play(rules, seed, rng, tally, actions)
            if tally.n_games % RECORD_EVERY == 0:
                check_record(rules, seed, actions)
                tally.n_records += 1
            if tally.n_games % ORACLE_EVERY == 0:
                check_against_oracle(rules, seed)
                tally.n_oracle += 1
        except Exception:
            told = f"rules {rules.to_yaml()}\nseed {seed}\nactions {actions}\n\n"
            (folder / f"failed-{number:05}.txt").write_text(told + traceback.format_exc())
            raise
        tally.n_games += 1
        for name, value in rules.to_dict().items():
            values = [one for one in value if one != "base"] if name == "sets" else [value]
            tally.switches.update(f"{name}={one}" for one in values)
    tally.seconds = time.perf_counter() - started
    path = folder / f"part-{number:05}.json"
    replace_file(path, json.dumps(vars(tally)).encode())
    return tally


def kept(folder: Path) -> dict[int, Tally]:
    """Return the finished parts in a folder, by number."""
    found = {}
    for path in sorted(folder.glob("part-*.json")):
        told = json.loads(path.read_text())
        phases, switches = Counter(told.pop("phases")), Counter(told.pop("switches"))
        found[int(path.stem.partition("-")[2])] = Tally(**told, phases=phases, switches=switches)
    return found


def report(parts: dict[int, Tally]) -> str:
    """Summarise all finished parts."""
    total = Tally()
    for tally in parts.values():
        total.add(tally)
    lines = [
        f"{total.n_decisions:,} decisions of {total.n_games:,} games in {len(parts)} parts, "
        f"{total.seconds / 3600:.1f} hours of one core: no problem",
        f"hidden tiles shuffled {total.n_twins:,} times, {total.n_copies:,} positions copied, "
        f"{total.n_records:,} records replayed, {total.n_oracle:,} games against the oracle",
        "decisions by phase: "
        + ", ".join(f"{name} {n:,}" for name, n in total.phases.most_common()),
        "games by switch: "
        + ", ".join(f"{name} {n:,}" for name, n in sorted(total.switches.items())),
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Play the missing parts; return 0 if nothing is wrong, 1 if a check failed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--decisions", type=int, default=10_000_000)
    parser.add_argument("--part", type=int, default=PART, help="decisions of a part")
    parser.add_argument("--folder", type=Path, default=Path("runs/soak"))
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    asked = parser.parse_args(arguments)
    os.environ["NUMBA_BOUNDSCHECK"] = "1"  # read when carc_env is imported, here and in the workers
    from carc_env.engine.compiler.jit import KEY

    folder = asked.folder / f"{KEY}-{asked.part}"
    folder.mkdir(parents=True, exist_ok=True)
    parts = kept(folder)
    n_parts = -(-asked.decisions // asked.part)
    missing = [k for k in range(n_parts) if k not in parts]
    print(f"{n_parts - len(missing)} of {n_parts} parts are in {folder}", flush=True)
    with ProcessPoolExecutor(asked.workers, multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(play_part, k, asked.part, folder): k for k in missing}
        try:
            for done, future in zip(
                count(n_parts - len(missing) + 1), as_completed(waiting), strict=False
            ):
                parts[waiting[future]] = tally = future.result()
                print(
                    f"part {done} of {n_parts}: {tally.n_games:,} games, {tally.seconds:.0f} s",
                    flush=True,
                )
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            print(f"stopped; the same command goes on with the parts in {folder}", flush=True)
            return 130
        except Exception as error:
            pool.shutdown(cancel_futures=True)
            print(f"a check failed: {error}; see failed-*.txt in {folder}", flush=True)
            return 1
    print(report({k: parts[k] for k in range(n_parts)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
