"""The abbot."""

from carc_env.engine.core.codes import Figure
from carc_env.render.declaring import Drawing, Form

_PATH = (
    "M0,-13.2C2.4,-11.6 4.3,-9.4 4.3,-6.6C4.3,-5.6 4,-4.9 3.5,-4.2C6.2,-3.2 8.6,-1.2 9.2,2"
    "C9.5,3.6 8.6,4.2 7,3.9L8.6,10C8.8,11 8.3,11.5 7.4,11.5L-7.4,11.5C-8.3,11.5 -8.8,11 -8.6,10"
    "L-7,3.9C-8.6,4.2 -9.5,3.6 -9.2,2C-8.6,-1.2 -6.2,-3.2 -3.5,-4.2C-4,-4.9 -4.3,-5.6 -4.3,-6.6"
    "C-4.3,-9.4 -2.4,-11.6 0,-13.2Z"
)

DRAWING = Drawing(figures={Figure.ABBOT: Form(_PATH, letter_y=7.0, brackets="()")})
