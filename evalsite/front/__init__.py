"""The front door: requests come in whole and answers go out at the visitor's pace, without a thread."""
