"""Players with other styles: each differs from ``value`` as its description says."""

import pickle

import numpy as np
import pytest

from carc_env import Game, Rules
from carc_env.engine.core.codes import Figure
from carc_env.envs.naming import make_agent
from carc_env.layout.observations import feature_names
from carc_env.search.styles import STYLES, styled_for
from carc_env.search.weights import weights_for

pytestmark = pytest.mark.once

RULES = Rules(deck_size=30)
COLUMN = {name: k for k, name in enumerate(feature_names(RULES))}


def habits(style):
    """Return means over games against ``value``: meeples in hand, fields held, features shared."""
    players = [make_agent(style, RULES), make_agent("value", RULES)]
    seen = []
    for k in range(12):
        game, seat = Game(RULES, seed=k // 2), k % 2
        for decision in range(1_000):
            if game.is_over:
                break
            if decision % 9 == 0:
                shown = game.observe(seat, "features")
                rows = shown["features"][: shown["n_features"][0]].T > 0
                own, other = rows[COLUMN["strength 0"]], rows[COLUMN["strength 1"]]
                fields, ways = rows[COLUMN["field"]], rows[COLUMN["road"]] | rows[COLUMN["city"]]
                in_hand = int(game.states[0].players[seat].supply[Figure.MEEPLE])
                seen.append((in_hand, (own & fields).sum(), (own & other & ways).sum()))
            game.step(players[game.decider != seat].act(game))
    return np.mean(seen, axis=0)


def test_each_style_differs_in_behaviour():
    held, fields, shared = (habits(style) for style in ("thrifty", "farmer", "blocker"))
    plain = habits("value")
    assert held[0] > 1.25 * plain[0]
    assert fields[1] > 1.3 * plain[1]
    assert shared[2] > 1.4 * plain[2]


@pytest.mark.parametrize("style", STYLES)
def test_a_style_has_the_weights_of_the_rules_and_can_be_sent(style):
    before = weights_for(RULES).values.copy()
    player = make_agent(style, RULES)
    for rules in (RULES, Rules.preset("inns")):
        own = player.evaluation.under(rules)
        assert own is styled_for(rules, style) and own.name == style
        assert not np.array_equal(own.weights, weights_for(rules).values)
    assert np.array_equal(weights_for(RULES).values, before)
    game = Game(RULES, seed=3)
    assert pickle.loads(pickle.dumps(player)).act(game) == player.act(game)
