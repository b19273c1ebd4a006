"""Systems are asked over HTTP, what they answer is graded blind, and each failure is counted where it belongs."""

from collections import Counter

import pytest
from django.test import Client

from annotation import models
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening
from annotation.systems.models import Response
from scoring.endpoints.models import Endpoint
from scoring.engine import requests as control
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import Run, Step
from scoring.engine.pacing import Patience
from scoring.publishing import operations as publishing
from tests import make
from tests.scoring import connected, running
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
QUICK = Means(patience=Patience(first_wait=0.01, longest_wait=0.05))
TURNS = [{"role": "user", "content": "First: what is a berth?"}]


def asked(served: serving.Served, n_items: int) -> Run:
    """Return a run that asks Kestrel over HTTP; every third question is a script of two turns."""
    endpoint = connected.endpoint(
        "Over HTTP", kind=Endpoint.Kind.SERVER, url=served.url, model_name="scripted", timeout=1
    )
    connected.connection(make.release("Kestrel"), to=endpoint, max_tokens=60)
    for number in range(n_items):
        earlier = TURNS if number % 3 == 0 else ()
        make.item(f"Q{number:02}", question=f"What is meant by {number}?", earlier=earlier)
    return connected.request()


@pytest.mark.nightly
def test_a_server_that_fails_never_makes_an_answer_of_it(settings):
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    faults = {"429": 0.2, "500": 0.1, "garbage": 0.05, "truncated": 0.1, "drop": 0.03, "seed": 3}
    with serving.in_thread({"empty": 0.1, "filtered": 0.1, "seed": 5}, faults) as served:
        run = asked(served, 30)
        working.work(run.pk, running.clock, QUICK)
        if Step.objects.filter(run=run, state=Step.State.FAILED).exists():
            control.retry_failed(run=run, user=None, now=make.NOW)
            working.work(run.pk, running.clock, QUICK)

    outcomes = Counter(run.steps.values_list("outcome", flat=True))
    assert outcomes[Step.Outcome.SYSTEM_FAILED] > 0
    assert outcomes[Step.Outcome.OK] > 0
    kept = list(Response.objects.all())
    assert len(kept) == outcomes[Step.Outcome.OK] + outcomes[Step.Outcome.SYSTEM_FAILED]
    silent = [one for one in kept if not one.messages[-1]["content"]]
    assert {one.details["failed"] for one in silent} == {"EMPTY", "FILTERED"}
    assert len(silent) == outcomes[Step.Outcome.SYSTEM_FAILED]
    assert not any("failed" in one.details for one in kept if one not in silent)
    # A reply that was cut off before its first word is a failure, not a shortened answer.
    cut = run.calls.filter(reply__finish="length", step__outcome=Step.Outcome.OK)
    shortened = cut.values("step").distinct().count()
    assert sum(one.details["truncated"] for one in kept) == shortened > 0


class TestWhatMachinesMade:
    def test_is_graded_blind_by_people(self):
        home = make.project()
        for name in ("Kestrel", "Heron"):
            connected.connection(make.release(name))
        for number in range(4):
            make.item(f"Q{number}", question=f"What is meant by {number}?")
        run = connected.done(connected.request())
        round_ = publishing.publish_for_rating(
            project=home,
            key=home.memberships.earliest("pk").user.public_id,
            source=publishing.source_of(run),
            wish=publishing.PublishWish(
                name="Rated by people",
                rubric=make.rubric_version(),
                seed="a seed",
                secret=make.SECRET,
                n=2,
            ),
            user=connected.owner(home),
            by_owner=False,
            now=make.NOW,
        )
        self._opened(round_)

        seat = make.claim(round_)
        client = Client()
        client.force_login(make.account(make.annotators(round_)[0]))
        page = client.get(f"/p/northport/grade/{seat.token}/").content.decode()
        make.submit(seat, 2)

        assert models.Grade.objects.count() == 2
        for telling in ("Kestrel", "Heron", "cripted", "GENERATED", run.name):
            assert telling not in page
        for slot in seat.slots.select_related("round_response__response"):
            assert slot.round_response.response.details["run"] == run.number

    def _opened(self, round_: models.Round) -> None:
        users = [make.member(Role.ANNOTATOR, username=f"ann-{n}") for n in (1, 2, 3)]
        by = round_.created_by
        drafting.invite(round_=round_, users=users, by=by, by_owner=True, now=make.NOW, override="")
        drawing.prepare(round_=round_, now=make.NOW)
        opening.request_opening(round_=round_, by=by, now=make.NOW)
        opening.open_round(round_=round_, now=make.NOW)
        round_.refresh_from_db()
