from decimal import Decimal

import pytest
from django.urls import reverse

from annotation.qualification.models import TrainingExample
from annotation.rubrics.models import Level
from annotation.training import operations as training
from annotation.training.records import ExampleText
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db

TEXT = {
    "use": "PRACTISE",
    "question": "What is a pallet?",
    "response": "A base.",
    "explanation": "Too short.",
    "grade-grade": "1",
}


def url(name="examples", *args):
    return reverse(name, args=["northport", *args])


class TestExamples:
    def test_lead_to_the_first_one(self, client, curator):
        about = make.capability()

        page = client.get(url()).content.decode()

        assert "to practise 0" in page
        assert url("example_new", about.pk) in page

    def test_are_written(self, client, curator):
        client.post(url("example_new", make.capability().pk), TEXT)

        made = TrainingExample.objects.get()
        assert (made.grades, made.use) == ({"grade": "1"}, "PRACTISE")

    @pytest.mark.parametrize("field", ["question", "response", "explanation", "grade-grade"])
    def test_say_what_is_missing(self, client, curator, field):
        answer = client.post(url("example_new", make.capability().pk), {**TEXT, field: ""})

        assert answer.status_code == 422
        assert f'id="id_{field}_error"' in answer.content.decode()

    def test_are_not_written_where_two_answers_are_compared(self, client, curator):
        about = make.capability()
        about.rubric = make.rubric_version("which", criteria=("better",)).rubric
        about.save()

        page = client.get(url("example_new", about.pk), follow=True).content.decode()

        assert "cannot be trained yet" in page
        with pytest.raises(training.ExampleInvalid, match="cannot be trained yet"):
            training.add_example(
                project=about.project,
                capability=about,
                version=about.rubric.versions.get(),
                text=ExampleText(
                    use="PRACTISE", question="Why?", response="So.", grades={}, explanation="It is."
                ),
                by=curator,
                now=make.NOW,
            )

    def test_are_given_a_question_by_another_in_their_place(self, client, curator):
        about = make.capability()
        first = training.add_example(
            project=about.project,
            capability=about,
            version=training.newest_version(about),
            text=ExampleText(
                use="LEARN",
                question="",
                response="A base.",
                explanation="It says all that matters.",
                grades={"grade": Decimal(2)},
            ),
            by=qualified.curator(about.project),
            now=make.NOW,
        )
        place = url("example_new", about.pk) + f"?instead={first.number}"
        listed = client.get(url()).content.decode()
        page = client.get(place).content.decode()

        client.post(place, {**TEXT, "use": "LEARN"})

        assert "Change" in listed
        assert "for any question" in listed
        assert "It says all that matters." in page
        first.refresh_from_db()
        assert first.withdrawn_at is not None
        assert TrainingExample.objects.in_use().get().question == "What is a pallet?"

    def test_stand_where_the_other_in_their_place_cannot_be_used(self, client, curator):
        first = qualified.example()
        place = url("example_new", first.capability_id) + f"?instead={first.number}"

        refused = client.post(place, {**TEXT, "grade-grade": "9"})

        assert refused.status_code == 422
        assert TrainingExample.objects.in_use().get() == first

    def test_of_another_number_are_not_found(self, client, curator):
        place = url("example_new", make.capability().pk)

        assert [client.get(place + f"?instead={n}").status_code for n in ("77", "x")] == [404, 404]

    def test_begin_with_an_answer_of_the_bank_without_its_system(self, client, curator):
        about = make.capability()
        asked = make.item(capability_=about, question="What is a reefer?")
        answer = make.response(asked, make.release("Kestrel"), "A **cooled** box.")

        listed = client.get(url("example_new", about.pk)).content.decode()
        page = client.get(url("example_new", about.pk) + f"?response={answer.pk}").content.decode()

        assert f"?response={answer.pk}" in listed
        assert "A cooled box." in listed
        assert "A **cooled** box." in page
        assert "What is a reefer?" in page
        assert "Kestrel" not in page

    def test_show_how_an_answer_without_spaces_begins(self, client, curator):
        about = make.capability()
        asked = make.item(capability_=about, question="提单是什么？" * 40)
        make.response(asked, make.release("Kestrel"), "提单是承运人收到货物的收据。" * 40)

        page = client.get(url("example_new", about.pk)).content.decode()

        assert "提单是承运人收到货物的收据。提单" in page
        assert "提单是什么？提单" in page

    def test_are_taken_over_from_the_rubric(self, client, curator):
        about = make.capability()
        level = Level.objects.get(criterion__rubric_version__rubric=about.rubric, value=0)
        level.examples = ["A kind of ship."]
        level.save(update_fields=["examples"])

        page = client.post(url("example_adopt", about.pk), follow=True).content.decode()

        assert "Examples added: 1." in page
        assert "A kind of ship." in page

    def test_are_withdrawn_and_stay_in_the_history(self, client, curator):
        only = qualified.example()

        client.post(url("example_withdraw", only.number))

        assert not TrainingExample.objects.in_use().exists()
        assert TrainingExample.objects.get().withdrawn_by is not None
