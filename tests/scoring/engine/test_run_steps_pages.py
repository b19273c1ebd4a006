import pytest
from django.test import Client
from django.urls import reverse

from annotation.people.models import Role
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)"> [a](javascript:alert(3))'


def ask(name, *args, role=Role.ANALYST, query=""):
    client = Client()
    client.force_login(make.member(role))
    return client.get(reverse(name, args=[make.project().slug, *args]) + query)


class TestRunSteps:
    def test_are_filtered_by_outcome(self):
        run = run_rows.run()
        run_rows.step(run, item=make.item(question="What is a pallet?"))
        run_rows.step(run, outcome="SYSTEM", item=make.item(question="What is a reefer?"))

        text = ask("run_steps", run.number, query="?outcome=SYSTEM").content.decode()

        assert "What is a reefer?" in text
        assert "What is a pallet?" not in text

    def test_are_closed_to_who_grades_in_the_round(self):
        round_ = make.open_round()
        run = run_rows.run(round=round_)
        analyst = make.member(Role.ANALYST, username="ann-1")
        client = Client()
        client.force_login(analyst)

        answer = client.get(reverse("run_steps", args=["northport", run.number]))

        assert answer.status_code == 403
        assert "You grade in this run’s round" in answer.content.decode()


class TestRunStep:
    def test_shows_every_call_as_a_transcript(self):
        run = run_rows.run()
        step = run_rows.step(run)
        run_rows.call(step, None, problem="No reply in 120 s.")
        run_rows.call(step, "I say four.", attempt=2)

        text = ask("run_step", run.number, 1).content.decode()

        assert text.count("How good is it?") == 2
        assert "No reply in 120 s." in text
        assert "I say four." in text
        assert "attempt 2" in text

    def test_says_what_was_found_in_what_the_system_said(self):
        run = run_rows.run()
        run_rows.step(run, flags="turn verdict")
        run_rows.step(run)

        page, steps = ask("run", run.number), ask("run_steps", run.number, query="?flag=turn")
        step = ask("run_step", run.number, 1)

        said = "imitates a chat turn, brings its own verdict"
        assert said in step.content.decode()
        assert said in steps.content.decode()
        assert "1 step" in steps.content.decode()
        assert "In 1 step; made harmless" in page.content.decode()

    def test_shows_hostile_text_as_text(self):
        run = run_rows.run(name=HOSTILE[:100])
        step = run_rows.step(run, problem=HOSTILE, item=make.item(question=HOSTILE))
        run_rows.call(step, HOSTILE, messages=[("system", HOSTILE), ("user", HOSTILE)])

        text = ask("run_step", run.number, 1).content.decode()

        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert 'href="javascript:' not in text
        assert text.count("&lt;script&gt;alert(1)") > 3

    def test_hides_what_judges_said_until_the_round_is_final(self):
        run = run_rows.run(round=make.open_round())
        step = run_rows.step(run, result={"scores": {"grade": 4}, "said": "Kestrel is best"})
        run_rows.call(step, "I say four.")

        text = ask("run_step", run.number, 1).content.decode()

        assert "Hidden until the round is final." in text
        assert "I say four." not in text
        assert "Kestrel is best" not in text

    def test_is_not_there_beyond_the_last(self):
        run = run_rows.run()
        run_rows.step(run)

        assert ask("run_step", run.number, 2).status_code == 404
        assert ask("run_step", run.number, 0).status_code == 404
