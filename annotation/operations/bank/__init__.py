"""The question bank: write questions, inspect them, take them out of use."""
