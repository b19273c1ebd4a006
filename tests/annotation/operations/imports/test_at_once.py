import pytest

from annotation.models import ImportKind, Item, Upload
from annotation.operations.imports import at_once
from annotation.queries.imports import files
from annotation.rules.tabular.choice_mappings import ChoiceMapping
from annotation.rules.tabular.mappings import Place
from tests import imports, make

pytestmark = pytest.mark.django_db


def bring_in(text=imports.CHOICES, **more):
    def mapping(upload):
        places = tuple(Place(column.name, guess.target) for column, guess in files.guesses(upload))
        return ChoiceMapping(places, dataset="Quay")

    project = make.project()
    return at_once.bring_in(
        project=project,
        kind=ImportKind.CHOICES,
        name="quay.csv",
        pieces=[text.encode()],
        mapping=mapping,
        by=make.user("northport-owner"),
        clock=imports.clock,
        **{"only_check": False} | more,
    )


class TestBringIn:
    def test_takes_maps_checks_and_applies(self):
        outcome = bring_in()

        assert outcome.batch.state == "APPLIED"
        assert outcome.report["n_rows"] == 2
        assert Item.objects.count() == 2

    def test_is_the_same_import_again(self):
        assert bring_in().batch == bring_in().batch
        assert Upload.objects.count() == 1

    def test_keeps_nothing_of_a_check_or_of_a_file_with_problems(self):
        assert bring_in(only_check=True).batch is None
        with pytest.raises(at_once.FileHasProblems) as refused:
            bring_in(imports.CHOICES.replace("gull,C,", "gull,E,"))

        assert list(refused.value.fields) == ["line 3, answer"]
        assert not (Item.objects.exists())
        assert not (Upload.objects.exists())
