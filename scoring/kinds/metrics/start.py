"""Have answers measured by metrics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.common.forms import field_of, one_of, some_of
from annotation.people.models import Project
from annotation.rounds.models import Round
from evalsite.records import part
from scoring.engine.forms import StartForm
from scoring.engine.kinds import Action
from scoring.engine.starting import CountedEstimate, Lack, StartPage
from scoring.kinds.metrics import operations
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.catalogue import METRICS, USUAL
from scoring.kinds.metrics.operations import Measured, OfAnswers
from scoring.kinds.metrics.queries import IMPORT, ROUND

GROUPS = {
    "likeness": _("Likeness with a reference"),
    "overlap": _("Sequences of words that are shared or new"),
    "shape": _("Length and repetition"),
    "readability": _("How easy it is to read"),
}
#: Names that do not say by themselves what is compared.
_WITH = {
    "overlap_references": _("%(n)d-grams shared with a reference"),
    "novelty_references": _("%(n)d-grams in no reference"),
    "overlap_source": _("%(n)d-grams shared with the source text"),
    "novelty_source": _("%(n)d-grams not in the source text"),
    "repetition": _("%(n)d-grams repeated in the answer"),
}
_NAMES = {
    "words": _("Words"),
    "signs": _("Characters"),
    "sentences": _("Sentences"),
    "reading_ease": _("Flesch reading ease (English)"),
    "grade_level": _("Flesch–Kincaid grade (English)"),
    "meteor": _("METEOR (needs WordNet on the server)"),
}


def label(key: str) -> Any:
    """Return what a metric is called on the page."""
    metric = METRICS[key]
    if metric.n:
        return _WITH[key.replace(str(metric.n), "", 1)] % {"n": metric.n}
    return _NAMES.get(key, metric.name)


def _metrics() -> list[tuple[Any, list[tuple[str, Any]]]]:
    found: dict[str, list[tuple[str, Any]]] = {name: [] for name in GROUPS}
    for key, metric in METRICS.items():
        found[metric.group].append((key, label(key)))
    return [(GROUPS[name], choices) for name, choices in found.items()]


def answers_of(project: Project, rounds: Iterable[Round]) -> list[tuple[Any, Any]]:
    """Return the choices of answers: of these rounds, and of the imports of a project."""
    imports = [
        (f"{IMPORT}{one.number}", f"{one.number} · {one.file_name}")
        for one in measured.imports_of(project)
    ]
    groups = [
        (_("Rounds"), [(f"{ROUND}{one.number}", one.name) for one in rounds]),
        (_("Imports of answers"), imports),
    ]
    return [("", _("Choose a round or an import")), *(one for one in groups if one[1])]


class OfAnswersForm(StartForm, record=OfAnswers, leave_out=("round", "batch")):
    """Whose answers something is done with."""

    over = forms.ChoiceField(label=_("Answers"))

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        answers = answers_of(project, measured.rounds_of(project))
        self.offer(over=answers)
        self.is_empty = len(answers) < 2

    def wish(self) -> Any:
        key, _colon, number = self.cleaned_data["over"].partition(":")
        name = "round" if f"{key}:" == ROUND else "batch"
        return replace(super().wish(), **{name: int(number)})


class MetricsForm(OfAnswersForm, record=Measured, leave_out=("metrics",)):
    """Which answers are measured, by what, against which texts."""

    field_order = ("over", "metrics")
    metrics = some_of(Measured, "metrics", initial=USUAL)
    references = field_of(part(Measured, "references"), widget=forms.RadioSelect)
    many = field_of(part(Measured, "many"), widget=forms.RadioSelect)
    source = one_of(Measured, "source")

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, project=project, **kwargs)
        for name in ("budget", "seed"):  # nobody is asked, and nothing is drawn
            del self.fields[name]
        self.offer(metrics=_metrics(), source=_sources(project))


def _sources(project: Project) -> list[tuple[str, Any]]:
    kept = [(f"{measured.FIELD}{one}", one) for one in measured.fields(project)]
    groups = [(_("Fields kept with the question"), kept)] if kept else []
    return [("", _("none")), (measured.QUESTION, _("the question itself")), *groups]  # type: ignore[list-item]


class MetricsStart(StartPage):
    name, at = "metrics_new", "judges/metrics/"
    kind, form = operations.KIND, MetricsForm
    title, run_name = _("Compute metrics"), _("Metrics")
    style, takes = "metrics", ("over",)
    asks, asks_again = _("Show what there is to measure"), _("Count again")
    lead = _("ROUGE, BLEU and others, without a language model.")

    @property
    def path(self) -> Sequence[Action]:
        return [Action(_("Judges"), self.url("judges"))]

    def lack(self, form: Any) -> Lack | None:
        return no_answers(
            self,
            form,
            _("No answers to measure yet"),
            _("Import questions and answers, or open a round."),
        )

    def counted(self, told: Mapping[str, Any]) -> CountedEstimate | None:
        n = told["releases"]
        releases = ngettext("of %(n)d release", "of %(n)d releases", n) % {"n": n}
        return CountedEstimate(
            _("What there is to measure"),
            _("Without a reference: no value."),
            [
                (_("Answers"), told["answers"], releases),
                (_("With a standard answer"), told["with_standard_answer"], ""),
                (_("With reference texts"), told["with_references"], ""),
            ],
        )


def no_answers(start: StartPage, form: Any, title: Any, text: Any) -> Lack | None:
    """Return that answers have to be there first, unless a form of answers has some."""
    action = Action(_("Import answers"), start.url("import_new"))
    return Lack(title, text, action) if form.is_empty else None


STARTS = (MetricsStart,)
