"""Learn from searches in one file: the network of ``td.py``, with better moves and targets.

    python zero.py                                  200,000 decisions of the base game
    carc-env evaluate "zero.py:Agent?path=runs/zero/zero.pt,sims=32" greedy

The same command resumes a run. The network judges afterstates and learns by TD(lambda), as in
``td.py``, but a share of the decisions is searched first. A search begins with the actions that the
network finds about equally good. A simulation of an action draws a tile, lets the network play, and
repeats this; the leads that the network then expects count for the action. After each round, the
worse half of the actions is dropped (sequential halving). All actions meet the same tiles. The
network also learns what the search finds about each of its actions.

A search depends on public information alone: :meth:`Table.afterstate` stops before chance decides.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from math import ceil, log2
from types import SimpleNamespace

import numpy as np
import torch
import tyro
from carc_env.agents.recipes import td
from carc_env.agents.run_folder import folder_for

from carc_env import AfterstateEncoder, Table, tasks


@dataclass
class Settings(td.Settings):
    """Options of the command line."""

    folder: str = "runs/zero"  # of the run
    decisions: int = 200_000  # of all seats
    sims: int = 8  # simulations in a search
    considered: int = 4  # actions that a search begins with, at most
    margin: float = 1.0  # points that the network may value them below the best one
    draws: int = 2  # in a simulation
    searched: float = 0.25  # share of the decisions in training
    eval_every: int = 50_000  # decisions between two evaluations


AT_ONCE = 64  # games that the network judges
TURN, SIM = 2**0.5 % 1, 5**0.5 / 2 - 0.5  # steps on a circle of all tiles to draw


class Line:
    """A game in a search: it goes on, and chance depends only on where on a circle it begins."""

    def __init__(self, table, seat, scores, at):
        self.table, self.seat, self.scores, self.at = table, seat, scores, at

    @property
    def decides(self):
        """Whether a player decides next, not chance."""
        return not (self.table.is_over or self.table.draws())

    def deal(self):
        """Draw until a player decides next."""
        while draws := self.table.draws():
            shares = np.cumsum([*draws.values()])[:-1]
            self.table.deal([*draws][int((shares <= self.at).sum())])
            self.at = self.at * 997 % 1
        if self.table.is_over:
            self.note(self.table.scores, 0)

    def note(self, scores, seat):
        """Note the scores of all players, which are given from a seat on."""
        n_players = self.table.rules.n_players
        self.scores = np.zeros(len(self.scores))
        self.scores[:n_players] = np.roll(scores[:n_players], seat - self.seat)


class Candidate(Line):
    """An action in a search, and the mean scores of its simulations."""

    def __init__(self, table, where, action, scores):
        at = table.n_tiles_left * TURN % 1
        super().__init__(table.afterstate(int(action)), table.decider, scores, at)
        self.where, self.action, self.n, self.mean = where, action, 0, 0.0

    def begin(self, n):
        """Return the next ``n`` simulations, which begin in copies of the game."""
        self.n += n
        ats = [(self.at + k * SIM) % 1 for k in range(self.n - n, self.n)]
        return [Line(self.table.clone(), self.seat, self.scores, at) for at in ats]

    def end(self, sims):
        """Add the scores of simulations to the mean."""
        self.mean += sum(sim.scores - self.mean for sim in sims) / self.n

    @property
    def lead(self):
        """The lead that these mean scores are for who chooses."""
        return float(td.leads(self.mean[None], self.table.rules)[0])


class Search(td.Judge):
    """Judges actions by simulations; the result is the same in the same public position."""

    def __init__(self, net, encoder, a, rng=None):
        super().__init__(net, encoder, a)
        self.plain, self.rng, self.samples = td.Judge(net, encoder, a), rng, []

    def __call__(self, states, games, rules):
        """Return actions and scores as td.Judge does; a search leaves at most two above -inf."""
        a, races = self.a, []
        actions, values = self.plain(states, games, rules)
        for k, worth in enumerate(map(td.leads, values, rules)):
            order = np.argsort(-worth, kind="stable")[: a.considered]
            best = [j for j in order if worth[j] >= worth.max() - a.margin]
            if a.sims and len(best) > 1 and (not self.rng or self.rng.random() < a.searched):
                table = Table.at(rules[k], states[games[k] : games[k] + 1])
                races.append([Candidate(table, (k, j), actions[k][j], values[k][j]) for j in best])
        tried = [one for race in races for one in race]
        self.search(races)
        for race in races:
            values[race[0].where[0]][:, 0] = -np.inf
            for k, j, mean in [(*one.where, one.mean) for one in race]:
                values[k][j] = mean
        if self.rng and tried:
            self.keep(tried, states, games, rules)
        return actions, values

    def keep(self, candidates, states, games, rules):
        """Keep the afterstates and mean scores of candidates as samples to learn from."""
        where, actions = zip(*((one.where[0], one.action) for one in candidates), strict=True)
        own = [games[k] for k in where], actions, [rules[k] for k in where]
        for one, seen in zip(candidates, self.encoder.whole(states, *own).split(), strict=True):
            target, n = np.zeros_like(seen.scores[0]), one.table.rules.n_players
            change = one.mean[:n] - seen.scores[0, :n]
            target[:n] = (change - change.mean()) / td.POINTS
            self.samples.append(SimpleNamespace(shown=seen, target=target))

    def search(self, races):
        """Simulate the candidates of each race in rounds, and drop all but at most two."""
        a, n_left = self.a, self.a.considered
        n_rounds = max(1, ceil(log2(n_left)))
        self.finish([one for race in races for one in race])
        for _ in range(n_rounds):
            n = max(1, a.sims // (n_rounds * n_left))
            sims = [(one, one.begin(n)) for race in races for one in race]
            self.play([line for _, own in sims for line in own])
            for one, own in sims:
                one.end(own)
            n_left = max(2, n_left // 2)
            for race in races:
                race.sort(key=lambda one: -one.lead)
                del race[n_left:]

    def play(self, lines):
        """Draw and let the network answer, some times in turn."""
        for _ in range(self.a.draws):
            self.finish(lines)
            for line in lines:
                line.deal()
            self.answer([line for line in lines if line.decides])

    def finish(self, lines):
        """Let the network decide in each game until chance decides next, or the game is over."""
        while waiting := [line for line in lines if line.decides]:
            self.answer(waiting)

    def answer(self, lines):
        """Carry out the network's best action in each game, and note the scores after it."""
        for part in (lines[k : k + AT_ONCE] for k in range(0, len(lines), AT_ONCE)):
            tables = [line.table for line in part]
            records = bytearray(b"".join(table.states.tobytes() for table in tables))
            states = np.frombuffer(records, tables[0].states.dtype)
            found = self.plain(states, range(len(tables)), [table.rules for table in tables])
            for line, actions, values in zip(part, *found, strict=True):
                best = int(td.leads(values, line.table.rules).argmax())
                line.note(values[best], line.table.decider)
                line.table = line.table.afterstate(int(actions[best]))


class Agent(Search):
    """Plays with a saved network and searches; without searches if ``sims`` is 0."""

    def __init__(self, path="runs/zero/zero.pt", sims=8, considered=4, draws=2, device="cpu"):
        made = td.Agent(path, device)
        super().__init__(made.net, made.encoder, made.a)
        own = {"sims": sims, "considered": considered, "draws": draws}
        self.a = SimpleNamespace(**vars(Settings()) | vars(made.a) | own)


def main():
    """Learn, evaluate now and then, and save a checkpoint after each evaluation."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)  # a batch is small
    asked, folder = tasks.training_on(a.task, a.rules), folder_for(a)
    tests = asked.test_rules
    net = td.Net(encoder := AfterstateEncoder(tests[0]), a).to(a.device)
    adam = torch.optim.Adam(net.parameters(), lr=a.lr)
    n, spent, loss, file = 0, 0.0, 0.0, folder / "zero.pt"
    if file.exists():
        saved = torch.load(file, map_location=a.device, weights_only=True)
        n, spent = saved["row"]["decisions"], saved["row"]["processor_seconds"]
        net.load_state_dict(saved["net"])
        adam.load_state_dict(saved["adam"])
    elif a.init:
        net.load_state_dict(torch.load(a.init, map_location=a.device, weights_only=True)["net"])
    rng = np.random.default_rng([a.seed, n])
    search = Search(net, encoder, a, rng)
    games, samples, owed = td.SelfPlay(search, asked.sample, a, rng), [], 0.0
    while n < a.decisions:
        began, progress = time.process_time(), n / a.decisions
        new = games.play(a.lam - 0.15 * progress) + search.samples
        search.samples = []
        samples, owed = [*samples, *new][-a.replay :], owed + a.passes * len(new) / a.batch
        adam.param_groups[0]["lr"] = a.lr * max(0.05, 1 - progress)
        while owed >= 1 and len(samples) >= a.replay // 8:
            loss += (td.learn(net, adam, encoder, samples, a, rng) - loss) / 100
            owed -= 1
        n, spent = n + a.games, spent + time.process_time() - began
        if n % a.eval_every < a.games or n >= a.decisions:
            row = {"decisions": n, "processor_seconds": spent, "loss": loss}
            row |= td.evaluate(search.plain, tests, a.eval_games)  # without searches
            with (folder / "log.jsonl").open("a") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)
            about = {"settings": vars(a), "row": row, "rules": tests[0].to_dict()}
            torch.save(about | {"net": net.state_dict(), "adam": adam.state_dict()}, file)


if __name__ == "__main__":
    main()
