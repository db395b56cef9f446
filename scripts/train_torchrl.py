"""PPO with TorchRL: its wrappers, rollouts and losses with the Gymnasium environment.

    python scripts/train_torchrl.py --decisions 20000

This is the shortest way into TorchRL, not to a strong agent: one game at a time, and a small
network. Needs the ``train`` extra.
"""

import argparse

from carc_env.agents.cpu import prepare_cpu

if __name__ == "__main__":
    prepare_cpu()  # before torch is imported

import gymnasium
import torch
from carc_env.agents import make_agent, play_match
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from carc_env import Rules

RULES = Rules(view=16)
SEEN = ["board", "globals"]


def make_env(seed, opponent="random"):
    """Return an environment with the mask in the observation, where TorchRL expects it."""
    game = gymnasium.make(
        "carc_env/Carcassonne-v1", rules=RULES, opponents=opponent, reward="margin",
        observe_mask=True, disable_env_checker=True,
    )  # fmt: skip
    env = TransformedEnv(GymWrapper(game, categorical_action_encoding=True), ActionMask())
    env.set_seed(seed)
    return env


class Network(nn.Module):
    """Computes outputs from the cells of the board and the globals."""

    def __init__(self, n_planes, n_globals, n_out):
        super().__init__()
        self.cells = nn.Linear(n_planes, 16)
        self.inside = nn.Linear(16 * RULES.view**2 + n_globals, 64)
        self.out = nn.Linear(64, n_out)

    def forward(self, board, numbers, *mask):
        """Return the outputs, followed by the mask as booleans if there is one."""
        cells = board.unflatten(-1, (RULES.view**2, -1)).float()
        cells = torch.relu(self.cells(cells)).flatten(-2)
        out = self.out(torch.relu(self.inside(torch.cat((cells, numbers), -1))))
        return (out, mask[0].bool()) if mask else out


class Agent:
    """Plays the most probable actions."""

    def __init__(self, network):
        self.network = network

    @torch.no_grad()
    def act(self, table):
        """Return an action for a table."""
        seen = table.observe()
        board = torch.from_numpy(seen["board"]).permute(1, 2, 0).flatten()
        logits = self.network(board, torch.from_numpy(seen["globals"]))
        legal = table.legal_actions()
        return legal[int(logits[legal].argmax())]


def main(arguments=None):
    """Learn, then play against the opponent; return the win rate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=20_000)
    parser.add_argument("--batch", type=int, default=1_024)
    parser.add_argument("--seed", type=int, default=0)
    a = parser.parse_args(arguments)
    torch.manual_seed(a.seed)
    env = make_env(a.seed)
    n_globals, n_actions = env.observation_spec["globals"].shape[-1], env.action_spec.space.n
    n_planes = env.observation_spec["board"].shape[-1] // RULES.view**2
    policy, value = (Network(n_planes, n_globals, n) for n in (n_actions, 1))
    actor = ProbabilisticActor(
        TensorDictModule(policy, in_keys=[*SEEN, "action_mask"], out_keys=["logits", "mask"]),
        in_keys=["logits", "mask"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(value, in_keys=SEEN)
    advantage = GAE(gamma=0.98, lmbda=0.9, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.005, normalize_advantage=True)
    adam = torch.optim.Adam(loss.parameters(), 1e-3)
    for done in range(0, a.decisions, a.batch):
        with torch.no_grad():
            data = env.rollout(a.batch, actor, break_when_any_done=False)
            data["next", "reward"] = data["next", "reward"] / 10
            advantage(data)
        for rows in torch.randperm(len(data)).split(256):
            found = loss(data[rows])
            adam.zero_grad()
            (found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]).backward()
            adam.step()
        print(
            f"{done + len(data):>7,} decisions, reward {data['next', 'reward'].mean().item():.3f}"
        )
    players = [Agent(policy), make_agent("random")]
    match = play_match(players, ["torchrl", "random"], RULES, 40, seed=1)
    print(f"{match.standings[0].win_rate.value:.0%} of 40 games won against random")
    return match.standings[0].win_rate.value


if __name__ == "__main__":
    main()
