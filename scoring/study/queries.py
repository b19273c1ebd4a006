"""The study sheet of a final round: what a reader of a study needs, in the parts of a datasheet.

What the product knows is read from what is stored; the rest is what people said of their study, and
stands as "not said" where they did not. No annotator is named, and no system unless names are shown.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Final

from django.db.models import Count, Max, Min, Q
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy

from annotation.common import scales
from annotation.common.sentences import gettext as _
from annotation.grading.models import Grade, Invalidation
from annotation.people.models import Person, Project, RaterKind
from annotation.qualification.models import Practice, Qualification
from annotation.rounds.models import Assignment, IdentityHit, Round, RoundItem, RoundResponse
from annotation.rounds.rules import Draw
from annotation.rubrics.models import Criterion, RubricVersion
from evalsite import errors
from evalsite.records import parts
from evalsite.templatetags.ui import score
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Judgment, Run
from scoring.figures import labels, selection
from scoring.figures.labels import ReadRound
from scoring.report.queries import RoundReport
from scoring.study.models import StudyAnswers
from scoring.study.records import PARTS, Study

TITLES: Final = {
    "study": gettext_lazy("Study"),
    "systems": gettext_lazy("Systems"),
    "sample": gettext_lazy("Questions"),
    "annotators": gettext_lazy("Annotators"),
    "design": gettext_lazy("Design"),
    "criteria": gettext_lazy("Rubric"),
    "exclusions": gettext_lazy("Exclusions"),
    "agreement": gettext_lazy("Agreement"),
    "statistics": gettext_lazy("Statistics"),
    "machines": gettext_lazy("Judges"),
    "ethics": gettext_lazy("Ethics"),
}
KNOWN, SAID, UNSAID = "known", "said", "not_said"
SUBMITTED: Final = Assignment.State.SUBMITTED


class NotFinal(errors.Conflict):
    """Until a round is final, its study is not over."""

    code = "round_not_final"


@dataclass(frozen=True, slots=True)
class Line:
    """A fact: `source` is whether the product knows it, somebody said it, or nobody did."""

    key: str
    title: str
    text: str
    source: str = KNOWN

    @property
    def is_unsaid(self) -> bool:
        return self.source == UNSAID


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the first column names the row; `note` stands above it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the sheet."""

    key: str
    title: str
    lines: tuple[Line, ...]
    tables: tuple[Grid, ...] = ()


def allowed(scope: Any, number: int) -> ReadRound:
    """Return the reading of a final round.

    Raises:
        NotFinal: it is not final.
    """
    mine = labels.allowed(scope, number)
    if mine.round.state != Round.State.FINAL:
        raise NotFinal(_("A study sheet is there once the round is final."))
    return mine


def held(project: Project, round_: Round | None) -> StudyAnswers | None:
    """Return the answers that hold for a round, or for all of a project."""
    rows = StudyAnswers.objects.filter(project=project, round=round_)
    return rows.order_by("-number").first()


def said_of(project: Project, round_: Round | None) -> Study:
    """Return what is said of a project's rounds, or otherwise of one of them."""
    found = held(project, round_)
    known = {one.name for one in parts(Study)}
    body = found.body if found else {}
    return Study(**{name: text for name, text in body.items() if name in known})


def n_said(project: Project) -> tuple[int, int]:
    """Return how many questions about studies are answered for a project, and how many there are."""
    found = held(project, None)
    return len(found.body if found else {}), len(parts(Study))


class Sheet:
    """The study sheet of a round, whose report is ready."""

    def __init__(self, mine: ReadRound, report: RoundReport) -> None:
        self.mine, self.round, self.report = mine, mine.round, report

    @property
    def title(self) -> str:
        return _("Study of %(name)s") % {"name": self.round.name}

    @cached_property
    def parts(self) -> list[Part]:
        made = [self._part(key, str(title)) for key, title in TITLES.items()]
        found = [one for one in made if one.lines or one.tables]
        return found if self.mine.shown else [_hidden(one, self._systems_by_name) for one in found]

    @cached_property
    def _systems_by_name(self) -> dict[str, str]:
        rows = self.round.systems.select_related("release__system")
        return {one.release.system.name: self.mine.names[one.release_id].text for one in rows}

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "project": self.mine.scope.project.slug,
            "round": self.round.number,
            "title": self.title,
            "parts": [asdict(one) for one in self.parts],
        }

    @property
    def markdown(self) -> str:
        """Return the sheet as Markdown."""
        return "\n".join(_written(self.title, self.parts)) + "\n"

    def _part(self, key: str, title: str) -> Part:
        facts: list[Line | Grid] = list(getattr(self, f"_{key}")())
        lines = tuple(one for one in facts if isinstance(one, Line))
        tables = tuple(one for one in facts if isinstance(one, Grid))
        return Part(key, title, (*lines, *self._said(key)), tables)

    @cached_property
    def _answers(self) -> dict[str, tuple[str, str]]:
        """Return label and answer of every question; of the round before that of the project."""
        project = self.mine.scope.project
        own, usual = said_of(project, self.round), said_of(project, None)
        return {
            one.name: (
                str(_(one.ask.label)) if one.ask else one.name,
                getattr(own, one.name) or getattr(usual, one.name),
            )
            for one in parts(Study)
        }

    def _said(self, key: str) -> Iterator[Line]:
        for name in PARTS.get(key, ()):
            title, text = self._answers[name]
            yield Line(name, title, text or _("not said"), SAID if text else UNSAID)

    def _study(self) -> Iterator[Line]:
        round_ = self.round
        yield Line("project", _("Project"), self.mine.scope.project.name)
        kind = round_.get_kind_display()
        yield Line("round", _("Round"), f"{round_.number} · {round_.name} ({kind})")
        times = (round_.opened_at, round_.review_at, round_.final_at)
        dates = [date_format(one, "j F Y") for one in times if one]
        yield Line("dates", _("Opened, closed, final"), ", ".join(dates) or "–")

    def _systems(self) -> Iterator[Line]:
        names = [one.text for one in self.mine.names.values()]
        yield Line("systems", _("Systems"), f"{len(names)}: {', '.join(names)}")

    def _sample(self) -> Iterator[Line | Grid]:
        places = RoundItem.objects.filter(round=self.round)
        purposes = RoundItem.Purpose
        counts = dict(places.order_by().values_list("purpose").annotate(n=Count("pk")))
        told = (f"{n} {purposes(key).label}" for key, n in sorted(counts.items()))
        title = _("Pairs of answers") if self.round.of_pairs else _("Questions")
        yield Line("questions", title, ", ".join(told) or "0")
        yield Line("drawn", _("Drawn"), self._drawn(places))
        answers = RoundResponse.objects.filter(round_item__round=self.round).values("response")
        yield Line("answers", _("Answers"), str(answers.distinct().count()))
        rows = places.filter(occasion=1).order_by("item__capability__position")
        by = rows.values_list("item__capability__name").annotate(n=Count("pk"))
        found = tuple((name or _("Without a capability"), str(n)) for name, n in by)
        yield Grid(_("By capability"), (_("Capability"), title), found)

    def _drawn(self, places: Any) -> str:
        """Return how the questions were chosen."""
        if self.mine.is_imported:
            return _("as imported")
        how = str(Draw.from_json(self.round.draw).how).replace("_", " ").lower()
        ends = places.aggregate(low=Min("inclusion_probability"), high=Max("inclusion_probability"))
        if ends["low"] is None:
            return how
        words = {"how": how, "seed": self.round.seed, "low": f"{ends['low']:.3g}"}
        words["high"] = f"{ends['high']:.3g}"
        return _("%(how)s, seed %(seed)s; chance %(low)s to %(high)s") % words

    def _annotators(self) -> Iterator[Line]:
        given = Grade.objects.current().filter(round=self.round, kind=Grade.Kind.GIVEN)
        by = list(given.order_by().values_list("rater", "rater__kind").annotate(n=Count("pk")))
        people = sum(kind == RaterKind.PERSON for _rater, kind, _n in by)
        yield Line("n", _("Annotators"), self._count(people, len(by)))
        if by:
            numbers = [n for *_who, n in by]
            ends = dict.fromkeys(str(end) for end in (min(numbers), max(numbers)))
            yield Line("grades", _("Grades each"), " – ".join(ends))
        raters = [rater for rater, *_rest in by]
        if practised := Practice.objects.filter(rater__in=raters).order_by().values("rater"):
            text = _("%(n)d trained on examples") % {"n": practised.distinct().count()}
            yield Line("training", _("Training"), text)
        yield from self._qualified(raters)

    def _count(self, people: int, n: int) -> str:
        return str(n) if people == n else _("%(n)d, of a file") % {"n": n}

    def _qualified(self, raters: Sequence[int]) -> Iterator[Line]:
        rows = Qualification.objects.filter(rater__in=raters, event__in=("PASSED", "FAILED"))
        counts = dict(rows.order_by().values_list("event").annotate(n=Count("pk")))
        asked = _("asked") if self.round.asks_qualification else _("not asked")
        words = {"asked": asked, "passed": counts.get("PASSED", 0), "n": sum(counts.values())}
        text = _("%(asked)s; %(passed)d of %(n)d trials passed") % words
        yield Line("qualification", _("Qualification"), text)

    def _design(self) -> Iterator[Line]:
        if self.mine.is_imported:
            yield Line("grades", _("Grades"), _("as imported"))
            return
        round_ = self.round
        seats = Assignment.objects.filter(round=round_)
        done = seats.filter(state=SUBMITTED).count()
        words = {"n": round_.n_seats, "done": done, "all": seats.count()}
        text = _("%(n)d a question; %(done)d of %(all)d graded") % words
        if round_.of_pairs:
            text = _("%(n)d a pair of answers; %(done)d of %(all)d chosen") % words
        yield Line("seats", _("Seats"), text)
        yield Line("blind", _("Blind"), self._blinding())
        yield Line("order", _("Order"), _("systems balanced over positions (±1)"))
        places = self._places
        yield Line("repeats", _("Graded twice"), str(places.filter(occasion=2).count()))
        yield Line("gold", _("Gold"), str(places.filter(purpose="GOLD").count()))
        if round_.instructions:
            yield Line("note", _("Note to the annotators"), round_.instructions)
        yield Line("seen", _("Seen"), self._seen())

    @property
    def _places(self) -> Any:
        return RoundItem.objects.filter(round=self.round)

    def _blinding(self) -> str:
        hits = IdentityHit.objects.filter(round=self.round)
        counts = dict(hits.order_by().values_list("decision").annotate(n=Count("pk")))
        words = {"masked": counts.get("MASK", 0), "kept": counts.get("KEEP", 0)}
        return _("no names; in answers %(masked)d masked, %(kept)d left") % words

    def _seen(self) -> str:
        shown = [_("question, answers side by side, rubric")]
        if self._places.exclude(item__reference="").exists():
            shown.append(_("standard answer"))
        if self.round.uniform_rendering:
            shown.append(_("flattened"))
        return "; ".join(shown)

    def _criteria(self) -> Iterator[Grid]:
        versions = RubricVersion.objects.filter(
            pk__in=self._places.values("rubric_version")
        ).select_related("rubric")
        versions = versions.prefetch_related("criteria__levels")
        for one in versions.order_by("rubric__name", "number"):
            title = f"{one.rubric.name} v{one.number}"
            columns = (_("Criterion"), _("Scale"), _("Value"), _("Meaning"))
            rows = tuple(row for each in one.criteria.all() for row in _levels(each))
            yield Grid(title, columns, rows, one.principle)

    def _exclusions(self) -> Iterator[Line | Grid]:
        grades = Grade.objects.seen().filter(round=self.round)
        given = grades.filter(kind=Grade.Kind.GIVEN)
        counts = given.aggregate(
            late=Count("pk", filter=Q(late=True)),
            cannot=Count("pk", filter=Q(is_current=True, outcome="CANNOT_GRADE")),
        )
        yield Line("cannot", _("Could not be graded"), str(counts["cannot"]))
        yield Line("late", _("Late"), str(counts["late"]))
        if planned := self.report.planned:
            yield Line("missing", _("Missing"), f"{planned[0]} / {planned[1]}")
        settled = selection.counts(self.round)["adjudicated"]
        yield Line("adjudicated", _("Adjudicated"), str(settled))
        standing = Invalidation.objects.filter(
            round=self.round, reverses__isnull=True, reversed_by__isnull=True
        )
        yield Line("invalid", _("Declared invalid"), str(standing.count()))
        rows = standing.order_by("at").values_list("kind", "at", "reason")
        people = self._people()
        made = tuple(
            (
                str(Invalidation.Kind(kind).label),
                date_format(at, "j F Y"),
                _without(people, reason),
            )
            for kind, at, reason in rows
        )
        if made:
            yield Grid(_("Declared invalid"), (_("What"), _("When"), _("Why")), made)

    def _people(self) -> dict[str, str]:
        """Return what stands for the names of the round's annotators."""
        rows = Person.objects.filter(user__rater__round_places__round=self.round)
        names = [name for row in rows.values_list("name", "user__username") for name in row]
        return {name: _("an annotator") for name in names if name}

    def _agreement(self) -> Iterator[Grid]:
        found = self.report.agreement
        if found.is_empty:
            return
        rows = [found.overall, *found.parts]
        columns = (_("Criterion"), "α", _("Low"), _("High"), _("Units"), _("Annotators"))
        yield Grid(
            found.caption,
            columns,
            tuple(
                (
                    " · ".join(text for text in (one.title, one.below) if text),
                    *(
                        score(value, 2)
                        for value in (one.alpha.value, one.alpha.low, one.alpha.high)
                    ),
                    str(one.n_pairable),
                    str(one.n_raters),
                )
                for one in rows
            ),
        )

    def _statistics(self) -> Iterator[Line]:
        for number, one in enumerate(self.report.methods, start=1):
            yield Line(f"method-{number}", one.title, one.text)
        told = [*self.report.settings, *self.report.versions]
        for number, (title, value) in enumerate(told, start=1):
            yield Line(f"setting-{number}", str(title), str(value))

    def _machines(self) -> Iterator[Line]:
        if self.round.of_pairs:
            yield from self._judges_of_pairs()
            return
        served = RoundResponse.objects.filter(round_item__round=self.round).values("response")
        rows = Judgment.objects.counted().filter(response__in=served, repeat=0).order_by("rater")
        by = rows.values_list("rater__ref", "rater__judge__name", "rater__judge__protocol")
        for number, (ref, name, protocol) in enumerate(by.distinct(), start=1):
            yield Line(f"judge-{number}", name or ref, protocol or "–")

    def _judges_of_pairs(self) -> Iterator[Line]:
        """Yield who chose between the answers of this round: scores of single answers are not of it."""
        runs = Run.objects.filter(round=self.round, kind=Run.Kind.PAIRS, state=Run.State.DONE)
        asked = dict.fromkeys(runs.order_by("number").values_list("config__endpoint", flat=True))
        known = Endpoint.objects.in_bulk(list(asked))
        for number, key in enumerate(asked, start=1):
            name = known[key].name if key in known else "–"
            yield Line(f"judge-{number}", name, _("in pairs"))

    def _ethics(self) -> Iterator[Line]:
        yield from ()


def _without(names: Mapping[str, str], text: str) -> str:
    """Return a text with other words in the place of names, however these are written."""
    if not names:
        return text
    longest = sorted(names, key=len, reverse=True)
    found = "|".join(re.escape(one) for one in longest)
    by = {name.casefold(): other for name, other in names.items()}
    return re.sub(
        rf"(?<!\w)(?:{found})(?!\w)", lambda hit: by[hit[0].casefold()], text, flags=re.IGNORECASE
    )


def _hidden(part: Part, names: Mapping[str, str]) -> Part:
    """Return a part without the names of systems, whoever wrote them into it."""
    lines = tuple(replace(one, text=_without(names, one.text)) for one in part.lines)
    tables = tuple(
        replace(
            one,
            rows=tuple(tuple(_without(names, cell) for cell in row) for row in one.rows),
            note=_without(names, one.note),
        )
        for one in part.tables
    )
    return replace(part, lines=lines, tables=tables)


#: Kinds of mark whose bounds say nothing.
_WORDS = (
    Criterion.Mark.YES_NO,
    Criterion.Mark.LABEL,
    Criterion.Mark.LABELS,
    Criterion.Mark.TEXT,
    Criterion.Mark.CHOICE,
)


def _levels(criterion: Criterion) -> list[tuple[str, ...]]:
    """Return a criterion with its levels, a row each; the first one says which and on what scale."""
    ends = [one for one in (criterion.minimum, criterion.maximum) if one is not None]
    scale = " – ".join(scales.text(one) for one in ends)
    if criterion.mark in _WORDS:
        scale = str(Criterion.Mark(criterion.mark).label)
    if criterion.pass_at is not None:
        scale += _(", passes from %(mark)s") % {"mark": scales.text(criterion.pass_at)}
    head = f"{criterion.name}: {criterion.description}".removesuffix(": ")
    rows = [
        (scales.text(one.value), ": ".join(text for text in (one.label, one.description) if text))
        for one in criterion.levels.all()
    ]
    first, *others = rows or [("", "")]
    return [(head, scale, *first), *(("", "", *one) for one in others)]


def _written(title: str, made: Sequence[Part]) -> Iterator[str]:
    yield f"# {_plain(title)}"
    for part in made:
        yield f"\n## {_plain(part.title)}\n"
        for line in part.lines:
            yield f"* **{_plain(line.title)}:** {_plain(line.text)}"
        for table in part.tables:
            yield f"\n### {_plain(table.title)}\n"
            if table.note:
                yield f"{_plain(table.note)}\n"
            yield _row(table.columns)
            yield _row(["---"] * len(table.columns))
            yield from (_row([_plain(cell) for cell in row]) for row in table.rows)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


#: What Markdown would take for markup of its own.
_MARKS: Final[Mapping[int, str]] = str.maketrans({one: f"\\{one}" for one in "\\`*_[]<>|#"})


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is, in one line."""
    return " ".join(str(text).split()).translate(_MARKS)
