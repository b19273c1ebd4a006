import pytest

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring.engine import calls_read as run_calls
from scoring.engine.models import LLMCall
from scoring.engine.queries import RunReading
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db

REPAIR = (
    ("user", "How good is it?"),
    ("assistant", "I say four."),
    ("user", "You said: I say four. Say it as JSON."),
)


def reading(run, somebody=None):
    owner = somebody or run.requested_by
    return RunReading(Scope(run.project, owner, frozenset({Role.OWNER})), run)


def transcript(run, step):
    calls = run_calls.calls_of(step).rows
    return run_calls.transcript(reading(run), step, calls)


class TestTranscript:
    def test_shows_what_was_asked_and_said(self):
        run = run_rows.run()
        step = run_rows.step(run)
        run_rows.call(step, "I say four.")

        [line] = transcript(run, step)

        assert [(one.role, one.text) for one in line.turns] == [("user", "How good is it?")]
        assert (line.reply, line.finish, line.is_hidden) == ("I say four.", "stop", False)
        assert ("seed", "7") in line.settings

    def test_marks_what_the_call_before_had_too(self):
        run = run_rows.run()
        step = run_rows.step(run)
        run_rows.call(step, "I say four.")
        run_rows.call(step, '{"score": 4}', messages=REPAIR)

        _, line = transcript(run, step)

        assert [one.old for one in line.turns] == [True, False, False]

    def test_marks_what_an_earlier_call_of_the_same_role_had_too(self):
        run = run_rows.run()
        step = run_rows.step(run)
        run_rows.call(step, "I say four.")
        run_rows.call(step, "A base for goods.", role="candidate", messages=REPAIR[1:])
        run_rows.call(step, '{"score": 4}', messages=REPAIR)

        _, candidate, line = transcript(run, step)

        assert [one.old for one in candidate.turns] == [False, False]
        assert [one.old for one in line.turns] == [True, False, False]

    def test_hides_what_a_judge_said_until_the_round_is_final(self):
        run = run_rows.run(round=make.open_round())
        step = run_rows.step(run)
        run_rows.call(step, "I say four.")
        run_rows.call(step, '{"score": 4}', messages=REPAIR)

        first, repair = transcript(run, step)

        assert first.reply is repair.reply is None
        assert first.is_hidden
        assert [one.text for one in first.turns] == ["How good is it?"]
        assert [one.text for one in repair.turns] == ["How good is it?", None, None]

    def test_shows_all_of_it_once_the_round_is_final(self):
        round_ = make.open_round()
        Round.objects.update(state="FINAL")
        round_.refresh_from_db()
        run = run_rows.run(round=round_)
        step = run_rows.step(run)
        run_rows.call(step, "I say four.")
        run_rows.call(step, '{"score": 4}', messages=REPAIR)

        _, repair = transcript(run, step)

        assert [one.text for one in repair.turns] == [text for _, text in REPAIR]
        assert repair.reply == '{"score": 4}'

    def test_shows_candidates_and_failed_calls_at_once(self):
        run = run_rows.run(round=make.open_round())
        step = run_rows.step(run)
        run_rows.call(step, None, problem="503 from the server.")
        run_rows.call(step, "A base for goods.", role="candidate")

        failed, candidate = transcript(run, step)

        assert (failed.call.problem, failed.is_hidden) == ("503 from the server.", False)
        assert candidate.reply == "A base for goods."


class TestLines:
    def test_count_the_calls_of_each_step(self):
        run = run_rows.run()
        first = run_rows.step(run, item=make.item(question="What is a pallet?"))
        run_rows.step(run)
        run_rows.call(first)
        run_rows.call(first, None)

        lines = run_calls.lines(reading(run), run_calls.page(run.steps.all()).rows)

        assert [(one.n_calls, one.n_failed, one.question) for one in lines] == [
            (2, 1, "What is a pallet?"),
            (0, 0, ""),
        ]

    def test_call_systems_by_number_until_their_names_are_shown(self):
        round_ = make.open_round()
        run = run_rows.run(round=round_)
        release = round_.systems.first().release
        step = run_rows.step(run, key="Q01 Kestrel", release=release, item=make.item("Q77"))

        line = run_calls.line_of(reading(run), step)

        assert line.system.startswith("System ")
        assert line.key == "Q77"

    @pytest.mark.parametrize(
        ("key", "sample", "shown"),
        [
            ("Q77 / 64 / Kestrel · 4 / 1", None, "Q77"),
            ("FE Q77 / 64", None, "FE Q77"),
            ("FE Q770 / 64", None, "FE Q770"),
            ("Q77 / 64 / moderation / 9", None, "Q77 / moderation"),
            ("answers 1–10", None, "answers 1–10"),
            ("Q77 / Kestrel · 4 / 2", 2, "Q77 / 2"),
            ("complete / Q77 / 64 / Kestrel / 4 / 2", 2, "complete / Q77 / 2"),
            ("complete / 17 / 64 / Kestrel / 4 / 1", 1, "complete / 17 / 1"),
        ],
    )
    def test_name_a_step_without_numbers_of_rows_and_without_its_system(self, key, sample, shown):
        run = run_rows.run()
        release = make.release("Kestrel", "4", in_=run.project)
        spec = {} if sample is None else {"sample": sample}
        step = run_rows.step(run, key=key, spec=spec, release=release, item=make.item("Q77"))

        line = run_calls.line_of(reading(run), step)

        assert line.key == shown

    def test_say_in_which_currency_they_were_paid(self):
        run = run_rows.run()
        step = run_rows.step(run)
        run_rows.call(step)

        line = run_calls.line_of(reading(run), step)

        assert line.currency == LLMCall.objects.get().endpoint.currency


class TestNeighbours:
    def test_stand_before_and_after(self):
        run = run_rows.run()
        first, middle, last = (run_rows.step(run) for _ in range(3))

        assert run_calls.neighbours(middle) == (0, 2)
        assert run_calls.neighbours(first) == (None, 1)
        assert run_calls.neighbours(last) == (1, None)
