"""Traders & Builders: pigs."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure
from carc_env.systems.declaring import Stance, System

PIGS = System(
    name="traders",
    is_on=lambda rules: rules.pigs,
    switches=("pigs",),
    figures={Figure.PIG: Stance("the field at a half-edge")},
)
