"""Batches of decisions from the games in a data set."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
from carc_env.agents.dataset import (
    Games,
    Recipe,
    checksums_of,
    file_name,
    read_games,
    replay,
    scalar_of,
    split_of,
    write_file,
)
from carc_env.agents.positions import Positions
from typing_extensions import TypeAliasType

from carc_env import Rules
from carc_env.layout.encodings import Arrays, make_encoding

pytestmark = pytest.mark.once

NAMES = ("tokens", "globals")
RECIPE = Recipe(Rules(view=14, n_players=3), ("random", "greedy"), "", explore=0, games=10)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with 40 games in four files."""
    folder = tmp_path_factory.mktemp("data")
    for number in range(4):
        write_file(folder / file_name(number), RECIPE, RECIPE.make(number))
    return folder


def test_the_type_of_an_array_is_read_off_its_annotation_in_any_numpy() -> None:
    scalar = TypeVar("scalar", bound=np.generic)
    in_numpy_2_5 = TypeAliasType(
        "NDArray", np.ndarray[tuple[Any, ...], np.dtype[scalar]], type_params=(scalar,)
    )
    assert scalar_of(in_numpy_2_5[np.int32]) is scalar_of(npt.NDArray[np.int32]) is np.int32


def keys_of(batches: list[Arrays]) -> Counter[tuple[bytes, ...]]:
    """Count the decisions in some batches, each as the bytes of its arrays in order of name."""
    names = sorted(batches[0])
    return Counter(
        tuple(np.ascontiguousarray(batch[name][k]).tobytes() for name in names)
        for batch in batches
        for k in range(len(batch["action"]))
    )


def played_again(folder: Path, split: str, encoding: str) -> Counter[tuple[bytes, ...]]:
    """Count the same decisions by replaying one game after another and observing its table."""
    form = make_encoding(RECIPE.rules, encoding, action_mask=True)
    found = []
    for path in sorted(folder.glob("*.npz")):
        games = read_games(path)
        for k in range(games.n):
            if split_of(games.numbers[k]) != split:
                continue
            scores = games.scores[k]
            for table, legal, action in replay(RECIPE.rules, games, k):
                seat = table.decider
                ahead = np.flatnonzero(scores == scores.max())
                row = {
                    **table.observe(encoding=form),
                    "action": np.int64(action),
                    "seat": np.int64(seat),
                    "player": np.int64(games.players[k, seat]),
                    "game": np.int64(games.numbers[k]),
                    "scores": scores,
                    "margin": np.float32(scores[seat] - np.delete(scores, seat).max()),
                    "outcome": np.float32((seat in ahead) / len(ahead)),
                }
                assert np.flatnonzero(row["action_mask"]).tolist() == legal
                found.append({name: np.asarray(part)[None] for name, part in row.items()})
    return keys_of(found)


@pytest.mark.parametrize("encoding", ["planes", "sparse"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_an_epoch_shows_every_decision_of_a_split_once(
    data: Path, split: str, encoding: str
) -> None:
    found = [*Positions([data], split, size=64, encoding=encoding, side_by_side=20).epoch()]
    assert {len(batch["action"]) for batch in found[:-1]} <= {64}
    assert keys_of(found) == played_again(data, split, encoding)


def test_seed_and_epoch_decide_the_order(data: Path) -> None:
    def order(seed: int, epoch: int) -> list[bytes]:
        batches = Positions([data], size=32, encoding="tokens", seed=seed).epoch(epoch)
        return [batch["globals"].tobytes() for batch in batches]

    first = order(0, 0)
    assert order(0, 0) == first
    assert first[0] not in order(1, 0) and first[0] not in order(0, 1)


def test_a_batch_is_from_many_games_and_moments(data: Path) -> None:
    batches = [*Positions([data], size=16, side_by_side=32).epoch()]
    tiles = [batch["board"][:, 0].any(axis=(1, 2)) for batch in batches]
    assert tiles and all(len({*batch["game"].tolist()}) >= 12 for batch in batches[:20])
    filled = [(batch["board"].reshape(16, -1) > 0).sum(1) for batch in batches[:20]]
    assert min(part.max() / part.min() for part in filled) > 2  # early and late decisions together


def test_workers_share_an_epoch(data: Path) -> None:
    positions = Positions([data], size=64, encoding="tokens")
    whole = keys_of([*positions.epoch(3)])
    parts = [keys_of([*positions.epoch(3, (k, 3))]) for k in range(3)]
    assert parts[0] + parts[1] + parts[2] == whole


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")  # on a single core
def test_a_loader_of_torch_gives_the_same(data: Path) -> None:
    pytest.importorskip("torch")
    from carc_env.agents.torch_positions import TorchPositions
    from torch.utils.data import DataLoader

    positions = Positions([data], size=64, encoding="tokens")
    dataset = TorchPositions(positions)
    dataset.epoch = 2
    for n in (0, 2):
        loaded = [
            {name: rows.numpy() for name, rows in batch.items()}
            for batch in DataLoader(dataset, batch_size=None, num_workers=n)
        ]
        shares = [(k, max(1, n)) for k in range(max(1, n))]
        assert keys_of(loaded) == keys_of([b for s in shares for b in positions.epoch(2, s)])


def returns_of(scores: npt.NDArray[Any], reward: str, first: tuple[int, ...]) -> list[float]:
    """Return what every seat earns in a game, given the standings at the first observation."""

    def lead(points: Any, seat: int) -> int:
        return int(points[seat] - np.delete(points, seat).max())

    seats = range(len(scores))
    if reward == "outcome":
        return [
            (sum(s < scores[k] for s in scores) - sum(s > scores[k] for s in scores)) / 2
            for k in seats
        ]
    if reward == "score_delta":
        return scores.tolist()
    before = [lead(first, k) if reward == "projected" else 0 for k in seats]
    return [lead(scores, k) - before[k] for k in seats]


@pytest.mark.parametrize("reward", ["margin", "score_delta", "projected", "outcome"])
def test_an_episode_is_what_a_seat_saw_did_and_earned(data: Path, reward: str) -> None:
    episodes = iter(Positions([data], "test", encoding="tokens").episodes(reward))
    form, n_checked = make_encoding(RECIPE.rules, "tokens", action_mask=True), 0
    for path in sorted(data.glob("*.npz")):
        games = read_games(path)
        for k in (k for k in range(games.n) if split_of(games.numbers[k]) == "test"):
            rows: list[list[Any]] = [[], [], []]
            first = None
            for table, legal, action in replay(RECIPE.rules, games, k):
                first = first or table.standings
                seat = table.decider
                seen = table.observe(encoding=form)
                rows[seat].append((seen, legal, action, table.scores[seat]))
            assert first is not None
            returns = returns_of(games.scores[k], reward, first)
            for seat in range(3):
                found = next(episodes)
                assert (found.game, found.player) == (games.numbers[k], games.players[k, seat])
                assert [step.action for step in found.steps] == [row[2] for row in rows[seat]]
                assert sum(step.reward for step in found.steps) == returns[seat]
                views = [step.before for step in found.steps]
                assert [step.after for step in found.steps[:-1]] == views[1:]
                for view, (seen, legal, _, _) in zip(views, rows[seat], strict=True):
                    assert np.flatnonzero(view.mask).tolist() == legal
                    assert all(np.array_equal(view.arrays[name], seen[name]) for name in seen)
                assert [step.is_last for step in found.steps].index(True) == len(views) - 1
                end = found.steps[-1].after
                assert np.flatnonzero(end.mask).tolist() == [0]
                last = table.observe(seat, form)
                assert all(np.array_equal(end.arrays[n], last[n]) for n in ("tokens", "globals"))
                if reward == "score_delta":
                    points = [row[3] for row in rows[seat][1:]] + [games.scores[k, seat]]
                    assert np.cumsum([step.reward for step in found.steps]).tolist() == points
                n_checked += len(views)
    assert n_checked > 200 and next(episodes, None) is None


def test_transitions_are_the_steps_of_all_episodes_mixed(data: Path) -> None:
    pytest.importorskip("torch")
    positions = Positions([data], size=48, side_by_side=20, encoding="tokens", legal_list=True)

    def key(before: Arrays, after: Arrays, k: int, *told: float) -> tuple[Any, ...]:
        return (*(seen[name][k].tobytes() for seen in (before, after) for name in NAMES), *told)

    found: Counter[tuple[Any, ...]] = Counter()
    sizes = []
    for t in positions.transitions(2, reward="projected"):
        before, after = (
            {name: rows.numpy() for name, rows in seen.items()}
            for seen in (t.observations, t.next_observations)
        )
        sizes.append(len(t.actions))
        for seen, masks in ((before, t.masks.numpy()), (after, t.next_masks.numpy())):
            listed = np.zeros_like(masks)
            places = np.flatnonzero(seen["legal"] >= 0) // seen["legal"].shape[1]
            listed[places, seen["legal"][seen["legal"] >= 0]] = True
            assert np.array_equal(listed, masks)
        told = zip(t.actions.tolist(), t.rewards.tolist(), t.dones.tolist(), strict=True)
        found.update(key(before, after, k, *one) for k, one in enumerate(told))
        assert t.masks.gather(1, t.actions[:, None]).all()
    assert {*sizes[:-1]} == {48}
    assert found == Counter(
        key(
            *(
                {name: rows[None] for name, rows in seen.arrays.items()}
                for seen in (s.before, s.after)
            ),
            0,
            *(s.action, s.reward, s.is_last),
        )
        for episode in positions.episodes("projected")
        for s in episode.steps
    )


def test_a_tenth_of_the_games_is_held_out() -> None:
    splits = Counter(split_of(number) for number in range(10_000))
    assert splits == {"train": 9000, "validation": 500, "test": 500}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": 1}, "replayed it stands at"),
        ({"seeds": 1}, "is not legal|played again"),
        ({"actions": 5000}, "action .* is not legal"),
    ],
)
def test_a_game_that_was_not_played_is_refused(
    change: dict[str, int], words: str, tmp_path: Path
) -> None:
    games = replace(RECIPE, games=1).make(0)
    parts = {name: getattr(games, name).copy() for name in change}
    for name, more in change.items():
        parts[name].ravel()[-1] += more
    write_file(tmp_path / file_name(0), RECIPE, games._replace(**parts))
    with pytest.raises(ValueError, match=words):
        [*Positions([tmp_path], size=8).epoch()]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"lengths": [1]}, "lengths does not match the number of actions"),
        ({"players": [[0, 1, 2]]}, "players are not 3 numbers below 2"),
        ({"numbers": []}, "seeds of 1 games, numbers of 0"),
        ({"values": [np.inf]}, "a value is infinite"),
    ],
)
def test_arrays_that_do_not_belong_together_are_refused(
    parts: dict[str, list[float]], words: str, tmp_path: Path
) -> None:
    games = replace(RECIPE, games=1).make(0)
    odd = {name: np.array(part, getattr(games, name).dtype) for name, part in parts.items()}
    write_file(tmp_path / file_name(0), RECIPE, Games(**{**games._asdict(), **odd}))
    with pytest.raises(ValueError, match=words):
        read_games(tmp_path / file_name(0))


def test_checksums_are_of_the_content(data: Path, tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    for path in data.glob("*.npz"):
        with np.load(path) as arrays:
            np.savez(tmp_path / "one" / path.name, **arrays)  # not compressed
    before, after = checksums_of(data), checksums_of(tmp_path / "one")
    assert before == after and len(before["files"]) == 4
    games = read_games(data / file_name(0))
    games.actions[3] += 1
    write_file(tmp_path / "one" / file_name(0), RECIPE, games)
    changed = checksums_of(tmp_path / "one")
    assert changed["all"] != before["all"]
    assert {k for k in changed["files"] if changed["files"][k] != before["files"][k]} == {
        file_name(0)
    }
