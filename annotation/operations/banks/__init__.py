"""A whole bank as one file: kept, made, checked and brought in."""
