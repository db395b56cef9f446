"""Train a network with PPO in one file: sparse observations, the legal list, self-play, a CPU.

    python scripts/ppo.py                                         some minutes: beats random play
    python scripts/ppo.py --frames 20_000_000 --save ppo.ckpt
    python scripts/ppo.py --frames 20_000_000 --save ppo.ckpt --load ppo.ckpt     go on with it
    python scripts/ppo.py --load ppo.ckpt --frames 0 --eval-opponent greedy       see how it plays
    python scripts/ppo.py --opponents greedy --rules '{view: 24, n_players: 3}'
    python scripts/ppo.py --help                                  all settings

A recipe to copy and change, in the manner of CleanRL. A *frame* is one decision of the learner.
Ctrl-C or SIGTERM ends the run after the update in progress and saves.
"""

from __future__ import annotations

import math
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback while modules are loaded

import numpy as np
import numpy.typing as npt
import tyro
from carc_env.agents.cpu import prepare_cpu
from carc_env.agents.interrupt import Interruption, end_quietly
from carc_env.agents.intervals import wilson

from carc_env.envs.rewards import Reward
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import Sparse
from carc_env.layout.observations import global_names
from carc_env.rules import Rules

if __name__ == "__main__":
    prepare_cpu()  # before torch is loaded

import torch
from carc_env.agents.learned import Learned, check_target
from torch import Tensor, nn
from torch.nn import functional as F

Floats = npt.NDArray[np.float32]
EVALUATION_SEED = 1_000_000


@dataclass(frozen=True)
class Arguments:
    """Train a network with PPO on the vector environment."""

    frames: int = 3_000_000
    """Decisions to learn from, all games together, those before ``load`` included."""
    opponents: str = "self"
    """Who sits at the other seats: an agent by name; "self": the learner, who learns from all."""
    rules: str = "{view: 24}"
    """A preset such as "all", or YAML such as "{preset: all, n_players: 3}"."""
    reward: Reward = "score_delta"
    """What is learned for, see carc_env/envs/rewards.py."""
    reward_scale: float = 0.1
    """Factor of rewards; returns should be about 1."""
    envs: int = 256
    """Games that are played at once."""
    steps: int = 128
    """Decisions in each game between two updates; 128 are about a game for two."""
    minibatch: int = 2048
    """Frames in a gradient step, about."""
    epochs: int = 1
    """How often an update goes through its frames."""
    hidden: int = 128
    """Width of the network."""
    learning_rate: float = 3e-3
    """Of Adam at the beginning; it falls in a line to 0."""
    gamma: float = 0.99
    """Discount from one decision of a seat to its next."""
    lam: float = 0.95
    """Lambda of generalised advantage estimation."""
    clip: float = 0.2
    """How far the ratio of probabilities may leave 1."""
    entropy: float = 0.003
    """Weight of the entropy bonus."""
    value_loss: float = 0.5
    """Weight of the loss of the values."""
    max_grad_norm: float = 0.5
    """Gradients are cut to this length."""
    eval_opponent: str = "random"
    """Against whom it is evaluated: an agent by name."""
    eval_every: int = 25
    """Updates between evaluations; one comes at the end in any case."""
    eval_games: int = 512
    """Games of an evaluation; the learner takes its most probable action."""
    seed: int = 1
    """Of games, parameters and decisions."""
    threads: int = 2
    """CPU threads, of the games and of torch."""
    load: Path | None = None
    """Go on from this checkpoint: parameters, optimiser, frames and random numbers, new games."""
    save: Path = Path("runs/ppo.ckpt")
    """Write a checkpoint to this file after each evaluation, and at the end."""
    overwrite: bool = False
    """Replace the file at ``save`` although it is another one than ``load``."""


# What is observed: flat lists without padding.


@dataclass
class Ragged:
    """Rows of different lengths: ``items`` row after row, and how many each row has."""

    items: Tensor
    counts: Tensor

    @classmethod
    def of(cls, padded: npt.NDArray[Any], counts: npt.NDArray[Any]) -> Ragged:
        """The first ``counts[i]`` of each row i."""
        padded = padded[:, : counts.max()]
        kept = np.arange(padded.shape[1]) < counts[:, None]
        return cls(torch.from_numpy(padded[kept]), torch.from_numpy(counts.astype(np.int64)))

    @classmethod
    def join(cls, parts: Sequence[Ragged]) -> Ragged:
        """All rows of all parts."""
        return cls(
            torch.cat([part.items for part in parts]), torch.cat([part.counts for part in parts])
        )

    @property
    def starts(self) -> Tensor:
        """Where each row begins."""
        return self.counts.cumsum(0) - self.counts

    @property
    def rows(self) -> Tensor:
        """The row of each item."""
        return torch.repeat_interleave(self.counts)

    def take(self, rows: Tensor) -> Ragged:
        """Some rows, in the order asked for."""
        taken = Ragged(self.items, self.counts[rows])
        shift = torch.repeat_interleave(self.starts[rows] - taken.starts, taken.counts)
        taken.items = self.items[shift + torch.arange(len(shift))]
        return taken


@dataclass
class Frames:
    """Observations of n decisions."""

    planes: Ragged
    """The planes that are not zero, as ``indices``."""
    numbers: Tensor
    """``globals``, float32 (n, n_globals)."""
    legal: Ragged
    """The legal actions."""

    @classmethod
    def of(cls, seen: dict[str, npt.NDArray[Any]]) -> Frames:
        """Copy what the environment shows; it writes its buffers again in the next step."""
        return cls(
            Ragged.of(seen["indices"], seen["n_active"][:, 0]),
            torch.from_numpy(seen["globals"].copy()),
            Ragged.of(seen["legal"], seen["n_legal"][:, 0]),
        )

    @classmethod
    def join(cls, parts: Sequence[Frames]) -> Frames:
        """All frames of all parts."""
        return cls(
            Ragged.join([part.planes for part in parts]),
            torch.cat([part.numbers for part in parts]),
            Ragged.join([part.legal for part in parts]),
        )

    def take(self, rows: Tensor) -> Frames:
        """Some frames, in the order asked for."""
        return Frames(self.planes.take(rows), self.numbers[rows], self.legal.take(rows))


# The network.


class SumOfRows(torch.autograd.Function):
    """An embedding bag whose gradient is another one: for each row, over the frames that show it.

    With the gradient that torch computes by itself, it takes nearly twice as long on a CPU.
    """

    @staticmethod
    def forward(ctx: Any, table: Tensor, items: Tensor, counts: Tensor) -> Tensor:
        """Sum for each frame the rows of the table that it shows: float32 (n, width)."""
        ctx.save_for_backward(items, counts)
        ctx.n_rows = len(table)
        starts = (counts.cumsum(0) - counts).to(items.dtype)
        return F.embedding_bag(items, table, starts, mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        """Sum for each row of the table the gradients of the frames that show it."""
        items, counts = ctx.saved_tensors
        order = items.argsort()
        frames = torch.repeat_interleave(counts)[order]
        shown = torch.bincount(items, minlength=ctx.n_rows)
        starts = shown.cumsum(0) - shown
        return F.embedding_bag(frames, gradient, starts, mode="sum"), None, None


class Network(nn.Module):
    """Logits of the legal actions, and the value, of each frame.

    An action has a vector; its logit is the product with a vector that the state asks with.
    """

    def __init__(self, n_features: int, n_globals: int, n_actions: int, hidden: int) -> None:
        super().__init__()
        self.planes = nn.Parameter(torch.randn(n_features, hidden) * 0.05)
        self.numbers = nn.Linear(n_globals, hidden)
        self.body = nn.Sequential(
            nn.LayerNorm(hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
        )
        self.query = nn.Linear(hidden, hidden)
        self.actions = nn.Parameter(torch.randn(n_actions, hidden) * 0.1 / math.sqrt(hidden))
        self.value = nn.Linear(hidden, 1)

    def forward(self, frames: Frames) -> tuple[Tensor, Tensor]:
        """Return log-probabilities, -inf behind the last legal action, and values.

        Returns
        -------
        log_probabilities : float32 (n, most legal actions of any frame)
        values : float32 (n,)
        """
        shown: Tensor = SumOfRows.apply(  # type: ignore[no-untyped-call]
            self.planes, frames.planes.items, frames.planes.counts
        )
        state = self.body(shown + self.numbers(frames.numbers))
        legal = frames.legal
        asked = self.query(state).index_select(0, legal.rows)
        logits = (F.embedding(legal.items, self.actions) * asked).sum(1)
        is_legal = torch.arange(int(legal.counts.max())) < legal.counts[:, None]
        padded = torch.full(is_legal.shape, -math.inf).masked_scatter(is_legal, logits)
        return padded.log_softmax(1), self.value(state)[:, 0]


# Playing.


class Clock:
    """Adds up the seconds of the parts of an update."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(("environment", "inference", "learning"), 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Time what is done inside."""
        began = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - began


@dataclass
class Rollout:
    """Decisions in order: the first axis counts steps, the second games."""

    frames: list[Frames]
    places: npt.NDArray[np.int64]
    """Of the decisions in the lists of legal actions."""
    log_probabilities: Floats
    values: Floats
    seats: npt.NDArray[np.int64]
    """Who decided; has one step more."""
    rewards: Floats
    """Of all seats: (steps, games, players)."""
    has_ended: npt.NDArray[np.bool_]
    """The decision was the last one of its game."""
    last_values: Floats
    """What follows, to the seats that decide next: (games,)."""


class Player:
    """Plays the games that are learned from, on and on.

    A game that ends begins anew in the same step: so every row is a decision.
    """

    def __init__(
        self, env: CarcassonneVectorEnv, network: Network, a: Arguments, seed: int
    ) -> None:
        self.env, self.network, self.steps, self.scale = env, network, a.steps, a.reward_scale
        self.seen, self.info = env.reset(seed=seed)

    @torch.no_grad()
    def play(self, clock: Clock) -> Rollout:
        """Play some steps in each game."""
        shape = self.steps, self.env.num_envs
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
        for t in range(self.steps):
            with clock.part("inference"):
                frames = Frames.of(self.seen)
                log_probabilities, values = self.network(frames)
                places = torch.multinomial(log_probabilities.exp(), 1)
                r.frames.append(frames)
                r.seats[t], r.values[t], r.places[t] = self.info["seat"], values, places[:, 0]
                r.log_probabilities[t] = log_probabilities.gather(1, places)[:, 0]
                actions = np.take_along_axis(self.seen["legal"], r.places[t, :, None], 1)[:, 0]
            with clock.part("environment"):
                self.seen, _, r.has_ended[t], _, self.info = self.env.step(actions)
                r.rewards[t] = self.info.get("final_info", self.info)["rewards"]
        with clock.part("inference"):
            r.last_values[:] = self.network(Frames.of(self.seen))[1]
        r.seats[-1] = self.info["seat"]
        r.rewards *= self.scale
        return r


def estimate_advantages(
    r: Rollout, gamma: float, lam: float
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Generalised advantage estimation for each seat of each game by itself.

    What follows a decision of a seat is the next decision of the same seat; in between it earns the
    rewards of all steps. Behind the last step only the value to the seat that decides next is
    known. The last decisions of other seats are where their estimates begin, so these have none.

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
        found[t] = np.where(is_known[t], change + gamma * lam * next_found[who], 0.0)
        earned[who], next_value[who], next_found[who] = 0.0, r.values[t], found[t]
        has_next[who] = True
    return found, is_known


@dataclass
class Evaluation:
    """Games of the network against others."""

    outcomes: npt.NDArray[np.float64]
    """The reward ``outcome`` of each game."""
    points: npt.NDArray[np.int64]
    """Of the network and of its best rival: (games, 2)."""

    def __str__(self) -> str:
        won = wilson(int((self.outcomes == 1).sum()), len(self.outcomes))
        own, rival = self.points.mean(0)
        return (
            f"wins {won.value:.1%} ({won.low:.1%}-{won.high:.1%}) of {len(self.outcomes)} games, "
            f"points {own:.1f}:{rival:.1f}"
        )


@torch.no_grad()
def evaluate(network: Network, a: Arguments) -> Evaluation:
    """Play the first game of many environments with the most probable actions."""
    env = CarcassonneVectorEnv(
        a.eval_games,
        Rules.from_yaml(a.rules),
        opponents=a.eval_opponent,
        encoding="sparse",
        legal_list=True,
        autoreset_mode="SameStep",
        num_threads=a.threads,
    )
    found = Evaluation(np.full(a.eval_games, np.nan), np.zeros((a.eval_games, 2), np.int64))
    seen, _ = env.reset(seed=a.seed + EVALUATION_SEED)
    while np.isnan(found.outcomes).any():
        places = network(Frames.of(seen))[0].argmax(1).numpy()
        actions = np.take_along_axis(seen["legal"], places[:, None], 1)[:, 0]
        seen, rewards, has_ended, _, info = env.step(actions)
        for i in np.flatnonzero(has_ended & np.isnan(found.outcomes)).tolist():
            scores = info["final_info"]["scores"][i].tolist()
            own = scores.pop(info["final_info"]["seat"][i])
            found.outcomes[i], found.points[i] = rewards[i], (own, max(scores))
    env.close()
    return found


# Learning.


def learn(
    network: Network, optimizer: torch.optim.Optimizer, r: Rollout, a: Arguments
) -> dict[str, float]:
    """Take the gradient steps of an update.

    Returns
    -------
    dict
        Means over the gradient steps: ``entropy``; ``explained``, the share of the variance of the
        returns that the values explain; ``kl``, an estimate of the divergence from the policy that
        played.
    """
    advantages, is_known = estimate_advantages(r, a.gamma, a.lam)
    frames = Frames.join(r.frames)
    places, before, gains, returns = (
        torch.from_numpy(rows.reshape(-1))
        for rows in (r.places, r.log_probabilities, advantages, advantages + r.values)
    )
    known = torch.from_numpy(np.flatnonzero(is_known))
    n_parts = max(1, round(len(known) / a.minibatch))
    means = []
    for _ in range(a.epochs):
        for rows in known[torch.randperm(len(known))].tensor_split(n_parts):
            log_probabilities, values = network(frames.take(rows))
            chosen = log_probabilities.gather(1, places[rows, None])[:, 0]
            gain = gains[rows]
            gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
            ratio = (chosen - before[rows]).exp()
            policy_loss = -torch.minimum(
                ratio * gain, ratio.clamp(1 - a.clip, 1 + a.clip) * gain
            ).mean()
            value_loss = F.mse_loss(values, returns[rows])
            surprise = -log_probabilities.masked_fill(log_probabilities.isinf(), 0.0)
            entropy = (log_probabilities.exp() * surprise).sum(1).mean()
            loss = policy_loss + a.value_loss * value_loss - a.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), a.max_grad_norm)
            optimizer.step()
            with torch.no_grad():
                residual = returns[rows] - values
                explained = 1 - residual.var(correction=0) / returns[rows].var(correction=0)
                kl = (before[rows] - chosen).mean()
            means.append([float(x.detach()) for x in (entropy, explained, kl)])
    return dict(zip(("entropy", "explained", "kl"), np.mean(means, 0), strict=True))


def make_env(a: Arguments) -> CarcassonneVectorEnv:
    """The games that are learned from."""
    return CarcassonneVectorEnv(
        a.envs,
        Rules.from_yaml(a.rules),
        opponents=a.opponents,
        reward=a.reward,
        encoding="sparse",
        legal_list=True,
        autoreset_mode="SameStep",
        num_threads=a.threads,
    )


def make_network(env: CarcassonneVectorEnv, a: Arguments) -> Network:
    """A network for what the environment shows and asks."""
    return Network(
        n_features=Sparse(env.rules).n_features,
        n_globals=len(global_names(env.rules)),
        n_actions=action_layout(env.rules).n_actions,
        hidden=a.hidden,
    )


def begin(env: CarcassonneVectorEnv, a: Arguments) -> Learned:
    """A new network and its optimiser, or those to go on with.

    Raises
    ------
    ValueError
        The checkpoint is damaged, or belongs to another network.
    OSError
        It cannot be read.
    """
    network = make_network(env, a)
    optimizer = torch.optim.Adam(network.parameters(), a.learning_rate, fused=True)
    fixed = {"rules": env.rules.to_dict(), "hidden": a.hidden}
    learned = Learned("ppo.py", fixed, network, optimizer)
    if a.load is not None:
        learned.load(a.load)
    return learned


def train(a: Arguments) -> int:
    """Play and learn in turns, and tell how it goes.

    Returns
    -------
    int
        The exit status: 0, or that for the signal which ended it.

    Raises
    ------
    ValueError
        An argument is refused.
    OSError
        A file cannot be read or written.
    """
    check(a)
    torch.manual_seed(a.seed)
    torch.set_num_threads(a.threads)
    env = make_env(a)
    learned = begin(env, a)
    if learned.steps >= a.frames:
        env.close()
        report(learned, a, 0.0)
        return 0
    check_target(a.save, a.load, overwrite=a.overwrite)
    with Interruption() as stop:
        improve(learned, env, a, stop)
        learned.save(a.save)
        env.close()
    print(f"Saved to {a.save}.")
    if learned.steps < a.frames:
        print(f"The same command goes on with: --load {a.save} --save {a.save}")
    return stop.status


def improve(learned: Learned, env: CarcassonneVectorEnv, a: Arguments, stop: Interruption) -> None:
    """Play and learn until all frames are there, or a signal comes."""
    network, optimizer = learned.network, learned.optimizer
    player = Player(env, network, a, learned.seed_of_games(a.seed))
    frames_each = a.envs * a.steps
    all_frames = math.ceil(a.frames / frames_each) * frames_each
    first, began, spent = learned.steps, time.perf_counter(), 0.0
    while learned.steps < a.frames and not stop.wanted:
        clock, started = Clock(), time.perf_counter()
        optimizer.param_groups[0]["lr"] = a.learning_rate * (1 - learned.steps / all_frames)
        rollout = player.play(clock)
        with clock.part("learning"):
            means = learn(network, optimizer, rollout, a)
        learned.steps += frames_each
        seconds = time.perf_counter() - started
        spent += seconds
        shares = ", ".join(f"{name} {s / seconds:.0%}" for name, s in clock.seconds.items())
        numbers = "  ".join(f"{name} {number:.3f}" for name, number in means.items())
        print(
            f"{learned.steps:>11,} frames  {frames_each / seconds:>6,.0f}/s ({shares})  {numbers}",
            flush=True,
        )
        is_due = learned.steps // frames_each % a.eval_every == 0 or learned.steps >= a.frames
        if is_due and not stop.wanted:
            learned.save(a.save)
            report(learned, a, time.perf_counter() - began)
    frames = learned.steps - first
    if frames:
        print(f"{frames:>11,} frames  {frames / spent:>6,.0f}/s without the evaluations")


def check(a: Arguments) -> None:
    """Refuse what would go wrong only later.

    Raises
    ------
    ValueError
        An argument is out of range.
    """
    for name in (
        "envs",
        "steps",
        "minibatch",
        "epochs",
        "hidden",
        "eval_every",
        "eval_games",
        "threads",
    ):
        if getattr(a, name) < 1:
            raise ValueError(f"--{name.replace('_', '-')} must be at least 1")
    if a.steps < (n_players := Rules.from_yaml(a.rules).n_players):
        raise ValueError(f"--steps must be at least {n_players}, so that a seat decides again")


def report(learned: Learned, a: Arguments, seconds: float) -> None:
    """Evaluate, and tell how it went, with Wilson's 95% interval."""
    found = evaluate(learned.network, a)
    print(f"{seconds:>9,.0f} s  against {a.eval_opponent}: {found}", flush=True)


def main() -> int:
    """Run the command line; returns the exit status."""
    try:
        return train(tyro.cli(Arguments, description=__doc__))
    except (ValueError, OSError) as error:
        print(f"error: {error}")
        return 1


if __name__ == "__main__":
    end_quietly()
    sys.exit(main())
