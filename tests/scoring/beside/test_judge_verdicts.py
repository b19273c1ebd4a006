from dataclasses import replace
from decimal import Decimal

import pytest
from django.http import QueryDict

from annotation.grading.models import Grade, Remark
from annotation.rounds.models import Round
from scoring.beside import verdicts
from scoring.beside.board import Detail, JudgeBoard
from scoring.engine.models import Judgment
from tests import make
from tests.scoring import beside_people, judged, run_rows
from tests.scoring.beside.test_judge_board import detail, made

pytestmark = pytest.mark.django_db


@pytest.fixture(name="round_", autouse=True)
def _round():
    return beside_people.world()


def with_uses(*uses, n_questions=12):
    """Return a judge with these uses, a capability each."""
    found = detail()
    part = found.data.parts[0]
    more = tuple(
        replace(part, capability=n, use=use, n_questions=n_questions) for n, use in enumerate(uses)
    )
    return Detail(replace(found.data, parts=more), found.options)


class TestTitle:
    @pytest.mark.parametrize(
        ("uses", "words"),
        [
            (("person", "screen", "not"), "good may stand in for a person on 1 of 3 capabilities"),
            (("person", "person"), "good may stand in for a person on all 2 capabilities"),
            (("not", "unclear"), "good may not stand in for a person on any capability"),
        ],
    )
    def test_counts_the_words_of_the_table(self, uses, words):
        found = with_uses(*uses)

        assert verdicts.title(found, "good") == words
        n = sum(str(one.words) == "may stand in" for one in found.parts)
        assert n == uses.count("person")

    def test_claims_nothing_on_fewer_than_ten_questions(self):
        found = with_uses("person", "screen", n_questions=9)

        assert verdicts.title(found, "good").endswith("cannot be told")
        assert {str(one.words) for one in found.parts} == {"too few"}

    def test_says_so_of_everything_where_there_are_no_capabilities(self):
        found = with_uses()
        said = []
        for passes, reason in ((True, None), (False, None), (None, "few_people")):
            test = replace(found.data.alternative, passes=passes, reason=reason)
            told = Detail(replace(found.data, alternative=test), found.options)
            said.append(verdicts.title(told, "good"))

        assert said == [
            "good may stand in for a person",
            "good may not stand in for a person",
            "Whether good may stand in for a person cannot be told",
        ]

    def test_of_all_counts_those_in_the_band_of_people_or_above(self):
        data, options = made("judges")
        board = JudgeBoard(data, options)
        near = sum(board.agreement_of(one).value >= board.ceiling.low for one in board.lines)
        for one in data["table"]["ceilings"]["coh"]:
            one["low"] = board.agreement_of(board.lines[0]).value

        assert near
        assert verdicts.title_of_all(board).startswith(f"{near} of 3 judges")
        assert verdicts.title_of_all(JudgeBoard(data, options)).startswith(
            "1 of 3 judges is as near"
        )

    def test_of_all_claims_no_more_than_intervals_allow(self):
        data, options = made("judges")
        for high, words in ((1.0, "Whether a judge is as near"), (0.5, "No judge is as near")):
            for cell in data["table"]["cells"]:
                cell["correlation"]["value"], cell["interval"]["high"] = 0.4, high

            assert verdicts.title_of_all(JudgeBoard(data, options)).startswith(words)
        for cell in data["table"]["cells"]:
            cell["interval"]["n_groups"] = 5
        assert verdicts.title_of_all(JudgeBoard(data, options)).startswith("Too few questions")

    def test_of_all_names_the_nearest_where_people_have_no_band(self):
        data, options = made("judges")
        data["table"]["ceilings"] = {}

        assert "is nearest to people with" in verdicts.title_of_all(JudgeBoard(data, options))


class TestRanked:
    def test_sorts_by_a_column_with_nothing_last(self):
        board = JudgeBoard(*made("judges"))
        names = [
            [row.line.name for row in verdicts.ranked(board, by)] for by in ("name", "bias", "")
        ]

        assert names[0] == ["good", "guess", "rouge"]
        assert names[2] == [one.name for one in board.lines]
        shifts = [row.line.shift for row in verdicts.ranked(board, "bias")]
        known = [abs(one.value) for one in shifts if one]
        assert known == sorted(known)

    def test_keeps_the_rest_of_the_address(self):
        heads = verdicts.sorts(QueryDict("round=1&sort=bias"))

        assert heads["bias"].is_on
        assert not heads["agreement"].is_on
        assert heads["name"].url == "?round=1&sort=name"


class TestCosts:
    def run(self, price):
        step = run_rows.step(
            self.made, ordinal=self.made.steps.count(), response=self.response, state="DONE"
        )
        run_rows.call(step, cost=price)
        return step

    @pytest.fixture(autouse=True)
    def _made(self, round_):
        self.judge = judged.judge("A live judge")
        self.made = run_rows.run(judge=self.judge, state="DONE")
        self.response = Grade.objects.first().response

    def test_are_those_of_a_thousand_answers(self):
        self.run(Decimal("0.002"))

        found = verdicts.costs([self.judge.rater_id])

        assert found[self.judge.rater_id][0] == 2

    def test_are_not_known_where_a_call_has_no_price(self):
        self.run(Decimal("0.002"))
        self.run(None)

        assert verdicts.costs([self.judge.rater_id]) == {}


class TestCases:
    def test_have_both_texts_and_the_reason(self):
        found = detail()
        row = found.data.apart[0]
        grade = Grade.objects.filter(response=row.response).first()
        Remark.objects.create(
            grade=grade, rater=grade.rater, kind="COMMENT", text="Off by far.", at=make.NOW
        )
        said = Judgment.objects.get(rater=beside_people.judge("good"), response=row.response)
        said.pk, said.repeat, said.line, said.text = None, 1, 10**6, "It reads well."
        said.save(force_insert=True)

        (case,) = verdicts.cases(found.options, [row], "coh")

        assert (case.response, case.human, case.judge) == (
            row.response,
            row.human,
            row.judge,
        )
        assert case.answer.startswith("Answer ")
        assert case.question.startswith("What is ")
        assert len(case.grades) == row.n_marks
        assert "Off by far." in [text for one in case.grades for text in one.remarks]
        assert case.reason == "It reads well."

    def test_tell_of_no_system_that_was_not_shown(self):
        Round.objects.update(kind="PRODUCTION")
        found = detail()

        (case,) = verdicts.cases(found.options, found.data.apart[:1], "coh")

        assert case.system.startswith("System ")
