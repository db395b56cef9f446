"""Afterstates of many games at once: changes add up to the whole and contain nothing hidden."""

import pickle
from collections import Counter

import numpy as np
import pytest

import carc_env.game.afterstates
from carc_env import (
    AfterstateBatch,
    AfterstateEncoder,
    Layout,
    Phase,
    Rules,
    Table,
    afterstates,
)
from tests.search.games import RULES as OTHERS
from tests.search.games import positions

RULES = {
    **OTHERS,
    "flier": Rules.preset("flier"),
    "hills, four": Rules.preset("hills-sheep", n_players=4),
    "short": Rules(sets=("base", "inns"), deck_size=12),
}
PRIME = 99_991


def sums(b):
    """Return each afterstate's sum of item hashes, which tell nearly all items apart."""
    random = np.random.default_rng(0)
    n_planes, n_columns = b.tiles.shape[1], b.features.shape[1]
    tiles = b.tiles.astype(np.int64) @ random.integers(1, PRIME, n_planes) % PRIME
    tiles = np.concatenate(([0], tiles))
    places = (
        (tiles[b.near] * random.integers(1, PRIME, 5)).sum(1) ** 2 + b.fits.astype(np.int64) * 7919
    ) % PRIME
    features = b.features.astype(np.int64) @ random.integers(1, PRIME, n_columns) % PRIME
    np.add.at(features, b.openings[:, 0], places[b.openings[:, 1]])
    totals = []
    for items, decision, afterstate, lost in (
        (places, b.place_decision, b.place_afterstate, b.lost_places),
        (features**2 % PRIME, b.feature_decision, b.feature_afterstate, b.lost_features),
    ):
        bases = np.zeros(len(b.n_actions), np.int64)
        np.add.at(bases, decision[afterstate < 0], items[afterstate < 0])
        total = bases[b.base_of[b.decision_of]]
        np.add.at(total, afterstate[afterstate >= 0], items[afterstate >= 0])
        np.subtract.at(total, lost[:, 1], items[lost[:, 0]])
        totals.append(total)
    return np.stack(totals, 1)


def copied(batch):
    return AfterstateBatch(*(array.copy() for array in batch))


def side_by_side(tables):
    """Return the state records of several tables in one array."""
    content = bytearray(b"".join(table.states.tobytes() for table in tables))
    return np.frombuffer(content, tables[0].states.dtype)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_changes_add_up_to_the_whole(rules):
    encoder = AfterstateEncoder(rules)
    tables = positions(rules, 4)
    states, which = side_by_side(tables), np.arange(len(tables))
    found = copied(encoder.changes(states, which))
    assert found.n_actions.tolist() == [len(table.legal_actions()) for table in tables]
    ends = np.cumsum(found.n_actions)
    for table, actions in zip(tables, np.split(found.actions, ends[:-1]), strict=True):
        assert sorted(actions.tolist()) == table.legal_actions()
    assert np.bincount(found.action_of, found.weights) == pytest.approx(1)
    assert (found.decision_of == np.searchsorted(ends, found.action_of, side="right")).all()
    certain = np.flatnonzero(found.weights == 1)
    actions = found.actions[found.action_of[certain]]
    whole = encoder.whole(states, found.decision_of[certain], actions)
    assert (sums(whole) == sums(found)[certain]).all()
    assert (whole.globals == found.globals[certain]).all()
    assert (whole.scores == found.scores[certain]).all()
    assert (whole.before == found.before[found.decision_of[certain]]).all()
    assert len(found.tiles) < len(whole.tiles) / 2
    for decision, afterstate, lost in (
        (found.place_decision, found.place_afterstate, found.lost_places),
        (found.feature_decision, found.feature_afterstate, found.lost_features),
    ):
        for ordered in (decision, afterstate[afterstate >= 0], lost[:, 1]):
            assert (np.diff(ordered) >= 0).all()
    assert (np.diff(found.openings[:, 0]) >= 0).all()


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_games_that_follow_share_a_base(rules):
    """Figure actions after all placements are encoded as changes to the game before them."""
    encoder, tables, n_met = AfterstateEncoder(rules), positions(rules, 4, seed=2), 0
    states = side_by_side(tables)
    for k, table in enumerate(tables):
        actions = table.legal_actions()
        after, on = encoder.follow(states, [k] * len(actions), actions)
        if not len(on):
            continue
        found = copied(encoder.changes(after, on, bases=(states, [k] * len(on))))
        alone = copied(encoder.changes(after, on))
        assert (found.base_of == 0).all() and (alone.base_of == np.arange(len(on))).all()
        assert (found.place_decision[found.place_afterstate < 0] == 0).all()
        assert (sums(found) == sums(alone)).all()
        for name in ("n_actions", "actions", "before", "globals", "scores", "weights", "action_of"):
            assert np.array_equal(getattr(found, name), getattr(alone, name)), name
        n_met += 1
    assert n_met
    with pytest.raises(ValueError, match="the bases of 1 games, got 2"):
        encoder.changes(states, [0], bases=(states, [0, 0]))


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_nothing_hidden_is_in_afterstates(rules):
    """Afterstates reveal neither the next tile, nor the order of the bag, nor future dice."""
    encoder = AfterstateEncoder(rules)
    for table in positions(rules, 4, seed=1):
        found = copied(encoder.changes(table.states, [0]))
        for seed in range(3):
            twin = table.clone()
            twin.reshuffle(seed)
            for name, array in encoder.changes(twin.states, [0])._asdict().items():
                assert np.array_equal(array, getattr(found, name)), (table.phase, name)


def test_scores_are_the_standings():
    table = Table(Rules(auto_single=False), seed=2)
    encoder = AfterstateEncoder(table.rules)
    while not table.is_over:
        found, wanted, seat = encoder.changes(table.states, [0]), afterstates(table), table.decider
        order = np.argsort(found.actions)
        assert found.scores[order].tolist() == np.roll(wanted.standings, -seat, 1).tolist()
        assert found.is_over[order].tolist() == wanted.is_over.tolist()
        table.step(table.random_action())


@pytest.mark.interpreted
def test_tiles_and_globals_are_those_of_the_observation():
    """Only actions that draw nothing are compared: a figure action follows them."""
    table, encoder = Table(Rules(), seed=4), AfterstateEncoder()
    n_met = 0
    for _ in range(12):
        action = table.legal_actions()[-1]
        whole = copied(encoder.whole(table.states, [0], [action]))
        seat = table.decider
        table.step(action)
        if table.phase == Phase.FIGURE and table.decider == seat:
            seen = table.observe(seat, "features")
            n, n_features = int(table.states["n_tiles"][0]), int(seen["n_features"][0])
            assert np.array_equal(whole.tiles, seen["tokens"][:n, :-2])
            assert np.array_equal(whole.globals[0], seen["globals"])
            rows = seen["features"][:n_features]
            assert sorted(map(bytes, whole.features)) == sorted(map(bytes, rows))
            n_met += 1
    assert n_met


def test_fits_and_openings_are_those_of_the_rules():
    """The tiles that fit a free cell are those that could be placed there if they were drawn."""
    rules = Rules(auto_single=False)
    table, encoder = Table(rules, seed=5), AfterstateEncoder(rules)
    column, n_met = encoder.feature_names.index, 0
    for _ in range(60):
        table.step(table.legal_actions()[-1])
        if table.phase != Phase.FIGURE:
            continue
        action = table.legal_actions()[-1]
        whole = copied(encoder.whole(table.states, [0], [action]))
        waiting, fits = table.afterstate(action), Counter()
        for tile, share in waiting.draws().items():
            after = waiting.clone()
            after.deal(tile)
            if not after.draws():  # the tile can be placed
                cells = {placement // 4 for placement in after.legal_actions()}
                fits.update(dict.fromkeys(cells, round(share * waiting.n_tiles_left)))
        assert sorted(whole.fits[whole.fits > 0]) == sorted(fits.values())
        shown = whole.features[:, column("road")] | whole.features[:, column("city")]
        n_open = np.bincount(whole.openings[:, 0], minlength=len(shown))
        assert (n_open == whole.features[:, column("open")])[shown > 0].all()
        assert (whole.near[whole.openings[:, 1], 0] == 0).all()
        n_met += 1
    assert n_met > 20


def test_games_go_on_after_placements():
    rules = RULES["everything"]
    encoder, tables = AfterstateEncoder(rules), positions(RULES["everything"], 6)
    actions = [table.random_action() for table in tables]
    states = side_by_side(tables)
    after, goes_on = encoder.follow(states, np.arange(len(tables)), actions)
    assert len(goes_on)
    for k, (table, action) in enumerate(zip(tables, actions, strict=True)):
        seat, n_bag = table.decider, table.n_tiles_left
        found = Table.at(rules, after[k : k + 1])
        if k in goes_on:
            assert (found.decider, found.n_tiles_left) == (seat, n_bag) and not found.is_over
            wanted = table.clone()
            wanted.step(action)
            assert (
                not rules.auto_single
                or len(found.legal_actions()) == 1
                or (found.legal_actions() == wanted.legal_actions())
            )


def sorted_rows(array):
    return array[np.lexsort(array.T)]


@pytest.mark.parametrize("n_players", [2, 3])
def test_a_shared_layout_shows_the_same_afterstates(n_players):
    """Games under several rules in one call match each game in its own layout, by column."""
    layout = Layout.everything(n_players=(2, 3))
    names = ["base", "abbey-mayor", "big-box", "tower", "minis", "flier", "hills-sheep"]
    rules = [Rules.preset(name, n_players=n_players, layout=layout) for name in names]
    encoder, own = AfterstateEncoder(rules[0]), [AfterstateEncoder(one.plain) for one in rules]
    tables, states = Table.side_by_side(rules, range(len(rules)))
    for _ in range(40):
        for table in tables:
            table.step(table.greedy_action())
        found = copied(encoder.changes(states, range(len(rules)), rules))
        for k, alone in enumerate(own):
            wanted = alone.changes(tables[k].in_layout(None).states, [0])
            is_mine = found.decision_of == k
            assert not found.scores[is_mine, n_players:].any()
            scores = found.scores[is_mine, :n_players]
            assert np.array_equal(sorted_rows(scores), sorted_rows(wanted.scores))
            rows = found.globals[is_mine], found.features[found.feature_decision == k]
            for what, here, there in (
                ("global_names", rows[0], wanted.globals),
                ("feature_names", rows[1], wanted.features),
                ("plane_names", found.tiles[found.tile_decision == k], wanted.tiles),
            ):
                columns = [*map(getattr(encoder, what).index, getattr(alone, what))]
                assert np.array_equal(sorted_rows(here[:, columns]), sorted_rows(there))
                if what != "global_names":
                    assert not np.delete(here, columns, 1).any()


def test_an_encoder_knows_more_rules_than_it_has_sheets(monkeypatch):
    monkeypatch.setattr(carc_env.game.afterstates, "N_SHEETS", 2)
    layout = Layout.everything(n_players=2)
    names = ["base", "inns", "tower", "base", "minis"]
    rules = [Rules.preset(name, layout=layout) for name in names]
    _, states = Table.side_by_side(rules, range(5))
    few = AfterstateEncoder(rules[0])
    alone = [few.changes(states, [k], [rules[k]]).before.copy() for k in (0, 1, 2, 3, 4)]
    together = few.changes(states, range(5), rules).before
    assert np.array_equal(np.concatenate(alone), together)
    assert few.changes(states, [1], [rules[1]]).before.tolist() == [together[1].tolist()]


def test_a_whole_batch_can_be_split_and_joined():
    rules = RULES["everything, four"]
    encoder, tables = AfterstateEncoder(rules), positions(rules, 2)
    actions = [table.random_action() for table in tables]
    whole = copied(encoder.whole(side_by_side(tables), np.arange(len(tables)), actions))
    parts = whole.split()
    for part, table, action in zip(parts, tables, actions, strict=True):
        alone = encoder.whole(table.states, [0], [action])
        for name, array in alone._asdict().items():
            assert np.array_equal(array, getattr(part, name)), name
    for name, array in AfterstateBatch.join(parts)._asdict().items():
        assert np.array_equal(array, getattr(whole, name)), name
    changes = [copied(encoder.changes(table.states, [0])) for table in tables]
    joined = AfterstateBatch.join(changes)
    for name, array in (
        encoder.changes(side_by_side(tables), np.arange(len(tables)))._asdict().items()
    ):
        assert np.array_equal(array, getattr(joined, name)), name


def test_what_an_encoder_refuses():
    table, encoder = Table(seed=1), AfterstateEncoder()
    with pytest.raises(ValueError, match="which must hold numbers from 0 to 0"):
        encoder.changes(table.states, [1])
    with pytest.raises(ValueError, match="states must be a contiguous array of STATE records"):
        encoder.changes(np.zeros(3), [0])
    with pytest.raises(ValueError, match="rules must name the rules of 1 games, got 2"):
        encoder.changes(table.states, [0], [table.rules] * 2)
    with pytest.raises(ValueError, match="other rules than the game"):
        encoder.changes(table.states, [0], [Rules.preset("inns")])
    copy = pickle.loads(pickle.dumps(encoder))
    assert len(copy.changes(table.states, [0]).scores) == len(table.legal_actions())


def test_games_side_by_side_are_games_with_these_seeds():
    tables, states = Table.side_by_side(Rules.preset("inns"), np.arange(3))
    for seed, table in enumerate(tables):
        alone = Table("inns", seed=seed)
        for _ in range(5):
            assert table.legal_actions() == alone.legal_actions()
            table.step(alone.greedy_action())
            alone.step(alone.greedy_action())
        assert states[seed : seed + 1].tobytes() == alone.states.tobytes()
