"""Learn to beat a frozen agent in one file: the win rate shows how exploitable the agent is.

    python best_response.py --against value --folder runs/against-value
    carc-env evaluate "best_response.py:Agent?path=runs/against-value/best_response.pt" value

The same command resumes a run. The response learns by TD(lambda) on afterstates, as in ``td.py``,
but the frozen agent plays all other seats, and only the response's own decisions are samples. Its
network corrects a lead: the one that the engine projects, or the one that ``value`` expects. The
log has the win rate with its 95% interval, on decks that no training uses, each played from all
seats. The best response may win more, so this is a lower bound.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import numpy as np
import torch
import tyro
from carc_env.agents import make_agent
from carc_env.agents.arena import play_against
from carc_env.agents.corrected import ValueEncoder
from carc_env.agents.intervals import share_interval
from carc_env.agents.recipes import td
from carc_env.agents.run_folder import folder_for

from carc_env import AfterstateEncoder, Table, tasks
from carc_env.envs.opponents import ask


@dataclass
class Settings(td.Settings):
    """Options of the command line."""

    against: str = "greedy"  # the frozen agent
    corrects: str = "projected"  # the lead that the engine projects, or "value": for two players
    init: str = ""  # a checkpoint to start from, of td.py or of another response
    folder: str = "runs/best_response"  # of the run
    decisions: int = 200_000  # of the response
    eval_every: int = 50_000  # decisions between two evaluations


ENCODERS = {"projected": AfterstateEncoder, "value": ValueEncoder}


class Agent(td.Agent):
    """Plays with a saved network: the best afterstate."""

    def __init__(self, path: str = "runs/best_response/best_response.pt", device: str = "cpu"):
        settings = torch.load(path, map_location=device, weights_only=True)["settings"]
        super().__init__(path, device, ENCODERS[settings["corrects"]])


class Games(td.SelfPlay):
    """Plays one seat of each game; an agent drawn for the game plays the others."""

    def __init__(self, judge, deal, a, rng, agents, shares):
        super().__init__(judge, deal, a, rng)
        self.agents, self.shares = agents, shares
        self.seats, self.rivals = [0] * a.games, [None] * a.games
        self.answer(0.0)

    def play(self, lam):
        """Take one decision in every game; return the samples of the games that ended."""
        return super().play(lam) + self.answer(lam)

    def answer(self, lam):
        """Let the agents play until the response is to decide in every game; return samples."""
        samples, new = [], [k for k, trace in enumerate(self.traces) if not trace]
        while True:
            for k in new:
                self.seats[k] = int(self.rng.integers(self.tables[k].rules.n_players))
                self.rivals[k] = self.agents[self.rng.choice(len(self.agents), p=self.shares)]
            asked = [k for k, table in enumerate(self.tables) if table.decider != self.seats[k]]
            if not asked:
                return samples
            actions = ask([self.rivals[k] for k in asked], [self.tables[k] for k in asked])
            for k, action in zip(asked, actions, strict=True):
                self.tables[k].step(action)
            new = [k for k in asked if self.tables[k].is_over]
            for k in new:
                samples += td.returns(self.traces[k], self.tables[k], lam)
                self.traces[k] = []
                self.tables[k] = Table.at(self.deal(self.rng), self.states[k : k + 1])
                self.tables[k].reset(int(self.rng.integers(2**63)))


def evaluate(judge, agents, shares, tests, n_games):
    """Return the win rate against agents weighted by their shares, with its interval."""
    won = []
    for rules in tests:
        n = rules.n_players * max(1, round(n_games / len(tests) / rules.n_players))
        rates = 0.0
        for agent, share in zip(agents, shares, strict=True):
            if share:
                rates = rates + share * play_against(judge, agent, rules, n).win_rates[:, 0]
        won += rates.tolist()
    found = share_interval(won)
    return {"win_rate": found.value, "low": found.low, "high": found.high}


def respond(a, agents, shares):
    """Learn against agents, which are met by their shares; return the last evaluation."""
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    asked, folder = tasks.training_on(a.task, a.rules), folder_for(a)
    tests = asked.test_rules
    encoder = ENCODERS[a.corrects](tests[0])
    net = td.Net(encoder, a).to(a.device)
    adam = torch.optim.Adam(net.parameters(), lr=a.lr)
    n, spent, losses, row, file = 0, 0.0, [], {}, folder / "best_response.pt"
    if file.exists():
        saved = torch.load(file, map_location=a.device, weights_only=True)
        row, n, spent = saved["row"], saved["row"]["decisions"], saved["row"]["processor_seconds"]
        net.load_state_dict(saved["net"])
        adam.load_state_dict(saved["adam"])
    elif a.init:
        net.load_state_dict(torch.load(a.init, map_location=a.device, weights_only=True)["net"])
    judge, rng = td.Judge(net, encoder, a), np.random.default_rng([a.seed, n])
    games, samples, owed = Games(judge, asked.sample, a, rng, agents, shares), [], 0.0
    while n < a.decisions:
        began, progress = time.process_time(), n / a.decisions
        new = games.play(a.lam - 0.15 * progress)
        samples, owed = [*samples, *new][-a.replay :], owed + a.passes * len(new) / a.batch
        adam.param_groups[0]["lr"] = a.lr * max(0.05, 1 - progress)
        while owed >= 1 and len(samples) >= a.replay // 8:
            losses.append(td.learn(net, adam, encoder, samples, a, rng))
            owed -= 1
        n, spent = n + a.games, spent + time.process_time() - began
        if n % a.eval_every < a.games or n >= a.decisions:
            row = {"decisions": n, "processor_seconds": spent}
            row |= {"loss": float(np.mean(losses or 0))}
            row |= evaluate(judge, agents, shares, tests, a.eval_games)
            row |= td.evaluate(judge, tests, a.eval_games)  # against greedy and value
            with (folder / "log.jsonl").open("a") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)
            about = {"settings": vars(a), "row": row, "rules": tests[0].to_dict()}
            torch.save(about | {"net": net.state_dict(), "adam": adam.state_dict()}, file)
            losses = []
    return row


def main():
    """Learn a response to one agent."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    rules = tasks.training_on(a.task, a.rules).test_rules[0]
    respond(a, [make_agent(a.against, rules)], [1.0])


if __name__ == "__main__":
    main()
