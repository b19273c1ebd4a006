"""Find text that tells which system wrote it, and cover it.

Offsets refer to the display copy (annotation.common.texts). Nothing found here is hidden by
itself: a curator decides, hit by hit.
"""

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MASK = "▇▇▇▇"  # one width for every word: the width of a name is a hint

PUBLIC = (
    *("OpenAI", "Open AI", "ChatGPT", "GPT-2", "GPT-3", "GPT-3.5", "GPT-4", "GPT-4o", "GPT-4.1"),
    *("GPT-5", "GPT", "InstructGPT", "Anthropic", "Claude", "Google DeepMind", "DeepMind"),
    *("Google AI", "Google Bard", "Gemini", "Gemma", "LaMDA", "PaLM 2", "Meta AI", "Llama"),
    *("Vicuna", "Mistral AI", "Mistral", "Mixtral", "Cohere", "Command R", "xAI", "Grok"),
    *("Microsoft Copilot", "Bing Chat", "Amazon Nova", "Amazon Titan", "Nemotron", "DBRX"),
    *("Databricks Dolly", "StableLM", "Stability AI", "Falcon LLM", "AI21", "Jurassic-2"),
    *("Perplexity AI", "Character.AI", "Inflection AI", "Reka AI", "Writer Palmyra", "IBM Granite"),
    *("Phi-2", "Phi-3", "Phi-4", "SmolLM", "OLMo", "BLOOMZ", "HuggingChat", "Hugging Face"),
    *("Qwen", "QwQ", "Tongyi Qianwen", "DeepSeek", "ERNIE Bot", "Wenxin Yiyan", "ChatGLM", "GLM-4"),
    *("Zhipu", "Baichuan", "InternLM", "MiniMax", "Moonshot AI", "Kimi", "Yi-34B", "Doubao"),
    *("Hunyuan", "SparkDesk", "iFlytek", "SenseNova", "SenseTime", "StepFun", "01.AI", "Skywork"),
    *("通义千问", "通义", "千问", "阿里云", "文心一言", "文心大模型", "百度", "智谱", "智谱清言"),
    *("百川智能", "百川大模型", "书生浦语", "月之暗面", "豆包", "字节跳动", "混元", "腾讯混元"),
    *("讯飞星火", "星火认知", "科大讯飞", "商汤", "日日新", "深度求索", "零一万物", "阶跃星辰"),
    *("HyperCLOVA", "EXAONE", "Upstage Solar", "GigaChat", "YandexGPT", "Aleph Alpha", "LeoLM"),
)

_WORD = r"[\w+-]{0,39}(?:\.[\w+-]{1,20}){0,3}"
_NAME = rf"[A-Z]{_WORD}(?: [A-Z0-9]{_WORD}){{0,3}}"
_VERBS = ("developed", "created", "made", "built", "trained", "designed", "powered", "provided")
_MADE = f"(?:{'|'.join(_VERBS)})"
_MACHINES = ("ai", "artificial", "large", "language", "virtual", "chat", "assistant", "digital")
_MACHINE = rf"(?:{'|'.join(_MACHINES)})\w*"
# Each pattern stands beside groups of texts: whatever it fits holds one of each group.
_SELF = tuple(
    (groups, re.compile(pattern))
    for groups, pattern in (
        (
            (_VERBS, ("ai ", "ai,", "model", "llm", "assistant", "chatbot"), (" by ",)),
            rf"(?i:\b(?:AI|language model|LLM|assistant|chatbot|AI model)\b"
            rf"[^.!?\n]{{0,60}}\b{_MADE}(?: and \w+)? by )(?:the )?{_NAME}",
        ),
        (
            (_VERBS, ("i am", "i'm", "i was"), (" by ",)),
            rf"(?i:\bI(?:'m| am| was),? [^.!?\n]{{0,40}}\b{_MADE}(?: and \w+)? by )"
            rf"(?:the )?{_NAME}",
        ),
        (
            (_MACHINES, ("i am ", "i'm ")),
            rf"(?i:\bI(?:'m| am) ){_NAME}"
            rf"(?=,? (?i:an?|the|your) (?:\w+ ){{0,3}}(?i:{_MACHINE})\b)",
        ),
        ((("my name is ", "call me "),), rf"(?i:\b(?:my name is|call me) ){_NAME}"),
        (
            (("我是", "我叫", "由"), ("发的", "训练的", "推出的", "打造的", "提供的")),
            r"(?:我是|我叫|由)[^。，,！!？?\n]{1,20}?(?:开发|研发|训练|推出|打造|提供)的",
        ),
        ((("我叫", "我的名字"),), r"(?:我叫|我的名字(?:叫|是))[^。，,！!？?\n]{1,12}"),
        ((("我是",),), r"我是[A-Za-z][\w.+-]{1,30}"),
    )
)


class HitKind(StrEnum):
    TERM = "TERM"  # a name of this round's systems or their makers
    PUBLIC = "PUBLIC"  # a well-known system or maker
    SELF = "SELF"  # a system speaks of itself
    OWN = "OWN"  # a word of the project's own
    PATTERN = "PATTERN"  # a regular expression of the project's own
    OPENING = "OPENING"  # what one system's responses begin with, and no other's


@dataclass(frozen=True, slots=True)
class NameHit:
    start: int
    end: int
    term: str
    kind: HitKind


class UnusablePattern(ValueError):
    """A regular expression that cannot be used; the message says why."""


@dataclass(frozen=True)
class Lexicon:
    """The names to look for; well-known ones are always among them, but for those that are spared.

    Attributes:
        terms: names of systems and of whom they are from.
        own: words of the project's own.
        patterns: regular expressions, looked for in the text as it stands, whatever its capitals.
        spared: well-known names that mean something else here.
    """

    terms: Sequence[str]
    own: Sequence[str] = ()
    patterns: Sequence[str] = ()
    spared: Sequence[str] = ()
    ignored: tuple[str, ...] = field(init=False)  # too short to look for, as a system called "A"
    _patterns: tuple[tuple[list[str], str, HitKind, re.Pattern[str]], ...] = field(
        init=False, repr=False
    )

    def __post_init__(self) -> None:
        spared = {_key(term) for term in self.spared}
        known = {_key(term): term for term in PUBLIC}
        wanted = {key: (term, HitKind.PUBLIC) for key, term in known.items() if key not in spared}
        wanted |= {_key(term): (term, HitKind.OWN) for term in self.own}
        wanted |= {_key(term): (term, HitKind.TERM) for term in self.terms}
        usable = {key: named for key, named in wanted.items() if _is_usable(key)}
        unusable = tuple(term for key, (term, _) in wanted.items() if key not in usable)
        patterns = tuple(
            (sorted(key.split(), key=len, reverse=True), term, kind, _pattern(key))
            for key, (term, kind) in usable.items()
        )
        object.__setattr__(self, "ignored", unusable)
        object.__setattr__(self, "_patterns", patterns)

    def hits(self, folded: str) -> Iterator[tuple[int, int, str, HitKind]]:
        """Give every place of every name in a folded text."""
        for parts, term, kind, pattern in self._patterns:
            # By far quicker than one large alternation:
            if parts[0] in folded and all(part in folded for part in parts[1:]):
                for match in pattern.finditer(folded):
                    yield match.start(), match.end(), term, kind


def scan(text: str, lexicon: Lexicon) -> list[NameHit]:
    """Return where the text names a system, in order; a hit inside a longer one is left out.

    Raises:
        UnusablePattern: a pattern of the lexicon takes too long on this text.
    """
    folded, origin = _fold(text)
    found = _named(folded, origin, lexicon)
    for groups, pattern in _SELF:
        if all(any(anchor in folded for anchor in group) for group in groups):
            found += [
                NameHit(match.start(), match.end(), match[0], HitKind.SELF)
                for match in pattern.finditer(text)
            ]
    for own in lexicon.patterns:
        found += [
            NameHit(*span, text[slice(*span)], HitKind.PATTERN) for span in pattern_spans(own, text)
        ]
    return _outermost(found)


def named(text: str, lexicon: Lexicon) -> list[NameHit]:
    """Return every place of every name of a lexicon, also those inside one another."""
    return _named(*_fold(text), lexicon)


def _named(folded: str, origin: list[int] | None, lexicon: Lexicon) -> list[NameHit]:
    return [
        NameHit(origin[start], origin[end - 1] + 1, term, kind)
        if origin
        else NameHit(start, end, term, kind)
        for start, end, term, kind in lexicon.hits(folded)
    ]


def pattern_spans(pattern: str, text: str) -> list[tuple[int, int]]:
    """Return where a regular expression of a project fits.

    Raises:
        UnusablePattern: it is none, fits nothing at all, or takes too long.
    """
    try:
        matches = _compiled(pattern).finditer(text, timeout=MOST_SECONDS)
        return [match.span() for match in matches if match.end() > match.start()]
    except TimeoutError:
        raise UnusablePattern(
            f"“{pattern}” takes too long on some texts. Write it without one repetition inside another."
        ) from None


def try_pattern(pattern: str) -> None:
    """Refuse a regular expression that cannot be used.

    Raises:
        UnusablePattern: it is none, fits nothing at all, or takes too long on texts that are hard.
    """
    if _compiled(pattern).match("") is not None:
        raise UnusablePattern(f"“{pattern}” fits everywhere, also where nothing stands. Narrow it.")
    for hard in _HARD:
        pattern_spans(pattern, hard)


@functools.lru_cache(maxsize=500)
def _compiled(pattern: str) -> Any:
    import regex  # large, and few projects have patterns of their own

    try:
        return regex.compile(pattern, regex.IGNORECASE)
    except (regex.error, OverflowError, RecursionError, ValueError) as problem:
        raise UnusablePattern(f"“{pattern}” is no regular expression: {problem}.") from problem


def is_usable(term: str) -> bool:
    """Say whether a name is long enough to be looked for."""
    return _is_usable(_key(term))


def mask(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text with each span covered by a bar of one width; touching spans share one."""
    result = []
    done = 0
    covered_to = -1
    for start, end in sorted(spans):
        if start > covered_to:
            result += [text[done:start], MASK]
        covered_to = done = max(covered_to, end)
    return "".join([*result, text[done:]])


_ORDER = {HitKind.TERM: 0, HitKind.OWN: 1, HitKind.PATTERN: 2, HitKind.PUBLIC: 3, HitKind.SELF: 4}
#: A pattern that takes longer on one text is given up.
MOST_SECONDS = 0.5
#: What patterns that repeat a repetition stumble over.
_HARD = ("a" * 4000 + "!", "ab " * 2000 + "!", "1" * 4000 + "x", "\u7532" * 3000 + "!")


def _outermost(found: list[NameHit]) -> list[NameHit]:
    kept: list[NameHit] = []
    for hit in sorted(found, key=lambda hit: (hit.start, -hit.end, _ORDER[hit.kind], hit.term)):
        if not kept or hit.end > kept[-1].end:
            kept.append(hit)
    return kept


class _Folding(dict[int, str]):
    """What each sign is compared as: compatibility form, without case."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKC", chr(code)).casefold()
        self[code] = folded
        return folded


_FOLDING = _Folding()


def _fold(text: str) -> tuple[str, list[int] | None]:
    """Return the folded text and, if its length differs, the place each sign came from."""
    if text.isascii():
        return text.lower(), None
    folded = text.translate(_FOLDING)
    if len(folded) == len(text):
        return folded, None
    origin = [place for place, sign in enumerate(text) for _ in _FOLDING[ord(sign)]]
    return folded, origin


# A name ends where letters and digits of its kind end; scripts without spaces touch it freely.
_WORDLIKE = "0-9a-z\u00aa\u00b5\u00ba\u00c0-\u02af\u0370-\u10ff\u1200-\u1fff"
_RUN = re.compile(r"[^\W\d_]+|\d+")


def _key(term: str) -> str:
    """Return the name folded, its parts one space apart: "Kestrel-4" as "kestrel 4"."""
    return " ".join(_RUN.findall(_fold(term)[0]))


def _is_usable(key: str) -> bool:
    letters = key.replace(" ", "")
    return len(letters) > 1 and not letters.isdigit()


def _pattern(key: str) -> re.Pattern[str]:
    spaced = r"[\s_.·‐‑–/-]{0,3}".join(re.escape(part) for part in key.split())
    before = f"(?<![{_WORDLIKE}])" if re.match(f"[{_WORDLIKE}]", key[0]) else ""
    after = f"(?![{_WORDLIKE}])" if re.match(f"[{_WORDLIKE}]", key[-1]) else ""
    return re.compile(before + spaced + after)
