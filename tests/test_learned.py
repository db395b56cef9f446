"""What the recipes save: parameters, optimiser, steps and random numbers, and what is refused."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

from carc_env.agents import CheckpointError, read_checkpoint, write_checkpoint  # noqa: E402
from carc_env.agents.learned import Learned, check_target  # noqa: E402

pytestmark = pytest.mark.once


def make(width: int = 3, recipe: str = "some.py") -> Learned:
    torch.manual_seed(width)
    network = torch.nn.Linear(2, width)
    return Learned(recipe, {"width": width}, network, torch.optim.Adam(network.parameters(), 0.1))


def step(learned: Learned) -> None:
    learned.optimizer.zero_grad()
    learned.network(torch.randn(5, 2)).square().sum().backward()
    learned.optimizer.step()
    learned.steps += 5


def test_learning_goes_on_exactly(tmp_path: Path) -> None:
    first, second = make(), make()
    for _ in range(3):
        step(first)
    first.save(tmp_path / "a.ckpt")
    step(first)
    torch.manual_seed(99)
    second.load(tmp_path / "a.ckpt")
    assert second.steps == 15
    step(second)
    for one, other in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(one, other)
    first.save(tmp_path / "b.ckpt")
    second.save(tmp_path / "c.ckpt")
    assert (tmp_path / "b.ckpt").read_bytes() == (tmp_path / "c.ckpt").read_bytes()


def test_games_that_follow_are_others() -> None:
    learned = make()
    seeds = [learned.seed_of_games(7)]
    for _ in range(2):
        step(learned)
        seeds.append(learned.seed_of_games(7))
    assert seeds[0] == 7 and len({*seeds}) == 3


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.ckpt"
    learned = make()
    step(learned)
    learned.save(path)
    with pytest.raises(CheckpointError, match=r"a\.ckpt: width cannot change: it was 3, it is 4"):
        make(4).load(path)
    with pytest.raises(CheckpointError, match=r"a\.ckpt: not a checkpoint of other\.py"):
        make(recipe="other.py").load(path)
    meta, arrays = read_checkpoint(path)
    for name, message in (
        ("adam/0/exp_avg", "training state is not valid: KeyError"),
        ("network/bias", "parameters do not match the network"),
        ("torch", "training state is not valid: KeyError"),
    ):
        write_checkpoint(path, meta, {k: v for k, v in arrays.items() if k != name})
        with pytest.raises(CheckpointError, match=message):
            make().load(path)
    write_checkpoint(path, meta, {**arrays, "adam/1/exp_avg": arrays["adam/0/exp_avg"]})
    with pytest.raises(CheckpointError, match="averages of parameter 1 have another shape"):
        make().load(path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(CheckpointError, match="cut off"):
        make().load(path)


def test_a_checkpoint_is_replaced_only_by_what_goes_on_with_it(tmp_path: Path) -> None:
    path, other = tmp_path / "new" / "a.ckpt", tmp_path / "b.ckpt"
    check_target(path, None, overwrite=False)
    (tmp_path / "new" / ".a.ckpt.abcdefgh").write_text("of a writer that was killed")
    check_target(path, None, overwrite=False)
    assert [*path.parent.iterdir()] == []
    path.write_text("learned before")
    for load in (None, other):
        with pytest.raises(ValueError, match=r"a\.ckpt is there already: go on with it by --load"):
            check_target(path, load, overwrite=False)
    check_target(path, path, overwrite=False)
    check_target(path, other, overwrite=True)
    with pytest.raises(ValueError, match=r"ends in \.ckpt, got .*ppo\.npz"):
        check_target(tmp_path / "ppo.npz", None, overwrite=False)
