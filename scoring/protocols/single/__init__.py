"""One score from 1 to 10 for an answer as a whole, as MT-Bench asks for (Zheng et al., 2023)."""
