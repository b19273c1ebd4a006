import re

import pytest

from annotation.people.models import Role
from annotation.rounds.models import Round
from scoring.figures.models import Figure
from tests import counting, make
from tests.pages import squeezed
from tests.scoring import (
    beside_people,
    judged,
    machines,
    paired,
    preferred,
    rounds,
    run_rows,
    worker,
)

pytestmark = pytest.mark.django_db


def html(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return squeezed(answer.content.decode())


class TestJudgesPeople:
    def test_shows_every_judge_beside_people(self, as_analyst):
        beside_people.world()
        text = html(as_analyst, "/p/northport/judges/people/")

        assert "3 judges" in text
        assert "All judges on coh" in text
        assert all(f">{name}</a>" in text for name in ("good", "guess", "rouge"))

    def test_says_whose_scores_are_turned_round(self, as_analyst):
        beside_people.world()
        rows = [
            f"Q{n},{name},{n % 5}.{place}"
            for n in range(12)
            for place, name in enumerate(beside_people.SYSTEMS)
        ]
        machines.brought("\n".join(["item,system,word error", *rows, ""]))

        for page in ("people", "pairs", "together"):
            text = html(as_analyst, f"/p/northport/judges/{page}/?open=data")
            assert "word error: lower is better, so its scores are reversed" in text
        key = beside_people.judge("word error")
        assert "lower is better, so its scores are reversed" in html(
            as_analyst, f"/p/northport/judges/{key}/people/"
        )

    def test_opens_on_grades_and_says_of_pairs_who_judges_them(self, as_analyst):
        round_ = preferred.chosen(n_items=3)
        preferred.graded_too(round_, number=2)
        newest = preferred.graded_too(round_, number=3)
        Round.objects.filter(pk=newest.pk).update(of_pairs=True)
        rows = [f"P1-{n},{name},{n}" for n in range(3) for name in ("Kestrel", "Harbour", "Tern")]
        machines.brought("\n".join(["item,system,good_grade", *rows, ""]))
        here = "/p/northport/judges/people/"

        usual = as_analyst.get(here)
        named = as_analyst.get(f"{here}?round=1").content.decode()
        run = paired.done(round_)
        judged_too = as_analyst.get(f"{here}?round=1").content.decode()

        assert [one.round.number for one in usual.context["options"].chosen] == [2]
        assert "A round of pairs" in named
        assert "graded nothing" not in named
        assert f'href="/p/northport/runs/{run.number}/pairs/"' in judged_too

    def test_says_what_to_do_where_nothing_can_be_compared(self, as_analyst):
        make.project()
        assert b"Nothing to compare yet" in as_analyst.get("/p/northport/judges/people/").content

    def test_asks_for_answers_where_there_are_none(self, client):
        client.force_login(make.member(Role.CURATOR))
        text = client.get("/p/northport/judges/people/").content.decode()

        assert "Import answers" in text
        assert "?kind=SCORES" not in text

    @pytest.mark.parametrize("page", ["people", "pairs", "together", "fewer"])
    def test_says_without_alarm_that_people_graded_nothing_yet(self, as_analyst, page):
        beside_people.again(beside_people.world(), number=9)
        text = html(as_analyst, f"/p/northport/judges/{page}/?round=9")

        assert "Nothing here yet" in text
        assert "These people graded nothing yet that counts. Choose the people of another" in text
        assert "could not be computed" not in text

    def test_asks_again_about_the_round_that_was_chosen(self, as_analyst):
        round_ = beside_people.world()
        page = as_analyst.get("/p/northport/judges/people/").content.decode()

        assert f'hx-get="/p/northport/judges/people/?round={round_.number}"' in page

    @pytest.mark.parametrize("query", ["judge=99999", "level=word", "round=99"])
    def test_says_what_cannot_be_chosen_and_shows_the_usual_choice(self, as_analyst, query):
        beside_people.world()
        text = html(as_analyst, f"/p/northport/judges/people/?{query}")

        assert "The default is shown." in text
        assert "All judges on coh" in text

    @pytest.mark.parametrize("page", ["people", "pairs", "together", "fewer"])
    def test_begins_anew_with_the_people_of_another_round(self, as_analyst, page):
        beside_people.world()
        machines.scored(rounds.graded(number=9))
        here = f"/p/northport/judges/{page}/"
        good = beside_people.judge("good")
        asked = f"of=1&round=9&criterion=coh&judge={good}&map.coh.{good}=coherence&level=item"

        answer = as_analyst.get(f"{here}?{asked}")

        assert answer.headers["Location"] == f"{here}?round=9&level=item"
        text = html(as_analyst, answer.headers["Location"])
        assert "The default is shown." not in text
        assert '<input type="hidden" name="of" value="9">' in text

    def test_keeps_what_is_chosen_for_the_same_round(self, as_analyst):
        number = beside_people.world().number
        good = beside_people.judge("good")
        text = html(
            as_analyst, f"/p/northport/judges/people/?of={number}&round={number}&judge={good}"
        )

        assert f'value="{good}" checked' in text
        assert ">guess</a>" not in text

    def test_takes_as_many_queries_for_many_rounds_as_for_few(self, as_analyst):
        here = "/p/northport/judges/people/"
        round_ = beside_people.world()
        Round.objects.filter(pk=round_.pk).update(state="OPEN", kind="PRODUCTION")
        html(as_analyst, here)
        chosen = f"{here}?round={round_.number}"
        few, few_usual = (counting.n_queries(as_analyst, url) for url in (chosen, here))
        for number in range(90, 95):
            beside_people.again(round_, number)

        assert counting.n_queries(as_analyst, chosen) == few
        choosing = 2  # which of the rounds have grades, and of what was judged
        assert counting.n_queries(as_analyst, here) == few_usual + choosing


class TestJudgePeople:
    def test_shows_one_judge_from_every_side(self, as_analyst):
        beside_people.world()
        text = html(as_analyst, f"/p/northport/judges/{beside_people.judge('good')}/people/")

        for words in (
            "May it stand in?",
            "Level by level",
            "Biases",
            "Worst cases",
        ):
            assert words in text

    @pytest.mark.parametrize(
        ("n", "words"),
        [
            (1, "1 graded response left out"),
            (2, "2 graded responses left out"),
        ],
    )
    def test_counts_the_responses_that_it_left_out(self, as_analyst, n, words):
        beside_people.world()
        url = f"/p/northport/judges/{beside_people.judge('good')}/people/"
        html(as_analyst, url)
        for figure in Figure.objects.filter(data__has_key="n_human_only"):
            figure.data["n_human_only"] = n
            figure.save(update_fields=["data"])

        assert words in as_analyst.get(url).content.decode()

    def test_shows_what_lies_behind_its_scores(self, as_analyst):
        judge = judged.judge("A live judge", repeats=2, turned=True)
        round_ = rounds.graded()
        judged.ran(round_, judge)

        text = html(as_analyst, f"/p/northport/judges/{judge.rater_id}/people/")

        for words in ("Opposite minus given order", "Score distribution"):
            assert words in text
        assert re.search(r">Length\s*<small>", text)

    def test_counts_the_texts_that_could_sway_it(self, as_analyst):
        judge = judged.judge("A live judge")
        run = run_rows.run(judge=judge)
        run_rows.step(run, flags="delimiter")

        text = as_analyst.get(f"/p/northport/judges/{judge.rater_id}/people/").content.decode()

        assert "Found in 1 answer. Made harmless" in text
        assert "imitates a delimiter" in text
        assert f"/p/northport/runs/{run.number}/steps/?flag=any" in text

    def test_tells_of_no_system_that_was_not_shown(self, as_analyst):
        beside_people.world()
        Round.objects.update(kind="PRODUCTION")
        text = html(as_analyst, f"/p/northport/judges/{beside_people.judge('good')}/people/")

        assert "System 1" in text
        said = re.sub(
            r'<div class="prose" dir="auto">.*?</div>', "", text, flags=re.DOTALL
        )  # answers, which may say anything
        assert not [name for name in beside_people.SYSTEMS if name in said]

    def test_says_why_where_the_judge_has_no_such_criterion(self, as_analyst):
        beside_people.world()
        good = beside_people.judge("good")
        text = html(as_analyst, f"/p/northport/judges/{good}/people/?map.coh.{good}=")

        assert "nothing on this criterion" in text

    def test_is_nowhere_for_what_is_no_judge(self, as_analyst):
        make.project()
        assert as_analyst.get("/p/northport/judges/99999/people/").status_code == 404
