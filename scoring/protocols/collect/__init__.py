"""Ask a system the questions that are put before raters."""
