"""What a metric reads, and why it may have nothing to say."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Text:
    """A response, the texts it should resemble, and the text it was made from."""

    response: str
    references: tuple[str, ...] = ()
    source: str = ""


class Why(StrEnum):
    """Why a metric is undefined for a text."""

    EMPTY = "empty"
    NO_WORDS = "no_words"
    TOO_SHORT = "too_short"
    NO_REFERENCE = "no_reference"
    SHORT_REFERENCE = "short_reference"
    NO_SOURCE = "no_source"
    NOT_ENGLISH = "not_english"
    NO_WORDNET = "no_wordnet"


class Undefined(ValueError):
    """A metric has no value for this text."""

    def __init__(self, why: Why) -> None:
        super().__init__(why.value)
        self.why = why
