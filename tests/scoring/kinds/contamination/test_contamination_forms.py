from typing import Any

import pytest

from scoring.kinds.contamination.pages import ContaminationFilter
from tests import imports, make
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


class TestContaminationFilter:
    def test_offers_what_there_is_to_set_against_first(self):
        interviewed.candidates()
        imports.apply(imports.figures())

        form = ContaminationFilter({}, project=make.project())

        assert next(iter(form.fields)) == "axis"
        axis: Any = form.fields["axis"]
        assert [key for key, _name in axis.choices] == [
            "first",
            "figure:MT-Bench",
            "figure:accuracy",
        ]
