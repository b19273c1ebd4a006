"""The programs of docs/examples/api, run as they stand against a site, with a personal token."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.bank.models import QuestionVersion
from annotation.people import tokens as personal_tokens
from annotation.people.models import Role, User
from annotation.rounds.models import Round
from evalsite.web import scopes
from scoring.engine.models import Run
from tests import make
from tests.scoring import connected, rounds, suites

EXAMPLES = Path(__file__).parents[2] / "docs/examples/api"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
]
GATED = """\
name: Drivers
metrics:
  function:
    - {name: string_length, metric_level: Turn}
gates:
  - {metric: string_length, statistic: mean, min: %d}
"""


@pytest.fixture(name="run")
def _run(live_server, settings):
    """Return what runs a program as somebody, and gives back its exit status and what it printed."""
    settings.QUEUE_INLINE = True

    def run(role, *command, given=scopes.NAMES):
        name = f"api-{role.lower()}"
        person = User.objects.filter(username=name).first() or make.member(role, username=name)
        made = personal_tokens.make(
            user=person, name="Examples", given=given, days=1, project=None, now=timezone.now()
        )
        program = sys.executable if command[0].endswith(".py") else "sh"
        done = subprocess.run(
            [program, str(EXAMPLES / command[0]), *map(str, command[1:])],
            env={**os.environ, "SITE": live_server.url, "TOKEN": made.secret},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    return run


needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")


class TestListProjects:
    def test_prints_projects_and_roles(self, run):
        status, said = run(Role.ANALYST, "list_projects.py", given=[scopes.READ])

        assert status == 0, said
        assert "northport" in said
        assert "ANALYST" in said

    @needs_curl
    def test_does_with_curl_alone(self, run):
        status, said = run(Role.ANALYST, "list_projects.sh", given=[scopes.READ])

        assert status == 0, said
        assert json.loads(said)["results"][0]["slug"] == "northport"


class TestBringQuestionsIn:
    def test_hands_them_in_once(self, run):
        make.capability("Factuality")
        path = EXAMPLES / "questions.jsonl"

        first = run(Role.DESIGNER, "bring_questions_in.py", "northport", path)
        again = run(Role.DESIGNER, "bring_questions_in.py", "northport", path)

        assert first[0] == 0, first[1]
        assert QuestionVersion.objects.filter(state="SUBMITTED").count() == 2
        assert again[1].count("there already") == 2

    def test_says_which_capability_is_missing(self, run):
        make.capability("Logic")

        status, said = run(
            Role.DESIGNER, "bring_questions_in.py", "northport", EXAMPLES / "questions.jsonl"
        )

        assert status == 1
        assert "there is no capability 'Factuality' in northport; there are: Logic" in said

    def test_says_which_scope_is_missing(self, run):
        make.capability("Factuality")
        path = EXAMPLES / "questions.jsonl"

        status, said = run(
            Role.DESIGNER, "bring_questions_in.py", "northport", path, given=[scopes.READ]
        )

        assert status == 1
        assert "scope_missing" in said


class TestOpenRound:
    def test_makes_one_and_opens_it(self, run):
        given = make.draft_round()
        releases = given.systems.values_list("release_id", flat=True)
        command = ("open_round.py", "northport", "Spring", "grade", *releases)

        status, said = run(Role.CURATOR, *command)

        assert status == 0, said
        assert "2 items, 4 answers, 0 names in them" in said
        assert "Round 2 is OPEN: 6 seats" in said

    def test_says_what_is_missing(self, run):
        given = make.draft_round(n_annotators=2)
        releases = given.systems.values_list("release_id", flat=True)
        command = ("open_round.py", "northport", "Spring", "grade", *releases)

        status, said = run(Role.CURATOR, *command)

        assert status == 1
        assert "2 of at least 3 annotators are chosen." in said


class TestRateRun:
    def test_makes_a_round_of_what_a_run_put_out(self, run):
        make.item("Q01")
        make.item("Q02")
        connected.connection()
        collected = connected.done(connected.request())
        rubric = make.rubric_version().rubric

        command = ("rate_run.py", "northport", "--run", collected.number, "--rubric", rubric.key)
        status, said = run(Role.CURATOR, *command)

        assert status == 0, said
        assert f"Round {Round.objects.get().number} is made" in said

    def test_follows_a_round_until_it_is_done(self, run):
        graded = rounds.graded()

        status, said = run(
            Role.ANALYST, "rate_run.py", "northport", "--follow", graded.number, "--every", 0.1
        )

        assert status == 0, said
        assert " submitted, 0 held" in said


class TestFetchResults:
    def test_saves_grades_and_prints_agreement(self, run, tmp_path):
        graded = rounds.graded()
        file = tmp_path / "grades.csv"

        status, said = run(Role.ANALYST, "fetch_results.py", "northport", graded.number, file)

        assert status == 0, said
        assert file.read_text("utf-8").count("\n") > 10
        assert "annotators" in said

    @needs_curl
    def test_does_with_curl_alone(self, run, tmp_path):
        graded = rounds.graded()
        file = tmp_path / "grades.csv"

        status, said = run(Role.ANALYST, "fetch_grades.sh", "northport", graded.number, file)

        assert status == 0, said
        assert file.read_text("utf-8").count("\n") > 10


@needs_curl
class TestFetchScores:
    def test_saves_them_once_they_are_computed(self, run, tmp_path):
        graded = rounds.graded()
        file = tmp_path / "scores.csv"

        status, said = run(Role.ANALYST, "fetch_scores.sh", "northport", graded.number, file)

        assert status == 0, said
        assert "score,Overall,,System 1," in file.read_text("utf-8")

    def test_says_why_there_are_none(self, run, tmp_path):
        make.project()

        status, said = run(Role.ANALYST, "fetch_scores.sh", "northport", 9, tmp_path / "scores.csv")

        assert status == 1
        assert "not_found" in said


class TestRunSuite:
    @pytest.mark.parametrize(("least", "expected"), [(1, 0), (10_000, 1)])
    def test_ends_with_what_became_of_the_gates(self, run, least, expected):
        talks = suites.brought()
        suite = suites.saved(GATED % least).suite

        status, said = run(Role.CURATOR, "run_suite.py", "northport", suite.number, talks.name)

        assert Run.objects.get().state == Run.State.DONE, said
        assert status == expected, said
        assert ("NOT PASSED" in said) is bool(expected)
