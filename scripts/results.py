"""Write the page of results from finished runs: how strong each training gets, and how fast.

    python scripts/results.py runs/value-0 runs/value-1 runs/value-2 runs/ppo-0 ...
    python scripts/results.py --settings other.yaml runs/...

Takes the folders of runs, of whatever training scripts. Runs with the same settings but for their
seeds are a row. It trains nothing: begin the runs with ``--seed`` and ``--folder``, and with
``--eval-against random greedy value`` to see when they beat whom.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import tyro
import yaml
from carc_env.agents import make_agent, play_match
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import WIN_RATE, Row, draw_runs, read_csv
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.intervals import wilson
from carc_env.agents.report import EMPTY, Rows, markdown
from carc_env.agents.run_folder import CONFIG, CURVE, LATEST, ORIGIN, TIMES
from carc_env.agents.settings import Settings
from carc_env.agents.value_learner import VALUE

from carc_env.game.records import replace_file
from carc_env.rules import Rules

SETTINGS = Path("configs/experiments/results.yaml")
OF_A_RUN = ("seed", "folder", "wandb", "overwrite")
"""Settings in which runs of a row differ."""
INTRODUCTION = """\
# Results

This page shows what each training learns, from nothing or from the network that it begins with.
`python scripts/results.py` wrote it
from the folders of finished runs; runs that differ only by their seeds are one row.
A number is their mean, followed by the lowest and the highest of them if they differ.
*Seconds* are those of the whole run, evaluations included. *% won* is of {games} games against each
agent after the run, on other decks than those of its evaluations. *Time to beat* an agent ends
with the first evaluation that leaves no doubt: the 95% interval of the win rate lies above a half.

"""


@dataclass(frozen=True)
class Results(Settings):
    """What is played, and what is written."""

    against: tuple[str, ...] = ("random", "greedy", "value")
    """Whom the runs meet."""
    games: int = 400
    """Against each of them; a multiple of the players of every run."""
    seed: int = 77
    """Shuffles the decks."""
    page: str = "docs/results"
    """Where the page is written."""
    picture: str = "docs/images/results.png"
    """Where the curves are drawn."""


class Run:
    """A finished run.

    Parameters
    ----------
    folder : Path
        Its folder.

    Raises
    ------
    ValueError
        It lacks a file, or is not at its end.
    """

    def __init__(self, folder: Path) -> None:
        for name in (CONFIG, CURVE, TIMES, ORIGIN, LATEST):
            if not (folder / name).exists():
                raise ValueError(f"{folder} is no run with known times: it has no {name}")
        self.folder = folder
        self.config: dict[str, Any] = _read_yaml(folder / CONFIG)
        self.origin: dict[str, str] = _read_yaml(folder / ORIGIN)
        self.curve = read_csv(folder / CURVE)
        self.seconds = {row["steps"]: row["seconds"] for row in read_csv(folder / TIMES)}
        self.rules = Rules.from_dict(self.config.get("rules", {}))
        if not self.curve or not (self._has_all_steps() or self._has_won_enough()):
            raise ValueError(f"{folder} is not at its end: go on with {folder / LATEST}")

    @property
    def key(self) -> str:
        """The same for runs of a script that differ by their seeds alone."""
        kept = {k: v for k, v in self.config.items() if k not in OF_A_RUN}
        return self.script + json.dumps(kept, sort_keys=True)

    @property
    def script(self) -> str:
        """What it was trained by."""
        return Path(shlex.split(self.origin["command"])[1]).name

    @property
    def agent(self) -> str:
        """What it learned, as the word for an agent."""
        value = self.folder / VALUE
        return f"value:weights={value}" if value.exists() else str(self.folder / LATEST)

    def win_rates(self, results: Results) -> list[float]:
        """What it wins against each agent."""
        found = []
        learner, n = make_agent(self.agent, self.rules), self.rules.n_players
        for name in results.against:
            players = [learner, *[make_agent(name, self.rules)] * (n - 1)]
            names = ["learner", *[name] * (n - 1)]
            match = play_match(players, names, self.rules, results.games, seed=results.seed)
            found.append(match.standings[0].win_rate.value)
        return found

    def beaten_at(self, agent: str) -> float | None:
        """The steps of the first evaluation that leaves no doubt that it beats somebody."""
        n = self.config["eval_games"]
        for row in self.curve:
            rate = row.get(agent + WIN_RATE)
            if rate is not None and wilson(int(rate * n), n).low > 0.5:
                return row["steps"]
        return None

    def over_time(self, like: Sequence[Run]) -> list[Row]:
        """Its evaluations over the mean seconds of the runs of its row."""
        rows = []
        for row in self.curve:
            times = [run.seconds.get(row["steps"]) for run in like]
            known = [seconds for seconds in times if seconds is not None]
            if any(name.endswith(WIN_RATE) for name in row) and len(known) == len(like):
                rows.append({**row, "steps": fmean(known)})
        return rows

    def _has_all_steps(self) -> bool:
        total = self.config.get("total_steps", self.config.get("total_games"))
        return total is not None and self.curve[-1]["steps"] >= total

    def _has_won_enough(self) -> bool:
        goal, rivals = self.config.get("stop_at_win_rate"), self.config["eval_against"]
        return bool(
            goal is not None and rivals and self.curve[-1].get(rivals[0] + WIN_RATE, -1.0) >= goal
        )


def _read_yaml(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found


def spread(values: Sequence[float], digits: int = 0, unit: str = "") -> str:
    """The mean with the lowest and the highest: ``61.5 (58.0-64.9)``."""
    mean, low, high = (f"{f(values):,.{digits}f}" for f in (fmean, min, max))
    return f"{mean}{unit}" + (f" ({low}-{high})" if low != high else "")


def time_to_beat(runs: Sequence[Run], agent: str) -> str:
    """The seconds and steps until somebody was beaten."""
    if not all(any(agent + WIN_RATE in row for row in run.curve) for run in runs):
        return EMPTY
    beaten = [(run, at) for run in runs if (at := run.beaten_at(agent)) is not None]
    if not beaten:
        return "never"
    if not any(at for _, at in beaten):
        return "from the start"
    seconds = spread([run.seconds[at] for run, at in beaten], 0, " s")
    some = f"; {len(beaten)} of {len(runs)} runs" if len(beaten) < len(runs) else ""
    return f"{seconds}, {spread([at for _, at in beaten])} steps{some}"


def shorter(words: list[str]) -> str:
    """A command without what runs of a row differ in."""
    options = ["--" + name for name in OF_A_RUN]
    kept, rest = [], iter(words)
    for word in rest:
        if word == "--overwrite" or word.partition("=")[0] in options:
            if "=" not in word and word != "--overwrite":
                next(rest, None)
        else:
            kept.append(word)
    return shlex.join(kept)


def page_of(groups: dict[str, list[Run]], results: Results) -> str:
    """The page; groups by their names."""
    strength: Rows = [["training", "seeds", "steps", "seconds"]]
    strength[0] += [f"% won against `{name}`" for name in results.against]
    times: Rows = [["time to beat", *(f"`{name}`" for name in results.against)]]
    origins: Rows = [["training", "command", "machine", "commit"]]
    for name, runs in groups.items():
        won = zip(*(run.win_rates(results) for run in runs), strict=True)
        strength.append([name, ", ".join(str(run.config["seed"]) for run in runs)])
        strength[-1].append(spread([run.curve[-1]["steps"] for run in runs]))
        strength[-1].append(spread([max(run.seconds.values()) for run in runs]))
        strength[-1] += [spread([100 * rate for rate in rates], 1) for rates in won]
        times.append([name, *(time_to_beat(runs, agent) for agent in results.against)])
        where = (
            ", ".join(dict.fromkeys(run.origin[k] for run in runs)) for k in ("machine", "commit")
        )
        origins.append([name, f"`{shorter(shlex.split(runs[0].origin['command']))}`", *where])
    picture = os.path.relpath(results.picture, Path(results.page).parent)
    return INTRODUCTION.format(games=results.games) + "\n".join(
        (
            markdown(strength),
            "A step of `train_value.py` is a game, of all others a decision.\n",
            markdown(times),
            "From the start: the weights that it begins with do so. "
            f"{EMPTY}: its evaluations did not meet this agent.\n",
            f"![Win rates over seconds]({picture})\n",
            markdown(origins),
        )
    )


def grouped(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs of a row by its name: the script, and a number where a script has several."""
    by_key: dict[str, list[Run]] = {}
    for run in runs:
        by_key.setdefault(run.key, []).append(run)
    for same in by_key.values():
        same.sort(key=lambda run: run.config["seed"])
    scripts = [same[0].script for same in by_key.values()]
    return {
        script + (f" {scripts[: k + 1].count(script)}" if scripts.count(script) > 1 else ""): same
        for k, (script, same) in enumerate(zip(scripts, by_key.values(), strict=True))
    }


def main(folders: tyro.conf.Positional[tuple[Path, ...]], /, settings: Path = SETTINGS) -> int:
    """Write the page.

    Parameters
    ----------
    folders
        Of finished runs.
    settings
        A YAML file: whom they meet, and where page and picture are written.
    """
    try:
        results = Results.read(settings)
        groups = grouped([Run(folder) for folder in folders])
        page = page_of(groups, results)
    except (ValueError, OSError) as error:
        print(f"error: {error}")
        return 1
    curves = {name: [run.over_time(runs) for run in runs] for name, runs in groups.items()}
    draw_runs(Path(results.picture), curves, results.against, "seconds")
    replace_file(Path(results.page), page.encode())
    print(f"Written: {results.page}, {results.picture}")
    return 0


if __name__ == "__main__":
    prepare_cpu()
    end_quietly()
    sys.exit(tyro.cli(main, description=__doc__))
