"""Files that people bring: bytes to text, text to records, records to questions, answers and grades."""
