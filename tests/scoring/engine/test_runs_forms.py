from decimal import Decimal
from uuid import UUID

from django import forms as django_forms

from scoring.engine import forms
from scoring.engine.kinds import BeginRun

KEY = UUID(int=7)


class OfAKind(forms.StartForm):
    n_repeats = django_forms.IntegerField(label="Repeats")


def sent(**kwargs):
    return {"key": str(KEY), "name": "First", "seed": "5", "n_repeats": "3", **kwargs}


class TestStartForm:
    def test_has_the_fields_of_its_kind_in_the_middle(self):
        form = OfAKind(key=KEY, seed=5)

        assert list(form.fields) == ["key", "name", "n_repeats", "budget", "seed"]

    def test_keeps_the_key_it_was_shown_with(self):
        form = OfAKind(sent(), key=UUID(int=8), seed=6)

        assert form.is_valid()
        assert form.wish() == BeginRun(key=KEY, name="First", seed=5)

    def test_reads_a_budget(self):
        form = OfAKind(sent(budget="0.5"), key=KEY, seed=5)

        assert form.is_valid()
        assert form.wish().budget == Decimal("0.5")

    def test_refuses_a_budget_of_nothing(self):
        assert "budget" in OfAKind(sent(budget="0"), key=KEY, seed=5).errors
