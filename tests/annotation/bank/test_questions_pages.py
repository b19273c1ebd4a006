import pytest
from django.urls import reverse

from annotation.bank import operations as writing
from annotation.bank.models import Question, QuestionVersion
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db
URL = "/p/northport/bank/"


def asked(text, **more):
    return make.question_text(asked=text, **more)


class TestQuestions:
    def test_stand_where_the_plan_expects_them(self):
        assert reverse("questions", args=["northport"]) == URL

    def test_say_how_to_begin_in_an_empty_bank(self, client, designer):
        page = client.get(URL).content.decode()

        assert "The bank is empty" in page
        assert f"{URL}new/" in page

    def test_begin_with_few_columns_so_that_questions_can_be_read(self, client, designer):
        heads = [str(head.label) for head in client.get(URL).context["asked"].rest]

        assert heads == ["Area", "Capability", "Difficulty", "State", "Age", "Sources", "Rounds"]

    def test_say_how_many_are_out_of_use(self, client, designer):
        make.question_version("ACCEPTED", author=designer)
        assert "out of use" not in client.get(URL).content.decode()

        Question.objects.update(state="RETIRED")

        assert "1 out of use" in client.get(URL).content.decode()

    def test_show_the_newest_version_of_each(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer)
        writing.revise(version=version, by=designer, now=make.NOW)

        [line] = client.get(URL).context["lines"]

        assert (line.version.number, line.version.state) == (2, "DRAFT")
        assert line.n_sources == 1

    @pytest.mark.parametrize(
        ("query", "n"),
        [
            ("state=DRAFT", 1),
            ("state=ACCEPTED", 1),
            ("life=RETIRED", 0),
            ("text=Q0001", 1),
            ("look=waiting", 0),
            ("look=old_draft", 1),
            ("look=outdated", 0),
            ("look=stale_source", 0),
            ("look=no_meaning", 0),
            ("look=returned", 0),
            ("tag=never", 0),
            ("language=xx", 0),
            ("capability=nonsense", 2),
            ("after=nonsense", 2),
        ],
    )
    def test_are_filtered_by_the_address(self, client, designer, query, n):
        make.question_version("ACCEPTED", author=designer)
        make.question_version("DRAFT", author=designer)

        assert len(client.get(f"{URL}?{query}").context["lines"]) == n


class TestQuestionLooks:
    def test_names_what_waits(self, client, designer):
        make.question_version("SUBMITTED", author=designer)

        page = client.get(f"{URL}looks/").content.decode()

        assert "Waiting for inspection" in page

    def test_says_so_when_nothing_does(self, client, designer):
        assert "Nothing to review" in client.get(f"{URL}looks/").content.decode()


class TestQuestion:
    def test_shows_the_version_as_annotators_see_it(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer)

        page = client.get(f"{URL}{version.question_id}/")

        assert page.context["face"]["reference"]
        assert page.context["items"]

    def test_compares_two_versions_field_by_field(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer)
        new = writing.revise(version=version, by=designer, now=make.NOW)
        QuestionVersion.objects.filter(pk=new.pk).update(answer="Something else.")

        page = client.get(f"{URL}{version.question_id}/?view=both")

        assert [str(one["name"]) for one in page.context["changes"]] == ["Standard answer"]

    def test_begins_a_new_version_and_leads_to_its_editor(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer)

        answer = client.post(f"{URL}{version.question_id}/", {"act": "revise"})

        assert answer.url == f"{URL}{version.question_id}/edit/"
        assert client.get(answer.url).status_code == 200

    def test_takes_a_comment(self, client, designer):
        version = make.question_version("SUBMITTED", author=designer)

        client.post(
            f"{URL}{version.question_id}/", {"act": "comment", "text": "Why?", "field": "answer"}
        )

        [comment] = client.get(f"{URL}{version.question_id}/").context["comments"]
        assert (comment["comment"].text, str(comment["field"])) == ("Why?", "Standard answer")

    def test_refuses_designers_to_retire(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer)

        answer = client.post(
            f"{URL}{version.question_id}/", {"act": "retire", "reason": "Out of date."}
        )

        assert answer.status_code == 409
        assert Question.objects.get().state == "LIVE"

    def test_lets_curators_retire_with_a_reason(self, client):
        version = make.question_version("ACCEPTED")
        client.force_login(make.member(Role.CURATOR))

        client.post(f"{URL}{version.question_id}/", {"act": "retire", "reason": "Out of date."})

        assert Question.objects.get().state == "RETIRED"

    def test_throws_a_first_draft_away_with_its_question(self, client, designer):
        version = make.question_version("DRAFT", author=designer)

        answer = client.post(f"{URL}{version.question_id}/", {"act": "discard"})

        assert answer.url == URL
        assert not Question.objects.exists()
