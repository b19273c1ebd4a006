import json
import re

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from evalsite.web import keyset
from tests import make

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> **bold** <img src=x onerror=alert(1)>"


def listed(client, **query) -> str:
    return client.get(reverse("questions", args=["northport"]), query).content.decode()


class TestItems:
    def test_stand_in_one_list_with_the_questions_of_the_bank(self, client, curator):
        make.imported("Q1", question="What is a pallet?")
        make.question_version(external_id="B1")

        both = listed(client)
        bank = listed(client, origin="BANK")
        brought = listed(client, origin="IMPORT")

        assert [name for name in ("B1", "Q1") if f">{name}<" in both] == ["B1", "Q1"]
        assert (">Q1<" in bank, ">B1<" in bank) == (False, True)
        assert (">Q1<" in brought, ">B1<" in brought) == (True, False)
        assert "The bank is empty" not in both

    def test_are_left_out_where_only_questions_can_fit(self, client, curator):
        make.imported("Q1")

        assert ">Q1<" not in listed(client, state="DRAFT")
        assert ">Q1<" in listed(client, order="id")

    def test_are_not_what_a_run_put_out(self, client, curator):
        make.item("Q1")

        assert ">Q1<" not in listed(client)

    def test_are_the_openings_of_imported_conversations(self, client, curator):
        recorded = make.response(make.item("Q1"), make.release())
        models.Response.objects.filter(pk=recorded.pk).update(origin="RECORDED")

        assert ">Q1<" in listed(client)
        assert ">Q1<" in listed(client, origin="IMPORT")

    def test_of_an_import_stay_in_its_list_when_they_are_in_the_bank(self, client, curator):
        make.imported("Q1")
        make.question_version(external_id="Q1")
        make.question_version(external_id="B1")

        page = listed(client, batch=9)

        assert (">Q1<" in page, ">B1<" in page) == (True, False)

    @pytest.mark.parametrize("order", ["", "oldest", "id"])
    def test_are_turned_page_by_page_with_the_questions(self, client, curator, monkeypatch, order):
        monkeypatch.setattr(keyset, "SIZE", 2)
        for name in ("A1", "C1", "E1"):
            make.imported(name)
        for name in ("B1", "D1"):
            make.question_version(external_id=name)
        found, query = [], f"?order={order}"
        while query:
            answer = client.get(reverse("questions", args=["northport"]) + query)
            page = answer.content.decode()
            found += re.findall(r">([A-E]1)<", page)
            query = answer.context["next_url"]

        assert sorted(found) == ["A1", "B1", "C1", "D1", "E1"]
        if order == "id":
            assert found == sorted(found)

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ({"text": "pallet"}, {"Q1"}),
            ({"text": "货物"}, {"Q2"}),
            ({"text": "q2"}, {"Q2"}),
            ({"difficulty": "SIMPLE"}, {"Q2"}),
            ({"difficulty": "nonsense"}, {"Q1", "Q2"}),
            ({"capability": "1 or 1=1"}, {"Q1", "Q2"}),
            ({"text": "nowhere"}, set()),
        ],
    )
    def test_finds_by_what_stands_in_the_url(self, client, curator, query, found):
        make.imported("Q1", question="What is a pallet?")
        second = make.imported("Q2", question="什么是货物？")
        models.Item.objects.filter(pk=second.pk).update(difficulty="SIMPLE")

        page = listed(client, **query)

        assert {name for name in ("Q1", "Q2") if f">{name}<" in page} == found

    def test_finds_by_capability(self, client, curator):
        made = make.capability()
        make.imported("Q1", capability_=made)
        make.imported("Q2")

        page = listed(client, capability=made.pk)

        assert ">Q1<" in page
        assert ">Q2<" not in page

    def test_hides_what_an_import_has_not_finished(self, client, curator):
        batch = models.ImportBatch.objects.create(
            project=make.project(),
            number=1,
            kind="ANSWERS",
            file_name="a.csv",
            file_sha="1",
            mapping={},
            mapping_sha="1",
            created_by=make.user("northport-owner"),
            created_at=make.NOW,
            touched_at=make.NOW,
        )
        models.Item.objects.filter(pk=make.item("Q1").pk).update(batch=batch)
        make.imported("Q2")

        page = listed(client)

        assert ">Q1<" not in page
        assert ">Q2<" in page


class TestItemsOfAQuestion:
    def test_are_all_under_its_id_with_their_rounds(self, client, curator):
        round_ = make.open_round(n_items=1)
        item = round_.items.get().item
        version = make.question_version("DRAFT", external_id=item.external_id)

        page = client.get(reverse("question", args=["northport", version.question_id]))
        (line,) = client.get(reverse("questions", args=["northport"])).context["lines"]

        assert (page.context["items"], page.context["rounds"]) == ([item], [round_])
        assert "imported" in page.content.decode()
        assert line.n_used == 1


class TestItem:
    def test_shows_question_answer_and_responses_with_their_systems(self, client, curator):
        item = make.item("Q1")
        make.response(item, make.release("Kestrel"), HOSTILE)

        page = client.get(reverse("item", args=["northport", item.pk])).content.decode()

        assert "What is a pallet?" in page
        assert "Kestrel" in page
        assert "<strong>bold</strong>" in page
        assert "<script>alert" not in page
        assert "<img" not in page

    def test_hides_systems_from_those_who_may_grade(self, client):
        client.force_login(make.member(Role.DESIGNER))
        item = make.item("Q1")
        make.response(item, make.release("Kestrel"), "A base for goods.")

        page = client.get(reverse("item", args=["northport", item.pk])).content.decode()

        assert "Kestrel" not in page
        assert "A base for goods." not in page

    def test_leads_to_other_contents_under_the_same_id(self, client, curator):
        old = make.item("Q1", question="What is a palet?")
        new = make.item("Q1", question="What is a pallet?")

        page = client.get(reverse("item", args=["northport", old.pk])).content.decode()

        assert reverse("item", args=["northport", new.pk]) in page

    def test_is_not_taken_from_another_project(self, client, curator):
        other = make.item(in_=make.project("southgate"))

        answer = client.get(reverse("item", args=["northport", other.pk]))

        assert answer.status_code == 404


class TestItemsAdopt:
    url = "/p/northport/items/adopt/"

    def test_leads_from_one_item_to_its_draft(self, client):
        client.force_login(make.member(Role.DESIGNER))
        item = make.item("Q1")
        page = client.get(reverse("item", args=["northport", item.pk])).content.decode()

        answer = client.post(self.url, {"id": "Q1"})

        assert self.url in page
        question = models.Question.objects.get(external_id="Q1")
        assert answer.url == reverse("question_edit", args=["northport", question.pk])
        after = client.get(reverse("item", args=["northport", item.pk])).content.decode()
        assert self.url not in after
        assert reverse("question", args=["northport", question.pk]) in after

    def test_leads_from_many_to_the_drafts_of_the_person(self, client, curator):
        for name in ("Q1", "Q2", "Q3"):
            make.imported(name)

        answer = client.post(self.url, {"id": ["Q1", "Q3"]}, follow=True)

        page = answer.content.decode()
        assert [name for name in ("Q1", "Q2", "Q3") if f">{name}<" in page] == ["Q1", "Q3"]
        assert 'value="Q2"' in listed(client)
        assert 'value="Q1"' not in listed(client)

    def test_says_what_is_in_the_bank_already_and_keeps_the_choice(self, client, curator):
        make.imported("Q1")
        make.imported("Q2")
        client.post(self.url, {"id": "Q1"})

        answer = client.post(self.url, {"id": ["Q1", "Q2"]})

        page = answer.content.decode()
        assert answer.status_code == 422
        assert "already: Q1" in page
        assert 'value="Q2" checked' in page

    def test_is_not_offered_to_those_who_do_not_write(self, client):
        client.force_login(make.member(Role.ANALYST))
        make.imported("Q1")

        assert "items/adopt" not in listed(client)

    def test_takes_no_harm_from_odd_ids(self, client, curator):
        assert client.post(self.url, {"id": "Q\x001"}).status_code == 422


class TestAnswersOfAnItem:
    def test_show_reasoning_in_the_original_alone(self, client, curator):
        item = make.item("Q1")
        make.response(item, make.release("Kestrel"), "<think>Rather long.</think>A wall.")

        page = client.get(reverse("item", args=["northport", item.pk])).content.decode()

        assert page.count("Rather long.") == 1
        assert page.count("A wall.") == 2


class TestFilesOfTheList:
    def test_hold_imported_questions_as_the_list_does(self, client):
        client.force_login(make.member(Role.CURATOR))
        make.question_version("DRAFT", external_id="Q1")
        make.imported("I1", reference="A receipt.")

        def rows(**query):
            answer = client.get(reverse("questions_jsonl", args=["northport"]), query)
            return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]

        by_id = {one["external_id"]: one for one in rows()}
        assert by_id.keys() == {"Q1", "I1"}
        assert (by_id["I1"]["state"], by_id["I1"]["standard_answer"]) == ("IMPORTED", "A receipt.")
        assert by_id["I1"].keys() == by_id["Q1"].keys()
        assert [one["external_id"] for one in rows(order="id")] == ["I1", "Q1"]
        assert [one["external_id"] for one in rows(origin="IMPORT")] == ["I1"]
        assert [one["external_id"] for one in rows(state="DRAFT")] == ["Q1"]
