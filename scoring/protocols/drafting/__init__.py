"""Help with drafting questions: proposals that a person takes over, changes, or leaves."""
