"""Run a suite over stored conversations."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from django.utils.translation import gettext_lazy as _

from annotation.common.forms import some_of
from annotation.common.sentences import gettext
from annotation.people.models import Project
from scoring.engine.forms import StartForm
from scoring.engine.kinds import Action
from scoring.engine.starting import Lack, StartPage
from scoring.kinds.suites import keeping
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites.operations import SuiteRun
from scoring.kinds.suites.protocol import definition


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


class SuiteStart(StartPage):
    name, at = "suite_run", "suites/<int:number>/run/"
    kind, form = suite_runs.START, SuiteRunForm
    heading = _("Run the suite")

    @cached_property
    def of(self) -> suite_runs.Of:
        suite = keeping.find(self.scope.project, self.number)
        version = keeping.newest(suite)
        version.suite = suite
        return suite_runs.Of(version)

    @cached_property
    def suite(self) -> definition.SuiteText:
        return definition.from_dict(self.of.version.definition)

    @property
    def run_name(self) -> str:
        return self.of.version.suite.name

    @property
    def title(self) -> str:
        return gettext("Run “%(name)s”") % {"name": self.run_name}

    @property
    def lead(self) -> str:
        systems = ", ".join(one.words for one in self.suite.completions)
        named = {"name": self.run_name, "n": self.of.version.number, "systems": systems}
        if not systems:
            return gettext("“%(name)s”, version %(n)d, on stored conversations.") % named
        return (
            gettext("“%(name)s”, version %(n)d: %(systems)s complete the conversations first.")
            % named
        )

    @property
    def given(self) -> Mapping[str, Any]:
        made = self.suite
        return {"asks": bool(made.judged or made.completions or made.moderated)}

    @property
    def path(self) -> Sequence[Action]:
        return [
            Action(_("Suites"), self.url("suites")),
            Action(self.run_name, self.url("suite", self.number)),
        ]

    def lack(self, form: Any) -> Lack | None:
        text = _("Import conversations first.")
        action = Action(_("Import conversations"), self.url("conversations_new"))
        return Lack(_("No conversations yet"), text, action) if form.is_empty else None


STARTS = (SuiteStart,)
