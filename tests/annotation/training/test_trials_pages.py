import re

import pytest
from django.urls import reverse

from annotation.grading.models import Grade
from annotation.qualification import answers as references
from annotation.qualification.models import Trial
from annotation.rounds.models import Round
from annotation.systems.models import Response
from tests import make
from tests.annotation import qualified
from tests.pages import squeezed

pytestmark = pytest.mark.django_db


def url(name="trials", *args):
    return reverse(name, args=["northport", *args])


class TestTrialNew:
    def test_drafts_a_trial_and_leads_to_its_references(self, client, curator):
        about = make.capability()
        qualified.bank(2, about)
        rater = qualified.trained(qualified.annotator())
        sent = {
            "name": "First trial",
            "capability": about.pk,
            "n_items": "2",
            "releases": [make.release(name).pk for name in make.SYSTEMS[:2]],
            "users": [make.account(rater).public_id],
        }

        answer = client.post(url("trial_new"), sent)

        made = Trial.objects.get()
        assert answer["Location"] == url("round_references", made.round.number)
        assert made.round.items.count() == 2

    def test_says_that_choices_are_not_trained(self, client, curator):
        about = make.capability()
        qualified.bank(2, about)
        rater = qualified.trained(qualified.annotator())
        about.rubric = make.rubric_version("which", criteria=("better",)).rubric
        about.save()
        sent = {
            "name": "First trial",
            "capability": about.pk,
            "n_items": "2",
            "releases": [make.release(name).pk for name in make.SYSTEMS[:2]],
            "users": [make.account(rater).public_id],
        }

        answer = client.post(url("trial_new"), sent)

        assert answer.status_code == 422
        assert "cannot be trained yet" in answer.content.decode()
        assert not Trial.objects.exists()

    def test_names_who_is_ready_in_what_and_begins_with_that(self, client, curator):
        make.capability("Anything else")
        about = make.capability()
        rater = qualified.trained(qualified.annotator())

        page = client.get(url("trial_new"))

        name = str(make.account(rater).display_name)
        assert f"{name}: ready in {about.name}" in page.content.decode()
        assert page.context["form"]["capability"].value() == about.pk

    def test_says_that_nobody_is_ready(self, client, curator):
        make.capability()

        page = client.get(url("trial_new")).content.decode()

        assert "Nobody has finished a training" in page
        assert url("examples") in page
        assert "Save draft" not in page

    def test_says_that_there_is_nothing_to_ask(self, client, curator):
        about = make.capability()
        rater = qualified.trained(qualified.annotator())
        sent = {
            "name": "Empty",
            "capability": about.pk,
            "n_items": "2",
            "releases": [make.release().pk],
            "users": [make.account(rater).public_id],
        }

        answer = client.post(url("trial_new"), sent)

        assert answer.status_code == 422
        assert not Round.objects.exists()


class TestReferences:
    def test_are_entered_and_lead_back_when_complete(self, client, curator):
        round_ = qualified.draft_trial(n_items=1)
        address = url("round_references", round_.number)
        sent = {f"reference-{a}-{b}": "2" for a, b in references.wanted(round_)}
        (first, _criterion) = min(references.wanted(round_))

        page = client.get(address).content.decode()
        some = client.post(address, dict([next(iter(sent.items()))]))
        done = client.post(address, {**sent, f"why-{first}": "It says all."})

        assert "2 missing" in page
        assert not any(name in page for name in make.SYSTEMS)
        assert (some["Location"], done["Location"]) == (address, url("round", round_.number))
        assert Grade.objects.filter(kind="REFERENCE", reason="It says all.").exists()

    def test_name_who_speaks_in_a_conversation(self, client, curator):
        said = [{"role": "user", "content": "And?"}, {"role": "assistant", "content": "It ends."}]
        asked = make.item("T01", capability_=make.capability(), earlier=said)
        for name in make.SYSTEMS[:2]:
            Response.objects.create(
                item=asked, release=make.release(name), messages=said, created_at=make.NOW
            )
        round_ = qualified.draft_trial(n_items=1)

        page = client.get(url("round_references", round_.number)).content.decode()

        question, *answers = page.split("<h3>Answer ")
        assert question.count("<strong>User</strong>") == 2
        assert all("<strong>Assistant</strong></p>\n<p>It ends." in one for one in answers)

    def test_stand_on_shorter_pages_the_more_answers_there_are(self, client, curator, monkeypatch):
        monkeypatch.setattr(references, "ANSWERS_ON_A_PAGE", 4)
        round_ = qualified.draft_trial(n_items=5)
        n_each = round_.systems.count()

        page = client.get(url("round_references", round_.number)).content.decode()

        assert len(re.findall(r"<h2>Question \d</h2>", page)) == 4 // n_each

    def test_say_once_for_a_question_what_the_levels_mean(self, client, curator):
        round_ = qualified.draft_trial(n_items=1)
        level = round_.items.get().rubric_version.criteria.first().levels.first()
        level.description = "Nothing in it is wrong."
        level.save(update_fields=["description"])

        page = client.get(url("round_references", round_.number)).content.decode()

        assert page.count("<h3>Answer ") > 1
        assert page.count("Nothing in it is wrong.") == 1

    def test_stand_on_pages_of_some_questions_each(self, client, curator, monkeypatch):
        monkeypatch.setattr(references, "ON_A_PAGE", 2)
        round_ = qualified.draft_trial(n_items=5)
        address = url("round_references", round_.number)

        pages = [client.get(f"{address}?from={first}").content.decode() for first in (1, 3, 5, 99)]
        went_on = client.post(f"{address}?from=3", {})

        heads = [re.findall(r"<h2>(Question \d)</h2>", page) for page in pages]
        assert heads == [
            ["Question 1", "Question 2"],
            ["Question 3", "Question 4"],
            ["Question 5"],
            ["Question 5"],
        ]
        assert ["?from=" in page for page in pages] == [True] * 4
        assert 'href="?from=1"' in pages[1]
        assert 'href="?from=5"' in pages[1]
        assert went_on["Location"] == f"{address}?from=5"

    def test_say_which_grade_does_not_fit_and_save_none(self, client, curator):
        round_ = qualified.draft_trial(n_items=1)
        (a, b) = min(references.wanted(round_))

        answer = client.post(url("round_references", round_.number), {f"reference-{a}-{b}": "9"})

        assert answer.status_code == 422
        assert not Grade.objects.exists()


class TestTrials:
    def test_say_how_far_each_is(self, client, curator):
        round_ = qualified.open_trial(("ann-1", "ann-2"), n_items=2)
        qualified.take(round_, make.annotators(round_)[0], [2])

        page = squeezed(client.get(url()).content.decode())
        of_round = client.get(url("round", round_.number)).content.decode()

        assert "1<small>of 4" in page
        assert "not decided" in page
        assert url("round_references", round_.number) in of_round
