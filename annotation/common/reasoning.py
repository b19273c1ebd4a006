"""Tell what a model thought aloud from what it answered: the one reader for all that comes from models.

Reasoning comes between tags (`<think>`, `[THINK]`, `◁think▷` …), in channels (harmony), with a closing tag
alone (templates that write the opening one into the prompt), or without an end: then all after it is
reasoning. Tags that are English words (`<reason>`) are reasoning only as a pair that opens a reply and leaves
an answer. A tag in JSON, in a code block, in quotation marks or named in a sentence is text like any other.
"""

import bisect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Parted:
    """A reply without its reasoning, and the reasoning; one of them may be empty."""

    answer: str
    reasoning: str = ""


def split(text: str) -> Parted:
    """Return the answer in a text and the reasoning beside it; a text without reasoning stays as it is."""
    lowered = text.lower()
    if not any(word in lowered for word in _IN_TAGS) or not _MAY_HOLD.search(text):
        return Parted(text)
    thought: list[str] = []
    answer = text
    for _again in range(_MOST_LAYERS):
        found = _channels(answer) or _blocks(answer) or _opening_pair(answer)
        if found is None:
            break
        answer = _unwrapped(found.answer)
        thought.append(found.reasoning.strip())
    return Parted(answer, "\n\n".join(one for one in thought if one))


def of_content(content: object) -> Parted:
    """Return what a message's content says: a text, or a list of parts of which some are reasoning."""
    if isinstance(content, str):
        return split(content)
    if not isinstance(content, Sequence):
        return Parted("")
    said: list[str] = []
    thought: list[str] = []
    for part in content:
        if isinstance(part, Mapping) and is_reasoning(part):
            thought.append(words_of(part))
        elif isinstance(part, Mapping) and isinstance(text := part.get("text"), str):
            said.append(text)
    found = split("\n\n".join(said))
    return Parted(found.answer, "\n\n".join(one for one in (*thought, found.reasoning) if one))


def is_reasoning(part: Mapping[str, Any]) -> bool:
    """Say whether a part of a content is reasoning, by its type."""
    kind = str(part.get("type") or "").casefold()
    return "reasoning" in kind or "thinking" in kind or kind in {"thought", "summary_text"}


def words_of(value: object) -> str:
    """Return the words in a part of reasoning, however deep they stand in it."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        names = ("text", "thinking", "reasoning", "content", "summary")
        return "\n".join(words for name in names if (words := words_of(value.get(name))))
    if isinstance(value, Sequence):
        return "\n".join(words for one in value if (words := words_of(one)))
    return ""


# Tags -------------------------------------------------------------------------------------

#: Reasoning within what was left of reasoning: deeper than this nobody writes it.
_MOST_LAYERS: Final = 5
#: What models alone write, and words that documents have for tags as well.
_NAMES: Final = r"(?:think|thinking|seed:think)"
_WORDS: Final = r"(?:thought|thoughts|reasoning|reason|reflection|scratchpad)"
_OPENING = re.compile(
    rf"<(?P<tag>{_NAMES})\s*>|\[(?P<square>THINK|THINKING)\]|◁(?P<wing>think)▷"
    r"|<\|begin_of_(?P<begin>thought)\|>|<\|START_(?P<start>THINKING)\|>",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"</(?P<tag>{_NAMES})\s*>|\[/(?P<square>THINK|THINKING)\]|◁/(?P<wing>think)▷"
    r"|<\|end_of_(?P<begin>thought)\|>|<\|END_(?P<start>THINKING)\|>",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(
    rf"</?{_NAMES}\s*>|\A\s*<{_WORDS}\s*>|\[/?THINK|◁/?think▷|<\|(?:begin|end)_of_thought|_THINKING\|>|<\|channel\|>"
    r"|assistantfinal",
    re.IGNORECASE,
)
#: One of these is in every text that may hold reasoning: they are looked for first, as that is quick.
_IN_TAGS: Final = ("think", "thought", "<reas", "<refl", "<scra", "<|channel", "assistantfinal")
_QUOTES: Final = "\"'`“”„‘’«»(「『"
#: What follows a tag that a sentence speaks of.
_NAMED = re.compile(
    r"[\"'`“”‘’«»)」』]|[ \t]+(?:tags?|tokens?|elements?|markers?|blocks?|sections?|is|are|means|stands|and|or|"
    r"then|to)\b|[ \t]*(?:标签|标记|和)|[,;/…]|\.{2,}|[.:!?](?:\s|$)",
    re.IGNORECASE,
)
#: What ends a sentence or a value, and what ends a line.
_ENDS: Final = tuple(".!?。！？…)]}>\"'”’»*`$")
_LINE_ENDS = re.compile(r"[ \t]*(?:\n|\Z)")
#: What stands between two tags that a sentence names one after the other.
_BETWEEN = re.compile(r"[\s.…/,–—-]*(?:and|or|to|und|oder|et|和|与|或)?[\s.…/,–—-]*", re.IGNORECASE)


def _blocks(text: str) -> Parted | None:
    """Return a text without the reasoning between its tags; None where there is none."""
    tags = _TextTags(text)
    kept: list[str] = []
    thought: list[str] = []
    place = 0
    while place <= len(text):
        opening = tags.opening(place)
        until = len(text) if opening is None else opening.start()
        before = tags.alone(place, until)
        if before is not None:
            # What closes and was never opened ends all that stands before it.
            thought += [*kept, text[place : before.start()]]
            kept, place = [], before.end()
        kept.append(text[place:until])
        if opening is None:
            break
        closing = tags.end(opening)
        thought.append(text[opening.end() : None if closing is None else closing.start()])
        place = len(text) + 1 if closing is None else closing.end()
    if not thought:
        return None
    return Parted("".join(kept), "\n\n".join(one.strip() for one in thought if one.strip()))


class _TextTags:
    """The tags of a text, found once: however many there are, a look at it stays quick."""

    def __init__(self, text: str) -> None:
        self._text = text
        quoted = _Quoted(text)
        self._openings = [one for one in _OPENING.finditer(text) if not quoted.holds(one.start())]
        self._ends: dict[tuple[str | None, str], list[re.Match[str]]] = {}
        closings = list(_CLOSING.finditer(text))
        for one in closings:
            self._ends.setdefault(_name(one), []).append(one)
        named = self._closed_in_passing()
        self._clear = [
            one
            for one in closings
            if one.start() not in named
            and not quoted.holds(one.start())
            and not self._is_named(one)
        ]
        self._alone = [one for one in self._clear if self._ends_all(one)]
        clear = {one.start() for one in self._clear}
        self._clear_ends = {
            name: [one for one in ends if one.start() in clear] for name, ends in self._ends.items()
        }

    def _closed_in_passing(self) -> set[int]:
        """Return where tags close that a sentence names with the tag that opens."""
        found = set()
        for one in self._openings:
            closing = _after(self._ends.get(_name(one), ()), one.end())
            if closing is None or not self._line(one).strip():
                continue
            between = self._text[one.end() : min(closing.start(), one.end() + 200)]
            if self._before(one) in _QUOTES or _BETWEEN.fullmatch(between):
                found.add(closing.start())
        return found

    def opening(self, place: int) -> re.Match[str] | None:
        """Return the first tag from a place on that opens reasoning."""
        at = bisect.bisect_left(self._openings, place, key=lambda one: one.start())
        some = (self._openings[number] for number in range(at, len(self._openings)))
        return next((one for one in some if self._opens(one, place)), None)

    def _opens(self, tag: re.Match[str], place: int) -> bool:
        """Say whether a tag opens reasoning, and is not merely named."""
        text, begins = self._text, not self._line(tag, place).strip()
        closing = _after(self._ends.get(_name(tag), ()), tag.end())
        if closing is not None and not self._is_named(closing):
            between = text[tag.end() : closing.start()]
            if begins:
                return True
            return self._before(tag) not in _QUOTES and not _BETWEEN.fullmatch(between)
        if self._is_named(tag):
            return False
        # Without an end it takes all that follows: in the middle of a sentence it is spoken of.
        follows = re.match(r"\s*\n|[\w{\[\"]", text[tag.end() : tag.end() + 200])
        return begins or (follows is not None and self._line(tag).rstrip().endswith(_ENDS))

    def alone(self, place: int, until: int) -> re.Match[str] | None:
        """Return the last closing tag between two places: no tag opened what it closes."""
        at = bisect.bisect_left(self._alone, until, key=lambda one: one.start())
        found = self._alone[at - 1] if at else None
        return found if found is not None and found.start() >= place else None

    def _ends_all(self, tag: re.Match[str]) -> bool:
        """Say whether a tag ends what stands before it though none opened it: it begins a line, or ends one.

        Within a line it does so right after a whole sentence and right before what is answered.
        """
        before = _CLOSING.sub("", self._line(tag))
        if not before.strip():
            return True
        if _LINE_ENDS.match(self._text, tag.end()):
            return not before[-1].isspace() or before.rstrip().endswith(_ENDS)
        return before.endswith(_ENDS) and not self._text[tag.end()].isspace()

    def end(self, opening: re.Match[str]) -> re.Match[str] | None:
        """Return the tag that ends reasoning: one outside of code and of sentences, if there is one."""
        name = _name(opening)
        clear = _after(self._clear_ends.get(name, ()), opening.end())
        return clear or _after(self._ends.get(name, ()), opening.end())

    def _is_named(self, tag: re.Match[str]) -> bool:
        """Say whether a sentence speaks of a tag: it is quoted, or words go on about it in its line."""
        if self._before(tag) in _QUOTES:
            return True
        after = self._text[tag.end() : tag.end() + 20]
        if not _NAMED.match(after):
            return False
        # At the beginning of a line a quotation mark after it may open what was thought or answered.
        return bool(self._line(tag).strip()) or after[:1] not in "\"'“‘«"

    def _before(self, tag: re.Match[str]) -> str:
        return self._text[tag.start() - 1] if tag.start() else "\n"

    def _line(self, tag: re.Match[str], place: int = 0) -> str:
        """Return what stands before a tag in its line, from a place on; of a long line its end."""
        start = self._text.rfind("\n", 0, tag.start()) + 1
        return self._text[max(start, place, tag.start() - 200) : tag.start()]


def _after(tags: Sequence[re.Match[str]], place: int) -> re.Match[str] | None:
    at = bisect.bisect_left(tags, place, key=lambda one: one.start())
    return tags[at] if at < len(tags) else None


def _name(tag: re.Match[str]) -> tuple[str | None, str]:
    return tag.lastgroup, str(tag[tag.lastgroup or 0]).casefold()


#: What an answer may begin with that is a tag; any other one says that all is a document.
_ELEMENT = re.compile(rf"\s*<(?!(?:answer|output|{_WORDS}|{_NAMES})\s*>)[a-z!?/]", re.IGNORECASE)
_WORD = re.compile(rf"\s*<(?P<tag>{_WORDS})\s*>", re.IGNORECASE)


def _opening_pair(text: str) -> Parted | None:
    """Return the answer behind a pair of tags that are words; None where none opens a text and leaves one."""
    opening = _WORD.match(text)
    if opening is None:
        return None
    quoted = _Quoted(text)
    closing = re.compile(rf"</{opening['tag']}\s*>", re.IGNORECASE)
    found = list(closing.finditer(text, opening.end()))
    end = next((one for one in found if not quoted.holds(one.start())), None)
    if end is None or _BETWEEN.fullmatch(
        text, opening.end(), min(end.start(), opening.end() + 200)
    ):
        return None
    answer = text[end.end() :]
    if not answer.strip() or _ELEMENT.match(answer) or _NAMED.match(answer):
        return None
    return Parted(answer, text[opening.end() : end.start()])


# Code and data ----------------------------------------------------------------------------

_FENCE = re.compile(r"^ {0,3}(?P<marks>`{3,}|~{3,})(?P<rest>[^\n]*)$", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)(?P<marks>`{1,2})(?!`)[^`\n]+(?P=marks)(?!`)")


class _Quoted:
    """Where code and JSON stand in a text."""

    def __init__(self, text: str) -> None:
        spans = (one.span() for one in _SPAN.finditer(text))
        found = sorted([*_fences(text), *spans, *_data(text)])
        self._starts = [start for start, _end in found]
        self._ends = list(accumulate((end for _start, end in found), max))

    def holds(self, place: int) -> bool:
        at = bisect.bisect_right(self._starts, place)
        return at > 0 and place < self._ends[at - 1]


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Yield blocks of code. One in which reasoning ends that began outside of it is none."""
    begun: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        if begun is None:
            begun = line
        elif not line["rest"].strip() and line["marks"].startswith(begun["marks"]):
            inner = text[begun.end() : line.start()]
            if _OPENING.search(inner) or not _CLOSING.search(inner):
                yield begun.start(), line.end()
            begun = None


#: So many beginnings of JSON that are none are looked into.
_MOST_TRIES: Final = 200
_DATUM = re.compile(r"\{\s*\"|\[\s*[\"{]")
#: A text among data on one line, also where the rest is cut off or no strict JSON.
_TEXT = re.compile(r'(?:[{\[,:][ \t]*|\A)(?P<text>"(?:[^"\\\n]|\\.)*")(?=\s*(?:[,:}\]]|\Z))')
_DECODER: Final = json.JSONDecoder(strict=False)


def _data(text: str) -> Iterator[tuple[int, int]]:
    """Yield objects, lists and texts of JSON."""
    yield from (one.span("text") for one in _TEXT.finditer(text))
    begun, tries = _DATUM.search(text), 0
    while begun is not None and tries < _MOST_TRIES:
        end = begun.start() + 1
        try:
            _made, end = _DECODER.raw_decode(text, begun.start())
        except (ValueError, RecursionError):
            tries += 1  # words in brackets, or data that was cut off
        else:
            yield begun.start(), end
        begun = _DATUM.search(text, end)


# Channels ---------------------------------------------------------------------------------

_CHANNEL = re.compile(
    r"(?:<\|start\|>\s*assistant\s*)?<\|channel\|>\s*(?P<name>analysis|commentary|final)[^<\n]{0,80}"
    r"(?:<\|constrain\|>[^<\n]{0,40})?<\|message\|>"
    r"(?P<said>.*?)(?:<\|(?:end|return|call)\|>|(?=<\|start\|>|<\|channel\|>)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
#: The same where a server took the marks away and left the words.
_BARE = re.compile(r"\s*analysis(?P<thought>.*?)assistantfinal(?P<said>.*)", re.DOTALL)


def _channels(text: str) -> Parted | None:
    """Return what channels say: what is said in the last one is the answer, the others are reasoning."""
    if bare := _BARE.fullmatch(text):
        return Parted(bare["said"].strip(), bare["thought"])
    found = list(_CHANNEL.finditer(text))
    if found:
        quoted = _Quoted(text)
        found = [one for one in found if not quoted.holds(one.start())]
    if not found or not _is_channelled(text, found[0]):
        return None
    said = [one["said"] for one in found if one["name"].casefold() == "final"]
    thought = [one["said"] for one in found if one["name"].casefold() != "final"]
    before = text[: found[0].start()]
    return Parted("\n\n".join(said).strip(), "\n\n".join([before, *thought]).strip())


def _is_channelled(text: str, first: re.Match[str]) -> bool:
    """Say whether a text is in channels: it begins with one, or its first one ended where this begins."""
    before = text[: first.start()].rstrip()
    return not before or before.endswith("<|end|>") or first[0].startswith("<|start|>")


# What is left -----------------------------------------------------------------------------

_WRAPPERS: Final = (
    (r"<\|begin_of_solution\|>", r"<\|end_of_solution\|>"),
    (r"<\|START_RESPONSE\|>", r"<\|END_RESPONSE\|>"),
    (r"<answer>", r"</answer>"),
    (r"<output>", r"</output>"),
)
_WRAPPED: Final = tuple(
    re.compile(rf"\s*{begin}(?P<inner>.*?)(?:{end}\s*|\Z)", re.DOTALL | re.IGNORECASE)
    for begin, end in _WRAPPERS
)


def _unwrapped(answer: str) -> str:
    """Return an answer without the tags that say that it is one, where they stand around all of it."""
    for pattern in _WRAPPED:
        if found := pattern.fullmatch(answer):
            return found["inner"].strip()
    return answer.strip()
