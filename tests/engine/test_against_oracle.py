"""Random games, decision by decision, against the naive oracle, which shares no code with us."""

import random
from dataclasses import replace

import pytest

from carc_env import Game, Rules
from carc_env.engine.codes import Figure, Phase, Spot
from tests.oracle import naive

VARIANTS = [
    Rules(n_players=2, auto_single=False),
    Rules(n_players=3, abbot_recall_completed="allow", auto_single=False),
    Rules(n_players=4, small_city_points=2, view=14, auto_single=False),
    Rules(n_players=2, edition="C1", abbot=False, auto_single=False),
    Rules(n_players=5, edition="WE3", auto_single=False),
]
FULL_CHECK_EVERY = 6
"""Placements and figures are compared at every decision, projected scores at every sixth."""


def placements(game):
    """Legal placements as (x, y, rotation)."""
    found = set()
    for action in game.legal_actions():
        _, cell, rotation = game.name(action).split()
        x, y = cell.split(",")
        found.add((int(x), int(y), int(rotation[1:])))
    return found


def figure_choices(game):
    """Legal figure actions in the oracle's words."""
    found = set()
    for action in game.legal_actions():
        name = game.name(action)
        if name in ("pass", "recall"):
            found.add(None if name == "pass" else "recall")
        else:
            figure, spot = name.split()
            found.add((Figure[figure.upper()], Spot[spot]))
    return found


def as_choice(name):
    """The oracle's word for an action name of the figure phase."""
    if name == "pass":
        return None
    if name == "recall":
        return name
    figure, spot = name.split()
    return Figure[figure.upper()], Spot[spot]


def play_and_compare(rules, seed):
    """Play a random game; return how many decisions were compared."""
    rng = random.Random(seed)
    game = Game(rules, seed=seed)
    n_compared = 0
    while not game.is_over:
        position = game.position()
        action = rng.choice(game.legal_actions())
        if n_compared % FULL_CHECK_EVERY == 0:
            assert naive.projected_scores(position) == game.standings
            assert naive.problems(position) == []
        if game.phase == Phase.PLACE_TILE:
            assert placements(game) == naive.placements(position, position.tile_in_hand)
            game.apply(action)
        else:
            assert figure_choices(game) == naive.choices(position)
            scores, figures = naive.after(position, as_choice(game.name(action)))
            game.apply(action)
            now = game.position()
            assert sorted(now.figures, key=repr) == sorted(figures, key=repr)
            if game.is_over:
                scored = naive.final_scores(
                    replace(position, scores=scores, figures=tuple(figures))
                )
                assert now.scores == scored
            else:
                assert now.scores == tuple(scores)
        n_compared += 1
    return n_compared


@pytest.mark.parametrize("rules", VARIANTS, ids=lambda r: f"{r.n_players}p-{r.edition}")
def test_random_games_agree_with_the_naive_oracle(rules, n_games):
    for seed in range(n_games(2)):
        assert play_and_compare(rules, seed) > 60
