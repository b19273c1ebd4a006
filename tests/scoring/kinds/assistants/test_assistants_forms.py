import pytest

from scoring.kinds.assistants import pages as forms
from scoring.kinds.assistants.asking_v1 import Kind
from scoring.kinds.assistants.operations import KIND, AssistantSettings
from tests import make
from tests.scoring import assisted, connected, measured

pytestmark = pytest.mark.django_db


class TestForms:
    @pytest.mark.parametrize("kind", list(Kind))
    def test_each_kind_makes_the_settings_that_it_begins_with(self, kind):
        endpoint = connected.endpoint()
        blank = forms.FORMS[kind](project=make.project())
        given = {name: blank[name].initial for name in blank.fields}
        given = {name: value for name, value in given.items() if value is not None}

        form = forms.FORMS[kind](
            {**given, "name": "A", "endpoint": endpoint.pk}, project=make.project()
        )

        assert form.is_valid(), form.errors
        assert form.settings().fitted() == forms.USUAL[kind].fitted()
        assert isinstance(form.settings(), AssistantSettings)
        assert forms.ABOUT[kind]

    def test_offer_the_fields_that_questions_keep(self):
        measured.brought()

        form = forms.ServedModelForm(project=make.project())

        assert 'value="field:article"' in str(form["premise"])

    def test_a_likelihood_may_have_nothing_before_the_answer(self):
        form = forms.LikelihoodForm(project=make.project())

        assert 'value=""' in str(form["premise"])


class TestAgain:
    def test_is_the_assistant_and_its_answers(self):
        run = assisted.over_import(measured.brought().number)

        assert KIND.again(run) == {"assistant": run.judge.rater_id, "over": "import:1"}
