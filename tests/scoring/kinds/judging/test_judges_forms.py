import pytest
from django.forms import IntegerField

from scoring.kinds.judging import pages as forms
from scoring.kinds.judging.settings import KINDS, Settings
from tests import make
from tests.scoring import connected, judged

pytestmark = pytest.mark.django_db


class TestJudgeForm:
    def test_begins_with_the_usual_settings(self):
        form = forms.JudgeForm(project=make.project())

        found = {name: form[name].initial for name in ("repeats", "temperature", "language")}

        assert found == {"repeats": 3, "temperature": 0.3, "language": "en"}
        assert Settings().together


class TestForms:
    @pytest.mark.parametrize("kind", list(forms.FORMS))
    def test_each_kind_makes_its_own_settings_of_what_it_begins_with(self, kind):
        endpoint = connected.endpoint(in_=make.project())
        blank = forms.FORMS[kind](project=make.project())
        given = {name: blank[name].initial for name in blank.fields}
        given |= {"name": "Strict", "endpoint": endpoint.pk, "manner": "together"}

        form = forms.FORMS[kind](given, project=make.project())

        assert form.is_valid(), form.errors
        assert form.settings() == KINDS[kind].settings()
        assert kind in forms.ABOUT

    def test_a_form_that_is_filled_with_a_number_needs_few_tokens(self):
        form = forms.GEvalForm(project=make.project())

        limit = form.fields["max_tokens"]
        assert isinstance(limit, IntegerField)
        assert (limit.min_value, form["max_tokens"].initial) == (4, 16)
        assert list(form.fields)[:4] == ["name", "endpoint", "weights", "repeats"]


class TestInitialOf:
    def test_is_the_judge_and_what_was_chosen(self):
        round_, judge = make.open_round(criteria=("facts", "style")), judged.judge()

        some = judged.requested(round_, judge, 1, criteria=["style"])
        all_ = judged.requested(round_, judge, 2)

        assert forms.initial_of(some) == {"judge": judge.pk, "criteria": ["style"]}
        assert forms.initial_of(all_) == {"judge": judge.pk}
