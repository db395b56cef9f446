"""What is kept of learning: parameters, Adam's averages and random numbers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")

from carc_env.agents.learned import (  # noqa: E402
    adam_arrays,
    network_arrays,
    random_numbers,
    restore_adam,
    restore_random,
)
from carc_env.agents.network_agent import load_network  # noqa: E402

pytestmark = pytest.mark.once


def make(width: int = 3) -> tuple["torch.nn.Module", "torch.optim.Optimizer"]:
    torch.manual_seed(width)
    network = torch.nn.Linear(2, width)
    return network, torch.optim.Adam(network.parameters(), 0.1)


def step(network: "torch.nn.Module", adam: "torch.optim.Optimizer") -> None:
    adam.zero_grad()
    (network(torch.randn(5, 2)).square().sum() * np.random.uniform()).backward()
    adam.step()


def test_learning_goes_on_exactly() -> None:
    network, adam = make()
    for _ in range(3):
        step(network, adam)
    arrays = network_arrays(network) | adam_arrays(adam)
    arrays = {name: array.copy() for name, array in arrays.items()}
    plain, random = random_numbers()
    step(network, adam)
    again, other_adam = make()
    np.random.seed(99)
    load_network("a.ckpt", again, arrays)
    restore_adam(other_adam, arrays)
    restore_random(plain, random)
    step(again, other_adam)
    for one, other in zip(network.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def test_random_numbers_of_a_gpu_go_on_too(monkeypatch: pytest.MonkeyPatch) -> None:
    state = torch.arange(16, dtype=torch.uint8)
    told: list[torch.Tensor] = []
    for name in ("is_initialized", "is_available"):
        monkeypatch.setattr(torch.cuda, name, lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda: state)
    monkeypatch.setattr(torch.cuda, "set_rng_state", told.append)
    restore_random(*random_numbers())
    assert len(told) == 1 and torch.equal(told[0], state)


def test_averages_of_another_network_are_refused() -> None:
    network, adam = make()
    step(network, adam)
    arrays = adam_arrays(adam)
    _, other = make(4)
    with pytest.raises(ValueError, match="averages of parameter 0 have another shape"):
        restore_adam(other, arrays)
    del arrays["adam/0/exp_avg"]
    with pytest.raises(KeyError, match="exp_avg"):
        restore_adam(adam, arrays)


def test_what_was_saved_before_the_first_update_has_no_averages() -> None:
    _, adam = make()
    restore_adam(adam, {})
    assert adam.state_dict()["state"] == {}
