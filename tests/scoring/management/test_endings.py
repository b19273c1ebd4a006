"""Commands that run something, against a scripted server that fails: what a program learns from their end."""

import os
import subprocess
import sys
from argparse import ArgumentTypeError
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command, load_command_class
from django.core.management.base import CommandError

from evalsite import env
from scoring.endpoints.models import Endpoint
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import Run
from scoring.engine.pacing import Patience
from scoring.kinds.suites import exchange as suite_files
from scoring.kinds.suites import figure
from scoring.kinds.suites import schedules as suite_gates_said
from scoring.management import endings
from tests import make
from tests.scoring import connected, fused, interviewed, quizzed, run_rows, running, suites
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
#: Every call is tried once: what fails, fails.
ONCE = Patience(attempts=1, first_wait=0.01, longest_wait=0.01)
GATE = "gates: [{metric: kind, min: 0}]\n"


def ended(run):
    """Return exit code and words of how a command would end after a run."""
    try:
        endings.check(run)
    except CommandError as stopped:
        return stopped.returncode, str(stopped)
    return 0, ""


class TestCheck:
    def test_is_content_where_every_step_was_done(self):
        run = run_rows.run(state=Run.State.DONE)
        run_rows.step(run)
        run_rows.step(run, outcome="SYSTEM", problem="It said nothing.")

        assert ended(run) == (0, "")

    def test_says_how_many_steps_failed_and_why_most_did(self):
        run = run_rows.run(state=Run.State.DONE)
        run_rows.step(run)
        for _ in range(3):
            run_rows.step(run, state="FAILED", outcome="MACHINE", problem="The server failed.")
        run_rows.step(run, state="FAILED", outcome="MACHINE", problem="No reply in time.")

        code, said = ended(run)

        assert code == endings.STEPS_FAILED
        assert "4 of 5 steps failed or were not done; at most 0 % may be." in said
        assert "The most frequent reason (3 ×): The server failed." in said
        assert "For example step “step 1”." in said
        assert "manage.py runs retry northport" in said

    def test_tolerates_the_share_that_it_is_told_to(self):
        run = run_rows.run(state=Run.State.DONE)
        for _ in range(9):
            run_rows.step(run)
        run_rows.step(run, state="FAILED", outcome="MACHINE", problem="The server failed.")

        endings.check(run, 0.1)
        with pytest.raises(CommandError):
            endings.check(run, 0.09)

    def test_says_that_a_run_has_stopped(self):
        run = run_rows.run(state=Run.State.PAUSED, pause="ENDPOINT", problem="The key was refused.")
        run_rows.free(run)

        code, said = ended(run)

        assert code == endings.STEPS_FAILED
        assert "paused (endpoint does not answer). The key was refused." in said

    def test_speaks_of_no_lost_steps_where_a_run_stopped_before_others_were_made(self):
        run = run_rows.run(state=Run.State.PAUSED, pause="ENDPOINT", problem="The key was refused.")
        run_rows.step(run)

        code, said = ended(run)

        assert code == endings.STEPS_FAILED
        assert "The key was refused." in said
        assert "may be" not in said

    def test_counts_steps_without_a_reading_where_there_is_no_other(self):
        run = run_rows.run(state=Run.State.DONE)
        run_rows.step(run, outcome="NO_READING", problem="No score.")

        assert ended(run)[0] == endings.STEPS_FAILED
        run_rows.step(run)
        assert ended(run)[0] == 0


class TestShare:
    @pytest.mark.parametrize(("text", "value"), [("0.05", 0.05), ("5%", 0.05), ("0", 0), ("1", 1)])
    def test_is_a_part_of_all(self, text, value):
        assert endings.share(text) == pytest.approx(value)

    @pytest.mark.parametrize("text", ["2", "-1", "some", "nan", ""])
    def test_is_nothing_else(self, text):
        with pytest.raises(ArgumentTypeError, match="no share"):
            endings.share(text)


@pytest.fixture
def failing(settings):
    """Yield a server that fails with whatever is asked, refused at once so that no test waits."""
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
    with serving.saying(b'{"error": {"message": "No such model."}}', status=400) as server:
        yield server


def endpoint(name, server):
    return connected.endpoint(name, kind=Endpoint.Kind.SERVER, url=server.url, timeout=2)


def code_of(*args, **given):
    """Return exit code and words of a command."""
    out = StringIO()
    try:
        call_command(*args, stdout=out, **given)
    except CommandError as stopped:
        return stopped.returncode, out.getvalue() + str(stopped)
    return 0, out.getvalue()


class TestCommands:
    def test_run_accuracy(self, failing):
        quizzed.questions(2)
        connected.connection(make.release("Kestrel"), to=endpoint("Kestrel", failing))

        code, said = code_of("run_accuracy", "northport", here=True, seed=7)

        assert code == 3
        assert "No such model." in said
        assert code_of("run_accuracy", "northport", here=True, seed=7, tolerate=1.0)[0] == 0

    def test_run_kieval(self, failing):
        interviewed.questions(2)
        interviewed.candidates()
        endpoint("Interactor", failing)
        interviewed.evaluator()

        code, said = code_of(
            "run_kieval",
            "northport",
            here=True,
            seed=7,
            interactor="Interactor",
            evaluator="Evaluator",
        )

        assert code == 3
        assert "No such model." in said

    def test_run_fusion_eval(self, failing):
        batch = fused.scored()
        fused.version("overlap")
        endpoint("Judge", failing)
        given = {"task": "Notes", "over": f"import:{batch}", "endpoint": "Judge", "seed": 3}

        code, said = code_of("run_fusion_eval", "northport", variant=["DE"], here=True, **given)

        assert code == 3
        assert "No such model." in said

    def test_run_suite(self, failing, tmp_path):
        make.project()
        endpoint("Judge", failing)
        (tmp_path / "suite.yaml").write_text(suites.JUDGED)
        (tmp_path / "talks.jsonl").write_bytes(suites.lines())

        code, said = code_of("run_suite", tmp_path / "suite.yaml", data=[tmp_path / "talks.jsonl"])

        assert code == 3
        assert "No such model." in said

    def test_runs_watch_and_start(self, failing):
        run = run_rows.run(state=Run.State.DONE)
        run_rows.step(run, state="FAILED", outcome="MACHINE", problem="The server failed.")

        assert code_of("runs", "watch", "northport", "1")[0] == 3
        assert code_of("runs", "watch", "northport", "1", "--tolerate", "1")[0] == 0

    @pytest.mark.parametrize(
        "command",
        [
            ("run_accuracy", "nowhere"),
            ("run_kieval", "nowhere", "--interactor", "a", "--evaluator", "b"),
            ("run_fusion_eval", "nowhere", "--task", "a", "--over", "round:1", "--endpoint", "a"),
            ("run_suite", "nowhere.yaml"),
            ("runs", "list", "nowhere"),
            ("runs", "show", "northport", "7"),
            ("runs", "start", "northport", "--judge", "Nobody", "--round", "1"),
            ("verify_run", "northport", "7"),
        ],
    )
    def test_end_with_2_where_something_cannot_be_used(self, command):
        make.project()

        assert code_of(*command)[0] == endings.UNUSABLE

    @pytest.mark.parametrize(
        "command",
        [
            ("run_suite", "docs/examples/files/yeasayer.yaml", "--set", "lantern-1"),
            ("run_accuracy", "northport"),
        ],
    )
    def test_end_with_2_where_there_is_no_site(self, command, tmp_path):
        others = ("DJANGO_SETTINGS_MODULE", "DATABASE_URL", "REDIS_URL")
        kept = {name: value for name, value in os.environ.items() if name not in others}

        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            env=kept | {"EVALSITE_DATA": str(tmp_path)},
            cwd=env.BASE_DIR,
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == endings.UNUSABLE
        assert "There is no site in the database" in done.stderr
        assert "Traceback" not in done.stderr

    def test_say_their_codes_in_their_help(self):
        for name in (
            "run_accuracy",
            "run_kieval",
            "run_fusion_eval",
            "run_suite",
            "runs",
            "verify_run",
        ):
            assert "exit code is 0" in load_command_class("scoring", name).help


class TestGates:
    def run(self, faults, n=20, text=suites.JUDGED + GATE, tolerated=0.0, script=None):
        talks = [
            {"id": f"t{one}", "messages": [{"role": "assistant", "content": f"At gate {one}."}]}
            for one in range(n)
        ]
        with serving.in_thread(script, faults=faults) as server:
            endpoint("Judge", server)
            run = suites.requested(
                suites.saved(text), suites.brought(suites.lines(talks)), tolerated=tolerated
            )
            working.work(run.pk, running.clock, Means(patience=ONCE))
        run.refresh_from_db()
        return run

    def test_are_not_kept_on_a_fraction_of_the_judgments(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        run = self.run({"500": 0.5, "seed": 3})
        n_failed = run.steps.filter(state="FAILED").count()
        assert 0 < n_failed < 20
        assert ended(run)[0] == endings.STEPS_FAILED

        found: Any = figure.compute(run)

        (gate,) = found["gates"]
        assert gate["passed"] is False
        assert f"{n_failed} of 20 judgments are missing; at most 0 % may be" in gate["said"]
        (kind,) = [one for one in found["series"] if one["metric"].startswith("kind")]
        (row,) = kind["releases"]
        assert (row["distribution"]["n"], row["n_without"]) == (20 - n_failed, n_failed)
        assert suite_gates_said.of_suite_gates_said(run, None)[0] == "FAILED"
        rows = list(suite_files.records(run))
        assert len([one for one in rows if one["outcome"] == "FAILED"]) == n_failed

    def test_are_kept_where_so_many_may_be_missing(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        run = self.run({"500": 0.5, "seed": 3}, tolerated=0.99)

        assert suite_gates_said.of_suite_gates_said(run, None) == ("KEPT", [])

    def test_are_not_kept_where_replies_cannot_be_read(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        run = self.run({"garbage": 0.5, "seed": 3})
        unread = run.steps.filter(outcome="NO_READING")

        assert 0 < unread.count() < 20
        assert suite_gates_said.of_suite_gates_said(run, None)[0] == "FAILED"
        assert ended(run)[0] == endings.STEPS_FAILED

    @pytest.mark.parametrize(("n_unread", "passed"), [(10, True), (11, False)])
    def test_are_not_kept_where_most_replies_make_no_choice(self, settings, n_unread, passed):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        vague = [{"contains": f"At gate {one}.", "reply": "Who knows."} for one in range(n_unread)]
        again = {"contains": "makes none of the choices", "reply": "Who knows."}
        run = self.run({}, script={"replies": [again, *vague]})

        figures: Any = figure.compute(run)

        (gate,) = figures["gates"]
        assert gate["passed"] is passed
        assert f"{n_unread} of 20 judgments gave no score" in gate["said"]
        assert ended(run)[0] == 0

    def test_count_as_missing_only_what_was_to_be_judged(self, failing):
        endpoint("Judge", failing)
        run = suites.requested(suites.saved(suites.JUDGED + GATE), suites.brought())
        working.work(run.pk, running.clock, Means(patience=ONCE))

        found: Any = figure.compute(run)
        (gate,) = found["gates"]
        # Of five turns the assistant's two are judged.
        assert "2 of 2 judgments are missing" in gate["said"]

    def test_lie_beside_the_reason_of_the_judge_and_not_beside_what_was_left_out(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        with serving.in_thread({"replies": [{"contains": "", "reply": "Who knows."}]}) as server:
            endpoint("Judge", server)
            run = suites.requested(suites.saved(suites.JUDGED + GATE), suites.brought())
            working.work(run.pk, running.clock, Means(patience=ONCE))

        (line,) = [one for one in figure.lines(run) if one.startswith("kind")]
        assert "no value: The judge made none of the choices. (2 ×)" in line
        assert "is_role" not in line

    def test_are_not_kept_where_nothing_was_judged(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        run = self.run({"garbage": 1.0}, n=2)

        found: Any = figure.compute(run)
        (gate,) = found["gates"]
        assert (gate["passed"], gate["value"]) == (False, None)
