import hashlib
import io
import json
import zipfile
from typing import Any
from uuid import UUID

import pytest

from annotation.systems.models import Item, System
from evalsite import errors
from scoring.engine.models import Judgment, LLMCall, Run
from scoring.kinds.interviews import exchange
from scoring.kinds.interviews import figure as interview_figures
from scoring.kinds.interviews import operations as evaluators
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews.exchange import DialoguesWish
from scoring.kinds.interviews.files import DialogueSource
from scoring.kinds.interviews.models import Dialogue, Exchange
from tests import make
from tests.scoring import connected, interviewed
from tests.scoring.dialogues import details

pytestmark = pytest.mark.django_db


def archived(run):
    return b"".join(exchange.archive(run, make.NOW))


def packed(data, changed, *, add=None):
    """Return an archive with files changed by a function, taken away (None) or added."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            change = changed.get(name, lambda said: said)
            if change is not None:
                new.writestr(name, change(old.read(name)))
        for name, said in (add or {}).items():
            new.writestr(name, said)
    return out.getvalue()


def bring_in(data, number=1, *, in_=None, file_name="file", **source):
    home = in_ or make.project()
    return exchange.bring_in(
        project=home,
        key=UUID(int=700 + number),
        data=data,
        wish=DialoguesWish("Brought in", file_name, DialogueSource(**source), "Their evaluator"),
        user=connected.owner(home),
        now=make.NOW,
    )


def half_brought_in(data):
    """Return the run of an import that was stopped after its first dialogue."""
    found = exchange.checked(data, DialogueSource())
    wish = DialoguesWish("Brought in", "file", DialogueSource(), "Their evaluator")
    home = make.project()
    owner = connected.owner(home)
    run = exchange._begun(home, UUID(int=701), data, found, wish, owner, make.NOW)
    first = found.records[0]
    there = exchange._known(home, [first])
    item = exchange._item(home, first, there, make.NOW)
    release = exchange._releases(home, found, owner, make.NOW)[first["system"], first["release"]]
    criteria = evaluators.criteria_of(run.config["rater"])
    exchange._write(run, [(item, release, first)], criteria, make.NOW)
    return run


def released(*entries, **more):
    return bring_in(
        json.dumps(list(entries)).encode(), **{"system": "Kestrel", "release": "1", **more}
    )


class TestOwnArchives:
    def test_come_back_without_loss_in_the_same_project(self):
        run = interviewed.held(n=4, by=interviewed.evaluator(script={"seed": 9, "malformed": 0.4}))
        n_items = Item.objects.count()

        again = bring_in(archived(run))

        assert list(exchange.lines(again)) == list(exchange.lines(run))
        assert Item.objects.count() == n_items
        assert (again.state, again.scripted, again.seed) == ("DONE", True, run.seed)
        assert (
            interview_figures.compute(again, {})["aspects"]
            == (interview_figures.compute(run, {})["aspects"])
        )

    def test_come_back_without_loss_in_another_project(self):
        run = interviewed.held(n=3)
        there = make.project("elsewhere")

        again = bring_in(archived(run), in_=there)

        assert list(exchange.lines(again)) == list(exchange.lines(run))
        assert System.objects.filter(project=there).count() == 2

    def test_write_the_verdicts_as_judgments_of_one_rater(self):
        run = interviewed.held(n=2)

        again = bring_in(archived(run))

        rater = interview_voices.rater_of(again)
        assert rater == run.judge.rater_id
        fields = (
            "response__release",
            "response__item",
            "target_index",
            "criterion",
            "value",
            "text",
            "outcome",
        )
        said = [
            sorted(Judgment.objects.filter(run=one).values_list(*fields), key=str)
            for one in (run, again)
        ]
        assert said[0] == said[1]
        assert LLMCall.objects.filter(run=again).count() == 0

    def test_are_one_run_however_often_they_are_brought_in_under_one_key(self):
        data = archived(interviewed.held(n=1))

        assert bring_in(data) == bring_in(data)
        assert bring_in(data) != bring_in(data, number=2)

    def test_that_were_stopped_are_made_whole_by_bringing_them_in_once_more(self):
        run = interviewed.held(n=2)
        data = archived(run)
        half = half_brought_in(data)

        assert half.state == Run.State.CANCELLED
        assert "did not come in whole" in half.problem
        again = bring_in(data)
        assert (again.pk, again.state, again.problem) == (half.pk, Run.State.DONE, "")
        assert list(exchange.lines(again)) == list(exchange.lines(run))

    def test_can_be_judged_again(self):
        again = bring_in(archived(interviewed.held(n=1)))

        other = interviewed.judged_again(
            again, interviewed.evaluator("Listener", script={"seed": 3}), number=60
        )

        assert other.state == Run.State.DONE
        assert len(interview_voices.voices_of(again)) == 2


class TestReleasedFiles:
    def test_come_in_as_a_run_with_every_verdict(self):
        run = released(details("q-1"), details("q-2", stop="hallucination"))

        first, second = Dialogue.objects.filter(run=run).order_by("pk")
        assert (first.ended, first.stopped_at, first.n_planned) == ("PLANNED", None, 5)
        assert (second.ended, second.stopped_at, second.stop_reason) == (
            "STOPPED",
            1,
            "hallucination",
        )
        one = Exchange.objects.get(dialogue=first, k=0)
        assert one.scores == {
            "accuracy": 3,
            "logic": 2,
            "relevance": 4,
            "coherence": 3,
            "conciseness": 4,
            "overall": 3,
        }
        assert first.item.question == "Which knot holds a ship?"
        assert first.answer == "A bowline."
        assert run.config["imported"]["format"] == "released"

    def test_keep_an_exchange_without_a_verdict_and_say_why(self):
        run = released(details("q-1", lost=1))

        one = Exchange.objects.get(dialogue__run=run, k=1)
        assert one.scores is None
        assert one.unscored == "The file has no verdict on this exchange."

    def test_score_as_the_released_code_does(self):
        run = released(details("q-1"))

        found: Any = interview_figures.compute(
            run, {"scale": "released", "decay": "fifth", "unscored": "shifts_up"}
        )

        (score,) = found["aspects"]["overall"]["candidates"]
        # Overall verdicts 3 and 2: 70 and 30, with weights 1 and exp(−0.2).
        assert score["overall"]["value"] == pytest.approx(
            (70 + 30 * 0.8187307530779818) / 1.8187307530779818
        )


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "said"),
        [
            (b"", "no dialogue"),
            (b"[]", "no dialogue"),
            (b"[{]", "no JSON"),
            (b"PK\x03\x04nonsense", "damaged"),
            (b'{"question": 1}\n', "line 1: “question” is no text"),
            (b"{oops}\n", "line 1: This is no JSON"),
            (b'[{"uuid": "q"}]', "entry 1: “all_messages” is no list"),
        ],
    )
    def test_say_what_is_wrong_where_and_bring_nothing_in(self, data, said):
        with pytest.raises(errors.FileRefused) as refusal:
            bring_in(data, system="Kestrel", release="1")

        assert any(said in one for one in refusal.value.fields["file"])
        assert not Run.objects.exists()
        assert not Item.objects.exists()

    def test_name_every_place_in_a_file_of_the_released_tools(self):
        bad = [
            details("q-1", role="narrator"),
            details(""),
            details("q-3", verdicts=5),
            details("q-4"),
            details("q-4"),
        ]

        with pytest.raises(errors.FileRefused) as refusal:
            released(*bad)

        said = "\n".join(refusal.value.fields["file"])
        assert "entry 1: “all_messages” has a role narrator" in said
        assert "entry 2: “question” is empty" in said
        assert "entry 3: It has 5 verdicts for 2 exchanges" in said

    def test_find_one_question_twice(self):
        with pytest.raises(errors.FileRefused, match="same system and question as in entry 1"):
            released(details("q-4"), details("q-4"))

    def test_ask_whose_dialogues_they_are(self):
        with pytest.raises(errors.FileRefused, match="Name the system"):
            released(details("q-1"), system="")

    @pytest.mark.parametrize("name", ["dialogues.jsonl", "exchanges.csv"])
    def test_name_the_file_of_an_archive_that_was_changed(self, name):
        data = archived(interviewed.held(n=1))
        n_runs = Run.objects.count()

        with pytest.raises(errors.FileRefused, match=f"“{name}” was changed.*checksum differs"):
            bring_in(packed(data, {name: lambda said: said.replace(b"1", b"2", 1)}))

        assert Run.objects.count() == n_runs

    def test_name_a_manifest_that_was_changed(self):
        data = archived(interviewed.held(n=1))
        was, now = b'"scripted": true', b'"scripted": false'
        changed = packed(data, {"manifest.json": lambda said: said.replace(was, now)})
        assert changed != packed(data, {})

        with pytest.raises(errors.FileRefused, match=r"“manifest\.json” was changed"):
            bring_in(changed)

    def test_take_a_manifest_that_is_only_laid_out_otherwise(self):
        data = archived(interviewed.held(n=1))

        run = bring_in(packed(data, {"manifest.json": lambda said: said.replace(b"  ", b" ")}))

        assert run.config["imported"]["checked"] == "all"

    def test_name_what_was_added_taken_away_or_put_in_twice(self):
        data = archived(interviewed.held(n=1))

        with pytest.raises(errors.FileRefused, match=r"more than its manifest names: extra\.csv"):
            bring_in(packed(data, {}, add={"extra.csv": b"a,b"}))
        with pytest.raises(errors.FileRefused, match=r"lacks exchanges\.csv"):
            bring_in(packed(data, {"exchanges.csv": None}))
        with (
            pytest.warns(UserWarning, match="Duplicate name"),
            pytest.raises(
                errors.FileRefused, match=r"more than its manifest names: exchanges\.csv"
            ),
        ):
            bring_in(packed(data, {}, add={"exchanges.csv": b"a,b"}))

    def test_let_pass_what_a_computer_adds_by_itself(self):
        data = archived(interviewed.held(n=1))

        run = bring_in(packed(data, {}, add={"__MACOSX/._manifest.json": b"x"}))

        assert run.config["imported"]["checked"] == "all"

    def test_say_what_could_not_be_checked(self):
        run = interviewed.held(n=1)
        data = archived(run)

        def older(said):
            manifest = json.loads(said)
            del manifest["sha256"]
            return json.dumps(manifest).encode()

        old = bring_in(packed(data, {"manifest.json": older}), 2)
        alone = bring_in("".join(exchange.lines(run)).encode(), 3)

        assert old.config["imported"]["checked"] == "but_manifest"
        assert alone.config["imported"]["checked"] == "nothing"

    def test_find_scores_beyond_the_scale_and_numbers_that_are_missing(self):
        run = interviewed.held(n=1)
        record = json.loads(next(exchange.lines(run)))
        record["exchanges"][0] |= {"scores": {"overall": 9}, "k": 3, "unscored": "also"}
        record |= {"planned": 0, "right": "perhaps", "ended": "SOMEHOW", "messages": []}

        with pytest.raises(errors.FileRefused) as refusal:
            bring_in(json.dumps(record).encode())

        said = "\n".join(refusal.value.fields["file"])
        for words in (
            "“scores” has whole numbers from 1 to 4",
            "“k” counts the exchanges from 0; 0 is expected",
            "It has scores and a reason",
            "“planned” is a whole number from",
            "“right” is true, false, or null",
            "“ended” is one of",
            "“messages” holds no question",
        ):
            assert words in said


class TestArchive:
    def test_has_a_manifest_with_checksums_and_the_banner(self):
        run = interviewed.held(n=2)

        with zipfile.ZipFile(io.BytesIO(archived(run))) as files:
            manifest = json.loads(files.read("manifest.json"))
            for name, facts in manifest["files"].items():
                data = files.read(name)
                assert facts["sha256"] == hashlib.sha256(data).hexdigest()
                assert facts["bytes"] == len(data)
            table = files.read("exchanges.csv").decode()

        assert manifest["note"] == "scripted, not a measurement"
        assert manifest["evaluator"] == run.judge.name
        assert manifest["files"]["dialogues.jsonl"]["lines"] == 4
        assert table.count("scripted, not a measurement") >= Exchange.objects.count()
