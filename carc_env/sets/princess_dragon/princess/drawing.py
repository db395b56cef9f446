"""Princesses in their cities."""

from carc_env.render.declaring import Drawing

DRAWING = Drawing(
    letters={"princess": "Q"}, emblem=lambda city: "princess" if city.get("princess") else None
)
