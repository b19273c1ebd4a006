"""What the study sheet of a round says, and what people say of their study."""

import json

import pytest

from annotation.grading.models import Invalidation
from annotation.people.models import AuditEvent, Role
from annotation.people.operations import ChangedMeanwhile
from annotation.rounds import drafting as unblinding
from annotation.rounds.models import Round
from evalsite.records import parts
from scoring.study import operations, queries
from scoring.study.models import StudyAnswers
from scoring.study.records import PARTS, Study
from tests import make
from tests.scoring import machines, paired, preferred, rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
AT = "/p/northport/rounds/1/study"
API = "/api/v1/projects/northport/rounds/1/study"


@pytest.fixture
def owner(client):
    found = make.member(Role.OWNER, username="ines")
    client.force_login(found)
    return found


def final(client, **wanted):
    """Return a final round whose sheet is computed."""
    round_ = rounds.graded(n_items=4, **wanted)
    client.get(f"{AT}/")
    compute()
    return round_


def sheet(client):
    """Return the lines of the sheet by their keys."""
    said = client.get(f"{API}/").json()
    return {line["key"]: line for part in said["parts"] for line in part["lines"]}


class TestTheSheet:
    def test_says_what_is_known_and_what_nobody_said(self, client, owner):
        final(client)

        lines = sheet(client)

        assert lines["questions"]["text"] == "4 normal"
        assert lines["n"]["text"] == "3"
        assert lines["seats"]["text"].startswith("3 a question; 12 of 12")
        assert (lines["pay"]["text"], lines["pay"]["source"]) == ("not said", "not_said")

    def test_of_pairs_counts_each_answer_once_and_names_its_own_judges(self, client, owner):
        round_ = preferred.chosen(n_items=2)
        rows = [f"P1-{n},{name},{n}" for n in range(2) for name in ("Kestrel", "Harbour", "Tern")]
        machines.brought("\n".join(["item,system,good_grade", *rows, ""]))
        run = paired.done(round_)
        client.get(f"{AT}/")
        compute()

        said = client.get(f"{API}/").json()
        lines = {line["key"]: line for part in said["parts"] for line in part["lines"]}

        assert lines["answers"]["text"] == "6"
        assert [one["title"] for key, one in lines.items() if key.startswith("judge-")] == ["Judge"]
        assert run.round == round_
        assert "1 – 6" not in client.get(f"{AT}/").content.decode()

    def test_is_the_same_as_page_markdown_and_json(self, client, owner):
        final(client)

        page = client.get(f"{AT}/").content.decode()
        text = b"".join(client.get(f"{AT}.md")).decode()
        data = client.get(f"{API}/").json()

        for part in data["parts"]:
            assert f"<h2>{part['title']}</h2>" in page
            assert f"## {part['title']}" in text
        assert b"".join(client.get(f"{API}.md")).decode() == text

    def test_holds_the_rubric_in_full(self, client, owner):
        final(client)

        (part,) = [one for one in client.get(f"{API}/").json()["parts"] if one["key"] == "criteria"]

        assert [row[2] for table in part["tables"] for row in table["rows"]] == ["0", "1", "2"]

    def test_says_why_something_does_not_count_and_names_nobody(self, client, owner):
        round_ = final(client)
        place = round_.items.first()
        Invalidation.objects.create(
            round=round_,
            kind="QUESTION",
            item=place.item,
            reason="northport-annotator-0 leaked Kestrel",
            by=owner,
            at=make.NOW,
        )
        client.get(f"{AT}/")
        compute()

        said = json.dumps(client.get(f"{API}/").json())

        assert "an annotator leaked System" in said
        assert "northport-annotator-0" not in said

    def test_names_systems_only_to_whoever_has_them_shown(self, client, owner):
        round_ = final(client)
        say(round_.project, owner, purpose="Is KESTREL better than Harbour?")
        hidden = client.get(f"{AT}/").content.decode(), client.get(f"{API}/").content.decode()
        unblinding.show_names(round_=round_, by=owner, now=make.NOW)

        shown = client.get(f"{AT}/").content.decode()

        for text in hidden:
            assert "kestrel" not in text.casefold()
        assert "Is KESTREL better than Harbour?" in shown

    def test_keeps_markup_of_people_out_of_markdown(self, client, owner):
        round_ = final(client)
        say(round_.project, owner, purpose="# Ten | *points*\n<b>")

        text = b"".join(client.get(f"{AT}.md")).decode()

        assert r"\# Ten \| \*points\* \<b\>" in text

    def test_is_there_once_the_round_is_final(self, client, owner):
        rounds.graded(n_items=2, state="REVIEW")

        assert "once the round is final" in client.get(f"{AT}/").content.decode()
        assert client.get(f"{AT}.md").status_code == 302
        answer = client.get(f"{API}/")
        assert (answer.status_code, answer.json()["code"]) == (409, "round_not_final")

    def test_waits_for_its_figures(self, client, owner):
        rounds.graded(n_items=2)

        assert "being computed" in client.get(f"{AT}/").content.decode()
        assert client.get(f"{AT}/bundle.zip").status_code == 302
        assert client.get(f"{API}/bundle.zip").status_code == 202

    def test_is_found_from_report_and_round(self, client, owner):
        final(client)

        for page in ("results/report/", ""):
            assert f'href="{AT}/"' in client.get(f"/p/northport/rounds/1/{page}").content.decode()

    def test_gives_the_bundle_and_writes_down_who_took_it(self, client, owner):
        final(client)

        data = b"".join(client.get(f"{AT}/bundle.zip?texts=1"))

        assert data.startswith(b"PK")
        event = AuditEvent.objects.filter(verb="round.exported").latest("pk")
        assert event.data["form"] == "bundle.zip"


def say(project, by, round_=None, base=0, **answers):
    return operations.answer(
        project=project, round_=round_, study=Study(**answers), base=base, by=by, now=make.NOW
    )


class TestAnswers:
    def test_of_a_round_stand_before_those_of_the_project(self, client, owner):
        round_ = final(client)
        say(round_.project, owner, pay="by the hour", consent="in writing")
        say(round_.project, owner, round_, pay="none")

        lines = sheet(client)

        assert lines["pay"]["text"] == "none"
        assert (lines["consent"]["text"], lines["consent"]["source"]) == ("in writing", "said")

    def test_are_added_never_overwritten(self, owner):
        project = make.project()

        assert say(project, owner, pay="none")
        assert not say(project, owner, base=1, pay="none")
        assert say(project, owner, base=1, pay="by the hour")

        assert [one.body for one in StudyAnswers.objects.order_by("number")] == [
            {"pay": "none"},
            {"pay": "by the hour"},
        ]
        assert AuditEvent.objects.filter(verb="study.answered").count() == 2

    def test_refuse_a_stale_page(self, owner):
        project = make.project()
        say(project, owner, pay="none")

        with pytest.raises(ChangedMeanwhile):
            say(project, owner, pay="by the hour")

        assert queries.said_of(project, None).pay == "none"

    def test_are_given_on_a_page(self, client, owner):
        rounds.graded(n_items=1)

        client.post("/p/northport/settings/study/", {"base": 0, "pay": "by the hour"})
        answer = client.post(f"{AT}/edit/", {"base": 0, "ethics": "not needed"})

        project = Round.objects.get().project
        assert answer.status_code == 302
        assert queries.said_of(project, None) == Study(pay="by the hour")
        assert queries.said_of(project, Round.objects.get()) == Study(ethics="not needed")
        assert 'placeholder="by the hour"' in client.get(f"{AT}/edit/").content.decode()

    def test_are_given_by_programs(self, client, owner):
        rounds.graded(n_items=1)
        sent = {"base": 0, "pay": "by the hour"}
        url = "/api/v1/projects/northport/settings/study/"

        made = client.post(url, sent, content_type="application/json")
        stale = client.post(url, sent, content_type="application/json")
        kept = client.post(
            url, {"base": 1, "consent": "in writing"}, content_type="application/json"
        )

        assert (made.status_code, made.json()["version"]) == (200, 1)
        assert stale.status_code == 409
        assert (kept.json()["pay"], kept.json()["consent"]) == ("by the hour", "in writing")

    def test_each_stand_in_one_part_of_the_sheet(self):
        placed = [name for names in PARTS.values() for name in names]

        assert sorted(placed) == sorted(one.name for one in parts(Study))
