"""The mayor."""

from carc_env.engine.core.codes import Figure
from carc_env.render import palette
from carc_env.render.declaring import Drawing, Form

# A top hat, a short neck, and a belly that leaves no room for legs.
_PATH = (
    "M-3.9,-16.4L3.9,-16.4L3.5,-11.2L6.2,-11.2C7,-11.2 7,-9.4 6.2,-9.4L4.2,-9.4"
    "C4.6,-7.4 4.1,-5.9 3.3,-5.1C7.4,-4.6 12.4,-2.4 12.6,0.6C12.7,2.4 11.2,2.8 9.7,2.5"
    "C11.4,6.4 10.2,10 7.6,12.6L1.8,12.6L0,11.6L-1.8,12.6L-7.6,12.6C-10.2,10 -11.4,6.4 -9.7,2.5"
    "C-11.2,2.8 -12.7,2.4 -12.6,0.6C-12.4,-2.4 -7.4,-4.6 -3.3,-5.1C-4.1,-5.9 -4.6,-7.4 -4.2,-9.4"
    "L-6.2,-9.4C-7,-9.4 -7,-11.2 -6.2,-11.2L-3.5,-11.2Z"
)
_HAT = "M-3.7,-13.6L-3.5,-11.4H3.5L3.7,-13.6Z"
_CHAIN = "M-6.4,-3.8C-5,-1.4 -2.6,0.2 0,0.5C2.6,0.2 5,-1.4 6.4,-3.8"
_DETAILS = (
    f'<path d="{_HAT}" fill="{{dark}}"/>'
    f'<path d="{_CHAIN}" fill="none" stroke="{{dark}}" stroke-width="2.9"/>'
    f'<path d="{_CHAIN}" fill="none" stroke="{palette.CHAIN}" stroke-width="1.6"'
    ' stroke-dasharray="1.7 0.5"/>'
    f'<circle cx="0" cy="0.9" r="2" fill="{palette.CHAIN}" stroke="{{dark}}" stroke-width="0.8"/>'
)

DRAWING = Drawing(
    figures={Figure.MAYOR: Form(_PATH, _DETAILS, letter_y=10.0, letter_size=5.6, brackets="<>")}
)
