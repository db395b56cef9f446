"""Magic portals in their fields."""

from carc_env.render.declaring import Drawing

DRAWING = Drawing(letters={"portal": "O"}, after_farmers=lambda survey: survey.add_sign("portal"))
