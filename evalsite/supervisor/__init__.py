"""What `manage.py up` runs on: one lock, an embedded Valkey, and processes that are watched."""
