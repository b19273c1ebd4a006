import asyncio
from decimal import Decimal

import pytest

from annotation.common.scales import Scale
from scoring.llm import base as several
from scoring.llm.base import MachineryFailed, Reply, Request, Role, Settings, Trouble
from scoring.protocols import samples
from scoring.protocols.reading import Wanted
from scoring.protocols.samples import Mark
from tests.scoring.protocols.answering import Answering

WANTED = [
    Wanted("clear", "Clear", Scale(Decimal(1), Decimal(5))),
    Wanted("true", "True", Scale(Decimal(1), Decimal(5))),
]
GOOD = '{"clear": {"score": 4, "explanation": "so"}, "true": {"score": 2.5, "explanation": "no"}}'


def take(model):
    request = Request(Role.JUDGE, (), Settings(max_tokens=100), part="all")
    return asyncio.run(
        samples.take(model, request, WANTED, lambda problems: "again: " + "; ".join(problems))
    )


def values(marks):
    return [marks[one.key].value for one in WANTED]


def packed(*texts):
    replies = [Reply(text) for text in texts]
    return several.packed(replies, like=Reply("", prompt_tokens=5))


def draw(model, n=3, *, together=True):
    asked = [Request(Role.JUDGE, (), Settings(max_tokens=100), repeat=at) for at in range(1, n + 1)]
    return asyncio.run(
        samples.draw(model, asked, WANTED, lambda _problems: "again", together=together)
    )


class TestDraw:
    def test_asks_for_all_samples_in_one_request(self):
        model = Answering(packed(GOOD, GOOD.replace("4", "5"), GOOD))

        found = draw(model)

        assert [values(one)[0] for one in found] == [4, 5, 4]
        assert [(one.settings.n, one.repeat) for one in model.requests] == [(3, 1)]

    def test_asks_for_one_after_the_other_where_they_do_not_come_together(self):
        model = Answering(GOOD)

        assert len(draw(model, together=False)) == 3
        assert [(one.settings.n, one.repeat) for one in model.requests] == [
            (None, 1), (None, 2), (None, 3),
        ]  # fmt: skip

    def test_repairs_a_sample_alone(self):
        model = Answering(packed(GOOD, "Splendid."), GOOD)

        found = draw(model, 2)

        assert [values(one) for one in found] == [[4, Decimal("2.5")]] * 2
        assert [(one.settings.n, one.repeat) for one in model.requests] == [(2, 1), (None, 2)]
        assert model.requests[1].messages[0].content == "Splendid."

    def test_asks_singly_for_what_did_not_come(self):
        model = Answering(packed(GOOD), GOOD)

        assert [values(one)[0] for one in draw(model)] == [4, 4, 4]
        assert [one.repeat for one in model.requests] == [1, 2, 3]

    def test_asks_singly_where_the_server_takes_no_number(self):
        refused = MachineryFailed(Trouble.BAD_REQUEST, "n is not supported")
        model = Answering(refused, GOOD)

        assert [values(one)[0] for one in draw(model)] == [4, 4, 4]
        assert [one.settings.n for one in model.requests] == [3, None, None, None]

    def test_takes_an_empty_or_withheld_one_for_no_score_and_keeps_the_others(self):
        withheld = several.packed(
            [Reply(GOOD), Reply(""), Reply("", finish="content_filter")], like=Reply("")
        )

        found = draw(Answering(withheld))

        outcomes = [(one["clear"].outcome, one["clear"].reason) for one in found]
        assert outcomes == [
            ("SCORED", ""), ("UNSCORED", samples.EMPTY), ("REFUSED", samples.FILTERED),
        ]  # fmt: skip

    def test_raises_what_is_no_fault_of_the_judge(self):
        with pytest.raises(MachineryFailed):
            draw(Answering(MachineryFailed(Trouble.KEY, "no")))

    def test_keeps_requests_small(self):
        model = Answering(packed(*[GOOD] * samples.AT_ONCE), packed(GOOD, GOOD))

        assert len(draw(model, samples.AT_ONCE + 2)) == samples.AT_ONCE + 2
        assert [one.settings.n for one in model.requests] == [samples.AT_ONCE, 2]


class TestAlike:
    def test_sets_samples_in_turned_order_apart(self):
        asked = [Request(Role.JUDGE, (), repeat=at) for at in range(1, 5)]

        def numbers(**how):
            return [[one.repeat for one in group] for group in samples.alike(asked, **how)]

        assert numbers(turned=True, together=True) == [[1, 3], [2, 4]]
        assert numbers(turned=False, together=True) == [[1, 2, 3, 4]]
        assert numbers(turned=True, together=False) == [[1], [2], [3], [4]]


class TestIsTurned:
    def test_is_every_second_reading(self):
        assert [samples.is_turned(repeat) for repeat in (1, 2, 3, 4)] == [False, True, False, True]


class TestTake:
    def test_reads_a_value_and_its_reason_for_each_criterion(self):
        found = take(Answering(GOOD))

        assert values(found) == [4, Decimal("2.5")]
        assert found["true"].text == "no"

    def test_asks_again_for_what_is_missing_and_keeps_what_was_read(self):
        model = Answering(
            '{"clear": {"score": 4}}', '{"clear": {"score": 1}, "true": {"score": 3}}'
        )

        found = take(model)

        assert values(found) == [4, 3]
        assert model.requests[1].part == "all repair"
        assert model.requests[1].messages[-1].content.startswith("again: The criterion is missing")

    def test_asks_once_more_with_more_room_for_what_was_cut_off(self):
        model = Answering(Reply(GOOD[:20], finish="length"), GOOD)

        assert values(take(model)) == [4, Decimal("2.5")]
        assert (model.requests[1].part, model.requests[1].settings.max_tokens) == (
            "all longer",
            300,
        )

    def test_leaves_without_a_score_what_cannot_be_read_in_the_end(self):
        found = take(Answering("7 of 5, I would say"))

        assert values(found) == [None, None]
        assert found["clear"].outcome == "UNSCORED"
        assert found["clear"].reason

    def test_leaves_without_a_score_what_is_cut_off_again_and_again(self):
        model = Answering(Reply("The", finish="length"))

        found = take(model)

        assert {one.reason for one in found.values()} == {"The reply was cut off."}
        assert [one.part for one in model.requests] == ["all", "all longer", "all repair"]

    def test_tells_a_judge_that_declines_from_one_that_is_unclear(self):
        found = take(Answering("I'm sorry, I cannot judge this."))

        assert {one.outcome for one in found.values()} == {"REFUSED"}

    @pytest.mark.parametrize(
        ("trouble", "outcome"),
        [
            (Trouble.FILTERED, "REFUSED"),
            (Trouble.EMPTY, "UNSCORED"),
            (Trouble.TOO_LONG, "UNSCORED"),
        ],
    )
    def test_takes_the_judges_own_failures_for_outcomes(self, trouble, outcome):
        found = take(Answering(MachineryFailed(trouble, "gone")))

        assert {one.outcome for one in found.values()} == {outcome}

    def test_hands_on_failures_of_the_machinery(self):
        with pytest.raises(MachineryFailed):
            take(Answering(MachineryFailed(Trouble.TIMEOUT, "gone")))


class TestMean:
    def test_is_over_the_readings_with_their_spread(self):
        marks = [
            Mark("SCORED", Decimal(4), text="four"),
            Mark("UNSCORED", reason="?"),
            Mark("SCORED", Decimal(2), text="two"),
            Mark("SCORED", Decimal(2), text="two too"),
        ]

        found = samples.mean(marks, 2)

        assert found["value"] == pytest.approx(8 / 3)
        assert found["sd"] == pytest.approx((4 / 3) ** 0.5)  # of 4, 2 and 2, over n − 1
        assert (found["n_valid"], found["text"], found["outcome"]) == (3, "two", "SCORED")

    def test_of_one_reading_has_no_spread(self):
        assert samples.mean([Mark("SCORED", Decimal(3))], 1)["sd"] is None

    def test_needs_the_fewest_readings_that_were_asked_for(self):
        marks = [Mark("SCORED", Decimal(3)), Mark("UNSCORED", reason="cut off")]

        found = samples.mean(marks, 2)

        assert (found["outcome"], found["value"]) == ("UNSCORED", None)
        assert found["reason"] == "1 of 2 samples could be read; 2 are needed."

    def test_is_refused_only_if_every_sample_was(self):
        refused, unread = Mark("REFUSED", reason="declined"), Mark("UNSCORED", reason="?")

        assert samples.mean([refused, refused], 1)["outcome"] == "REFUSED"
        assert samples.mean([refused, unread], 1)["outcome"] == "UNSCORED"
        assert samples.mean([refused], 0)["value"] is None
