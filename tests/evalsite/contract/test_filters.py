import pytest
from django import forms

from evalsite.contract.calls import InvalidParameter, readable


class Wanted(forms.Form):
    shelf = forms.TypedChoiceField(coerce=int, required=False, choices=[("", "any"), (7, "Laws")])
    text = forms.CharField(required=False, max_length=5)


class TestReadable:
    @pytest.mark.parametrize("query", [{}, {"shelf": "7"}, {"shelf": "", "text": "tides"}])
    def test_lets_through_what_can_be_used(self, query):
        form = Wanted(query)

        assert readable(form) is form

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ({"shelf": "8"}, ["shelf"]),
            ({"shelf": "laws", "text": "longer"}, ["shelf", "text"]),
        ],
    )
    def test_names_what_cannot(self, query, names):
        with pytest.raises(InvalidParameter) as refused:
            readable(Wanted(query))

        assert sorted(refused.value.fields) == names

    def test_names_what_has_nothing_to_choose_from(self):
        form = Wanted({"shelf": "7"})
        del form.fields["shelf"]

        with pytest.raises(InvalidParameter) as refused:
            readable(form)

        assert list(refused.value.fields) == ["shelf"]
