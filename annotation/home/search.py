"""The texts that were found, as lines of a page: what each is, and where it has what was sought.

* What somebody means by a few words: the things of a project they may see, a few of each kind.
* The filters of the search, as they stand in the address.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django import forms
from django.db import connection
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.bank import questions as search_questions
from annotation.bank.models import Question, QuestionVersion
from annotation.common.forms import Filter
from annotation.domains.queries import capability_options, domain_options
from annotation.files.models import ImportBatch
from annotation.people.models import Membership, Project, User
from annotation.people.rules import MAX_LANGUAGE
from annotation.rounds.models import Round
from annotation.rubrics.models import Rubric
from annotation.search import queries as text_search
from annotation.search import rules as search
from annotation.search.models import SearchText
from annotation.search.queries import FoundText, Limits
from annotation.search.rules import SnippetPiece, Sought
from annotation.sources.models import Source, SourceCollection, SourceVersion
from annotation.systems.models import Item, Response, System

Kind = SearchText.Kind


@dataclass(frozen=True)
class SearchLine:
    """One thing that was found, or one part of it.

    Attributes:
        key: of the question, item or source; of the item for a response.
        title: with what was sought marked.
        part: of a long text, from 2 on; 0 for a text that is one, and for the first.
        facts: a few words each.
    """

    kind: str
    key: int
    title: tuple[SnippetPiece, ...]
    pieces: tuple[SnippetPiece, ...]
    facts: tuple[str, ...] = ()
    part: int = 0


def lines(hits: Sequence[FoundText], sought: Sought) -> list[SearchLine]:
    """Return what was found as lines, in its order; what has gone meanwhile is left out.

    One look at the database for each kind, however many were found.
    """
    things = {kind: read(_of(hits, kind)) for kind, read in _READ.items() if _of(hits, kind)}
    found = []
    for hit in hits:
        thing = things[hit.kind].get(hit.of)
        if thing is not None:
            found.append(_line(hit, thing, sought))
    return found


@dataclass(frozen=True)
class _Thing:
    key: int
    title: str
    #: As they are indexed, and how many of the first ones the title tells.
    texts: Sequence[str]
    n_told: int
    facts: tuple[str, ...]


def _line(row: FoundText, thing: _Thing, sought: Sought) -> SearchLine:
    whole = "\n".join(thing.texts if row.part else thing.texts[thing.n_told :])
    parts = search.cuts(whole)
    text = parts[min(row.part, len(parts) - 1)]
    return SearchLine(
        row.kind,
        thing.key,
        search.marked(thing.title, sought.marks),
        search.snippet(text, sought.marks),
        tuple(one for one in thing.facts if one),
        row.part + 1 if row.part else 0,
    )


def _of(hits: Sequence[FoundText], kind: str) -> list[int]:
    return [one.of for one in hits if one.kind == kind]


def _questions(pks: Sequence[int]) -> dict[int, _Thing]:
    rows = QuestionVersion.objects.newest().filter(question__in=pks)
    return {
        one.question_id: _Thing(
            one.question_id,
            one.question.external_id,
            search.of_question(one.question.external_id, one.turns, one.answer, one.key_points),
            1,
            (str(one.get_state_display()), *_placed(one)),
        )
        for one in rows.select_related("question", "capability", "domain")
    }


def _items(pks: Sequence[int]) -> dict[int, _Thing]:
    rows = Item.objects.filter(pk__in=pks).select_related("capability", "domain")
    return {
        one.pk: _Thing(
            one.pk,
            one.external_id,
            search.of_question(one.external_id, one.messages, one.reference, one.key_points),
            1,
            _placed(one),
        )
        for one in rows
    }


def _placed(one: QuestionVersion | Item) -> tuple[str, ...]:
    return tuple(node.name for node in (one.capability, one.domain) if node is not None)


def _sources(pks: Sequence[int]) -> dict[int, _Thing]:
    found: dict[int, _Thing] = {}
    rows = SourceVersion.objects.filter(source__in=pks).select_related("source__collection")
    for one in rows.order_by("source", "number"):  # the newest one comes last, and stays
        of = one.source
        texts = search.of_source(of.title, of.publisher, of.address, one.note, one.text)
        facts = (of.publisher, of.collection.name if of.collection else "")
        found[of.pk] = _Thing(of.pk, of.title, texts, 1, facts)
    return found


def _responses(pks: Sequence[int]) -> dict[int, _Thing]:
    rows = Response.objects.filter(pk__in=pks).select_related("item", "release__system")
    return {
        one.pk: _Thing(
            one.item_id,
            f"{one.release.system.name} · {one.release.label}",
            search.said(one.messages),
            0,
            (one.item.external_id,),
        )
        for one in rows
    }


_READ: Mapping[str, Any] = {
    Kind.QUESTION: _questions,
    Kind.ITEM: _items,
    Kind.SOURCE: _sources,
    Kind.RESPONSE: _responses,
}


T = TypeVar("T", bound=Model)

#: So many of a kind are shown.
EACH = 5
LAST_LETTER = "\U0010ffff"


def projects(user: User, words: str) -> list[Project]:
    """Return the projects somebody belongs to whose name has these words."""
    mine = Membership.objects.active().filter(user=user).values("project")
    named = _named(Project.objects.filter(pk__in=mine), words, "name", "subtitle", "slug")
    return list(named.order_by("name")[:EACH])


def questions(project: Project, words: str) -> list[QuestionVersion]:
    """Return questions of the bank whose id begins so, then those that have these words.

    Each by its newest version, with `question` at hand.
    """
    found: list[int] = []
    for start in _writings(words):
        if len(found) < EACH:
            begun = Question.objects.filter(_beginning(start), project=project)
            found += begun.order_by("external_id").values_list("pk", flat=True)[:EACH]
    if len(found) < EACH:
        found += _best(project, words, Limits({SearchText.Kind.QUESTION}))
    chosen = list(dict.fromkeys(found))[:EACH]
    rows = QuestionVersion.objects.newest().filter(question__in=chosen).select_related("question")
    versions = {one.question_id: one for one in rows}
    return [versions[pk] for pk in chosen if pk in versions]


def _writings(words: str) -> list[str]:
    return list(dict.fromkeys([words, words.upper(), words.lower()]))


def items(project: Project, words: str) -> list[Item]:
    """Return imported items whose id begins so, then those that have these words.

    What the bank put before raters is found as its question.
    """
    seen = Item.objects.seen().filter(project=project, question_version=None)
    found: dict[int, Item] = {}
    for start in _writings(words):
        if len(found) < EACH:
            begun = seen.filter(_beginning(start))
            found |= {one.pk: one for one in begun.order_by("external_id", "pk")[:EACH]}
    if len(found) < EACH:
        best = _best(project, words, Limits({SearchText.Kind.ITEM}))
        rows = {one.pk: one for one in seen.filter(pk__in=best)}
        found |= {pk: rows[pk] for pk in best if pk in rows}
    return list(found.values())[:EACH]


def sources(project: Project, words: str, visible: "QuerySet[Source] | None") -> list[Source]:
    """Return sources that have these words, of those that somebody may see (None: all)."""
    best = _best(project, words, Limits({SearchText.Kind.SOURCE}, visible))
    rows = Source.objects.in_bulk(best)
    return [rows[pk] for pk in best if pk in rows]


def responses(project: Project, words: str) -> list[Response]:
    """Return responses that have these words, with item and system at hand."""
    best = _best(project, words, Limits({SearchText.Kind.RESPONSE}))
    rows = Response.objects.select_related("item", "release__system").in_bulk(best)
    return [rows[pk] for pk in best if pk in rows]


def _best(project: Project, words: str, limits: Limits) -> list[int]:
    """Return the keys of the few things of one kind that have these words best."""
    sought = search.sought(words)
    if not sought:
        return []
    hits = text_search.found_texts(project, sought, limits, most=2 * EACH).hits
    return list(dict.fromkeys(one.of for one in hits))[:EACH]


def _beginning(start: str) -> Q:
    """Return the condition of an id that begins so.

    SQLite compares bytes and uses its index for a range, not for a LIKE; where a locale sorts, a
    range may hold other ids than those that begin so.
    """
    if connection.vendor == "sqlite":
        return Q(external_id__gte=start, external_id__lt=start + LAST_LETTER)
    return Q(external_id__startswith=start)


def rounds(project: Project, words: str) -> list[Round]:
    """Return the rounds with this name, or with this number."""
    rows = Round.objects.filter(project=project)
    wanted = Q(name__icontains=words)
    if words.isdecimal() and len(words) < 10:
        wanted |= Q(number=int(words))
    return list(rows.filter(wanted).order_by("-number")[:EACH])


def systems(project: Project, words: str) -> list[System]:
    rows = System.objects.seen().filter(project=project)
    return list(_named(rows, words, "name").order_by("name")[:EACH])


def rubrics(project: Project, words: str) -> list[Rubric]:
    rows = Rubric.objects.for_people().filter(project=project)
    return list(_named(rows, words, "name", "key").order_by("name")[:EACH])


def people(project: Project, words: str) -> list[User]:
    """Return those who belong to the project now, by their name or user name."""
    now = Membership.objects.active().filter(project=project).values("user")
    rows = User.objects.filter(pk__in=now).select_related("person")
    return list(_named(rows, words, "person__name", "username").order_by("person__name")[:EACH])


def imports(project: Project, words: str) -> list[ImportBatch]:
    rows = ImportBatch.objects.filter(project=project)
    return list(_named(rows, words, "file_name").order_by("-number")[:EACH])


def _named(rows: "QuerySet[T]", words: str, *fields: str) -> "QuerySet[T]":
    """Return the rows that have all the words, in whichever of the fields."""
    for word in words.split():
        anywhere = Q()
        for field in fields:
            anywhere |= Q(**{f"{field}__icontains": word})
        rows = rows.filter(anywhere)
    return rows


#: What each filter is of; who may not see any of it is not offered the filter.
OF = {
    "domain": {Kind.QUESTION, Kind.ITEM, Kind.RESPONSE},
    "capability": {Kind.QUESTION, Kind.ITEM, Kind.RESPONSE},
    "state": {Kind.QUESTION},
    "language": {Kind.QUESTION},
    "collection": {Kind.SOURCE},
}


class SearchFilter(Filter):
    capability = forms.TypedChoiceField(label=_("Capability"), coerce=int, required=False)
    domain = forms.TypedChoiceField(label=_("Area"), coerce=int, required=False)
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[("", _("Any state")), *QuestionVersion.State.choices],
    )
    language = forms.CharField(
        label=_("Language"),
        required=False,
        max_length=MAX_LANGUAGE,
        widget=forms.TextInput(attrs={"placeholder": _("Language"), "size": 8}),
    )
    collection = forms.TypedChoiceField(label=_("Collection"), coerce=int, required=False)

    def __init__(
        self,
        *args: Any,
        project: Project,
        kinds: Collection[str],
        collections: Collection[SourceCollection],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        chosen: dict[str, list[tuple[Any, Any]]] = {
            "capability": [("", _("Any capability")), *capability_options(project)],
            "domain": [("", _("Any area")), *domain_options(project)],
            "collection": [
                ("", _("Any collection")),
                *((one.pk, one.name) for one in collections),
            ],
        }
        for name, options in chosen.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]
        for name, of in OF.items():
            if of.isdisjoint(kinds) or len(chosen.get(name, (1, 2))) == 1:
                del self.fields[name]

    def given(self, name: str) -> Any:
        return super().given(name) if name in self.fields else None

    def limits(self, kinds: Collection[str], sources: "QuerySet[Source] | None") -> Limits:
        """Return what is wanted of what somebody may see: these kinds, and of sources these."""
        domain = self.given("domain")
        return Limits(
            kinds=kinds,
            sources=sources,
            domains=search_questions.below(self.project, domain) if domain else None,
            capability=self.given("capability"),
            state=self.given("state") or "",
            language=self.given("language") or "",
            collection=self.given("collection"),
        )
