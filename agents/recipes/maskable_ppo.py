"""Learn a policy with sb3-contrib's MaskablePPO, in one file, under any rules.

    carc-env train maskable-ppo --folder runs/maskable_ppo      begin or continue a run
    carc-env train maskable-ppo --folder runs/new --rules all   or YAML, or --task base-greedy-v1
    carc-env recipe maskable_ppo > my_ppo.py && python my_ppo.py --help     change it
    carc-env evaluate "my_ppo.py:Agent?path=runs/maskable_ppo/maskable_ppo.pt" greedy

The learner plays one seat of each game, and its opponents the others. The network judges legal
placements only, each by the nine cells around it, turned with the tile.
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
from carc_env.agents.sb3_env import CarcassonneVecEnv, losses_of
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn
from torch.nn import functional as F

from carc_env import Rules, Table, tasks
from carc_env.envs.rewards import Projected
from carc_env.layout.encodings import make_encoding
from carc_env.layout.observations import global_names, plane_names
from carc_env.layout.turning import turned_names

POINTS = 10.0  # that count as 1 in the value loss
CHANNELS, WIDTH, HIDDEN = 16, 64, 128
NAME = "maskable_ppo.pt"


@dataclass
class Settings:
    """Options of the command line."""

    task: str = ""  # replaces the rules and the opponents
    rules: str = "{view: 20}"  # a preset or YAML
    opponents: str = "greedy"  # an agent that plays all other seats, or "self": the network
    folder: str = "runs/maskable_ppo"  # of the run
    init: str = ""  # maskable_ppo.pt of another run to start from; its rules can differ
    decisions: int = 1_000_000  # of the learner
    seed: int = 0  # of games and of the network
    device: str = "cpu"  # cpu or cuda
    rival_weight: float = 0.3  # of the best opponent's points in the projected lead, the reward
    games: int = 64  # at the same time
    steps: int = 32  # in each game between two updates
    epochs: int = 3  # passes over the decisions of an update
    batch: int = 512  # decisions of a gradient step
    lr: float = 1e-3  # learning rate; falls to a tenth
    entropy: float = 0.02  # weight of its bonus
    gamma: float = 0.99  # for each decision of the learner
    lam: float = 0.95  # of advantages
    eval_every: int = 100_000  # decisions between two evaluations
    eval_games: int = 200  # against each opponent


class Net(nn.Module):
    """Judges the actions and values the position."""

    def __init__(self, rules):
        super().__init__()
        layout, self.view = Table(rules, seed=0).layout, rules.view
        self.n_placements = 4 * rules.view**2
        planes, told = plane_names(rules), global_names(rules)
        actions = [layout.name(k) for k in range(self.n_placements, layout.n_actions)]
        self.words = {"cell.weight": planes, "told.weight": told}
        self.words |= {"others.weight": actions, "others.bias": actions}
        self.latest = planes.index("last tile")
        y, x = np.mgrid[-1:2, -1:2].reshape(2, 9)  # the cells around a tile in each rotation
        steps = torch.tensor(np.array([[y, x], [x, -y], [-y, -x], [-x, y]]))
        steps = steps[:, 0] * (self.view + 2) + steps[:, 1]
        self.register_buffer("turned", torch.tensor(turned_names(planes)), persistent=False)
        self.register_buffer("steps", steps, persistent=False)
        self.told = nn.Linear(len(told), HIDDEN)
        self.cell = nn.Linear(len(planes), CHANNELS, bias=False)
        self.near, self.placement = nn.Linear(9 * CHANNELS, WIDTH), nn.Linear(WIDTH, 1)
        self.shift, self.gate = nn.Linear(HIDDEN, WIDTH), nn.Linear(HIDDEN, WIDTH)
        self.actor, self.critic = (nn.Linear(HIDDEN + CHANNELS + WIDTH, HIDDEN) for _ in range(2))
        self.others, self.value = nn.Linear(HIDDEN, len(actions)), nn.Linear(HIDDEN, 1)
        for head in (self.placement, self.others):
            nn.init.normal_(head.weight, std=0.001)

    def forward(self, seen, masks):
        """Return logits (n, actions), which are 0 for illegal placements, and values (n, 1)."""
        n, rim, told = len(seen["globals"]), self.view + 2, torch.relu(self.told(seen["globals"]))
        board, k = (seen["tokens"][..., 0] > 0).nonzero().unbind(1)  # a row for each tile
        tokens, at = seen["tokens"][board, k, :-2].sqrt(), seen["tokens"][board, k, -2:].long() + 1
        spots = (board * rim + at[:, 0]) * rim + at[:, 1]
        tile_at = board.new_zeros(n * rim * rim)  # counts from 1
        tile_at[spots] = torch.arange(len(spots), device=board.device) + 1
        weight = self.cell.weight[:, self.turned].transpose(0, 1).flatten(0, 1)
        tiles = torch.relu(F.linear(tokens, weight))  # features in each rotation
        row, action = masks[:, : self.n_placements].nonzero().unbind(1)
        y, x, turns = action // 4 // self.view + 1, action // 4 % self.view + 1, action % 4
        is_latest, m = tokens[:, self.latest] > 0, len(row)  # it is judged like a placement
        boards = torch.cat((row, board[is_latest]))
        spots = torch.cat(((row * rim + y) * rim + x, spots[is_latest]))
        turns = F.pad(turns, (0, len(spots) - m))
        near = tile_at[spots[:, None] + self.steps[turns]] * 4 + turns[:, None]
        around = F.pad(tiles, (0, 0, 1, 0)).view(-1, CHANNELS).index_select(0, near.flatten())
        around = self.near(around.view(-1, 9 * CHANNELS))
        found = torch.relu(around + self.shift(told).index_select(0, boards))
        latest = told.new_zeros(n, WIDTH).index_copy(0, boards[m:], found[m:])
        total = told.new_zeros(n, CHANNELS).index_add(0, board, tiles[:, :CHANNELS] / 16)
        vector = torch.cat((told, total, latest), 1)
        placements = self.placement(found[:m] * (1 + self.gate(told)).index_select(0, row))[:, 0]
        logits = told.new_zeros(n, self.n_placements).index_put((row, action), placements)
        others = self.others(torch.relu(self.actor(vector)))
        return torch.cat((logits, others), 1), POINTS * self.value(torch.relu(self.critic(vector)))

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


class Policy(MaskableActorCriticPolicy):
    """The network as a policy of Stable-Baselines3, which gets observations as they are."""

    def __init__(self, *args, rules, **kwargs):
        self.rules = rules
        super().__init__(*args, **kwargs)

    def _build(self, lr_schedule):
        self.net = Net(self.rules)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr_schedule(1), eps=1e-5)

    def judge(self, obs, masks):
        """Return the distribution over legal actions, and the values."""
        masks = torch.as_tensor(masks, dtype=torch.bool, device=self.device)
        logits, values = self.net(obs, masks)
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        distribution.apply_masking(masks)
        return distribution, values

    def forward(self, obs, deterministic=False, action_masks=None):
        """Return actions, values and log-probabilities."""
        distribution, values = self.judge(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, values, distribution.log_prob(actions)

    def evaluate_actions(self, obs, actions, action_masks=None):
        """Return values, log-probabilities of the actions, and entropies."""
        distribution, values = self.judge(obs, action_masks)
        return values, distribution.log_prob(actions), distribution.entropy()

    def predict_values(self, obs):
        """Return the values, which do not depend on what is legal."""
        return self.net(obs, obs["globals"].new_zeros(len(obs["globals"]), 0))[1]


class Agent:
    """Plays the most probable actions of a checkpoint's network."""

    def __init__(self, path="runs/maskable_ppo/maskable_ppo.pt", rules: Rules | None = None):
        saved = torch.load(path, map_location="cpu", weights_only=True)
        self.net = Net(rules or Rules.from_dict(saved["rules"]))
        self.net.adopt(saved, must_know=True)

    def act(self, table):
        """Return an action for a table."""
        return self.act_many([table])[0]

    def act_many(self, tables):
        """Return an action for each table; all tables must share a layout."""
        return self.logits(tables).argmax(1).tolist()

    @torch.no_grad()
    def logits(self, tables):
        """Return the logits at each table, which are -inf for illegal actions."""
        form = make_encoding(tables[0].rules, "tokens", action_mask=True)
        found = [table.observe(encoding=form) for table in tables]
        seen = {name: torch.tensor(np.stack([one[name] for one in found])) for name in found[0]}
        seen = {name: part.float().to(self.net.steps.device) for name, part in seen.items()}
        legal = seen["action_mask"].bool()
        return self.net(seen, legal)[0].masked_fill(~legal, -torch.inf)


class Itself(Agent):
    """The opponent "self": draws its actions like the learner, from the same network."""

    def __init__(self):
        self.net = None  # until there is a learner

    def act_many(self, tables):
        """Return an action for each table."""
        return torch.multinomial(self.logits(tables).softmax(1), 1)[:, 0].tolist()


class Report(BaseCallback):
    """Saves a checkpoint and evaluates it now and then, between two updates."""

    def __init__(self, folder, tests, n, spent, a):
        super().__init__()
        self.folder, self.tests, self.n, self.spent, self.a = folder, tests, n, spent, a
        self.began = time.process_time()

    def _on_step(self):
        return True

    def _on_rollout_start(self):
        if self.model.num_timesteps // self.a.eval_every > self.n // self.a.eval_every:
            self._on_training_end()

    def _on_training_end(self):
        self.n, policy, file = self.model.num_timesteps, self.model.policy, self.folder / NAME
        self.spent += time.process_time() - self.began
        row = {"decisions": self.n, "processor_seconds": self.spent}
        about = {"words": policy.net.words, "rules": self.tests[0].to_dict()}
        parts = {"net": policy.net.state_dict(), "adam": policy.optimizer.state_dict()}
        torch.save(row | about | parts, file)
        row |= losses_of(self.model) | evaluate(file, self.tests, self.a.eval_games)
        with (self.folder / "log.jsonl").open("a") as log:
            print(json.dumps(row), file=log)
        print(row, flush=True)
        self.began = time.process_time()  # of learning alone


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
    torch.set_num_threads(1)
    asked, folder = tasks.training_on(a.task, a.rules, a.opponents), folder_for(a)
    games, tests = (
        asked.options(reward=Projected(a.rival_weight), encoding="tokens"),
        asked.test_rules,
    )
    itself = Itself() if asked.opponents == "self" else None
    games |= {"opponents": itself or asked.opponents, "autoreset_mode": "SameStep"}
    saved = {"decisions": 0, "processor_seconds": 0.0}
    if (folder / NAME).exists():
        saved = torch.load(folder / NAME, map_location=a.device, weights_only=True)
    n, spent = saved["decisions"], saved["processor_seconds"]
    envs = gymnasium.make_vec("carc_env/Carcassonne-v1", a.games, **games).unwrapped
    kind = {"n_steps": a.steps, "batch_size": a.batch, "n_epochs": a.epochs, "gamma": a.gamma}
    kind |= {"gae_lambda": a.lam, "ent_coef": a.entropy, "vf_coef": 0.5 / POINTS**2}
    kind |= {"learning_rate": lambda left: a.lr * (0.1 + 0.9 * left), "device": a.device}
    kind |= {"seed": int(np.random.SeedSequence((a.seed, n)).generate_state(1)[0])}
    kind |= {"policy_kwargs": {"rules": tests[0]}, "tensorboard_log": str(folder)}
    model = MaskablePPO(Policy, CarcassonneVecEnv(envs), **kind)
    net = model.policy.net
    if itself:
        itself.net = net
    if "net" in saved:
        net.load_state_dict(saved["net"])
        model.policy.optimizer.load_state_dict(saved["adam"])
        model.num_timesteps = n
    elif a.init:
        net.adopt(torch.load(a.init, map_location=a.device, weights_only=True))
    if n < a.decisions:
        report = Report(folder, tests, n, spent, a)
        model.learn(a.decisions - n, report, reset_num_timesteps=False)


if __name__ == "__main__":
    main()
