"""Learn from recorded games by implicit Q-learning (IQL) in one file.

    python iql.py --folder runs/iql                      500 games of "value", a million transitions
    python iql.py --folder runs/iql --decisions 2000000  continue that run
    python iql.py --data data/mine --games 0             a data set that you have
    carc-env evaluate "iql.py:Agent?path=runs/iql/iql.pt" greedy

A value learns an upper expectile of the values of recorded actions, and these learn from the value
of the seat's next decision: no other action is ever judged. The policy imitates actions, the better
ones more. A network judges legal actions only: a placement by the 3x3 cells around it, turned with
the tile, and any other action by the whole game. Values are in tens of points.
"""

import json
import time
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import tyro
from carc_env.agents import make_agent
from carc_env.agents.arena import play_against
from carc_env.agents.dataset import Recipe, file_name, write_file
from carc_env.agents.positions import Positions
from carc_env.agents.run_folder import folder_for
from torch import nn
from torch.nn import functional as F

from carc_env import Rules, Table
from carc_env.layout.encodings import Tokens
from carc_env.layout.observations import global_names, plane_names
from carc_env.layout.turning import turned_names
from carc_env.tasks import training_on


@dataclass
class Settings:
    """Options of the command line."""

    data: str = "data/value"  # a data set; the missing one of the first games is made
    games: int = 500  # of the data set, in files of 50
    teacher: str = "value"  # who plays them
    task: str = ""  # whose rules these games have; replaces the rules
    rules: str = "{view: 20}"  # of these games, a preset or YAML
    folder: str = "runs/iql"  # of the run
    decisions: int = 1_000_000  # to learn from, in several passes over the data
    seed: int = 0  # of games and of the network
    device: str = "cpu"  # cpu or cuda
    reward: str = "projected"  # a reward scheme, by name
    gamma: float = 0.97  # for each decision of a seat
    expectile: float = 0.6  # 0.5: the mean
    beta: float = 4.56  # how much better actions weigh more; 0: all actions weigh the same
    average: float = 0.995  # inertia of the target networks
    lr: float = 2.45e-3  # learning rate; falls linearly
    batch: int = 128  # transitions of a step
    eval_every: int = 250_000  # decisions between two evaluations
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
    """A number for each legal action, and the value of the game."""

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
        """Return numbers padded with -inf, (decisions, most legal actions), and values."""
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
        return found, self.value(torch.relu(self.critic(vector)))[:, 0]


class Agent:
    """Plays the actions of highest probability."""

    def __init__(self, path: str = "runs/iql/iql.pt", rules: Rules | None = None, *, net=None):
        saved = None if net else torch.load(path, map_location="cpu", weights_only=True)
        self.net = net or Net(Rules.from_dict(saved["rules"]))
        if saved:
            self.net.load_state_dict(saved["actor"])

    def act(self, table):  # noqa: D102
        return self.act_many([table])[0]

    @torch.no_grad()
    def act_many(self, tables):
        """Return the best action for each table; all have the same rules."""
        rules, device = tables[0].rules, self.net.scale.device
        seen = [table.observe(encoding=Tokens(rules, legal_list=True)) for table in tables]
        rows = rows_of({name: np.stack([one[name] for one in seen]) for name in seen[0]})
        best = self.net(batch_of(rows, rules.view, device))[0].argmax(1).tolist()
        return [int(legal[k]) for (_, _, legal), k in zip(rows, best, strict=True)]


def make_data(a):
    """Play games and store them as a data set, unless it exists."""
    rules = training_on(a.task, a.rules).fixed_rules
    recipe = Recipe(rules, (a.teacher,), a.teacher, games=50)
    for number in range(a.games // recipe.games):
        path = Path(a.data) / file_name(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            write_file(path, recipe, recipe.make(number))


def evaluate(net, opponent, rules, a):
    """Play games from all seats; return the network's win rate."""
    n_games, rival = a.eval_games - a.eval_games % rules.n_players, make_agent(opponent, rules)
    return play_against(Agent(net=net), rival, rules, n_games, seed=1).standings[0].win_rate.value


def learn(actor, critics, targets, adam, t, a):
    """Take a gradient step on transitions; return the losses of values, actions and policy."""
    before, after = (
        rows_of({name: part.numpy() for name, part in seen.items()})
        for seen in (t.observations, t.next_observations)
    )
    taken = t.actions[:, None]
    places = (t.observations["legal"] == taken).int().argmax(1).to(a.device)
    chosen = [(*row[:2], action) for row, action in zip(before, taken.numpy(), strict=True)]
    now, then, chosen = (batch_of(rows, a.view, a.device) for rows in (before, after, chosen))
    rewards, goes_on = t.rewards.to(a.device) / 10, ~t.dones.to(a.device)
    logits, values = actor(now)
    with torch.no_grad():
        following = rewards + a.gamma * actor(then)[1] * goes_on
        best = torch.minimum(*(target(chosen)[0][:, 0] for target in targets))
    gains = best - values
    value_loss = (torch.where(gains > 0, a.expectile, 1 - a.expectile) * gains.square()).mean()
    action_loss = sum(F.mse_loss(critic(chosen)[0][:, 0], following) for critic in critics)
    weights = (a.beta * gains.detach()).exp().clamp(max=100.0)
    policy_loss = weights * F.cross_entropy(logits, places, reduction="none")
    losses = value_loss, action_loss, policy_loss.mean()
    adam.zero_grad()
    sum(losses).backward()
    adam.step()
    for slow, fast in zip(targets.parameters(), critics.parameters(), strict=True):
        slow.data.lerp_(fast.data, 1 - a.average)
    return [loss.item() for loss in losses]


def main():
    """Learn, evaluate now and then, and save a checkpoint after each evaluation."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    make_data(a)
    form = {"encoding": "tokens", "legal_list": True}
    train = Positions([a.data], size=a.batch, seed=a.seed, **form)
    rules, folder = train.rules, folder_for(a)
    actor, a.view = Net(rules).to(a.device), rules.view
    critics, targets = (nn.ModuleList([Net(rules), Net(rules)]).to(a.device) for _ in range(2))
    targets.load_state_dict(critics.state_dict())
    adam = torch.optim.Adam([*actor.parameters(), *critics.parameters()], a.lr)
    parts = {"actor": actor, "critics": critics, "targets": targets, "adam": adam}
    n, epoch, began, losses, file = 0, 0, time.process_time(), [], folder / "iql.pt"
    if file.exists():
        saved = torch.load(file, map_location=a.device, weights_only=True)
        n, epoch, began = saved["decisions"], saved["epoch"] + 1, began - saved["processor_seconds"]
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    batches = ((k, one) for k in count(epoch) for one in train.transitions(k, reward=a.reward))
    while n < a.decisions:
        epoch, batch = next(batches)
        adam.param_groups[0]["lr"] = a.lr * max(0.02, 1 - n / a.decisions)
        losses.append(learn(*parts.values(), batch, a))
        n, before = n + len(batch.actions), n
        if n // a.eval_every > before // a.eval_every or n >= a.decisions:
            names = "value_loss", "action_loss", "policy_loss"
            row = {"decisions": n, "epoch": epoch}
            row |= dict(zip(names, np.mean(losses, 0).tolist(), strict=True))
            row["processor_seconds"] = time.process_time() - began
            row |= {name: evaluate(actor, name, rules, a) for name in ("greedy", "value")}
            began = time.process_time() - row["processor_seconds"]
            with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)
            state = {name: part.state_dict() for name, part in parts.items()}
            torch.save(row | state | {"rules": rules.to_dict()}, file)
            losses = []


if __name__ == "__main__":
    main()
