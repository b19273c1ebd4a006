import pytest
from django.db.models import Count

from annotation.grading.models import Grade
from annotation.people.models import Project, Role, User
from annotation.qualification.models import Expertise
from annotation.rounds.models import Round
from scoring.beside import figures as judge_powered
from scoring.beside.options import BesideChoice
from scoring.beside.records import PoweredFigure
from scoring.demo import files as demo_systems
from scoring.demo import interviews, rated
from scoring.endpoints import testing as endpoint_scripts
from scoring.engine.models import Judgment
from scoring.figures import labels, typed
from scoring.kinds.interviews.models import Exchange, PublishedExchange
from scoring.publishing.models import Publication
from scoring.results import insights
from scoring.results.agreement import AgreementFigure
from scoring.stats.people.said import DisputesFigure
from tests import loaded, make
from tests.scoring import connected, interviewed

pytestmark = pytest.mark.django_db


@pytest.fixture
def home():
    interviewed.questions(interviews.QUESTIONS)
    for name in (demo_systems.CONNECTED, *interviews.OTHERS):
        make.release(name)
    project = make.project()
    endpoint_scripts.add_scripted(project=project, by=connected.owner(project), now=make.NOW)
    return project


def play(project):
    owner = connected.owner(project)
    demo_systems.play_systems(project=project, by=owner, now=make.NOW)
    interviews.play(project=project, by=owner, now=make.NOW)
    rated.play(project=project, by=owner, now=make.NOW)


class TestPlay:
    def test_leaves_a_final_round_in_which_three_people_rated_what_the_evaluator_judged(self, home):
        for name in rated.ANNOTATORS:
            make.member(Role.ANNOTATOR, username=name)

        play(home)

        round_ = Round.objects.get(name=rated.OF_TALKS)
        grades = Grade.objects.filter(round=round_)
        given = set(grades.values_list("response", flat=True))
        judged = Judgment.objects.filter(response__in=given, criterion__key="overall")
        assert round_.state == Round.State.FINAL
        assert grades.count() == 3 * len(given) == 3 * rated.TAKEN
        assert given <= set(PublishedExchange.objects.values_list("response", flat=True))
        assert set(judged.values_list("response", flat=True)) == given
        assert Publication.objects.get(round=round_).scripted

    def test_lets_people_differ_from_the_evaluator_and_each_other(self, home):
        for name in rated.ANNOTATORS:
            make.member(Role.ANNOTATOR, username=name)

        play(home)

        by_response = {}
        for one in Grade.objects.filter(round__name=rated.OF_TALKS):
            by_response.setdefault(one.response_id, set()).add(one.value)
        assert 0 < sum(len(values) > 1 for values in by_response.values()) < len(by_response)

    def test_shows_how_many_grades_the_evaluator_spares(self, home):
        for name in rated.ANNOTATORS:
            make.member(Role.ANNOTATOR, username=name)
        play(home)
        round_ = Round.objects.get(name=rated.OF_TALKS)
        rater = round_.publication.run.judge.rater_id
        choice = BesideChoice((round_.number,), (rater,), {"overall": {rater: "overall"}})

        found = judge_powered.powered_of(round_, choice.params())
        rows = [one.means for one in typed.read_figure(PoweredFigure, found).rows]

        n_answers = Exchange.objects.filter(dialogue__run=round_.publication.run).exclude(answer="")
        assert sum(one.n_human for one in rows) == rated.TAKEN
        assert sum(one.n for one in rows) == n_answers.count() > 2 * rated.TAKEN
        # The lot falls anew in every demo, so the figure differs from one to the next.
        assert all(0 <= one.saved <= one.n - one.n_human + 1e-9 for one in rows)
        assert sum(one.saved for one in rows) > 0

    def test_does_nothing_where_too_few_people_could_rate(self, home):
        make.member(Role.ANNOTATOR, username=rated.ANNOTATORS[0])

        play(home)

        assert not Round.objects.filter(name=rated.OF_TALKS).exists()


class TestPlayTraces:
    def test_leaves_a_final_round_of_calls_that_a_script_judged_and_three_people_graded(self):
        home = make.project()
        owner = connected.owner(home)
        for name in rated.ANNOTATORS:
            make.member(Role.ANNOTATOR, username=name)
        demo_systems.play(project=home, by=owner, now=make.NOW)

        rated.play_traces(project=home, by=owner, now=make.NOW)

        round_ = Round.objects.get(name=rated.OF_CALLS)
        labels = Judgment.objects.filter(run=round_.publication.run, target_level="TOOL_CALL")
        assert round_.state == Round.State.FINAL
        assert Grade.objects.filter(round=round_).count() == 3 * 10
        said = list(labels.filter(rater__kind="JUDGE").values_list("label", flat=True))
        assert (said.count("FITS"), said.count("DOES NOT FIT")) == (7, 3)
        shown = round_.items.values_list("responses__response__messages", flat=True)
        assert all(call["tool_calls"] and result["role"] == "tool" for call, result in shown)


class TestPlayKinds:
    @pytest.fixture
    def demo(self):
        loaded.load()
        project = Project.objects.get()
        rated.play_kinds(project=project, by=connected.owner(project), now=make.NOW)
        return Round.objects.get(rubrics__rubric_version__rubric__key="kinds_of_error")

    def test_leaves_a_final_round_of_levels_yes_or_no_labels_and_texts(self, demo):
        marks = Grade.objects.filter(round=demo).values_list("criterion__mark").order_by()
        counted = dict(marks.annotate(n=Count("pk")))

        assert demo.state == Round.State.FINAL
        assert counted == {"LEVELS": 160, "YES_NO": 160, "LABEL": 160, "TEXT": 7}

    def test_shows_how_two_groups_differ_and_which_labels_divide(self, demo):
        for name in ("lena", "mei"):
            user = User.objects.get(username=name)
            Expertise.objects.create(project=demo.project, user=user, tag="law")
        for name in ("kofi", "jonas"):
            user = User.objects.get(username=name)
            Expertise.objects.create(project=demo.project, user=user, tag="operations")
        groups = {"groups": labels.groups(demo)}
        found = typed.read_figure(AgreementFigure, insights.agreement_of(demo, groups))
        disputed = typed.read_figure(DisputesFigure, insights.disputes_of(demo, {}))

        (apart,) = found.differences.overall
        assert (apart.left, apart.certainty) == ("law", "clear")
        assert apart.others.high < 0
        assert len(disputed.labels) >= 5
        assert "LABEL" in {one.mark for one in found.parts}

    def test_does_nothing_without_its_questions_and_people(self, home):
        rated.play_kinds(project=home, by=connected.owner(home), now=make.NOW)

        assert not Round.objects.exists()


class TestPairs:
    def test_leave_a_final_round_in_which_three_people_chose_between_graded_answers(self):
        loaded.load()
        project = Project.objects.get()

        rated.play_pairs(project=project, by=connected.owner(project), now=make.NOW)

        made = Round.objects.get(of_pairs=True)
        values = set(made.grades.values_list("value", flat=True))
        assert made.state == Round.State.FINAL
        assert made.grades.count() == 3 * made.items.count()
        assert {2, 3, 4} <= values <= {1, 2, 3, 4, 5, 6}
        graded = Round.objects.filter(of_pairs=False, state=Round.State.FINAL).order_by("number")[0]
        shown = made.items.values("responses__response")
        assert graded.grades.filter(response__in=shown).exists()

    def test_are_not_asked_about_without_graded_answers(self, home):
        rated.play_pairs(project=home, by=connected.owner(home), now=make.NOW)

        assert not Round.objects.exists()
