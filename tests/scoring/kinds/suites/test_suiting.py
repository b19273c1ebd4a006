import ast
import json
from collections import Counter

import pytest

from scoring.endpoints.models import Judge
from scoring.engine import requests as control
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.suites import queries as suite_frame
from scoring.llm.base import MachineryFailed, Reply, Trouble
from tests import make
from tests.scoring import connected, running, suites

pytestmark = pytest.mark.django_db


class Says(running.Model):
    """A judge that says what `said` makes of a request."""

    def __init__(self, said):
        super().__init__()
        self.said = said

    async def reply(self, request):
        self.asked[request.part] += 1
        made = self.said(request, self)
        if isinstance(made, Exception):
            raise made
        return Reply(made, prompt_tokens=10, completion_tokens=5)


def judged(said, **given):
    connected.endpoint("Judge")
    model = Says(said)
    run = suites.requested(suites.saved(suites.JUDGED))
    return running.worked(run, model, **given), model


class TestFunctions:
    def test_gives_the_known_values_of_the_eight_conversations(self, golden):
        folder = golden / "flexeval"
        rows = json.loads((folder / "own_expected.json").read_text())["rows"]
        wanted = {
            (one["name"], one["level"], one["kwargs"])
            for one in rows
            if not one["name"].startswith("flesch") and one["name"] != "count_emojis"
        }
        text = "name: Known\nmetrics:\n  function:\n" + "".join(
            "    - "
            + json.dumps({"name": name, "metric_level": level, "kwargs": ast.literal_eval(kwargs)})
            + "\n"
            for name, level, kwargs in sorted(wanted)
        )
        home = suites.brought((folder / "own_fixture.jsonl").read_bytes())
        version = suites.saved(text)

        run = suites.done(suites.requested(version, home))

        rater = {
            (entry.name, entry.level.value, str(dict(entry.kwargs))): run.config["raters"][str(at)]
            for at, entry in suite_frame.suite_of(run).functions
        }
        fields = ("response__item__external_id", "rater", "criterion__name", "target_level")
        found = {
            row[:5]: row[5]
            for row in Judgment.objects.filter(run=run).values_list(
                *fields, "target_index", "value"
            )
        }
        target = {"Thread": "RESPONSE", "Turn": "TURN", "Message": "MESSAGE"}
        wrong = []
        n = 0
        for row in rows:
            key = (row["name"], row["level"], str(ast.literal_eval(row["kwargs"])))
            if key not in rater:
                continue
            n += 1
            place = {"Thread": None, "Turn": row["turn"], "Message": row["message"]}[row["level"]]
            at = (row["conv"], rater[key], row["metric"], target[row["level"]], place)
            if found.get(at) != row["value"]:
                wrong.append((at, row["value"], found.get(at)))

        assert n == 376  # of 526: emoji and readability are ours
        assert wrong == []

    def test_computes_without_asking_and_keeps_why_something_is_left_out(self):
        text = """
metrics:
  function:
    - name: flesch_reading_ease
      depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]
"""
        run = suites.done(suites.requested(suites.saved(text)))

        found = suites.stored(run)
        assert run.state == Run.State.DONE
        assert found["gate", "flesch_reading_ease", "TURN", 0].startswith("SKIPPED: “is_role")
        assert found["gate", "flesch_reading_ease", "TURN", 1] == pytest.approx(62.79)
        assert found["gate", "assistant", "TURN", 1] == 1

    def test_gives_the_same_whatever_the_order_of_metrics(self):
        functions = [
            "    - {name: count_messages, depends_on: [{name: string_length, metric_min_value: 9}]}\n",
            "    - {name: index_in_thread, depends_on: [{name: count_messages, "
            "relative_object_position: -1}]}\n",
            "    - {name: string_length}\n",
        ]
        head = "name: {}\nmetrics:\n  function:\n"
        home = suites.brought()
        there = suites.saved(head.format("there") + "".join(functions))
        back = suites.saved(head.format("back") + "".join(reversed(functions)))

        one = suites.done(suites.requested(there, home))
        other = suites.done(suites.requested(back, home, number=2))

        assert suites.stored(one) == suites.stored(other)
        assert "SKIPPED: There is no Turn before this one" in str(
            suites.stored(one)["gate", "index_in_thread", "TURN", 0]
        )


class TestRubrics:
    def test_asks_only_where_the_dependency_holds_and_keeps_the_reasons(self):
        run, model = judged(lambda *_: '{"reasoning": "It is short.", "choice": "UNKIND"}')

        rows = Judgment.objects.filter(run=run, rater__kind="JUDGE", outcome="SCORED")
        assert run.state == Run.State.DONE
        assert model.asked.total() == 2
        assert set(rows.values_list("value", "label", "text")) == {(0.0, "UNKIND", "It is short.")}
        skipped = Judgment.objects.filter(run=run, outcome="SKIPPED")
        assert skipped.count() == 3
        assert "below 1" in skipped[0].reason

    def test_asks_once_more_and_then_says_that_there_is_no_score(self):
        run, model = judged(lambda *_: "NOT SURE")

        assert model.asked.total() == 4
        assert Judgment.objects.filter(run=run, outcome="UNSCORED").count() == 2
        assert set(run.steps.filter(response__isnull=False).values_list("outcome", flat=True)) == {
            Step.Outcome.NO_READING
        }

    def test_takes_a_hang_for_no_score(self):
        run, _model = judged(lambda *_: MachineryFailed(Trouble.TIMEOUT, "too late"))

        found = Judgment.objects.filter(run=run, outcome="UNSCORED")
        assert set(found.values_list("reason", flat=True)) == {"The judge did not answer in time."}

    def test_has_several_judges_side_by_side(self):
        for name in ("Judge", "Other"):
            connected.endpoint(name)
        text = suites.JUDGED.replace("[{endpoint: Judge}]", "[Judge, Other]")
        run = running.worked(suites.requested(suites.saved(text)), Says(lambda *_: "KIND"))

        scored = Judgment.objects.filter(run=run, rater__kind="JUDGE", outcome="SCORED")
        assert scored.count() == 4
        assert Judge.objects.filter(protocol="suite/v1").count() == 2

    def test_uses_the_same_judge_for_the_same_rubric(self):
        connected.endpoint("Judge")
        version, home = suites.saved(suites.JUDGED), suites.brought()

        for number in (1, 2):
            suites.requested(version, home, number=number)

        assert Judge.objects.filter(protocol="suite/v1").count() == 1


class TestEngine:
    TALKS = tuple({**suites.TALKS[0], "id": f"talk {number}"} for number in range(12))

    def asked(self, number=1, most=8):
        connected.endpoint(f"Judge {number}", max_in_flight=most)
        text = suites.JUDGED.replace("Kindness", f"K {number}").replace(
            "endpoint: Judge", f"endpoint: Judge {number}"
        )
        home = suites.brought(suites.lines(self.TALKS))
        return suites.requested(suites.saved(text), home, number=number)

    def test_comes_to_the_same_however_many_calls_are_in_flight(self):
        found = []
        for number, most in enumerate((1, 8, 32), start=1):
            run = running.worked(self.asked(number, most), Says(lambda *_: "KIND"))
            found.append(suites.stored(run))

        assert len(found[0]) == 12 * 6
        assert found[0] == found[1] == found[2]

    def test_asks_nothing_twice_after_it_was_stopped_half_way(self):
        def breaks(_request, model):
            wrong = MachineryFailed(Trouble.KEY, "the key is refused", status=401)
            return "KIND" if model.asked.total() <= 5 else wrong

        run = running.worked(self.asked(), Says(breaks))
        state, n_kept = run.state, run.calls.filter(trouble="").count()
        control.resume(run=run, user=None, now=make.NOW)
        model = Says(lambda *_: "KIND")

        run = running.worked(run, model)

        assert (state, n_kept) == (Run.State.PAUSED, 5)
        assert model.asked.total() == 12 - n_kept
        assert run.state == Run.State.DONE
        assert Judgment.objects.filter(run=run, outcome="SCORED", rater__kind="JUDGE").count() == 12

    def test_loses_one_judgment_to_garbage_and_keeps_the_others(self):
        def said(_request, model):
            return "Hm." if model.asked.total() in {1, 2} else "KIND"

        run = running.worked(self.asked(most=1), Says(said))

        outcomes = Judgment.objects.filter(run=run, rater__kind="JUDGE").values_list("outcome")
        assert Counter(one for (one,) in outcomes) == {
            "SCORED": 11,
            "UNSCORED": 1,
            "SKIPPED": 24,
        }


class TestCheck:
    def test_refuses_an_endpoint_that_is_not_there(self):
        version = suites.saved(suites.JUDGED)

        with pytest.raises(Exception, match="names the endpoint “Judge”"):
            suites.requested(version)

    def test_refuses_a_set_that_is_empty(self):
        home = suites.brought()
        version = suites.saved()
        type(home).objects.create(
            project=make.project(), number=9, name="Nothing", created_at=make.NOW
        )

        with pytest.raises(Exception, match="no conversation in these sets"):
            suites.requested(version, type(home).objects.get(number=9))


class TestPrompts:
    def test_counts_what_is_going_to_be_asked(self):
        connected.endpoint("Judge")

        run = suites.requested(suites.saved(suites.JUDGED))

        assert run.estimate["calls"] == 2
