"""The rows of scoring."""

from scoring.models.figures import Figure, Snapshot

__all__ = ["Figure", "Snapshot"]
