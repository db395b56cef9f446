"""Special monasteries."""
