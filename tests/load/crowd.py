"""What the load tests run as processes of their own: `python -m tests.load.crowd <deed> <json>`.

Every thread is one annotator with a connection of its own. The clock runs faster than the wall's,
so that leases end while others claim.
"""

import json
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import django


class Person:
    """An annotator who claims and submits until nothing is left, and now and then falls asleep."""

    def __init__(self, name: str, plan: dict[str, Any]) -> None:
        from annotation.common import draws as seeds
        from annotation.people.models import Rater
        from annotation.rounds.models import Round

        self.rater = Rater.objects.select_related("user").get(user__username=name)
        self.round = Round.objects.get()
        self.plan = plan
        self.dice = seeds.generator("a load test", name)
        self.seen: Counter[str] = Counter()
        self.took: dict[str, list[float]] = {"claim": [], "submit": []}
        self.troubles: list[str] = []
        self.began = plan["began"]

    def now(self) -> Any:
        from tests import make

        return make.NOW + timedelta(seconds=(time.time() - self.began) * self.plan["speed"])

    def work(self) -> None:
        from django.db import connection

        try:
            while time.time() < self.plan["until"] and not _told_to_stop(self.plan):
                if not self.step():
                    break
        except Exception as problem:  # noqa: BLE001  whatever it is, the test reports it
            self.troubles.append(f"{type(problem).__name__}: {problem}")
        finally:
            connection.close()

    def step(self) -> bool:
        """Claim and submit once; return whether there may be more."""
        from annotation.grading import seating

        self.round.refresh_from_db()
        try:
            with self.timed("claim"):
                seat = seating.claim_next(round_=self.round, rater=self.rater, now=self.now())
        except seating.NoSeat as refusal:
            self.seen[refusal.code] += 1
            time.sleep(0.1)
            return refusal.code == "waiting"
        self.seen["claims"] += 1
        if seat.rater_id != self.rater.pk:
            self.troubles.append("a seat that is somebody else's")
        self.dawdle()
        if self.dice.random() < self.plan["hands_back"]:
            self.hand_back(seat)
        else:
            self.submit(seat)
        return True

    def hand_back(self, seat: Any) -> None:
        from annotation.rounds import states as leases

        try:
            leases.hand_back(assignment=seat, rater=self.rater, now=self.now())
            self.seen["handed back"] += 1
        except leases.SeatNotYours:
            self.seen["not theirs any more"] += 1

    def dawdle(self) -> None:
        first = not self.seen["asleep"] and self.rater.user.username in self.plan.get(
            "sleepers", ()
        )
        if first or self.dice.random() < self.plan["asleep"]:
            self.seen["asleep"] += 1
            time.sleep(1.5 * self.plan["lease_minutes"] * 60 / self.plan["speed"])
        elif self.plan["think"]:
            time.sleep(self.dice.uniform(0, 2 * self.plan["think"]))

    def submit(self, seat: Any) -> None:
        from annotation.grading import operations as grading
        from tests import make

        op_id = uuid.UUID(bytes=self.dice.bytes(16))
        marks = make.marks(seat, 1)  # a value that every kind of mark has
        again = self.dice.random() < 0.05  # the browser sends it twice
        try:
            receipt = self.send(seat, marks, op_id)
            if again and self.send(seat, marks, op_id) != receipt:
                self.troubles.append("another receipt for the same request")
            self.seen["late" if receipt.late else "counted"] += 1
            if "acknowledged" in self.plan and not receipt.late:
                self.note(seat)
        except grading.StaleTab:
            self.seen["stale"] += 1

    def note(self, seat: Any) -> None:
        """Keep on disk that this seat was acknowledged, whatever becomes of this process."""
        with open(self.plan["acknowledged"], "a") as file:
            file.write(f"{seat.pk} {self.rater.pk}\n")

    def send(self, seat: Any, marks: Any, op_id: uuid.UUID) -> Any:
        from annotation.grading import operations as grading

        with self.timed("submit"):
            return grading.submit_grades(
                token=seat.token,
                rater=self.rater,
                marks=marks,
                comments={"A": "Well said."},
                base_rev=0,
                op_id=op_id,
                now=self.now(),
            )

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.took[what].append(time.perf_counter() - began)


def grade(plan: dict[str, Any]) -> dict[str, Any]:
    """Let these people grade, one thread each; tell what happened."""
    people = [Person(name, plan) for name in plan["names"]]
    while time.time() < plan["began"]:
        time.sleep(0.01)
    threads = [threading.Thread(target=person.work) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "seen": sum((person.seen for person in people), Counter[str]()),
        "claim": [one for person in people for one in person.took["claim"]],
        "submit": [one for person in people for one in person.took["submit"]],
        "troubles": [trouble for person in people for trouble in person.troubles],
    }


def sweep(plan: dict[str, Any]) -> dict[str, Any]:
    """Free what is over, as the sweeper does, until the others are done."""
    from annotation.rounds import states as leases
    from tests import make

    freed = 0
    while time.time() < plan["until"] and not _told_to_stop(plan):
        now = make.NOW + timedelta(seconds=(time.time() - plan["began"]) * plan["speed"])
        freed += leases.expire(now)
        time.sleep(0.5)
    return {"freed": freed}


def _told_to_stop(plan: dict[str, Any]) -> bool:
    from pathlib import Path

    return Path(plan["stop_file"]).exists()


def open_round(plan: dict[str, Any]) -> dict[str, Any]:
    """Make the round, through the operations that curators use."""
    from tests import make

    round_ = make.open_round(
        n_items=plan["n_items"],
        n_releases=plan["n_releases"],
        n_annotators=plan["n_annotators"],
        n_seats=plan["n_seats"],
        lease_minutes=plan["lease_minutes"],
        criteria=plan["criteria"],
    )
    return {"seats": round_.assignments.count()}


def lost(plan: dict[str, Any]) -> dict[str, Any]:
    """Return the seats that were acknowledged and do not hold every mark of whoever graded them."""
    from pathlib import Path

    from annotation.grading.models import Grade

    told = [
        (int(seat), int(rater))
        for seat, rater in map(str.split, Path(plan["acknowledged"]).read_text().splitlines())
    ]
    held = Counter(Grade.objects.filter(is_current=True).values_list("assignment_id", "rater_id"))
    return {"n": len(told), "lost": [one for one in told if held[one] != plan["n_marks"]]}


def check(plan: dict[str, Any]) -> dict[str, Any]:
    """Look at every seat and grade for what must never be; an empty list is what one hopes for."""
    from django.db.models import Count, F, Q

    from annotation.grading.models import Grade
    from annotation.rounds.models import Assignment, ClaimEvent, RoundItem
    from annotation.systems.models import Response

    submitted = Count("assignments", filter=Q(assignments__state="SUBMITTED"))
    people = Count("assignments__rater", distinct=True)
    items = RoundItem.objects.annotate(n_submitted=submitted, n_people=people)
    wrong = [f"item {one}: too many" for one in items.filter(n_submitted__gt=F("n_seats"))]
    wrong += [f"item {one}: somebody twice" for one in items.filter(n_people__lt=F("n_submitted"))]
    histories: dict[int, list[tuple[str, int, int]]] = {}
    events = ClaimEvent.objects.order_by("pk").values_list(
        "assignment_id", "kind", "claim_no", "rater_id"
    )
    for seat, kind, claim_no, rater in events:
        histories.setdefault(seat, []).append((kind, claim_no, rater))
    for seat, told in histories.items():
        wrong += [f"seat {seat}: {problem}" for problem in _problems(told)]
    tokens = ClaimEvent.objects.filter(kind="CLAIMED").values("token")
    if tokens.distinct().count() != tokens.count():
        wrong.append("a token was given twice")
    counted = Count("grades", filter=Q(grades__is_current=True, grades__rater=F("rater")))
    half = Assignment.objects.filter(state="SUBMITTED").annotate(n=counted)
    due = plan["n_marks"]
    wrong += [f"seat {pk}: {n} grades" for pk, n in half.values_list("pk", "n") if n != due]
    lost = Grade.objects.filter(is_current=True, criterion__mark="TEXT", text="")
    wrong += [f"grade {pk}: its text is lost" for pk in lost.values_list("pk", flat=True)]
    return {
        "wrong": wrong,
        "submitted": Assignment.objects.filter(state="SUBMITTED").count(),
        "claims": ClaimEvent.objects.filter(kind="CLAIMED").count(),
        "expired": ClaimEvent.objects.filter(kind="EXPIRED").count(),
        "late": Grade.objects.filter(late=True).count(),
        "responses": Response.objects.seen().count(),
        "current": Grade.objects.filter(is_current=True).count(),
    }


def _problems(told: list[tuple[str, int, int]]) -> Iterator[str]:
    """Give what is wrong in the history of a seat: claims and their ends take turns."""
    held_by: int | None = None
    last = 0
    for kind, claim_no, rater in told:
        if kind == "CLAIMED":
            if held_by is not None:
                yield "claimed while it was held"
            if claim_no != last + 1:
                yield "a claim is missing"
            held_by, last = rater, claim_no
        else:
            if held_by != rater:
                yield "ended for somebody who did not hold it"
            held_by = None


DEEDS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "grade": grade,
    "lost": lost,
    "sweep": sweep,
    "open_round": open_round,
    "check": check,
}

if __name__ == "__main__":
    django.setup()
    print(json.dumps(DEEDS[sys.argv[1]](json.loads(sys.argv[2]))))  # noqa: T201
