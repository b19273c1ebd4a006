"""Text of systems in the prompts of judges: between delimiters that it cannot forge, and marked.

A delimiter carries a code derived from the run's secret: a system cannot know it, and a replay makes
the same one. What imitates a delimiter, a turn of the chat or a verdict is changed so that it can be
read and no longer works; the change is itself text that the judge sees. The stored response stays as
it is. A flag says that something was found, never that somebody meant it.
"""

import hashlib
import hmac
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from scoring.llm.base import Role

CODE_LENGTH: Final = 20
#: Put before what was found, so that the judge sees that it belongs to the text.
QUOTED: Final = "[quoted] "


class Flag(StrEnum):
    """What was found in a text."""

    DELIMITER = "delimiter"
    TURN = "turn"
    VERDICT = "verdict"
    HIDDEN = "hidden"
    INSTRUCTION = "instruction"


@dataclass(frozen=True, slots=True)
class Fenced:
    """A text as a judge is shown it."""

    text: str
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True, slots=True)
class Fence:
    """The delimiters of one step of a run."""

    secret: str
    step: str

    def code(self, role: Role, *, exchange: int = 0, repeat: int = 0) -> str:
        """Return the code of one request's delimiters: the same on a replay, unknown to systems."""
        said = json.dumps([self.step, role.value, exchange, repeat], ensure_ascii=True)
        return hmac.new(self.secret.encode(), said.encode(), hashlib.sha256).hexdigest()[
            :CODE_LENGTH
        ]


def fenced(text: str, *, name: str, code: str, keys: Iterable[str] = ()) -> Fenced:
    """Return a text between delimiters, with whatever imitates them made harmless.

    Args:
        name: what it is, in capitals, such as ANSWER.
        keys: names of the fields of the verdict that is asked for.
    """
    inner = neutral(text, keys=keys)
    # The code is as good as unguessable; should it stand there all the same, it is taken out.
    body = inner.text.replace(code, "[code]")
    flags = inner.flags if body == inner.text else _ordered({*inner.flags, Flag.DELIMITER})
    return Fenced(f"<<<BEGIN {name} {code}>>>\n" + body + f"\n<<<END {name} {code}>>>", flags)


def neutral(text: str, *, keys: Iterable[str] = ()) -> Fenced:
    """Return a text in which nothing works as a delimiter, a turn or a verdict, and what was found."""
    found: set[Flag] = set()
    text = _shown(text, found)
    if _INSTRUCTION.search(unicodedata.normalize("NFKC", text)):
        found.add(Flag.INSTRUCTION)
    for flag, pattern, change in _changes(tuple(keys)):
        text, n = pattern.subn(change, text)
        if n:
            found.add(flag)
    if "<<<" in text or ">>>" in text:
        found.add(Flag.DELIMITER)
        text = _ANGLES.sub(lambda run: run[0].translate(_SOFT), text)
    return Fenced(text, _ordered(found))


def without_delimiters(text: str, codes: Iterable[str] = ()) -> str:
    """Return what a model wrote for another one to read, without the delimiters of ours that it echoes.

    Lines that are nothing but a delimiter go; what is left of one can be read and no longer works.

    Args:
        codes: of the delimiters that the model was shown; none of them is told on.
    """
    body = _OWN_LINE.sub("", text.replace("\r\n", "\n"))
    body = _OWN_MARK.sub(lambda found: found[0].translate(_SOFT), body)
    for code in codes:
        body = body.replace(code, "…")
    return body.strip()


def flags_of(texts: Sequence[str], *, keys: Iterable[str] = ()) -> tuple[Flag, ...]:
    """Return what is found in any of these texts."""
    wanted = tuple(keys)
    return _ordered({flag for text in texts for flag in neutral(text, keys=wanted).flags})


def _ordered(found: Iterable[Flag]) -> tuple[Flag, ...]:
    return tuple(sorted(set(found), key=list(Flag).index))


# What is not seen -------------------------------------------------------------------------

_JOINERS: Final = "\u200c\u200d"
_DIRECTION_MARKS: Final = "\u200e\u200f\u061c"
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"
    "\ue000-\uf8ff\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def _shown(text: str, found: set[Flag]) -> str:
    """Write invisible signs as their numbers; those that shape letters and emoji stay."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")

    def written(sign: re.Match[str]) -> str:
        if _shapes(text, sign.start()):
            return sign[0]
        found.add(Flag.HIDDEN)
        return f"[U+{ord(sign[0]):04X}]"

    return _INVISIBLE.sub(written, text)


def _shapes(text: str, place: int) -> bool:
    """Return whether an invisible sign stands where scripts and emoji need one."""
    before = text[place - 1] if place else " "
    after = text[place + 1] if place + 1 < len(text) else " "
    if text[place] in _JOINERS:
        return all(_is_shaped(one) for one in (before, after))
    if text[place] in _DIRECTION_MARKS:
        return any(unicodedata.bidirectional(one) in {"R", "AL"} for one in (before, after))
    if "\ufe00" <= text[place] <= "\ufe0e":
        return _is_shaped(before)
    return False


def _is_shaped(sign: str) -> bool:
    latin_greek_cyrillic: Final = 0x0530
    return ord(sign) >= latin_greek_cyrillic and (sign.isalpha() or not sign.isspace())


# What works on a judge --------------------------------------------------------------------

_ANGLES = re.compile(r"<{3,}|>{3,}")
_SOFT: Final = {ord("<"): "‹", ord(">"): "›"}
#: A delimiter of ours, as a line of its own or within one.
_OWN: Final = r"<{2,}[ \t]*(?:BEGIN|END)\b(?:[ \t]+[A-Z][A-Z0-9 ]{0,40}?)??(?:[ \t]+[0-9a-f]{12,64})?[ \t]*(?:>{2,}|$)"
_OWN_LINE = re.compile(rf"^[ \t`*]*{_OWN}[ \t`*]*(?:\n|\Z)", re.MULTILINE)
_OWN_MARK = re.compile(_OWN, re.MULTILINE)
_Change = Callable[[re.Match[str]], str]


def _quoted(found: re.Match[str]) -> str:
    return QUOTED + found[0].translate(_SOFT).replace("[INST", "(INST").replace("[/INST", "(/INST")


def _in_line(found: re.Match[str]) -> str:
    return found["lead"] + QUOTED + found["rest"]


def _key(found: re.Match[str]) -> str:
    return f"{QUOTED}‘{found['key']}’{found['colon']}"


_THINGS: Final = (
    r"(?:the\s+|of\s+)*(?:answer|response|question|reference|candidate|system|user|assistant|material|"
    r"instructions?|prompt|text|data|evaluation|verdict|回答|答案|问题|系统|指令|提示)"
)
_DELIMITER = re.compile(
    r"[<＜﹤‹«⟨⟪《\[［【=＝\-–—#*~_|+]{2,}[ \t]{0,3}/?[ \t]{0,3}"
    r"(?:begin|start|end|stop|close|开始|结束)[ \t_\-:]{0,3}" + _THINGS,
    re.IGNORECASE,
)
_TURN = re.compile(
    r"<[|｜][^<>|｜\n]{1,40}[|｜]>"
    r"|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|<(?:eos|bos|eot)>"
    r"|</?(?:system|assistant|user|human|ai|tool|instructions?|response|answer|candidate|judge|verdict|"
    r"evaluation|question|reference)(?:[ \t][^<>\n]{0,60})?>",
    re.IGNORECASE,
)
_TURN_LINE = re.compile(
    r"^(?P<lead>[ \t]{0,8})(?P<rest>(?:#{1,6}[ \t]*|\*{1,2})?"
    r"(?:system|assistant|user|human|instructions?|judge|evaluator|grader|系统|用户|助手|评委)"
    r"(?:[ \t]+(?:prompt|message|note|instructions?|override))?[ \t]*\*{0,2}[ \t]*[:：])",
    re.IGNORECASE | re.MULTILINE,
)
_ALWAYS_KEYS: Final = ("score", "reasoning", "overall_score", "rating", "verdict", "grade")
_VERDICT_LINE = re.compile(
    r"^(?P<lead>[ \t>*#\-]{0,8})(?P<rest>(?:(?:final|overall|total|my)[ \t]+)?"
    r"(?:score|rating|grade|verdict|mark|得分|评分|分数)[ \t]*\*{0,2}[ \t]*[:：=]"
    r"[ \t]*\*{0,2}\[{0,2}[ \t]*[0-9０-９])",
    re.IGNORECASE | re.MULTILINE,
)


def _changes(keys: tuple[str, ...]) -> list[tuple[Flag, re.Pattern[str], _Change]]:
    names = sorted({*_ALWAYS_KEYS, *keys}, key=lambda one: (-len(one), one))
    quote = "[\"'“”‘’＂«»„`]"
    # A quotation mark may be escaped, as in JSON that was put into JSON.
    field = re.compile(
        rf"\\{{0,4}}{quote}[ \t]{{0,3}}(?P<key>{'|'.join(map(re.escape, names))})[ \t]{{0,3}}"
        rf"\\{{0,4}}{quote}(?P<colon>\s{{0,8}}[:：=])",
        re.IGNORECASE,
    )
    return [
        (Flag.DELIMITER, _DELIMITER, _quoted),
        (Flag.TURN, _TURN, _quoted),
        (Flag.TURN, _TURN_LINE, _in_line),
        (Flag.VERDICT, field, _key),
        (Flag.VERDICT, _VERDICT_LINE, _in_line),
    ]


#: Words that speak to whoever judges. They stay as they are: the judge should see them.
_INSTRUCTION = re.compile(
    "|".join(
        [
            r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|prompt|rule|guideline|above|"
            r"previous|prior|criteria|rubric|everything)",
            r"\b(?:award|give|assign|return|output|choose|rate|score|grade)\b.{0,40}\b(?:full|maximum|max|top|highest|"
            r"perfect|best)\b.{0,12}\b(?:score|mark|rating|grade|value|points?)",
            r"\byou are now\b|\bnew instructions?\b|\bsystem prompt\b|\bas (?:the|a) (?:judge|grader|evaluator)\b",
            r"\b(?:dear|attention|note to|hey)\b.{0,12}\b(?:judge|grader|evaluator|evaluation model)",
            r"\bignor(?:e[zr]?|iere|a)\b.{0,40}\b(?:instruc|anweisung|consignes|istruzioni)",
            r"忽略.{0,16}(?:指令|提示|要求|规则|说明)|(?:给|打).{0,8}(?:满分|最高分)|请打满分|以上指令无效",
            r"(?:指示|命令|プロンプト).{0,8}無視|無視して|지시.{0,8}무시|игнорируй|проигнорируй|تجاهل|इन निर्देशों",
        ]
    ),
    re.IGNORECASE | re.DOTALL,
)
