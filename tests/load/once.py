"""The same thing asked for by many at once: `python -m tests.load.once <deed> <json>`.

Every thread has a connection of its own, as each request of a web server has; all reach for the same
thing at the same moment.
"""

import json
import sys
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import django

KEY = uuid.UUID(int=77)
N_UNITS = 6


def prepare(_plan: dict[str, Any]) -> dict[str, Any]:
    """Make what they reach for; return what finds it again."""
    from annotation.grading import seating
    from annotation.rounds import opening
    from tests import make
    from tests.scoring import connected, running

    round_ = make.open_round(n_items=2)
    seats = [
        seating.claim_next(round_=round_, rater=rater, now=make.NOW).pk
        for rater in make.annotators(round_)[:2]
    ]
    to_open = make.draft_round(in_=make.project("opening"))
    opening.request_opening(round_=to_open, by=to_open.created_by, now=make.NOW)
    home = make.project("publishing")
    connected.owner(home)
    make.member("ANNOTATOR", in_=home)
    running.register()
    return {
        "seats": seats,
        "to_open": to_open.pk,
        "home": home.pk,
        "release": make.release("Kestrel", in_=home).pk,
        "rubric": make.rubric_version(in_=home).pk,
        "endpoint": running.endpoint().pk,
        "owner": make.user("ines").pk,
        "keyed_by": make.member("CURATOR", in_=make.project("keyed")).pk,
    }


def submit(plan: dict[str, Any], _own: uuid.UUID) -> str:
    """Send one and the same request."""
    return _sent(plan["seats"][0], KEY)


def submit_apart(plan: dict[str, Any], own: uuid.UUID) -> str:
    """Send from tabs of one's own, all of which were drawn before any was sent."""
    return _sent(plan["seats"][1], own)


def _sent(seat_pk: int, op_id: uuid.UUID) -> str:
    from annotation.grading import operations as grading
    from annotation.rounds.models import Assignment
    from tests import make

    seat = Assignment.objects.select_related("rater").get(pk=seat_pk)
    receipt = grading.submit_grades(
        token=seat.token,
        rater=seat.rater,
        marks=make.marks(seat, 1),
        comments={},
        base_rev=0,
        op_id=op_id,
        now=make.NOW,
    )
    return repr(receipt)


def open_round(plan: dict[str, Any], _own: uuid.UUID) -> str:
    from annotation.rounds import opening
    from annotation.rounds.models import Round
    from tests import make

    return str(opening.open_round(round_=Round.objects.get(pk=plan["to_open"]), now=make.NOW))


def publish(plan: dict[str, Any], _own: uuid.UUID) -> str:
    return _published(plan, KEY)


def publish_apart(plan: dict[str, Any], own: uuid.UUID) -> str:
    return _published(plan, own)


def _published(plan: dict[str, Any], key: uuid.UUID) -> str:
    from annotation.people.models import Project
    from annotation.rubrics.models import RubricVersion
    from annotation.systems.rules import Output, Unit
    from scoring.publishing import operations as publishing
    from tests import make
    from tests.scoring import connected

    home = Project.objects.get(pk=plan["home"])
    units = [
        Unit(
            f"dialogue-{number}",
            [Output(plan["release"], [{"role": "assistant", "content": f"{number}."}], "DIALOGUE")],
            messages=[{"role": "user", "content": "Which?"}],
        )
        for number in range(N_UNITS)
    ]
    wish = publishing.PublishWish(
        name="Rated by people",
        rubric=RubricVersion.objects.get(pk=plan["rubric"]),
        seed="a seed",
        secret=make.SECRET,
    )
    round_ = publishing.publish_for_rating(
        project=home,
        key=key,
        source=publishing.PublishSource(units),
        wish=wish,
        user=connected.owner(home),
        by_owner=False,
        now=make.NOW,
    )
    return str(round_.number)


def request_run(plan: dict[str, Any], _own: uuid.UUID) -> str:
    from tests.scoring import running

    return str(running.requested(1, endpoint=plan["endpoint"]).number)


def keyed(plan: dict[str, Any], _own: uuid.UUID) -> str:
    """Send one and the same request of the API under one key, again while it is worked on."""
    return _asked(plan, "k-1", "Harbours")


def keyed_apart(plan: dict[str, Any], own: uuid.UUID) -> str:
    """Send a request of one's own under a key that everybody uses."""
    return _asked(plan, "k-2", f"Harbour {own}")


def _asked(plan: dict[str, Any], key: str, name: str) -> str:
    from django.test import Client

    from annotation.people.models import User

    client = Client(headers={"Host": "localhost", "Idempotency-Key": key})
    client.force_login(User.objects.get(pk=plan["keyed_by"]))
    sent = {"name": name, "priority": "P0"}
    for _try in range(200):
        answer = client.post(
            "/api/v1/projects/keyed/domains/", sent, content_type="application/json"
        )
        said = answer.json()
        if said.get("code") != "in_progress":
            return f"refused: {said['code']}" if "code" in said else f"{answer.status_code} {said}"
        time.sleep(0.05)
    return "never answered"


def check(plan: dict[str, Any]) -> dict[str, Any]:
    """Count what there is in the end."""
    from annotation.domains.models import Domain
    from annotation.grading.models import Grade
    from annotation.people.models import KeptAnswer
    from annotation.rounds.models import Assignment, Receipt, Round
    from annotation.systems.models import Item, Response
    from scoring.engine.models import Run
    from scoring.publishing.models import Publication

    seats = plan["seats"]
    home = plan["home"]
    return {
        "receipts": [Receipt.objects.filter(assignment=one).count() for one in seats],
        "grades": [Grade.objects.filter(assignment=one).count() for one in seats],
        "slots": [Assignment.objects.get(pk=one).slots.count() for one in seats],
        "opened": Round.objects.get(pk=plan["to_open"]).state,
        "seats": Assignment.objects.filter(round=plan["to_open"]).count(),
        "numbers": sorted(Round.objects.filter(project=home).values_list("number", flat=True)),
        "publications": Publication.objects.filter(project=home, key=KEY).count(),
        "items": Item.objects.filter(project=home).count(),
        "responses": Response.objects.filter(item__project=home).count(),
        "runs": Run.objects.count(),
        "harbours": Domain.objects.filter(project__slug="keyed", name="Harbours").count(),
        "harbours_apart": Domain.objects.filter(name__startswith="Harbour ").count(),
        "answers": KeptAnswer.objects.filter(status=201).count(),
    }


RACES: dict[str, Callable[[dict[str, Any], uuid.UUID], str]] = {
    "submit": submit,
    "submit_apart": submit_apart,
    "open_round": open_round,
    "publish": publish,
    "publish_apart": publish_apart,
    "request_run": request_run,
    "keyed": keyed,
    "keyed_apart": keyed_apart,
}
#: Seconds between two races, so that those who are early wait for the others.
GAP = 4.0


def race(plan: dict[str, Any]) -> dict[str, list[str]]:
    """Run all races with so many threads; return what each of them was told."""
    from tests.scoring import running

    running.register()
    told: dict[str, list[str]] = {}
    for place, (name, deed) in enumerate(RACES.items()):
        time.sleep(max(0.0, plan["began"] + place * GAP - time.time()))
        told[name] = []
        gate = threading.Barrier(plan["threads"])
        threads = [
            threading.Thread(target=_one, args=(deed, plan, gate, told[name]))
            for _thread in range(plan["threads"])
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return told


def _one(
    deed: Callable[[dict[str, Any], uuid.UUID], str],
    plan: dict[str, Any],
    gate: threading.Barrier,
    told: list[str],
) -> None:
    from django.db import connection

    from evalsite import errors

    try:
        connection.ensure_connection()
        gate.wait()
        told.append(deed(plan, uuid.uuid4()))
    except errors.Refusal as refusal:
        told.append(f"refused: {refusal.code}")
    except Exception as problem:  # noqa: BLE001  whatever it is, the test reports it
        told.append(f"{type(problem).__name__}: {problem}")
    finally:
        connection.close()


if __name__ == "__main__":
    django.setup()
    DEEDS = {"prepare": prepare, "race": race, "check": check}
    print(json.dumps(DEEDS[sys.argv[1]](json.loads(sys.argv[2]))))  # noqa: T201
