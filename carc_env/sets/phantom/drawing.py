"""The phantom: a meeple under a sheet."""

from carc_env.engine.core.codes import Figure
from carc_env.render.declaring import Drawing, Form

# A round head above a wide hem with four folds, and arms raised under the cloth.
_PATH = (
    "M0,-14C4.2,-14 6.6,-11.2 6.8,-7.6C7,-5.4 8.2,-4.6 10.6,-5.2C12.4,-5.6 13.4,-3.8 12.2,-2.2"
    "C10.6,-0.2 8.6,0.8 8.2,2.8C8,5.4 9,8.2 10.6,11.4C8.6,12.6 6.8,12.2 5.4,10.6"
    "C3.8,12.8 1.6,12.8 0,11C-1.6,12.8 -3.8,12.8 -5.4,10.6C-6.8,12.2 -8.6,12.6 -10.6,11.4"
    "C-9,8.2 -8,5.4 -8.2,2.8C-8.6,0.8 -10.6,-0.2 -12.2,-2.2C-13.4,-3.8 -12.4,-5.6 -10.6,-5.2"
    "C-8.2,-4.6 -7,-5.4 -6.8,-7.6C-6.6,-11.2 -4.2,-14 0,-14Z"
)
_EYES = (
    '<ellipse cx="-2.5" cy="-7.6" rx="1.4" ry="2" fill="{dark}"/>'
    '<ellipse cx="2.5" cy="-7.6" rx="1.4" ry="2" fill="{dark}"/>'
)

DRAWING = Drawing(
    figures={
        Figure.PHANTOM: Form(_PATH, _EYES, letter_y=6.0, letter_size=6.6, brackets="~~"),
    }
)
