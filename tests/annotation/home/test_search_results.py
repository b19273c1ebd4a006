"""What is found from the index, by whom, and how it is shown on the page of results."""

import pytest
from django.core.management import call_command
from django.db import connection
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation import models
from annotation.bank import operations as writing
from annotation.people.models import Role
from annotation.search import operations as searching
from annotation.search import queries as text_search
from annotation.search import rules
from annotation.search.models import SearchText
from annotation.search.queries import Kind, Limits
from annotation.sources import operations as sources
from tests import make
from tests.pages import squeezed

pytestmark = pytest.mark.django_db


def found(words: str, **limits) -> list[tuple[str, int]]:
    within = Limits(**{"kinds": list(Kind), "sources": None, **limits})
    result = text_search.found_texts(make.project(), rules.sought(words), within)
    return [(one.kind, one.of) for one in result.hits]


class TestFound:
    @pytest.mark.parametrize(
        "words",
        [
            "提单",
            "提",
            "单",
            "海运提单",
            "LADING",
            "lad",
            "Zurich",
            "ｌａｄｉｎｇ",
            '"bill of"',
            "lading 提单",
        ],
    )
    def test_finds_words_and_signs_in_every_kind(self, words):
        said = "A bill of Lading (海运提单) of Zürich."
        question = make.question_version("DRAFT", text=make.question_text(said, "Yes."))
        item = make.item(question=said)
        answer = make.response(make.item(), make.release(), said)
        about = sources.SourceAbout("Handbook of ports")
        by = make.member(Role.CURATOR)
        source = sources.add_source(
            project=make.project(),
            about=about,
            said=sources.SourceSaid(text=said),
            by=by,
            now=make.NOW,
        )

        assert set(found(words)) == {
            (Kind.QUESTION, question.question_id),
            (Kind.ITEM, item.pk),
            (Kind.RESPONSE, answer.pk),
            (Kind.SOURCE, source.source_id),
        }

    @pytest.mark.parametrize("words", ["bi of", "单提", '"of bill"', "ading", "", "...", "提海单"])
    def test_finds_nothing_else(self, words):
        make.item(question="A bill of lading (海运提单).")

        assert found(words) == []

    def test_finds_the_newest_wording_only(self):
        version = make.question_version(
            "ACCEPTED", external_id="A1", text=make.question_text("What is FCA?", "Free carrier.")
        )
        newer = writing.revise(version=version, by=version.author, now=make.NOW)
        again = make.question_text("What is DAP?", "Delivered.")
        writing.save_draft(version=newer, text=again, base_rev=0, by=version.author, now=make.NOW)

        assert (len(found("dap")), found("fca")) == (1, [])

        newer.refresh_from_db()
        writing.discard(version=newer, by=version.author, now=make.NOW)

        assert (found("dap"), len(found("fca"))) == ([], 1)

    def test_finds_the_end_of_a_long_source_in_its_part(self):
        by = make.member(Role.CURATOR)
        said = sources.SourceSaid(text="倉庫 " * 40_000 + "滞期费")
        sources.add_source(
            project=make.project(),
            about=sources.SourceAbout("Long"),
            said=said,
            by=by,
            now=make.NOW,
        )

        hits = text_search.found_texts(
            make.project(), rules.sought("滞期费"), Limits([Kind.SOURCE], None)
        ).hits

        assert [one.part for one in hits] == [
            max(SearchText.objects.values_list("part", flat=True))
        ]
        assert hits[0].part > 1

    def test_keeps_within_the_filters(self):
        sea = make.domain("Sea")
        by_capability = make.item("L1", question="lading", capability_=make.capability())
        by_area = models.Item.objects.create(
            project=make.project(),
            external_id="L2",
            group="L2",
            content_sha="2",
            prompt_sha="2",
            messages=[{"role": "user", "content": "lading"}],
            domain=sea,
            created_at=make.NOW,
        )
        searching.keep_items(items=[by_area])
        text = make.question_text("lading?", "Yes.")
        question = make.question_version("DRAFT", text=text).question_id

        assert (Kind.ITEM, by_capability.pk) in found(
            "lading", capability=by_capability.capability_id
        )
        assert (Kind.ITEM, by_area.pk) not in found(
            "lading", capability=by_capability.capability_id
        )
        assert found("lading", domains=[sea.pk]) == [(Kind.ITEM, by_area.pk)]
        assert found("lading", state="DRAFT") == [(Kind.QUESTION, question)]
        assert found("lading", state="ACCEPTED") == []
        assert found("lading", collection=1) == []

    def test_turns_pages_without_a_gap(self):
        wanted = {make.item(f"L{n}", question="lading " * (n % 4 + 1)).pk for n in range(7)}
        hits = text_search.found_texts(
            make.project(), rules.sought("lading"), Limits([Kind.ITEM])
        ).hits
        seen, after = [], ""
        while True:
            page = text_search.page(hits, after=after, size=2)
            seen += [one.of for one in page.rows]
            if page.after is None:
                break
            after = page.after

        assert set(seen) == wanted
        assert len(seen) == 7

    def test_says_when_there_is_more(self):
        for n in range(4):
            make.item(f"L{n}", question="lading")

        few = text_search.found_texts(
            make.project(), rules.sought("lading"), Limits([Kind.ITEM]), most=3
        )

        assert (len(few.hits), few.more) == (3, True)

    @given(st.text(max_size=60))
    def test_bears_whatever_is_written(self, words):
        assert isinstance(found(words), list)

    @pytest.mark.parametrize(
        "words",
        [
            '"',
            "'",
            "NEAR(a b)",
            "a AND NOT b",
            "words:x",
            "a & b | !c",
            ":*",
            "\ud800 x",
            "a\0b",
            "-" * 50,
            "x" * 10_000,
            "提单" * 5_000,
            "a b " * 2_500,
            '"a" ' * 2_500,
        ],
    )
    def test_bears_operators_quotes_and_lengths(self, words):
        make.item(question="A bill of lading.")

        assert isinstance(found(words), list)


class TestRepair:
    def test_finds_nothing_wrong_after_the_writes_of_the_product(self, capsys):
        make.question_version()
        make.response(make.item(), make.release())

        call_command("reindex_search")

        assert "Nothing was wrong." in capsys.readouterr().out

    def test_mends_what_is_missing_other_or_left_over(self):
        version = make.question_version("DRAFT", text=make.question_text("A quay?", "Yes."))
        item = make.item(question="A crane.")
        SearchText.objects.filter(question=version.question_id).delete()
        SearchText.objects.filter(item=item).update(words=" nonsense ")
        answer = make.response(item, make.release(), "A crane.")
        SearchText.objects.create(
            project=make.project(), kind=Kind.RESPONSE, response=answer, part=9, words=" quay "
        )

        repair = searching.reindex()

        assert repair.kinds[Kind.QUESTION].missing == 1
        assert repair.kinds[Kind.ITEM].changed == 1
        assert repair.kinds[Kind.RESPONSE].stray == 1
        assert found("quay") == [(Kind.QUESTION, version.question_id)]
        assert (Kind.ITEM, item.pk) in found("crane")
        assert searching.reindex().n_mended == 0

    @pytest.mark.django_db(transaction=True)
    def test_makes_a_lost_index_anew(self):
        make.item(question="A crane.")
        with connection.cursor() as cursor:
            for statement in text_search.INDEX.take_off(connection.vendor):
                cursor.execute(statement)

        assert searching.reindex().index_was_sound is False
        assert len(found("crane")) == 1
        assert searching.reindex().index_was_sound is True


class TestPage:
    def page(self, client, **asked) -> str:
        answer = client.get(reverse("search", args=["northport"]), asked)
        assert answer.status_code == 200
        return squeezed(answer.content.decode())

    @pytest.mark.parametrize("role", Role)
    def test_shows_responses_to_those_who_may_see_systems(self, client, role):
        make.response(make.item(), make.release("Kestrel"), "The canary sings.")
        client.force_login(make.member(role, username="somebody"))

        page = self.page(client, q="canary")
        forced = self.page(client, q="canary", kind="RESPONSE")

        may = role in {Role.OWNER, Role.CURATOR, Role.ANALYST}
        assert ("Kestrel" in page) is may
        assert ("<mark>canary</mark> sings" in forced) is may

    def test_shows_an_annotator_no_text_at_all(self, client):
        make.question_version(text=make.question_text("A canary?", "Yes."))
        make.item(question="A canary.")
        make.source_version("Canary book")
        client.force_login(make.member(Role.ANNOTATOR))

        for kind in ("", *Kind.values):
            assert "<mark>" not in self.page(client, q="canary", kind=kind)

    def test_shows_a_designer_the_sources_of_their_collections(self, client):
        version = make.source_version("Canary book")
        other = make.source_version("Canary rules")
        closed = models.SourceCollection.objects.create(
            project=make.project(),
            name="Closed",
            created_by=make.member(Role.OWNER),
            created_at=make.NOW,
        )
        models.Source.objects.filter(pk=other.source_id).update(
            collection=closed, created_by=closed.created_by
        )
        client.force_login(make.member(Role.DESIGNER, username="des-2"))

        page = self.page(client, q="canary")

        assert reverse("source", args=["northport", version.source_id]) in page
        assert "rules" not in page
        assert (
            "rules"
            not in client.get(
                reverse("search_json", args=["northport"]), {"q": "canary"}
            ).content.decode()
        )

    def test_writes_what_was_found_as_text(self, client):
        make.item(question="<img src=x> canary <b>bold</b>")
        client.force_login(make.member(Role.CURATOR))

        page = self.page(client, q="canary")

        assert "&lt;img src=x&gt; <mark>canary</mark> &lt;b&gt;bold" in page

    def test_finds_nothing_of_another_project(self, client):
        make.item(question="A canary.", in_=make.project("southgate"))
        client.force_login(make.member(Role.CURATOR))

        assert "<mark>" not in self.page(client, q="canary")

    def test_leads_to_the_next_page(self, client):
        for n in range(25):
            make.item(f"L{n}", question="canary")
        client.force_login(make.member(Role.CURATOR))

        page = self.page(client, q="canary", kind="ITEM")

        assert "25 found" in page
        assert 'rel="next"' in page

    @pytest.mark.parametrize("words", ["\ud800", "x" * 10_000, '"*()', "%s %d", "\\"])
    def test_bears_any_words(self, client, words):
        client.force_login(make.member(Role.OWNER, username="boss"))
        asked = words.encode(errors="surrogatepass")

        answer = client.get(reverse("search", args=["northport"]), {"q": asked, "after": "e30"})

        assert answer.status_code == 200
