from datetime import timedelta

import pytest

from annotation.models import Role, Source
from annotation.operations.bank import sources
from tests import counting, make

pytestmark = pytest.mark.django_db
URL = "/p/northport/sources/"


@pytest.fixture
def designer(client):
    found = make.member(Role.DESIGNER)
    client.force_login(found)
    return found


class TestSources:
    def test_say_how_to_begin(self, client, designer):
        assert "No sources yet" in client.get(URL).content.decode()

    def test_count_the_questions_made_from_each(self, client, designer):
        make.question_version("DRAFT", author=designer)

        [line] = client.get(URL).context["lines"]

        assert (line.number, line.n_questions, line.is_stale) == (1, 1, False)

    def test_mark_what_is_past_its_date(self, client, designer):
        version = make.source_version()
        sources.add_version(
            source=version.source,
            said=sources.Said(valid_until=make.NOW.date() - timedelta(days=9999)),
            by=designer,
            now=make.NOW,
        )

        [line] = client.get(f"{URL}?stale=yes").context["lines"]

        assert line.is_stale

    def test_take_as_many_queries_however_many_they_are(self, client, designer):
        assert counting.growth(client, URL, lambda n: make.source_version(f"Source {n}")) == 0


class TestSourceNew:
    def test_adds_a_source_with_what_it_says(self, client, designer):
        answer = client.post(f"{URL}new/", {"title": "Guide", "kind": "WEB", "text": "Seller."})

        made = Source.objects.get()
        assert answer.url == f"{URL}{made.pk}/"
        assert made.versions.get().text == "Seller."

    def test_refuses_a_title_the_corpus_has(self, client, designer):
        make.source_version("Guide")

        answer = client.post(f"{URL}new/", {"title": "Guide", "kind": "WEB"})

        assert answer.status_code == 422
        assert "Cite that one" in answer.content.decode()


class TestSource:
    def test_shows_its_versions_and_questions(self, client, designer):
        version = make.question_version("DRAFT", author=designer)
        source = version.citations.get().source_version.source

        context = client.get(f"{URL}{source.pk}/").context

        assert [one.pk for one in context["questions"]] == [version.pk]
        assert [one.n_cited for one in context["versions"]] == [1]

    def test_writes_down_what_it_says_now(self, client, designer):
        source = make.source_version().source

        client.post(f"{URL}{source.pk}/", {"text": "Something else."})

        assert source.versions.count() == 2
