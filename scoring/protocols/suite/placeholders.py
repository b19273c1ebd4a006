"""The placeholders of a rubric's prompt: only these are replaced, every other brace stays as it is."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

#: {input} is what older rubric files call the conversation.
NAMES: Final = ("conversation", "context", "content", "completion", "tool_calls", "input")
_PLACES = re.compile("|".join(f"\\{{{one}\\}}" for one in NAMES))


def used(prompt: str) -> list[str]:
    """Return the placeholders of a prompt, each once, in order."""
    return list(dict.fromkeys(one[1:-1] for one in _PLACES.findall(prompt)))


def fill(prompt: str, texts: Mapping[str, str]) -> str:
    """Return the prompt with its placeholders replaced; what is put in is not looked at again."""
    return _PLACES.sub(lambda found: texts[found[0][1:-1]], prompt)


#: Signs around a choice that say nothing: Markdown, quotation marks, brackets, full stops.
_AROUND: Final = " \t\r\n*_`~#\"'“”‘’„«»‚().,;:!?[]{}<>|=。，；：！？、（）【】「」《》"


def normal(text: str) -> str:
    """Return a choice as it is compared: width, case, Markdown and punctuation around it do not count.

    Numbers are compared as numbers: "10", "10.0" and "１０" are one.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().strip(_AROUND)
    plain = " ".join(plain.split())
    number = re.fullmatch(r"[+-]?\d{1,15}(?:\.\d{1,15})?", plain)
    return repr(float(plain)) if number else plain


def twins(choices: Sequence[str]) -> str:
    """Return a choice that reads like an earlier one, or is nothing; else an empty text."""
    seen: set[str] = set()
    for one in choices:
        if not normal(one) or normal(one) in seen:
            return one or " "
        seen.add(normal(one))
    return ""
