"""The package's Gymnasium IDs."""

import gymnasium

ENV_ID = "carc_env/Carcassonne-v1"


def register_gymnasium() -> None:
    """Register ``carc_env/Carcassonne-v1`` for ``gymnasium.make``; importing carc_env calls it."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="carc_env.envs.single_agent:CarcassonneEnv",
            vector_entry_point="carc_env.envs.vector:CarcassonneVectorEnv",
        )
