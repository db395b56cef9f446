"""Hills and vineyards in their fields."""

from carc_env.render.declaring import Drawing
from carc_env.render.survey import Survey


def _add_signs(survey: Survey) -> None:
    survey.add_sign("hill")
    survey.add_sign("vineyard")


DRAWING = Drawing(letters={"hill": "h", "vineyard": "v"}, after_farmers=_add_signs)
