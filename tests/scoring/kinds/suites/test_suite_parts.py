import pytest

from scoring.kinds.suites import parts as suite_parts
from scoring.kinds.suites.parts import WantedParts
from tests.scoring import suites

pytestmark = pytest.mark.django_db
TALKS = [
    {
        "id": str(n),
        "messages": [
            {"role": "user", "content": "a" * (n + 1)},
            *([{"role": "assistant", "content": "bb"}] if n in {0, 14} else []),
        ],
    }
    for n in range(15)
]


@pytest.fixture
def run():
    return suites.done(suites.requested(None, suites.brought(suites.lines(TALKS))))


def wanted(run, **given):
    return WantedParts(run.config["raters"]["0"], "string_length", **given)


class TestPage:
    def test_looks_through_all_of_them_for_a_role_some_at_a_time(self, run):
        found: list[str] = []
        after: str | None = ""
        pages = 0
        while after is not None:  # every page there is
            page = suite_parts.page(
                run, wanted(run, role="assistant"), after=after, down=True, most=7
            )
            found += [one.role for one in page.rows]
            after, pages = page.after, pages + 1
            assert page.looked_at == (7 if after else 0)

        assert (found, pages) == (["assistant"] * 2, 3)

    def test_takes_values_between_bounds(self, run):
        page = suite_parts.page(run, wanted(run, low=3.0, high=5.0), after="", down=False)

        assert [one.judgment.value for one in page.rows] == [3, 4]
        assert [one.shown for one in page.rows] == ["3", "4"]


class TestWords:
    def test_say_what_narrows_the_parts(self, run):
        release = run.judgments.first().response.release_id

        said = suite_parts.words(
            wanted(run, level="Turn", release=release, low=1, high=2, role="user", turn=0)
        )

        assert said == ["Turn", "Kestrel · 1", "value from 1 to below 2", "role user", "turn 1"]
        assert suite_parts.words(wanted(run, label="YES", low=1, high=1)) == [
            "chosen: YES",
            "value 1",
        ]
        assert suite_parts.words(wanted(run, low=7)) == ["value from 7"]
