"""Networks compute the cells that show something, and go by the names of what is seen and asked."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from carc_env.agents.config import NetworkConfig  # noqa: E402
from carc_env.agents.networks import (  # noqa: E402
    BY_WORD,
    EXTRACTORS,
    Cells,
    Convolution,
    Network,
    Words,
    turned_words,
)
from torch import Tensor  # noqa: E402

from carc_env.game.table import Table  # noqa: E402
from carc_env.layout.encodings import Planes  # noqa: E402
from carc_env.layout.observations import plane_names  # noqa: E402
from carc_env.rules import Rules  # noqa: E402

BASE = Rules(view=16)
MAYOR = Rules.preset("abbey-mayor", view=16)


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
    none, quarter, half, three = turned_words(names).numpy()
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
    clockwise = torch.rot90(board, -1, (1, 2))[..., turned_words(network.words.planes)[1]]
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


def test_a_board_that_shows_nothing_has_an_answer() -> None:
    network = network_for(BASE, "attention")
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
    assert {"wagon 0", "meeple 0"} <= set(large.words.actions)


def test_rules_with_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the network was not made for .*barn"):
        network_for(BASE).lens(MAYOR)
