"""Reads results in a web process of its own while a worker in another one computes them."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.architecture import sources

WORK = (
    "import os, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'; django.setup();"
    "from scoring import jobs; from scoring.models import Figure;"
    "[jobs.compute_figure(one.pk) for one in Figure.objects.all()]"
)


def read_results() -> None:
    """Ask for every page and file of a round's results, computed and not."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite:///{Path(folder) / 'crawl.sqlite3'}"
        settings.DATABASES["default"]["NAME"] = database.removeprefix("sqlite:///")
        connection.settings_dict["NAME"] = database.removeprefix("sqlite:///")
        call_command("migrate", verbosity=0)
        try:
            _read(database)
        finally:
            connection.close()


def of_judges(*, one: bool) -> list[str]:
    """Return the files of the pages of all judges, or of those of one judge."""
    from scoring.beside.asked import OF_ONE
    from scoring.beside.sheets import PLOTS, TABLES

    tables = [
        f"tables/{name}.csv" for name, kind in TABLES.items() if (kind.figure in OF_ONE) == one
    ]
    # What nobody drew by lot has no means to draw: that file leads to the page that says so.
    known = {name: kind for name, kind in PLOTS.items() if name != "fewer"}
    plots = [f"plots/{name}.svg" for name, kind in known.items() if (kind.figure in OF_ONE) == one]
    return [*tables, *plots]


def _read(database: str) -> None:
    from django.test import Client

    from annotation.people.models import Role
    from annotation.rounds import drafting as unblinding
    from scoring.results.pictures import PICTURES
    from scoring.results.sheets import OF_PAIRS, SHEETS
    from tests import make
    from tests.scoring import machines, rounds

    def lonely(system: int, item: int, rater: int) -> int:
        return 0 if rater == 0 else max(0, 2 - system - item // 2 % 2)

    both = [
        rounds.graded(n_items=8, capabilities=("A", "B"), marks=lonely, number=n) for n in (1, 2)
    ]
    client = Client(raise_request_exception=True)
    analyst = make.member(Role.ANALYST)
    client.force_login(analyst)
    at = "/p/northport/rounds/1/results/"
    assert b"computing" in client.get(at).content
    for one in both:
        unblinding.show_names(round_=one, by=analyst, now=make.NOW)
    system = both[0].systems.order_by("ordinal")[0].release.system_id
    moved = f"/p/northport/insight/movement/?before=1&after=2&system={system}"
    later = "/p/northport/rounds/2/results/report/?before=1"
    judged = "/p/northport/judges/"
    besides = [f"{judged}people/", f"{judged}{machines.scored(both[0])}/people/"]
    besides += [f"{judged}{name}/" for name in ("pairs", "together", "fewer")]
    besides += [f"{besides[1]}apart/"]
    for url in (f"{at}report/", f"{at}breakdown/", f"{at}model/", moved, later, *besides):
        assert b"computing" in client.get(url).content, url
    subprocess.run(
        [sys.executable, "-c", WORK],
        cwd=sources.ROOT,
        env={**os.environ, "DATABASE_URL": database},
        check=True,
    )
    assert b'<ol class="rank' in client.get(at).content
    study = "/p/northport/rounds/1/study"
    shown = [f"{study}/", f"{study}.md", f"{study}/bundle.zip"]
    pages = [*shown, "/p/northport/", "/p/northport/insight/", f"{at}table/", f"{at}results.csv"]
    files = [f"{at}grades.csv", f"{at}grades.jsonl", f"{at}table.csv"]
    names = (
        "breakdown",
        "agreement",
        "disputes",
        "annotators",
        "plan",
        "report",
        "comments",
        "explore",
    )
    tabs = [f"{at}{tab}/" for tab in names]
    tabs += [moved, later, moved.replace("?", "movement.csv?"), moved.replace("?", "tags.csv?")]
    more = [f"{at}disputes/open/", f"{at}report.html", moved.replace("?", "tags/?")]
    known = [name for name in SHEETS if name not in {"whole", *OF_PAIRS}]
    tables = [f"tables/{name}.csv" for name in known] + ["report.csv"]
    plots = [f"plots/{name}.svg" for name in PICTURES]
    api = "/api/v1/projects/northport/rounds/1/"
    parts = ("results", "agreement", "disputes", "annotators", "plan", "report")
    programs = [f"{api}{name}/" for name in parts] + [f"{api}{name}" for name in tables + plots]
    downloads = [f"{at}{name}" for name in tables + plots]
    machine = [f"{besides[0]}{name}" for name in of_judges(one=False)]
    machine += [f"{besides[1]}{name}" for name in of_judges(one=True)]
    machine += [url.replace("/p/northport/", "/api/v1/projects/northport/") for url in besides]
    for url in [*pages, *files, *tabs, *more, *downloads, *programs, judged, *besides, *machine]:
        answer = client.get(url)
        well = {200, 302, 409} if url.endswith(".svg") else {200}  # there may be nothing to draw
        assert answer.status_code in well, f"{url} answered {answer.status_code}"
        b"".join(answer)
