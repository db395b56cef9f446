"""What seats see and earn: planes, globals, lanes, rewards."""
