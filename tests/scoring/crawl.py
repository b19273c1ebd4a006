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


def _read(database: str) -> None:
    from django.test import Client

    from annotation.models import Role
    from tests import make
    from tests.scoring import rounds

    rounds.graded(capabilities=("A", "B"))
    client = Client(raise_request_exception=True)
    client.force_login(make.member(Role.ANALYST))
    at = "/p/northport/rounds/1/results/"
    assert b"computing" in client.get(at).content
    subprocess.run(
        [sys.executable, "-c", WORK],
        cwd=sources.ROOT,
        env={**os.environ, "DATABASE_URL": database},
        check=True,
    )
    assert b"Headline" in client.get(at).content
    pages = ["/p/northport/", "/p/northport/insight/", f"{at}table/", f"{at}results.csv"]
    files = [f"{at}grades.csv", f"{at}grades.jsonl", f"{at}table.csv"]
    for url in [*pages, *files, "/api/v1/projects/northport/rounds/1/results/"]:
        answer = client.get(url)
        assert answer.status_code == 200, f"{url} answered {answer.status_code}"
        b"".join(answer)
