"""G-Eval: steps are derived from a criterion, then a form is filled in (Liu et al., 2023)."""
