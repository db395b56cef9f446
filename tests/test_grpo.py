"""The language model recipe: masks of legal answers and rewards reach a small network."""

import pytest

torch = pytest.importorskip("torch")

import train_grpo  # noqa: E402

pytestmark = pytest.mark.once
NAMES = ("meeple N", "meeple Ne", "pass")


def test_a_mask_allows_what_continues_a_name():
    def allowed(begun):
        return {chr(k) for k in torch.nonzero(train_grpo.continuations(NAMES, begun)).ravel()}

    assert allowed("") == {"m", "p"} and allowed("meeple ") == {"N"}
    assert allowed("meeple N") == {"\n", "e"} and allowed("pass") == {"\n"} and not allowed("x")


def test_masked_answers_have_a_distribution(one_thread):
    torch.manual_seed(0)
    model = train_grpo.Reader(16, 64)
    logs = [train_grpo.log_probability(model, "Where?", name, NAMES) for name in NAMES]
    assert torch.stack(logs).exp().sum().item() == pytest.approx(1, abs=1e-5)
    assert {train_grpo.sampled(model, "Where?", NAMES) for _ in range(60)} == {*NAMES}


def test_better_answers_than_the_group_become_likelier(one_thread):
    torch.manual_seed(0)
    model = train_grpo.Reader(16, 64)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    rewards = train_grpo.advantages([0.0, -5.0, -5.0])
    for _ in range(20):
        logs = [train_grpo.log_probability(model, "Where?", name, NAMES) for name in NAMES]
        optimizer.zero_grad()
        (-(rewards * torch.stack(logs)).mean()).backward()
        optimizer.step()
    assert logs[0].exp().item() > 0.8


def test_rewards_arrive(one_thread, capsys):
    means = train_grpo.main(train_grpo.Settings(steps=2, group=3, context=64, width=16))
    assert len(means) == 2 and all(mean <= 0 for mean in means)
    assert capsys.readouterr().out.count("mean reward") == 2
