"""The direct judge: criteria of a rubric, one answer, a reason and a value for each criterion."""
