"""Measure accuracy from a terminal: manage.py run_accuracy northport --over import:3 --orders 4."""

from typing import Any

from annotation.systems.models import SystemRelease
from scoring.engine.models import Run
from scoring.kinds.accuracy.operations import KIND
from scoring.management import endings
from scoring.management.starting import StartCommand


class Command(StartCommand):
    help = (
        "Measure the accuracy of systems on questions of multiple choice; a table at the end. "
        f"{endings.TOLD}"
    )
    kind = KIND
    called = "Accuracy"

    def table(self, run: Run) -> None:
        # It loads scipy, which a command that only estimates need not wait for.
        from scoring.kinds.accuracy import figure as quiz_figures

        data: Any = quiz_figures.compute(run, {})
        names = SystemRelease.objects.select_related("system").in_bulk(data["candidates"])
        heads = ["All", *data["datasets"]]
        self.stdout.write("".join(["System".ljust(28), *(one[:11].rjust(13) for one in heads)]))
        rows = zip(data["candidates"], data["accuracy"], data["facts"], strict=True)
        for release, accuracy, facts in rows:
            found = [accuracy["overall"], *accuracy["datasets"]]
            said = ["–" if one["value"] is None else f"{one['value']:.1f}" for one in found]
            cells = "".join([str(names[release])[:27].ljust(28), *(one.rjust(13) for one in said)])
            told = f"{facts['n_unread']} of {facts['n_replies']} replies named no option"
            if n := facts["n_system_failed"]:
                told += f", the system failed at {n}"
            self.stdout.write(f"{cells}   {told}")
