"""Inns by their ponds, cathedrals, and the large meeple."""

from __future__ import annotations

import numpy as np

from carc_env.engine.core.codes import Figure
from carc_env.render.declaring import Drawing
from carc_env.render.shapes import distance_to_line
from carc_env.render.sites import CELLS, FIELD, Survey


def _add_inns(survey: Survey) -> None:
    """An inn by its pond beside the road that it belongs to."""
    plan = survey.plan
    for i, road in enumerate(plan.roads):
        if not road.has_inn:
            continue
        away = np.min([distance_to_line(survey.spots, s.points) for s in road.strands], axis=0)
        reach = 3.0 if plan.bazaar is None else 6.0  # its pond stays out of the market
        near = (np.abs(away - 15.0) < reach).reshape(CELLS, CELLS)
        mask = near & (survey.labels == FIELD)
        if plan.village is not None:  # beside its arm, clear of the houses and the rim
            mask &= np.abs(survey.distance(plan.village) - 33) < 3
        inwards = survey.distance((50.0, 50.0)) * 0.05
        spot, _ = survey.roomiest(mask, np.minimum(survey.room, 10.0) - inwards)
        survey.add("inn", spot, 9.0, 10.0, i)


DRAWING = Drawing(
    letters={"inn": "i", "cathedral": "K"},
    before_farmers=_add_inns,
    brackets={Figure.LARGE: "{}"},
)
