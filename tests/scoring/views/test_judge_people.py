import pytest

from annotation.models import Role, Round, RoundResponse
from tests import counting, make
from tests.scoring import beside_people, judged, machines, rounds, run_rows, worker

pytestmark = pytest.mark.django_db


@pytest.fixture(name="analyst")
def _analyst(client):
    client.force_login(make.member(Role.ANALYST))
    return client


def html(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def _again(round_, number):
    """Make a round over one of the same answers."""
    other = make.draft_round(in_=round_.project)
    Round.objects.filter(pk=other.pk).update(number=number, state="OPEN")
    one = RoundResponse.objects.filter(round_item__round=round_).select_related("round_item")[0]
    item = one.round_item
    item.pk, item.round, item.ordinal, item.item = None, other, 999, make.item(f"again {number}")
    item.save()
    RoundResponse.objects.create(
        round_item=item, response=one.response, release=one.response.release
    )


class TestJudgesPeople:
    def test_shows_every_judge_beside_people(self, analyst):
        beside_people.world()
        text = html(analyst, "/p/northport/judges/people/")

        assert "Which judge agrees with people?" in text
        assert all(f">{name}</a>" in text for name in ("good", "guess", "rouge"))

    def test_says_whose_scores_are_turned_round(self, analyst):
        beside_people.world()
        rows = [
            f"Q{n},{name},{n % 5}.{place}"
            for n in range(12)
            for place, name in enumerate(beside_people.SYSTEMS)
        ]
        machines.brought("\n".join(["item,system,word error", *rows, ""]))

        for page in ("people", "pairs", "together"):
            text = html(analyst, f"/p/northport/judges/{page}/?open=data")
            assert "word error: lower is better, as was declared" in text
        key = beside_people.judge("word error")
        assert "lower is better, as was declared" in html(
            analyst, f"/p/northport/judges/{key}/people/"
        )

    def test_says_what_to_do_where_nothing_can_be_compared(self, analyst):
        make.project()
        assert b"Nothing to compare yet" in analyst.get("/p/northport/judges/people/").content

    @pytest.mark.parametrize("query", ["judge=99999", "level=word", "round=99"])
    def test_says_what_cannot_be_chosen_and_shows_the_usual_choice(self, analyst, query):
        beside_people.world()
        text = html(analyst, f"/p/northport/judges/people/?{query}")

        assert "The usual choice is shown." in text
        assert "All judges on coh" in text

    def test_takes_as_many_queries_for_many_judges_as_for_few(self, analyst):
        beside_people.world()

        def taken(places):
            names = ",".join(f"metric {place}" for place in places)
            machines.brought(f"item,system,{names}\nQ1,Kestrel{',0.5' * len(places)}\n")
            html(analyst, "/p/northport/judges/people/")
            return counting.n_queries(analyst, "/p/northport/judges/people/")

        few = taken(range(2))
        assert taken(range(2, 12)) == few

    def test_takes_as_many_queries_for_many_rounds_as_for_few(self, analyst):
        here = "/p/northport/judges/people/"
        round_ = beside_people.world()
        Round.objects.filter(pk=round_.pk).update(state="OPEN", kind="PRODUCTION")
        html(analyst, here)
        few = counting.n_queries(analyst, here)
        for number in range(90, 95):
            _again(round_, number)

        assert counting.n_queries(analyst, f"{here}?round={round_.number}") == few


class TestJudgePeople:
    def test_shows_one_judge_from_every_side(self, analyst):
        beside_people.world()
        text = html(analyst, f"/p/northport/judges/{beside_people.judge('good')}/people/")

        for words in (
            "May it replace a person?",
            "Level by level",
            "What sways it",
            "disagree most",
        ):
            assert words in text

    def test_shows_what_lies_behind_its_scores(self, analyst):
        judge = judged.judge("A live judge", repeats=2, turned=True)
        round_ = rounds.graded()
        judged.ran(round_, judge)

        text = html(analyst, f"/p/northport/judges/{judge.rater_id}/people/")

        for words in ("What lies behind its scores", "In the opposite order", "distributed"):
            assert words in text
        assert ">Length<" in text

    def test_counts_the_texts_that_could_sway_it(self, analyst):
        judge = judged.judge("A live judge")
        run = run_rows.run(judge=judge)
        run_rows.step(run, flags="delimiter")

        text = analyst.get(f"/p/northport/judges/{judge.rater_id}/people/").content.decode()

        assert "Found in 1 answer, and made harmless" in text
        assert "imitates a delimiter" in text
        assert f"/p/northport/runs/{run.number}/steps/?flag=any" in text

    def test_tells_of_no_system_that_was_not_shown(self, analyst):
        beside_people.world()
        Round.objects.update(kind="PRODUCTION")
        text = html(analyst, f"/p/northport/judges/{beside_people.judge('good')}/people/")

        assert "System 1" in text
        assert not [name for name in beside_people.SYSTEMS if name in text]

    def test_says_why_where_the_judge_has_no_such_criterion(self, analyst):
        beside_people.world()
        good = beside_people.judge("good")
        text = html(analyst, f"/p/northport/judges/{good}/people/?map.coh.{good}=")

        assert "no such criterion" in text

    def test_is_nowhere_for_what_is_no_judge(self, analyst):
        make.project()
        assert analyst.get("/p/northport/judges/99999/people/").status_code == 404
