"""Look at a file: its encoding, how its rows are written, and what its columns are."""
