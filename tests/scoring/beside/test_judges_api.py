import pytest

from tests import make
from tests.scoring import beside_people, worker

pytestmark = pytest.mark.django_db
HERE = "/api/v1/projects/northport/judges/"


def ready(client, url):
    """Ask, let the worker compute, ask where the answer says."""
    first = client.get(url)
    assert first.status_code == 202, first.content
    worker.compute()
    answer = client.get(first.headers["Location"])
    assert answer.status_code == 200
    return answer


class TestJudges:
    def test_tell_every_judge_beside_people(self, as_analyst):
        round_ = beside_people.world()
        told = ready(as_analyst, f"{HERE}people/?level=system").json()

        assert (told["level"], told["rounds"], told["names_shown"]) == (
            "system",
            [round_.number],
            True,
        )
        assert len(told["coefficients"]) == 3 * 4
        assert told["ceilings"][0]["people"] == 3

    def test_tell_one_judge_from_every_side(self, as_analyst):
        beside_people.world()
        told = ready(as_analyst, f"{HERE}{beside_people.judge('good')}/people/").json()

        assert (told["n"], told["without_score"]) == (96, 0)
        assert told["alternative"]["n_tested"] == 3
        assert 0 <= told["alternative"]["winning_rate"] <= 1
        assert [one["person"] for one in told["stands_in"]] == [1, 2, 3]
        levels, table = told["confusion"]["levels"], told["confusion"]["table"]
        assert len(levels) == len(table) == len(table[0])
        assert sum(map(sum, table)) > 0
        assert told["pairs_of_systems"]["n_pairs"] == 6
        assert {"levels", "capabilities", "systems", "sway", "disagreements"} <= told.keys()

    def test_may_stand_in_by_the_allowance_and_the_test_that_were_asked_for(self, as_analyst):
        beside_people.world()
        url = f"{HERE}{beside_people.judge('good')}/people/"
        told = [
            ready(as_analyst, f"{url}?{query}").json()["alternative"]
            for query in (
                "kind=crowd",
                "kind=crowd&epsilon=0.3",
                "nearness=exact&test=as_published",
            )
        ]

        assert [one["epsilon"] for one in told] == [0.1, 0.3, 0.2]
        assert [one["nearness"] for one in told] == ["rmse", "rmse", "exact"]
        assert [one["test"] for one in told] == ["by_question", "by_question", "as_published"]
        assert as_analyst.get(f"{url}?epsilon=0.4").json()["code"] == "invalid_parameter"

    def test_refuse_what_cannot_be_chosen(self, as_analyst):
        make.project()
        assert as_analyst.get(f"{HERE}people/").json()["code"] == "nothing_to_compare"

        beside_people.world()
        answer = as_analyst.get(f"{HERE}people/?coefficient=phi")
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_choice")


class TestSheet:
    def test_streams_the_same_figures(self, as_analyst):
        beside_people.world()
        url = f"{HERE}people/tables/coefficients.csv"

        assert b"".join(ready(as_analyst, url)).count(b"\n") == 1 + 3 * 4
        assert as_analyst.get(f"{HERE}people/tables/levels.csv").status_code == 404


class TestPicture:
    def test_sends_the_plot(self, as_analyst):
        beside_people.world()
        url = f"{HERE}{beside_people.judge('good')}/people/plots/parts.svg"

        assert b">Facts<" in b"".join(ready(as_analyst, url))
        assert as_analyst.get(f"{HERE}people/plots/parts.svg").status_code == 404
