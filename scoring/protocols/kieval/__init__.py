"""KIEval: an interview by one language model, judged exchange by exchange by another (Yu et al., 2024)."""
