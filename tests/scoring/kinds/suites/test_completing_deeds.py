"""Systems complete the starts of conversations, and what they made is evaluated in the same run."""

import pytest

from annotation.systems.models import Response
from scoring.endpoints.models import Endpoint
from scoring.engine import requests as control
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.suites import completing as suite_completions
from scoring.kinds.suites import exchange as suite_files
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import ConversationSet
from scoring.llm.base import MachineryFailed, Role, SystemFailed, Trouble
from tests import make
from tests.scoring import completed, connected, suites
from tests.scoring.completed import Answers

pytestmark = pytest.mark.django_db
ONE = "{endpoint: house}"


@pytest.fixture(autouse=True)
def _endpoints(db):
    for name in ("house", "other", "user", "Judge"):
        connected.endpoint(name, model_name=f"{name}-1")


def worked(completion=ONE, text=completed.FUNCTIONS, model=None, sets=(), **given):
    version = completed.saved(completion, text)
    run = suites.requested(version, *(sets or (completed.brought(),)), **given)
    return completed.worked(run, model or Answers())


def said(run):
    """Return each conversation the run made: who, which, and its messages from the assistant and users."""
    return {
        (str(row.response.release), row.external_id, row.response.sample_no): [
            one["content"] for one in row.response.messages
        ]
        for row in suite_frame.conversations_of(run).select_related("response__release__system")
    }


class TestCompletions:
    def test_are_kept_as_conversations_of_the_release_and_evaluated(self):
        run = worked()

        assert run.state == Run.State.DONE
        assert said(run) == {
            ("house · house-1", "gate", 1): [
                "You help drivers.",
                "Where is gate 12?",
                "Behind the weighbridge.",
                "And gate 13?",
                "And gate 13: answer 1.",
            ],
            ("house · house-1", "wind", 1): [
                "May the crane turn in this wind?",
                "May the crane turn in this wind: answer 1.",
            ],
        }
        # What was recorded before counts for nothing: each system gave one answer.
        assert suites.stored(run) == {
            ("gate", "count_messages", "RESPONSE", None): 1,
            ("gate", "string_length", "TURN", 3): 22,
            ("wind", "count_messages", "RESPONSE", None): 1,
            ("wind", "string_length", "TURN", 1): 42,
        }
        made = Response.objects.filter(origin="GENERATED")
        assert {one.details["run"] for one in made} == {run.number}

    def test_stand_in_a_set_of_their_own_and_on_the_items_of_their_starts(self):
        home = completed.brought()
        run = worked(sets=[home])

        made = ConversationSet.objects.exclude(pk=home.pk).get()
        assert made.name == f"Suite 1, run {run.number}"
        assert made.batches.get().n == 2
        assert set(made.conversations.values_list("item", flat=True)) == set(
            home.conversations.values_list("item", flat=True)
        )

    def test_are_made_by_several_releases_side_by_side_and_several_times(self):
        completion = "[{system: Kestrel, release: 2, endpoint: house, n: 2}, {endpoint: other}]"

        run = worked(completion, completed.COMPLETED)

        assert sorted({key[0] for key in said(run)}) == ["Kestrel · 2", "other · other-1"]
        assert len(said(run)) == 6
        scored = Judgment.objects.filter(run=run, rater__kind="JUDGE", outcome="SCORED")
        assert scored.count() == 2 * 2 + 2  # an answer at the gate and one in the wind
        lines = list(suite_files.records(run))
        assert {one["release"] for one in lines} == {"2", "other-1"}

    def test_of_starts_that_two_systems_share_are_made_once(self):
        home = completed.brought(system="Kestrel")
        completed.brought(system="Heron")

        run = worked(sets=[home])

        assert len(said(run)) == 2

    def test_are_carried_on_with_what_the_recorded_user_said(self):
        run = worked("{endpoint: house, start: first, turns: 3}")

        assert said(run)["house · house-1", "gate", 1] == [
            "You help drivers.",
            "Where is gate 12?",
            "Where is gate 12: answer 1.",
            "And gate 13?",
            "And gate 13: answer 1.",
        ]
        assert len(said(run)["house · house-1", "wind", 1]) == 2

    def test_are_carried_on_by_a_model_that_plays_the_user(self):
        model = Answers()

        run = worked("{endpoint: house, turns: 5, user: {endpoint: user}}", model=model)

        assert said(run)["house · house-1", "wind", 1][2:] == ["And then?", "And then: answer 1."]
        assert model.asked == {Role.CANDIDATE: 4, Role.INTERACTOR: 4}

    def test_leave_out_and_say_where_no_user_speaks(self):
        silent = {"id": "alone", "messages": [{"role": "assistant", "content": "Hello?"}]}
        home = suites.brought(suites.lines([*completed.STARTS, silent]))

        run = worked(sets=[home])

        left_out = run.steps.get(outcome=Step.Outcome.SKIPPED)
        assert "No user speaks" in left_out.problem
        assert len(said(run)) == 2

    def test_keep_an_answer_that_the_system_failed_to_give(self):
        class Silent(Answers):
            async def reply(self, request):
                if "wind" in request.messages[-1].content:
                    raise SystemFailed(Trouble.EMPTY, "The reply was empty.")
                return await super().reply(request)

        run = worked(model=Silent())

        assert said(run)["house · house-1", "wind", 1][-1] == ""
        assert run.steps.get(outcome=Step.Outcome.SYSTEM_FAILED).trouble == "EMPTY"

    def test_that_machinery_failed_at_are_made_later_and_evaluated_then(self):
        class Breaking(Answers):
            broken = True

            async def reply(self, request):
                if self.broken and "wind" in request.messages[-1].content:
                    raise MachineryFailed(Trouble.BAD_REQUEST, "no")
                return await super().reply(request)

        model = Breaking()
        run = worked(model=model)
        before = suites.stored(run)
        model.broken = False

        control.retry_failed(run=run, user=None, now=make.NOW)
        run = completed.worked(run, model)

        assert {key[0] for key in before} == {"gate"}
        assert {key[0] for key in suites.stored(run)} == {"gate", "wind"}
        assert before.items() <= suites.stored(run).items()
        assert run.state == Run.State.DONE

    def test_take_three_starts_to_try_it(self):
        many = [{**completed.STARTS[1], "id": f"wind {n}"} for n in range(9)]

        run = worked(sets=[suites.brought(suites.lines(many))], tries=True)

        assert len(said(run)) == 3

    @pytest.mark.parametrize("most", [1, 8, 32])
    def test_come_to_the_same_however_many_calls_are_in_flight(self, most):
        Endpoint.objects.update(max_in_flight=most)
        many = [{**completed.STARTS[0], "id": f"gate {n}"} for n in range(9)]

        run = worked("{endpoint: house, n: 2}", sets=[suites.brought(suites.lines(many))])

        assert len(said(run)) == 18
        assert all(
            found[-1] == f"And gate 13: answer {sample}."
            for (_release, _name, sample), found in said(run).items()
        )
        assert len(suites.stored(run)) == 9 * (1 + 1)

    def test_are_asked_for_once_though_the_run_stops_half_way(self):
        class Breaking(Answers):
            left = 3

            async def reply(self, request):
                if self.left == 0:
                    raise MachineryFailed(Trouble.KEY, "the key is refused", status=401)
                self.left -= 1
                return await super().reply(request)

        many = [{**completed.STARTS[1], "id": f"wind {n}"} for n in range(6)]
        run = worked(sets=[suites.brought(suites.lines(many))], model=Breaking())
        n_before = run.calls.filter(trouble="").count()
        state = run.state
        control.resume(run=run, user=None, now=make.NOW)
        model = Answers()

        run = completed.worked(run, model)

        assert (state, n_before) == (Run.State.PAUSED, 3)
        assert model.asked.total() == 3
        assert (run.state, len(said(run))) == (Run.State.DONE, 6)


def estimated(version, home):
    wish = suite_runs.SuiteRun(**connected.head(1, "Suite"), sets=(home.name,))
    return connected.reckoned(suite_runs.START, suite_runs.Of(version), wish)[0]


class TestEstimate:
    def test_counts_what_systems_users_and_judges_are_asked(self):
        version = completed.saved(
            "[{endpoint: house, turns: 3, user: user, n: 2}]", completed.COMPLETED
        )

        found = estimated(version, completed.brought())

        by_role = {one.role: one.calls for one in found.shares}
        # Two starts, twice: three answers and two of the user each; a judge for each answer.
        assert by_role == {"candidate": 12, "interactor": 8, "judge": 12}

    def test_says_that_too_many_would_be_made(self):
        many = [{**completed.STARTS[1], "id": f"wind {n}"} for n in range(3)]
        home = suites.brought(suites.lines(many))
        version = completed.saved("{endpoint: house, n: 10}")

        with pytest.raises(suite_completions.TooManyCompletions):
            suite_completions.check_size(2_001, [{"n": 10}])
        estimated(version, home)
