"""The makers whose files are known, a module each: see `annotation.files.shapes`."""
