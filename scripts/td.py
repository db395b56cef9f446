"""Learn to judge afterstates by TD(lambda) in self-play, in one file: a TD-Gammon for Carcassonne.

    python scripts/td.py --folder runs/td                           a million decisions
    python scripts/td.py --folder runs/td --decisions 2000000       continue that run

An *afterstate* is the game right after a decision, before the next draw. The network predicts the
decider's final lead: the projected lead, which the engine knows, plus a residual that starts at 0.
A placement is worth as much as the best figure action that can follow. The network adds up what all
places and features say, so it computes only what an action changes (see ``AfterstateEncoder``).

Most noise in the final lead comes from the draws. The network also predicts the value of the next
decision for every tile that can be drawn, so it knows how lucky a draw was. Targets leave luck out.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from carc_env import AfterstateBatch, AfterstateEncoder, Rules, Spot, Table
from carc_env.search.players import GreedyPlayer, ValuePlayer

POINTS = 10.0  # the network predicts tens of points
SETTINGS = {
    "rules": "base",  # a preset, for two players
    "folder": "runs/td",
    "decisions": 1_000_000,  # of both seats
    "seed": 0,
    "device": "cpu",
    "games": 64,  # at the same time
    "features": 1,  # 0: learn from tiles and their neighbours only
    "shortlist": 6,  # placements whose figure actions are judged, too
    "epsilon": 0.1,  # share of tries, which are not always the best action
    "temperature": 2.0,  # of tries, in points
    "first_lam": 0.9,
    "last_lam": 0.8,
    "luck": 1.0,  # share of luck that targets leave out
    "lr": 2e-3,
    "batch": 256,
    "passes": 2.0,  # over each afterstate
    "replay": 32_768,  # afterstates to learn from
    "average": 0.998,  # inertia of the averaged weights that play
    "eval_every": 250_000,
    "eval_decks": 200,  # each played from both seats
}


class Net(nn.Module):
    """Adds up what all places and features say, given the tiles left before the decision."""

    def __init__(self, encoder, has_features, channels=24, width=64, hidden=64):
        super().__init__()
        names, spots = encoder.global_names, {spot.name for spot in Spot}
        self.told = [k for k, name in enumerate(names) if name.split()[-1] not in spots]
        self.left = [k for k, name in enumerate(names) if name.startswith("left ")]
        self.context = [*self.left, names.index("tiles left")]
        copies = encoder.rules.tile_counts
        self.register_buffer("copies", torch.tensor(copies[copies > 0]).float())
        scales = {"worth": 1 / 16, "open": 1 / 4, "tiles": 1 / 8}
        for what, columns in (("tile", encoder.plane_names), ("feature", encoder.feature_names)):
            scale = torch.tensor([scales.get(name.split()[0], 1.0) for name in columns])
            self.register_buffer(f"{what}_scale", scale)
        self.tile = nn.Linear(len(encoder.plane_names), channels)
        self.place = nn.Linear(5 * channels, width)
        self.place_shift = nn.Linear(len(self.context), width)
        self.feature = nn.Linear(len(encoder.feature_names), width)
        self.feature_shift = nn.Linear(len(self.context), width)
        self.feature_last, self.has_features = nn.Linear(width, width), has_features
        self.numbers = nn.Linear(len(self.told), hidden)
        self.norm = nn.BatchNorm1d(2 * width, affine=False)
        self.vector = nn.Linear(hidden + 2 * width, hidden)
        self.head = nn.Linear(hidden + 2 * width, 1 + len(self.left))
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, b):
        """Return what to add to each lead, now and after the draw of each tile, in tens."""
        kind = torch.float32 if torch.is_grad_enabled() else torch.bfloat16  # faster to play with

        def layer(rows, own, shift=None, of=None):
            shift = (own.bias if shift is None else own.bias + shift(context)).to(kind)
            shift = shift if of is None else shift.index_select(0, of)
            return torch.relu(torch.addmm(shift, rows.to(kind), own.weight.to(kind).t()))

        context = b.before[:, self.context]
        tiles = layer(b.tiles * self.tile_scale, self.tile)
        tiles = torch.cat((tiles.new_zeros(1, tiles.shape[1]), tiles))  # no tile is number 0
        near = tiles.index_select(0, b.near.reshape(-1)).view(len(b.near), -1)
        places = layer(near, self.place, self.place_shift, b.place_decision)
        places = sums(places, b.place_decision, b.place_afterstate, b.lost_places, b)
        rows, of = b.features * self.feature_scale * self.has_features, b.feature_decision
        rows = layer(layer(rows, self.feature, self.feature_shift, of), self.feature_last)
        features = sums(rows, of, b.feature_afterstate, b.lost_features, b)
        total = self.norm(torch.cat((places, features), 1))
        numbers = torch.relu(self.numbers(b.globals[:, self.told]))
        vector = torch.relu(self.vector(torch.cat((numbers, total), 1)))
        out = self.head(torch.cat((vector, total), 1))
        return out[:, 0], out[:, 1:]


def sums(items, decision, afterstate, lost, b):
    """Return each afterstate's sum: the items of its base without the lost ones, and its own."""
    items = items.float() / 16
    bases = items.new_zeros(len(b.before), items.shape[1])
    own, base = (afterstate >= 0).nonzero()[:, 0], (afterstate < 0).nonzero()[:, 0]
    bases = bases.index_add(0, decision.index_select(0, base), items.index_select(0, base))
    total = bases.index_select(0, b.decision_of)
    total = total.index_add(0, afterstate.index_select(0, own), items.index_select(0, own))
    return total.index_add(0, lost[:, 1], items.index_select(0, lost[:, 0]), alpha=-1)


class Judge:
    """Values the actions of many games at once."""

    def __init__(self, net, encoder, a):
        self.net, self.encoder, self.a = net, encoder, a
        self.hand = [k for k, name in enumerate(encoder.global_names) if name.startswith("hand ")]

    @torch.no_grad()
    def afterstates(self, states, games):
        """Return each game's actions, their values in points, and the globals before them."""
        b = self.encoder.changes(states, games)
        residual = self.net(b.tensors(self.a.device))[0].cpu().numpy() * POINTS
        values = b.weights * np.where(b.is_over, b.leads, b.leads + residual)
        ends, values = np.cumsum(b.n_actions)[:-1], np.bincount(b.action_of, values)
        return np.split(b.actions.copy(), ends), np.split(values, ends), b.before.copy()

    def __call__(self, states, games):
        """Like ``afterstates``, but the best placements are worth what can follow, others -inf."""
        actions, values, before = self.afterstates(states, games)
        tried = []
        for k in np.flatnonzero(before[:, self.hand].any(1)):
            order = np.argsort(-values[k], kind="stable")
            tried += [(k, j) for j in order[: self.a.shortlist]]
            values[k][order[self.a.shortlist :]] = -np.inf
        placed = [games[k] for k, _ in tried], [actions[k][j] for k, j in tried]
        after, goes_on = self.encoder.follow(states, *placed)
        if len(goes_on):
            for n, found in zip(goes_on, self.afterstates(after, goes_on)[1], strict=True):
                values[tried[n][0]][tried[n][1]] = found.max()
        return actions, values, before


class SelfPlay:
    """Plays games side by side; the samples to learn from are the chosen afterstates."""

    def __init__(self, judge, rules, a, rng):
        self.judge, self.a, self.rng = judge, a, rng
        self.in_bag = judge.encoder.global_names.index("tiles left")
        self.tables, self.states = Table.side_by_side(rules, rng.integers(2**63, size=a.games))
        self.traces = [[] for _ in self.tables]

    def play(self, lam):
        """Take one decision in every game; return the samples of the games that ended."""
        a, rng, judge, samples = self.a, self.rng, self.judge, []
        everyone, chosen = range(a.games), []
        for table, trace, actions, worth, before in zip(
            self.tables, self.traces, *judge(self.states, everyone), strict=True
        ):
            k = best = int(worth.argmax())
            if rng.random() < a.epsilon:
                p = np.exp((worth - worth[best]) / a.temperature)
                k = int(rng.choice(len(p), p=p / p.sum()))
            is_drawn = trace and before[self.in_bag] != trace[-1].shown.globals[0, self.in_bag]
            drawn = int(before[judge.hand].argmax()) if is_drawn else -1
            sample = SimpleNamespace(best=worth[best], drawn=drawn, sign=1 - 2 * table.decider)
            sample.is_try = worth[k] < worth[best] - 1e-6
            trace.append(sample)
            chosen.append(actions[k])
        shown = judge.encoder.whole(self.states, everyone, chosen).split()
        for table, trace, action, seen in zip(self.tables, self.traces, chosen, shown, strict=True):
            trace[-1].shown = seen
            table.step(action)
            if table.is_over:
                samples += self.returns(trace, table.scores[0] - table.scores[1], lam)
                trace.clear()
                table.reset(int(rng.integers(2**63)))
        return samples

    @torch.no_grad()
    def returns(self, trace, back, lam):
        """Add targets to the samples of a game: lambda-returns, without the luck of the draws."""
        net = self.judge.net
        b = AfterstateBatch.join([sample.shown for sample in trace]).tensors(self.a.device)
        draws, chances = net(b)[1] * POINTS, b.globals[:, net.left] * net.copies
        means = (draws * chances).sum(1) / chances.sum(1).clamp(min=1e-6)
        luck, following = (draws - means[:, None]).cpu().numpy() * self.a.luck, None
        for sample, lucky in zip(reversed(trace), luck[::-1], strict=True):
            lead, sample.next_tile, sample.next_target = float(sample.shown.leads[0]), -1, 0.0
            if following:
                best = following.sign * following.best
                back = best if following.is_try else (1 - lam) * best + lam * back
                if following.drawn >= 0:
                    sample.next_tile = following.drawn
                    sample.next_target = (sample.sign * best - lead) / POINTS
                    back -= sample.sign * float(lucky[following.drawn])
            sample.target, following = (sample.sign * back - lead) / POINTS, sample
        return trace


class Learner:
    """Learns from the latest samples; plays with a moving average of the weights."""

    def __init__(self, net, encoder, a):
        self.net, self.encoder, self.a = net, encoder, a
        self.adam = torch.optim.Adam(net.parameters(), lr=a.lr)
        self.average = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(a.average)).eval()
        self.samples, self.owed = [], 0.0

    def learn(self, samples, progress, rng):
        """Take in samples, and learn from as many batches as they allow; return the losses."""
        a, losses = self.a, []
        self.samples = [*self.samples, *samples][-a.replay :]
        self.owed += a.passes * len(samples) / a.batch
        self.adam.param_groups[0]["lr"] = a.lr * max(0.05, 1 - progress)
        while self.owed >= 1 and len(self.samples) >= a.replay // 8:
            chosen = [self.samples[k] for k in rng.integers(len(self.samples), size=a.batch)]
            batch = AfterstateBatch.join([sample.shown for sample in chosen])
            batch = self.encoder.turned(batch, int(rng.integers(4)))
            values, draws = self.net(batch.tensors(a.device))
            targets, tiles, next_targets = (
                torch.tensor([getattr(sample, name) for sample in chosen], device=a.device)
                for name in ("target", "next_tile", "next_target")
            )
            drawn = draws.gather(1, tiles.clamp(min=0)[:, None])[:, 0]
            loss = (values - targets.float()).square().mean()
            more = ((drawn - next_targets.float()).square() * (tiles >= 0)).mean()
            self.adam.zero_grad()
            (loss + more).backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.adam.step()
            self.average.update_parameters(self.net)
            losses.append(loss.item())
            self.owed -= 1
        return losses


def evaluate(judge, rules, opponent, n_decks, seed=1):
    """Return the share of games won (ties count half) and the mean lead; each deck twice."""
    seeds = np.random.default_rng(seed).integers(2**63, size=n_decks)
    tables, states = Table.side_by_side(rules, np.repeat(seeds, 2))
    while running := [i for i, table in enumerate(tables) if not table.is_over]:
        own = [i for i in running if tables[i].decider == i % 2]
        for i in set(running).difference(own):
            tables[i].step(opponent.act(tables[i]))
        if own:
            for i, actions, values in zip(own, *judge(states, own)[:2], strict=True):
                tables[i].step(actions[values.argmax()])
    leads = np.array([t.scores[i % 2] - t.scores[1 - i % 2] for i, t in enumerate(tables)])
    return float(((leads > 0) + 0.5 * (leads == 0)).mean()), float(leads.mean())


def main():
    """Learn, evaluate now and then, and save a checkpoint after each evaluation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in SETTINGS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    a = parser.parse_args()
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    rules, encoder, folder = Rules.of(a.rules), AfterstateEncoder(a.rules), Path(a.folder)
    folder.mkdir(parents=True, exist_ok=True)
    learner = Learner(Net(encoder, a.features).to(a.device), encoder, a)
    parts = {"net": learner.net, "average": learner.average, "adam": learner.adam}
    n, began, losses, file = 0, time.perf_counter(), [], folder / "td.pt"
    if file.exists():
        saved = torch.load(file)
        n, began = saved["decisions"], began - saved["seconds"]
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    judge, rng = Judge(learner.average.module, encoder, a), np.random.default_rng([a.seed, n])
    games = SelfPlay(judge, rules, a, rng)
    opponents = {"greedy": GreedyPlayer(), "value": ValuePlayer(rules=rules)}
    while n < a.decisions:
        progress = n / a.decisions
        samples = games.play(a.first_lam + (a.last_lam - a.first_lam) * progress)
        losses += learner.learn(samples, progress, rng)
        n += a.games
        if n % a.eval_every < a.games or n >= a.decisions:
            row = {"decisions": n, "loss": sum(losses) / max(1, len(losses))}
            for name, player in opponents.items():
                row[name], row[f"{name} lead"] = evaluate(judge, rules, player, a.eval_decks)
            row["seconds"] = round(time.perf_counter() - began)
            with (folder / "log.jsonl").open("a") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)
            torch.save(row | {name: part.state_dict() for name, part in parts.items()}, file)
            losses = []


if __name__ == "__main__":
    main()
