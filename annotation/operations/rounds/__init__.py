"""A round from its first sketch to its final state."""
