r"""Networks over nonzero cells: one output per cell; the remaining outputs come from a vector.

About 40 of the 400 cells in a view are nonzero: they contain a tile, or the tile in hand fits
there. Only these are computed, as one list of rows for all observations in a batch. An *extractor*
turns them into features. The heads of :class:`Network` then compute the logits of tile placements
from the rows, with the same weights at every cell, and those of figure actions, along with the
value, from a vector for the whole game::

    board (B, W, W, planes) --> rows (N, planes) --> extractor --> rows (N, C) --> tile logits
    globals (B, G) --> told (B, H) --------->                 \->  vector (B, D) -> figures, value

No layer depends on the width of the view. Inputs and outputs are matched by name (:class:`Words`),
so one network can play under several rules, and can be initialized from a network that was trained
on fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from carc_env.engine.core.codes import N_ROTATIONS
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import global_names, plane_names
from carc_env.layout.rule_globals import rule_names, rule_numbers
from carc_env.rules import Layout, Rules

BYTES_TO_ONE = 1 / 16
"""Factor for planes that count points; all other planes are 0, 1 or 2."""
MAX_LENSES = 1024
"""Most lenses that a network remembers; for a layout, there is usually one for all rules."""
NAMED = 5
"""Most unknown words that an error message names."""
MAX_SIZE = 4096
"""Most features, blocks or hidden units."""


@dataclass(frozen=True)
class NetworkConfig:
    """Size of the network.

    Raises
    ------
    ValueError
        There is no such network; earlier versions had other extractors.
    """

    extractor: str = "residual"
    channels: int = 64
    """Features per cell."""
    blocks: int = 2
    """Number of residual blocks."""
    hidden: int = 256
    """Width of the layers after the extractor."""

    def __post_init__(self) -> None:
        if self.extractor != "residual":
            raise ValueError(
                f"networks with the extractor {self.extractor!r} only play in carc_env 0.2.0; the "
                "recipes maskable_ppo and ppo train new ones"
            )
        sizes = self.channels, self.blocks, self.hidden
        if not all(type(size) is int and 1 <= size <= MAX_SIZE for size in sizes):
            raise ValueError(f"sizes must be integers from 1 to {MAX_SIZE}, got {sizes}")


# Inputs and outputs, by name.


@dataclass(frozen=True)
class Words:
    """Names of planes, globals, and actions that place no tile."""

    planes: tuple[str, ...]
    numbers: tuple[str, ...]
    actions: tuple[str, ...]

    @classmethod
    def of(cls, rules: Iterable[Rules]) -> Self:
        """Return all names that occur under any of the rules, in their layouts."""
        found = [_words_in(one.layout or one) for one in rules]
        return cls(*(_united(getattr(one, f.name) for one in found) for f in fields(cls)))

    def lacks(self, other: Words) -> list[str]:
        """Return the names among the other words that are not among these, actions first."""
        kinds = [f.name for f in reversed(fields(self))]
        pairs = [({*getattr(self, kind)}, getattr(other, kind)) for kind in kinds]
        return [name for known, names in pairs for name in names if name not in known]


def _united(kinds: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return (*dict.fromkeys(name for names in kinds for name in names),)


@lru_cache(maxsize=64)
def _words_in(form: Layout | Rules) -> Words:
    """Return the names in a shared layout, or in the layout of rules that share none."""
    rules = form if isinstance(form, Rules) else form.covers[0].replace(layout=form)
    layout = action_layout(rules)
    others = (run for title, run in layout.blocks.items() if title != "tile")
    names = (layout.name(run.first + k) for run in others for k in range(run.size))
    return Words(plane_names(rules), global_names(rules), (*names,))


@dataclass(frozen=True)
class Part:
    """Places of names among a network's words, for rows or columns of its parameters."""

    places: Tensor
    is_known: Tensor | None
    """1 for names among the words, otherwise 0; None if all are."""

    @classmethod
    def of(cls, names: Sequence[str], words: Sequence[str]) -> Self | None:
        """Return where the names are; None if they are the words."""
        if names == words:
            return None
        index = {word: k for k, word in enumerate(words)}
        known = [float(name in index) for name in names]
        places = torch.tensor([index.get(name, 0) for name in names])
        return cls(places, None if all(known) else torch.tensor(known))

    def of_parameter(self, parameter: Tensor, axis: int) -> Tensor:
        """Return the rows or columns, which are 0 for names that are not among the words."""
        found = parameter.index_select(axis, self.places.to(parameter.device))
        if self.is_known is None:
            return found
        shape = [1] * axis + [-1] + [1] * (parameter.dim() - axis - 1)
        return found * self.is_known.to(parameter.device).view(shape)


@dataclass(frozen=True, eq=False)
class Lens:
    """The mapping between a network and observations in one layout."""

    board_shape: tuple[int, int, int]
    occupied: int
    last_tile: int
    first_candidate: int
    """Index of the first candidate plane; the planes for the four rotations are consecutive."""
    planes: Part | None
    """The planes among the network's words; None if they are identical."""
    numbers: Part | None
    actions: Part | None
    told: tuple[Tensor, Tensor] | None
    """Indices and values of globals that the network knows and observations lack, if any."""

    @classmethod
    def of(cls, rules: Rules, words: Words, told: Mapping[str, float]) -> Self:
        """Return the lens for a network with these words.

        Parameters
        ----------
        rules : Rules
            Rules with the layout of the observations.
        words : Words
            The network's words.
        told : mapping of str to float
            Values of globals that observations lack; all others are 0.
        """
        own = _words_in(rules.layout or rules)
        where = torch.tensor([words.numbers.index(name) for name in told])
        return cls(
            (rules.view, rules.view, len(own.planes)),
            own.planes.index("occupied"),
            own.planes.index("last tile"),
            own.planes.index("candidate r0"),
            Part.of(own.planes, words.planes),
            Part.of(own.numbers, words.numbers),
            Part.of(own.actions, words.actions),
            (where, torch.tensor([*told.values()])) if told else None,
        )


# Nonzero cells, as rows.


@dataclass
class Cells:
    """The places of a batch's rows."""

    places: Tensor
    """int64 (N,): place of each row among all cells of all boards, in order."""
    boards: Tensor
    """int64 (N,): the board of each row."""
    n_boards: int
    width: int

    @classmethod
    def of(cls, places: Tensor, n_boards: int, width: int) -> Self:
        """Return the cells at ``places`` on ``n_boards`` boards."""
        return cls(places, places // (width * width), n_boards, width)

    @cached_property
    def spots(self) -> Tensor:
        """int64 (N,): places of the rows when each board is padded with a frame of zero cells."""
        y, x = (self.places // self.width) % self.width, self.places % self.width
        return (self.boards * self.rim + y + 1) * self.rim + x + 1

    @property
    def rim(self) -> int:
        """Side length of a board with its frame, in cells."""
        return self.width + 2

    @cached_property
    def row_at(self) -> Tensor:
        """int64 (n_boards * rim * rim,): the row at each spot, counted from 1; 0: none."""
        rows = self.places.new_zeros(self.n_boards * self.rim**2)
        rows[self.spots] = torch.arange(1, len(self.places) + 1, device=rows.device)
        return rows

    @cached_property
    def near(self) -> Tensor:
        """int64 (N, 9): each row's neighbours, north-west first, counted from 1; 0: none."""
        steps = torch.arange(-1, 2, device=self.places.device)
        around = (self.rim * steps[:, None] + steps).flatten()
        return self.row_at[self.spots[:, None] + around]

    def mean(self, rows: Tensor, which: Tensor) -> Tensor:
        """Return each board's mean over the selected rows, float32 (B, C); 0 if it has none.

        ``which`` (N,) is 1 for selected rows, otherwise 0.
        """
        sums = rows.new_zeros(self.n_boards, rows.shape[1], dtype=torch.float32)
        sums = sums.index_add(0, self.boards, rows.float() * which[:, None])
        counts = which.new_zeros(self.n_boards).index_add(0, self.boards, which)
        return sums / counts.clamp(min=1)[:, None]


@dataclass
class Placements:
    """Possible placements of the tile in hand."""

    rows: Tensor
    """int64 (K,): the rows of the placements' cells."""
    turns: Tensor
    """int64 (K,): the rotations."""

    @classmethod
    def shown(cls, shown: Tensor, lens: Lens) -> Self:
        """Return all placements that the candidate planes show, ordered by cell."""
        first = lens.first_candidate
        rows, turns = shown[:, first : first + N_ROTATIONS].nonzero().unbind(1)
        return cls(rows, turns)


def shows(cells: Tensor) -> Tensor:
    """Return whether each row of bytes has a nonzero one, checking eight at a time if possible."""
    if cells.shape[1] % 8 == 0 and cells.is_contiguous():
        cells = cells.view(torch.int64)
    return cells.any(1)


class Convolution(nn.Module):
    """A 3x3 convolution over rows; zero cells count as 0."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        inside = nn.Conv2d(channels, channels, 3)  # torch's initialization
        self.weight = nn.Parameter(inside.weight.detach().permute(2, 3, 1, 0).flatten(0, 2).clone())
        self.bias = nn.Parameter(inside.bias.detach().clone())  # type: ignore[union-attr]

    def forward(self, rows: Tensor, cells: Cells) -> Tensor:
        """Return a tensor of the same shape as ``rows``."""
        none = rows.new_zeros(1, rows.shape[1])
        found = torch.cat((none, rows)).index_select(0, cells.near.flatten())
        return found.view(len(cells.near), len(self.weight)) @ self.weight + self.bias


# Extractors: from rows to rows.


class ResidualBlock(nn.Module):
    """Two convolutions of the normalized input, added to the input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.first, self.second = Convolution(channels), Convolution(channels)

    def forward(self, rows: Tensor, cells: Cells) -> Tensor:
        """Return a tensor of the same shape as ``rows``."""
        inside = self.norm(rows)
        change: Tensor = self.second(torch.relu(self.first(inside, cells)), cells)
        return rows + change


class Residual(nn.Module):
    """Residual blocks; meant for a GPU."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(ResidualBlock(config.channels) for _ in range(config.blocks))

    def forward(self, rows: Tensor, cells: Cells) -> Tensor:
        """Return a tensor of the same shape as ``rows``."""
        for block in self.blocks:
            rows = block(rows, cells)
        return rows


class Network(nn.Module):
    """Computes the logits of all actions and the value of an observation.

    Parameters
    ----------
    rules : Rules or sequence of Rules
        The rules to learn. If they share a layout, the network knows everything in it.
    config : NetworkConfig
        Size of the extractor.
    words : Words, optional
        The planes, globals and actions that the network knows. Default: those of the rules.
    """

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        config: NetworkConfig,
        words: Words | None = None,
    ) -> None:
        super().__init__()
        self.rules = (rules,) if isinstance(rules, Rules) else tuple(rules)
        self.words = words or Words.of(self.rules)
        self._lenses: dict[Any, Lens] = {}
        self._lens = self.lens(self.rules[0])
        channels, hidden = config.channels, config.hidden
        scale = [BYTES_TO_ONE if name.startswith("worth") else 1.0 for name in self.words.planes]
        self.scale: Tensor
        self.register_buffer("scale", torch.tensor(scale), persistent=False)
        self.told = nn.Linear(len(self.words.numbers), hidden)
        self.cells = nn.Linear(len(self.words.planes), channels, bias=False)
        self.shift = nn.Linear(hidden, channels)
        self.extractor = Residual(config)
        self.hand = nn.Linear(hidden, channels)
        self.tile_head = nn.Linear(channels, N_ROTATIONS)
        self.policy_vector = nn.Linear(hidden + channels + channels, hidden)
        self.figure_head = nn.Linear(hidden, len(self.words.actions))
        self.value_vector = nn.Linear(hidden + channels + channels, hidden)
        self.value_head = nn.Linear(hidden, 1)

    def lens(self, rules: Rules) -> Lens:
        """Return the network's lens for games under the given rules.

        The network plays all rules whose planes, globals and actions are among its words. Rules in
        a shared layout usually have the same lens, so their games can be in one batch.

        Raises
        ------
        ValueError
            The network does not know something in these rules.
        """
        if rules not in self._lenses:
            if len(self._lenses) > MAX_LENSES:
                self._lenses.clear()
            own = _words_in(rules.layout or rules)
            is_known = own == self.words or not self.words.lacks(own)
            if not is_known and (lacking := self.words.lacks(_words_in(rules.plain))):
                more = f" and {len(lacking) - NAMED} more" if len(lacking) > NAMED else ""
                raise ValueError(
                    f"the network was not made for {', '.join(lacking[:NAMED])}{more}, which "
                    "these rules have"
                )
            told = self._untold(rules, own)
            key = rules.layout or rules, *told.items()
            if key not in self._lenses:
                self._lenses[key] = Lens.of(rules, self.words, told)
            self._lenses[rules] = self._lenses[key]
        return self._lenses[rules]

    def _untold(self, rules: Rules, own: Words) -> dict[str, float]:
        """Return what the network's globals say about the rules and their own layout does not."""
        if rules.layout is not None and not rules.layout.shows_rules:
            return {}
        found: dict[str, float] = {}
        for layout in {one.layout for one in self.rules} - {None, rules.layout}:
            assert layout is not None
            here = rules.replace(layout=layout)
            found |= zip(rule_names(layout), rule_numbers(here), strict=True)
        if not found:
            return {}
        wanted = ({*self.words.numbers} - {*own.numbers}) & found.keys()
        return {name: found[name] for name in sorted(wanted) if found[name]}

    def forward(
        self, board: Tensor, numbers: Tensor, lens: Lens | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return logits (B, actions) and values (B, 1).

        Parameters
        ----------
        board : Tensor
            uint8, shape (B, W, W, planes) or flat, (B, W * W * planes).
        numbers : Tensor
            The globals, float32, shape (B, G).
        lens : Lens, optional
            The lens for the games. Default: that of the network's first rules.
        """
        lens = lens or self._lens
        width, _, n_planes = lens.board_shape
        board = board.reshape(-1, n_planes)
        places = shows(board).nonzero()[:, 0]
        shown = board.index_select(0, places)
        cells, placements = Cells.of(places, len(numbers), width), Placements.shown(shown, lens)
        told = self._told(numbers, lens)
        tiles, mean, last = self._cell_by_cell(told, shown.float(), cells, placements, lens)
        vector = torch.cat((told, mean, last), 1)
        weight = _some(self.figure_head.weight, lens.actions, 0)
        bias = _some(self.figure_head.bias, lens.actions, 0)
        figures = functional.linear(torch.relu(self.policy_vector(vector)), weight, bias)
        values = self.value_head(torch.relu(self.value_vector(vector)))
        at = places.index_select(0, placements.rows) * N_ROTATIONS + placements.turns
        all_tiles = board.new_zeros(len(numbers) * width**2 * N_ROTATIONS, dtype=torch.float32)
        all_tiles = all_tiles.index_copy(0, at, tiles)
        return torch.cat((all_tiles.view(len(numbers), -1), figures), 1), values

    def _cell_by_cell(
        self, told: Tensor, shown: Tensor, cells: Cells, placements: Placements, lens: Lens
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return placement logits, and features of the board and the last tile, (B, C) each."""
        rows = functional.linear(shown, _some(self.cells.weight * self.scale, lens.planes, 1))
        rows = torch.relu(rows + self.shift(told).index_select(0, cells.boards))
        rows = self.extractor(rows, cells)
        gate = self.hand(told).index_select(0, cells.boards)  # depends on the tile in hand
        found = self.tile_head(rows * gate)
        tiles = found.flatten().index_select(0, placements.rows * N_ROTATIONS + placements.turns)
        mean = cells.mean(rows, shown[:, lens.occupied].float())
        last = cells.mean(rows, shown[:, lens.last_tile].float())
        return tiles, mean, last

    def _told(self, numbers: Tensor, lens: Lens) -> Tensor:
        """Return the features of the globals, (B, hidden)."""
        weight = _some(self.told.weight, lens.numbers, 1)
        bias: Tensor = self.told.bias
        if lens.told is not None:
            places, values = (part.to(bias.device) for part in lens.told)
            bias = bias + self.told.weight.index_select(1, places) @ values
        return torch.relu(functional.linear(numbers, weight, bias))


def _some(parameter: Tensor, part: Part | None, axis: int) -> Tensor:
    """Return a part's rows or columns of a parameter, or all of them."""
    return parameter if part is None else part.of_parameter(parameter, axis)
