"""Metrics that are computed from texts alone, without asking a language model."""
