"""Django's SQLite, with its writers in a queue."""
