"""The environments: PettingZoo, Gymnasium, many games at once; rewards and opponents."""
