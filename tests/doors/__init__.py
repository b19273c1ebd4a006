"""The rows of tests/who_may.py, a module for each room."""
