"""Networks compute only nonzero cells, and match their inputs and outputs by name."""

import warnings
from dataclasses import asdict, fields, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from carc_env.agents import make_agent  # noqa: E402
from carc_env.agents.checkpoint import Arrays, CheckpointError, write_checkpoint  # noqa: E402
from carc_env.agents.network_agent import (  # noqa: E402
    NETWORK,
    SHIPPED,
    WORDS,
    NetworkAgent,
    network_in,
    shipped,
    words_as_arrays,
)
from carc_env.agents.networks import (  # noqa: E402
    Cells,
    Convolution,
    Network,
    NetworkConfig,
    Words,
)
from torch import Tensor  # noqa: E402

from carc_env.game.table import Table  # noqa: E402
from carc_env.layout.actions import action_layout  # noqa: E402
from carc_env.layout.encodings import Planes  # noqa: E402
from carc_env.layout.observations import plane_names  # noqa: E402
from carc_env.layout.turning import turned_names  # noqa: E402
from carc_env.rules import Layout, Rules  # noqa: E402
from tests.soak import random_rules  # noqa: E402

BASE = Rules(view=16)
MAYOR = Rules.preset("abbey-mayor", view=16)
LYING = MAYOR.replace(sets=(*MAYOR.sets, "monasteries"))
CONFIG = NetworkConfig(channels=8, blocks=2, hidden=12)


def seen_in(rules: Rules, n: int) -> tuple[Tensor, Tensor]:
    """Return what the deciders of a game observe, for every tenth decision."""
    table = Table(rules, seed=5)
    encoding = Planes(rules, flat_board=True)
    boards, numbers = [], []
    for k in range(10 * n):
        if k % 10 == 0:
            seen = table.observe(encoding=encoding)
            boards.append(seen["board"].copy())
            numbers.append(seen["globals"].copy())
        table.step(table.legal_actions()[k % 3 % len(table.legal_actions())])
    return torch.from_numpy(np.stack(boards)), torch.from_numpy(np.stack(numbers))


def network_for(rules: Rules | list[Rules], *, seed: int = 0) -> Network:
    """Return a small network whose untrained heads have clear preferences."""
    torch.manual_seed(seed)
    network = Network(rules, CONFIG)
    for head in (network.tile_head, network.figure_head):
        torch.nn.init.normal_(head.weight)
    return network.eval()


def test_a_convolution_is_that_of_torch_where_something_shows() -> None:
    torch.manual_seed(0)
    dense = torch.randn(3, 7, 7, 5, dtype=torch.float64)
    dense[torch.rand(3, 7, 7) < 0.5] = 0
    places = dense.flatten(0, 2).any(1).nonzero()[:, 0]
    cells = Cells.of(places, 3, 7)
    layer = Convolution(5).double()
    found = layer(dense.flatten(0, 2)[places], cells)

    kernel = layer.weight.detach().view(3, 3, 5, 5).permute(3, 2, 0, 1)
    board = dense.permute(0, 3, 1, 2)
    expected = torch.nn.functional.conv2d(board, kernel, layer.bias, padding=1)
    expected = expected.permute(0, 2, 3, 1).flatten(0, 2)[places]
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("rules", [BASE, Rules.preset("all", n_players=3)])
def test_planes_turn_by_their_names(rules: Rules) -> None:
    """Two quarter turns are a half turn, four change nothing, and sides move clockwise."""
    names = plane_names(rules)
    none, quarter, half, three = turned_names(names)
    assert none.tolist() == list(range(len(names)))
    assert (quarter[quarter] == half).all() and (half[quarter] == three).all()
    assert (three[quarter] == none).all()
    seen = {name: names[quarter[k]] for k, name in enumerate(names)}
    # After a clockwise turn of the board, its east shows what its north showed before.
    assert seen["city E"] == "city N" and seen["leads Ne 1"] == "leads Wn 1"
    assert seen["link ES"] == "link NE" and seen["candidate r0"] == "candidate r3"
    assert seen["meeple 0"] == "meeple 0"


def test_an_answer_depends_on_its_own_board_alone() -> None:
    network = network_for(BASE)
    board, numbers = seen_in(BASE, 6)
    logits, values = network(board, numbers)
    assert logits.std() > 0
    for k in (0, 3, 5):
        alone = network(board[k : k + 1], numbers[k : k + 1])
        torch.testing.assert_close(alone[0][0], logits[k])
        torch.testing.assert_close(alone[1][0], values[k])


def test_a_board_that_shows_nothing_has_an_answer() -> None:
    network = network_for(BASE)
    board, numbers = seen_in(BASE, 2)
    logits, values = network(torch.zeros_like(board), numbers)
    assert torch.isfinite(logits).all() and torch.isfinite(values).all()


def test_a_network_for_several_rules_plays_each() -> None:
    both = network_for([MAYOR, BASE])
    assert set(both.words.planes) == {*Words.of([BASE]).planes, *Words.of([MAYOR]).planes}
    for rules in (BASE, MAYOR):
        logits, _ = both(*seen_in(rules, 3), both.lens(rules))
        assert logits.shape[1] == Table(rules, seed=1).layout.n_actions and logits.std() > 0


def test_rules_with_unknown_words_are_refused() -> None:
    said = r"was not made for mayor N, .* and \d+ more, which these"
    with pytest.raises(ValueError, match=said):
        network_for(BASE).lens(MAYOR)


# Layouts that games under different rules share.

KINDS = (BASE, MAYOR, Rules.preset("inns", n_players=3, view=16), BASE.replace(deck_size=30))
SHARED = Layout(*KINDS)
WIDER = Layout(*KINDS, Rules.preset("tower", n_players=4, view=16))
HIDING = Layout(*KINDS, shows_rules=False)


def answers(network: Network, table: Table) -> dict[str, float]:
    """Return the logits of the legal actions at a table, by name, and the value."""
    seen = table.observe(encoding=Planes(table.rules, flat_board=True))
    with torch.no_grad():
        logits, value = network(
            torch.from_numpy(seen["board"])[None],
            torch.from_numpy(seen["globals"])[None],
            network.lens(table.rules),
        )
    found = {table.layout.name(a): float(logits[0, a]) for a in table.legal_actions()}
    return {**found, "value": float(value)}


def compare(network: Network, rules: Rules, *layouts: Layout | None) -> list[dict[str, float]]:
    """Return a network's answers at every seventh decision; check that all layouts agree."""
    tables = [Table(rules.replace(layout=layout), seed=4) for layout in layouts]
    found = []
    for k in range(100):
        if tables[0].is_over:
            break
        if k % 7 == 0:
            first, *others = (answers(network, table) for table in tables)
            for one in others:
                assert one == pytest.approx(first, abs=1e-4)
            found.append(first)
        legal = sorted(tables[0].legal_actions())
        name = tables[0].layout.name(legal[-1 - k % 3 % min(2, len(legal))])
        for table in tables:
            table.step(table.layout.index(name))
    assert len(found) > 3
    return found


@pytest.mark.parametrize("rules", KINDS)
def test_a_network_of_a_layout_plays_its_rules_in_any(rules: Rules) -> None:
    """If the observations do not show the rules, the network takes them from its lens."""
    network = network_for(rules.replace(layout=SHARED))
    compare(network, rules, SHARED, None, WIDER)


def test_a_network_of_some_rules_plays_them_in_a_layout_of_more() -> None:
    compare(network_for(MAYOR), MAYOR, None, SHARED, WIDER, HIDING)
    compare(network_for([BASE, MAYOR]), BASE, None, SHARED, WIDER, HIDING)
    with pytest.raises(ValueError, match="was not made for mayor N"):
        network_for(BASE).lens(MAYOR.replace(layout=SHARED))


def test_a_network_of_everything_plays_any_rules_in_their_own_layout() -> None:
    layout, random = Layout.everything((2, 3, 4), view=16), Random(1)
    network = network_for(BASE.replace(layout=layout))
    for _ in range(12):
        n_players = random.choice((2, 3, 4))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about switches without tiles
            rules = random_rules(random).replace(view=16, n_players=n_players, deck_size=None)
            compare(network, rules, None, layout)


def test_a_figure_on_a_tower_looks_the_same_in_every_layout() -> None:
    """The shared layout also allows the Phantom on towers, but these rules do not have it."""
    rules = Rules.preset("tower", view=16)
    layout = Layout(rules, rules.replace(phantom=True))
    plain, shared = (Table(rules.replace(layout=own), seed=2) for own in (None, layout))
    n_seen, random = 0, Random(4)
    while not plain.is_over:
        boards = [table.observe(encoding=Planes(table.rules))["board"] for table in (plain, shared)]
        names = [plane_names(table.rules) for table in (plain, shared)]
        tops = [board[own.index("top")] for board, own in zip(boards, names, strict=True)]
        np.testing.assert_array_equal(*tops)
        n_seen += bool(tops[0].any())
        legal = [plain.layout.name(action) for action in plain.legal_actions()]
        first = [name for name in legal if name.startswith("top")]
        name = random.choice(first or legal)
        for table in (plain, shared):
            table.step(table.layout.index(name))
    assert n_seen > 10


def test_what_the_rules_say_counts_in_every_layout() -> None:
    """The network answers differently to the same position under different rules."""
    network = network_for(BASE.replace(layout=SHARED))
    tables = [Table(rules, seed=1) for rules in (BASE, BASE.replace(small_city_points=2))]
    first, other = (answers(network, table) for table in tables)
    assert first != pytest.approx(other, abs=1e-4)
    assert network.lens(BASE.replace(layout=HIDING)).told is None
    hidden = Table(BASE.replace(layout=HIDING), seed=1)
    assert answers(network, hidden) != pytest.approx(first, abs=1e-4)


def test_games_in_a_layout_share_a_lens() -> None:
    network = network_for(BASE.replace(layout=SHARED))
    lenses = {network.lens(rules.replace(layout=SHARED)) for rules in KINDS}
    assert len(lenses) == 1
    (lens,) = lenses
    assert (lens.planes, lens.numbers, lens.actions, lens.told) == (None, None, None, None)


def test_an_agent_plays_tables_under_many_rules_at_once(tmp_path: Path) -> None:
    network = network_for(BASE.replace(layout=SHARED))
    write_checkpoint(tmp_path / "a.ckpt", *stored(network))
    agent = NetworkAgent.load(tmp_path / "a.ckpt", MAYOR)
    tables = [
        Table(rules.replace(layout=layout, view=16), seed=k)
        for k, (rules, layout) in enumerate(product(KINDS, (None, SHARED, WIDER)))
    ]
    tables += [Table(BASE.replace(view=20), seed=3)]
    for _ in range(8):
        actions = agent.act_many(tables)
        assert actions == [NetworkAgent(network, t.rules).act(t) for t in tables]
        for table, action in zip(tables, actions, strict=True):
            table.step(action)
    with pytest.raises(ValueError, match="was not made for remove 0,0 N"):
        agent.act(Table(Rules.preset("tower"), seed=1))
    with pytest.raises(
        CheckpointError, match=r"a\.ckpt: the network was not made for remove 0,0 N"
    ):
        NetworkAgent.load(tmp_path / "a.ckpt", Rules.preset("tower"))


def test_a_network_of_one_view_plays_any() -> None:
    """A larger view shows the same board with a wider margin, so its cells have other numbers."""
    narrow, table = (Table(Rules(view=view), seed=3) for view in (16, 20))
    small, large = (make_agent("imitation", one.rules) for one in (narrow, table))

    def moved(on: Table, action: int, by: int = 0) -> object:
        choice = on.layout.choice(action)
        cell = choice.cell and (choice.cell[0] + by, choice.cell[1] + by)
        return replace(choice, cell=cell)

    n, n_same = 0, 0
    while not narrow.is_over and len(table.legal_actions()) == len(narrow.legal_actions()):
        chosen, other = small.act(narrow), large.act(table)
        alike = [a for a in table.legal_actions() if moved(table, a, -2) == moved(narrow, chosen)]
        n, n_same = n + 1, n_same + (alike == [other])
        narrow.step(chosen)
        table.step(alike[0])
    assert n > 15 and n_same > 0.9 * n


# Checkpoints, including those of earlier versions.


def test_the_name_of_the_network_is_that_of_its_file() -> None:
    assert [SHIPPED] == [path.stem for path in shipped().parent.glob("*.ckpt")]


def stored(network: Network) -> tuple[dict[str, Any], Arrays]:
    """Return the metadata and the arrays of a network's checkpoint."""
    rules = [one.to_dict() for one in network.rules]
    arrays = {NETWORK + name: part.numpy() for name, part in network.state_dict().items()}
    meta = {"rules": rules, "network": asdict(CONFIG)}
    return meta, arrays | words_as_arrays(network.words)


def in_places(network: Network) -> tuple[list[dict[int, str]], Arrays]:
    """Return a network as in earlier versions: action names by row for each ruleset, and arrays."""
    rows: dict[tuple[str, int], int] = {}
    named = []
    for rules in network.rules:
        layout = action_layout(rules)
        runs = [run for run in layout.blocks.values() if run.name != "tile"]
        named.append(
            {
                rows.setdefault((run.name, k), len(rows)): layout.name(run.first + k)
                for run in runs
                for k in range(run.size)
            }
        )
    arrays = {k: v for k, v in stored(network)[1].items() if not k.startswith(WORDS)}
    random = np.random.default_rng(0)
    for part in ("weight", "bias"):
        shape = (len(rows), *arrays[f"network/figure_head.{part}"].shape[1:])
        arrays[f"network/figure_head.{part}"] = random.normal(size=shape).astype(np.float32)
    return named, arrays


@pytest.mark.parametrize("kinds", [[MAYOR, LYING], [LYING, MAYOR, BASE]])
def test_networks_of_earlier_versions_play_as_before(kinds: list[Rules], tmp_path: Path) -> None:
    """Their rows are positions in blocks, which mean different actions under different rules."""
    network = network_for(kinds)
    named, arrays = in_places(network)
    meta, _ = stored(network)
    write_checkpoint(tmp_path / "a.ckpt", meta, arrays)
    n_moved = 0
    for rules, names in zip(kinds, named, strict=True):
        found, _ = network_in(tmp_path / "a.ckpt", rules)
        index = {name: k for k, name in enumerate(found.words.actions)}
        for part in ("weight", "bias"):
            own = found.get_parameter(f"figure_head.{part}").detach().numpy()
            for row, name in names.items():
                before = arrays[f"network/figure_head.{part}"][row]
                assert np.array_equal(own[index[name]], before), name
        n_moved += sum(index[name] != row for row, name in names.items())
    assert n_moved > 0


def test_networks_of_earlier_versions_for_one_game_play(tmp_path: Path) -> None:
    network = network_for(MAYOR)
    meta, arrays = stored(network)
    arrays = {name: array for name, array in arrays.items() if not name.startswith(WORDS)}
    write_checkpoint(tmp_path / "a.ckpt", {**meta, "rules": meta["rules"][0]}, arrays)
    same, _ = network_in(tmp_path / "a.ckpt", MAYOR)
    assert same.words == network.words
    for name, value in network.state_dict().items():
        assert torch.equal(value, same.state_dict()[name]), name


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"extractor": "light"}, "the extractor 'light' only play in carc_env 0.2.0"),
        ({"channels": 0}, r"not valid here: sizes must be integers from 1 to 4096, got \(0, "),
        ({"width": 8}, "not valid here: .*'width'"),
        ({"channels": 4}, r"parameter 'cells.weight' is float32 \(8, \d+\), not float32 \(4, "),
        ({"blocks": 1}, "parameters do not match the network"),
    ],
)
def test_networks_of_another_kind_are_refused(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    meta, arrays = stored(network_for(BASE))
    meta["network"] |= changed
    write_checkpoint(tmp_path / "a.ckpt", meta, arrays)
    with pytest.raises(CheckpointError, match=said):
        network_in(tmp_path / "a.ckpt")


def test_tables_of_other_rules_are_refused(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "a.ckpt", *stored(network_for(BASE)))
    with pytest.raises(CheckpointError, match="the network was not made for turn 2"):
        NetworkAgent.load(tmp_path / "a.ckpt", BASE.replace(n_players=3))
    agent = NetworkAgent.load(tmp_path / "a.ckpt")
    with pytest.raises(ValueError, match="the network was not made for turn 2"):
        agent.act(Table(BASE.replace(n_players=3), seed=0))


def test_a_checkpoint_knows_its_own_words(tmp_path: Path) -> None:
    """The network plays the same even if a later version changes or reorders the globals."""
    network = network_for(BASE)
    words = Words(*(getattr(network.words, f.name)[::-1] for f in fields(Words)))
    meta, arrays = stored(network)
    for name, (kind, axis) in {
        "told.weight": ("numbers", 1),
        "cells.weight": ("planes", 1),
        "figure_head.weight": ("actions", 0),
        "figure_head.bias": ("actions", 0),
    }.items():
        order = [getattr(network.words, kind).index(word) for word in getattr(words, kind)]
        arrays[NETWORK + name] = arrays[NETWORK + name].take(order, axis)
    write_checkpoint(tmp_path / "a.ckpt", meta, arrays | words_as_arrays(words))
    found, _ = network_in(tmp_path / "a.ckpt")
    assert found.words == words != network.words
    compared = [answers(one, Table(BASE, seed=1)) for one in (network, found)]
    assert compared[0] == pytest.approx(compared[1], abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("planes", "occupied", "not valid here"),
        ("actions", "pass\npass", "its network has a word twice"),
        ("numbers", "\xff", "its network's words are not valid"),
    ],
)
def test_words_that_are_none_are_refused(kind: str, text: str, said: str, tmp_path: Path) -> None:
    meta, arrays = stored(network_for(BASE))
    arrays[WORDS + kind] = np.frombuffer(text.encode("latin1"), np.uint8)
    write_checkpoint(tmp_path / "a.ckpt", meta, arrays)
    with pytest.raises(CheckpointError, match=said):
        network_in(tmp_path / "a.ckpt")
