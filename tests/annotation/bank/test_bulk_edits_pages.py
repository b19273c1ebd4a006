import pytest

from annotation.bank import bulk
from annotation.bank.models import BulkEdit, QuestionVersion
from annotation.people.models import Role
from evalsite import queue
from tests import make

pytestmark = pytest.mark.django_db
URL = "/p/northport/bank/bulk/"


def draft(author, external_id, **more):
    return make.question_version("DRAFT", author=author, external_id=external_id, **more)


class TestBulkEditNew:
    def test_says_how_to_choose_when_nothing_is_chosen(self, client, designer):
        page = client.get(f"{URL}new/").content.decode()

        assert "The bank is empty" in page

    def test_leads_to_the_list_where_there_are_questions(self, client, designer):
        draft(designer, "A")

        assert "Choose questions in the list" in client.get(f"{URL}new/").content.decode()

    def test_takes_the_chosen_ones(self, client, designer):
        versions = [draft(designer, one) for one in "ABC"]

        page = client.get(f"{URL}new/?id={versions[0].question_id}&id={versions[1].question_id}")

        assert "2 questions chosen" in page.content.decode()

    def test_takes_all_that_fit_the_filters(self, client, designer):
        draft(designer, "A")
        make.question_version("SUBMITTED", author=designer, external_id="B")

        page = client.get(f"{URL}new/?all=1&back=state%3DDRAFT")

        assert "1 question chosen" in page.content.decode()

    @pytest.mark.parametrize("ids", ["id=x", "id=-1", "id=99999999999999999999", "id=²", "id="])
    def test_leaves_out_what_is_no_question(self, client, designer, ids):
        draft(designer, "A")

        assert client.get(f"{URL}new/?{ids}").context["n"] == 0

    def test_takes_no_question_of_another_project(self, client, designer):
        other = make.question_version("DRAFT", in_=make.project("southgate"))

        assert client.get(f"{URL}new/?id={other.question_id}").context["n"] == 0

    def test_says_so_when_they_are_too_many(self, client, designer, monkeypatch):
        monkeypatch.setattr(bulk, "MOST", 1)
        for one in "AB":
            draft(designer, one)

        page = client.get(f"{URL}new/?all=1").content.decode()

        assert "At most 1 questions" in page
        answer = client.post(f"{URL}new/", {"all": "1", "action": "SUBMIT"})
        assert (answer.status_code, BulkEdit.objects.count()) == (422, 0)

    def test_tries_out_and_leads_to_what_would_come_of_it(self, client, designer):
        version = draft(designer, "A")
        sent = {
            "id": version.question_id,
            "action": "CHANGE",
            "difficulty": "DIFFICULT",
            "domain": "none",
            "tags_added": "audit, spring ,",
            "valid_until": "2027-05-01",
        }

        answer = client.post(f"{URL}new/", sent)

        edit = BulkEdit.objects.get()
        assert answer.url == f"{URL}{edit.number}/"
        assert edit.values == {
            "difficulty": "DIFFICULT",
            "domain_id": None,
            "tags_added": ["audit", "spring"],
            "valid_until": "2027-05-01",
            "meaning_same": False,
        }
        assert QuestionVersion.objects.get().difficulty == "SIMPLE"

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"action": "CHANGE"}, "action"),
            ({"action": "CHANGE", "capability": "77777"}, "capability"),
            ({"action": "CHANGE", "valid_until": "soon"}, "valid_until"),
            ({"action": "CHANGE", "valid_until": "2027-01-01", "no_end": "on"}, "valid_until"),
            ({"action": "EXPLODE"}, "action"),
            ({"action": "RETIRE", "note": "Old."}, "action"),
        ],
    )
    def test_says_at_the_field_what_is_wrong(self, client, designer, sent, field):
        version = draft(designer, "A")

        answer = client.post(f"{URL}new/", {"id": version.question_id, **sent})

        assert answer.status_code == 422
        assert field in answer.context["form"].errors
        assert f'value="{version.question_id}"' in answer.content.decode()

    def test_asks_curators_why_they_retire(self, client):
        client.force_login(make.member(Role.CURATOR))
        version = make.question_version("ACCEPTED")

        answer = client.post(f"{URL}new/", {"id": version.question_id, "action": "RETIRE"})

        assert "note" in answer.context["form"].errors


class TestBulkEdit:
    def planned(self, client, designer):
        draft(designer, "A")
        draft(make.member(Role.CURATOR), "B")
        client.post(f"{URL}new/", {"all": "1", "action": "CHANGE", "difficulty": "DIFFICULT"})
        return BulkEdit.objects.get()

    def test_names_each_refused_question_with_its_reason_and_a_link(self, client, designer):
        edit = self.planned(client, designer)

        page = client.get(f"{URL}{edit.number}/?which=refused")

        [line] = page.context["page"].rows
        assert line.external_id == "B"
        assert "a draft of somebody else" in page.content.decode()
        assert f"/bank/{line.question_id}/" in page.content.decode()

    def test_is_confirmed_once_and_shows_what_came_of_it(self, client, designer):
        edit = self.planned(client, designer)

        client.post(f"{URL}{edit.number}/start/")
        page = client.get(f"{URL}{edit.number}/")

        assert page.context["edit"].state == "DONE"  # so few are done at once
        assert (page.context["counts"].done, page.context["counts"].not_done) == (1, 1)
        assert QuestionVersion.objects.get(question__external_id="A").difficulty == "DIFFICULT"
        again = client.post(f"{URL}{edit.number}/start/", follow=True).content.decode()
        assert "nothing to do" in again

    def test_leaves_many_to_a_worker_and_shows_how_far_it_is(
        self, client, designer, monkeypatch, django_capture_on_commit_callbacks
    ):
        monkeypatch.setattr(bulk, "FEW", 0)
        edit = self.planned(client, designer)

        with django_capture_on_commit_callbacks(execute=True):
            client.post(f"{URL}{edit.number}/start/")

        assert "0 of 1" in client.get(f"{URL}{edit.number}/").content.decode()
        piece = {"hx-request": "true"}
        assert "HX-Refresh" not in client.get(f"{URL}{edit.number}/", headers=piece)
        queue.burst()
        assert client.get(f"{URL}{edit.number}/", headers=piece)["HX-Refresh"] == "true"

    def test_is_dropped_without_a_trace(self, client, designer):
        edit = self.planned(client, designer)

        client.post(f"{URL}{edit.number}/drop/")

        assert not BulkEdit.objects.exists()
        assert set(QuestionVersion.objects.values_list("difficulty", flat=True)) == {"SIMPLE"}

    def test_is_confirmed_by_nobody_else(self, client, designer):
        edit = self.planned(client, designer)
        client.force_login(make.member(Role.CURATOR))

        page = client.post(f"{URL}{edit.number}/start/", follow=True).content.decode()

        assert f"Only {edit.by.display_name} can confirm this." in page
        edit.refresh_from_db()
        assert edit.state == "PLANNED"

    def test_is_not_there_in_another_project(self, client, designer):
        edit = self.planned(client, designer)
        client.force_login(make.member(Role.OWNER, in_=make.project("southgate")))

        assert client.get(f"/p/southgate/bank/bulk/{edit.number}/").status_code == 404


class TestBulkEdits:
    def test_say_so_when_there_are_none(self, client, designer):
        assert "The bank is empty" in client.get(URL).content.decode()
