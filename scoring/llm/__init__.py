"""Clients of language models, without Django."""
