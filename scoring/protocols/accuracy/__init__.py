"""Accuracy on questions of multiple choice, with examples before the question and options in several orders."""
