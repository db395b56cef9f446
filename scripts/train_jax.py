"""Training in plain JAX: a jitted policy plays many games and learns by advantage actor-critic.

    python scripts/train_jax.py                       learn against random, then evaluate
    python scripts/train_jax.py --loop callback       the same games, stepped in jax.lax.scan
    python scripts/train_jax.py --speed               steps per second of both loops
    python scripts/train_jax.py --speed --write       write these into docs/jax.md

This script is meant to be read and copied: it saves no checkpoints and evaluates only once, at the
end. Requires the ``jax`` extra.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import tyro
from carc_env.agents import make_agent, play_match
from jax.experimental import io_callback
from numpy.typing import NDArray

from carc_env import Rules, Table
from carc_env.envs.rewards import Projected
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import board_shape, global_names

PAGE = Path(__file__).resolve().parents[1] / "docs/jax.md"
_FIGURES = re.compile(r"(<!-- figures of train_jax.py -->\n).*?(<!-- end of figures -->)", re.S)

Weights = dict[str, jax.Array]


@dataclass(frozen=True)
class Settings:
    """Settings of a run."""

    total_steps: int = 300_000
    """Number of decisions by the learner."""
    n_envs: int = 128
    """Games in parallel."""
    n_steps: int = 16
    """Steps per game between updates."""
    view: int = 20
    """Width of the view."""
    channels: int = 24
    """Network features per cell."""
    learning_rate: float = 1e-3
    gamma: float = 0.98
    entropy_weight: float = 0.01
    opponents: str = "random"
    """Agent in the other seat."""
    loop: Literal["put", "callback"] = "put"
    """How games are stepped: between calls of the policy, or inside ``jax.lax.scan``."""
    seed: int = 0
    eval_games: int = 200
    """Number of games in the final evaluation."""
    speed: bool = False
    """Measure both loops instead of training."""
    write: bool = False
    """Write the measurements into docs/jax.md."""


class Seen(NamedTuple):
    """The input of a policy, one row per game."""

    board: Any
    """uint8 (N, view * view * planes), cell by cell."""
    globals: Any
    """float32 (N, globals)."""
    mask: Any
    """int8 (N, actions), 1 where an action is legal."""


class Step(NamedTuple):
    """One step of all games, for learning."""

    seen: Seen
    action: Any
    reward: Any
    ended: Any


# The network: a convolution over cells, which gives the placement logits.


def new_weights(rules: Rules, channels: int, key: jax.Array) -> Weights:
    """Return random initial weights; the last layers begin near zero."""
    n_planes, n_globals = board_shape(rules)[0], len(global_names(rules))
    n_rest = action_layout(rules).n_actions - 4 * rules.view**2
    shapes = {
        "planes": (n_planes, channels),
        "around": (3, 3, channels, channels),
        "globals": (n_globals, channels),
        "place": (channels, 4),
        "rest": (2 * channels, n_rest),
        "value": (2 * channels, 1),
    }
    scale = {"place": 0.1, "rest": 0.1, "value": 0.1}
    keys = jax.random.split(key, len(shapes))
    return {
        name: scale.get(name, 1.0) * jax.random.normal(k, shape) / np.sqrt(np.prod(shape[:-1]))
        for (name, shape), k in zip(shapes.items(), keys, strict=True)
    }


def forward(weights: Weights, seen: Seen) -> tuple[jax.Array, jax.Array]:
    """Return logits (N, actions), with those of illegal actions at -1e9, and values (N,)."""
    n_planes = len(weights["planes"])
    view = int(np.sqrt(seen.board.shape[-1] // n_planes))
    board = jnp.asarray(seen.board).reshape(-1, view, view, n_planes).astype(jnp.float32)
    board = jnp.minimum(board, 8.0)  # planes that count points reach 255
    numbers = seen.globals @ weights["globals"]
    cells = jax.nn.relu(board @ weights["planes"])
    cells += jax.lax.conv_general_dilated(
        cells, weights["around"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    cells = jax.nn.relu(cells + numbers[:, None, None])
    whole = jnp.concatenate([jax.nn.relu(numbers), cells.mean((1, 2))], axis=1)
    placements = (cells @ weights["place"]).reshape(len(board), -1)  # 4 * cell + rotation
    logits = jnp.concatenate([placements, whole @ weights["rest"]], axis=1)
    return jnp.where(seen.mask == 1, logits, -1e9), (whole @ weights["value"])[:, 0]


@jax.jit
def choose(weights: Weights, seen: Seen, key: jax.Array) -> jax.Array:
    """Return an action for each game, drawn from the policy."""
    return jax.random.categorical(key, forward(weights, seen)[0])


@jax.jit
def draw(weights: Weights, seen: Seen, key: jax.Array) -> jax.Array:
    """Return a random legal action per game, to measure a step's cost without a network."""
    return jax.random.categorical(key, jnp.where(seen.mask == 1, 0.0, -1e9))


Policy = Callable[[Weights, Seen, jax.Array], jax.Array]


# The two loops. Both play the same games.


class Games:
    """Many games played by a policy; each step overwrites the buffers in ``seen``."""

    def __init__(self, settings: Settings, rules: Rules) -> None:
        self.envs: Any = gymnasium.make_vec(
            "carc_env/Carcassonne-v1",
            num_envs=settings.n_envs,
            rules=rules,
            opponents=settings.opponents,
            reward=Projected(rival_weight=0.3),
            autoreset_mode="SameStep",
        )
        observations, info = self.envs.reset(seed=settings.seed)
        self.seen = Seen(observations["board"], observations["globals"], info["action_mask"])

    def step(self, actions: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Apply an action in each game; return the rewards and which games have ended."""
        observations, rewards, ended, _, info = self.envs.step(actions)
        self.seen = Seen(observations["board"], observations["globals"], info["action_mask"])
        return 0.1 * rewards.astype(np.float32), ended


def copied(seen: Seen) -> Seen:
    """Return copies, since JAX may still read a buffer while it is overwritten."""
    return Seen(*(array.copy() for array in seen))


class PutLoop:
    """Steps games from Python and puts the whole rollout onto the device at once."""

    def __init__(self, games: Games, n_steps: int, policy: Policy = choose) -> None:
        self.games, self.policy = games, policy
        seen = [np.empty((n_steps, *array.shape), array.dtype) for array in games.seen]
        n = len(games.seen.mask)
        self.kept = Step(
            Seen(*seen),
            np.empty((n_steps, n), np.int32),
            np.empty((n_steps, n), np.float32),
            np.empty((n_steps, n), np.bool_),
        )

    def rollout(self, weights: Weights, key: jax.Array) -> tuple[Step, Seen]:
        """Play; return the steps (T, N, ...) and the input that follows them."""
        kept = self.kept
        for t, k in enumerate(jax.random.split(key, len(kept.action))):
            for rows, array in zip(kept.seen, self.games.seen, strict=True):
                rows[t] = array
            row = Seen(*(rows[t] for rows in kept.seen))
            kept.action[t] = self.policy(weights, row, k)  # waits until the policy has decided
            kept.reward[t], kept.ended[t] = self.games.step(kept.action[t])
        return jax.tree.map(jnp.array, (kept, self.games.seen))  # `array` copies, `asarray` may not


class CallbackLoop:
    """Steps games inside a compiled loop that calls back into Python."""

    def __init__(self, games: Games, n_steps: int, policy: Policy = choose) -> None:
        self.games = games
        n = len(games.seen.mask)
        shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), games.seen)
        result = (
            shapes,
            jax.ShapeDtypeStruct((n,), np.float32),
            jax.ShapeDtypeStruct((n,), np.bool_),
        )

        def step(actions: Any) -> Any:
            rewards, ended = games.step(np.asarray(actions))
            return copied(games.seen), rewards, ended

        @jax.jit
        def rollout(weights: Weights, seen: Seen, key: jax.Array) -> tuple[Step, Seen]:
            def one(seen: Seen, k: jax.Array) -> tuple[Seen, Step]:
                action = policy(weights, seen, k)
                after, reward, ended = io_callback(step, result, action, ordered=True)
                return after, Step(seen, action, reward, ended)

            seen, steps = jax.lax.scan(one, seen, jax.random.split(key, n_steps))
            return steps, seen

        self._rollout = rollout

    def rollout(self, weights: Weights, key: jax.Array) -> tuple[Step, Seen]:
        """Play; return the steps (T, N, ...) and the input that follows them."""
        return self._rollout(weights, copied(self.games.seen), key)


LOOPS = {"put": PutLoop, "callback": CallbackLoop}


# Learning: advantage actor-critic, and Adam.


def loss_of(weights: Weights, steps: Step, after: Seen, settings: Settings) -> jax.Array:
    """Return the loss of a rollout."""
    flat = jax.tree.map(lambda a: a.reshape(-1, *a.shape[2:]), steps.seen)
    logits, values = forward(weights, flat)
    values = values.reshape(steps.reward.shape)
    last = jax.lax.stop_gradient(forward(weights, after)[1])

    def back(following: jax.Array, step: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, Any]:
        reward, ended = step
        found = reward + settings.gamma * jnp.where(ended, 0.0, following)
        return found, found

    _, returns = jax.lax.scan(back, last, (steps.reward, steps.ended), reverse=True)
    log_chances = jax.nn.log_softmax(logits)
    taken = jnp.take_along_axis(log_chances, steps.action.reshape(-1, 1), axis=1)[:, 0]
    ahead = jax.lax.stop_gradient(returns - values).reshape(-1)
    ahead = (ahead - ahead.mean()) / (ahead.std() + 1e-6)
    entropy = -(jnp.exp(log_chances) * log_chances).sum(axis=1)
    policy = -(taken * ahead).mean() - settings.entropy_weight * entropy.mean()
    return policy + 0.5 * ((returns - values) ** 2).mean()


class Adam(NamedTuple):
    """Weights with the moments of their gradients."""

    weights: Weights
    mean: Weights
    square: Weights
    n: jax.Array


def new_adam(weights: Weights) -> Adam:
    """Return Adam's state before the first update."""
    zero = jax.tree.map(jnp.zeros_like, weights)
    return Adam(weights, zero, zero, jnp.zeros((), jnp.int32))


@partial(jax.jit, static_argnames="settings")
def update(adam: Adam, steps: Step, after: Seen, settings: Settings) -> tuple[Adam, jax.Array]:
    """Take one gradient step on a rollout; return the new state and the loss."""
    loss, slope = jax.value_and_grad(loss_of)(adam.weights, steps, after, settings)
    norm = jnp.sqrt(sum(jnp.sum(s**2) for s in slope.values()))
    slope = jax.tree.map(lambda s: s / jnp.maximum(1.0, 2.0 * norm), slope)
    n = adam.n + 1
    mean = jax.tree.map(lambda m, s: 0.9 * m + 0.1 * s, adam.mean, slope)
    square = jax.tree.map(lambda v, s: 0.999 * v + 0.001 * s**2, adam.square, slope)
    rate = settings.learning_rate * jnp.sqrt(1 - 0.999**n) / (1 - 0.9**n)
    weights = jax.tree.map(
        lambda w, m, v: w - rate * m / (jnp.sqrt(v) + 1e-8), adam.weights, mean, square
    )
    return Adam(weights, mean, square, n), loss


class JaxAgent:
    """An agent for matches and tournaments that plays the most likely action."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.logits = jax.jit(lambda seen: forward(weights, seen)[0])

    def act(self, table: Table) -> int:
        """Return the action for one table."""
        return self.act_many([table])[0]

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """Return the actions for many tables, using one forward pass."""
        found = [table.observe() for table in tables]
        seen = Seen(
            np.stack([f["board"].transpose(1, 2, 0).reshape(-1) for f in found]),
            np.stack([f["globals"] for f in found]),
            np.stack([table.action_mask() for table in tables]),
        )
        return [int(action) for action in self.logits(seen).argmax(axis=1)]


def train(settings: Settings) -> Weights:
    """Train and print progress; return the weights."""
    rules = Rules(view=settings.view)
    key, first = jax.random.split(jax.random.key(settings.seed))
    adam = new_adam(new_weights(rules, settings.channels, first))
    loop = LOOPS[settings.loop](Games(settings, rules), settings.n_steps)
    n_updates = settings.total_steps // (settings.n_envs * settings.n_steps)
    began = time.perf_counter()
    for k in range(1, n_updates + 1):
        key, drawn = jax.random.split(key)
        steps, after = loop.rollout(adam.weights, drawn)
        adam, loss = update(adam, steps, after, settings)
        if k == n_updates or k % max(1, n_updates // 10) == 0:
            n = k * settings.n_envs * settings.n_steps
            speed = n / (time.perf_counter() - began)
            print(f"{n:9,} steps  {speed:7,.0f} a second  loss {float(loss):.3f}", flush=True)
    loop.games.envs.close()
    return adam.weights


def speeds(settings: Settings, n_rollouts: int = 8) -> list[tuple[str, str, float]]:
    """Measure both loops' steps per second, with and without a network."""
    rules = Rules(view=settings.view)
    weights = new_weights(rules, settings.channels, jax.random.key(settings.seed))
    found = []
    for policy, chooses in ((choose, "the network draws"), (draw, "equal chances")):
        for name, kind in LOOPS.items():
            loop = kind(Games(settings, rules), settings.n_steps, policy)
            seconds = []
            for k in range(n_rollouts + 1):
                began = time.perf_counter()
                jax.block_until_ready(loop.rollout(weights, jax.random.key(k)))
                seconds.append(time.perf_counter() - began)
            found.append(
                (name, chooses, settings.n_envs * settings.n_steps / np.median(seconds[1:]))
            )
            loop.games.envs.close()
    return found


def main(settings: Settings) -> None:
    """Train and evaluate, or measure."""
    if settings.speed:
        lines = ["| loop | actions | steps/s |", "| --- | --- | --: |"]
        for name, chooses, speed in speeds(settings):
            lines.append(f"| `{name}` | {chooses} | {float(f'{speed:.2g}'):,.0f} |")
        about = f"JAX {jax.__version__} on {jax.default_backend()}, {settings.n_envs} games."
        table = "\n".join([*lines, "", about, ""])
        print(table)
        if settings.write:
            text = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(_FIGURES.sub(rf"\1{table}\2", text), encoding="utf-8")
        return
    agent = JaxAgent(train(settings))
    rules = Rules(view=settings.view)
    names = ["learned", settings.opponents]
    players = [agent, make_agent(settings.opponents)]
    match = play_match(players, names, rules, settings.eval_games)
    rate = match.standings[0].win_rate
    print(f"{rate.value:.1%} ({rate.low:.1%}-{rate.high:.1%}) won against {settings.opponents}")


if __name__ == "__main__":
    main(tyro.cli(Settings))
