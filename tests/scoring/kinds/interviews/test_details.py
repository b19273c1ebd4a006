import io
import json
import math
import zipfile

import pytest
from django.urls import reverse

from scoring.kinds.interviews import details as released
from scoring.kinds.interviews import exchange
from scoring.kinds.interviews.files import DialogueSource, read_dialogues
from scoring.kinds.interviews.models import Dialogue, Exchange
from tests import make
from tests.scoring import interviewed
from tests.scoring.dialogues import details

pytestmark = pytest.mark.django_db
#: What such a file does not hold.
NOT_TOLD = ("group", "dataset", "reference", "extra", "chosen", "right", "decided_by")
OURS = ("scripted", "scripted_verdicts", "unscored")


def archived(run):
    """Return what is in each file of the archive, by its name."""
    data = b"".join(released.archive(run))
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist()}


def plain(record):
    kept = {name: one for name, one in record.items() if name not in {*NOT_TOLD, *OURS}}
    without = [
        {name: value for name, value in one.items() if name != "unscored"}
        for one in record["exchanges"]
    ]
    return {**kept, "exchanges": without}


class TestArchive:
    def test_has_a_file_for_each_system_that_comes_in_as_it_went_out(self):
        run = interviewed.held(n=3, mark_but_continue=True)

        files = archived(run)

        assert list(files) == [
            "1-kestrel-1/interact_details.json",
            "2-osprey-1/interact_details.json",
        ]
        for data, system in zip(files.values(), ("Kestrel", "Osprey"), strict=True):
            found = read_dialogues(data, DialogueSource(system=system, release="1", planned=3))
            mine = Dialogue.objects.filter(run=run, release__system__name=system)
            wanted = [
                exchange.record_of(one)
                for one in exchange.paged(run)
                if one.pk in set(mine.values_list("pk", flat=True))
            ]
            assert found.problems == ()
            assert [plain(one) for one in found.records] == [plain(one) for one in wanted]

    def test_of_a_question_of_several_turns_keeps_all_of_them(self):
        turns = [
            {"role": "user", "content": "We have a rope."},
            {"role": "assistant", "content": "Good."},
            {"role": "user", "content": "What holds the ship?"},
        ]
        item = make.item("Q-1", earlier=turns[:2], question=turns[2]["content"])
        run = interviewed.held(items=[item.pk])

        (first, *_others) = archived(run).values()

        (one,) = read_dialogues(
            first, DialogueSource(system="Kestrel", release="1", planned=3)
        ).records
        assert one["messages"] == turns
        assert one["answer"] == Dialogue.objects.order_by("pk").first().answer

    def test_keeps_an_exchange_without_a_verdict_as_one_without_scores(self):
        run = interviewed.held(n=1, by=interviewed.evaluator(script={"malformed": 1.0}))
        lost = Exchange.objects.filter(dialogue__run=run, scores__isnull=True).count()
        assert lost

        entries = [one for data in archived(run).values() for one in json.loads(data)]

        verdicts = [one for entry in entries for one in entry["evaluation_results"]]
        assert sum(one["overall_score"] is None for one in verdicts) == lost
        assert all(
            one["accuracy"]["score"] is None for one in verdicts if one["overall_score"] is None
        )

    def test_says_what_the_released_code_makes_of_the_verdicts(self):
        run = interviewed.held(n=1)

        entry = json.loads(next(iter(archived(run).values())))[0]

        told, marks = entry["aggregated_result"]["overall_score"], {1: 1, 2: 3, 3: 7, 4: 10}
        scores = [one["overall_score"] for one in entry["evaluation_results"]]
        weights = [math.exp(-0.2 * k) for k in range(len(scores))]
        score = sum(marks[one] * w for one, w in zip(scores, weights, strict=True)) / sum(weights)
        assert told["kieval_score"] == pytest.approx(10 * score)
        assert (told["min"], told["max"]) == (min(scores), max(scores))

    def test_is_downloaded_where_it_is_asked_for(self, as_analyst):
        run = interviewed.held(n=1)
        for name in ("run_dialogues_zip", "api_run_dialogues_zip"):
            url = reverse(name, args=["northport", run.number])
            answer = as_analyst.get(url, {"as": "interact_details"})
            assert answer.status_code == 200
            data = b"".join(answer.streaming_content)
            assert "interact_details.zip" in answer["Content-Disposition"]
            with zipfile.ZipFile(io.BytesIO(data)) as found:
                assert len(found.namelist()) == 2


class TestFilesOfTheTools:
    def test_tell_the_question_on_the_candidates_side_whatever_was_sent_last(self):
        one = details("q-1")
        one["prompt"] = "<s>[INST] Which knot holds a ship? [/INST] A bowline."
        one["messages"] = [
            {"role": "user", "content": "The talk so far: a bowline."},
            {"role": "assistant", "content": "{}"},
            {"role": "user", "content": "Interactor: why? Candidate: it holds."},
        ]
        make.project()

        (record,) = read_dialogues(json.dumps([one]).encode(), DialogueSource("Tern", "1")).records

        assert record["messages"] == [{"role": "user", "content": "Which knot holds a ship?"}]
        assert record["answer"] == "A bowline."

    def test_without_that_side_tell_it_in_the_prompt(self):
        one = details("q-1")
        one["role_messages"] = {}
        one["messages"].append({"role": "assistant", "content": "A bowline."})
        make.project()

        (record,) = read_dialogues(json.dumps([one]).encode(), DialogueSource("Tern", "1")).records

        assert record["messages"][0]["content"] == "Which knot holds a ship?"
        assert record["answer"] == "A bowline."
