"""Pigs, and the pig-herd in its field."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure
from carc_env.render import palette
from carc_env.render.declaring import OUTLINE, Drawing, Form
from carc_env.render.survey import Survey

# Side view with a light snout and a curly tail; it never lies down.
_PATH = (
    "M-10.6,-2C-10.6,-7 -6,-9.4 0,-9.4C2.8,-9.4 5,-9 6.6,-8.2L7.2,-11.8L10.6,-8.2"
    "C12.4,-7 13.2,-5.2 13.6,-3.8L16,-3.4C17,-3.2 17.2,0.4 16.2,0.8L13,1.6C12,3.2 10.4,4.2 8.8,4.6"
    "L8.8,8.6C8.8,9.3 8.4,9.7 7.7,9.7L4.4,9.7C3.8,9.7 3.4,9.3 3.3,8.7L3,6.2C0,6.8 -2.6,6.8 -5,6.2"
    "L-5.3,8.7C-5.4,9.3 -5.8,9.7 -6.4,9.7L-9.4,9.7C-10,9.7 -10.4,9.3 -10.4,8.6L-10.4,3"
    "C-10.8,1.4 -10.7,0 -10.6,-2Z"
)
_DETAILS = (
    '<path d="M-10.6,-2.4C-13.8,-2.4 -15.4,-5.6 -13.4,-6.8C-11.4,-7.8 -11.2,-4.8 -13.8,-4"'
    f' fill="none" {OUTLINE}="1.8" stroke-linecap="round"/>'
    '<path d="M6.4,-8.2C6.6,-6 8.2,-5 9.4,-5.8L10.4,-8.2L7.2,-11.6Z" fill="{dark}"/>'
    f'<ellipse cx="15" cy="-1.3" rx="2" ry="2.7" fill="{palette.SNOUT}" {OUTLINE}="1"/>'
    '<circle cx="11.4" cy="-3.6" r="1" fill="{dark}"/>'
    '<path d="M3.4,8H8.8V9.6H3.5ZM-10.3,8H-5.2L-5.4,9.6H-10.2Z" fill="{dark}"/>'
)


def _add_herd(survey: Survey) -> None:
    """Place the pig-herd in its field, where there is most room."""
    for field, mask in zip(survey.row["fields"], survey.fields, strict=True):
        if field.get("pig_herd"):
            spot, room = survey.roomiest(mask)
            radius = min(11.0, max(8.0, room - 1.0))
            survey.add("pig-herd", spot, radius, radius)


DRAWING = Drawing(
    letters={"pig-herd": "p"},
    after_farmers=_add_herd,
    figures={Figure.PIG: Form(_PATH, _DETAILS, letter_y=1.6, letter_size=6.4, brackets="@@")},
    makes_room=True,
)
