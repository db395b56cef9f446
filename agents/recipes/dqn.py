"""Learn action values with a DQN in one file: masked, double, dueling, n-step and prioritized.

    python dqn.py --folder runs/dqn      begin or continue a run
    carc-env evaluate "dqn.py:Agent?path=runs/dqn/dqn.pt" greedy

The network judges legal actions only: a placement by the 3x3 cells around it, turned with the tile,
and any other action by the whole game. Values are in tens of points.
"""

import json
import time
from dataclasses import dataclass
from types import SimpleNamespace

import gymnasium
import numpy as np
import torch
import tyro
from carc_env.agents import make_agent
from carc_env.agents.arena import play_against
from carc_env.agents.run_folder import folder_for
from torch import nn
from torch.nn import functional as F

from carc_env import Rules, Table, tasks
from carc_env.layout.encodings import Tokens
from carc_env.layout.observations import global_names, plane_names
from carc_env.layout.turning import turned_names


@dataclass
class Settings:
    """Options of the command line."""

    task: str = ""  # replaces the rules and the opponents
    rules: str = "{view: 20}"  # a preset or YAML
    opponents: str = "self"  # one network plays all seats; or an agent that plays the others
    folder: str = "runs/dqn"  # of the run
    decisions: int = 1_000_000  # of all seats that learn
    seed: int = 0  # of games and of the network
    device: str = "cpu"  # cpu or cuda
    games: int = 64  # at the same time
    reward: str = "projected"  # a reward scheme, by name
    gamma: float = 0.95  # for each decision of a seat
    n_steps: int = 1  # decisions of a seat before the network values the rest
    epsilon: float = 0.0137  # share of random actions
    explore: float = 0.2  # the part of the run in which this share falls from 1
    replay: int = 131_072  # decisions to learn from
    warm_up: int = 8_192  # decisions before learning begins
    lr: float = 4.99e-4  # learning rate
    batch: int = 128  # decisions of a step
    updates: int = 1  # batches for each step of all games
    average: float = 0.98  # inertia of the target network, which also plays in evaluations
    eval_every: int = 100_000  # decisions between two evaluations
    eval_games: int = 200  # against each opponent


def rows_of(seen):
    """Return observations without padding: tuples of tiles, globals and legal actions."""
    n_tiles, n_legal = np.count_nonzero(seen["tokens"][..., 0], 1), seen["n_legal"][:, 0]
    parts = zip(seen["tokens"], n_tiles, seen["globals"], seen["legal"], n_legal, strict=True)
    return [(tiles[:n].copy(), told.copy(), legal[:m].copy()) for tiles, n, told, legal, m in parts]


def batch_of(rows, view, device):
    """Return tensors: ``board`` is the row of each tile, ``decision`` that of each action."""
    tiles, told, legal = zip(*rows, strict=True)
    board, decision = (np.repeat(range(len(rows)), [*map(len, part)]) for part in (tiles, legal))
    place = np.concatenate([range(len(actions)) for actions in legal])
    arrays = {"tiles": np.concatenate(tiles), "board": board, "globals": np.stack(told)}
    arrays |= {"legal": np.concatenate(legal) + 0 * decision, "decision": decision, "place": place}
    tensors = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
    return SimpleNamespace(view=view, most=max(map(len, legal)), **tensors)


class Net(nn.Module):
    """The value of each legal action: that of the game, and the advantage of the action."""

    def __init__(self, rules, channels=16, width=64, hidden=128):
        super().__init__()
        planes, n_actions = plane_names(rules), Table(rules, seed=0).layout.n_actions
        scale = torch.tensor([1 / 16 if name.startswith("worth") else 1.0 for name in planes])
        y, x = np.mgrid[-1:2, -1:2].reshape(2, 9)  # the cells around a tile in each rotation
        steps = torch.tensor(np.array([[y, x], [x, -y], [-y, -x], [-x, y]]))
        self.register_buffer("scale", scale, persistent=False)
        self.register_buffer("turned", torch.tensor(turned_names(planes)), persistent=False)
        self.register_buffer("steps", steps, persistent=False)
        self.told = nn.Linear(len(global_names(rules)), hidden)
        self.cell = nn.Linear(len(planes), channels, bias=False)
        self.near, self.placement = nn.Linear(9 * channels, width), nn.Linear(width, 1)
        self.shift, self.gate = nn.Linear(hidden, width), nn.Linear(hidden, width)
        self.policy = nn.Linear(hidden + channels, hidden)
        self.others = nn.Linear(hidden, n_actions - 4 * rules.view**2)
        self.critic, self.value = nn.Linear(hidden + channels, hidden), nn.Linear(hidden, 1)

    def forward(self, b):
        """Return values padded with -inf, (decisions, most legal actions)."""
        n, rim, n_placements, c = len(b.globals), b.view + 2, 4 * b.view**2, self.cell.out_features
        told = torch.relu(self.told(b.globals))
        weight = (self.cell.weight * self.scale)[:, self.turned].transpose(0, 1).flatten(0, 1)
        tiles = torch.relu(F.linear(b.tiles[:, :-2].float(), weight))  # features in each rotation
        y, x = (b.tiles[:, k].long() + 1 for k in (-2, -1))
        tile_at = b.board.new_zeros(n * rim * rim)  # counts from 1
        tile_at[(b.board * rim + y) * rim + x] = torch.arange(len(y), device=y.device) + 1
        is_placement = b.legal < n_placements
        boards, placements = b.decision[is_placement], b.legal[is_placement]
        cells, turns = placements // 4, placements % 4
        spots = (boards * rim + cells // b.view + 1) * rim + cells % b.view + 1
        spots = spots[:, None] + (self.steps[:, 0] * rim + self.steps[:, 1])[turns]
        near = (tile_at[spots] * 4 + turns[:, None]).flatten()
        around = F.pad(tiles, (0, 0, 1, 0)).view(-1, c).index_select(0, near).view(-1, 9 * c)
        around = torch.relu(self.near(around) + self.shift(told).index_select(0, boards))
        around = around * (1 + self.gate(told)).index_select(0, boards)
        total = told.new_zeros(n, c).index_add(0, b.board, tiles[:, :c] / 16)
        vector = torch.cat((told, total), 1)
        decisions, others = b.decision[~is_placement], b.legal[~is_placement] - n_placements
        others = self.others(torch.relu(self.policy(vector)))[decisions, others]
        found = told.new_full((n, b.most), -torch.inf)
        found = found.index_put((boards, b.place[is_placement]), self.placement(around)[:, 0])
        found = found.index_put((decisions, b.place[~is_placement]), others)
        is_legal = found.isfinite()
        mean = found.where(is_legal, 0.0).sum(1, keepdim=True) / is_legal.sum(1, keepdim=True)
        return found - mean + self.value(torch.relu(self.critic(vector)))


class Replay:
    """A ring of decisions, drawn in proportion to their priorities, which a sum tree adds up."""

    def __init__(self, size):
        self.size, self.depth, self.n, self.highest = size, (size - 1).bit_length(), 0, 1.0
        self.tree, self.rows = np.zeros(2 << self.depth), np.empty(size, object)
        self.places, self.follows = np.zeros((2, size), np.int64)
        self.rewards, self.discounts = np.zeros((2, size))

    def add(self, rows, places):
        """Store decisions; return their slots. They are not drawn before they are linked."""
        slots = (self.n + np.arange(len(rows))) % self.size
        self.n += len(rows)
        for slot, row in zip(slots, rows, strict=True):
            self.rows[slot] = row
        self.places[slots] = places
        self.link(slots, 0.0, 1.0, slots, priority=0.0)
        return slots

    def link(self, slots, rewards, discount, follows, priority=None):
        """Set what decisions earned, and the slots and the discount of the values that follow."""
        self.rewards[slots], self.discounts[slots], self.follows[slots] = rewards, discount, follows
        self.set_priorities(slots, self.highest if priority is None else priority)

    def returns(self, slots, n_steps):
        """Return rewards of up to n steps, the slots that follow, and their values' factors."""
        totals, factors = np.zeros(len(slots)), np.ones(len(slots))
        for _ in range(n_steps):
            totals += factors * self.rewards[slots]
            factors *= self.discounts[slots]
            slots = self.follows[slots]
        return totals, slots, factors

    def set_priorities(self, slots, priorities):
        """Set the priorities of slots, and the sums above them."""
        k = slots + (1 << self.depth)
        self.tree[k] = priorities
        for _ in range(self.depth):
            k = k // 2
            self.tree[k] = self.tree[2 * k] + self.tree[2 * k + 1]

    def draw(self, n, rng):
        """Return n slots, one from each n-th of the priorities, and their probabilities."""
        rest, k = (np.arange(n) + rng.random(n)) / n * self.tree[1], np.ones(n, np.int64)
        for _ in range(self.depth):
            first, second = self.tree[2 * k], self.tree[2 * k + 1]
            is_second = (rest >= first) & (second > 0)
            rest, k = rest - first * is_second, 2 * k + is_second
        return k - (1 << self.depth), self.tree[k] / self.tree[1]


class Agent:
    """Plays the actions of highest value."""

    def __init__(self, path: str = "runs/dqn/dqn.pt", rules: Rules | None = None, *, net=None):
        saved = None if net else torch.load(path, map_location="cpu", weights_only=True)
        self.net = net or Net(Rules.from_dict(saved["rules"]))
        if saved:
            self.net.load_state_dict(saved["target"])

    def act(self, table):  # noqa: D102
        return self.act_many([table])[0]

    @torch.no_grad()
    def act_many(self, tables):
        """Return the best action for each table; all have the same rules."""
        rules, device = tables[0].rules, self.net.scale.device
        seen = [table.observe(encoding=Tokens(rules, legal_list=True)) for table in tables]
        rows = rows_of({name: np.stack([one[name] for one in seen]) for name in seen[0]})
        best = self.net(batch_of(rows, rules.view, device)).argmax(1).tolist()
        return [int(legal[k]) for (_, _, legal), k in zip(rows, best, strict=True)]


class Player:
    """Plays games side by side, and stores decisions; each leads to its seat's next one."""

    def __init__(self, rules, replay, a, rng):
        self.replay, self.a, self.rng = replay, a, rng
        kind = {"reward": a.reward, "encoding": "tokens", "legal_list": True}
        kind |= {"rules": rules, "opponents": a.opponents, "autoreset_mode": "SameStep"}
        self.env = gymnasium.make_vec("carc_env/Carcassonne-v1", a.games, **kind)
        self.seen, self.info = self.env.reset(seed=int(rng.integers(2**63)))
        self.earned = np.zeros((a.games, rules.n_players))  # since each seat's last decision
        self.latest = np.full(self.earned.shape, -1)  # the slot of that decision

    @torch.no_grad()
    def step(self, net, epsilon):
        """Take one decision in every game."""
        games, seats, rows = np.arange(self.a.games), self.info["seat"].copy(), rows_of(self.seen)
        best = net(batch_of(rows, self.a.view, self.a.device)).argmax(1).cpu().numpy()
        tries = self.rng.integers(self.seen["n_legal"][:, 0])
        places = np.where(self.rng.random(len(games)) < epsilon, tries, best)
        actions = self.seen["legal"][games, places]
        slots, before = self.replay.add(rows, places), self.latest[games, seats]
        earned, again = self.earned[games, seats], before >= 0
        self.replay.link(before[again], earned[again], self.a.gamma, slots[again])
        self.latest[games, seats], self.earned[games, seats] = slots, 0.0
        self.seen, _, ended, _, self.info = self.env.step(actions)
        last = self.info["final_info"]["rewards"] if ended.any() else 0.0
        self.earned += np.where(ended[:, None], last, self.info["rewards"])
        is_last = ended[:, None] & (self.latest >= 0)
        self.replay.link(self.latest[is_last], self.earned[is_last], 0.0, self.latest[is_last])
        self.latest[ended], self.earned[ended] = -1, 0.0


def learn(net, target, adam, replay, a, progress, rng):
    """Take a gradient step; return the loss."""
    slots, probabilities = replay.draw(a.batch, rng)
    totals, next_slots, factors = replay.returns(slots, a.n_steps)
    now, after = (batch_of(replay.rows[k], a.view, a.device) for k in (slots, next_slots))
    weights = probabilities ** -(0.4 + 0.6 * progress)
    arrays = totals / 10, factors, weights / weights.max(), replay.places[slots]
    totals, factors, weights, places = (torch.tensor(x, device=a.device) for x in arrays)
    with torch.no_grad():
        best = net(after).argmax(1, keepdim=True)
        targets = (totals + factors * target(after).gather(1, best)[:, 0]).float()
    found = net(now).gather(1, places[:, None])[:, 0]
    loss = (weights * F.smooth_l1_loss(found, targets, reduction="none")).mean()
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    adam.step()
    priorities = ((found - targets).detach().abs().cpu().numpy() + 0.01) ** 0.5
    replay.set_priorities(slots, priorities)
    replay.highest = max(replay.highest, priorities.max())
    for slow, fast in zip(target.parameters(), net.parameters(), strict=True):
        slow.data.lerp_(fast.data, 1 - a.average)
    return loss.item()


def evaluate(net, opponent, rules, a):
    """Play games from all seats; return the network's win rate."""
    n_games, rival = a.eval_games - a.eval_games % rules.n_players, make_agent(opponent, rules)
    return play_against(Agent(net=net), rival, rules, n_games, seed=1).standings[0].win_rate.value


def main():
    """Learn, evaluate now and then, and save a checkpoint after each evaluation."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    asked, folder = tasks.training_on(a.task, a.rules, a.opponents), folder_for(a)
    rules, a.opponents = asked.fixed_rules, asked.opponents
    net, target, a.view = Net(rules).to(a.device), Net(rules).to(a.device), rules.view
    target.load_state_dict(net.state_dict())
    parts = {"net": net, "target": target, "adam": torch.optim.Adam(net.parameters(), a.lr)}
    n, began, losses, file = 0, time.process_time(), [], folder / "dqn.pt"
    if file.exists():
        saved = torch.load(file, map_location=a.device, weights_only=True)
        n, began = saved["decisions"], began - saved["processor_seconds"]
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    rng, replay = np.random.default_rng([a.seed, n]), Replay(a.replay)
    player = Player(rules, replay, a, rng)
    while n < a.decisions:
        progress = n / a.decisions
        player.step(net, a.epsilon + (1 - a.epsilon) * max(0.0, 1 - progress / a.explore))
        n += a.games
        for _ in range(a.updates if replay.n >= a.warm_up else 0):
            losses.append(learn(*parts.values(), replay, a, progress, rng))
        if n % a.eval_every < a.games or n >= a.decisions:
            row = {"decisions": n, "processor_seconds": time.process_time() - began}
            row["loss"], losses = float(np.mean(losses or [0.0])), []
            row |= {name: evaluate(target, name, rules, a) for name in ("greedy", "value")}
            began = time.process_time() - row["processor_seconds"]
            with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)
            state = {name: part.state_dict() for name, part in parts.items()}
            torch.save(row | state | {"rules": rules.to_dict()}, file)


if __name__ == "__main__":
    main()
