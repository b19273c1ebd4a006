"""Commands that run something, word by word as the documentation has them, against the scripted endpoint."""

import re
import shlex
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from scoring.kinds.fusion.models import Plan
from tests import make
from tests.scoring import connected, interviewed, judged, machines, quizzed

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[2] / "docs"
NAMED = re.compile(
    r"manage\.py ((?:run_kieval|run_fusion_eval|run_accuracy|runs start) PROJECT[^`]*)`"
)


def documented():
    """Return every such command of the documentation, with what its places stand for here."""
    found = []
    for file in sorted(DOCS.rglob("*.md")):
        text = re.sub(r"\s+", " ", file.read_text())
        for command in NAMED.findall(text):
            said = command.replace("PROJECT", "northport").replace("--watch", "")
            said = re.sub(r"--judge NAME", "--judge 'Live judge'", said)
            said = re.sub(r"--(interactor|evaluator|endpoint) NAME", r"--\1 Scripted", said)
            found.append(
                re.sub(r"import:\d", "bank:", re.sub(r"round:?(.)\d", r"round\g<1>1", said))
            )
    return found


def ran(command):
    name, *words = shlex.split(command.replace("round:3", "round:1"))
    here = [] if name == "runs" else ["--here"]
    out = StringIO()
    call_command(name, *words, *here, "--seed", "3", stdout=out)
    return out.getvalue()


@pytest.fixture
def home():
    """A project with all that the commands of the documentation speak of."""
    connected.endpoint()
    judged.judge()
    round_ = make.open_round()
    machines.scored(round_)
    interviewed.candidates()
    quizzed.questions(30)
    return round_.project


def test_there_are_commands_of_every_kind():
    kinds = {one.split()[0] for one in documented()}

    assert kinds == {"run_kieval", "run_fusion_eval", "run_accuracy", "runs"}


@pytest.mark.parametrize("command", documented())
def test_work_as_they_are_written(home, command):
    ran(command)

    run = Run.objects.latest("pk")
    if command.startswith("runs"):
        judged.done(run)
        run.refresh_from_db()
    assert run.state == Run.State.DONE
    assert not run.steps.exclude(state="DONE").exists()
    if "--plan write" in command:
        assert Plan.objects.count() == 1
        assert Judge.objects.filter(protocol="fusion_eval/v1").count() == 3
