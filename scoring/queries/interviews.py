"""Interviews as their runs read them: the problem of an item, who is interviewed, and how."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.models import Item
from scoring.llm.base import Message, Settings
from scoring.models import Run, Step
from scoring.protocols.kieval import v1
from scoring.protocols.kieval.asking_v1 import Problem
from scoring.protocols.kieval.prompts_v1 import LANGUAGES
from scoring.queries import connections

VERIFY: Final = "verify"
#: Where an item keeps the options of a question of multiple choice, by label, and the right one.
OPTIONS, ANSWER, DATASET, SUBJECT = "options", "answer_label", "dataset", "subject"
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"\w")
PAGE = 500


def problem_of(item: Item, *, language: str = "auto") -> Problem:
    """Return what an interview about an item is about."""
    turns = tuple(one for one in connections.asked(item) if one.role != "system")
    options = item.extra.get(OPTIONS)
    known = (
        {str(key): str(one) for key, one in options.items()} if isinstance(options, dict) else {}
    )
    label = str(item.extra.get(ANSWER) or "")
    return Problem(
        key=f"{item.external_id}/{item.pk}",
        turns=turns or (Message("user", item.question),),
        reference=item.reference,
        options=known if label in known else {},
        label=label if label in known else "",
        language=language if language in LANGUAGES else language_of(item.question),
    )


def language_of(text: str) -> str:
    """Return the language of the prompts for a question: Chinese where a third of its letters are."""
    n_han, n_letters = len(_HAN.findall(text)), len(_WORD.findall(text))
    return "zh" if 3 * n_han >= n_letters > 0 else "en"


def has_answer(item: Item) -> bool:
    """Return whether it is known what the right answer is: no interview without it."""
    return bool(item.reference.strip()) or bool(problem_of(item).options)


def dataset_of(item: Item) -> str:
    """Return the data set that figures group a question by; its capability where it is of the bank."""
    named = item.extra.get(DATASET) or item.extra.get(SUBJECT)
    if named:
        return str(named)[:120]
    return item.capability.name[:120] if item.capability else ""


def config_of(
    config: Mapping[str, Any], *, reference_visible: bool, verdict: Settings
) -> v1.Config:
    """Return how the interviews of a run are held; the candidate's own parameters come with its release."""
    talk = Settings(max_tokens=config["talk_tokens"])
    return v1.Config(
        planned=config["planned"],
        mark_but_continue=config["mark_but_continue"],
        prior=config["prior"],
        decision=config["decision"],
        reference_visible_to_evaluator=reference_visible,
        temperature=config["temperature"],
        candidate=talk,
        interactor=talk,
        evaluator=verdict,
    )


def items_of(run: Run) -> Iterator[Item]:
    """Yield the drawn items in their order."""
    pks: Sequence[int] = run.config["items"]
    for start in range(0, len(pks), PAGE):
        found = Item.objects.select_related("capability").in_bulk(pks[start : start + PAGE])
        yield from (found[pk] for pk in pks[start : start + PAGE] if pk in found)


def verified(run: Run) -> tuple[list[int], list[int], int]:
    """Return which items both machines got right and which not, in the order of the draw, and how many wait."""
    steps = Step.objects.filter(run=run, spec__stage=VERIFY).order_by("ordinal")
    right: list[int] = []
    wrong: list[int] = []
    n_open = 0
    for item, state, result in steps.values_list("item_id", "state", "result"):
        if state in {Step.State.FREE, Step.State.CLAIMED}:
            n_open += 1
        elif item is not None:
            (right if (result or {}).get("verified") else wrong).append(item)
    return right, wrong, n_open
