"""What interviews can be about, and who can take part in them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import ImportBatch, Item, Project, Round, RoundItem
from annotation.queries import draws, rounds, taxonomy
from annotation.rules.draws import Draw
from scoring.models import Judge, Run
from scoring.queries import interviews, judge_list

#: Where questions come from, as a form and a program say it: "bank:", "bank:7", "round:3", "import:2".
BANK, ROUND, IMPORT = "bank:", "round:", "import:"
MOST: Final = 500
PAGE: Final = 1000


class NoSuchQuestions(LookupError):
    """What was named is no round, import or capability of this project."""


@dataclass(frozen=True, slots=True)
class Found:
    """The questions of a source whose right answer is known (or that fit otherwise), and how many others."""

    items: list[int]
    n_without: int


def found(
    project: Project,
    over: str,
    now: datetime,
    *,
    fits: Callable[[Item], bool] = interviews.has_answer,
) -> Found:
    """Return the questions of a source that fit, and how many do not.

    Raises:
        NoSuchQuestions: there is no such source.
    """
    known: list[int] = []
    n_without = 0
    for one in _items(project, over, now):
        if fits(one):
            known.append(one.pk)
        else:
            n_without += 1
    return Found(known, n_without)


def _items(project: Project, over: str, now: datetime) -> Iterator[Item]:
    kind, colon, name = over.partition(":")
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 10 else None
    if not colon or (number is None and (kind != "bank" or name)):
        raise NoSuchQuestions(over)
    if kind == "bank":
        return _of_bank(project, number, now)
    assert number is not None
    rows = Item.objects.filter(project=project)
    if kind == "round" and rounds.of(project).filter(number=number).exists():
        used = RoundItem.objects.filter(round__project=project, round__number=number)
        return _read(rows.filter(pk__in=used.values("item")))
    if kind == "import" and imports_of(project).filter(number=number).exists():
        return _read(rows.filter(batch__number=number))
    raise NoSuchQuestions(over)


def _of_bank(project: Project, capability: int | None, now: datetime) -> Iterator[Item]:
    """Yield what rounds could draw: of a capability and all below it, or of all."""
    chosen = [] if capability is None else _below(project, capability)
    wanted = Draw(capabilities=chosen, unanswered=True, complete_only=False)
    pks = [one.item_id for one in draws.listed(Round(project=project), [], wanted, now)]
    for start in range(0, len(pks), PAGE):
        yield from _read(Item.objects.filter(pk__in=pks[start : start + PAGE]))


def _below(project: Project, capability: int) -> list[int]:
    """Return a capability and those below it, in the order of the tree."""
    chosen: list[int] = []
    least = None
    for one in taxonomy.capability_names(project):
        if one.node.pk == capability:
            least = one.depth
        elif least is not None and one.depth <= least:
            break
        if least is not None:
            chosen.append(one.node.pk)
    if not chosen:
        raise NoSuchQuestions(f"{BANK}{capability}")
    return chosen


def _read(rows: "QuerySet[Item]") -> Iterator[Item]:
    return rows.select_related("capability").order_by("pk").iterator(chunk_size=PAGE)


def imports_of(project: Project) -> "QuerySet[ImportBatch]":
    """Return the imports that brought questions."""
    rows = ImportBatch.objects.filter(project=project, state=ImportBatch.State.APPLIED)
    brought = Item.objects.filter(batch=OuterRef("pk"))
    return rows.filter(Exists(brought)).defer("mapping").order_by("-number")


def sources(project: Project) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return every source by sort: its name for programs, and for people."""
    tree = taxonomy.capability_names(project)
    drawn = rounds.of(project).order_by("-number")[:MOST]
    return [
        (BANK, [(f"{BANK}{one.node.pk}", "\u2003" * one.depth + one.node.name) for one in tree]),
        (ROUND, [(f"{ROUND}{one.number}", one.name) for one in drawn]),
        (
            IMPORT,
            [
                (f"{IMPORT}{number}", f"{number} · {name}")
                for number, name in imports_of(project).values_list("number", "file_name")[:MOST]
            ],
        ),
    ]


def evaluators_of(project: Project) -> "QuerySet[Judge]":
    """Return the evaluators whose endpoint is in use."""
    return judge_list.evaluators(project)


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form of a clone shows; its questions are those of the first run's source."""
    config = run.config
    names = ("planned", "mark_but_continue", "prior", "decision", "temperature", "language")
    return {
        **{name: config[name] for name in names},
        "questions": config["verify"] or len(config["items"]),
        "verify": bool(config["verify"]),
        "releases": [one["release"] for one in config["releases"]],
        "interactor": config["interactor"],
        "evaluator": f"judge:{run.judge_id}",
        "over": config.get("over", ""),
    }
