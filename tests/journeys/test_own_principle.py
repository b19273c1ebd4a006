"""A question's own rubric and principle: from the editor through inspection and draw to the annotator."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening
from tests import make

pytestmark = pytest.mark.django_db

OWN = "Only the **carrier's** duty counts here."


def signed_in(user: models.User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def address(name: str, *args: Any) -> str:
    return reverse(name, args=["northport", *args])


def written(asked: str, capability: models.Capability, principle: str = "") -> models.Item:
    """Write a question in the editor and accept it on the inspector's page; return its item."""
    editor = signed_in(make.member(Role.DESIGNER))
    sent = editor.post(
        address("question_new"),
        {
            "role": "user",
            "content": asked,
            "answer": "The carrier.",
            "source": make.source_version().pk,
            "locator": "p. 3",
            "capability": capability.pk,
            "difficulty": "SIMPLE",
            "principle": principle,
            "act": "submit",
        },
    )
    assert sent.status_code == 302, sent.content
    version = models.QuestionVersion.objects.latest("pk")
    inspector = signed_in(make.member(Role.INSPECTOR))
    outcomes = {f"outcome-{one.line}": one.outcome for one in make.checked(make.project())}
    page = address("inspection", version.pk)
    assert (OWN.partition("*")[0] in inspector.get(page).content.decode()) is bool(principle)
    assert inspector.post(page, {**outcomes, "verdict": "ACCEPT"}).status_code == 302
    return models.Item.objects.get(question_version=version)


@pytest.fixture
def round_() -> models.Round:
    """Return an open round with two questions of two capabilities, one with a principle of its own."""
    home = make.project()
    owner = home.memberships.get(role=Role.OWNER).user
    duty = models.Capability.objects.create(
        project=home, name="Duties", rubric=make.rubric_version("duties", criteria=["duty"]).rubric
    )
    items = [
        written("Who loads the goods?", duty, OWN),
        written("What is a quay?", make.capability()),
    ]
    releases = [make.release(name) for name in make.SYSTEMS[:2]]
    for item in items:
        for place, release in enumerate(releases):
            make.response(item, release, f"An answer, told in way {place}.")
    made = drafting.create_round(
        project=home, name="A round", seed="a seed", secret=make.SECRET, by=owner, now=make.NOW
    )
    given: dict[str, Any] = {"round_": made, "by": owner, "now": make.NOW}
    settings = drafting.RoundSettings(name="A round", n_seats=1, seats_override="A test.")
    drafting.configure(settings=settings, by_owner=True, **given)
    drafting.choose_releases(releases=releases, **given)
    drafting.choose_rubrics(
        by_capability={duty: make.rubric_version("duties")}, rest=make.rubric_version(), **given
    )
    drafting.choose_draw(draw=drafting.Draw(n_items=2), **given)
    annotator = make.member(Role.ANNOTATOR, username="ann-1")
    drafting.invite(users=[annotator], by_owner=True, override="", **given)
    drawing.prepare(round_=made, now=make.NOW)
    opening.request_opening(**given)
    opening.open_round(round_=made, now=make.NOW)
    return made


class TestAnAnnotator:
    def test_grades_each_question_by_its_own_rubric_and_principle(self, round_):
        annotator = signed_in(make.account(make.annotators(round_)[0]))
        seat = make.claim(round_)
        page = annotator.get(address("grade", seat.token)).content.decode()
        ahead = annotator.post(address("grade_ahead", seat.token)).json()["desks"]
        desks = [page, *map(json.dumps, ahead)]

        [own] = [one for one in desks if "Who loads the goods?" in one]
        [other] = [one for one in desks if "What is a quay?" in one]

        assert (
            "carrier&#x27;s</strong> duty counts" in own or "carrier's</strong> duty counts" in own
        )
        assert "Wrong is 0." not in own
        assert "mark-A-duty" in own
        assert "duty counts" not in other
        assert "Wrong is 0." in other
        assert "mark-A-grade" in other

    def test_keeps_the_principle_though_the_question_gets_another_one(self, round_):
        version = models.QuestionVersion.objects.get(principle=OWN)
        editor = signed_in(version.author)
        editor.post(address("question", version.question_id), {"act": "revise"})
        newer = models.QuestionVersion.objects.get(number=2)
        assert newer.principle == OWN
        models.QuestionVersion.objects.filter(pk=newer.pk).update(principle="Anything goes.")

        annotator = signed_in(make.account(make.annotators(round_)[0]))
        seat = make.claim(round_)
        said = annotator.get(address("grade", seat.token)).content.decode()
        said += json.dumps(annotator.post(address("grade_ahead", seat.token)).json())

        assert "duty counts" in said
        assert "Anything goes." not in said
