"""What a round exports is known as our own when it is brought in again, and says the same."""

from decimal import Decimal

import pytest

from scoring.results import exports
from scoring.shown import names
from tests.files import looked_at
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def exported(form, round_):
    lines, _type = exports.FORMS[form]
    text = "".join(lines(round_, names.names(round_, shown=True)))
    return looked_at(text.encode(), form)


def said(rows):
    return sorted(
        (row["item"], row["system"], row["criterion"], Decimal(str(row["value"]))) for row in rows
    )


@pytest.mark.parametrize(
    ("form", "shape"),
    [
        ("grades.csv", "our_grades"),
        ("grades.jsonl", "our_grades"),
        ("ratings.csv", "our_grades"),
        ("table.csv", "our_table"),
    ],
)
def test_a_round_comes_back_as_it_went(form, shape):
    round_ = rounds.graded(n_items=2)

    layout, rows = exported(form, round_)

    assert layout.shape == shape
    assert said(rows) == said(exported("grades.jsonl", round_)[1])
    assert len(rows) == round_.grades.count() == 12
    assert {(str(row["scale_min"]), str(row["scale_max"])) for row in rows} == {("0", "2")}
    assert len({row["rater"] for row in rows}) == 3
