import pytest
from django.http import QueryDict

from annotation.grading.models import Grade
from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round, RoundAnnotator, RoundItem, RoundResponse
from annotation.rubrics.models import RubricVersion
from scoring.beside import asked as judge_asked
from scoring.beside import options as judge_options
from scoring.beside.options import BadChoice
from tests import imports, make
from tests.scoring import beside_people, judged, machines, rounds

pytestmark = pytest.mark.django_db


def options(query="", user=None):
    who = user or make.member(Role.ANALYST)
    return judge_options.options_of(
        Scope(make.project(), who, frozenset({Role.ANALYST})), QueryDict(query)
    )


class TestParams:
    def test_of_all_judges_are_the_same_for_every_criterion_and_coefficient(self, round_):
        usual, other = options().choice, options("coefficient=spearman&criterion=coh").choice

        assert judge_asked.params("judges", usual) == judge_asked.params("judges", other)
        assert judge_asked.params("judge", usual) != judge_asked.params("judge", other)


class TestOptions:
    def test_are_the_newest_round_and_every_machine(self, round_):
        found = options()

        assert found.choice.rounds == (round_.number,)
        assert [found.name(one) for one in found.choice.judges] == ["good", "guess", "rouge"]
        assert found.choice.criteria["coh"][beside_people.judge("good")] == "coherence"
        assert found.choice.criterion == "coh"
        assert (found.round, [one.round for one in found.chosen]) == (round_, [round_])
        assert found.patterns == {"e*": 3}

    def test_leave_out_a_judge_without_scores_unless_it_is_named(self, round_):
        idle = judged.judge("Idle").rater_id

        assert idle not in options().choice.judges
        assert options(f"judge={idle}").choice.judges == (idle,)

    def test_leave_out_a_judge_that_scored_other_answers(self, round_):
        other = rounds.graded(number=9)
        machines.scored(other)
        only_there = {one.rater_id for one in options().machines} - set(
            options(f"round={round_.number}").choice.judges
        )

        assert set(options(f"round={other.number}").choice.judges) == only_there
        assert only_there

    def test_are_of_grades_given_here_rather_than_of_newer_ones_brought_in(
        self, round_, monkeypatch
    ):
        monkeypatch.setattr(judge_options, "ENOUGH", 1)
        assert round_.kind == Round.Kind.IMPORTED
        given = rounds.graded(number=9)
        machines.scored(given)
        Round.objects.filter(pk=round_.pk).update(number=99)

        assert options().choice.rounds == (given.number,)

    def test_are_a_round_with_grades_rather_than_a_newer_one_without(self, round_):
        newer = beside_people.again(round_, number=9)

        assert options().choice.rounds == (round_.number,)
        good = beside_people.judge("good")
        assert options(f"judge={good}").choice.rounds == (round_.number,)
        assert options("round=9").choice.rounds == (newer.number,)

    def test_are_the_round_with_most_questions_that_people_and_machines_scored(
        self, round_, monkeypatch
    ):
        monkeypatch.setattr(judge_options, "ENOUGH", 1)
        many, few = (rounds.graded(number=number) for number in (8, 9))
        machines.scored(many)
        machines.scored(few)
        shown = RoundResponse.objects.filter(round_item__round=few)
        Grade.objects.filter(round=few).exclude(response=shown[0].response_id).update(
            is_current=False, late=True
        )

        assert options().choice.rounds == (many.number,)

    def test_are_what_was_brought_where_the_own_people_graded_too_few(self, round_, monkeypatch):
        own = rounds.graded(number=9, n_items=1)
        machines.scored(own)
        usual = options().choice.rounds
        monkeypatch.setattr(judge_options, "ENOUGH", 1)

        assert usual == (round_.number,)
        assert options().choice.rounds == (own.number,)

    def test_are_the_criterion_of_most_items(self, round_):
        given = rounds.graded(number=9, n_items=3)
        machines.scored(given)
        other = make.rubric_version("style", in_=given.project, criteria=("aloud",))
        RubricVersion.objects.filter(pk=other.pk).update(number=0)  # so that it comes last
        items = RoundItem.objects.filter(round=given)
        items.exclude(pk=items[0].pk).update(rubric_version=other)

        assert list(options("round=9").choice.criteria) == ["grade", "aloud"]
        assert options("round=9").choice.criterion == "aloud"

    def test_of_a_named_judge_are_a_round_that_it_judged(self, round_, monkeypatch):
        monkeypatch.setattr(judge_options, "ENOUGH", 1)
        other = rounds.graded(number=9)
        machines.scored(other)
        good = beside_people.judge("good")

        assert options().choice.rounds == (other.number,)
        assert options(f"judge={good}").choice.rounds == (round_.number,)
        assert options(f"judge={good}&round={other.number}").choice.rounds == (other.number,)

    @pytest.mark.parametrize("made", [None, imports.answers, machines.file])
    def test_choose_nothing_where_nothing_can_be_compared(self, made):
        make.project()
        if made is not None:
            imports.apply(imports.answers())
        if made is machines.file:
            machines.brought()

        found = options()

        assert (found.choice, found.mapped, found.chosen) == (None, [], [])

    def test_follow_an_address(self, round_):
        good = beside_people.judge("good")
        found = options(
            f"round={round_.number}&judge={good}&raters=e*&level=item&coefficient=kendall_c&criterion=coh"
        ).choice

        assert (found.judges, found.raters, found.level) == ((good,), ("e*",), "item")
        assert (found.coefficient, found.criterion) == ("kendall_c", "coh")

    def test_map_criteria_as_an_address_says(self, round_):
        good, guess = (beside_people.judge(name) for name in ("good", "guess"))
        found = options(
            f"judge={good}&map.coh.{good}=&map.coh.{guess}=coherence&map.x.1=y&map.coh.²=z"
        )

        assert found.choice.criteria == {"coh": {}}
        assert found.mapped == [
            ("coh", [(f"map.coh.{good}", "good", [("coherence", "coherence", False)])])
        ]

    @pytest.mark.parametrize(
        ("query", "says"),
        [
            ("round=99", "no round 99"),
            ("round=x", "no round x"),
            ("judge=99999", "not there"),
            ("judge=x", "not there"),
            ("raters=z*", "no people of this name"),
            ("level=word", "“word” is no level"),
            ("coefficient=phi", "“phi” is no coefficient"),
            ("criterion=style", "“style” is no criterion"),
            ("map.coh.{good}=style", "no criterion “style”"),
        ],
    )
    def test_refuse_what_is_not_there(self, round_, query, says):
        with pytest.raises(BadChoice, match=says):
            options(query.format(good=beside_people.judge("good")))

    def test_refuse_more_judges_than_can_be_compared(self, round_, monkeypatch):
        monkeypatch.setattr(judge_options, "MOST_JUDGES", 2)
        keys = [beside_people.judge(name) for name in ("good", "guess", "rouge")]

        assert len(options().choice.judges) == 2
        with pytest.raises(BadChoice, match="At most 2 judges"):
            options("&".join(f"judge={key}" for key in keys))

    def test_leave_out_a_round_that_this_person_grades_in(self, round_):
        user = make.member(Role.ANALYST)
        rater = make.rater(user, in_=round_.project)
        RoundAnnotator.objects.create(round=round_, rater=rater)
        Round.objects.filter(pk=round_.pk).update(state="REVIEW")
        assert options(user=user).choice is None

        Round.objects.filter(pk=round_.pk).update(state="FINAL")
        assert options(user=user).choice.rounds == (round_.number,)
