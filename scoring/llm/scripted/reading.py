"""What a prompt asks for, read from its shape as a person would skim it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from scoring.llm.base import Message, Role

CJK = re.compile(r"[\u3400-\u9fff]")
WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
#: Material stands between such lines in every prompt (scoring/protocols/untrusted).
FENCED = re.compile(
    r"^<<<BEGIN ([A-Z][A-Z0-9 ]*?) ([0-9a-f]{12,})>>>\n(.*?)\n?<<<END \1 \2>>>$", re.M | re.S
)
MARK = re.compile(r"^<<<(?:BEGIN|END) [A-Z][A-Z0-9 ]*? [0-9a-f]{12,}>>>$", re.M)
REFERENCE = re.compile(
    r"^#* *(?:The )?(?:(?:reference|standard|correct|model|gold)[ -]answer|标准答案|参考答案|正确答案)"
    r"[^\n:：]*[:：]?\s*(.+?)(?=\n\s*\n|\n#|\n<|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
CHOICE = re.compile(r"^\s*[(（]?([A-H])[.):）、]\s*(\S.*)", re.MULTILINE)
JUDGES = re.compile(
    r"evaluator|evaluate|assess|\bgrade|\bscore|\brate|\bjudge|评估|评分|打分|评判|评价", re.I
)
ASKS = re.compile(r"interview|\bask (?:now|one|a |the next)|提问|追问|访谈", re.I)
PLANS = re.compile(r"^You plan\b|\bwrite (?:a|the) (?:\w+ )*plan\b|\bplan for\b|计划", re.I)
SCORES = re.compile(
    r"\bscor(?:e|es|ing)\b|\brat(?:e|ing)\b|\bgrad(?:e|ing)\b|verdict|评分|打分|分值", re.I
)
#: Who one is, is said in the first sentences.
OPENING = 300


class ScriptedTask(Enum):
    JUDGE = "judge"
    ASK = "ask"
    PLAN = "plan"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request as a server sees it; in process the role is known too."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    role: Role | None = None
    #: Which of several samples of the same request.
    sample: int = 0
    temperature: float | None = None
    max_tokens: int | None = None
    top_logprobs: int | None = None
    #: The hash of the request, from which all chance comes.
    sha: str = ""

    @property
    def last(self) -> str:
        return next((one.content for one in reversed(self.messages) if one.role == "user"), "")

    @property
    def whole(self) -> str:
        return "\n".join(one.content for one in self.messages)

    @property
    def brief(self) -> str:
        """What says who one is: the system prompt, or else the first message."""
        return self.messages[0].content if self.messages else ""


@lru_cache(maxsize=64)
def is_chinese(text: str) -> bool:
    """Say whether a person would call this text Chinese."""
    if text.isascii():
        return False
    n_signs = len(CJK.findall(text))
    return n_signs > 0 and n_signs >= 0.5 * len(WORD.findall(text))


def task_of(asked: SeenRequest) -> ScriptedTask:
    """Return what is wanted. Words decide before the role: an evaluator too may have to answer."""
    opening, role = asked.brief[:OPENING], asked.role
    judges = bool(JUDGES.search(opening))
    if role is Role.CANDIDATE:
        return ScriptedTask.ANSWER
    if role in {Role.INTERACTOR, None} and not judges and ASKS.search(opening):
        return ScriptedTask.ASK
    if role is Role.PLANNER or (role is None and PLANS.search(opening)):
        return ScriptedTask.PLAN
    # A question that speaks of scores is no instruction to give one.
    instructed = role is not None or len(asked.messages) > 1
    if instructed and judges:
        return ScriptedTask.JUDGE
    scored = role in {Role.JUDGE, Role.ASSISTANT} and SCORES.search(asked.whole)
    return ScriptedTask.JUDGE if scored else ScriptedTask.ANSWER


def material_of(asked: SeenRequest) -> list[tuple[str, str]]:
    """Return names and texts of what stands between markers in the last message that holds any."""
    for message in reversed(asked.messages):
        if message.role == "user" and "<<<BEGIN " in message.content:
            return [(name, text) for name, _, text in FENCED.findall(message.content)]
    return []


def without_marks(text: str) -> str:
    """Return a text without the lines that material stands between: they hold codes, which differ from run to run."""
    return MARK.sub("", text)


def judged_text(asked: SeenRequest) -> str:
    """Return the answer that stands between markers, or else the last message."""
    pieces = material_of(asked)
    answers = [text for name, text in pieces if name.startswith("ANSWER") and "USER" not in name]
    return "\n".join(answers or [text for _, text in pieces[-1:]]) if pieces else asked.last


def reference_of(asked: SeenRequest) -> str:
    """Return the answer that the prompt calls right, or nothing."""
    fenced = [text for name, text in material_of(asked) if name in {"REFERENCE", "POINTS"}]
    if fenced:
        return "\n".join(fenced)
    for message in asked.messages:
        if message.role == "user" and (found := REFERENCE.search(message.content)):
            return found.group(1).strip()
    return ""


def choices_of(text: str) -> dict[str, str]:
    """Return the letters of a multiple-choice question with their texts, in their order."""
    options = dict(CHOICE.findall(text))
    return options if len(options) > 1 else {}
