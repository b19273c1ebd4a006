import csv
import io
import json

import pytest

from annotation.common import identity
from annotation.people.models import Role
from annotation.rounds import opening
from annotation.systems.models import Display
from scoring.engine.models import Judgment
from scoring.kinds.suites.models import PublishedPart
from scoring.publishing import suites as suite_outputs
from scoring.results import exports
from scoring.shown import names
from tests import make
from tests.pages import squeezed
from tests.scoring import rounds, suites, traced, worker
from tests.scoring.interviews_published import graded

pytestmark = pytest.mark.django_db


def units_of(run, sort="tool_calls"):
    return {
        one.outputs[0].messages[0]["tool_calls"][0]["function"]["name"]: one
        for one in suite_outputs.units(run, sort)
    }


@pytest.fixture
def run():
    return traced.judged()


class TestToolCalls:
    def test_are_offered_beside_turns_and_conversations(self, run):
        found = dict(suite_outputs.counts(run))

        assert (found["tool_calls"], found["turns"], found["conversations"]) == (7, 5, 4)

    def test_are_put_before_people_with_their_own_result_and_nothing_later(self, run):
        unit = units_of(run)["depths"]

        (output,) = unit.outputs
        assert [one["role"] for one in output.messages] == ["assistant", "tool"]
        assert json.loads(output.messages[1]["content"]) == {"4": 11.2, "7": 9.8}
        assert [one["role"] for one in unit.messages] == ["user", "assistant"]
        (sibling,) = unit.messages[1]["tool_calls"]
        assert sibling["function"]["name"] == "free_berths"
        assert unit.messages[1]["content"] == "I look both up."
        assert unit.extra == {"part": {"level": "TOOL_CALL", "turn": 2, "tool_call": 2}}
        assert "is free" not in str(unit)

    def test_have_no_result_where_none_was_recorded(self, run):
        (output,) = units_of(run)["siren"].outputs

        assert len(output.messages) == 1
        assert output.messages[0]["tool_calls"][0]["function"]["arguments"] == {"": "{not json"}

    def test_keep_errors_and_leave_out_what_only_a_maker_knows(self):
        talk = {
            "id": "a",
            "messages": [
                {"role": "user", "content": "Reserve."},
                {
                    "role": "assistant",
                    "content": "",
                    "model": "kestrel-9b",
                    "tool_calls": [{"id": "1", "function": {"name": "book", "arguments": "{}"}}],
                },
                {
                    "role": "tool",
                    "content": "taken",
                    "tool_call_id": "1",
                    "status": "error",
                    "latency": 3,
                },
            ],
        }
        run = suites.done(suites.requested(None, suites.brought(suites.lines([talk]))))

        ((unit,),) = [suite_outputs.units(run, "tool_calls")]

        assert unit.outputs[0].messages[1] == {
            "role": "tool",
            "content": "taken",
            "tool_call_id": "1",
            "error": True,
        }
        assert "kestrel-9b" not in str(unit)

    def test_cover_names_in_calls_and_results_that_went_before(self):
        def ask(n):
            return {"function": {"name": f"ask_kestrel_{n}", "arguments": '{"who": "Kestrel"}'}}

        said = [
            {"role": "user", "content": "Ask."},
            {"role": "assistant", "content": "", "tool_calls": [ask(1)]},
            {"role": "tool", "content": "Kestrel is here."},
            {"role": "assistant", "content": "", "tool_calls": [ask(2)]},
        ]
        home = suites.brought(suites.lines([{"id": "a", "messages": said}]))
        run = suites.done(suites.requested(None, home))

        _first, second = suite_outputs.units(run, "tool_calls")

        assert "kestrel" not in str(second.messages).casefold()
        assert str(second.messages).count(identity.MASK) == 3

    def test_carry_what_functions_counted_in_them(self, run):
        round_ = traced.drafted(run, "tool_calls")

        parts = PublishedPart.objects.all()
        assert parts.count() == round_.items.count() == 7
        compared = 0
        for part in parts:
            there = Judgment.objects.filter(
                response=part.source_id, target_level="TOOL_CALL", target_index=part.tool_call
            )
            mine = Judgment.objects.filter(response=part.response_id, target_level="RESPONSE")
            told = {(one.criterion_id, one.value) for one in there}
            assert {(one.criterion_id, one.value) for one in mine} == told
            compared += len(told)
        assert compared


class TestDesk:
    @pytest.fixture(params=["tool_calls", "turns", "conversations"])
    def round_(self, run, request):
        return traced.opened(run, request.param)

    def test_shows_no_name_of_a_system_and_no_markup_of_one(self, round_, client):
        shown = [one.face for one in round_.items.all()]
        html = list(Display.objects.values_list("html", flat=True))

        everything = json.dumps([shown, html])
        assert html
        assert "kestrel" not in everything.casefold()
        assert "<script" not in everything
        assert "<svg" not in everything

    def test_marks_what_is_graded_below_what_went_before(self, round_, client):
        seat = make.claim(round_)
        client.force_login(make.account(make.holder(seat)))

        page = client.get(f"/p/northport/grade/{seat.token}/").content.decode()

        words = {
            "TOOL_CALL": "Grade this tool call",
            "TURN": "Grade this turn",
            "CONVERSATION": "Grade the whole conversation",
        }
        (mark,) = [said for said in words.values() if said in page]
        assert words[seat.round_item.face["part"]] == mark
        assert page.index('class="so-far"') < page.index(mark) < page.index("data-response")

    def test_keeps_what_was_frozen_flat_as_it_was(self, run):
        first = traced.drafted(run, "turns")
        shown = first.items.first().responses.first()
        flat = Display.objects.create(
            response=shown.response,
            renderer=opening.RENDERER,
            mask_set="",
            text="x",
            html="<p>x</p>",
        )
        traced.open_draft(first)

        shown.refresh_from_db()
        flat.refresh_from_db()
        assert flat.html == "<p>x</p>"
        assert shown.display_id != flat.pk
        assert 'class="trace"' in shown.display.html


class TestFiles:
    def test_say_which_call_a_grade_belongs_to(self, run):
        round_ = graded(traced.drafted(run, "tool_calls"), low=0, n_levels=2)
        shown = names.names(round_, shown=True)

        table = list(csv.DictReader(io.StringIO("".join(exports.rating_csv_lines(round_, shown)))))
        lines = [
            json.loads(one)
            for one in "".join(exports.rating_jsonl_lines(round_, shown)).splitlines()
        ]

        places = {(one["question"], one["level"], one["turn"], one["tool_call"]) for one in table}
        assert len(places) == 7
        assert ("parallel calls answered out of order", "TOOL_CALL", "2", "2") in places
        assert {one["rater_kind"] for one in table} == {"PERSON", "METRIC"}
        told = [(one["level"], one["turn"], one["tool_call"]) for one in lines]
        assert told == [(one["level"], int(one["turn"]), int(one["tool_call"])) for one in table]

    def test_say_nothing_of_parts_of_answers_to_questions(self):
        round_ = rounds.graded(n_items=1)

        lines = "".join(exports.jsonl_lines(round_, names.names(round_, shown=True)))

        assert {json.loads(one)["level"] for one in lines.splitlines()} == {None}


class TestResults:
    def test_say_what_the_grades_are_of(self, run, client):
        round_ = graded(traced.drafted(run, "tool_calls"), low=0, n_levels=2)
        client.force_login(make.member(Role.ANALYST))
        at = f"/p/northport/rounds/{round_.number}/results/"
        client.get(at)
        worker.compute()

        page = squeezed(client.get(at).content.decode())
        told = client.get(f"/api/v1/projects/northport/rounds/{round_.number}/results/").json()

        assert "21 grades of tool calls by 3 annotators" in page
        assert told["round"]["graded"] == ["TOOL_CALL"]
