"""Reads for imports: files as records, records against what the project has, lists for the pages."""
