"""Learn a policy by PPO in self-play, in one file: any rules, any number of players.

    python ppo.py --folder runs/ppo --decisions 2000000      begin or continue a run
    python ppo.py --folder runs/new --rules all              or YAML, or --task base-greedy-v1
    carc-env evaluate "ppo.py:Agent?path=runs/ppo/ppo.pt" greedy

One network plays all seats; papers call this IPPO. Its critic values all seats at every decision.
It judges legal placements only, each by the cells and features that it touches, turned with it.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from itertools import product

import gymnasium
import numpy as np
import torch
import tyro
from carc_env.agents import make_agent
from carc_env.agents.arena import play_against
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.run_folder import folder_for
from torch import nn

from carc_env import Rules, Table, tasks
from carc_env.layout.encodings import make_encoding
from carc_env.layout.observations import feature_names, global_names, plane_names
from carc_env.layout.turning import turned_names

ENV = dict(reward="projected", encoding="features", legal_list=True, autoreset_mode="SameStep")
GREED, POINTS, CLIP = 5.0, 10.0, 0.2  # weight of gains in logits; points that count as 1
CHANNELS, WIDTH, WIDE, HIDDEN = 8, 16, 64, 128
SLOTS = 13  # of a tile: 4 sides with roads and cities, 8 half sides with fields, the centre
BESIDE = [(1, 5, 7, 3)[side] for side in (0, 1, 2, 3, 0, 0, 1, 1, 2, 2, 3, 3)]  # each slot
SIDES, HALVES, TURNS = torch.arange(4), torch.arange(8), torch.arange(4)[:, None]
TOUCHED = torch.cat(((SIDES + TURNS + 2) % 4, 4 + ((HALVES ^ 1) + 2 * TURNS + 4) % 8), 1)


@dataclass
class Settings:
    """Options of the command line."""

    task: str = ""  # replaces the rules and the opponents
    rules: str = "{view: 20}"  # a preset or YAML
    opponents: str = "self"  # or an agent that plays all other seats
    folder: str = "runs/ppo"  # of the run
    init: str = ""  # ppo.pt of another run to start from; its rules can differ
    decisions: int = 1_000_000  # of all seats that learn
    seed: int = 0  # of games and of the network
    device: str = "cpu"  # cpu or cuda
    features: int = 1  # 0: learn from tiles only
    games: int = 256  # at the same time
    steps: int = 32  # in each game between two updates
    epochs: int = 4  # passes over the decisions of an update
    batch: int = 512  # decisions of a step
    lr: float = 1e-3  # learning rate; falls to a tenth
    entropy: float = 0.02  # weight of its bonus
    gamma: float = 0.99  # for each decision of any seat
    lam: float = 0.95  # of advantages
    eval_every: int = 250_000  # decisions between two evaluations
    eval_games: int = 400  # against each opponent


def observe(seen, view, device):
    """Return the network's inputs for observations with ``features`` and the legal actions.

    ``places`` has a row for the tile placed last, then one for each legal action: for a placement,
    the numbers of nine tiles around and of the features that touch its slots, and its rotation.
    ``others`` are the numbers of other actions. All count from 1. Tiles and features are roots.
    """
    seen = {name: torch.tensor(array, device=device) for name, array in seen.items()}
    told, wide = seen["globals"], view + 2
    n_tiles = (seen["tokens"][..., 0] > 0).sum(1)
    tokens, features = seen["tokens"][:, : n_tiles.max()], seen["features"]
    game, k = (tokens[..., 0] > 0).nonzero().unbind(1)
    at = (tokens[..., -2].long() + 1) * wide + tokens[..., -1] + 1
    tile_at = torch.zeros(len(told), wide * wide, dtype=torch.short, device=device)
    tile_at[game, at[game, k]] = (k + 1).short()
    links = seen["links"][:, : seen["n_links"].max()].long()
    bits = links[..., 2:].clamp(min=0) >> torch.arange(SLOTS, device=device) & 1
    game, k, slot = bits.nonzero().unbind(1)
    slots = torch.zeros(len(told), tokens.shape[1] + 1, SLOTS, dtype=torch.short, device=device)
    slots[game, links[game, k, 0] + 1, slot] = (links[game, k, 1] + 1).short()
    steps = torch.arange(-1, 2, device=device)[:, None] * wide + torch.arange(-1, 2, device=device)
    steps = torch.stack([steps.rot90(turns).flatten() for turns in range(4)])
    actions = seen["legal"][:, : seen["n_legal"].max()].long() - 4 * view * view
    game, k = ((actions < 0) & (seen["legal"][:, : actions.shape[1]] >= 0)).nonzero().unbind(1)
    cell, turns = (actions[game, k] // 4) + view * view, actions[game, k] % 4
    cell = (cell // view + 1) * wide + cell % view + 1
    near = tile_at[game[:, None], cell[:, None] + steps[turns]]
    touched = slots[game[:, None], near[:, BESIDE].long(), TOUCHED.to(device)[turns]]
    places = slots.new_zeros(len(told), actions.shape[1] + 1, 9 + SLOTS + 1)
    places[game, k + 1] = torch.cat((near, touched, 0 * near[:, :1], turns[:, None] + 1), 1).short()
    places[:, 0, :9] = tile_at.gather(1, at.gather(1, n_tiles[:, None] - 1) + steps[0])
    places[:, 0, 9:-1], places[:, 0, -1] = slots[torch.arange(len(told)), n_tiles], 1
    features, others = features[:, : seen["n_features"].max()], (actions + 1).clamp(min=0)
    tokens, features = (x.float().sqrt().half() for x in (tokens[..., :-2], features))
    return dict(tokens=tokens, features=features, places=places, others=others, told=told)


class Net(nn.Module):
    """Judges the legal actions and values the seats."""

    def __init__(self, rules):
        super().__init__()
        layout, first = Table(rules, seed=0).layout, 4 * rules.view**2
        planes, columns, told = plane_names(rules), feature_names(rules), global_names(rules)
        actions = tuple(layout.name(k) for k in range(first, layout.n_actions))
        heads = (*actions, *(f"gain of {name}" for name in actions))
        self.words = {"tile.weight": planes, "feature.weight": columns, "told.weight": told}
        self.words |= {"others.weight": heads, "others.bias": heads}
        self.register_buffer("turned", torch.tensor(turned_names(planes)), persistent=False)
        self.told = nn.Linear(len(told), HIDDEN)
        self.tile = nn.Linear(len(planes), CHANNELS, bias=False)
        self.feature = nn.Linear(len(columns), WIDTH + WIDE)
        self.place = nn.Linear(9 * CHANNELS + SLOTS * WIDTH, WIDE)
        self.shift, self.gate = nn.Linear(HIDDEN, WIDE), nn.Linear(HIDDEN, WIDE)
        self.actor, self.critic = (nn.Linear(HIDDEN + 2 * WIDE, HIDDEN) for _ in range(2))
        self.places, self.others = nn.Linear(WIDE, 2), nn.Linear(HIDDEN, len(heads))
        self.values = nn.Linear(HIDDEN, sum(name.startswith("decides ") for name in told))
        for head in (self.places, self.others, self.values):
            nn.init.normal_(head.weight, std=0.001)

    def forward(self, seen):
        """Return log-probabilities and gains (n, legal actions), and values (n, seats)."""
        is_tile, is_feature = seen["tokens"][..., 0] > 0, seen["features"].any(2)
        told, (row, k) = torch.relu(self.told(seen["told"])), seen["places"][..., -1].nonzero().T
        weight = self.tile.weight[:, self.turned].transpose(0, 1).flatten(0, 1)
        tiles = torch.relu(seen["tokens"][is_tile].float() @ weight.T)
        tiles = nn.functional.pad(tiles, (0, 0, 1, 0)).view(-1, CHANNELS)  # a row for each rotation
        features = torch.relu(self.feature(seen["features"][is_feature].float()))
        features, summed = features.split((WIDTH, WIDE), 1)
        features = nn.functional.pad(features, (0, 0, 1, 0))
        near, slots, turns = seen["places"][row, k].long().split((9, SLOTS, 1), 1)
        before = [x.sum(1).cumsum(0) - x.sum(1) for x in (is_tile, is_feature)]
        near = torch.where(near > 0, near + before[0][row, None], 0) * 4 + turns - 1
        slots = torch.where(slots > 0, slots + before[1][row, None], 0)
        whole = torch.arange(len(summed), device=summed.device), summed, before[1]
        total = nn.functional.embedding_bag(*whole, mode="sum") / 16
        inside = [tiles.index_select(0, near.flatten()), features.index_select(0, slots.flatten())]
        inside = torch.cat([one.view(len(row), -1) for one in inside], 1)
        found = torch.relu(self.place(inside) + self.shift(told).index_select(0, row))
        vector = torch.cat((told, total, found[k == 0]), 1)
        found, row, k = found[k > 0], row[k > 0], k[k > 0]
        heads = told.new_full((*seen["others"].shape, 2), -torch.inf)
        heads[row, k - 1] = self.places(found + found * self.gate(told).index_select(0, row))
        row, k = seen["others"].nonzero().unbind(1)
        others = self.others(torch.relu(self.actor(vector))).view(len(told), 2, -1)
        heads[row, k] = others[row, :, seen["others"][row, k] - 1]
        logp = (heads[..., 0] + GREED * heads[..., 1].detach()).log_softmax(1)
        return logp, heads[..., 1], self.values(torch.relu(self.critic(vector)))

    @torch.no_grad()
    def adopt(self, saved, must_know=False):
        """Take over a checkpoint's parameters, with inputs and outputs matched by name."""
        for name, own in self.named_parameters():
            there, words = saved["net"][name].to(own.device), self.words.get(name)
            if words:
                number = {word: k for k, word in enumerate(saved["words"][name])}
                pairs = [(k, number[word]) for k, word in enumerate(words) if word in number]
                if must_know and len(pairs) < len(words):
                    raise ValueError(f"trained without {sorted({*words} - {*number})[:5]}")
                here, rows = torch.tensor(pairs, device=own.device).T
                axis = int(not name.startswith("others"))
                there = own.index_copy(axis, here, there.index_select(axis, rows))
            own.copy_(there)


class Agent:
    """Plays the most probable actions of a checkpoint's network."""

    def __init__(self, path: str = "runs/ppo/ppo.pt", rules: Rules | None = None):
        saved = torch.load(path, map_location="cpu", weights_only=True)
        self.net = Net(rules or Rules.from_dict(saved["rules"]))
        self.net.adopt(saved, must_know=True)

    def act(self, table):
        """Return an action for a table."""
        return self.act_many([table])[0]

    @torch.no_grad()
    def act_many(self, tables):
        """Return an action for each table; all tables must share a layout."""
        form = make_encoding(tables[0].rules, "features", legal_list=True)
        found = [table.observe(encoding=form) for table in tables]
        seen = {name: np.stack([one[name] for one in found]) for name in found[0]}
        chosen = self.net(observe(seen, tables[0].rules.view, "cpu"))[0].argmax(1).tolist()
        return [int(one["legal"][k]) for one, k in zip(found, chosen, strict=True)]


@torch.no_grad()
def play(envs, net, seen, info, a):
    """Take ``steps`` decisions in every game; return them, and what the games show then."""
    steps, n_seats, view = [], net.values.out_features, envs.unwrapped.rules.view
    for _ in range(a.steps + 1):
        step, seats = observe(seen, view, a.device), np.arange(n_seats)
        n_players = np.reshape(info.get("n_players", n_seats), (-1, 1))
        seats = np.where(seats < n_players, (info["seat"][:, None] + seats) % n_players, seats)
        step["seats"] = torch.tensor(seats, device=a.device)  # of each value
        logp, _, values = net(step)
        step["values"] = torch.zeros_like(values).scatter(1, step["seats"], values)
        following, gain = step["values"], 0.0
        if len(steps) == a.steps:
            break
        step["chosen"] = torch.multinomial(logp.exp(), 1)
        step["logp"] = logp.gather(1, step["chosen"])
        chosen = np.take_along_axis(seen["legal"], step["chosen"].cpu().numpy(), 1)
        seen, _, ended, _, info = envs.step(chosen[:, 0])
        final = info.get("final_info", info)["rewards"]  # of games that were replaced
        rewards = np.where(ended[:, None], final, info["rewards"]) / POINTS
        step["rewards"] = torch.tensor(rewards, dtype=torch.float, device=a.device)
        step["goes_on"] = torch.tensor(~ended[:, None], device=a.device)
        steps.append(step)
    for step in reversed(steps):  # generalised advantage estimates of all seats
        change = step["rewards"] + a.gamma * following * step["goes_on"] - step["values"]
        gain = change + a.gamma * a.lam * gain * step["goes_on"]
        following = step["values"]
        step["returns"] = (gain + following).gather(1, step["seats"])
        step["gain"] = gain.gather(1, step["seats"][:, :1])
        step["change"] = change.gather(1, step["seats"][:, :1])

    def joined(parts):
        most, rest = max(part.shape[1] for part in parts), (0, 0) * (parts[0].ndim - 2)
        return torch.cat([nn.functional.pad(x, (*rest, 0, most - x.shape[1])) for x in parts])

    return {name: joined([step[name] for step in steps]) for name in steps[0]}, seen, info


def learn(net, adam, seen, a):
    """Take the gradient steps of an update; return the losses of the last one."""
    for _ in range(a.epochs):
        for rows in torch.randperm(len(seen["gain"]), device=a.device).split(a.batch):
            batch = {name: part.index_select(0, rows) for name, part in seen.items()}
            logp, gains, values = net(batch)
            gain = (batch["gain"] - batch["gain"].mean()) / (batch["gain"].std() + 1e-8)
            ratio = (logp.gather(1, batch["chosen"]) - batch["logp"]).exp()
            policy = -torch.minimum(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain).mean()
            value = (values - batch["returns"]).square().mean()
            change = (gains.gather(1, batch["chosen"]) - batch["change"]).square().mean()
            entropy = -(logp.exp() * logp.clamp(min=-1e9)).sum(1).mean()
            adam.zero_grad()
            (policy + 0.5 * value + change - a.entropy * entropy).backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            adam.step()
    return {"policy_loss": policy.item(), "value_loss": value.item(), "entropy": entropy.item()}


def evaluate(path, tests, n_games):
    """Return the share of games won against copies of each opponent, under all test rules."""
    won = {"greedy": [], "value": []}
    for rival, rules in product(won, tests):
        games = rules.n_players * max(1, n_games // len(tests) // rules.n_players)
        match = play_against(Agent(path, rules), make_agent(rival, rules), rules, games, seed=1)
        won[rival].append(match.standings[0].win_rate.value)
    return {rival: float(np.mean(rates)) for rival, rates in won.items()}


def main():
    """Learn; save a checkpoint and evaluate it now and then."""
    a = tyro.cli(Settings, description=__doc__.splitlines()[0])
    prepare_cpu()
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    asked, folder = tasks.training_on(a.task, a.rules, a.opponents), folder_for(a)
    net = Net((tests := asked.test_rules)[0]).to(a.device)
    if a.init:
        net.adopt(torch.load(a.init, map_location=a.device, weights_only=True))
    for weights in () if a.features else net.feature.parameters():
        weights.requires_grad_(False).zero_()
    adam = torch.optim.Adam(net.parameters(), a.lr, eps=1e-5, fused=True)
    n, spent, file = 0, 0.0, folder / "ppo.pt"
    if file.exists():
        saved = torch.load(file, map_location=a.device, weights_only=True)
        n, spent = saved["decisions"], saved["processor_seconds"]
        net.load_state_dict(saved["net"])
        adam.load_state_dict(saved["adam"])
    envs = gymnasium.make_vec("carc_env/Carcassonne-v1", a.games, **asked.options(**ENV))
    seen, info = envs.reset(seed=np.random.SeedSequence((a.seed, n)).generate_state(a.games))
    while n < a.decisions:
        began, size = time.process_time(), a.games * a.steps
        adam.param_groups[0]["lr"] = a.lr * (1 - 0.9 * n / a.decisions)
        batch, seen, info = play(envs, net, seen, info, a)
        told, n = learn(net, adam, batch, a), n + size
        spent += time.process_time() - began
        if n % a.eval_every < size or n >= a.decisions:
            row = {"decisions": n, "processor_seconds": spent}
            about = {"words": net.words, "rules": tests[0].to_dict()}
            torch.save(row | about | {"net": net.state_dict(), "adam": adam.state_dict()}, file)
            row |= told | evaluate(file, tests, a.eval_games)
            with (folder / "log.jsonl").open("a") as log:
                print(json.dumps(row), file=log)
            print(row, flush=True)


if __name__ == "__main__":
    main()
