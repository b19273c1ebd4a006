"""Marks of every kind at the desk: saved, submitted, shown, corrected, refused."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotation.common import texts
from annotation.grading import facts
from annotation.grading import operations as grading
from annotation.grading.models import Grade
from evalsite import errors
from tests import make
from tests.annotation.grading.test_desk_pages import draft, submit

pytestmark = pytest.mark.django_db
#: A whole answer: yes, the second label, the first and the third, a number, no wish.
WHOLE = {"grade": "2", "polite": "1", "slip": "2", "traits": "5", "minutes": "7.5"}
WISH = "Say when.\nAnd where?"


def entries(letter: str, **more: str) -> dict[str, str]:
    marks = {
        f"mark/{letter}/{key}": value for key, value in (WHOLE | more).items() if key != "wish"
    }
    return marks | ({f"text/{letter}/wish": more["wish"]} if "wish" in more else {})


def fields(letter: str, **more: object) -> dict[str, object]:
    said = {f"mark-{letter}-{key}": value for key, value in (WHOLE | more).items() if key != "wish"}
    return said | {f"mark-{letter}-traits": more.get("traits", ["1", "4"])}


@pytest.fixture
def seat():
    return make.claim(make.open_round(n_items=2, criteria=("grade", *make.KINDS)))


@pytest.fixture
def client(seat) -> Client:
    client = Client()
    client.force_login(make.account(make.holder(seat)))
    return client


def stored(seat) -> dict[str, Decimal | str | None]:
    """Return what counts of response A, by criterion."""
    rows = Grade.objects.filter(assignment=seat, slot__position=0, is_current=True)
    return {one.criterion.key: one.text or one.value for one in rows.select_related("criterion")}


def address(seat) -> str:
    return reverse("grade", args=[seat.round.project.slug, seat.token])


class TestDrafts:
    def test_keep_every_kind_under_the_digest_that_the_page_computes(self, client, seat):
        patch = entries("A", wish=WISH)

        said = draft(client, seat, patch).json()

        rows = [("A", key, Decimal(value)) for key, value in WHOLE.items()]
        assert said["digest"] == texts.grades_digest([*rows, ("A", "wish", WISH)])

    @pytest.mark.parametrize(
        "patch",
        [
            {"mark/A/traits": "8"},
            {"mark/A/traits": "1.5"},
            {"mark/A/slip": "0"},
            {"mark/A/polite": "2"},
            {"mark/A/wish": "1"},
            {"text/A/grade": "two"},
            {"text/A/wish": ""},
            {"text/A/wish": "x" * 20_001},
        ],
    )
    def test_refuse_what_no_page_can_send(self, client, seat, patch):
        assert draft(client, seat, patch).status_code == 422


class TestSubmits:
    def test_store_every_kind(self, client, seat):
        sent = {**entries("A", wish=WISH), **entries("B", traits="0")}

        assert submit(client, seat, sent).status_code == 200

        assert stored(seat) == {
            "grade": 2,
            "polite": 1,
            "slip": 2,
            "traits": 5,
            "minutes": Decimal("7.5"),
            "wish": WISH,
        }
        assert Grade.objects.filter(assignment=seat).count() == 11

    def test_get_the_first_receipt_again_and_no_other_text_under_it(self, client, seat):
        sent = {**entries("A", wish=WISH), **entries("B")}
        first = submit(client, seat, sent).json()

        again = submit(client, seat, sent)
        other = submit(client, seat, {**sent, "text/A/wish": "Another"})

        assert again.json()["digest"] == first["digest"]
        assert other.status_code == 409
        assert stored(seat)["wish"] == WISH

    def test_correct_a_text_and_take_it_back(self, client, seat):
        base = {**entries("A"), **entries("B")}
        submit(client, seat, {**base, "text/A/wish": WISH})
        submit(client, seat, {**base, "text/A/wish": "Shorter."}, base_rev=1, op=92_002)
        corrected = stored(seat)["wish"]

        submit(client, seat, base, base_rev=2, op=92_003)

        assert corrected == "Shorter."
        assert "wish" not in stored(seat)
        assert Grade.objects.filter(assignment=seat, criterion__key="wish").count() == 2

    def test_lack_a_label_but_no_text_of_choice(self, client, seat):
        sent = {**entries("A"), **entries("B")}
        del sent["mark/B/traits"]

        refused = submit(client, seat, sent)

        assert refused.status_code == 422
        assert list(refused.json()["fields"]) == ["B.traits"]

    def test_need_a_text_that_is_required(self, seat):
        wish = seat.round_item.rubric_version.criteria.get(key="wish")
        wish.minimum = Decimal(1)
        marks = [grading.EnteredMark("A", "wish", text=WISH)]

        with pytest.raises(errors.Incomplete) as refused:
            grading.check(marks, "AB", {"wish": wish})

        assert list(refused.value.fields) == ["B.wish"]

    def test_say_of_a_whole_answer_that_it_cannot_be_graded(self, client, seat):
        sent = {**entries("A"), "cannot/B": "unreadable"}

        assert submit(client, seat, sent).status_code == 200

        outcomes = Grade.objects.filter(assignment=seat, slot__position=1)
        assert {(one.outcome, one.text) for one in outcomes} == {("CANNOT_GRADE", "")}


class TestPlainPages:
    def post(self, client, seat, **more):
        data = {**fields("A", **more), **fields("B"), "base_rev": "0", "text-A-wish": "So.\r\nYes."}
        return client.post(address(seat), data)

    def test_send_labels_as_boxes_and_texts_as_they_are(self, client, seat):
        assert self.post(client, seat).status_code == 302

        assert stored(seat)["traits"] == 5
        assert stored(seat)["wish"] == "So.\nYes."

    def test_are_refused_with_labels_beside_none_of_them(self, client, seat):
        refused = self.post(client, seat, traits=["0", "4"])

        assert refused.status_code == 422
        assert not Grade.objects.exists()

    def test_show_what_was_submitted(self, client, seat):
        self.post(client, seat)

        page = client.get(address(seat)).content.decode()
        sheet = client.get(reverse("grade_sheet", args=[seat.round.project.slug, 1]))

        for box, ticked in (("1", True), ("2", False), ("4", True), ("0", False)):
            start = page.index(f'name="mark-A-traits" value="{box}"')
            assert ("checked" in page[start : page.index("/>", start)]) is ticked
        assert 'data-criteria="[&quot;grade&quot;, &quot;polite&quot;, &quot;slip&quot;' in page
        assert "&quot;wish&quot;: &quot;TEXT&quot;" in page
        assert '<option value="4" selected>Twice' in sheet.content.decode()

    def test_have_a_tally_of_what_has_to_be_given(self, client, seat):
        draft(client, seat, {"mark/A/traits": "0", "text/A/wish": WISH})

        page = client.get(address(seat)).content.decode()

        assert "<b>1/5</b>" in page


class TestRows:
    def test_say_words_and_texts(self, seat):
        make.submit(seat)

        [first, *_rest] = [
            row for row in facts.rows(facts.facts([seat.round])) if row.criterion.key == "wish"
        ]
        words = {
            row.criterion.key: row.criterion.words(row.value)
            for row in facts.rows(facts.facts([seat.round]))
        }

        assert (first.text, first.value) == ("Rather 1.", None)
        assert words == {
            "grade": "Level 1",
            "polite": "Yes",
            "slip": "Fact",
            "traits": "Long",
            "minutes": "",
            "wish": "",
        }

    def test_need_no_more_queries_than_those_of_plain_levels_without_texts(
        self, seat, django_assert_num_queries
    ):
        make.submit(seat)
        known = facts.facts([seat.round])

        with django_assert_num_queries(2):  # the grades, and their texts
            list(facts.rows(known))
