"""Shrines as text."""

from carc_env.render.declaring import Drawing

DRAWING = Drawing(letters={"shrine": "S"})
