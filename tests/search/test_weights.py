"""Files of weights, and the rules that each of them serves."""

import io
import json
from dataclasses import replace
from math import prod

import numpy as np
import pytest

from carc_env import Rules
from carc_env.search.features import LABELS, N_WEIGHTS, OFFSETS, TABLES, VERSION, starting_weights
from carc_env.search.weights import UNIT, Weights, distance, pack, shipped, unpack, weights_for

RULES = Rules.preset("traders", n_players=3)


def made():
    values = np.random.default_rng(0).normal(size=N_WEIGHTS).astype(np.float32)
    return Weights(RULES, values, {"games": 7})


def test_weights_come_back_as_they_were_written_to_a_part_of_a_point():
    weights = made()
    found = unpack("here", pack(weights))
    assert found.rules == RULES and found.about == {"games": 7}
    assert np.abs(found.values - weights.values).max() <= 0.5 / UNIT


def changed(**changes):
    with np.load(io.BytesIO(pack(made())), allow_pickle=False) as found:
        arrays = dict(found)
    meta = json.loads(str(arrays["meta"])) | changes
    content = io.BytesIO()
    np.savez_compressed(content, meta=np.array(json.dumps(meta)), values=arrays["values"])
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.npz holds no weights"),
        (b"PK\x03\x04 something else", "x.npz holds no weights"),
        (changed(rules={"n_players": 9}), "x.npz holds no weights: n_players"),
        (changed(features=VERSION + 1), f"this is version {VERSION}: train them again"),
    ],
)
def test_what_is_no_file_of_weights_is_refused(content, message):
    with pytest.raises(ValueError, match=message):
        unpack("x.npz", content)


def test_every_rules_get_the_nearest_weights():
    for weights in shipped().values():
        assert weights_for(weights.rules, weights.evaluation) is weights
        view = Rules.from_dict(weights.rules.to_dict() | {"view": 24})
        assert weights_for(view, weights.evaluation) is weights
    assert distance(Rules(), Rules(n_players=4)) == 2
    assert distance(Rules(), Rules.preset("inns")) > distance(Rules(), Rules(n_players=3))


def test_what_the_nearest_weights_have_not_learned_comes_from_those_that_have():
    """Hills with towers: all that hill games taught, and for towers what tower games taught."""
    hills, towers = shipped()["hills-sheep-2"], shipped()["tower-2"]
    both = replace(hills.rules, sets=("base", "hills", "tower"), towers=True)
    found = weights_for(both)
    start = starting_weights()
    has_learned = np.abs(hills.values - start) > 0.5 / UNIT
    assert (found.values[has_learned] == hills.values[has_learned]).all()
    floors = slice(OFFSETS["floors"], OFFSETS["floors"] + prod(TABLES["floors"]))
    of_towers = towers.values[floors] != 0
    assert (hills.values[floors] == 0).all() and of_towers.any()
    assert (found.values[floors][of_towers] == towers.values[floors][of_towers]).all()
    assert found.rules == both and {"hills-sheep-2", "tower-2"} <= {*found.about["from"]}
    assert found.about["from"][0] == "hills-sheep-2"


def test_weights_learned_before_a_set_came_in_are_put_where_they_belong():
    """A file that lacks one tile, in the middle, gets a 0 for that tile and no other change."""
    weights = made()
    axis, tiles = LABELS["lots"]
    lots = weights.values[OFFSETS["lots"] : OFFSETS["phase"]].reshape(TABLES["lots"])
    older = np.concatenate(
        [
            weights.values[: OFFSETS["lots"]],
            np.delete(lots, 40, axis).ravel(),
            weights.values[OFFSETS["phase"] :],
        ]
    )
    with np.load(io.BytesIO(pack(replace(weights, values=older))), allow_pickle=False) as found:
        meta, values = json.loads(str(found["meta"])), found["values"]
    meta["labels"]["lots"] = tiles[:40] + tiles[41:]
    content = io.BytesIO()
    np.savez(content, meta=np.array(json.dumps(meta)), values=values)
    expected = unpack("here", pack(weights)).values.copy()
    expected[OFFSETS["lots"] : OFFSETS["phase"]].reshape(TABLES["lots"])[:, 40] = 0
    assert (unpack("here", content.getvalue()).values == expected).all()
