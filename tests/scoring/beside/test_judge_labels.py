import pytest
from django.urls import reverse

from annotation.people.models import Rater
from scoring.beside import columns as judge_human
from scoring.beside import figures as judge_figures
from scoring.beside.options import BesideChoice
from scoring.beside.records import JudgesFigure
from scoring.figures import labels, typed
from scoring.stats.machines import classification
from tests.pages import squeezed
from tests.scoring import labelled, machines, rounds
from tests.scoring.ratings import frame_of, rated
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def world(tone=lambda item, system: 1 if system == "Kestrel" else 3):
    """Return a round with labels by people, and a judge who gave labels and levels."""
    round_ = labelled.graded()
    rows = ["item,system,good_tone,good_grade"]
    for item in range(12):
        for system in ("Kestrel", "Harbour"):
            rows.append(f"Q1-{item},{system},{tone(item, system)},{item % 3}")
    machines.brought("\n".join(rows) + "\n")
    return round_


def chosen():
    judge = Rater.objects.get(ref="good").pk
    return BesideChoice(
        rounds=(1,),
        judges=(judge,),
        criteria={"tone": {judge: "tone"}, "grade": {judge: "grade"}},
    )


def figure(round_):
    data = judge_figures.judges_of(round_, chosen().params() | {"resamples": 60})
    return typed.read_figure(JudgesFigure, data)


class TestJudges:
    def test_are_measured_label_by_label(self):
        (one,) = figure(world()).labels

        assert (one.criterion, one.n_divided, one.n_without) == ("tone", 0, 0)
        assert {each.label for each in one.found.classes} == {"Warm", "Plain", "Curt"}
        # Most people called every fifth answer plain, which this judge never does.
        plain = next(each for each in one.found.classes if each.label == "Plain")
        assert (plain.n_true, plain.n_said, plain.recall.value) == (6, 0, 0)
        assert one.found.accuracy.value == 18 / 24
        assert one.found.kappa.value > 0.5

    def test_correlate_on_no_label(self):
        found = figure(world())

        assert found.criteria == ("grade",)
        assert {one.criterion for one in found.judges[0].criteria} == {"grade"}

    def test_that_say_too_much_for_labels_are_left_out_with_the_reason(self, monkeypatch):
        monkeypatch.setattr(classification, "MOST_LABELS", 20)
        round_ = world(tone=lambda item, system: 100 + 2 * item + (system == "Kestrel"))
        judge = Rater.objects.get(ref="good").pk

        found = figure(round_)

        assert found.labels == ()
        (one,) = found.unread
        assert (one.judge, one.criterion) == (judge, "tone")
        assert "these are texts, no classes" in one.why
        assert found.criteria == ("grade",)

    def test_of_a_round_of_levels_have_none(self):
        round_ = world()
        judge = Rater.objects.get(ref="good")
        people = judge_human.PeopleChoice((round_,), ())

        both = judge_human.columns(people, [judge.pk])

        assert set(both.people) == {"grade", "safe", "minutes"}
        assert both.labels.of_people("grade") == {}

    def test_count_their_commonest_reading_and_no_mean(self):
        said = [(0, 7 / 3), (1, 3), (2, 3), (3, 1)]
        rows = [
            rated("g", value, rater=9, criterion="tone", rater_kind="JUDGE", response=1, repeat=n)
            for n, value in said
        ]

        assert judge_human.Labels(frame_of(rows)).of_judge(9, "tone") == {1: 3}

    def test_have_no_say_where_two_labels_were_given_as_often(self):
        rows = [
            rated("g", value, rater=n, criterion="tone", rater_kind="PERSON", response=1)
            for n, value in enumerate((1, 2))
        ]

        assert judge_human.Labels(frame_of(rows)).of_people("tone") == {1: 0}

    def test_stand_on_their_page(self, client, analyst):
        world()
        url = reverse("judges_people", args=["northport"])
        client.get(url)
        compute()

        page = squeezed(client.get(url).content.decode())

        assert "good on Tone" in page
        assert "Cohen’s κ" in page


class TestPeople:
    def test_are_chosen_by_what_they_know_about(self):
        round_ = rounds.grouped({"Expert": 1, "Crowd": 2})

        crowd = judge_human.columns(judge_human.PeopleChoice((round_,), ("Crowd",)), [])

        assert set(labels.knowing([round_])) == {"Crowd", "Expert"}
        assert crowd.people["grade"].raters == labels.knowing([round_])["Crowd"]
