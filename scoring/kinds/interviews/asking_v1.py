"""What each of the three roles is told, version 1: who sees what, message by message.

The interactor alone sees the correct answer; it never sees a verdict. The candidate sees neither. The
evaluator sees the correct answer only if the run says so. Text of the candidate stands between
delimiters wherever another model reads it. What comes in with an exchange has delimiters of its own: one
that a model has copied into what it says closes nothing in the next one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.prompts_v1 import LANGUAGES, Words
from scoring.llm.base import Message, Role
from scoring.protocols import untrusted

#: Stands for the decision on the first answer among the exchanges.
DECISION: Final = -1
Prior = Literal["neutral", "likely_wrong"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What the interview is about.

    `turns` are the messages of a question of several turns, its last one the user's; `options` are by
    label in the order they are put, none for a free-form question.
    """

    key: str
    turns: tuple[Message, ...]
    reference: str
    options: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    language: str = "en"

    @property
    def words(self) -> Words:
        return LANGUAGES[self.language]

    @property
    def correct(self) -> str:
        return f"{self.label}. {self.options[self.label]}" if self.label else self.reference


@dataclass(frozen=True, slots=True)
class Held:
    """One exchange so far: what was asked, what was answered, and the evaluator's own words."""

    question: str
    answer: str
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Room:
    """A dialogue's problem, its first answer, and how candidates' text is fenced in it."""

    problem: Problem
    fence: untrusted.Fence
    opening: str = ""
    prior: Prior = "neutral"
    reference_visible: bool = False
    #: What the release is told first, before the words of the interview.
    own_prompt: str = ""

    def quoted(
        self, text: str, role: Role, exchange: int, name: str = "ANSWER"
    ) -> untrusted.Fenced:
        """Return a text as a role reads it from an exchange on."""
        code = self.fence.code(role, exchange=exchange)
        return untrusted.fenced(text, name=name, code=code, keys=verdicts.KEYS)

    def flags(self, text: str) -> tuple[str, ...]:
        return tuple(one.value for one in untrusted.flags_of([text], keys=verdicts.KEYS))


def asked(problem: Problem) -> tuple[Message, ...]:
    """Return the question as the candidate is put it: the options under the last message, if there are any."""
    *before, last = problem.turns
    if not problem.options:
        return problem.turns
    lines = [f"{label}. {text}" for label, text in problem.options.items()]
    said = "\n".join([last.content, "", *lines, "", problem.words.choose])
    return (*before, Message(last.role, said))


def _told(problem: Problem) -> str:
    """Return the question as one text, for those who read about it."""
    if len(problem.turns) == 1 and not problem.options:
        return problem.turns[0].content
    lines = [
        one.content if len(problem.turns) == 1 else f"{one.role}: {one.content}"
        for one in problem.turns
    ]
    return "\n".join([*lines, *(f"{label}. {text}" for label, text in problem.options.items())])


def of_candidate(
    room: Room, answer: str, held: Sequence[Held], question: str
) -> tuple[Message, ...]:
    """Return what the candidate is asked next; an empty question asks for its first answer."""
    told = "\n\n".join(
        one for one in (room.own_prompt.strip(), room.problem.words.candidate) if one
    )
    made = [Message("system", told), *asked(room.problem)]
    if question:
        made.append(Message("assistant", answer))
        for one in held:
            made += [Message("user", one.question), Message("assistant", one.answer)]
        made.append(Message("user", question))
    return tuple(made)


def of_interactor(room: Room, answer: str, held: Sequence[Held]) -> tuple[Message, ...]:
    """Return what the interactor sees when it asks the next question."""
    words = room.problem.words
    prior = (
        words.interactor_likely_wrong if room.prior == "likely_wrong" else words.interactor_neutral
    )
    first = "\n\n".join(
        [
            words.problem,
            _told(room.problem),
            words.reference,
            room.problem.correct,
            words.my_answer,
            room.quoted(answer, Role.INTERACTOR, 0).text,
            words.ask,
        ]
    )
    system = "\n\n".join([words.interactor, prior, words.material])
    made = [Message("system", system), Message("user", first)]
    for exchange, one in enumerate(held, start=1):
        said = room.quoted(one.answer, Role.INTERACTOR, exchange).text
        made += [
            Message("assistant", one.question),
            Message("user", f"{words.ask_next}\n\n{said}"),
        ]
    return tuple(made)


def of_evaluator(
    room: Room, answer: str, held: Sequence[Held], question: str, reply: str
) -> tuple[Message, ...]:
    """Return what the evaluator sees when it judges an exchange: all that went before, and its own words."""
    words = room.problem.words
    opening = [words.opening, words.problem, _told(room.problem)]
    if room.reference_visible:
        opening += [words.reference, room.problem.correct]
    opening += [words.answered, room.quoted(answer, Role.EVALUATOR, 0).text]
    made = [
        Message("system", f"{words.evaluator}{verdicts.FORM}\n\n{words.material}"),
        Message("user", "\n\n".join(opening)),
        Message("assistant", room.opening),
    ]
    for exchange, one in enumerate((*held, Held(question, reply))):
        said = [
            words.asked,
            room.quoted(one.question, Role.EVALUATOR, exchange, "QUESTION").text,
            words.answered,
            room.quoted(one.answer or words.no_answer, Role.EVALUATOR, exchange).text,
            words.judge_now,
        ]
        made.append(Message("user", "\n\n".join(said)))
        if one.verdict:
            made.append(Message("assistant", one.verdict))
    return tuple(made)


def of_decision(room: Room, answer: str) -> tuple[Message, ...]:
    """Return what a judge is asked about the first answer of a free-form question."""
    words = room.problem.words
    said = [
        words.problem,
        _told(room.problem),
        words.reference,
        room.problem.correct,
        words.my_answer,
        # Apart from those of the exchanges, which are counted from 0.
        room.quoted(answer, Role.EVALUATOR, DECISION).text,
        words.decide,
    ]
    return (Message("system", words.material), Message("user", "\n\n".join(said)))


def of_verification(problem: Problem) -> tuple[Message, ...]:
    return (Message("system", problem.words.verify), *asked(problem))


def opening_verdict(problem: Problem, right: bool | None) -> str:
    """Return what the evaluator is said to have found of the first answer; it is never scored."""
    words = problem.words
    if right is None:
        return words.opening_unknown
    accuracy, overall = (4, 4) if right else (1, 2)
    comment = words.opening_right if right else words.opening_wrong
    parts = {name: accuracy if name == "accuracy" else 4 for name in verdicts.ASPECTS}
    inner = ", ".join(
        f'"{name}": {{"comment": "", "score": {score}}}' for name, score in parts.items()
    )
    return (
        "{" + inner + f', "overall_comment": "{comment}", "overall_score": {overall}, '
        '"stop_conversation": false, "stop_reason": "none"}'
    )
