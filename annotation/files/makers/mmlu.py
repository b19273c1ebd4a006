"""MMLU: tables without headings, a question a line, with four options and the letter of the right one."""

from typing import Final

from annotation.files.shapes import Sample, Shape

COLUMNS: Final = ("question", "A", "B", "C", "D", "answer")


def _fits(sample: Sample) -> bool:
    """Say whether each line has six cells, and the last one is the letter of an option."""
    if sample.form != "csv" or len(sample.columns) != len(COLUMNS):
        return False
    last = sample.columns[-1]
    rows = [str(record[last]).strip() for record in sample.records]
    if not last.startswith("column "):
        rows.append(last)
    return bool(rows) and all(row in set("ABCD") for row in rows)


SHAPES: Final = (Shape("mmlu", "MMLU, a table without headings", "CHOICES", _fits, header=COLUMNS),)
