import csv
import io
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation import models
from annotation.bank import operations as states
from annotation.bank.rules import Act
from annotation.inspection import operations as inspecting
from annotation.inspection import queries as inspection_figures
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nothing_kept():
    """Every test begins with ids that the one before it had, too."""
    inspection_figures._of_all_time.cache_clear()


def address(name, *more) -> str:
    return reverse(name, args=["northport", *more])


def shown(client, name="inspection_figures") -> str:
    return client.get(address(name), {"days": "all"}).content.decode()


def handed_in(n_returned: int, n_accepted: int) -> models.User:
    for _place in range(n_returned):
        make.question_version("RETURNED")
    for _place in range(n_accepted):
        make.question_version("ACCEPTED")
    return make.member(Role.DESIGNER)


class TestInspectionFigures:
    def test_says_when_there_is_nothing(self, client, curator):
        page = shown(client)

        assert "Nothing submitted yet" in page
        assert "in the last 90 days" not in page

    def test_shows_every_figure_with_what_it_rests_on(self, client, curator):
        handed_in(1, 2)
        make.question_version("SUBMITTED")

        page = shown(client)

        for words in ("33 %", "1 / 3", "67 %", "2 / 3", "median of 3"):
            assert words in page
        assert "the answer is wrong" in page

    def test_shows_others_only_their_own(self, client):
        handed_in(1, 0)
        other = make.member(Role.DESIGNER, username="other")
        make.question_version("SUBMITTED", author=other)
        client.force_login(other)

        page = shown(client)

        assert "Northport-Designer" not in page
        assert "Designers to retrain" not in page

    @pytest.mark.parametrize(
        ("days", "there"), [("", False), ("365", True), ("all", True), ("1 or 1", False)]
    )
    def test_go_back_as_far_as_somebody_asks(self, client, curator, days, there):
        handed_in(1, 0)
        with time_machine.travel(make.NOW + timedelta(days=200), tick=False):
            client.force_login(curator)
            page = client.get(address("inspection_figures"), {"days": days}).content.decode()

        assert ("<small>1 / 1</small>" in page) is there

    def test_of_all_time_follow_every_decision(self, client, curator):
        def figures():
            [found] = client.get(address("inspection_figures"), {"days": "all"}).context["lines"]
            return found["line"].figures

        version = make.question_version("SUBMITTED")
        assert (figures().n_submitted, figures().n_decided) == (1, 0)

        inspecting.inspect(
            version=version,
            verdict="RETURN",
            checked=make.checked(make.project(), failed=("correct",)),
            by=make.member(Role.INSPECTOR),
            now=make.NOW,
        )
        assert (figures().n_submitted, figures().n_returned) == (1, 1)

        make.question_version("SUBMITTED", author=version.author, external_id="second")
        assert (figures().n_submitted, figures().n_returned) == (2, 1)

    def test_of_all_time_are_not_counted_again_while_nothing_changes(self, client, curator):
        handed_in(1, 0)
        url = address("inspection_figures") + "?days=all"
        client.get(url)

        with CaptureQueriesContext(connection) as again:
            client.get(url)

        assert not [one for one in again.captured_queries if "waited" in one["sql"]]

    def test_can_be_taken_home_as_a_file(self, client, curator):
        designer = handed_in(1, 1)
        models.Person.objects.filter(user=designer).update(name="=1+1")

        text = client.get(address("inspection_figures_csv"), {"days": "all"}).content.decode()

        (row,) = csv.DictReader(io.StringIO(text))
        assert (row["designer"], row["return_rate"]) == ("'=1+1", "0.5000")
        assert (row["decided"], row["hours_to_decision_median"]) == ("2", "0.00")


class TestRetraining:
    def test_begins_above_the_limit_and_is_settled_with_a_note(self, client, curator):
        designer = handed_in(3, 2)
        assert "Returned: 3 / 5" in shown(client)
        settle = address("retraining_settle", designer.public_id)

        assert client.post(settle, {"note": ""}).status_code == 422
        sent = client.post(settle, {"note": "We went through the handbook."})

        assert sent.headers["Location"] == address("inspection_figures")
        page = shown(client)
        assert "Returned: 3 / 5" not in page
        assert "We went through the handbook." in page
        assert "Not on the list" in client.get(settle).content.decode()

    def test_follows_the_limit_of_the_project(self, client, curator):
        handed_in(3, 2)

        client.post(address("retraining_limit"), {"percent": "60"})
        assert "Returned: 3 / 5" not in shown(client)
        refused = client.post(address("retraining_limit"), {"percent": "0"})

        assert refused.status_code == 422
        assert models.RetrainingLimit.objects.count() == 1

    def test_names_the_question_that_was_invalidated(self, client, curator):
        version = make.question_version("ACCEPTED", external_id="Q77")
        states.change_life(
            question=version.question, act=Act.INVALIDATE, reason="Wrong.", by=curator, now=make.NOW
        )

        assert "Invalidated: Q77" in shown(client)


def lines_of(page: str) -> int:
    return page.count('name="text-')


def sent(*lines, base=1, act="save") -> dict[str, str]:
    """Return the form of the checklist as a browser sends it; a line is (key, text)."""
    form = {"base": str(base), "count": str(len(lines)), "act": act}
    for place, (key, text) in enumerate(lines):
        form |= {
            f"key-{place}": key,
            f"text-{place}": text,
            f"field-{place}": "answer",
            f"reason-{place}": "wrong",
        }
    return form


TWO = (("a", "First line"), ("b", "Second line"))


class TestChecklist:
    def test_shows_the_lines_to_inspectors_and_the_editor_to_curators(self, client, curator):
        assert lines_of(shown(client, "checklist")) == 14

        client.force_login(make.member(Role.INSPECTOR))
        page = shown(client, "checklist")
        assert lines_of(page) == 0
        assert "The difficulty fits its definition" in page

    @pytest.mark.parametrize(
        ("act", "order"),
        [
            ("up:1", ["Second line", "First line"]),
            ("down:0", ["Second line", "First line"]),
            ("up:0", ["First line", "Second line"]),
            ("drop:0", ["Second line"]),
            ("drop:9", ["First line", "Second line"]),
            ("nonsense:0", ["First line", "Second line"]),
        ],
    )
    def test_moves_lines_without_saving(self, client, curator, act, order):
        shown(client, "checklist")

        page = client.post(address("checklist"), sent(*TWO, act=act)).content.decode()

        places = [page.index(f'value="{text}"') for text in order]
        assert places == sorted(places)
        assert lines_of(page) == len(order)
        assert models.Checklist.objects.count() == 1

    def test_adds_a_line_and_makes_a_key_for_it(self, client, curator):
        shown(client, "checklist")
        page = client.post(address("checklist"), sent(*TWO, act="add")).content.decode()
        assert lines_of(page) == 3

        client.post(address("checklist"), sent(*TWO, ("", "First line"), ("", "First line")))

        made = models.Checklist.objects.get(number=2)
        assert [row["key"] for row in made.lines] == ["a", "b", "first-line", "first-line-2"]

    def test_shows_what_changed_between_versions(self, client, curator):
        shown(client, "checklist")
        client.post(address("checklist"), sent(*TWO))
        client.post(address("checklist"), sent(TWO[1], ("a", "First new line"), base=2))

        page = shown(client, "checklist")

        assert "Version 3" in page
        assert "Reordered." in page
        assert "new " in page.split("<ins>")[1]

    @pytest.mark.parametrize(
        ("lines", "base", "words"),
        [
            ((("a", ""),), 1, "Write what is checked"),
            ((), 1, "at least one line"),
            (TWO, 7, None),
            ((("x", "Other line"),), 2, "Somebody else has changed the checklist"),
        ],
    )
    def test_says_what_is_wrong(self, client, curator, lines, base, words):
        shown(client, "checklist")
        if base == 2:
            client.post(address("checklist"), sent(*TWO))
            base = 1
        page = client.post(address("checklist"), sent(*lines, base=base))

        assert page.status_code == (302 if words is None else 422)
        if words:
            assert words in page.content.decode()
