"""Which questions and responses of two rounds are the same: by content, by the bank, by a person.

* Decide whether two questions, or two responses, say the same. The last word counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotation.bank.models import QuestionVersion
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.rounds.models import Round, RoundResponse, SamenessTag
from annotation.systems.models import Item, Response
from evalsite import errors

#: How it was decided: by equal content, by the author of a version, by a tag, or not yet.
By = Literal["content", "author", "tag", "nobody"]


@dataclass(frozen=True, slots=True)
class Sameness:
    same: bool
    by: By

    @property
    def is_open(self) -> bool:
        return self.by == "nobody"


@dataclass(frozen=True, slots=True)
class SamePair:
    """The same question in two rounds, with the system's response in each."""

    group: str
    before: int  # item
    after: int
    response_before: int
    response_after: int
    question: Sameness
    response: Sameness


@dataclass(frozen=True)
class Movement:
    """What a system met in two rounds: pairs of the questions both have, and what only one has."""

    before: Round
    after: Round
    pairs: tuple[SamePair, ...]
    gone: tuple[int, ...]  # items that only the first round has
    new: tuple[int, ...]

    @property
    def n_open(self) -> int:
        """How many pairs nobody has decided on yet; until then they count as changed."""
        return sum(one.question.is_open or one.response.is_open for one in self.pairs)


def movement(before: Round, after: Round, system_id: int) -> Movement:
    """Return what a system met in two rounds.

    Two items are one question if they belong to one group and mean the same: their content is
    equal, or a person tagged them, or the authors of all versions between said that the meaning
    stayed. A response is the same if its content is equal or a person tagged it.
    """
    first, second = (_responses(one, system_id) for one in (before, after))
    shared = sorted(first.keys() & second.keys())
    tags = _PairTags(before.project_id)
    items = Item.objects.in_bulk(
        [row.item_id for side in (first, second) for group in shared for row in [side[group]]]
    )
    responses = Response.objects.in_bulk(
        [row.response_id for side in (first, second) for group in shared for row in [side[group]]]
    )
    kept = _meaning_kept(items.values())
    pairs = tuple(
        SamePair(
            group,
            first[group].item_id,
            second[group].item_id,
            first[group].response_id,
            second[group].response_id,
            _question(items[first[group].item_id], items[second[group].item_id], tags, kept),
            _response(
                responses[first[group].response_id], responses[second[group].response_id], tags
            ),
        )
        for group in shared
    )
    gone, new = (
        tuple(side[group].item_id for group in side if group not in other)
        for side, other in ((first, second), (second, first))
    )
    return Movement(before, after, pairs, gone, new)


@dataclass(frozen=True, slots=True)
class _MetResponse:
    item_id: int
    response_id: int


def _responses(round_: Round, system_id: int) -> dict[str, _MetResponse]:
    rows = (
        RoundResponse.objects.filter(
            round_item__round=round_, round_item__occasion=1, release__system_id=system_id
        )
        .order_by("round_item__ordinal", "-release_id")
        .values_list("round_item__item__group", "round_item__item_id", "response_id")
    )
    return {group: _MetResponse(item, response) for group, item, response in rows}


class _PairTags:
    """The last word on every pair of a project."""

    def __init__(self, project_id: int) -> None:
        self._words: dict[tuple[str, int, int], str] = {}
        rows = SamenessTag.objects.filter(project_id=project_id).order_by("revision")
        for kind, a, b, c, d, verdict in rows.values_list(
            "kind",
            "left_item_id",
            "right_item_id",
            "left_response_id",
            "right_response_id",
            "verdict",
        ):
            self._words[kind, a or c, b or d] = verdict

    def word(self, kind: str, one: int, other: int) -> Sameness | None:
        verdict = self._words.get((kind, min(one, other), max(one, other)))
        return None if verdict is None else Sameness(verdict == "SAME", "tag")


def _question(
    before: Item, after: Item, tags: _PairTags, kept: Mapping[tuple[int, int], bool]
) -> Sameness:
    if before.pk == after.pk or before.content_sha == after.content_sha:
        return Sameness(same=True, by="content")
    if word := tags.word("QUESTION", before.pk, after.pk):
        return word
    said = kept.get((before.question_version_id or 0, after.question_version_id or 0))
    if said is not None:
        return Sameness(said, "author")
    return Sameness(same=False, by="nobody")


def _response(before: Response, after: Response, tags: _PairTags) -> Sameness:
    if before.pk == after.pk or before.content_sha == after.content_sha:
        return Sameness(same=True, by="content")
    return tags.word("RESPONSE", before.pk, after.pk) or Sameness(same=False, by="nobody")


def _meaning_kept(items: Iterable[Item]) -> dict[tuple[int, int], bool]:
    """Return for two versions of a question whether every version between them kept its meaning.

    Where one of them does not say, nothing is known.
    """
    wanted = [one.question_version_id for one in items if one.question_version_id]
    questions = QuestionVersion.objects.filter(pk__in=wanted).values("question_id")
    rows = QuestionVersion.objects.filter(question_id__in=questions).order_by("number")
    by_question: dict[int, list[tuple[int, bool | None]]] = {}
    for pk, question, changed in rows.values_list("pk", "question_id", "meaning_changed"):
        by_question.setdefault(question, []).append((pk, changed))
    found: dict[tuple[int, int], bool] = {}
    for versions in by_question.values():
        for start, (first, _said) in enumerate(versions):
            for end in range(start + 1, len(versions)):
                said = _whole([changed for _pk, changed in versions[start + 1 : end + 1]])
                if said is not None:
                    found[first, versions[end][0]] = found[versions[end][0], first] = said
    return found


def _whole(changed: Sequence[bool | None]) -> bool | None:
    if any(one is True for one in changed):
        return False
    return True if all(one is False for one in changed) else None


Kind = SamenessTag.Kind


class NotAPair(errors.Invalid): ...


class TaggedMeanwhile(errors.Conflict): ...


@transaction.atomic
def tag(
    *,
    project: Project,
    left: Item | Response,
    right: Item | Response,
    verdict: str,
    by: User,
    now: datetime,
    note: str = "",
) -> SamenessTag:
    """Say of two items or two responses of a project whether they are the same in meaning.

    Raises:
        NotAPair: they are not two of a kind, of one question and of this project.
        TaggedMeanwhile: somebody else has decided at the same moment.
    """
    kind = _kind(project, left, right)
    first, second = sorted((left, right), key=lambda one: one.pk)
    name = "item" if kind == Kind.QUESTION else "response"
    pair = {f"left_{name}_id": first.pk, f"right_{name}_id": second.pk}
    rows = SamenessTag.objects.filter(kind=kind, **pair)
    last = rows.order_by("-revision").first()
    if last is not None and (last.verdict, last.note) == (verdict, note):
        return last
    try:
        with transaction.atomic():
            made = SamenessTag.objects.create(
                project=project,
                kind=kind,
                verdict=SamenessTag.Verdict(verdict),
                note=note,
                revision=last.revision + 1 if last else 1,
                by=by,
                at=now,
                **pair,
            )
    except IntegrityError as problem:
        raise TaggedMeanwhile(_("Somebody else has just decided on this pair.")) from problem
    audit.record(
        project=project,
        actor=by,
        verb=f"{name}.tagged",
        subject=f"{name}:{first.pk}+{second.pk}",
        at=now,
        note=note,
        verdict=made.verdict,
    )
    return made


def _kind(project: Project, left: Item | Response, right: Item | Response) -> Kind:
    items = [one if isinstance(one, Item) else one.item for one in (left, right)]
    of_a_kind = type(left) is type(right) and left.pk != right.pk
    if not of_a_kind or any(one.project_id != project.pk for one in items):
        raise NotAPair(_("Only two questions or two responses of one project can be compared."))
    if items[0].group != items[1].group:
        raise NotAPair(_("These belong to different questions."))
    if isinstance(left, Response) and isinstance(right, Response):
        if left.release.system_id != right.release.system_id:
            raise NotAPair(_("These are responses of different systems."))
        return Kind.RESPONSE
    return Kind.QUESTION
