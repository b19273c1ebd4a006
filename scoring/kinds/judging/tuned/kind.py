"""The judge that is told how to grade: instructions and graded examples in the place of the usual rules."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from django.utils.translation import gettext_lazy as _

from evalsite.kinds import Text, gettext_noop
from evalsite.records import Ask, Record
from scoring.engine.kinds import Estimated, Work
from scoring.engine.models import Run, Step
from scoring.kinds.judging import manners
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.direct.kind import Directly, Settings
from scoring.kinds.judging.plugins import JudgeKind
from scoring.kinds.judging.queries import JudgedAnswer
from scoring.kinds.judging.tuned import v1
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel
from scoring.protocols import untrusted

MOST_INSTRUCTIONS = 20_000
#: Of a text of an example; a longer one is no example that a prompt has room for.
MOST_TEXT = 20_000
MOST_EXAMPLES = 20


@dataclass(frozen=True)
class ExampleGrade(Record):
    """What people gave an example on a criterion, which goes by its key."""

    criterion: Annotated[str, Text(120, empty=False)]
    value: Annotated[str, Text(40, empty=False)]


@dataclass(frozen=True)
class GradedExample(Record):
    """An answer that the judge is shown with people's grades."""

    question: Annotated[str, Text(MOST_TEXT, empty=False)]
    answer: Annotated[str, Text(MOST_TEXT, empty=False)]
    grades: tuple[ExampleGrade, ...]
    reason: Annotated[str, Text(2000)] = ""


@dataclass(frozen=True)
class TunedSettings(Settings):
    """What decides how a judge grades that is told how."""

    instructions: Annotated[
        str,
        Text(MOST_INSTRUCTIONS, empty=False),
        Ask(
            gettext_noop("Instructions"),
            gettext_noop("Criteria, answer and form of the reply are added."),
            rows=12,
        ),
    ] = v1.usual("en")
    examples: tuple[GradedExample, ...] = ()


class AsTold(Directly):
    """By the criteria of people's rubrics, with instructions and examples."""

    def prompts(self, run: Run, page: Sequence[JudgedAnswer]) -> Iterator[Estimated]:
        guide = guide_of(run)
        more = tokens.of_text(guide.instructions) - tokens.of_text(v1.usual(guide.language))
        more += tokens.of_text(v1.shown(guide, ""))
        for one in super().prompts(run, page):
            yield replace(one, prompt_tokens=one.prompt_tokens + more)

    def prepare(self, step: Step) -> Work:
        work, guide = super().prepare(step), guide_of(step.run)
        fence = untrusted.Fence(step.run.secret, step.key)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            found: dict[str, Any] = await work.procedure(v1.Guided(model, guide, fence))
            return found

        return replace(work, procedure=procedure)


def guide_of(run: Run) -> v1.Guide:
    """Return what a run's judge is told."""
    config = manners.judge_of(run).config
    examples = tuple(
        v1.Example(
            one["question"],
            one["answer"],
            tuple((grade["criterion"], grade["value"]) for grade in one["grades"]),
            one.get("reason", ""),
        )
        for one in config.get("examples", ())
    )
    language = judges.settings_of(manners.judge_of(run)).language
    return v1.Guide(config["instructions"], examples, language)


JUDGE = JudgeKind(
    key="tuned",
    protocol=v1.PROTOCOL,
    title=_("Your instructions"),
    about=_("By the rubric, instructed in your words."),
    settings=TunedSettings,
    prompts=v1.sha,
    manner=AsTold(),
    first=("instructions", *("repeats", "fewest_valid", "temperature", "top_p", "max_tokens")),
    place=4,
)
