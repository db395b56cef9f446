"""The tutorial: requested moves are legal and do what the text says, also with the server."""

import json
import re
from pathlib import Path

import pytest

from carc_env import parse_position
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.tiles import SEGMENT_SPOT
from carc_env.web import tutorial
from carc_env.web.features import about_feature
from carc_env.web.tutorial import PUPIL, STEPS, Lesson
from tests.web_server import page, serving

LANGUAGES = Path(tutorial.__file__).parent / "static/lang"
POINTS = {
    "edges": (0, 0),
    "thief": (0, 0),
    "road": (4, 0),
    "city": (8, 0),
    "monk": (0, 0),
    "monastery": (9, 0),
    "farmer": (0, 0),
    "share": (6, 6),
    "garden": (0, 0),
    "recall": (6, 0),
}
"""Points of both players for each step except the last."""
HOME = {"road": "0,0 E", "city": "0,-1 E", "monastery": "0,1 mid", "recall": "-1,0 mid"}
"""For some steps, the place from which the pupil's figure is returned."""
STANDS = {"thief": Kind.ROAD, "monk": Kind.MONASTERY, "farmer": Kind.FIELD, "garden": Kind.GARDEN}
"""For some steps, the feature on which the pupil is asked to place a figure."""


def asked(lesson, *, as_asked=True):
    """Return the legal actions that match what a lesson asks now, or all others."""
    game, way = lesson.play.game, STEPS[lesson.step].ways[lesson.play.ply]

    def fits(name):
        return not way or any(f"{name} ".startswith(f"{words} ") for words in way)

    return [a for a in game.legal_actions() if fits(game.name(a)) == as_asked]


def answered(step, actions):
    """Return a lesson after some decisions."""
    lesson = Lesson.begin(STEPS.index(step), "Ann")
    for action in actions:
        assert lesson.state == "open"
        lesson.hear(action)
        lesson.play.act(action)
    return lesson


def ways_through(step, actions=()):
    """Yield the lesson after every way of doing what a step asks."""
    lesson = answered(step, actions)
    if lesson.state != "open":
        yield lesson
        return
    assert asked(lesson), (step.name, actions)
    for action in asked(lesson):
        yield from ways_through(step, (*actions, action))


def figures_of_the_pupil(game):
    return {f"{f.x},{f.y} {f.spot.name}": f for f in game.position().figures if f.seat == PUPIL}


def about(game, figure):
    """Return what the page says about the feature of a figure."""
    tiles = game.position().tiles
    number = next(k for k, tile in enumerate(tiles) if (tile.x, tile.y) == (figure.x, figure.y))
    placed = game.states[0].tiles[number]
    spots = SEGMENT_SPOT[placed.design, placed.rotation].tolist()
    return about_feature(game, number, spots.index(figure.spot))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_what_is_asked_does_what_the_words_say(step):
    assert parse_position(step.text).turn_player == PUPIL
    for lesson in ways_through(step):
        before, game = lesson.play.at(0), lesson.play.game
        assert lesson.state == "done"
        gained = tuple(b - a for a, b in zip(before.scores, game.scores, strict=True))
        assert lesson.told()["points"] == gained[PUPIL]
        if step.name in HOME:
            assert HOME[step.name] in figures_of_the_pupil(before)
            assert HOME[step.name] not in figures_of_the_pupil(game)
        if step.name in STANDS:
            (figure,) = figures_of_the_pupil(game).values()
            assert Kind[about(game, figure)["kind"]] == STANDS[step.name]
        if step.name == "end":
            assert game.is_over
            assert (PUPIL, Kind.FIELD, 6) in {(s.seat, s.kind, s.points) for s in game.last_scores}
        else:
            assert gained == POINTS[step.name]


def test_the_farmer_lies_beside_two_complete_cities():
    (lesson,) = ways_through(next(step for step in STEPS if step.name == "farmer"))
    (farmer,) = figures_of_the_pupil(lesson.play.game).values()
    told = about(lesson.play.game, farmer)
    assert (len(told["cities"]), told["now"]) == (2, 6)


def test_the_monk_has_seven_neighbours_and_the_abbot_five():
    for name, n in (("monastery", 7), ("recall", 5)):
        position = parse_position(next(step for step in STEPS if step.name == name).text)
        (at,) = (f for f in position.figures if f.seat == PUPIL)
        near = [t for t in position.tiles if max(abs(t.x - at.x), abs(t.y - at.y)) == 1]
        assert len(near) == n


@pytest.mark.parametrize("step", STEPS[:-1], ids=lambda step: step.name)
def test_something_else_is_legal_and_answered(step):
    lesson = answered(step, ())
    actions = []
    while lesson.state == "open":
        others = asked(lesson, as_asked=False) or asked(lesson)
        actions.append(others[0])
        lesson = answered(step, actions)
    assert lesson.state == "else"


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_step_has_its_words(language):
    table = json.loads((LANGUAGES / f"{language}.json").read_text(encoding="utf-8"))
    for step in STEPS:
        parts = ["title", "do", "done", *(["else"] if step.name != "end" else [])]
        assert all(table[f"tutorial.{step.name}.{part}"] for part in parts)
        assert len(re.findall(r"[.!?](?= |$)", table[f"tutorial.{step.name}.do"])) <= 2, step.name
        claims = "{points}" in table[f"tutorial.{step.name}.done"]
        assert claims == (step.name == "end" or POINTS[step.name][PUPIL] > 0)


def test_the_tutorial_with_the_server(tmp_path):
    """Every step works by messages, first with a wrong move if possible; nothing is stored."""
    with serving(tmp_path) as port, page(port) as tab:
        for k, step in enumerate(STEPS):
            for wanted in ("else", "done") if step is not STEPS[-1] else ("done",):
                tab.ask("lesson", step=k, name="Ann")
                told = tab.hear("entered")["exercise"]
                assert (told["name"], told["state"]) == (step.name, "open")
                tab.hear("state")
                known, ply = Lesson.begin(k, "Ann"), 0
                while told["state"] == "open":
                    action = (asked(known, as_asked=wanted == "done") or asked(known))[0]
                    known.play.act(action)
                    tab.ask("act", ply=ply, action=action)
                    told, ply = tab.hear("exercise"), ply + 1
                assert told["state"] == wanted, (step.name, wanted)
                assert tab.view["scores"] == list(known.play.game.scores)
                tab.ask("act", ply=ply, action=0)
                assert tab.skip_to("error")["why"] in ("gone_on", "not_a_person")
        for forbidden, content in (("undo", {}), ("rematch", {"deck": "new"}), ("review", {})):
            tab.ask(forbidden, **content)
            assert tab.skip_to("error")["why"] == "exercise"
        tab.ask("games")
        assert tab.hear("games")["games"] == []
    assert [*tmp_path.iterdir()] == []
