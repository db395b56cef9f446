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
from itertools import product
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from carc_env.engine.core.codes import N_ROTATIONS
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import global_names, plane_names
from carc_env.layout.rule_globals import rule_names, rule_numbers
from carc_env.layout.turning import turned_names
from carc_env.rules import Layout, Rules

from .config import NetworkConfig, Precision

BYTES_TO_ONE = 1 / 16
"""Factor for planes that count points; all other planes are 0, 1 or 2."""
MAX_LENSES = 1024
"""Most lenses that a network remembers; for a layout, there is usually one for all rules."""
NAMED = 5
"""Most unknown words that an error message names."""
NEAR = 9
"""Number of cells in a 3x3 neighbourhood."""
WIDER = 4
"""Features per placement in "turned", as a multiple of the features per cell."""


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
        return self.row_at[self.spots[:, None] + steps_around(self.rim)[0].to(self.places.device)]

    def mean(self, rows: Tensor, which: Tensor) -> Tensor:
        """Return each board's mean over the selected rows, float32 (B, C); 0 if it has none.

        ``which`` (N,) is 1 for selected rows, otherwise 0.
        """
        sums = rows.new_zeros(self.n_boards, rows.shape[1], dtype=torch.float32)
        sums = sums.index_add(0, self.boards, rows.float() * which[:, None])
        counts = which.new_zeros(self.n_boards).index_add(0, self.boards, which)
        return sums / counts.clamp(min=1)[:, None]


@lru_cache(maxsize=8)
def steps_around(rim: int) -> Tensor:
    """Return the offsets from a spot to its 3x3 neighbourhood, int64 (4, 9), by tile rotation.

    For a tile rotated clockwise by one quarter, the offset that pointed north points east, and so
    on.
    """
    steps = []
    for turns in range(N_ROTATIONS):
        for y, x in product((-1, 0, 1), repeat=2):
            for _ in range(turns):
                y, x = x, -y
            steps.append(y * rim + x)
    return torch.tensor(steps).view(N_ROTATIONS, NEAR)


@dataclass
class Placements:
    """Possible placements of the tile in hand."""

    rows: Tensor
    """int64 (K,): the rows of the placements' cells."""
    turns: Tensor
    """int64 (K,): the rotations."""

    def joined(self, rows: Tensor) -> Placements:
        """Return the placements followed by an upright one for each of ``rows``."""
        return Placements(
            torch.cat((self.rows, rows)), torch.cat((self.turns, torch.zeros_like(rows)))
        )

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


class _Convolution(torch.autograd.Function):
    """A 3x3 convolution over rows, with ``weight`` (9 * C, D) ordered by neighbour.

    The gradient is a convolution with reversed neighbours, which again only looks up rows; torch's
    own gradient would add the rows up one by one.
    """

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor, near: Tensor) -> Tensor:
        around = _look_up(rows, near)
        ctx.save_for_backward(around, weight, near)
        return around @ weight

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        around, weight, near = ctx.saved_tensors
        turned = weight.unflatten(0, (NEAR, -1)).flip(0).transpose(1, 2).flatten(0, 1)
        return _look_up(gradient, near) @ turned, around.T @ gradient, None


def _look_up(rows: Tensor, near: Tensor) -> Tensor:
    """Return each row's neighbourhood, concatenated: (N, 9 * C)."""
    none = rows.new_zeros(1, rows.shape[1])
    found = torch.cat((none, rows)).index_select(0, near.flatten())
    return found.view(len(near), NEAR * rows.shape[1])


class Convolution(nn.Module):
    """A 3x3 convolution over rows; zero cells count as 0."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        inside = nn.Conv2d(channels, channels, 3)  # torch's initialization
        self.weight = nn.Parameter(inside.weight.detach().permute(2, 3, 1, 0).flatten(0, 2).clone())
        self.bias = nn.Parameter(inside.bias.detach().clone())  # type: ignore[union-attr]

    def forward(self, rows: Tensor, cells: Cells) -> Tensor:
        """Return a tensor of the same shape as ``rows``."""
        weight, bias = self.weight.to(rows.dtype), self.bias.to(rows.dtype)
        out: Tensor = _Convolution.apply(rows, weight, cells.near)  # type: ignore[no-untyped-call]
        return out + bias


# Extractors: from rows to rows.


class Light(nn.Module):
    """A few convolutions; trains fast on a CPU."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Convolution(config.channels) for _ in range(config.blocks))

    def forward(self, rows: Tensor, cells: Cells) -> Tensor:
        """Return a tensor of the same shape as ``rows``."""
        for layer in self.layers:
            rows = torch.relu(layer(rows, cells))
        return rows


class ResidualBlock(nn.Module):
    """Two convolutions of the normalized input, added to the input."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(channels)
        self.first, self.second = Convolution(channels), Convolution(channels)

    def forward(self, rows: Tensor, cells: Cells) -> Tensor:
        """Return a tensor of the same shape as ``rows``."""
        inside = self.norm(rows).to(rows.dtype)
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


class Turned(nn.Module):
    """A convolution around each tile placement, rotated so that the tile is upright.

    What the network learns about a tile in one rotation applies to all four. The last tile placed
    is treated as if it could be placed again.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        width = WIDER * config.channels
        self.first = nn.Linear(NEAR * config.channels, width)
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(config.blocks - 1))

    def forward(self, rows: Tensor, cells: Cells, placements: Placements, shift: Tensor) -> Tensor:
        """Return features of the placements, (K, 4 * C).

        Parameters
        ----------
        rows : Tensor
            (N, 4 * C): each cell's features in each rotation.
        cells : Cells
            Places of the rows.
        placements : Placements
            The placements in question.
        shift : Tensor
            (K, 4 * C): added before the first nonlinearity.
        """
        turns = placements.turns
        steps = steps_around(cells.rim).to(rows.device).index_select(0, turns)
        near = cells.row_at[cells.spots.index_select(0, placements.rows)[:, None] + steps]
        none = rows.new_zeros(1, rows.shape[1])
        found = torch.cat((none, rows)).view(N_ROTATIONS * (len(rows) + 1), -1)
        around = found.index_select(0, (near * N_ROTATIONS + turns[:, None]).flatten())
        out = self.first(around.view(len(turns), self.first.in_features)) + shift
        for layer in self.layers:
            out = layer(torch.relu(out))
        return torch.relu(out)


EXTRACTORS: dict[str, type[Light | Residual | Turned]] = {
    "light": Light,
    "turned": Turned,
    "residual": Residual,
}


BY_WORD = {
    "told.weight": ("numbers", 1),
    "cells.weight": ("planes", 1),
    "figure_head.weight": ("actions", 0),
    "figure_head.bias": ("actions", 0),
}
"""Parameters with one row or column per word: the kind of words and the axis."""


class Network(nn.Module):
    """Computes the logits of all actions and the value of an observation.

    Parameters
    ----------
    rules : Rules or sequence of Rules
        The rules to learn. If they share a layout, the network knows everything in it.
    config : NetworkConfig
        Kind and size of the extractor.
    precision : {"float32", "bfloat16"}
        Precision of computations; parameters and results are float32.
    words : Words, optional
        The planes, globals and actions that the network knows. Default: those of the rules.
    """

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        config: NetworkConfig,
        precision: Precision = "float32",
        words: Words | None = None,
    ) -> None:
        super().__init__()
        self.precision = precision
        self.rules = (rules,) if isinstance(rules, Rules) else tuple(rules)
        self.words = words or Words.of(self.rules)
        self._lenses: dict[Any, Lens] = {}
        self._lens = self.lens(self.rules[0])
        channels, hidden = config.channels, config.hidden
        scale = [BYTES_TO_ONE if name.startswith("worth") else 1.0 for name in self.words.planes]
        self.scale: Tensor
        self.register_buffer("scale", torch.tensor(scale), persistent=False)
        self.is_turned = config.extractor == "turned"
        self.turned: Tensor
        self.register_buffer(
            "turned", torch.from_numpy(turned_names(self.words.planes)), persistent=False
        )
        width, n_logits = (WIDER * channels, 1) if self.is_turned else (channels, N_ROTATIONS)
        self.told = nn.Linear(len(self.words.numbers), hidden)
        self.cells = nn.Linear(len(self.words.planes), channels, bias=False)
        self.shift = nn.Linear(hidden, width)
        self.extractor = EXTRACTORS[config.extractor](config)
        self.hand = nn.Linear(hidden, width)
        self.tile_head = nn.Linear(width, n_logits)
        self.policy_vector = nn.Linear(hidden + channels + width, hidden)
        self.figure_head = nn.Linear(hidden, len(self.words.actions))
        self.value_vector = nn.Linear(hidden + channels + width, hidden)
        self.value_head = nn.Linear(hidden, 1)
        for head in (self.tile_head, self.figure_head):  # start close to uniformly random play
            for parameter in head.parameters():
                nn.init.normal_(parameter, std=0.001)
        nn.init.ones_(self.hand.bias)

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
        kind, is_short = numbers.device.type, self.precision == "bfloat16"
        with torch.autocast(kind, torch.bfloat16, enabled=is_short):
            told = self._told(numbers, lens)
            look = self._turned if self.is_turned else self._cell_by_cell
            planes = shown.to(torch.bfloat16 if is_short else torch.float32)
            tiles, mean, last = look(told, planes, cells, placements, lens)
            vector = torch.cat((told, mean.to(told.dtype), last.to(told.dtype)), 1)
            weight = _some(self.figure_head.weight, lens.actions, 0)
            bias = _some(self.figure_head.bias, lens.actions, 0)
            figures = functional.linear(torch.relu(self.policy_vector(vector)), weight, bias)
            values = self.value_head(torch.relu(self.value_vector(vector)))
        at = places.index_select(0, placements.rows) * N_ROTATIONS + placements.turns
        all_tiles = board.new_zeros(len(numbers) * width**2 * N_ROTATIONS, dtype=torch.float32)
        all_tiles = all_tiles.index_copy(0, at, tiles.float())
        return torch.cat((all_tiles.view(len(numbers), -1), figures.float()), 1), values.float()

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

    def _turned(
        self, told: Tensor, shown: Tensor, cells: Cells, placements: Placements, lens: Lens
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Like ``_cell_by_cell`` with rotated neighbourhoods; features (B, C), (B, 4 * C)."""
        weight = (self.cells.weight * self.scale)[:, self.turned].transpose(0, 1).flatten(0, 1)
        rows = torch.relu(functional.linear(shown, _some(weight, lens.planes, 1)))
        n, placed = len(placements.rows), shown[:, lens.last_tile].nonzero()[:, 0]
        both = placements.joined(placed)
        boards = cells.boards.index_select(0, both.rows)
        shift = self.shift(told).index_select(0, boards)
        found = self.extractor(rows, cells, both, shift)
        gate = self.hand(told).index_select(0, boards[:n])
        tiles = self.tile_head(found[:n] * gate)[:, 0]
        last = found.new_zeros(cells.n_boards, found.shape[1]).index_copy(0, boards[n:], found[n:])
        upright = rows[:, : self.cells.out_features]
        mean = cells.mean(upright, shown[:, lens.occupied].float())
        return tiles, mean, last

    @torch.no_grad()
    def adopt(self, other: Network) -> None:
        """Copy the parameters of a network of the same kind, matching words by name.

        Parameters that only this network has stay unchanged.
        """
        state = other.state_dict()
        for name, (kind, axis) in BY_WORD.items():
            places = {word: k for k, word in enumerate(getattr(other.words, kind))}
            words = getattr(self.words, kind)
            here = [k for k, word in enumerate(words) if word in places]
            there = torch.tensor([places[words[k]] for k in here])
            known, own = state[name].index_select(axis, there), self.get_parameter(name)
            at = torch.tensor(here, device=own.device)
            state[name] = own.index_copy(axis, at, known.to(own.device))
        self.load_state_dict(state)

    @torch.no_grad()
    def cool(self, temperature: float) -> None:
        """Divide all logits by a temperature; below 1, the first choices become more probable."""
        for head in (self.tile_head, self.figure_head):
            for parameter in head.parameters():
                parameter.div_(temperature)

    def forget_value(self) -> None:
        """Reset the value to 0, for a new target."""
        for parameter in self.value_head.parameters():
            nn.init.zeros_(parameter)

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
