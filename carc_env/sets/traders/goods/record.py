"""Record field for trade goods."""

from __future__ import annotations

from carc_env.engine.core.codes import MAX_PLAYERS, N_GOODS
from carc_env.engine.core.fields import Field, Part

PART = Part(
    rules=(Field("goods", "i1"),),  # 1: trade goods are collected (TRA-01)
    events=MAX_PLAYERS * N_GOODS,  # no seat scores for the same good twice
)
