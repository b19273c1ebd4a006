"""Sixty-four people reach for seats at once, some fall asleep on theirs, some send twice."""

import time
from collections import Counter

import pytest

from tests.load.site import p95, result, site

pytestmark = pytest.mark.timeout(1500)

N_PEOPLE = 64
#: A scale, yes or no, a label, several labels, a number and a text (`make.KINDS`).
CRITERIA = ["grade", "polite", "slip", "traits", "minutes", "wish"]
#: Which of two is better: one mark a seat.
CHOICES = ["better"]
N_PROCESSES = 8
SPEED = 120  # the clock of the test runs so much faster than the wall's
LEASE_MINUTES = 10  # 5 seconds on the wall


@pytest.mark.parametrize(
    ("engine", "n_items", "hands_back", "criteria"),
    [
        pytest.param("sqlite", 40, 0.2, CRITERIA, marks=pytest.mark.load),
        pytest.param("sqlite", 40, 0.2, CHOICES, marks=pytest.mark.load),
        pytest.param("postgres", 60, 0.3, CRITERIA, marks=pytest.mark.load),
        # ten thousand claims and more
        pytest.param("sqlite", 300, 0.2, CRITERIA, marks=pytest.mark.nightly),
        pytest.param("postgres", 1200, 0.66, CRITERIA, marks=pytest.mark.nightly),
    ],
)
def test_sixty_four_claimers_never_exceed_the_seats(
    engine, n_items, hands_back, criteria, tmp_path
):
    shape = {"n_items": n_items, "n_releases": 2, "n_seats": 3, "n_annotators": N_PEOPLE}
    n_marks = 1 if criteria is CHOICES else shape["n_releases"] * len(criteria)
    with site(engine, tmp_path) as here:
        n_seats = here.run("open_round", **shape, criteria=criteria, lease_minutes=LEASE_MINUTES)[
            "seats"
        ]
        began = time.time() + 4
        plan = {
            "began": began,
            "until": began + 900,
            "speed": SPEED,
            "lease_minutes": LEASE_MINUTES,
            "asleep": 0.02,
            "sleepers": ["ann-1", "ann-2"],  # whatever the dice say, these two let a lease end
            "think": 0.0,
            "hands_back": hands_back,
            "stop_file": str(tmp_path / "stop"),
        }
        names = [f"ann-{place + 1}" for place in range(N_PEOPLE)]
        crowds = [
            here.start("grade", names=names[place::N_PROCESSES], **plan)
            for place in range(N_PROCESSES)
        ]
        sweeper = here.start("sweep", **plan)
        told = [result(crowd) for crowd in crowds]
        took = time.time() - began
        (tmp_path / "stop").touch()
        freed = result(sweeper)["freed"]
        found = here.run("check", **shape, n_marks=n_marks)

    seen = sum((Counter(one["seen"]) for one in told), Counter[str]())
    claims = [seconds for one in told for seconds in one["claim"]]
    submits = [seconds for one in told for seconds in one["submit"]]
    print(  # noqa: T201
        f"\n{engine}: {found['claims']} claims of {n_seats} seats by {N_PEOPLE} people in "
        f"{took:.0f} s; p95 claim {p95(claims):.2f} s, submit {p95(submits):.2f} s, longest "
        f"{max(claims):.1f} and {max(submits):.1f} s; {found['expired']} expired ({freed} swept), "
        f"{dict(seen)}"
    )
    assert [trouble for one in told for trouble in one["troubles"]] == []
    assert found["wrong"] == []
    assert found["submitted"] == n_seats == 3 * n_items
    assert found["current"] == n_seats * n_marks
    assert found["expired"] > 0
    assert seen["counted"] >= n_seats


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.parametrize("criteria", [CRITERIA, CHOICES], ids=["kinds", "choices"])
def test_no_acknowledged_mark_is_lost_when_processes_are_killed(engine, criteria, tmp_path):
    shape = {"n_items": 60, "n_releases": 2, "n_seats": 3, "n_annotators": 16}
    n_marks = 1 if criteria is CHOICES else shape["n_releases"] * len(criteria)
    told = tmp_path / "acknowledged"
    told.touch()
    with site(engine, tmp_path) as here:
        here.run("open_round", **shape, criteria=criteria, lease_minutes=LEASE_MINUTES)
        plan = {
            "began": time.time(),
            "until": time.time() + 300,
            "speed": SPEED,
            "lease_minutes": LEASE_MINUTES,
            "asleep": 0.0,
            "think": 0.02,
            "hands_back": 0.0,
            "stop_file": str(tmp_path / "stop"),
            "acknowledged": str(told),
        }
        names = [f"ann-{place + 1}" for place in range(16)]
        n_before = 0
        for _kill in range(5):
            crowds = [here.start("grade", names=names[place::4], **plan) for place in range(4)]
            for _tenth in range(300):
                if len(told.read_text().splitlines()) >= n_before + 12:
                    break
                time.sleep(0.1)
            for crowd in crowds:
                crowd.kill()
                crowd.communicate()
            n_before = len(told.read_text().splitlines())
        found = here.run("lost", acknowledged=str(told), n_marks=n_marks)
        wrong = here.run("check", **shape, n_marks=n_marks)["wrong"]

    assert found["n"] >= 40
    assert found["lost"] == []
    assert wrong == []
