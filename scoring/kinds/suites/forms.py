"""Forms of suites: their text, a run over stored conversations, and what a run is compared with.

* Gates of a suite as lines of a form: “kind mean of assistant >= 0.8 at 95 %”.
* The form that says when a suite runs by itself, and over what.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import Filter
from annotation.people.models import Project
from scoring.engine.forms import StartForm, budget
from scoring.engine.models import Run
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites.labels import Choice, Label
from scoring.kinds.suites.models import ConversationSet, SuiteSchedule
from scoring.kinds.suites.protocol.definition import Gate


class SuiteForm(forms.Form):
    """A suite as YAML."""

    text = forms.CharField(
        label=_("Suite (YAML)"),
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "false", "class": "mono"}),
        help_text=_(
            "Mistakes are listed line by line, and nothing is saved until they are mended."
        ),
        strip=False,
    )


class SuiteRunForm(StartForm):
    """Over which stored conversations a suite is run."""

    sets = forms.MultipleChoiceField(
        label=_("Conversations"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Those that are there when the run is asked for; later ones are not part of it."
        ),
    )

    tolerated = forms.FloatField(
        label=_("Share of judgments that may be missing"),
        min_value=0,
        max_value=1,
        required=False,
        initial=0,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text=_("From 0 to 1. Where more are missing, no gate is kept."),
    )

    tries = forms.BooleanField(
        label=_("Only try it on three of them"),
        required=False,
        help_text=_(
            "Drawn by lot. Look at the reasons of the judges before you ask them thousands."
        ),
    )

    def __init__(self, *args: Any, project: Project, asks: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not asks:  # nobody is asked, so nothing costs anything
            del self.fields["budget"]
        self._sets = {str(one.set.number): one for one in suites.sets_of(project) if one.n}
        self.fields["sets"].choices = [  # type: ignore[attr-defined]
            (number, _("%(name)s (%(n)d)") % {"name": one.set.name, "n": one.n})
            for number, one in self._sets.items()
        ]

    @property
    def is_empty(self) -> bool:
        return not self._sets

    def chosen(self) -> list[ConversationSet]:
        return [self._sets[number].set for number in self.cleaned_data["sets"]]


class BaselineFilter(Filter):
    """The run that another one is compared with."""

    baseline = forms.ChoiceField(label=_("Compare with"), required=False)

    def __init__(self, *args: Any, runs: Sequence[Run], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["baseline"].choices = [  # type: ignore[attr-defined]
            ("", _("no other run")),
            *((str(one.number), f"{one.number} · {one.name}") for one in runs),
        ]


class LabelFilter(Filter):
    """A value of a metric, and the name of the labels it is held against; the first of each unless chosen."""

    metric = forms.ChoiceField(label=_("Metric"), required=False)
    label = forms.ChoiceField(label=_("Label by people"), required=False)

    def __init__(
        self, *args: Any, choices: Sequence[Choice], labels: Sequence[Label], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._first = (choices[0].key if choices else "", labels[0].name if labels else "")
        self.fields["metric"].choices = [(one.key, one.name) for one in choices]  # type: ignore[attr-defined]
        self.fields["label"].choices = [(one.name, one.shown) for one in labels]  # type: ignore[attr-defined]

    def chosen(self) -> tuple[str, str]:
        metric, label = self._first
        return self.given("metric") or metric, self.given("label") or label


_LINE: Final = re.compile(
    r"(?P<metric>\S.*?)\s+(?P<statistic>mean|min|max|sd|p\d+(?:\.\d+)?)(?:\s+of\s+(?P<role>\S+))?"
    r"\s*(?P<sign><=|>=|≤|≥)\s*(?P<bound>-?\d*\.?\d+)(?:\s+at\s+(?P<percent>\d+(?:\.\d+)?)\s*%?)?",
)


class Unreadable(ValueError):
    """A line is no gate; the message shows one that is."""


def read(text: str) -> list[Gate]:
    """Return the gates of a text, one on each line.

    Raises:
        Unreadable: a line is none.
    """
    return [_gate(line.strip()) for line in text.splitlines() if line.strip()]


def write(gates: Iterable[Gate]) -> str:
    return "\n".join(_line(one) for one in gates)


def _gate(line: str) -> Gate:
    found = _LINE.fullmatch(line)
    if found is None:
        raise Unreadable(
            gettext(
                "“%(line)s” is no gate. Write it as: is_refusal mean of assistant <= 0.2 at 95 %%"
            )
            % {"line": line[:80]}
        )
    bound = float(found["bound"])
    least = found["sign"] in {">=", "≥"}
    return Gate(
        metric=found["metric"],
        statistic=found["statistic"],
        role=found["role"] or "",
        minimum=bound if least else None,
        maximum=None if least else bound,
        confidence=float(found["percent"]) / 100 if found["percent"] else None,
    )


def _line(one: Gate) -> str:
    bounds = [(">=", one.minimum), ("<=", one.maximum)]
    role = f" of {one.role}" if one.role else ""
    sure = f" at {100 * one.confidence:g} %" if one.confidence is not None else ""
    return "\n".join(
        f"{one.metric} {one.statistic}{role} {sign} {bound:g}{sure}"
        for sign, bound in bounds
        if bound is not None
    )


class ScheduleForm(forms.Form):
    """How often, over which sets, and within what budget."""

    every = forms.ChoiceField(label=_("How often"), choices=SuiteSchedule.Every.choices)
    sets = forms.MultipleChoiceField(
        label=_("Conversations"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each run is over those that came into these sets since the last one."),
    )
    from_beginning = forms.BooleanField(
        label=_("Begin with those that are there already"), required=False
    )
    budget = budget()

    def __init__(
        self, *args: Any, project: Project, schedule: SuiteSchedule | None, **kwargs: Any
    ) -> None:
        kwargs["initial"] = _initial(schedule) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self._sets = {str(one.set.number): one for one in suites.sets_of(project)}
        self.fields["budget"].label = _("Budget of each run")
        self.fields["sets"].choices = [  # type: ignore[attr-defined]
            (number, _("%(name)s (%(n)d)") % {"name": one.set.name, "n": one.n})
            for number, one in self._sets.items()
        ]

    @property
    def is_empty(self) -> bool:
        return not self._sets

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operation takes it."""
        said = self.cleaned_data
        sets: list[ConversationSet] = [self._sets[number].set for number in said["sets"]]
        return {
            "every": said["every"],
            "sets": sets,
            "budget": said["budget"],
            "from_beginning": said["from_beginning"],
        }


def _initial(schedule: SuiteSchedule | None) -> dict[str, Any]:
    if schedule is None:
        return {"every": SuiteSchedule.Every.DAILY}
    numbers = schedule.sets.order_by("number").values_list("number", flat=True)
    return {
        "every": schedule.every,
        "budget": schedule.budget,
        "sets": [str(one) for one in numbers],
    }
