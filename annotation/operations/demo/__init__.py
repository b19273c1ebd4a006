"""The demo project: loaded by the very operations that people use."""
