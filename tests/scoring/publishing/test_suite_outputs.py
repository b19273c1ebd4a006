import pytest

from annotation.common import identity
from scoring.publishing import suites as suite_outputs
from tests.scoring import completed, suites, suites_published

pytestmark = pytest.mark.django_db


def said_otherwise(talks):
    """Return the same conversations with other answers."""
    return [
        {
            **talk,
            "messages": [
                {**one, "content": f"{one['content']} So be it."}
                if one["role"] == "assistant"
                else one
                for one in talk["messages"]
            ],
        }
        for talk in talks
    ]


class TestCounts:
    def test_tell_turns_of_the_assistant_calls_and_conversations(self):
        found = suite_outputs.counts(suites_published.judged())

        assert found == [
            ("turns", suites_published.N_TURNS),
            ("tool_calls", 4),
            ("conversations", 4),
        ]

    def test_are_none_where_no_assistant_spoke(self):
        alone = [{"id": "a", "messages": [{"role": "user", "content": "Anybody?"}]}]
        run = suites.done(suites.requested(None, suites.brought(suites.lines(alone))))

        assert suite_outputs.counts(run) == []


class TestUnits:
    def test_put_before_people_what_was_said_and_rate_the_turn(self):
        run = suites_published.judged(n=1)

        first, second = suite_outputs.units(run, "turns")

        assert [one["role"] for one in second.messages] == ["user", "assistant", "user"]
        assert second.messages[-1]["content"] == "Is it free?"
        (output,) = second.outputs
        assert output.messages == [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"type": "function", "function": {"name": "berth", "arguments": {"n": 0}}}
                ],
            },
            {"role": "tool", "content": "free"},
            {"role": "assistant", "content": "Yes, berth 0 is free."},
        ]
        assert first.outputs[0].details["turn"] == 1
        assert first.external_id != second.external_id

    def test_cover_names_of_systems_and_leave_their_prompts_out(self):
        run = suites_published.judged(n=1)

        for unit in suite_outputs.units(run, "turns"):
            assert "Kestrel" not in f"{unit.external_id} {unit.messages} {unit.group}"
            assert identity.MASK in unit.messages[0]["content"]

    def test_are_whole_conversations_after_their_opening(self):
        run = suites_published.judged(n=2)

        units = suite_outputs.units(run, "conversations")

        assert [len(one.messages) for one in units] == [1, 1]
        assert [len(one.outputs[0].messages) for one in units] == [5, 5]
        assert units[0].outputs[0].details["turn"] is None

    def test_have_what_several_systems_said_to_the_same_words_side_by_side(self):
        kestrel = suites.brought(suites.lines(completed.STARTS), system="Kestrel")
        heron = suites.brought(
            suites.lines(said_otherwise(completed.STARTS)), system="Heron", name="Others"
        )
        run = suites.done(suites.requested(None, kestrel, heron))

        found = suite_outputs.units(run, "turns")

        # Both begin alike at the gate and in the wind; at the gate they were told different things since.
        releases = [len({one.release_id for one in unit.outputs}) for unit in found]
        assert sorted(releases) == [1, 1, 2, 2]
        assert dict(suite_outputs.counts(run)) == {"turns": 4, "conversations": 2}
        assert len({unit.external_id for unit in found}) == 4
        whole = suite_outputs.units(run, "conversations")
        assert [len(unit.outputs) for unit in whole] == [2, 2]

    def test_have_two_answers_of_one_release_on_items_of_their_own(self):
        talks = [{**completed.STARTS[1], "id": f"wind {n}"} for n in range(2)]
        run = suites.done(suites.requested(None, suites.brought(suites.lines(talks))))

        found = suite_outputs.units(run, "turns")

        assert [len(unit.outputs) for unit in found] == [1, 1]
        assert len({unit.external_id for unit in found}) == 2
