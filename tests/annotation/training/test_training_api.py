from decimal import Decimal

import pytest

from annotation.grading.models import Grade
from annotation.qualification import answers as reads
from annotation.qualification.models import TrainingExample
from annotation.rounds import states
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db
ROOT = "/api/v1/projects/northport/"
TEXT = {
    "use": "PRACTISE",
    "question": "What is a pallet?",
    "response": "A base.",
    "grades": {"grade": "1"},
    "explanation": "Too short.",
}


def post(client, path, body):
    return client.post(ROOT + path, body, content_type="application/json")


class TestExamples:
    def test_are_listed_with_the_rubric_they_are_graded_by(self, client, curator):
        made = qualified.example()

        [found] = client.get(f"{ROOT}training/").json()["results"]

        assert (found["number"], found["grades"]) == (made.number, {"grade": "2"})
        assert (found["rubric"], found["version"]) == (made.rubric_version.rubric.key, 1)

    def test_are_written(self, client, curator):
        answer = post(client, "training/", {**TEXT, "capability": make.capability().pk})

        assert answer.status_code == 201
        assert TrainingExample.objects.get().number == answer.json()["number"]

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"grades": {"grade": "9"}}, "grade-grade"),
            ({"grades": {}}, "grade-grade"),
            ({"question": ""}, "question"),
            ({"response": ""}, "response"),
            ({"capability": 0}, "capability"),
        ],
    )
    def test_say_what_cannot_be_used(self, client, curator, given, field):
        answer = post(client, "training/", {**TEXT, "capability": make.capability().pk, **given})

        assert answer.status_code in {400, 422}
        assert field in answer.json()["fields"]
        assert not TrainingExample.objects.exists()


class TestOneExample:
    def test_is_replaced_by_another(self, client, curator):
        first = qualified.example()

        answer = post(client, f"training/{first.number}/", TEXT)

        first.refresh_from_db()
        assert first.withdrawn_at is not None
        assert TrainingExample.objects.in_use().get().number == answer.json()["number"]

    def test_is_withdrawn_once(self, client, curator):
        first = qualified.example()

        done = post(client, f"training/{first.number}/withdraw/", {})
        again = post(client, f"training/{first.number}/withdraw/", {})

        assert (done.status_code, again.status_code) == (200, 404)


class TestReferences:
    def test_are_given_one_by_one_and_told_with_what_is_missing(self, client, curator):
        round_ = make.draft_round(n_items=1)
        before = client.get(f"{ROOT}rounds/1/references/").json()
        first = before["results"][0]
        given = {"response": first["response"], "criterion": "grade", "value": "2"}

        after = post(
            client, "rounds/1/references/", {"references": [{**given, "explanation": "All of it."}]}
        ).json()

        assert (before["missing"], after["missing"]) == (2, 1)
        assert after["results"][0]["explanation"] == "All of it."
        assert list(reads.values(round_).values()) == [Decimal(2)]

    def test_come_a_page_at_a_time(self, client, curator, monkeypatch):
        monkeypatch.setattr(reads, "AT_ONCE", 3)
        round_ = make.draft_round(n_items=4)
        url, found = f"{ROOT}rounds/1/references/", []

        while url:
            page = client.get(url).json()
            found.append([(one["response"], one["criterion"]) for one in page["results"]])
            url = page["next"] and f"{ROOT}rounds/1/references/{page['next']}"

        rows = round_.items.order_by("ordinal").values_list("ordinal", "responses__response")
        ordinals = {response: ordinal for ordinal, response in rows}
        flat = [one for some in found for one in some]
        assert [len(one) for one in found] == [3, 3, 2]
        assert len(set(flat)) == len(flat) == len(reads.wanted(round_)) == page["missing"]
        assert [ordinals[one[0]] for one in flat] == sorted(ordinals[one[0]] for one in flat)

    def test_save_nothing_where_one_is_not_of_the_round_or_off_its_scale(self, client, curator):
        round_ = make.draft_round(n_items=1)
        (response, _criterion), *_rest = sorted(reads.wanted(round_))
        good = {"response": response, "criterion": "grade", "value": "1"}

        strange = post(
            client, "rounds/1/references/", {"references": [good, {**good, "criterion": "wit"}]}
        )
        off = post(client, "rounds/1/references/", {"references": [{**good, "value": "7"}]})

        assert "Number 2" in strange.content.decode()
        assert (strange.status_code, off.json()["code"]) == (400, states.OffScale.code)
        assert not Grade.objects.filter(kind=Grade.Kind.REFERENCE).exists()
