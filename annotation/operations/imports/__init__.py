"""Bring files in: take one, map it, try it, apply it batch by batch, undo it."""
