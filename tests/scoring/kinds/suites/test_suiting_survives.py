"""What a suite's judging must survive, asked over real HTTP of a server that answers as each test wants."""

import json
from collections import Counter

import pytest

from scoring.endpoints.models import Endpoint
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import Judgment, LLMCall, Run
from tests.scoring import applications, connected, running, suites
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
RUBRIC = """\
name: Survives {number}
grader: [{{endpoint: Judge {number}}}]
rubrics:
  of:
    prompt: {prompt}
    choice_scores: {choices}
metrics:
  rubric: [{{name: of, metric_level: Message}}]
"""
PROMPT = "'Judge this. {content}'"


@pytest.fixture(autouse=True)
def _near(settings):
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)


def talks(n, content="At gate {}."):
    return suites.lines(
        {"id": f"t{one:03}", "messages": [{"role": "assistant", "content": content.format(one)}]}
        for one in range(n)
    )


def judged(url, choices, *, n=1, number=1, prompt=PROMPT, home=None, **endpoint):
    connected.endpoint(
        f"Judge {number}",
        **{"kind": Endpoint.Kind.SERVER, "url": url, "model_name": "m", "timeout": 5, **endpoint},
    )
    text = RUBRIC.format(number=number, prompt=prompt, choices=json.dumps(choices))
    run = suites.requested(suites.saved(text), home or suites.brought(talks(n)), number=number)
    working.work(run.pk, running.clock, Means(patience=running.QUICK))
    run.refresh_from_db()
    assert run.state == Run.State.DONE
    return run


def saying(text):
    """Return an answer of a chat server: a text, or what a function makes of all that it is told."""

    def answer(asked):
        told = "\n".join(one["content"] for one in asked.body["messages"])
        said = text(told) if callable(text) else text
        return 200, {"choices": [{"message": {"role": "assistant", "content": said}}]}

    return answer


def found(run):
    rows = Judgment.objects.filter(run=run).order_by("response", "target_index")
    return list(rows.values_list("outcome", "label", "value"))


class TestChoices:
    @pytest.mark.parametrize(
        ("choices", "said", "outcome"),
        [
            ({"CONSISTENT": 1, "INCONSISTENT": 0}, "INCONSISTENT", ("SCORED", "INCONSISTENT", 0)),
            ({"CONSISTENT": 1, "INCONSISTENT": 0}, "CONSISTENT", ("SCORED", "CONSISTENT", 1)),
            ({str(n): n for n in range(1, 11)}, "10", ("SCORED", "10", 10)),
            ({str(n): n for n in range(1, 11)}, "1", ("SCORED", "1", 1)),
            ({"YES": 1, "NO": 0}, "NOT SURE", ("UNSCORED", "", None)),
            ({"0.5": 0.5, "N/A": -1, "1": 1}, "0.5", ("SCORED", "0.5", 0.5)),
            ({"0.5": 0.5, "N/A": -1, "1": 1}, "N/A", ("SCORED", "N/A", -1)),
            ({"YES": 1, "NO": 0}, "Answer: YES because good", ("SCORED", "YES", 1)),
        ],
    )
    def test_are_read_as_they_were_meant(self, choices, said, outcome):
        with applications.application(saying(said)) as server:
            run = judged(server.url, choices)

        assert found(run) == [outcome]

    def test_stand_beside_braces_in_the_rubric(self):
        prompt = '\'Reply in the form {"verdict": {"of": "x"}, "{other}": 1}. {content}\''
        with applications.application(saying("YES")) as server:
            run = judged(server.url, {"YES": 1, "NO": 0}, prompt=prompt)

        asked = server.asked[0].body["messages"][-1]["content"]
        assert '{"verdict": {"of": "x"}, "{other}": 1}' in asked
        assert "At gate 0." in asked
        assert found(run) == [("SCORED", "YES", 1)]


class TestServers:
    @pytest.mark.nightly
    def test_that_send_garbage_once_lose_one_judgment_of_200(self):
        def said(asked):
            return "%%% garbage %%%" if "At gate 77." in asked else "YES"

        with applications.application(saying(said)) as server:
            run = judged(server.url, {"YES": 1, "NO": 0}, n=200)

        assert Counter(one[0] for one in found(run)) == {"SCORED": 199, "UNSCORED": 1}

    @pytest.mark.nightly
    def test_that_ask_to_wait_a_fifth_of_the_time_lose_none_of_200(self):
        faults = {"429": 0.2, "retry_after": 0.05, "seed": 3}
        with serving.in_thread({"schema": False}, faults) as server:
            run = judged(server.url, {"YES": 1, "NO": 0}, n=200)
            counts = server.counts()

        assert counts["faults"]["429"] > 20
        assert len(found(run)) == 200
        limited = LLMCall.objects.filter(run=run, trouble="RATE_LIMITED").count()
        assert limited == counts["faults"]["429"]
        assert (
            LLMCall.objects.filter(run=run).exclude(trouble__in=["", "RATE_LIMITED"]).count() == 0
        )
        assert set(Counter(one[0] for one in found(run))) <= {"SCORED", "UNSCORED"}
        by_call = LLMCall.objects.filter(run=run, trouble="").values("step").distinct().count()
        assert by_call == 200

    @pytest.mark.nightly
    def test_that_hang_for_good_are_asked_again_and_then_leave_no_score(self):
        with serving.in_thread(faults={"hang": 1.0}) as server:
            run = judged(server.url, {"YES": 1, "NO": 0}, n=2, timeout=1)

        assert [one[0] for one in found(run)] == ["UNSCORED", "UNSCORED"]
        reasons = set(Judgment.objects.filter(run=run).values_list("reason", flat=True))
        assert reasons == {"The judge did not answer in time."}
        assert LLMCall.objects.filter(run=run, trouble="TIMEOUT").count() > 2

    @pytest.mark.nightly
    def test_come_to_the_same_with_1_8_and_32_calls_in_flight(self):
        def said(asked):
            number = int(asked.partition("At gate ")[2].partition(".")[0])
            return ("YES", "NO", "Hm.")[number % 3]

        values = []
        home = suites.brought(talks(64))
        with applications.application(saying(said)) as server:
            for number, most in enumerate((1, 8, 32), start=1):
                given = {"number": number, "home": home, "max_in_flight": most}
                values.append(found(judged(server.url, {"YES": 1, "NO": 0}, **given)))

        assert Counter(one[0] for one in values[0]) == {"SCORED": 43, "UNSCORED": 21}
        assert values[0] == values[1] == values[2]


class TestConversations:
    def test_without_content_are_judged_by_what_is_there(self):
        said = [
            {"role": "user", "content": "How windy is it?"},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "wind"}}]},
        ]
        home = suites.brought(suites.lines([{"id": "null", "messages": said}]))
        with applications.application(saying("NO")) as server:
            run = judged(server.url, {"YES": 1, "NO": 0}, home=home)

        assert [one[0] for one in found(run)] == ["SCORED", "SCORED"]

    @pytest.mark.parametrize("turned", [False, True])
    def test_without_an_earlier_part_leave_out_what_waits_for_it(self, turned):
        waits = (
            "    - {name: of, metric_level: Message, depends_on: [{name: string_length, "
            "metric_level: Message, relative_object_position: -1, metric_min_value: 1}]}\n"
        )
        blocks = [
            "  rubric:\n" + waits,
            "  function:\n    - {name: string_length, metric_level: Message}\n",
        ]
        connected.endpoint("Judge 1", kind=Endpoint.Kind.SERVER, model_name="m", timeout=5)
        text = RUBRIC.format(number=1, prompt=PROMPT, choices='{"YES": 1, "NO": 0}')
        text = text[: text.index("metrics:")] + "metrics:\n"
        text += "".join(reversed(blocks) if turned else blocks)
        said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
        home = suites.brought(suites.lines([{"id": "two", "messages": said}]))
        with applications.application(saying("YES")) as server:
            Endpoint.objects.update(url=server.url)
            run = suites.requested(suites.saved(text), home)
            working.work(run.pk, running.clock, Means(patience=running.QUICK))

        rows = Judgment.objects.filter(run=run, rater__kind="JUDGE").order_by("target_index")
        first, second = rows
        assert (first.outcome, second.outcome) == ("SKIPPED", "SCORED")
        assert "There is no Message before this one" in first.reason
        assert len(server.asked) == 1
