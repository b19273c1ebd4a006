"""Further function metrics: words that hurt, words in common with something else, and languages."""

from typing import Final

from scoring.protocols.metrics import languages, words
from scoring.protocols.suite import lexicon
from scoring.protocols.suite.conversations import Conversation, Message, Turn, text_of
from scoring.protocols.suite.functions import BadArgument, Value, Values

CONTEXT: Final = "context"
REFERENCE: Final = "reference"


def count_toxic_words(text: str) -> Values:
    """Count profanity, insults, threats and slurs of a short English list; it knows no meaning."""
    return lexicon.count(text)


def lexical_overlap(
    part: Turn | Message, conversation: Conversation, against: str = CONTEXT, n: int = 1
) -> Values:
    """Return precision, recall and F1 of words in common with what was said before, or a reference.

    ROUGE-N by words: of the part's sequences of n words the share that the other text has, of the
    other text's the share that the part has, and their harmonic mean. A reference stands beside the
    message or the conversation, under the name “reference”.
    """
    if against not in {CONTEXT, REFERENCE}:
        raise BadArgument(f"“against” is {CONTEXT} or {REFERENCE}.")
    if not 1 <= n <= 4:
        raise BadArgument("“n” lies between 1 and 4.")
    other = _before(part, conversation) if against == CONTEXT else _reference(part, conversation)
    own, theirs = words.ngrams(text_of(part), n), words.ngrams(other, n)
    if not own or not theirs:
        return dict.fromkeys(("precision", "recall", "f1"))
    shared = (own & theirs).total()
    precision, recall = shared / own.total(), shared / theirs.total()
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    return {"precision": precision, "recall": recall, "f1": f1}


def language(text: str) -> Values:
    """Return the language of a text as its ISO 639 code; none where it cannot be told."""
    found = languages.language(text)
    return {found: 1} if found else {"language": None}


def moderation(text: str, endpoint: str = "") -> Values:
    """Have an endpoint say how likely a text is of each category of harmful content; the first judge's, unless named.

    Raises:
        BadArgument: always: who runs a suite asks the endpoint instead.
    """
    raise BadArgument(f"“moderation” is asked of an endpoint ({endpoint or 'the first judge'}).")


def is_in_language(text: str, code: str = "en") -> Value:
    """Return whether a text is in a language, by its ISO 639 code; none where it cannot be told."""
    found = languages.language(text)
    return found == code.casefold() if found else None


def _before(part: Turn | Message, conversation: Conversation) -> str:
    first = part.index if isinstance(part, Message) else part.messages[0].index
    return "\n".join(one.content for one in conversation.messages[:first])


def _reference(part: Turn | Message, conversation: Conversation) -> str:
    messages = (part,) if isinstance(part, Message) else part.messages
    places = [*(one.details for one in messages), conversation.details]
    said = (one.get(REFERENCE) for one in places)
    return next((one for one in said if isinstance(one, str)), "")
