"""TD(lambda) on afterstates in one file: a network learns from self-play to judge positions.

    python td.py                                  a million decisions of the base game
    carc-env evaluate "td:Agent?path=runs/td/td.pt" greedy

The same command resumes a run. An *afterstate* is the game after one decision, before the next tile
is drawn. It is worth, to each seat, its score if the game ended now plus what the network adds.
"""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import torch
import tyro
from carc_env.agents import make_agent
from carc_env.agents.arena import play_against
from carc_env.agents.run_folder import folder_for
from torch import nn

from carc_env import AfterstateBatch, AfterstateEncoder, Rules, Spot, Table, tasks

POINTS = 10.0  # the network predicts tens of points
SCALES = {"worth": 1 / 16, "open": 1 / 4, "tiles": 1 / 8}  # of columns, by their first words
SLOW = 0.1  # scale of inputs that identify a game, so that the network does not memorise games


@dataclass
class Settings:
    """Options of the command line."""

    rules: str = "{view: 20}"  # a preset, YAML, "everything", or module:name of a distribution
    task: str = ""  # its rules or distribution instead
    folder: str = "runs/td"  # of the run
    init: str = ""  # td.pt of another run, in the same layout, to start from
    decisions: int = 1_000_000  # of all seats
    seed: int = 0  # of games and of the network
    device: str = "cpu"  # cpu or cuda
    games: int = 64  # at the same time
    features: int = 1  # 0: learn from tiles and their neighbours only
    shows_rules: int = 1  # 0: the network is not told which rules are played
    shortlist: int = 6  # placements whose figure actions are judged, too
    epsilon: float = 0.1  # share of tries, which are not always the best action
    lam: float = 0.9  # lambda; falls by 0.15
    lr: float = 2e-3  # learning rate; falls to a twentieth
    batch: int = 256  # afterstates of a step
    delta: float = 1e9  # tens of points; larger errors count linearly
    passes: float = 2.0  # over each afterstate
    replay: int = 32_768  # afterstates to learn from
    channels: int = 24  # of a tile
    width: int = 64  # of all other layers
    eval_every: int = 250_000  # decisions between two evaluations
    eval_games: int = 400  # against each opponent


class Net(nn.Module):
    """Adds up what all places and features say, given what stays the same during a decision."""

    def __init__(self, encoder, a):
        super().__init__()
        width, words = a.width, [name.split() for name in encoder.global_names]
        rules = {"copies", "rule", "set"}  # in a layout shared by several
        given = {"left", "tiles"} | (rules if a.shows_rules else set())
        self.given = [k for k, w in enumerate(words) if w[0] in given]
        scale = torch.tensor([1.0 if words[k][0] == "tiles" else SLOW for k in self.given])
        self.register_buffer("given_scale", scale)
        out = given | rules | {"hand"} | {spot.name for spot in Spot}
        self.numbers = [k for k, w in enumerate(words) if not out & {w[0], w[-1]}]
        for what, columns in (("tile", encoder.plane_names), ("feature", encoder.feature_names)):
            scale = torch.tensor([SCALES.get(name.split()[0], 1.0) for name in columns])
            self.register_buffer(f"{what}_scale", scale)
        self.tile = nn.Linear(len(encoder.plane_names), a.channels)
        self.place = nn.Linear(5 * a.channels + 1, width)
        self.feature = nn.Linear(len(encoder.feature_names) + width, width)
        self.feature_last = nn.Linear(width, width)
        self.shift = nn.Linear(len(self.given), 3 * width)
        self.number = nn.Linear(len(self.numbers), width)
        self.vector = nn.Linear(3 * width, width)
        self.head = nn.Linear(3 * width, encoder.n_seats, bias=False)
        nn.init.zeros_(self.head.weight)
        self.feature.weight.requires_grad_(bool(a.features)).data *= a.features  # 0 stays 0

    def forward(self, b):
        """Return what to add to the scores of all seats, in tens: (afterstates, seats)."""
        shifts = self.shift(b.before[:, self.given] * self.given_scale).chunk(3, 1)

        def layer(own, *parts, k=0, of=None):  # shifts[k], for the decision of each row
            total = own.bias if of is None else (own.bias + shifts[k]).index_select(0, of)
            for x, w in zip(parts, own.weight.split([x.shape[1] for x in parts], 1), strict=True):
                total = torch.addmm(total, x, w.t())
            return torch.relu(total)

        tiles = nn.functional.pad(layer(self.tile, b.tiles * self.tile_scale), (0, 0, 1, 0))
        near = nn.functional.embedding(b.near, tiles, padding_idx=0).flatten(1)
        fits, (features, cells) = b.fits[:, None].float().log1p(), b.openings.T
        places = layer(self.place, near, fits, k=0, of=b.place_decision)
        parts = b.features * self.feature_scale, added(places, cells, features, len(b.features))
        rows = layer(self.feature_last, layer(self.feature, *parts, k=1, of=b.feature_decision))
        places = sums(places, b.place_decision, b.place_afterstate, b.lost_places, b)
        features = sums(rows, b.feature_decision, b.feature_afterstate, b.lost_features, b)
        numbers = layer(self.number, b.globals[:, self.numbers], k=2, of=b.decision_of)
        vector = layer(self.vector, numbers, places, features)
        return self.head(torch.cat((vector, places, features), 1))


def added(items, rows, bags, n):
    """Return the sum of the items in each of n bags, given rows in the order of their bags."""
    firsts = torch.searchsorted(bags.contiguous(), torch.arange(n).to(bags))
    return nn.functional.embedding_bag(rows.long(), items, firsts, mode="sum")


def sums(items, decision, afterstate, lost, b):
    """Return each afterstate's sum: the items of its base without the lost ones, and its own."""
    own, old = (afterstate >= 0).nonzero()[:, 0], (afterstate < 0).nonzero()[:, 0]
    total = added(items, old, decision[old], len(b.before))[b.base_of[b.decision_of].long()]
    total = total + added(items, own, afterstate[own], len(total))
    return (total - added(items, lost[:, 0], lost[:, 1], len(total))) / 16


def leads(scores, rules):
    """Return the decider's leads over the best other seat: (n, seats) to (n,)."""
    return scores[:, 0] - scores[:, 1 : rules.n_players].max(1)


class Judge:
    """Values the actions of many games at once, and plays the best ones."""

    def __init__(self, net, encoder, a):
        self.net, self.encoder, self.a, self.rules = net, encoder, a, encoder.rules
        self.places = encoder.global_names.index("phase place_tile")

    @torch.no_grad()
    def __call__(self, states, games, rules, bases=None):
        """Return each game's actions, and all seats' scores after them; -inf: poor placements."""
        b = self.encoder.changes(states, games, rules, bases)
        added = self.net(b.tensors(self.a.device)).cpu().numpy() * POINTS
        scores = b.scores + added * (1 - b.is_over[:, None])
        own = [slice(*pair) for pair in itertools.pairwise([0, *np.cumsum(b.n_actions).tolist()])]
        values = np.zeros((len(b.actions), scores.shape[1]))
        np.add.at(values, b.action_of, scores * b.weights[:, None])  # chance may decide
        places, tried = np.flatnonzero(b.before[:, self.places]) if bases is None else (), []
        actions, values = ([x[at] for at in own] for x in (b.actions.copy(), values))
        for k in places:
            order = np.argsort(-leads(values[k], rules[k]), kind="stable")
            tried += [(k, j) for j in order[: self.a.shortlist]]
            values[k][order[self.a.shortlist :], 0] = -np.inf
        placed = [games[k] for k, _ in tried], [actions[k][j] for k, j in tried]
        after, on = self.encoder.follow(states, *placed)
        tried = [tried[n] for n in on]
        bases = states, [games[k] for k, _ in tried]
        follow = self(after, on, [rules[k] for k, _ in tried], bases)[1] if tried else ()
        for (k, j), found in zip(tried, follow, strict=True):
            values[k][j] = found[leads(found, rules[k]).argmax()]
        return actions, values

    def act(self, table):  # noqa: D102
        return self.act_many([table])[0]

    def act_many(self, tables):
        """Return the chosen action at each table, in its own layout."""
        layout = self.encoder.rules.layout
        there = [t if t.rules.layout == layout else t.in_layout(layout) for t in tables]
        records = bytearray(b"".join(table.states.tobytes() for table in there))
        states, rules = np.frombuffer(records, there[0].states.dtype), [t.rules for t in there]
        found, chosen = self(states, range(len(there)), rules), []
        for table, twin, actions, values in zip(tables, there, *found, strict=True):
            action = int(actions[leads(values, twin.rules).argmax()])
            if twin is not table:  # the order is the same in all layouts
                action = table.legal_actions()[twin.legal_actions().index(action)]
            chosen.append(action)
        return chosen


class Agent(Judge):
    """Plays with a saved network: the best afterstate."""

    def __init__(self, path="runs/td/td.pt", device="cpu", encode=AfterstateEncoder):
        saved = torch.load(path, map_location=device, weights_only=True)
        a = SimpleNamespace(**vars(Settings()) | saved["settings"] | {"device": device})
        encoder = encode(Rules.from_dict(saved["rules"]))
        super().__init__(Net(encoder, a).to(device), encoder, a)
        self.net.load_state_dict(saved["net"])


class SelfPlay:
    """Plays games side by side; the samples to learn from are the chosen afterstates."""

    def __init__(self, judge, deal, a, rng):
        self.judge, self.deal, self.a, self.rng = judge, deal, a, rng
        rules = [deal(rng) for _ in range(a.games)]
        self.tables, self.states = Table.side_by_side(rules, rng.integers(2**63, size=a.games))
        self.traces = [[] for _ in self.tables]

    def play(self, lam):
        """Take one decision in every game; return the samples of the games that ended."""
        a, rng, judge, samples, chosen = self.a, self.rng, self.judge, [], []
        games, rules = range(a.games), [table.rules for table in self.tables]
        found = judge(self.states, games, rules)
        for table, trace, actions, values in zip(self.tables, self.traces, *found, strict=True):
            k = best = int((worth := leads(values, table.rules)).argmax())
            if rng.random() < a.epsilon:
                p = np.exp((worth - worth[best]) / 2)  # 2 points less: e times less likely
                k = int(rng.choice(len(p), p=p / p.sum()))
            is_try = worth[k] < worth[best] - 1e-6
            trace.append(SimpleNamespace(best=values[best], is_try=is_try, seat=table.decider))
            chosen.append(actions[k])
        shown = judge.encoder.whole(self.states, games, chosen, rules).split()
        for i, (trace, action, seen) in enumerate(zip(self.traces, chosen, shown, strict=True)):
            table, trace[-1].shown = self.tables[i], seen
            table.step(action)
            if table.is_over:
                samples, self.traces[i] = samples + returns(trace, table, lam), []
                self.tables[i] = Table.at(self.deal(rng), self.states[i : i + 1])
                self.tables[i].reset(int(rng.integers(2**63)))
        return samples


def returns(trace, table, lam):
    """Add targets to the samples of a game: lambda-returns, cut where a try follows."""
    back, seats, following = np.array(table.scores, float), np.arange(len(table.scores)), None
    for sample in reversed(trace):
        if following:  # values count from the decider on; ``back`` from seat 0 on
            best = following.best[(seats - following.seat) % len(back)]
            back = best if following.is_try else (1 - lam) * best + lam * back
        change = back[(seats + sample.seat) % len(back)] - sample.shown.scores[0, : len(back)]
        sample.target = np.zeros_like(sample.shown.scores[0])  # of absent seats
        sample.target[: len(back)] = (change - change.mean()) / POINTS
        following = sample
    return trace


def learn(net, adam, encoder, samples, a, rng):
    """Take a step on a batch, turned by a random number of quarters; return the loss."""
    chosen = [samples[k] for k in rng.integers(len(samples), size=a.batch)]
    batch = encoder.turned(AfterstateBatch.join([one.shown for one in chosen]), rng.integers(4))
    targets = torch.from_numpy(np.stack([sample.target for sample in chosen])).to(a.device)
    loss = nn.functional.huber_loss(net(batch.tensors(a.device)), targets, delta=a.delta)
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    adam.step()
    return loss.item()


def evaluate(judge, tests, n_games):
    """Return the win rates against copies of each agent, as means over rules."""
    found = {"greedy": 0.0, "value": 0.0}
    for name, rules in itertools.product(found, tests):
        n = rules.n_players * max(1, round(n_games / len(tests) / rules.n_players))
        match = play_against(judge, make_agent(name), rules, n)
        found[name] += match.standings[0].win_rate.value / len(tests)
    return found


def main(encode=AfterstateEncoder):
    """Learn, evaluate now and then, and save a checkpoint after each evaluation."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)  # a batch is small
    asked, folder = tasks.training_on(a.task, a.rules), folder_for(a)
    tests = asked.test_rules
    net = Net(encoder := encode(tests[0]), a).to(a.device)
    adam = torch.optim.Adam(net.parameters(), lr=a.lr)
    n, began, loss, file = 0, time.process_time(), 0.0, folder / "td.pt"
    if file.exists():
        saved = torch.load(file, map_location=a.device, weights_only=True)
        n, began = saved["row"]["decisions"], began - saved["row"]["processor_seconds"]
        net.load_state_dict(saved["net"])
        adam.load_state_dict(saved["adam"])
    elif a.init:
        net.load_state_dict(torch.load(a.init, map_location=a.device, weights_only=True)["net"])
    judge, rng = Judge(net, encoder, a), np.random.default_rng([a.seed, n])
    games, samples, owed = SelfPlay(judge, asked.sample, a, rng), [], 0.0
    while n < a.decisions:
        progress = n / a.decisions
        new = games.play(a.lam - 0.15 * progress)
        samples, owed = [*samples, *new][-a.replay :], owed + a.passes * len(new) / a.batch
        adam.param_groups[0]["lr"] = a.lr * max(0.05, 1 - progress)
        while owed >= 1 and len(samples) >= a.replay // 8:
            loss += (learn(net, adam, encoder, samples, a, rng) - loss) / 100
            owed -= 1
        n += a.games
        if n % a.eval_every < a.games or n >= a.decisions:
            row = {"decisions": n, "processor_seconds": time.process_time() - began}
            row |= {"loss": loss, **evaluate(judge, tests, a.eval_games)}
            with (folder / "log.jsonl").open("a") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)
            about = {"settings": vars(a), "row": row, "rules": tests[0].to_dict()}
            torch.save(about | {"net": net.state_dict(), "adam": adam.state_dict()}, file)
            began = time.process_time() - row["processor_seconds"]  # of learning alone


if __name__ == "__main__":
    main()
