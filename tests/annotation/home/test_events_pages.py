import json

import pytest
from django.urls import reverse

from annotation import models
from annotation.people import audit
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client):
    made = make.project()
    client.force_login(make.user("northport-owner"))
    return made


def record(project: models.Project, n: int = 0, verb: str = "thing.done", note: str = "") -> None:
    audit.record(
        project=project,
        actor=make.member(Role.CURATOR),
        verb=verb,
        subject=f"thing:{n}",
        at=make.at(n),
        note=note,
    )


class TestAudit:
    def test_keeps_names_of_another_direction_apart(self, client, project):
        who = make.member(Role.ANNOTATOR)
        models.Person.objects.filter(user=who).update(name="\u05d3\u05d5\u05d3 2")
        audit.record(
            project=project,
            actor=who,
            verb="thing.done",
            subject="thing:1",
            at=make.NOW,
            annotators=[str(who.public_id), "Kestrel"],
        )

        page = client.get(reverse("audit", args=["northport"])).content.decode()

        assert "\u2068\u05d3\u05d5\u05d3 2\u2069, Kestrel" in page

    def test_names_people_as_they_are_called_now(self, client, project):
        record(project)
        models.Person.objects.update(name="Lena Voss")

        page = client.get(reverse("audit", args=["northport"])).content.decode()

        assert "thing 0" in page
        assert "Lena Voss" in page

    def test_says_what_was_done_in_words(self, client, project):
        curator = make.member(Role.CURATOR)
        audit.record(
            project=project,
            actor=curator,
            verb="round.annotators_chosen",
            subject="round:3",
            at=make.NOW,
            annotators=[str(curator.public_id)],
            how="BY_LOT",
            name="BLOOM",
            roles=["ANALYST"],
            day=None,
            n_seats=3,
            late=False,
            counts={"items": 3},
            quotas={},
            preference="EQUAL",
            rubrics={"None": 4},
            manifest="0123456789abcdef" * 4,
        )

        page = client.get(reverse("audit", args=["northport"]))

        line = next(one for one in page.context["lines"] if one.event.subject == "round:3")
        assert (line.deed, line.subject) == ("Round: annotators chosen", "round 3")
        # A database may keep what an event says in an order of its own.
        assert sorted(line.details) == sorted(
            [
                ("annotators", str(curator.display_name)),
                ("how", "by lot"),
                ("name", "BLOOM"),
                ("roles", "analyst"),
                ("day", "–"),
                ("seats", "3"),
                ("late", "no"),
                ("counts", "items 3"),
                ("preference", "equal"),
                ("rubrics", "the rest 4"),
                ("manifest", "0123456789ab…"),
            ]
        )
        assert reverse("round", args=["northport", 3]) in page.content.decode()

    @pytest.mark.parametrize(
        "query", [{"verb": "other.done"}, {"actor": "curator"}, {"actor": "nobody"}]
    )
    def test_is_filtered_by_what_stands_in_the_url(self, client, project, query):
        record(project, 7)

        page = client.get(reverse("audit", args=["northport"]), query).content.decode()

        assert ("thing 7" in page) == (query != {"actor": "nobody"})

    def test_checks_the_chain_when_asked(self, client, project):
        record(project)
        audit.seal()
        url = reverse("audit", args=["northport"])

        assert "intact" not in client.get(url).content.decode()
        assert "The chain is intact" in client.get(url, {"check": "1"}).content.decode()

        models.AuditEvent.objects.filter(project=project, seq=2).update(verb="nothing.done")

        assert "The chain is broken" in client.get(url, {"check": "1"}).content.decode()

    def test_leads_to_the_next_page(self, client, project):
        for n in range(60):
            record(project, n)
        url = reverse("audit", args=["northport"])

        first = client.get(url)
        second = client.get(url + first.context["next_url"]).content.decode()

        assert "thing 59" not in second
        assert "thing 1<" in second


class TestAuditJsonl:
    def test_sends_every_event_in_order_without_names(self, client, project):
        record(project, 1, note="because")
        audit.seal()

        answer = client.get(reverse("audit_jsonl", args=["northport"]))

        lines = [json.loads(line) for line in answer.getvalue().decode().splitlines()]
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        assert lines[-1]["note"] == "because"
        assert "northport-curator" not in answer.getvalue().decode()
