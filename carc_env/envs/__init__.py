"""The environments: PettingZoo, Gymnasium, and vectorized; rewards and opponents."""
