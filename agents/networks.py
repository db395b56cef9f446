r"""Networks over planes and globals: an answer for every cell off a map, the rest off a vector.

An *extractor* turns an observation into a map, one feature vector for each cell of the view, and a
vector for the whole game. The heads of :class:`Network` read the tile placements off the map, the
same weights at every cell, and the figure actions and the value off the vector::

    board (B, W, W, planes) --> extractor --> map (B, C, W, W) --> tile logits (B, W * W * 4)
    globals (B, G) ----------->             \->  vector (B, D) ----> figure logits, value

No layer knows how wide the view is.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from carc_env.engine.core.codes import N_ROTATIONS
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import global_names, plane_names
from carc_env.rules import Rules

from .config import NetworkConfig

BYTES_TO_ONE = 1 / 16
"""Planes that count points are divided by 16; all others are 0, 1 or 2."""


class Stem(nn.Module):
    """The first layer: every cell by itself, shifted by what is in hand and on the clock.

    ``board`` (B, W, W, planes) in uint8 and ``globals`` (B, G) to (B, channels, W, W), which keeps
    the channels of a cell together in memory, as the board does.
    """

    def __init__(self, rules: Rules, channels: int) -> None:
        super().__init__()
        names = plane_names(rules)
        scale = [BYTES_TO_ONE if name.startswith("worth") else 1.0 for name in names]
        self.scale: Tensor
        self.register_buffer("scale", torch.tensor(scale), persistent=False)
        self.cells = nn.Linear(len(names), channels)
        self.shift = nn.Linear(len(global_names(rules)), channels, bias=False)

    def forward(self, board: Tensor, numbers: Tensor) -> Tensor:
        """The features of every cell."""
        weight = self.cells.weight * self.scale  # cheaper than to scale the board
        shift = self.shift(numbers) + self.cells.bias
        cells = torch.matmul(board.float(), weight.T) + shift[:, None, None]
        return torch.relu(cells).permute(0, 3, 1, 2)


class LightExtractor(nn.Module):
    """A first layer cell by cell, then 3x3 convolutions; trains quickly on a CPU."""

    def __init__(self, rules: Rules, config: NetworkConfig) -> None:
        super().__init__()
        channels = config.channels
        self.stem = Stem(rules, channels)
        self.convolutions = nn.ModuleList(
            nn.Conv2d(channels, channels, 3, padding=1) for _ in range(config.blocks)
        )

    def forward(self, board: Tensor, numbers: Tensor) -> Tensor:
        """The map, shape (B, channels, W, W)."""
        cells: Tensor = self.stem(board, numbers)
        for convolution in self.convolutions:
            cells = torch.relu(convolution(cells))
        return cells


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions, normalised, added to what came in."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        groups = max(g for g in range(1, 9) if channels % g == 0)
        self.layers = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.GroupNorm(groups, channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.GroupNorm(groups, channels),
        )

    def forward(self, cells: Tensor) -> Tensor:
        """Same shape as ``cells``."""
        return torch.relu(cells + self.layers(cells))


class ConvExtractor(nn.Module):
    """A first layer cell by cell, then residual blocks; meant for a GPU."""

    def __init__(self, rules: Rules, config: NetworkConfig) -> None:
        super().__init__()
        self.stem = Stem(rules, config.channels)
        self.blocks = nn.Sequential(*(ResidualBlock(config.channels) for _ in range(config.blocks)))

    def forward(self, board: Tensor, numbers: Tensor) -> Tensor:
        """The map, shape (B, channels, W, W)."""
        cells: Tensor = self.blocks(self.stem(board, numbers))
        return cells


EXTRACTORS: dict[str, type[LightExtractor] | type[ConvExtractor]] = {
    "light": LightExtractor,
    "cnn": ConvExtractor,
}


class Network(nn.Module):
    """Logits of all actions and the value of an observation, under given rules.

    Parameters
    ----------
    rules : Rules
        Decides the planes, the globals and the action layout.
    config : NetworkConfig
        Which extractor, and how large.
    """

    def __init__(self, rules: Rules, config: NetworkConfig) -> None:
        super().__init__()
        names = plane_names(rules)
        self.board_shape = rules.view, rules.view, len(names)
        self.occupied, self.last_tile = names.index("occupied"), names.index("last tile")
        layout = action_layout(rules)
        n_figure_actions = layout.n_actions - layout.blocks["tile"].size
        n_globals = len(global_names(rules))
        channels, hidden = config.channels, config.hidden
        self.extractor = EXTRACTORS[config.extractor](rules, config)
        self.hand = nn.Linear(n_globals, channels)
        self.tile_head = nn.Conv2d(channels, N_ROTATIONS, 1)
        self.policy_vector = nn.Linear(n_globals + 2 * channels, hidden)
        self.figure_head = nn.Linear(hidden, n_figure_actions)
        self.value_vector = nn.Linear(n_globals + 2 * channels, hidden)
        self.value_head = nn.Linear(hidden, 1)
        for head in (self.tile_head, self.figure_head):  # begin close to uniformly random play
            for parameter in head.parameters():
                nn.init.normal_(parameter, std=0.001)
        nn.init.zeros_(self.hand.weight)
        nn.init.ones_(self.hand.bias)

    def forward(self, board: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, actions) and values (B, 1).

        Parameters
        ----------
        board : Tensor
            uint8, shape (B, W, W, planes) or flat, (B, W * W * planes).
        numbers : Tensor
            The globals, float32, shape (B, G).
        """
        board = board.view(-1, *self.board_shape)
        cells = self.extractor(board, numbers)
        gate = self.hand(numbers)[:, :, None, None]  # what counts depends on the tile in hand
        tile_logits = self.tile_head(cells * gate).permute(0, 2, 3, 1).flatten(1)
        where = board[..., [self.occupied, self.last_tile]].flatten(1, 2).float()
        sums = torch.matmul(cells.flatten(2), where)
        mean = sums[:, :, 0] / where[:, :, 0].sum(1, keepdim=True).clamp(min=1)
        vector = torch.cat((numbers, mean, sums[:, :, 1]), 1)
        figure_logits = self.figure_head(torch.relu(self.policy_vector(vector)))
        values = self.value_head(torch.relu(self.value_vector(vector)))
        return torch.cat((tile_logits, figure_logits), 1), values
