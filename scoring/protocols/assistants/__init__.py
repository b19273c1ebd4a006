"""Assistant evaluators: numbers that judges may be given beside an answer (Shu et al., 2024)."""
