"""Random games, decision by decision, against the naive oracle, which shares no code with us."""

import random
from collections import Counter
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
    Rules.preset("abbey-mayor", auto_single=False),
    Rules.preset("abbey-mayor", n_players=4, abbey_endgame="until_blocked", auto_single=False),
    Rules.preset("abbey-mayor", n_players=3, wagon_adjacency="C1", auto_single=False),
    Rules.preset("abbey-mayor", n_players=2, house_wagon_roll=True, auto_single=False),
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


def wagon_targets(game):
    """Legal wagon moves as (x, y, spot), or the cells (x, y) under the first edition's rule."""
    found = set()
    for action in game.legal_actions():
        verb, *where = game.name(action).split()
        if verb == "home":
            continue
        x, y = (int(number) for number in where[0].split(","))
        found.add((x, y, Spot[where[1]]) if verb == "wagon" else (x, y))
    return found


def compare_scores(game, wanted):
    """Scores and figures are what the oracle says, final scoring included."""
    now = game.position()
    assert sorted(now.figures, key=repr) == sorted(wanted.figures, key=repr)
    if game.is_over:
        assert now.scores == naive.final_scores(wanted)
    else:
        assert now.scores == tuple(wanted.scores)


def compare_action(game, action):
    """Play a figure action and compare the choices and what the turn scores."""
    position = game.position()
    assert figure_choices(game) == naive.choices(position)
    outcome = naive.after(position, as_choice(game.name(action)))
    wanted = replace(position, scores=outcome.scores, figures=tuple(outcome.figures))
    game.apply(action)
    compare_scores(game, wanted)
    if game.phase != Phase.WAGON:
        assert not any(naive.wagon_targets(wanted, wagon) for wagon in outcome.wagons)
    else:
        waiting = [w for w in outcome.wagons if w in game.position().wagons]
        assert tuple(waiting) == game.position().wagons


def compare_wagon(game, action, rolled):
    """Compare where the wagon may go; return what it has rolled over after the action."""
    position = game.position()
    wagon = position.wagons[0]
    targets = naive.wagon_targets(position, wagon, rolled)
    name = game.name(action)
    if game.phase == Phase.WAGON_SPOT:
        targets = {target for target in targets if target[:2] == position.wagon_target}
    elif game.rules.wagon_range == "C1":
        targets = {target[:2] for target in targets}
    assert wagon_targets(game) == targets
    game.apply(action)
    if name.startswith("to "):
        return rolled
    waits_on = game.position().wagons[:1]
    rolls = waits_on and waits_on[0].seat == wagon.seat and game.phase == Phase.WAGON
    return (*rolled, (wagon.x, wagon.y, wagon.spot)) if rolls else ()


def compare_abbey(game, action):
    """Compare where the abbey may go."""
    position = game.position()
    cells = set()
    for legal in game.legal_actions():
        name = game.name(legal)
        if name != "draw":
            x, y = name.split()[1].split(",")
            cells.add((int(x), int(y)))
    assert cells == naive.abbey_places(position)
    game.apply(action)


def play_and_compare(rules, seed):
    """Play a random game; return how many decisions of each phase were compared."""
    rng = random.Random(seed)
    game = Game(rules, seed=seed)
    n_compared = Counter()
    rolled = ()
    while not game.is_over:
        position, phase = game.position(), game.phase
        action = rng.choice(game.legal_actions())
        if n_compared.total() % FULL_CHECK_EVERY == 0:
            assert naive.projected_scores(position) == game.standings
            if phase != Phase.WAGON_SPOT:
                assert naive.problems(position) == []
        if phase == Phase.PLACE_TILE:
            assert placements(game) == naive.placements(position, position.tile_in_hand)
            game.apply(action)
        elif phase == Phase.ACTION:
            compare_action(game, action)
        elif phase == Phase.DRAW_OR_ABBEY:
            compare_abbey(game, action)
        else:
            rolled = compare_wagon(game, action, rolled)
        n_compared[phase] += 1
    return n_compared


@pytest.mark.parametrize("rules", VARIANTS, ids=lambda rules: rules.to_yaml())
def test_random_games_agree_with_the_naive_oracle(rules, n_games):
    for seed in range(n_games(2)):
        assert play_and_compare(rules, seed).total() > 60
