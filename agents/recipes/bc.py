"""Imitate recorded games by behaviour cloning in one file: masked cross-entropy.

    python bc.py --folder runs/bc                      500 games of "value", a million examples
    python bc.py --folder runs/bc --decisions 2000000  continue that run
    python bc.py --data data/mine --games 0            a data set that you have
    carc-env evaluate "bc.py:Agent?path=runs/bc/bc.pt" greedy

The network judges legal actions only: a placement by the 3x3 cells around it, turned with the tile,
and any other action by the whole game.
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
    folder: str = "runs/bc"  # of the run
    decisions: int = 1_000_000  # to learn from, in several passes over the data
    seed: int = 0  # of games and of the network
    device: str = "cpu"  # cpu or cuda
    lr: float = 4.46e-3  # learning rate; falls linearly
    batch: int = 128  # examples of a step
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
    """A logit for each legal action."""

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

    def forward(self, b):
        """Return logits padded with -inf, (decisions, most legal actions)."""
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
        return found.index_put((decisions, b.place[~is_placement]), others)


class Agent:
    """Plays the actions of highest probability."""

    def __init__(self, path: str = "runs/bc/bc.pt", rules: Rules | None = None, *, net=None):
        saved = None if net else torch.load(path, map_location="cpu", weights_only=True)
        self.net = net or Net(Rules.from_dict(saved["rules"]))
        if saved:
            self.net.load_state_dict(saved["net"])

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


def learn(net, adam, seen, view, device):
    """Take a gradient step; return the loss, and how often the network agrees."""
    places = torch.from_numpy((seen["legal"] == seen["action"][:, None]).argmax(1)).to(device)
    logits = net(batch_of(rows_of(seen), view, device))
    loss = F.cross_entropy(logits, places)
    adam.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    adam.step()
    return loss.item(), (logits.argmax(1) == places).float().mean().item()


@torch.no_grad()
def agreement(net, positions, view, device):
    """Return the share of decisions in which the network agrees with the data."""
    hits = []
    for seen in positions.epoch():
        best = net(batch_of(rows_of(seen), view, device)).argmax(1).cpu().numpy()
        hits += (best == (seen["legal"] == seen["action"][:, None]).argmax(1)).tolist()
    return float(np.mean(hits))


def main():
    """Learn, evaluate now and then, and save a checkpoint after each evaluation."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    make_data(a)
    kind = {"size": a.batch, "seed": a.seed, "encoding": "tokens", "legal_list": True}
    train, test = (Positions([a.data], split, **kind) for split in ("train", "validation"))
    rules, folder = train.rules, folder_for(a)
    net = Net(rules).to(a.device)
    parts = {"net": net, "adam": torch.optim.Adam(net.parameters(), a.lr)}
    n, epoch, began, told, file = 0, 0, time.process_time(), [], folder / "bc.pt"
    if file.exists():
        saved = torch.load(file, map_location=a.device, weights_only=True)
        n, epoch, began = saved["decisions"], saved["epoch"] + 1, began - saved["processor_seconds"]
        for name, part in parts.items():
            part.load_state_dict(saved[name])
    batches = ((k, seen) for k in count(epoch) for seen in train.epoch(k))
    while n < a.decisions:
        epoch, seen = next(batches)
        parts["adam"].param_groups[0]["lr"] = a.lr * max(0.02, 1 - n / a.decisions)
        told.append(learn(*parts.values(), seen, rules.view, a.device))
        n, before = n + len(seen["action"]), n
        if n // a.eval_every > before // a.eval_every or n >= a.decisions:
            row = {"decisions": n, "epoch": epoch}
            row |= dict(zip(("loss", "train"), np.mean(told, 0).tolist(), strict=True))
            row["validation"] = agreement(net, test, rules.view, a.device)
            row["processor_seconds"] = time.process_time() - began
            row |= {name: evaluate(net, name, rules, a) for name in ("greedy", "value")}
            began = time.process_time() - row["processor_seconds"]
            with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)
            state = {name: part.state_dict() for name, part in parts.items()}
            torch.save(row | state | {"rules": rules.to_dict()}, file)
            told = []


if __name__ == "__main__":
    main()
