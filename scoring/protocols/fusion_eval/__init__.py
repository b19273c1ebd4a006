"""Fusion-Eval: a language model fuses the scores of assistant evaluators (Shu et al., 2024)."""
