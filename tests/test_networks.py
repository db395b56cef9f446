"""Networks compute the cells that show something, and go by the names of what is seen and asked."""

import warnings
from dataclasses import fields
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from carc_env.agents.checkpoint import Arrays, CheckpointError, write_checkpoint  # noqa: E402
from carc_env.agents.config import NetworkConfig  # noqa: E402
from carc_env.agents.learned import network_arrays  # noqa: E402
from carc_env.agents.network_agent import (  # noqa: E402
    WORDS,
    NetworkAgent,
    load_network,
    network_in,
)
from carc_env.agents.networks import (  # noqa: E402
    BY_WORD,
    EXTRACTORS,
    Cells,
    Convolution,
    Network,
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
CONFIG = NetworkConfig("light", channels=8, blocks=2, hidden=12)


def seen_in(rules: Rules, n: int) -> tuple[Tensor, Tensor]:
    """What the deciders of a game see, every tenth decision."""
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


def network_for(rules: Rules | list[Rules], extractor: str = "light", *, seed: int = 0) -> Network:
    """A small network whose heads say something from the beginning."""
    torch.manual_seed(seed)
    network = Network(rules, NetworkConfig(extractor, channels=8, blocks=2, hidden=12))  # type: ignore[arg-type]
    for head in (network.tile_head, network.figure_head):
        torch.nn.init.normal_(head.weight)
    return network.eval()


def test_a_convolution_is_that_of_torch_where_something_shows() -> None:
    """Forward and backward, beside a dense convolution of boards that are 0 elsewhere."""
    torch.manual_seed(0)
    dense = torch.randn(3, 7, 7, 5, dtype=torch.float64)
    dense[torch.rand(3, 7, 7) < 0.5] = 0
    places = dense.flatten(0, 2).any(1).nonzero()[:, 0]
    cells = Cells.of(places, 3, 7)
    layer = Convolution(5).double()
    rows = dense.flatten(0, 2)[places].requires_grad_()
    found = layer(rows, cells)

    kernel = layer.weight.detach().view(3, 3, 5, 5).permute(3, 2, 0, 1).clone().requires_grad_()
    board = dense.permute(0, 3, 1, 2).clone().requires_grad_()
    expected = torch.nn.functional.conv2d(board, kernel, layer.bias, padding=1)
    expected = expected.permute(0, 2, 3, 1).flatten(0, 2)[places]
    torch.testing.assert_close(found, expected)

    pull = torch.randn_like(found)
    (found * pull).sum().backward()
    (expected * pull).sum().backward()
    assert rows.grad is not None and board.grad is not None and kernel.grad is not None
    torch.testing.assert_close(rows.grad, board.grad.permute(0, 2, 3, 1).flatten(0, 2)[places])
    by_neighbour = kernel.grad.permute(2, 3, 1, 0).flatten(0, 2)
    torch.testing.assert_close(layer.weight.grad, by_neighbour)


@pytest.mark.parametrize("rules", [BASE, Rules.preset("all", n_players=3)])
def test_planes_turn_by_their_names(rules: Rules) -> None:
    """A quarter twice is a half, four quarters are nothing, and sides go round clockwise."""
    names = plane_names(rules)
    none, quarter, half, three = turned_names(names)
    assert none.tolist() == list(range(len(names)))
    assert (quarter[quarter] == half).all() and (half[quarter] == three).all()
    assert (three[quarter] == none).all()
    seen = {name: names[quarter[k]] for k, name in enumerate(names)}
    # To whoever is turned clockwise the east lies in front.
    assert seen["city E"] == "city N" and seen["leads Ne 1"] == "leads Wn 1"
    assert seen["link ES"] == "link NE" and seen["candidate r0"] == "candidate r3"
    assert seen["meeple 0"] == "meeple 0"


def test_a_board_that_is_turned_gets_the_same_answers_turned() -> None:
    network = network_for(BASE, "turned")
    board, numbers = seen_in(BASE, 6)
    board = board.view(-1, *network.lens(BASE).board_shape)
    clockwise = torch.rot90(board, -1, (1, 2))[..., turned_names(network.words.planes)[1]]
    (tiles, figures), (found, others) = (
        network(seen, numbers)[0].tensor_split([BASE.view**2 * 4], 1) for seen in (board, clockwise)
    )
    wanted = torch.rot90(tiles.view(-1, BASE.view, BASE.view, 4), -1, (1, 2)).roll(1, 3)
    assert wanted.count_nonzero() > 20
    torch.testing.assert_close(found, wanted.flatten(1))
    # Figures stand on the tile as it lies.
    assert (figures - others).abs().max() > 1e-3


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_an_answer_depends_on_its_own_board_alone(extractor: str) -> None:
    network = network_for(BASE, extractor)
    board, numbers = seen_in(BASE, 6)
    logits, values = network(board, numbers)
    assert logits.std() > 0
    for k in (0, 3, 5):
        alone = network(board[k : k + 1], numbers[k : k + 1])
        torch.testing.assert_close(alone[0][0], logits[k])
        torch.testing.assert_close(alone[1][0], values[k])


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_every_part_of_a_network_learns(extractor: str) -> None:
    """The gradient of something that depends on all of it reaches all of it."""
    network = network_for(BASE, extractor)
    board, numbers = seen_in(BASE, 6)
    logits, values = network(board, numbers)
    (logits.square().sum() + values.sum()).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_a_board_that_shows_nothing_has_an_answer(extractor: str) -> None:
    network = network_for(BASE, extractor)
    board, numbers = seen_in(BASE, 2)
    logits, values = network(torch.zeros_like(board), numbers)
    assert torch.isfinite(logits).all() and torch.isfinite(values).all()


def test_a_network_for_several_rules_plays_each() -> None:
    """What it does under the rules of fewer sets is what a network of those words alone does."""
    both, base = network_for([MAYOR, BASE]), network_for(BASE, seed=1)
    assert set(both.words.planes) == {*Words.of([BASE]).planes, *Words.of([MAYOR]).planes}
    base.adopt(both)
    for rules, alone in ((BASE, base), (MAYOR, None)):
        board, numbers = seen_in(rules, 3)
        logits, values = both(board, numbers, both.lens(rules))
        assert logits.shape[1] == Table(rules, seed=1).layout.n_actions
        if alone is not None:
            torch.testing.assert_close(alone(board, numbers)[0], logits)
            torch.testing.assert_close(alone(board, numbers)[1], values)


def test_what_a_network_takes_over_goes_by_name() -> None:
    """From the base game to more sets: known words are copied, new ones stay as they begin."""
    small, large = network_for(BASE), network_for(MAYOR, seed=1)
    begun = {name: value.clone() for name, value in large.state_dict().items()}
    large.adopt(small)
    for name, value in large.state_dict().items():
        if name not in BY_WORD:
            assert torch.equal(value, small.state_dict()[name]), name
    for name, (kind, axis) in BY_WORD.items():
        old, new = getattr(small.words, kind), getattr(large.words, kind)
        before, now = small.state_dict()[name], large.state_dict()[name]
        for k, word in enumerate(new):
            is_known = word in old
            source = (
                before.select(axis, old.index(word)) if is_known else begun[name].select(axis, k)
            )
            assert torch.equal(now.select(axis, k), source), word
    assert {"wagon N", "meeple N"} <= set(large.words.actions)


def test_an_action_is_known_by_its_name_wherever_it_is_in_its_block() -> None:
    """With German Monasteries, wagons have more places to move to, so all have other numbers."""
    small, large = network_for(MAYOR), network_for(LYING, seed=1)
    before = action_layout(MAYOR), action_layout(LYING)
    place, other = (layout.blocks["wagon move"].first + 13 for layout in before)
    assert before[0].name(place) != before[1].name(other)
    large.adopt(small)
    for name in small.words.actions:
        rows = (n.figure_head.weight[n.words.actions.index(name)] for n in (small, large))
        assert torch.equal(*rows), name


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
    """The logits of the legal actions at a table, by name, and the value."""
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
    """What a network answers in a game in some layouts, every seventh decision; all are alike."""
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


@pytest.mark.parametrize("extractor", ["light", "turned"])
@pytest.mark.parametrize("rules", KINDS)
def test_a_network_of_a_layout_plays_its_rules_in_any(rules: Rules, extractor: str) -> None:
    """Where observations do not say which rules are played, the rules do."""
    network = network_for(rules.replace(layout=SHARED), extractor)
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
            warnings.simplefilter("ignore")  # switches without tiles
            rules = random_rules(random).replace(view=16, n_players=n_players, deck_size=None)
            compare(network, rules, None, layout)


def test_a_figure_on_a_tower_looks_the_same_in_every_layout() -> None:
    """The Phantom can stand there, too, but not under these rules."""
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
    """Two games with the same position under different rules have different answers."""
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


# Checkpoints, and those of earlier versions.


def stored(network: Network) -> tuple[dict[str, Any], Arrays]:
    """A checkpoint of a network."""
    rules = [one.to_dict() for one in network.rules]
    return {"rules": rules, "network": CONFIG.to_dict()}, network_arrays(network)


def in_places(network: Network) -> tuple[list[dict[int, str]], Arrays]:
    """A network of an earlier version: its action names under each rules by row, and its arrays."""
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
    arrays = {k: v for k, v in network_arrays(network).items() if not k.startswith(WORDS)}
    random = np.random.default_rng(0)
    for part in ("weight", "bias"):
        shape = (len(rows), *arrays[f"network/figure_head.{part}"].shape[1:])
        arrays[f"network/figure_head.{part}"] = random.normal(size=shape).astype(np.float32)
    return named, arrays


@pytest.mark.parametrize("kinds", [[MAYOR, LYING], [LYING, MAYOR, BASE]])
def test_networks_of_earlier_versions_play_as_before(kinds: list[Rules], tmp_path: Path) -> None:
    """Their rows are places in blocks, which mean different actions under different rules."""
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
    with pytest.raises(CheckpointError, match=r"of an earlier version, .* begin a new run"):
        load_network("a.ckpt", network, arrays)


def test_networks_of_earlier_versions_for_one_game_go_on(tmp_path: Path) -> None:
    network, other = network_for(MAYOR), network_for(MAYOR, seed=1)
    meta, arrays = stored(network)
    arrays = {name: array for name, array in arrays.items() if not name.startswith(WORDS)}
    load_network("a.ckpt", other, arrays)
    write_checkpoint(tmp_path / "a.ckpt", {**meta, "rules": meta["rules"][0]}, arrays)
    for same in (other, network_in(tmp_path / "a.ckpt", MAYOR)[0]):
        assert same.words == network.words
        for name, value in network.state_dict().items():
            assert torch.equal(value, same.state_dict()[name]), name


def test_a_checkpoint_knows_its_own_words(tmp_path: Path) -> None:
    """A later version has other globals, or has them in another order: the network stays."""
    network = network_for(BASE)
    words = Words(*(getattr(network.words, f.name)[::-1] for f in fields(Words)))
    later = Network(BASE, CONFIG, words=words)
    later.adopt(network)
    write_checkpoint(tmp_path / "a.ckpt", *stored(later))
    found, _ = network_in(tmp_path / "a.ckpt")
    assert found.words == words != network.words
    compared = [answers(one, Table(BASE, seed=1)) for one in (network, found)]
    assert compared[0] == pytest.approx(compared[1], abs=1e-4)
    with pytest.raises(CheckpointError, match="planes, globals and actions are those of other"):
        load_network("a.ckpt", network, network_arrays(later))


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
