"""Inns by their ponds, cathedrals, and the large meeple."""

from __future__ import annotations

import numpy as np

from carc_env.engine.core.codes import Figure
from carc_env.render.declaring import Drawing, Form
from carc_env.render.shapes import distance_to_line
from carc_env.render.survey import CELLS, FIELD, Survey

# A larger meeple, so that its size distinguishes it both in the supply and on the board.
_PATH = (
    "M0,-15.6C3.5,-15.6 6,-13.1 6,-9.7C6,-8.3 5.6,-7.1 4.9,-6C9.2,-4.6 15.5,-2.2 15.5,1.4"
    "C15.5,3.5 13.5,4.1 11.2,4.1L7.3,4.1C8.6,7.2 11.8,11.7 11.8,13.9C11.8,15.1 11,15.6 9.9,15.6"
    "L3.9,15.6C2.6,15.6 2.2,15 1.6,13.9L0,10.6L-1.6,13.9C-2.2,15 -2.6,15.6 -3.9,15.6L-9.9,15.6"
    "C-11,15.6 -11.8,15.1 -11.8,13.9C-11.8,11.7 -8.6,7.2 -7.3,4.1L-11.2,4.1"
    "C-13.5,4.1 -15.5,3.5 -15.5,1.4C-15.5,-2.2 -9.2,-4.6 -4.9,-6C-5.6,-7.1 -6,-8.3 -6,-9.7"
    "C-6,-13.1 -3.5,-15.6 0,-15.6Z"
)


def _add_inns(survey: Survey) -> None:
    """Draw an inn by its pond beside the road that it belongs to."""
    plan = survey.plan
    for i, road in enumerate(plan.roads):
        if not road.has_inn:
            continue
        away = np.min([distance_to_line(survey.spots, s.points) for s in road.strands], axis=0)
        reach = 3.0 if plan.bazaar is None else 6.0  # keep its pond out of the market
        near = (np.abs(away - 15.0) < reach).reshape(CELLS, CELLS)
        mask = near & (survey.labels == FIELD)
        if plan.village is not None:  # beside its arm, clear of the houses and the edge
            mask &= np.abs(survey.distance(plan.village) - 33) < 3
        inwards = survey.distance((50.0, 50.0)) * 0.05
        spot, _ = survey.roomiest(mask, np.minimum(survey.room, 10.0) - inwards)
        survey.add("inn", spot, 9.0, 10.0, i)


DRAWING = Drawing(
    letters={"inn": "i", "cathedral": "K"},
    before_farmers=_add_inns,
    figures={Figure.LARGE: Form(_PATH, letter_y=7.2, letter_size=7.6, brackets="{}")},
)
