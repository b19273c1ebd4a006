import uuid
from decimal import Decimal

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from annotation.review import operations as reviews
from scoring.figures import labels
from scoring.review import queries as reviewed_queries
from tests import make
from tests.annotation import reviewed
from tests.pages import squeezed
from tests.scoring import preferred, rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def at(name="results_review", **more):
    return reverse(name, kwargs={"project": "northport", "number": 1, **more})


def question(place=1):
    return at("review_question", place=place)


def computed(client, url):
    client.get(url)
    compute()
    return client.get(url).content.decode()


def lonely(system, item, rater):
    """The first rater sees the first question otherwise than all the rest."""
    return 0 if rater == 0 and item == 0 else 2


def sent(client, act, url=None, **more):
    data = {"act": act, "reason": "It was so.", "key": uuid.UUID(int=9), **more}
    return client.post(url or question(), data)


class TestTheQueue:
    def test_lists_disputed_questions_by_ck_and_what_was_taken_up_first(self, client, curator):
        round_ = rounds.graded(n_items=3, marks=lonely)
        reviewed.decide("TAKE_UP", round_, n=2)

        page = computed(client, at())

        assert page.index("Q1-2") < page.index("Q1-0")
        assert "Q1-1" not in page
        assert "To check: 2" in page
        assert "flagged or taken up" in page

    def test_holds_what_annotators_flagged(self, client, curator):
        rounds.graded(n_items=2, marks=lambda *_: 2)
        slot = models.Slot.objects.filter(assignment__round_item__ordinal=1).first()
        models.Remark.objects.create(
            slot=slot, rater=slot.assignment.rater, kind="FLAG", text="Is it?", at=make.NOW
        )

        page = computed(client, at())

        assert "Q1-1" in page
        assert "Q1-0" not in page
        assert "Is it?" in client.get(question(2)).content.decode()

    def test_moves_on_what_was_decided(self, client, curator):
        round_ = rounds.graded(n_items=1, marks=lonely)
        reviewed.decide("KEEP", round_)

        assert "Nothing to review" in computed(client, at())
        assert "the grades are kept" in client.get(at() + "?only=decided").content.decode()


class TestAQuestion:
    def test_hides_systems_and_can_hide_annotators(self, client, curator):
        round_ = rounds.graded(n_items=1, marks=lonely)

        page = client.get(question()).content.decode()
        assert "Kestrel" not in page
        assert "System 1" not in page
        assert "Response A" in page
        assert "Annotator 1" in page
        assert "stands alone" in page
        reviewed.two_reviewers(round_, hide_people=True)

        hidden = client.get(question()).content.decode()
        assert "Annotator 1" not in hidden
        assert "Person 1" in hidden

    def test_settles_a_dispute(self, client, curator):
        round_ = rounds.graded(n_items=1, marks=lonely)
        before = list(models.Grade.objects.values())

        answer = sent(client, "ADJUDICATE", letter="A", criterion="grade", value="2")

        assert answer.status_code == 302
        assert "adjudicated: 2" in client.get(question()).content.decode()
        assert list(models.Grade.objects.filter(kind="GIVEN").values()) == before
        assert reviews.decisions_of(round_).get().act == "ADJUDICATE"

    def test_sent_twice_is_one_decision_but_another_value_is_another(self, client, curator):
        round_ = rounds.graded(n_items=1)

        for value in ("2", "2", "1"):
            sent(client, "ADJUDICATE", letter="A", criterion="grade", value=value)

        assert reviews.decisions_of(round_).count() == 2

    @pytest.mark.parametrize("act", ["STRIKE_GRADE", "STRIKE_RATER"])
    def test_declares_grades_invalid_and_takes_that_back(self, client, curator, act):
        round_ = rounds.graded(n_items=1)
        sent(client, act, grade=reviewed.grade(round_).pk)
        assert ">invalid<" in client.get(question()).content.decode()
        made = reviews.decisions_of(round_).get()

        sent(client, "REVERSE", decision=made.pk)

        page = client.get(question()).content.decode()
        assert ">invalid<" not in page
        assert "taken back" in page

    def test_hands_grades_back_from_where_the_error_is_seen(self, client, curator):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        grade = reviewed.grade(round_)

        sent(client, "HAND_BACK", grade=grade.pk)

        grade.assignment.refresh_from_db()
        assert grade.assignment.state == "CLAIMED"

    @pytest.mark.parametrize(
        "wrong",
        [
            {"reason": ""},
            {"act": "NONSENSE"},
            {"act": "ADJUDICATE", "letter": "Z", "criterion": "grade", "value": "1"},
            {"act": "ADJUDICATE", "letter": "A", "criterion": "grade", "value": "9"},
            {"act": "STRIKE_GRADE", "grade": "99999"},
            {"act": "STRIKE_GRADE", "grade": "9" * 30},
            {"act": "REVERSE", "decision": "99999"},
        ],
    )
    def test_says_what_is_wrong_and_changes_nothing(self, client, curator, wrong):
        round_ = rounds.graded(n_items=1)

        answer = sent(client, **{"act": "KEEP", **wrong})

        assert answer.status_code == 422
        assert 'role="alert"' in answer.content.decode()
        assert not reviews.decisions_of(round_).exists()

    def test_keeps_the_reason_where_no_grade_is_chosen_and_says_so_at_the_grade(
        self, client, curator
    ):
        rounds.graded(n_items=1)

        answer = sent(client, "ADJUDICATE", letter="B", criterion="grade")
        page = squeezed(answer.content.decode())

        assert '<a href="#value-B-grade">Grade</a>: Choose a grade.' in page
        assert 'id="value-B-grade" aria-invalid="true"' in page
        assert '<fieldset class="field" aria-describedby="value-B-grade_error">' in page
        assert 'id="value-B-grade_error"' in page
        assert page.count("Choose a grade.") == 2  # above, and at the field
        assert page.count('value="It was so."') == 1
        assert page.count('<details class="data" open>') == 1
        assert page.count("aria-invalid") == 3  # the levels of this one grade

    def test_keeps_the_grade_where_the_reason_is_missing(self, client, curator):
        rounds.graded(n_items=1)

        answer = sent(client, "ADJUDICATE", letter="A", criterion="grade", value="1", reason="")
        page = squeezed(answer.content.decode())

        assert page.count(" checked>") == 1
        assert '<a href="#reason-A-grade">Reason</a>' in page
        assert 'aria-describedby="reason-A-grade_error"' in page

    @pytest.mark.parametrize(
        ("act", "field"),
        [
            ("KEEP", "reason-question"),
            ("CLARIFY_RUBRIC", "reason-rubric"),
            ("STRIKE_GRADE", "grade"),
        ],
    )
    def test_marks_the_reason_of_the_form_that_was_sent(self, client, curator, act, field):
        grade = reviewed.grade(rounds.graded(n_items=1))
        name = f"reason-{grade.pk}-grade" if field == "grade" else field

        answer = sent(client, act, reason="", text="It is so.", grade=grade.pk)
        page = squeezed(answer.content.decode())

        assert page.count("aria-invalid") == 1
        assert f'aria-describedby="{name}_error"' in page
        assert f'<a href="#{name}">Reason</a>' in page
        assert ("It is so." in page) == (act == "CLARIFY_RUBRIC")

    def test_survives_a_form_that_names_nothing_of_the_page(self, client, curator):
        rounds.graded(n_items=1)

        answer = sent(client, "ADJUDICATE", letter="%", criterion="%s%d", value="1")

        assert answer.status_code == 422

    def test_stacks_its_marks_on_a_narrow_screen(self, client, curator):
        rounds.graded(n_items=1)

        page = client.get(question()).content.decode()

        assert '<table class="stacked">' in page
        assert 'data-label="Comment and evidence"' in page

    def test_can_be_read_of_an_imported_round_without_faces(self, client, curator):
        rounds.graded(n_items=1)

        assert "Question 0?" in client.get(question()).content.decode()

    def test_is_not_there_beyond_the_last_one(self, client, curator):
        rounds.graded(n_items=1)

        assert client.get(question(2)).status_code == 404

    def test_lets_analysts_look_and_not_decide(self, client):
        rounds.graded(n_items=1)
        client.force_login(make.member(Role.ANALYST))

        assert "<textarea" not in client.get(question()).content.decode()
        assert sent(client, "KEEP").status_code == 403


class TestConfirming:
    def test_is_for_a_second_reviewer(self, client, curator):
        round_ = rounds.graded(n_items=1)
        reviewed.two_reviewers(round_)
        made = reviewed.decide("STRIKE_GRADE", round_)
        url = at("review_confirm", pk=made.pk)
        assert "waits for a second reviewer" in computed(client, at())

        client.post(url)

        assert models.Invalidation.objects.count() == 1
        said = client.post(url, follow=True).content.decode()
        assert "does not wait for anybody" in said


class TestWhatDecisionsChange:
    def test_shows_the_scores_with_and_without(self, client, curator):
        round_ = rounds.graded(n_items=2, n_raters=2, marks=lambda *_: 2)
        reviewed.decide("ADJUDICATE", round_, value=Decimal(1))
        reviewed.decide("STRIKE_QUESTION", round_, n=1)

        page = computed(client, at("review_effect"))

        assert "1 invalidation stands" in page
        assert "50.0" in page
        assert "−50.0" in page


class TestTheRule:
    def test_is_set_by_a_curator(self, client, curator):
        round_ = rounds.graded(n_items=1)

        client.post(at("review_rule"), {"n_reviewers": "2", "hide_people": "on"})

        assert reviews.rule_of(round_.project) == reviews.ReviewSetting(2, hide_people=True)
        assert client.post(at("review_rule"), {"n_reviewers": "3"}).status_code == 422


class TestInWords:
    def test_says_who_gave_what_and_leads_on(self, client, curator):
        round_ = rounds.graded(n_items=3, n_raters=4, marks=lonely)
        models.Level.objects.filter(value=2).update(label="Complete")
        reviewed.decide("TAKE_UP", round_, n=2)

        page = squeezed(computed(client, question(1)))

        assert "3 of 4 said 2 (Complete), one said 0" in page
        assert f'rel="prev" href="{question(3)}"' in page  # flagged or taken up, it comes first
        assert 'rel="next"' not in page

    def test_says_so_where_all_agree(self, client, curator):
        rounds.graded(n_items=2, n_raters=3, marks=lonely)

        assert "all 3 said 2" in squeezed(client.get(question(2)).content.decode())


class TestAPair:
    """Which of two answers was chosen, in words, with letters of the desk's own."""

    def chosen(self):
        def said(first, second, item, rater):
            return 3 if rater == 2 else 2

        return preferred.chosen(n_items=1, choices=said, state="REVIEW")

    def test_says_who_chose_what_in_words(self, client, curator):
        round_ = self.chosen()
        place = round_.items.get(ordinal=0)

        page = squeezed(client.get(question()).content.decode())

        shown = reviewed_page(round_, place)
        first = place.responses.order_by("pk")[0].response_id
        side = "A" if shown.answers[0].response.pk == first else "B"
        assert f"2 of 3 said {side} is better, one said About the same" in page
        assert "Adjudicate" in page

    def test_can_be_adjudicated(self, client, curator):
        round_ = self.chosen()
        place = round_.items.get(ordinal=0)
        shown = reviewed_page(round_, place)

        answer = sent(client, "ADJUDICATE", letter="A", criterion="better", value="1")

        assert answer.status_code == 302
        made = models.Grade.objects.get(kind="ADJUDICATED")
        a, b = (one.response.pk for one in shown.answers)
        assert (made.response_id, made.against_id, int(made.value)) == (a, b, 1)
        assert "adjudicated: A is much better" in squeezed(client.get(question()).content.decode())
        assert "adjudicated" not in squeezed(client.get(question(2)).content.decode())

    def test_is_given_one_more_annotator_of_its_own(self, client, curator):
        round_ = self.chosen()
        sent(client, "REGRADE", question(2))

        place = round_.items.get(ordinal=1)
        assert place.assignments.count() == 4
        assert models.Decision.objects.get().pair == place.pair

    def test_is_confirmed_on_its_own_page(self, client, curator):
        round_ = self.chosen()
        reviewed.two_reviewers(round_)
        made = reviewed.decide("KEEP", round_, n=2, pair=3)

        answer = client.post(at("review_confirm", pk=made.pk))

        assert answer.status_code == 302
        assert answer.url == question(3)

    def test_is_struck_with_all_pairs_of_its_question(self, client, curator):
        round_ = preferred.chosen(n_items=2, state="REVIEW")

        sent(client, "STRIKE_QUESTION", question(2))

        struck = models.Decision.objects.get()
        places = {one.pair: one for one in round_.items.filter(item=struck.item)}
        told = [reviewed_page(round_, one).decisions for one in places.values()]
        assert [[line.decision.pk for line in one] for one in told] == [[struck.pk]] * 3
        assert list(reviews.standings(round_)) == [(struck.item_id, pair) for pair in (1, 2, 3)]
        other = round_.items.exclude(item=struck.item)[0]
        assert not reviewed_page(round_, other).decisions
        assert told[0][0].place == 1

        sent(client, "REVERSE", question(3), decision=struck.pk)

        assert reviews.standings(round_) == {}
        taken = [
            [line.standing.value for line in reviewed_page(round_, one).decisions]
            for one in places.values()
        ]
        assert taken == [["HOLDS", "TAKEN_BACK"]] * 3


def reviewed_page(round_, place):
    place.round = round_
    return reviewed_queries.page(round_, place, labels.labels_of(round_), hide_people=False)
