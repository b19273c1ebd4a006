"""A whole bank as one file: written from the database, read from a file, compared with a project."""
