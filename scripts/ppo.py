"""Train a network with PPO in one file: sparse cells, the legal list, self-play.

    python scripts/ppo.py                                         ten minutes on one core python
    scripts/ppo.py ppo-1-minute                            named settings; also ppo-10-minutes
    python scripts/ppo.py --total-steps 20_000_000 --folder runs/long python scripts/ppo.py
    runs/long/latest.ckpt                   continue it python scripts/ppo.py --opponents greedy
    --rules '{view: 24, n_players: 3}' python scripts/ppo.py --init runs/long/latest.ckpt --rules
    all --rules.view 26 python scripts/ppo.py --device cuda                           on a GPU
    python scripts/ppo.py --help                                  all settings

This is a recipe to copy and change, in the style of CleanRL. The folder of the run receives
``latest.ckpt``, ``best.ckpt``, ``config.yaml``, ``curve.csv``, ``curve.png`` and logs for
TensorBoard. Ctrl-C or SIGTERM ends the run after the update in progress, with a checkpoint from
which it continues exactly.
"""

from __future__ import annotations

import math
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are being imported

import numpy as np
import numpy.typing as npt
from carc_env.agents.commands import training
from carc_env.agents.config import NetworkConfig, PPOConfig
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.curve import Row
from carc_env.agents.evaluation import labelled
from carc_env.agents.interrupt import end_quietly
from carc_env.agents.settings import distribution_of

from carc_env.engine.core.codes import N_ROTATIONS
from carc_env.envs.distributions import RulesDistribution
from carc_env.extras import check_installed
from carc_env.layout.encodings import Encoding, Planes
from carc_env.rules import Rules

if __name__ == "__main__":
    prepare_cpu()  # before torch is imported
    check_installed("torch")

import torch
from carc_env.agents.checkpoint import Arrays
from carc_env.agents.device import device_called
from carc_env.agents.network_agent import NetworkAgent, begin_with
from carc_env.agents.networks import Cells, Network, shows
from carc_env.agents.recipe import Recipe, prepare_torch
from carc_env.agents.training_env import TrainingEnv
from torch import Tensor, nn
from torch.nn import functional as F

CPU = torch.device("cpu")
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Arguments(PPOConfig):
    """All settings; inherited ones are in ``agents/config.py``."""

    folder: str = "runs/ppo"
    """Folder for checkpoints, the learning curve and logs."""
    network: NetworkConfig = field(
        default_factory=lambda: NetworkConfig("turned", channels=16, blocks=1, hidden=256)
    )
    """Kind and size of the network."""
    init: str = ""
    """Initial network: a checkpoint for any rules, or ``imitation``."""
    total_steps: int = 2_000_000
    """Decisions to learn from over all games, including those before a checkpoint."""
    opponents: tuple[str, ...] = ("self",)
    """Agents in the other seats, by name; "self": the learner itself, learning from all seats."""
    n_envs: int = 256
    """Games in parallel; larger batches take less time per decision."""
    # After a million decisions, one pass won 33.6% against greedy, two passes 42.1%.
    n_epochs: int = 4
    """Passes over each update's decisions."""
    learning_rate: float = 1e-3
    """Adam's initial learning rate."""
    final_learning_rate: float = 1e-4
    """Adam's final learning rate; the rate changes linearly."""
    rival_weight: float = 1.0
    """With "projected": weight of the best opponent's points. 1 gives the margin, 0 your own
    score."""
    entropy_weight: float = 0.02
    """Weight of the entropy bonus: larger values keep the policy less certain."""
    device: str = "cpu"
    """Torch device: "cpu", "cuda", "auto"."""

    MARK: ClassVar[dict[str, Any]] = {"recipe": "ppo.py"}
    NO_MARK: ClassVar[str] = "not a checkpoint of ppo.py"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_steps < (n_players := self.rules.n_players):
            raise ValueError(f"n_steps must be at least {n_players}, so that a seat decides again")


# Observations: flat lists without padding.


@dataclass
class Ragged:
    """Rows of different lengths: all ``items``, row after row, and the row lengths."""

    items: Tensor
    counts: Tensor

    @classmethod
    def of(cls, padded: Tensor, counts: Tensor) -> Ragged:
        """Return the first ``counts[i]`` of each row i."""
        padded = padded[:, : int(counts.max())]
        kept = torch.arange(padded.shape[1], device=padded.device) < counts[:, None]
        return cls(padded[kept], counts.long())

    @classmethod
    def join(cls, parts: Sequence[Ragged]) -> Ragged:
        """Concatenate the rows of all parts."""
        return cls(
            torch.cat([part.items for part in parts]), torch.cat([part.counts for part in parts])
        )

    @property
    def starts(self) -> Tensor:
        """The start index of each row."""
        return self.counts.cumsum(0) - self.counts

    @property
    def rows(self) -> Tensor:
        """The row of each item."""
        return torch.repeat_interleave(self.counts)

    def take(self, rows: Tensor) -> Ragged:
        """Return the rows with the given indices, in that order."""
        taken = Ragged(self.items, self.counts[rows])
        shift = torch.repeat_interleave(self.starts[rows] - taken.starts, taken.counts)
        shift += torch.arange(len(shift), device=shift.device)
        taken.items = self.items.index_select(0, shift)
        return taken


@dataclass
class Frames:
    """Observations of n decisions."""

    shown: Ragged
    """The nonzero cells: their planes, uint8 (cells, planes)."""
    places: Ragged
    """The place of each nonzero cell on its board."""
    numbers: Tensor
    """``globals``, float32 (n, n_globals)."""
    legal: Ragged
    """The legal actions."""

    @classmethod
    def of(cls, seen: Arrays, n_cells: int, device: torch.device = CPU) -> Frames:
        """Copy the environment's observations, whose buffers the next step overwrites."""
        there = {
            name: torch.from_numpy(rows).to(device, non_blocking=True)
            for name, rows in seen.items()
        }
        n = len(there["board"])
        cells = there["board"].view(n * n_cells, -1)
        at = shows(cells).nonzero()[:, 0]
        counts = torch.bincount(at // n_cells, minlength=n)
        return cls(
            Ragged(cells.index_select(0, at), counts),
            Ragged(at % n_cells, counts),
            there["globals"].clone(),
            Ragged.of(there["legal"], there["n_legal"][:, 0]),
        )

    @classmethod
    def join(cls, parts: Sequence[Frames]) -> Frames:
        """Concatenate the frames of all parts."""
        return cls(
            Ragged.join([part.shown for part in parts]),
            Ragged.join([part.places for part in parts]),
            torch.cat([part.numbers for part in parts]),
            Ragged.join([part.legal for part in parts]),
        )

    def take(self, rows: Tensor) -> Frames:
        """Return the frames with the given indices, in that order."""
        shown, places, legal = (one.take(rows) for one in (self.shown, self.places, self.legal))
        return Frames(shown, places, self.numbers[rows], legal)


def judge(network: Network, frames: Frames, view: int) -> tuple[Tensor, Tensor]:
    """Return log-probabilities, padded with -inf, and values.

    The dummy action after the end of a game is on an empty cell; it is included, too.

    Returns
    -------
    log_probabilities : float32 (n, most legal actions of any frame)
    values : float32 (n,)
    """
    places, legal, numbers = frames.places, frames.legal, frames.numbers
    n, n_tiles = len(numbers), view**2 * N_ROTATIONS
    most, whose = int(legal.counts.max()), legal.rows
    at = whose * most + torch.arange(len(whose), device=whose.device) - legal.starts[whose]
    is_tile = legal.items < n_tiles
    cells = Cells.of(places.rows * view**2 + places.items, n, view)
    placements, is_shown = cells.placements(whose[is_tile], legal.items[is_tile]).shown_ones()
    tiles, figures, values = network.judge(frames.shown.items, cells, numbers, placements)
    others = figures[whose[~is_tile], legal.items[~is_tile].long() - n_tiles]
    logits = numbers.new_full((n * most,), -math.inf).index_fill(0, at, 0.0)
    logits = logits.index_copy(0, at[is_tile][is_shown], tiles).index_copy(0, at[~is_tile], others)
    return logits.view(n, most).log_softmax(1), values[:, 0]


# Playing.


class Clock:
    """Adds up the seconds spent in each part of an update."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(("environment", "inference", "learning"), 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time the block."""
        began = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - began


@dataclass
class Rollout:
    """Decisions in order; the first axis is over steps, the second over games."""

    frames: list[Frames]
    places: npt.NDArray[np.int64]
    """Index of each action taken in its list of legal actions."""
    log_probabilities: Floats
    values: Floats
    seats: npt.NDArray[np.int64]
    """The deciding seats; there is one more step than in other arrays."""
    rewards: Floats
    """Rewards of all seats: (steps, games, players)."""
    has_ended: npt.NDArray[np.bool_]
    """Whether the decision was the last one in its game."""
    last_values: Floats
    """Values to the seats that decide next, (games,)."""


class Player:
    """Plays training games endlessly.

    A game that ends is restarted in the same step, so every row is a decision.
    """

    def __init__(self, env: TrainingEnv, network: Network, a: Arguments, seed: int) -> None:
        self.env, self.network, self.n_steps, self.scale = env, network, a.n_steps, a.reward_scale
        self.view, self.device = env.rules.view, next(network.parameters()).device
        self.seen, self.info = env.reset(seed=seed)

    def look(self) -> Frames:
        """Return the current observations on the network's device."""
        return Frames.of(self.seen, self.view**2, self.device)

    @torch.no_grad()
    def play(self, clock: Clock) -> Rollout:
        """Play ``n_steps`` steps in each game."""
        shape = self.n_steps, self.env.num_envs
        r = Rollout(
            frames=[],
            places=np.empty(shape, np.int64),
            log_probabilities=np.empty(shape, np.float32),
            values=np.empty(shape, np.float32),
            seats=np.empty((shape[0] + 1, shape[1]), np.int64),
            rewards=np.empty((*shape, self.env.rules.n_players), np.float32),
            has_ended=np.empty(shape, np.bool_),
            last_values=np.empty(shape[1], np.float32),
        )
        for t in range(self.n_steps):
            with clock.part("inference"):
                frames = self.look()
                log_probabilities, values = judge(self.network, frames, self.view)
                places = torch.multinomial(log_probabilities.exp(), 1)
                chosen = log_probabilities.gather(1, places)
                r.frames.append(frames)
                r.seats[t], r.values[t] = self.info["seat"], values.cpu()
                r.places[t], r.log_probabilities[t] = places[:, 0].cpu(), chosen[:, 0].cpu()
                actions = np.take_along_axis(self.seen["legal"], r.places[t, :, None], 1)[:, 0]
            with clock.part("environment"):
                self.seen, _, r.has_ended[t], _, self.info = self.env.step(actions)
                r.rewards[t] = self.info["rewards"]
                if (ended := r.has_ended[t]).any():  # their rows already belong to the next games
                    r.rewards[t, ended] = self.info["final_info"]["rewards"][ended]
        with clock.part("inference"):
            r.last_values[:] = judge(self.network, self.look(), self.view)[1].cpu()
        r.seats[-1] = self.info["seat"]
        r.rewards *= self.scale
        return r


def estimate_advantages(
    r: Rollout, gamma: float, gae_lambda: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return generalised advantage estimates, separately for each seat in each game.

    A seat's decision is followed by that seat's next decision; in between, the seat collects the
    rewards of all steps. After the last step, the value is known only for the seat that decides
    next. The other seats' last decisions therefore have no estimates and only serve as starting
    values for their earlier decisions.

    Returns
    -------
    advantages : float32 (steps, games)
    is_known : bool (steps, games)
        Whether there is an estimate.
    """
    n_steps, n_games, n_players = r.rewards.shape
    games = np.arange(n_games)
    found, is_known = np.zeros((n_steps, n_games), np.float32), np.zeros((n_steps, n_games), bool)
    earned, next_value, next_found = np.zeros((3, n_games, n_players), np.float32)
    has_next = np.zeros((n_games, n_players), bool)
    next_value[games, r.seats[-1]], has_next[games, r.seats[-1]] = r.last_values, True
    for t in reversed(range(n_steps)):
        over = r.has_ended[t]
        earned[over] = next_value[over] = next_found[over] = 0.0
        has_next[over] = True
        earned += r.rewards[t]
        who = games, r.seats[t]
        is_known[t] = has_next[who]
        change = earned[who] + gamma * next_value[who] - r.values[t]
        found[t] = np.where(is_known[t], change + gamma * gae_lambda * next_found[who], 0.0)
        earned[who], next_value[who], next_found[who] = 0.0, r.values[t], found[t]
        has_next[who] = True
    return found, is_known


# Learning.


def learn(
    network: Network, optimizer: torch.optim.Optimizer, r: Rollout, a: Arguments
) -> dict[str, float]:
    """Take the gradient steps of an update.

    Returns
    -------
    dict
        Means over the gradient steps: ``policy_loss``, ``value_loss``, ``entropy``; ``explained``,
        the fraction of the returns' variance explained by the values; ``kl``, an estimate of the
        divergence from the policy that played.
    """
    advantages, is_known = estimate_advantages(r, a.gamma, a.gae_lambda)
    frames = Frames.join(r.frames)
    device = frames.numbers.device
    places, before, gains, returns = (
        torch.from_numpy(rows.reshape(-1)).to(device)
        for rows in (r.places, r.log_probabilities, advantages, advantages + r.values)
    )
    known = torch.from_numpy(np.flatnonzero(is_known)).to(device)
    n_parts = max(1, round(len(known) / a.batch_size))
    means = []
    for _ in range(a.n_epochs):
        for rows in known[torch.randperm(len(known))].tensor_split(n_parts):
            log_probabilities, values = judge(network, frames.take(rows), a.rules.view)
            chosen = log_probabilities.gather(1, places[rows, None])[:, 0]
            gain = gains[rows]
            gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
            ratio = (chosen - before[rows]).exp()
            policy_loss = -torch.minimum(
                ratio * gain, ratio.clamp(1 - a.clip_range, 1 + a.clip_range) * gain
            ).mean()
            value_loss = F.mse_loss(values, returns[rows])
            surprise = -log_probabilities.masked_fill(log_probabilities.isinf(), 0.0)
            entropy = (log_probabilities.exp() * surprise).sum(1).mean()
            loss = policy_loss + a.value_weight * value_loss - a.entropy_weight * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), a.max_grad_norm)
            optimizer.step()
            with torch.no_grad():
                residual = returns[rows] - values
                explained = 1 - residual.var(correction=0) / returns[rows].var(correction=0)
                kl = (before[rows] - chosen).mean()
            means.append(
                [float(x.detach()) for x in (policy_loss, value_loss, entropy, explained, kl)]
            )
    names = "policy_loss", "value_loss", "entropy", "explained", "kl"
    return dict(zip(names, np.mean(means, 0).tolist(), strict=True))


def pinned(encoding: Encoding, n: int) -> Arrays:
    """Return arrays for n observations in pinned memory, which a GPU can read directly."""
    spaces = encoding.space().spaces.items()
    types = {name: torch.from_numpy(np.empty(0, box.dtype)).dtype for name, box in spaces}
    return {
        name: torch.empty((n, *box.shape), dtype=types[name], pin_memory=True).numpy()
        for name, box in spaces
    }


def make_env(
    a: Arguments, device: torch.device = CPU, distribution: RulesDistribution | None = None
) -> TrainingEnv:
    """Make the training games; with a GPU, they write observations to pinned memory."""
    encoding = Planes(a.rules, flat_board=True, legal_list=True)
    return TrainingEnv(
        a.n_envs,
        distribution or a.rules,
        a.opponents,
        a.scheme,
        encoding=encoding,
        num_threads=a.threads,
        out=pinned(encoding, a.n_envs) if device.type == "cuda" else None,
    )


class Learner(Recipe[Arguments]):
    """A run, which alternates between playing and learning.

    Parameters
    ----------
    a : Arguments
        All settings.
    distribution : RulesDistribution, optional
        Draws the rules of training games; ``a.rules`` gets its layout.
    tests : mapping of str to Rules, optional
        The rules of evaluations, by name. Default: some that ``distribution`` draws.
    """

    SETTINGS = Arguments

    def __init__(
        self,
        a: Arguments,
        distribution: RulesDistribution | None = None,
        tests: Mapping[str, Rules] | None = None,
    ) -> None:
        distribution = distribution or distribution_of(a)
        a = self.settings_for(a, distribution)
        device = device_called(a.device)
        prepare_torch(a)
        env = make_env(a, device, distribution)
        network = Network(a.rules, a.network, a.precision).to(device)
        optimizer = torch.optim.Adam(network.parameters(), a.learning_rate, fused=True)
        agent = NetworkAgent(network, a.rules)
        super().__init__(a, network, optimizer, agent, distribution, tests and labelled(tests))
        self.player, self.clock = Player(env, network, a, a.seed), Clock()
        self.first = 0

    def warm_up(self) -> None:
        """Begin with the network that ``init`` names, if any."""
        if self.config.init:
            begin_with(self.config.init, self.network, self.config.network)

    def learn(self) -> Row:
        """Play ``n_steps`` decisions in every game and learn from them."""
        a = self.config
        done = min(1.0, self.steps / a.total_steps)
        rate = a.learning_rate + done * (a.final_learning_rate - a.learning_rate)
        self.optimizer.param_groups[0]["lr"] = rate
        rollout = self.player.play(self.clock)
        with self.clock.part("learning"):
            told = learn(self.network, self.optimizer, rollout, a)
        self.steps += a.n_envs * a.n_steps
        return told

    def save_games(self) -> tuple[dict[str, Any], Arrays]:
        """Return the games in progress."""
        games, rest = self.player.env.save()
        return {"envs": rest}, {"games": np.stack([np.frombuffer(g, np.uint8) for g in games])}

    def restore_games(self, meta: dict[str, Any], arrays: Arrays) -> None:
        """Continue games in progress."""
        games = [game.tobytes() for game in arrays["games"]]
        self.player.seen = self.player.env.restore(games, meta["envs"])
        self.player.info = {"seat": self.player.env.seats}
        self.first = self.steps

    def close(self) -> None:
        """End the threads that run the games."""
        self.player.env.close()


def speed(learner: Learner) -> str:
    """Return the speed and the shares of time, as text."""
    seconds = sum(learner.clock.seconds.values())
    if not seconds:
        return ""
    shares = (f"{name} {s / seconds:.0%}" for name, s in learner.clock.seconds.items())
    rate = (learner.steps - learner.first) / seconds
    return f"{rate:,.0f} steps/s without the evaluations ({', '.join(shares)})."


SCRIPT = training.recipe(Learner, outro=speed)
train = partial(training.train, SCRIPT)
main = partial(training.carry_out, SCRIPT, __doc__)

if __name__ == "__main__":
    end_quietly()
    sys.exit(main(sys.argv[1:]))
