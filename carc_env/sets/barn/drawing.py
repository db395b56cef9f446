"""The barn."""

from carc_env.engine.core.codes import Figure
from carc_env.render import palette
from carc_env.render.declaring import Drawing, Form

# The gable of a barn with a gambrel roof: eaves, a loft, and a door with crossed boards.
_PATH = "M-10.4,12L-10.4,0L-13,0L-9.2,-8.4L0,-13.6L9.2,-8.4L13,0L10.4,0L10.4,12Z"
_EAVES = "M-12,-0.8L-8.5,-7.7L0,-12.5L8.5,-7.7L12,-0.8"
_DETAILS = (
    f'<path d="{_EAVES}" fill="none" stroke="{{dark}}" stroke-width="3.4"'
    ' stroke-linejoin="round"/>'
    '<path d="M-5.4,11.6V3.4H5.4V11.6Z" fill="{dark}"/>'
    f'<path d="M-4.6,11.4V4.2H4.6V11.4ZM-4.6,4.2L4.6,11.4M4.6,4.2L-4.6,11.4" fill="none"'
    f' stroke="{palette.SHIELD_WHITE}" stroke-width="1.1" stroke-linejoin="round"/>'
)

DRAWING = Drawing(
    figures={
        Figure.BARN: Form(
            _PATH, _DETAILS, letter_y=1.6, letter_size=6.0, scale=1.15, brackets="/\\"
        )
    }
)
