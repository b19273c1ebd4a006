import pytest

from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/search/"


@pytest.fixture
def bank():
    make.question_version("DRAFT", external_id="B-1", text=make.question_text("What is demurrage?"))
    item = make.item("LG-1", question="Who pays demurrage at the quay?")
    make.response(item, make.release("Kestrel"), text="The charterer pays demurrage.")
    return item


def ask(client, role=Role.CURATOR, **query):
    client.force_login(make.member(role, username=f"a-{role.lower()}"))
    return client.get(URL, query)


class TestSearch:
    def test_finds_things_of_every_kind_by_their_words(self, client, bank):
        found = ask(client, q="demurrage").json()

        assert {one["kind"] for one in found["results"]} == {"question", "item", "response"}
        assert found["counts"] == {"question": 1, "item": 1, "source": 0, "response": 1}
        assert (found["more"], found["next"]) == (False, None)
        [item] = [one for one in found["results"] if one["kind"] == "item"]
        assert (item["id"], item["title"]) == (bank.pk, "LG-1")
        assert [one["text"] for one in item["text"] if one["hit"]] == ["demurrage"]

    @pytest.mark.parametrize("role", [Role.DESIGNER, Role.INSPECTOR])
    def test_shows_no_responses_to_those_who_may_not_see_whose_they_are(self, client, bank, role):
        found = ask(client, role, q="demurrage").json()

        assert {one["kind"] for one in found["results"]} == {"question", "item"}
        assert "response" not in found["counts"]
        assert ask(client, role, q="demurrage", kind="response").json()["results"] == []

    def test_keeps_to_a_kind_and_to_filters(self, client, bank):
        of_kind = ask(client, q="demurrage", kind="question").json()
        drafts = ask(client, q="demurrage", state="DRAFT").json()
        retired = ask(client, q="demurrage", state="ACCEPTED").json()

        assert [one["title"] for one in of_kind["results"]] == ["B-1"]
        assert [one["title"] for one in drafts["results"]] == ["B-1"]
        assert retired["results"] == []

    def test_finds_nothing_without_words(self, client, bank):
        assert ask(client).json()["results"] == []

    def test_refuses_more_words_than_it_reads_and_kinds_there_are_not(self, client, bank):
        long = ask(client, q="a" * 301)
        kind = ask(client, q="a", kind="person")

        assert (long.status_code, list(long.json()["fields"])) == (400, ["q"])
        assert (kind.status_code, list(kind.json()["fields"])) == (400, ["kind"])

    @pytest.mark.parametrize("name", ["capability", "domain", "collection"])
    def test_refuses_to_look_where_there_is_nothing(self, client, bank, name):
        answer = ask(client, q="demurrage", **{name: 987_654})

        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")
        assert list(answer.json()["fields"]) == [name]

    def test_goes_on_page_by_page(self, client):
        for n in range(25):
            make.item(f"LG-{n}", question="Who pays demurrage?")

        first = ask(client, q="demurrage").json()
        then = client.get(f"{URL}{first['next']}").json()

        assert (len(first["results"]), len(then["results"]), then["next"]) == (20, 5, None)
        assert len({one["id"] for one in first["results"] + then["results"]}) == 25
