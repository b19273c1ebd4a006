import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.verdicts_v1 import StopReason, Unreadable
from tests.scoring.kinds.interviews.table import verdict


class TestRead:
    @pytest.mark.parametrize(
        "text",
        [
            verdict(3),
            f"```json\n{verdict(3)}\n```",
            f"Here you are: {verdict(3)} I hope it helps.",
            verdict(3).replace('"none"}', '"none",}'),
            verdict(3).replace('"score": 3', '"score": "3"'),
            verdict(3).replace('"score": 3', '"score": 3.0'),
        ],
    )
    def test_takes_json_in_any_wrapping(self, text):
        found = verdicts.read(text)

        assert set(found.scores) == {*verdicts.ASPECTS, "overall"}
        assert set(found.scores.values()) == {3}
        assert found.comments["logic"] == "on logic"
        assert (found.stop, found.stop_reason) == (False, StopReason.NONE)

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "no verdict"),
            ("All good: 4", "no verdict"),
            (verdict(3) + verdict(4), "several"),
            (verdict(5), "whole number"),
            (verdict(0), "whole number"),
            (verdict(3).replace('"score": 3', '"score": 3.5'), "whole number"),
            (verdict(3).replace('"score": 3', '"score": true'), "whole number"),
            (verdict(3).replace('"logic"', '"reason"'), "lacks “logic”"),
            (verdict(3, overall_score=None), "whole number"),
            (verdict(3, stop_conversation="perhaps"), "whether to stop"),
        ],
    )
    def test_refuses_anything_else_and_says_why(self, text, why):
        with pytest.raises(Unreadable, match=why):
            verdicts.read(text)

    @pytest.mark.parametrize(
        ("stop", "said", "reason"),
        [
            (True, "off_topic", StopReason.OFF_TOPIC),
            (True, "Off topic", StopReason.OFF_TOPIC),
            (True, "meaningless_repetition", StopReason.REPETITION),
            ("true", "hallucination", StopReason.HALLUCINATION),
            (True, "bored", StopReason.NONE),
            (False, "off_topic", StopReason.NONE),
        ],
    )
    def test_names_the_reason_of_a_stop(self, stop, said, reason):
        found = verdicts.read(verdict(1, stop=stop, reason=said))

        assert (found.stop, found.stop_reason) == (stop in (True, "true"), reason)

    @given(some.text(max_size=200))
    def test_never_fails_otherwise(self, text):
        with pytest.raises(Unreadable):
            verdicts.read(text)

    def test_fits_its_own_schema_and_form(self):
        assert set(json.loads(verdicts.FORM)) == set(verdicts.SCHEMA["required"])
        assert verdicts.read(verdicts.FORM).scores["overall"] == 1


class TestDecided:
    @pytest.mark.parametrize(
        ("text", "right"),
        [
            ('{"decision": "right"}', True),
            ('So: {"comment": "no", "decision": "Wrong"}', False),
            ('{"decision": "unclear"}', None),
            ('{"decision": "right"} {"decision": "wrong"}', None),
            ("right", None),
        ],
    )
    def test_reads_right_wrong_or_neither(self, text, right):
        assert verdicts.decided(verdicts.decision(text)) is right
