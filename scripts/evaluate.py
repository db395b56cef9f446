"""Let agents play matches: the same decks from every seat, win rates and scores with intervals.

    python scripts/evaluate.py greedy random --games 600
    python scripts/evaluate.py runs/demo/latest.ckpt greedy --json match.json
    python scripts/evaluate.py greedy random --rules "{n_players: 4}"      greedy against three
    python scripts/evaluate.py greedy random --rules all                   with every set
    python scripts/evaluate.py greedy random --games 100000 --ray          on all cores
    python scripts/evaluate.py greedy random --games 100000 --ray --address 10.0.0.1:6379

An agent is ``random``, ``greedy`` or a checkpoint. Where there are fewer agents than seats, the
last one takes the seats that are left. On a Ray cluster (extra ``ray``) the result is the same as
without; games whose worker dies are played by another one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import tyro
from carc_env.agents import cluster
from carc_env.agents.arena import Estimate, MatchResult, play_match
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.players import make_agent
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from carc_env.game.records import replace_file
from carc_env.rules import Rules

console = Console(highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Arguments:
    """Let agents play a match: the same decks from every seat."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional]
    """Who plays: random, greedy or checkpoints."""
    games: int = 200
    """A multiple of the number of players."""
    seed: int = 0
    """Shuffles the decks."""
    rules: str | None = None
    """A preset such as "all", or YAML such as "{preset: all, n_players: 3}".

    Default: those of the first checkpoint, or the base game for two.
    """
    threads: int = 2
    """CPU threads of torch; with --ray, of each of the tasks, which get as many CPUs."""
    ray: bool = False
    """Spread the games over a Ray cluster."""
    address: str | None = None
    """host:port of the cluster, or auto. Default: a Ray of its own on this machine."""
    json: Path | None = None
    """Write the result, all scores included, to this file."""


def match_between(
    specs: tuple[str, ...],
    rules: Rules | None,
    games: int,
    seed: int,
    play: Callable[..., MatchResult] = play_match,
) -> MatchResult:
    """Play a match with a progress bar; the last agent takes the seats that are left.

    ``play`` is :func:`play_match` or does the same elsewhere.

    Raises
    ------
    ValueError
        An agent is unknown or refused, or the numbers do not fit the rules.
    """
    if not specs:
        raise ValueError("name at least one agent")
    agents = {spec: make_agent(spec, rules) for spec in specs}
    made_for = [agent.rules for agent in agents.values() if hasattr(agent, "rules")]
    rules = rules or (made_for[0] if made_for else Rules())
    names = [*specs, *[specs[-1]] * (rules.n_players - len(specs))]
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(" : ".join(names), total=games)
        return play(
            [agents[name] for name in names],
            names,
            rules,
            games,
            seed=seed,
            on_game=lambda: bar.advance(task),
        )


def play_on_ray(*match: Any, address: str | None, threads: int, **options: Any) -> MatchResult:
    """Play a match on the cluster at an address."""
    with cluster.connected(address, n_cpus=threads, on_one=threads):
        return cluster.play_match(*match, threads=threads, **options)


def table_of(match: MatchResult) -> Table:
    """The result for people; behind each number its 95% interval."""
    title = f"{match.n_games} games, every deck from every seat; 95% intervals"
    table = Table(title=title, box=box.SIMPLE, title_justify="left")
    table.add_column("agent", overflow="fold")
    for column in ("W/D/L", "% won", "points a game"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in match.standings:
        table.add_row(
            escape(row.agent),
            f"{row.wins}/{row.draws}/{row.losses}",
            _interval(row.win_rate, 100),
            _interval(row.score, 1),
        )
    return table


def _interval(e: Estimate, unit: float) -> str:
    return escape(f"{e.value * unit:.1f} ({e.low * unit:.1f}-{e.high * unit:.1f})")


def main() -> int:
    """Run the command line; returns the exit status."""
    arguments = tyro.cli(Arguments, description=__doc__)
    if arguments.json is not None and not arguments.json.parent.is_dir():
        console.print(f"--json: there is no folder {arguments.json.parent}")
        return 2
    if arguments.address is not None and not arguments.ray:
        console.print("--address is that of a Ray cluster: add --ray")
        return 2
    if arguments.threads < 1:
        console.print(f"--threads must be at least 1, got {arguments.threads}")
        return 2
    play, threads = play_match, 1
    if not {*arguments.agents} <= {"random", "greedy"}:
        prepare_cpu()
        console.print("Loading torch ...")
        import torch

        threads = arguments.threads
        torch.set_num_threads(threads)
    if arguments.ray:
        play = partial(play_on_ray, address=arguments.address, threads=threads)
    try:
        rules = None if arguments.rules is None else Rules.from_yaml(arguments.rules)
        match = match_between(arguments.agents, rules, arguments.games, arguments.seed, play)
        console.print(table_of(match))
        if arguments.json is not None:
            replace_file(arguments.json, (json.dumps(match.to_dict()) + "\n").encode())
            console.print(f"Everything, down to the score of each game, is in {arguments.json}")
    except (ValueError, OSError, ImportError) as error:
        console.print(f"error: {error}", markup=False)
        return 1
    except KeyboardInterrupt:
        console.print("Interrupted, nothing was written.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
