"""Many rows come in while eight people grade: everybody gets on, nothing is locked."""

import csv
import time
from collections import Counter

import pytest

from tests.load.site import p95, result, site

pytestmark = pytest.mark.timeout(1500)

N_PEOPLE, N_SYSTEMS = 8, 10


def write_file(path, n_rows: int) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["external_id", "question", "standard_answer", "system", "response"])
        for number in range(n_rows // N_SYSTEMS):
            for system in range(N_SYSTEMS):
                rows.writerow(
                    [
                        f"L{number}",
                        f"How much is {number} and 1?",
                        f"It is {number + 1}.",
                        f"System {system}",
                        f"Some {number + system} or so, said in way {system}. " * 4,
                    ]
                )


@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgres", marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    "n_rows",
    [
        pytest.param(10_000, marks=pytest.mark.load),
        pytest.param(100_000, marks=pytest.mark.nightly),
    ],
)
def test_nobody_is_locked_out_while_many_rows_come_in(engine, n_rows, tmp_path):
    source = tmp_path / "answers.csv"
    write_file(source, n_rows)
    shape = {"n_items": 1500, "n_releases": 2, "n_seats": 3, "n_annotators": N_PEOPLE}
    with site(engine, tmp_path) as here:
        here.run("open_round", **shape, criteria=["grade"], lease_minutes=30)
        began = time.time() + 3
        plan = {
            "began": began,
            "until": began + 1200,
            "speed": 1,
            "lease_minutes": 30,
            "asleep": 0.0,
            "think": 0.5,
            "hands_back": 0.0,
            "stop_file": str(tmp_path / "stop"),
        }
        names = [f"ann-{place + 1}" for place in range(N_PEOPLE)]
        crowds = [here.start("grade", names=names[place::2], **plan) for place in range(2)]
        time.sleep(max(0.0, began - time.time()))
        told_by_import = here.manage(
            "import_responses", str(source), "--project", "northport", "--by", "northport-owner"
        )
        took = time.time() - began
        (tmp_path / "stop").touch()
        told = [result(crowd) for crowd in crowds]
        found = here.run("check", **shape, n_marks=shape["n_releases"])

    seen = sum((Counter(one["seen"]) for one in told), Counter[str]())
    claims = [seconds for one in told for seconds in one["claim"]]
    submits = [seconds for one in told for seconds in one["submit"]]
    print(  # noqa: T201
        f"\n{engine}: {n_rows} rows in {took:.0f} s beside {N_PEOPLE} people: p95 claim "
        f"{p95(claims):.2f} s, submit {p95(submits):.2f} s, longest {max(claims):.2f} and "
        f"{max(submits):.2f} s; {dict(seen)}\n{told_by_import[-300:]}"
    )
    assert [trouble for one in told for trouble in one["troubles"]] == []
    assert found["wrong"] == []
    assert found["responses"] >= n_rows
    assert seen["counted"] > 0
