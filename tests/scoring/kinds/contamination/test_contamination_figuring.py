import pytest

from scoring.figures.models import Figure
from scoring.kinds.contamination import pages as contamination_figuring
from scoring.kinds.contamination.queries import of_params
from tests import imports, make
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


class TestFigureOf:
    def test_is_another_one_when_figures_were_brought_in(self):
        run = interviewed.requested(n=1)

        def figure():
            return contamination_figuring.figure_of(run=run, options=of_params({}), now=make.NOW)

        before = figure()
        assert figure() == before
        imports.apply(imports.figures())

        assert figure() != before
        assert Figure.objects.count() == 2
