"""Losses as their runs read them: the text of an item, and which of the two kinds it is of.

* Losses of a run as pages and files show them: names in the place of keys.
"""

from collections.abc import Mapping
from typing import Any, Final

from annotation.systems.models import Item
from scoring.kinds.accuracy import queries as quizzes

TRAIN, TEST = "train", "test"
SPLITS: Final = (TRAIN, TEST)


def text_of(item: Item) -> str:
    """Return an item as a text that may have been learnt: question, options, and the right answer."""
    question = quizzes.question_of(item)
    if question is None:
        return "\n".join(filter(None, (item.question, item.reference.strip())))
    options = [
        f"{label}. {text}" for label, text in zip(question.labels, question.options, strict=False)
    ]
    return "\n".join([question.text, *options, f"Answer: {question.labels[question.right]}"])


def fits(item: Item) -> bool:
    """Return whether an item has a text of more than one word."""
    return len(text_of(item).split()) > 1


def split_of(config: Mapping[str, Any]) -> dict[int, str]:
    """Return which kind each item of a run is of."""
    return {pk: name for name in SPLITS for pk in config[name]}
