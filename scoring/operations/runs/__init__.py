"""Runs: background work by machines that survives anything (ARCHITECTURE §4)."""
