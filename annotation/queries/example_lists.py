"""Examples to train by, as their curators see them, and the answers one could be made of."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.text import Truncator

from annotation.models import Capability, Project, Response, TrainingExample
from annotation.rules import faces
from evalsite import markdown

MOST_ANSWERS = 20
LONG = 160


@dataclass(frozen=True)
class Line:
    """A capability with its examples and how often they were practised rightly."""

    capability: Capability
    examples: list[TrainingExample]

    @property
    def n_learn(self) -> int:
        return sum(one.use == TrainingExample.Use.LEARN for one in self.examples)

    @property
    def n_practise(self) -> int:
        return len(self.examples) - self.n_learn


def lines(project: Project) -> list[Line]:
    found: dict[int, list[TrainingExample]] = defaultdict(list)
    rows = (
        TrainingExample.objects.in_use()
        .filter(project=project)
        .select_related("rubric_version__rubric")
        .annotate(
            n_tries=Count("practices", filter=Q(practices__n__gt=0)),
        )
        .order_by("number")
    )
    for one in rows:
        found[one.capability_id].append(one)
    capabilities = Capability.objects.filter(project=project).select_related("rubric")
    return [Line(one, found[one.pk]) for one in capabilities.order_by("position", "name")]


@dataclass(frozen=True)
class Choice:
    """An answer of the bank that an example could be made of."""

    key: int
    question: str
    response: str


def answers_of(capability: Capability) -> list[Choice]:
    """Return some answers to questions of a capability, by their contents."""
    rows = (
        Response.objects.filter(item__capability=capability)
        .select_related("item")
        .order_by("item__external_id", "content_sha")[:MOST_ANSWERS]
    )
    return [
        Choice(
            one.pk,
            _beginning(faces.conversation(one.item.messages)),
            _beginning(faces.conversation(one.messages)),
        )
        for one in rows
    ]


def _beginning(text: str) -> str:
    """Return how a text begins, as a reader sees it."""
    return Truncator(" ".join(markdown.plain(text[: 4 * LONG]).split())).chars(LONG)


def as_entered(example: TrainingExample) -> dict[str, str]:
    """Return what the form of an example begins with to write another one in its place."""
    grades = {f"grade-{key}": str(value) for key, value in example.grades.items()}
    names = ("use", "question", "reference", "response", "explanation")
    return {**{name: getattr(example, name) for name in names}, **grades}


def begun(project: Project, key: str) -> dict[str, str]:
    """Return what the form of an example begins with: a question and an answer of the bank."""
    if not key.isdigit():
        return {}
    row = Response.objects.filter(item__project=project, pk=int(key)).select_related("item")
    found = row.first()
    if found is None:
        return {}
    return {
        "question": faces.conversation(found.item.messages),
        "reference": found.item.reference,
        "response": faces.conversation(found.messages),
    }
