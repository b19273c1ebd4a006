import pytest

from scoring.forms import judges as forms
from scoring.operations.judges import Settings
from tests import make
from tests.scoring import judged

pytestmark = pytest.mark.django_db


class TestJudgeForm:
    def test_begins_with_the_usual_settings(self):
        form = forms.JudgeForm(project=make.project())

        found = {name: form.fields[name].initial for name in ("repeats", "temperature", "language")}

        assert found == {"repeats": 3, "temperature": 0.3, "language": "en"}
        assert Settings().together


class TestInitialOf:
    def test_is_the_judge_and_what_was_chosen(self):
        round_, judge = make.open_round(criteria=("facts", "style")), judged.judge()

        some = judged.requested(round_, judge, 1, criteria=["style"])
        all_ = judged.requested(round_, judge, 2)

        assert forms.initial_of(some) == {"judge": judge.pk, "criteria": ["style"]}
        assert forms.initial_of(all_) == {"judge": judge.pk}
