import pytest
from django.forms import IntegerField

from scoring.kinds.judging import pages as forms
from scoring.kinds.judging import plugins
from scoring.kinds.judging.direct.kind import Settings
from scoring.kinds.judging.kind import KIND
from tests import make
from tests.scoring import connected, judged

pytestmark = pytest.mark.django_db


class TestJudgeForm:
    def test_begins_with_the_usual_settings(self):
        form = forms.form_of("direct")(project=make.project())

        found = {name: form[name].initial for name in ("repeats", "temperature", "language")}

        assert found == {"repeats": 3, "temperature": 0.3, "language": "en"}
        assert Settings().together


class TestForms:
    @pytest.mark.parametrize("kind", list(plugins.judge_kinds()))
    def test_each_kind_makes_its_own_settings_of_what_it_begins_with(self, kind):
        endpoint = connected.endpoint(in_=make.project())
        blank = forms.form_of(kind)(project=make.project())
        given = {name: blank[name].initial for name in blank.fields}
        given |= {"name": "Strict", "endpoint": endpoint.pk}

        form = forms.form_of(kind)(given, project=make.project())

        assert form.is_valid(), form.errors
        assert form.settings() == plugins.judge_kinds()[kind].settings()

    def test_a_form_that_is_filled_with_a_number_needs_few_tokens(self):
        form = forms.form_of("geval")(project=make.project())

        limit = form.fields["max_tokens"]
        assert isinstance(limit, IntegerField)
        assert (limit.min_value, form["max_tokens"].initial) == (4, 16)
        assert list(form.fields)[:4] == ["name", "endpoint", "weights", "repeats"]


class TestAgain:
    def test_is_the_judge_and_what_was_chosen(self):
        round_, judge = make.open_round(criteria=("facts", "style")), judged.judge()

        some = judged.requested(round_, judge, 1, criteria=["style"])
        all_ = judged.requested(round_, judge, 2)

        assert KIND.again(some) == {"judge": judge.rater_id, "criteria": ["style"]}
        assert KIND.again(all_) == {"judge": judge.rater_id}
