"""The building: settings, addresses, what both apps share."""

#: As in pyproject.toml; a test compares them. Reports say which version made them.
VERSION = "0.2.0"
