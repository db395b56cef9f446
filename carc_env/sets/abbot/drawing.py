"""The abbot as text."""

from carc_env.engine.core.codes import Figure
from carc_env.render.declaring import Drawing

DRAWING = Drawing(brackets={Figure.ABBOT: "()"})
