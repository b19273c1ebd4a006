import hashlib
import io
import json
import zipfile
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.rounds.models import Round
from annotation.systems.models import Response
from scoring.beside import asked as beside_asked
from scoring.engine.models import Run
from scoring.kinds.interviews import exchange as dialogue_export
from scoring.kinds.interviews import rejudging
from scoring.kinds.judging import queries as machines
from scoring.llm.scripted.model import ScriptedModel
from scoring.publishing.models import Publication
from scoring.shown import names as banner
from scoring.shown import scripts as script_marks
from tests import imports, make, tampering
from tests.scoring import connected, interviewed, judged, running, suites
from tests.scoring.completed import Answers, brought, saved, worked
from tests.scoring.interviews_published import published
from tests.scoring.kinds.interviews.test_dialogue_imports import archived, bring_in

pytestmark = pytest.mark.django_db


def server(name, **given):
    """Return an endpoint of a real server; a fake answers for it in tests."""
    return connected.endpoint(name, kind="SERVER", url="http://a.server/v1", **given)


def played(run):
    """Work on a run to its end; a script answers for every endpoint, whatever its kind."""
    for _job in range(6):
        run = running.worked(run, ScriptedModel({"seed": 3}))
    return run


def written_by_a_script():
    with tampering.unguarded():
        Response.objects.update(origin="GENERATED", details={"scripted": True})
        for one in Round.objects.filter(draw__prepared__isnull=False):
            one.draw["prepared"]["scripted"] = 1
            one.save()


def marked():
    return {
        str(one.release): one.details.get("scripted", False)
        for one in Response.objects.exclude(origin="IMPORTED").select_related("release__system")
    }


class TestOfText:
    def test_marks_what_a_script_said_and_nothing_that_a_model_said_in_the_same_run(self):
        make.item("Q01")
        connected.connection(make.release("Kestrel"), to=server("house"))
        connected.connection(make.release("Osprey"), to=connected.endpoint("play"))

        run = played(connected.request())

        assert (run.scripted, run.asks_script) == (True, True)
        assert marked() == {"Kestrel · 1": False, "Osprey · 1": True}

    def test_of_completions_is_told_by_who_completes(self):
        server("house", model_name="h")
        connected.endpoint("play", model_name="p")

        worked(
            suites.requested(saved("[{endpoint: house}, {endpoint: play}]"), brought()), Answers()
        )

        assert {name: said for name, said in marked().items() if "Kestrel" not in name} == {
            "house · h": False,
            "play · p": True,
        }


class TestDialogues:
    def held(self, **kinds):
        makes = {"SERVER": server, "SCRIPTED": connected.endpoint}
        release = make.release("Kestrel")
        connected.connection(release, to=makes[kinds["candidate"]]("candidate"))
        makes[kinds["interactor"]]("Interactor")
        makes[kinds["evaluator"]]("of Evaluator")
        return played(interviewed.requested(n=2, releases=[release.pk]))

    def test_of_a_model_that_a_script_judges_are_not_the_scripts(self):
        run = self.held(candidate="SERVER", interactor="SERVER", evaluator="SCRIPTED")

        assert (run.scripted, run.asks_script) == (True, True)
        assert not any(one.response.details.get("scripted") for one in run.dialogues.all())
        published(run)
        assert not Publication.objects.get().scripted

    @pytest.mark.parametrize("who", ["candidate", "interactor"])
    def test_are_marked_where_a_script_speaks_in_them(self, who):
        kinds = {"candidate": "SERVER", "interactor": "SERVER", "evaluator": "SERVER"}
        run = self.held(**{**kinds, who: "SCRIPTED"})

        assert all(one.response.details["scripted"] for one in run.dialogues.all())
        round_ = published(run)
        assert Publication.objects.get().scripted
        assert round_.draw["prepared"]["scripted"] > 0

    def test_keep_their_marks_through_an_archive(self):
        run = self.held(candidate="SERVER", interactor="SERVER", evaluator="SCRIPTED")

        again = bring_in(archived(run))

        assert (again.scripted, again.asks_script) == (True, True)
        assert not any(one.response.details.get("scripted") for one in again.dialogues.all())
        assert list(dialogue_export.lines(again)) == list(dialogue_export.lines(run))

    def test_keep_their_marks_as_lines_alone(self):
        run = interviewed.held(n=1)

        again = bring_in("".join(dialogue_export.lines(run)).encode())

        assert (again.scripted, again.asks_script) == (True, True)
        assert all(one.response.details["scripted"] for one in again.dialogues.all())
        assert banner.of_run(again) == banner.BANNER

    def test_of_older_archives_are_marked_as_their_run_was(self):
        data, out = archived(interviewed.held(n=1)), io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
            manifest = json.loads(old.read("manifest.json"))
            rows = [json.loads(one) for one in old.read("dialogues.jsonl").splitlines()]
            for row in rows:
                del row["scripted"], row["scripted_verdicts"]
            said = "\n".join(json.dumps(row) for row in rows).encode()
            manifest["files"] = {"dialogues.jsonl": {"sha256": dialogue_sha(said)}}
            del manifest["sha256"]
            new.writestr("dialogues.jsonl", said)
            new.writestr("manifest.json", json.dumps(manifest))

        again = bring_in(out.getvalue())

        assert (again.scripted, again.asks_script) == (True, True)
        assert all(one.response.details["scripted"] for one in again.dialogues.all())


def dialogue_sha(data):
    return hashlib.sha256(data).hexdigest()


class TestHasScriptedTexts:
    def test_of_a_judge_that_is_a_model_over_answers_of_a_script(self, client):
        round_ = make.open_round()
        written_by_a_script()
        round_.refresh_from_db()

        run = judged.requested(round_, judged.judge(endpoint=server("house")))

        assert (run.scripted, run.asks_script) == (True, False)
        client.force_login(connected.owner(make.project()))
        page = client.get(f"/p/northport/runs/{run.number}/").content.decode()
        assert "These results say nothing of any system." in page

    def test_are_none_of_a_judge_over_answers_of_models(self):
        run = judged.requested(make.open_round(), judged.judge(endpoint=server("house")))

        assert (run.scripted, run.asks_script) == (False, False)

    def test_of_dialogues_that_a_model_judges_again(self):
        of = interviewed.held(n=1)
        server("of Model")

        judge = interviewed.evaluator("Model")
        head = connected.head(50, "Again", 1)
        wish = rejudging.JudgeAgain(**head, evaluators=(judge.rater_id,))
        run = connected.begun(rejudging.KIND, of, wish)

        assert (run.scripted, run.asks_script) == (True, False)

    def test_of_conversations_that_say_so_themselves(self):
        talk = {**suites.TALKS[0], "scripted": True}
        home = suites.brought(suites.lines([talk]))

        run = suites.requested(suites.saved(), home)

        assert (run.scripted, run.asks_script) == (True, False)
        assert banner.of_run(run) == banner.BANNER


class TestMachines:
    def test_are_scripts_by_who_gave_their_scores(self):
        round_ = make.open_round()
        written_by_a_script()
        round_.refresh_from_db()
        judge = judged.judge(endpoint=server("house"))
        played(judged.requested(round_, judge))
        Round.objects.update(state="FINAL")

        assert Run.objects.get().scripted
        assert machines.scripted([judge.rater_id]) == set()
        # Beside people the answers are what is judged: the banner is there for them.
        assert beside_asked.of_judges([judge.rater_id]) == ""
        assert beside_asked.of_judges([judge.rater_id], [round_]) == banner.BANNER


class TestRunsFromBefore:
    def test_are_told_what_a_script_wrote_by_the_few_texts_it_wrote(self):
        migration = import_module("scoring.migrations.0026_what_scripts_answered_before")
        round_ = make.open_round()
        written_by_a_script()
        round_.refresh_from_db()
        played(judged.requested(round_, judged.judge(endpoint=server("house"))))
        Run.objects.update(scripted=False)

        with CaptureQueriesContext(connection) as asked:
            migration.forward(apps, None)

        assert Run.objects.get().scripted
        reading = [
            one["sql"] for one in asked if "scripted" in one["sql"] and "details" in one["sql"]
        ]
        assert len(reading) == 1
        assert "scoring_judgment" not in reading[0]


class TestOfRounds:
    def test_of_a_drawn_round_was_counted_when_it_was_drawn(self):
        round_ = make.open_round()
        round_.draw["prepared"] = {"scripted": 2}

        assert script_marks.of_rounds([round_])

    def test_of_others_is_looked_up(self):
        round_ = make.open_round()
        round_.draw.pop("prepared", None)
        assert not script_marks.of_rounds([round_])

        written_by_a_script()

        assert script_marks.of_rounds([round_])
        assert not script_marks.of_rounds([])

    @pytest.mark.parametrize(("mark", "scripted"), [("true", True), ("false", False)])
    def test_of_answers_from_a_file_is_what_the_file_says(self, mark, scripted):
        head, *rows = imports.ANSWERS.splitlines()
        lines = [f"{head},scripted", *(f"{one},{mark}" for one in rows)]
        imports.apply(imports.answers("\n".join(lines) + "\n"))
        imports.apply(imports.grades())
        round_ = Round.objects.get()

        assert not round_.draw.get("prepared")
        assert script_marks.of_rounds([round_]) is scripted
