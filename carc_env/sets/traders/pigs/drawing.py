"""Pigs, and the pig-herd in its field."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure
from carc_env.render.declaring import Drawing
from carc_env.render.sites import Survey


def _add_herd(survey: Survey) -> None:
    """In its field, where there is most room."""
    for field, mask in zip(survey.row["fields"], survey.fields, strict=True):
        if field.get("pig_herd"):
            spot, room = survey.roomiest(mask)
            radius = min(11.0, max(8.0, room - 1.0))
            survey.add("pig-herd", spot, radius, radius)


DRAWING = Drawing(
    letters={"pig-herd": "p"},
    after_farmers=_add_herd,
    brackets={Figure.PIG: "@@"},
    makes_room=True,
)
