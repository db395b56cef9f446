"""Policy-space response oracles (PSRO) in one file: a population that is ever harder to exploit.

    python psro.py                       ten responses on the rules of short-greedy-v1
    python psro.py --iterations 20       continue that run

The population begins with one agent. In each iteration, all its members play each other, and a new
response learns to beat the equilibrium of the table of win rates, as in ``best_response.py``. It
starts from the network of the response before. What it wins above 50% is how exploitable the
equilibrium was, at least. An agent outside the population measures its strength.

The folder gets a row for each response in ``log.jsonl``, ``games.jsonl`` with all games, and
``psro.png``. Response 3 is the agent
``carc_env.agents.recipes.best_response:Agent?path=runs/psro/3/best_response.pt``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import tyro
from carc_env.agents import make_agent
from carc_env.agents.arena import Arena, first_places
from carc_env.agents.figures import draw_population
from carc_env.agents.intervals import share_interval
from carc_env.agents.recipes import best_response
from carc_env.agents.tournament import GameFile, Tournament, heading, line_ups, make_players

from carc_env import tasks


@dataclass
class Settings(best_response.Settings):
    """Options of the command line."""

    task: str = "short-greedy-v1"  # its rules, which are for two players
    against: str = "random"  # the first member of the population
    outside: str = "value"  # plays against all members, but none learns from it
    folder: str = "runs/psro"  # of the run
    iterations: int = 10  # responses
    decisions: int = 100_000  # of each response
    eval_every: int = 1_000_000  # only when a response is complete
    eval_games: int = 100  # against each opponent
    decks: int = 200  # of each match; each deck is played from both seats
    least: float = 0.01  # members with smaller shares are left out


def tournament(specs, rules, a):
    """Return the win rates of all agents against each other on each deck: (n, n, decks)."""
    arena = Arena(make_players(specs, rules), rules, a.seed)
    games = GameFile(Path(a.folder) / "games.jsonl", heading(arena))
    match = Tournament(arena, line_ups(specs, 2, "round-robin"), a.decks)
    match.add(games.played)
    match.play(keep=games.add)
    won = np.full((len(specs), len(specs), a.decks), 0.5)
    for deck in match.played:
        i, j = map(specs.index, deck.line_up)
        won[i, j, deck.deck] = first_places(np.array(deck.scores))[:, 0].mean()
        won[j, i, deck.deck] = 1 - won[i, j, deck.deck]
    return won


def equilibrium(payoffs, least=0.0, steps=20_000):
    """Return the shares of a symmetric equilibrium, by regret matching+ (Tammelin, 2014)."""
    gains, regrets, total = payoffs - payoffs.T, np.ones(len(payoffs)), np.zeros(len(payoffs))
    for step in range(steps):
        shares = regrets / regrets.sum()
        regrets = np.maximum(regrets + gains @ shares, 0.0)
        total += step * shares  # later ones are better
    total[total < least * total.sum()] = 0.0
    return total / total.sum()


def main():
    """Add responses to a population; write the log and the picture after each."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    rules, folder = tasks.training_on(a.task, a.rules).fixed_rules, Path(a.folder)
    if rules.n_players != 2:
        raise ValueError(f"psro.py plays games for two, but these are for {rules.n_players}")
    specs, rows = [a.against], []
    won = tournament([*specs, a.outside], rules, a)
    for k in range(1, a.iterations + 1):
        shares = equilibrium(won[:-1, :-1].mean(2), a.least)
        own = {"folder": str(folder / str(k)), "seed": int(f"{a.seed}{k:02}")}
        if k > 1:
            own["init"] = str(folder / str(k - 1) / "best_response.pt")
        agents = [make_agent(spec, rules) for spec in specs]
        told = best_response.respond(replace(a, **own), agents, shares)
        specs.append(f"{best_response.__name__}:Agent?path={own['folder']}/best_response.pt")
        won = tournament([*specs, a.outside], rules, a)
        rate = share_interval(shares @ won[k, :k])
        row = {"response": k, "decisions": told["decisions"], "shares": shares.round(4).tolist()}
        row |= {"win_rate": rate.value, "low": rate.low, "high": rate.high}
        row |= {"outside": float(won[k, -1].mean()), "processor_seconds": told["processor_seconds"]}
        rows.append(row)
        print(row, flush=True)
        (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        names = [a.against, *map(str, range(1, k + 1)), a.outside]
        draw_population(folder / "psro.png", names, won.mean(2), rows)


if __name__ == "__main__":
    main()
