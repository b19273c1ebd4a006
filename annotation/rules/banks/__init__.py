"""A whole bank as one file: what its records look like, and what cannot be true of them."""
