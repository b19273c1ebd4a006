"""A report is read by link, without an account: what it shows, how long, and what ends it."""

import re
from datetime import timedelta

import pytest
from django.db.models import Value
from django.db.models.functions import Concat
from django.urls import reverse
from django.utils import timezone

from annotation.people.models import AuditEvent, Membership, Rater, RaterKind, Role
from annotation.people.permissions import Scope
from annotation.rounds import drafting as unblinding
from annotation.rounds.models import Round
from scoring.figures import labels
from scoring.figures.models import Figure
from scoring.report import sharing
from scoring.report.models import ReportLink
from tests import make
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def links():
    return reverse("report_links", args=["northport", 1])


@pytest.fixture
def owner():
    rounds.graded(n_items=8)
    found = make.project().memberships.get(role=Role.OWNER).user
    unblinding.show_names(round_=Round.objects.get(), by=found, now=timezone.now())
    return found


def scope(owner):
    return Scope(make.project(), owner, frozenset({Role.OWNER}))


def shared(owner, **given):
    mine = labels.allowed(scope(owner), 1)
    wish = sharing.ReportShare(**{"whom": "The board", "days": 30, "names": True} | given)
    return sharing.share(mine=mine, wish=wish, query={}, by=owner, now=timezone.now())


def opened(client, token):
    answer = client.get(reverse("report_shared", args=[token]))
    if "Refresh" in answer:
        compute()
        answer = client.get(reverse("report_shared", args=[token]))
    return answer


class TestALink:
    def test_shows_the_report_to_whoever_has_it_and_nothing_else(self, owner, client):
        link, token = shared(owner)

        page = opened(client, token)

        text = page.content.decode()
        assert page.status_code == 200
        assert "Report of round 1" in text
        assert "Kestrel" in text
        assert page["X-Robots-Tag"] == "noindex, nofollow"
        assert page["Referrer-Policy"] == "no-referrer"
        assert not re.search(r'href="/p/', text)
        assert client.get("/p/northport/").status_code == 302
        link.refresh_from_db()
        assert link.n_seen == 1

    def test_keeps_systems_as_letters_and_annotators_out_where_it_is_wished(self, owner, client):
        _link, token = shared(owner, names=False, annotators="none")

        text = opened(client, token).content.decode()

        assert "Kestrel" not in text
        assert "Annotator 1" not in text

    def test_keeps_the_names_of_an_imported_round_where_it_is_wished(self, owner, client):
        Round.objects.update(kind=Round.Kind.IMPORTED)
        Rater.objects.update(kind=RaterKind.IMPORTED, user=None, ref=Concat(Value("ann-"), "pk"))
        _link, token = shared(owner, names=False, annotators="numbers")

        text = opened(client, token).content.decode()

        assert "Kestrel" not in text
        assert "ann-" not in text
        assert re.search(r"Annotator \d", text)

    def test_says_that_its_figures_will_not_come(self, owner, client):
        _link, token = shared(owner)
        client.get(reverse("report_shared", args=[token]))
        Figure.objects.update(state=Figure.State.FAILED)

        answer = client.get(reverse("report_shared", args=[token]))

        assert "could not be computed" in answer.content.decode()
        assert "Refresh" not in answer

    @pytest.mark.parametrize("ends", ["revoked", "expired", "no owner", "account ended", "wrong"])
    def test_ends(self, owner, client, ends, monkeypatch):
        link, token = shared(owner)
        if ends == "revoked":
            sharing.revoke(link=link, by=owner, now=timezone.now())
        elif ends == "expired":
            ReportLink.objects.update(expires_at=timezone.now() - timedelta(days=1))
        elif ends == "no owner":
            Membership.objects.filter(user=owner, role=Role.OWNER).update(ended_at=make.NOW)
        elif ends == "account ended":
            type(owner).objects.filter(pk=owner.pk).update(is_active=False)
        else:
            token = token[:-1] + ("a" if token[-1] != "a" else "b")

        answer = client.get(reverse("report_shared", args=[token]))

        assert answer.status_code == 404
        assert "This link does not work" in answer.content.decode()

    def test_is_written_down_when_it_is_made_and_taken_back(self, owner):
        link, _token = shared(owner)
        sharing.revoke(link=link, by=owner, now=timezone.now())

        verbs = AuditEvent.objects.filter(subject=f"report_link:{link.pk}").order_by("pk")
        assert [one.verb for one in verbs] == ["report.shared", "report.link_revoked"]

    def test_is_taken_back_once(self, owner):
        link, _token = shared(owner)
        sharing.revoke(link=link, by=owner, now=timezone.now())

        with pytest.raises(sharing.LinkNotOpen):
            sharing.revoke(link=link, by=owner, now=timezone.now())


class TestShare:
    def test_refuses_a_round_that_is_not_final(self, owner):
        rounds.graded(number=2, state="REVIEW")
        mine = labels.allowed(scope(owner), 2)

        with pytest.raises(sharing.NotFinal):
            sharing.share(
                mine=mine,
                wish=sharing.ReportShare(whom="x"),
                query={},
                by=owner,
                now=timezone.now(),
            )

    def test_refuses_names_that_the_owner_has_hidden(self):
        rounds.graded(n_items=8)
        owner = make.project().memberships.get(role=Role.OWNER).user

        with pytest.raises(sharing.NamesNotSeen):
            shared(owner)


class TestThePage:
    def test_makes_a_link_that_is_shown_once_and_lists_it(self, owner, client):
        client.force_login(owner)

        made = client.post(links(), {"whom": "The board", "days": 7, "annotators": "none"})
        page = made.content.decode()
        url = re.search(r'value="(http[^"]*/shared/[^"]+/)"', page)[1]
        again = client.get(links()).content.decode()

        assert "The board" in again
        assert url not in again
        client.logout()
        assert "Report of round 1" in opened(client, url.split("/")[-2]).content.decode()

    def test_offers_names_to_whom_they_are_shown(self, owner, client):
        client.force_login(owner)

        assert client.get(links()).context["form"]["names"].value() is True

    def test_offers_numbers_to_whom_names_are_hidden(self, client):
        rounds.graded(n_items=8)
        client.force_login(make.project().memberships.get(role=Role.OWNER).user)

        assert client.get(links()).context["form"]["names"].value() is False

    def test_takes_a_link_back(self, owner, client):
        link, _token = shared(owner)
        client.force_login(owner)

        client.post(f"{links()}{link.pk}/revoke/")

        link.refresh_from_db()
        assert link.revoked_at is not None

    def test_says_what_is_missing(self, owner, client):
        client.force_login(owner)

        answer = client.post(links(), {"whom": "", "days": 400, "annotators": "none"})

        assert answer.status_code == 422
        assert not ReportLink.objects.exists()


class TestTheApi:
    def test_makes_lists_and_takes_back(self, owner, client):
        client.force_login(owner)
        url = "/api/v1/projects/northport/rounds/1/report/links/"

        made = client.post(url, {"whom": "Board", "days": 7}, content_type="application/json")
        listed = client.get(url).json()["results"]
        back = client.post(f"{url}{made.json()['id']}/revoke/", content_type="application/json")

        assert made.status_code == 201
        assert "/shared/" in made.json()["url"]
        assert [(one["whom"], one["works"], one["names"]) for one in listed] == [
            ("Board", True, True)
        ]
        assert "url" not in listed[0]
        assert back.json()["works"] is False
