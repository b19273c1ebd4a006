"""The form that has answers measured by metrics."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Round
from scoring.forms.runs import StartForm
from scoring.models import Run
from scoring.operations.metrics import Choice
from scoring.protocols.metrics.catalogue import METRICS, USUAL
from scoring.queries import measured

ROUND, IMPORT = "round:", "import:"

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


def answers_of(project: Project, rounds: Sequence[Round]) -> list[tuple[Any, Any]]:
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


class MetricsForm(StartForm):
    """Which answers are measured, by what, against which texts."""

    over = forms.ChoiceField(label=_("Answers"))
    metrics = forms.MultipleChoiceField(
        label=_("Metrics"),
        widget=forms.CheckboxSelectMultiple,
        initial=USUAL,
        help_text=_(
            "Each becomes a metric of its own in the list of judges, named after what it was "
            "compared with."
        ),
    )
    references = forms.ChoiceField(
        label=_("Compare with"),
        widget=forms.RadioSelect,
        initial="standard",
        choices=[
            ("standard", _("the standard answer")),
            ("texts", _("the reference texts that came with the question")),
            ("both", _("both")),
        ],
    )
    many = forms.ChoiceField(
        label=_("Of several references"),
        widget=forms.RadioSelect,
        initial="mean",
        choices=[("mean", _("the mean of all")), ("best", _("the best"))],
        help_text=_("For ROUGE and METEOR. BLEU and chrF use all of them by their own rules."),
    )
    source = forms.ChoiceField(
        label=_("Source text"),
        required=False,
        help_text=_("What the answer was made from, such as the article of a summary."),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("budget", "seed"):  # nobody is asked, and nothing is drawn
            del self.fields[name]
        self._rounds = {one.number: one for one in measured.rounds_of(project)}
        self._choose("over", answers_of(project, list(self._rounds.values())))
        self._choose("metrics", _metrics())
        self._choose("source", _sources(project))

    def choice(self) -> Choice:
        given = self.cleaned_data
        over = given["over"]
        return Choice(
            metrics=given["metrics"],
            references=given["references"],
            many=given["many"],
            source=given["source"],
            batch=int(over.removeprefix(IMPORT)) if over.startswith(IMPORT) else None,
        )

    def round(self) -> Round | None:
        over = self.cleaned_data["over"]
        return self._rounds[int(over.removeprefix(ROUND))] if over.startswith(ROUND) else None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to choose from yet."""
        return len(self.fields["over"].choices) < 2  # type: ignore[attr-defined]

    def _choose(self, name: str, choices: list[Any]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]


def initial_of(run: Run) -> dict[str, Any]:
    """Return what the form shows for a clone of a run."""
    config = run.config
    over = f"{ROUND}{run.round.number}" if run.round else f"{IMPORT}{config['import']}"
    kept = {name: config[name] for name in ("metrics", "references", "many", "source")}
    return {**kept, "over": over}


def _sources(project: Project) -> list[tuple[str, Any]]:
    kept = [(f"{measured.FIELD}{one}", one) for one in measured.fields(project)]
    groups = [(_("Fields kept with the question"), kept)] if kept else []
    return [("", _("none")), (measured.QUESTION, _("the question itself")), *groups]  # type: ignore[list-item]
