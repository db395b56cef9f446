"""Measure agents' regret on solved endgames.

    python scripts/regret.py random greedy value search:seconds=1
    python scripts/regret.py my_bots:Bold greedy --sets everything-2
    python scripts/regret.py mcts:seconds=1 --positions 100 --json regret.json
    python scripts/regret.py                                 list the contents of the sets

An agent is a name with options, a checkpoint, or ``package.module:Class?option=3``: docs/ladder.md.
A set is the name of a set that comes with the package, or a file written by make_endgames.py.
docs/reference/endgames.md explains the columns. Results do not depend on ``--workers``, but times
do.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Annotated

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import numpy as np
import tyro
from carc_env.agents.commands.tournament import carry_out, console, progress
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.intervals import Estimate, mean_interval
from carc_env.agents.regret import Answer, Questions, Regret, regret_of
from carc_env.agents.report import EMPTY, Rows, half_of, markdown, percent, rich_table
from carc_env.agents.tournament import make_players
from carc_env.agents.workers import spread

from carc_env.arguments import UserPath
from carc_env.choices import check_choice
from carc_env.engine.core.codes import Phase
from carc_env.files import user_path
from carc_env.game.endgames import Endgame, Endgames, shipped_endgames, unpack
from carc_env.game.records import replace_file

KINDS = {
    Phase.DRAW_OR_ABBEY: "abbey or draw",
    Phase.PLACE_TILE: "tile",
    Phase.INGOT: "ingot",
    Phase.MAGIC: "mage or witch",
    Phase.FIGURE: "figure",
    Phase.ELSEWHERE: "on another tile",
    Phase.BRIDGE: "bridge",
    Phase.TUNNEL: "token for a tunnel",
    Phase.FERRY: "ferry",
    Phase.FERRIES: "moved ferry",
    Phase.FLOCK: "flock",
    Phase.CAPTURE: "capture",
    Phase.EXCHANGE: "exchange",
    Phase.FLIGHT: "dragon",
    Phase.CASTLE: "castle",
    Phase.CASTLE_CHOICE: "castle's feature",
    Phase.CIRCLE: "corn circle",
    Phase.SOW: "added meeple",
    Phase.REAP: "meeple taken back",
    Phase.WAGON: "wagon",
    Phase.WAGON_SPOT: "wagon's spot",
    Phase.BAZAAR_PICK: "bazaar: tile",
    Phase.BAZAAR_BID: "bazaar: bid",
    Phase.BAZAAR_DEAL: "bazaar: buy or sell",
}
ALL = "all"


@dataclass(frozen=True)
class Arguments:
    """Measure agents' regret on solved endgames."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """Agents: names, checkpoints, or package.module:Class?option=3. Default: none; only list the
    contents of the sets."""
    sets: tuple[str, ...] = ()
    """Names of sets, or files. Default: all sets that come with the package."""
    positions: int | None = None
    """Use only this many endgames from the beginning of each set."""
    ranking: bool = True
    """Also measure rankings. Without this, agents only choose actions, which halves the time of
    searching agents."""
    by_kind: bool = False
    """Also show the regret by kind of decision and number of tiles left."""
    workers: int = 1
    """Processes."""
    markdown: bool = False
    """Print Markdown tables."""
    json: UserPath | None = None
    """Write everything, including each answer, to this file."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        for name in ("positions", "workers"):
            if (number := getattr(self, name)) is not None and number < 1:
                return f"--{name} must be at least 1, got {number}"
        if self.json is not None and not self.json.parent.is_dir():
            return f"--json: there is no folder {self.json.parent}"
        return None


def read_sets(names: tuple[str, ...]) -> dict[str, Endgames]:
    """Read sets of endgames by name or file; by default, all that come with the package.

    Raises
    ------
    ValueError, OSError
        No set has the given name, or a file is refused.
    """
    found = {}
    for name in names or shipped_endgames():
        if (path := user_path(name)).is_file():
            found[name] = unpack(name, path.read_bytes())
        else:
            found[name] = shipped_endgames()[check_choice("set", name, shipped_endgames())]
    return found


def kind_of(endgame: Endgame) -> tuple[str, int]:
    """Return an endgame's kind of decision, in words, and the number of tiles left."""
    position = endgame.parsed()
    on_offer = () if position.bazaar is None else position.bazaar.offer
    return KINDS[position.phase], len(position.bag or ()) + len(on_offer)


def counts(found: Endgames) -> Rows:
    """Return a table for a set: decision kinds by tiles left, with the mean number of actions."""
    kinds = [kind_of(endgame) for endgame in found.endgames]
    left = sorted({n_left for _, n_left in kinds})
    rows = [["decision about", *(f"{n} left" for n in left), "all", "actions, mean"]]
    for words in [*KINDS.values(), ALL]:
        here = [k for k, kind in enumerate(kinds) if words in (kind[0], ALL)]
        if here:
            n_of = Counter(kinds[k][1] for k in here)
            mean = np.mean([len(found.endgames[k].actions) for k in here])
            rows.append([words, *(str(n_of[n]) for n in left), str(len(here)), f"{mean:.1f}"])
    return rows


def ask(found: Endgames, arguments: Arguments) -> tuple[list[Answer], int]:
    """Ask the agents with a progress bar; return their answers in order, and the exit status.

    Raises
    ------
    ValueError, ImportError, WorkerError
        An agent is refused, or an agent or a worker failed.
    """
    n = min(arguments.positions or len(found.endgames), len(found.endgames))
    players = make_players(arguments.agents, found.rules)
    questions = Questions(found, players, arguments.ranking)
    todo, answers = questions.tasks(n), []
    with Interruption() as stop, progress() as bar:
        shown = bar.add_task("decisions", total=n * len(players))
        tasks = (task for task in todo if not stop.wanted)
        for done in spread(questions.ask, tasks, min(arguments.workers, len(todo))):
            answers += done
            bar.update(shown, advance=len(done))
    order = {name: k for k, name in enumerate(players)}
    return sorted(answers, key=lambda answer: (order[answer.agent], answer.place)), stop.status


def rows_of(regrets: list[Regret]) -> Rows:
    """Return a table of the agents with 95% intervals."""
    rows = [["agent", "regret", "at most", "best actions", "tau", "ms a move", "n"]]
    for regret in regrets:
        tau = EMPTY if regret.tau is None else _interval(regret.tau, 2)
        rows.append(
            [
                regret.agent,
                _interval(regret.regret, 3),
                f"{regret.worst:.1f}",
                percent(regret.best),
                tau,
                f"{1000 * regret.seconds:.2g}",
                f"{regret.n}",
            ]
        )
    return rows


def rows_by_kind(found: Endgames, by_agent: dict[str, list[Answer]]) -> Rows:
    """Return a table of regret by kind of decision and by tiles left."""
    kinds = [kind_of(endgame) for endgame in found.endgames]
    left = [f"{n} left" for n in sorted({n_left for _, n_left in kinds})]
    titles = [words for words in KINDS.values() if any(kind[0] == words for kind in kinds)] + left
    rows = [["agent", *titles]]
    for agent, answers in by_agent.items():
        row = [agent]
        for title in titles:
            here = [a.regret for a in answers if title in _titles(kinds[a.place])]
            row.append(_interval(mean_interval(here), 2) if here else EMPTY)
        rows.append(row)
    return rows


def _titles(kind: tuple[str, int]) -> tuple[str, str]:
    return kind[0], f"{kind[1]} left"


def _interval(estimate: Estimate, digits: int) -> str:
    return f"{estimate.value:.{digits}f} ± {half_of(estimate):.{digits}f}"


def show(rows: Rows, title: str, arguments: Arguments) -> None:
    """Print a table."""
    if arguments.markdown:
        console.print(f"{title}\n\n{markdown(rows)}", markup=False)
    else:
        console.print(rich_table(rows, title))


def run(arguments: Arguments) -> int:
    """Report on all sets; return the exit status.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        A set or an agent is refused, or an agent or a worker failed.
    """
    told = {}
    for name, found in read_sets(arguments.sets).items():
        if not arguments.agents:
            show(counts(found), f"{name}: endgames by tiles left", arguments)
            for reason, n in found.about.get("skipped", {}).items():
                console.print(f"{n:,} games skipped: {reason}", markup=False)
            continue
        answers, status = ask(found, arguments)
        by_agent = {
            a: [x for x in answers if x.agent == a] for a in dict.fromkeys(arguments.agents)
        }
        regrets = [regret_of(given) for given in by_agent.values() if given]
        show(rows_of(regrets), f"{name}: 95% intervals over endgames", arguments)
        if arguments.by_kind:
            show(rows_by_kind(found, by_agent), f"{name}: regret", arguments)
        told[name] = {
            "regrets": [regret.to_dict() for regret in regrets],
            "answers": [vars(answer) for answer in answers],
        }
        if status:
            console.print("Interrupted: the results cover the endgames so far.")
            return status
    if arguments.json is not None:
        replace_file(arguments.json, (json.dumps(told, indent=1) + "\n").encode())
    return 0


def main() -> int:
    """Run the command line; return the exit status."""
    arguments = tyro.cli(Arguments, description=__doc__)
    return carry_out(arguments.problem, arguments.agents, partial(run, arguments))


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
