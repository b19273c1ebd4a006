"""Forms of suites: their text, and a run over stored conversations.

* Gates of a suite as lines of a form: “kind mean of assistant >= 0.8 at 95 %”.
* The form that says when a suite runs by itself, and over what.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import RecordForm, some_of
from annotation.people.models import Project
from scoring.engine.forms import StartForm, budget
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites.models import SuiteSchedule
from scoring.kinds.suites.operations import SuiteRun
from scoring.kinds.suites.protocol.definition import Gate
from scoring.kinds.suites.schedules import Scheduled


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


class SuiteRunForm(StartForm, record=SuiteRun, leave_out=("sets",)):
    """Over which stored conversations a suite is run."""

    field_order = ("sets", "tolerated", "tries")
    sets = some_of(SuiteRun, "sets")

    def __init__(self, *args: Any, project: Project, asks: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not asks:  # nobody is asked, so nothing costs anything
            del self.fields["budget"]
        known = [one for one in suites.sets_of(project) if one.n]
        self.is_empty = not known
        self.offer(
            sets=[
                (one.set.name, _("%(name)s (%(n)d)") % {"name": one.set.name, "n": one.n})
                for one in known
            ]
        )


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


class ScheduleForm(RecordForm, record=Scheduled, leave_out=("sets",)):
    """How often, over which sets, and within what budget."""

    field_order = ("every", "sets", "from_beginning", "budget")
    sets = some_of(Scheduled, "sets")
    budget = budget(label=_("Budget of each run"))

    def __init__(
        self, *args: Any, project: Project, schedule: SuiteSchedule | None, **kwargs: Any
    ) -> None:
        kwargs["initial"] = _initial(schedule) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self._sets = {one.set.name: one for one in suites.sets_of(project)}
        self.is_empty = not self._sets
        self.fields["sets"].choices = [  # type: ignore[attr-defined]
            (name, _("%(name)s (%(n)d)") % {"name": name, "n": one.n})
            for name, one in self._sets.items()
        ]

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operation takes it."""
        sets = [self._sets[name].set for name in self.cleaned_data["sets"]]
        return {**self.cleaned_data, "sets": sets}


def _initial(schedule: SuiteSchedule | None) -> dict[str, Any]:
    if schedule is None:
        return {"every": SuiteSchedule.Every.DAILY}
    names = schedule.sets.order_by("number").values_list("name", flat=True)
    return {"every": schedule.every, "budget": schedule.budget, "sets": list(names)}
