"""Cards: none is missing, none is too long, and the documentation has the same text."""

from io import BytesIO
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from carc_env.engine.core.codes import Figure, Phase
from carc_env.engine.core.tiles import FACTS
from carc_env.rules import TILE_SETS
from carc_env.systems import QUESTIONS, SYSTEMS
from carc_env.web.art import drawing
from carc_env.web.cards import LANGUAGES, all_cards, cards_told

DOCS = Path(__file__).parents[1] / "docs/rules"
MAX_WORDS = 60
EVERYBODY_KNOWS = (Phase.PLACE_TILE, Phase.FIGURE, Phase.GAME_OVER, Phase.ELSEWHERE)
"""Questions that need no card.

They are those of the base game, and one that many sets share: the tile and the action explain it.
"""


def test_every_thing_has_one_card():
    wanted = [f"figure.{figure.name}" for figure in Figure]
    wanted += [f"set.{name}" for name in TILE_SETS]
    wanted += dict.fromkeys(f"system.{system.name}" for system in SYSTEMS)
    supplies = chain.from_iterable(system.supplies for system in SYSTEMS)
    wanted += dict.fromkeys(f"stock.{supply.symbol}" for supply in supplies if supply.symbol)
    wanted += [f"ask.{phase.name}" for phase in QUESTIONS if phase not in EVERYBODY_KNOWS]
    wanted += sorted({f"tile.{row['id'].split('-')[0]}" for row in FACTS} - {"tile.bg"})
    wanted += ["marker.king", "marker.robber"]
    about = [key for card in all_cards().values() for key in card.about]
    assert sorted(set(wanted) - set(about)) == []
    assert len(about) == len(set(about))


def test_every_card_can_be_found():
    cards = all_cards()
    told = set(chain.from_iterable(card.see for card in cards.values()))
    assert told <= cards.keys()
    assert [card.name for card in cards.values() if not card.about and card.name not in told] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_cards_are_short(language):
    for card in cards_told(language):
        assert card["asks"].endswith("?") and card["says"].endswith("."), card["name"]
        assert len(card["says"].split()) <= MAX_WORDS, card["name"]


def test_languages_say_different_things():
    for card in all_cards().values():
        said = [card.words[language] for language in LANGUAGES]
        assert said[0]["asks"] != said[1]["asks"] and said[0]["says"] != said[1]["says"], card.name


@pytest.mark.parametrize("card", all_cards().values(), ids=lambda card: card.name)
def test_a_card_has_pictures_and_heads_its_page(card):
    assert card.pictures and all(drawing(key)["svg"] for key in card.pictures)
    page = (DOCS / f"{card.page}.md").read_text(encoding="utf-8")
    head = page.partition("<!-- table: cards -->")[2].partition("<!-- end of table -->")[0]
    assert card.words["en"]["says"] in " ".join(head.split())


SEEN = 40
"""Opacity, of 255, above which a pixel counts as drawn; fainter pixels are a shadow's rim."""
MAX_BEYOND = 0.02
"""Share of a picture's width by which strokes at its edge may exceed it."""


def test_no_picture_of_a_card_is_cropped():
    resvg, image = pytest.importorskip("resvg_py"), pytest.importorskip("PIL.Image")
    keys = {key for card in all_cards().values() for key in card.pictures if key[:2] == "x:"}
    cropped, size = {}, 300
    for key in sorted(keys):
        drawn = drawing(key)
        x, y, width, height = map(float, drawn["box"].split())
        all_round = f"{x - width} {y - height} {3 * width} {3 * height}"
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{all_round}" width="{size}"'
            f' height="{size}" preserveAspectRatio="none">{drawn["svg"]}</svg>'
        )
        picture = image.open(BytesIO(bytes(resvg.svg_to_bytes(svg_string=svg))))
        is_drawn = np.array(picture.convert("RGBA"))[..., 3] > SEEN
        for lines in (is_drawn.any(0), is_drawn.any(1)):
            first, *_, last = np.flatnonzero(lines)
            beyond = max(size / 3 - first, last + 1 - size * 2 / 3) / (size / 3)
            if beyond > MAX_BEYOND:
                cropped[key] = beyond
    assert cropped == {}
