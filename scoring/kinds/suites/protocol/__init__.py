"""Evaluation suites: function metrics and rubrics over conversations (FlexEval, Christie et al., 2024)."""
