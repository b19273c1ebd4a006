import pytest
from django import forms
from django.http import QueryDict

from evalsite.contract import calls
from evalsite.contract.calls import AFTER, InvalidParameter, Query, UnknownParameter, get
from evalsite.web import keyset


class Colours(forms.Form):
    text = forms.CharField(required=False)
    colour = forms.ChoiceField(choices=[("", "Any"), ("red", "Red")], required=False)
    day = forms.DateField(required=False)
    place = forms.TypedChoiceField(coerce=int, required=False)
    many = forms.TypedMultipleChoiceField(coerce=int, required=False)


class TestRefuseUnknown:
    def test_lets_pass_what_is_named(self):
        call = get(str, query=[AFTER, Query("w.…")])

        calls.refuse_unknown(call, QueryDict("after=abc&w.12=3&w.all=1"))

    @pytest.mark.parametrize("name", ["afters", "w.", "w", "x.w.1", "csrfmiddlewaretoken"])
    def test_names_what_is_not(self, name):
        call = get(str, query=[AFTER, Query("w.…")])

        with pytest.raises(UnknownParameter) as refusal:
            calls.refuse_unknown(call, QueryDict(f"after=abc&{name}=1"))

        assert (refusal.value.status, refusal.value.code) == (400, "unknown_parameter")
        assert list(refusal.value.fields) == [name]
        assert "after, w.…" in refusal.value.fields[name][0]

    def test_says_so_where_there_are_no_parameters(self):
        with pytest.raises(UnknownParameter) as refusal:
            calls.refuse_unknown(get(str), QueryDict("after=1"))

        assert "no parameters" in refusal.value.fields["after"][0]

    def test_repeats_no_more_than_a_little_of_a_long_address(self):
        with pytest.raises(UnknownParameter) as refusal:
            calls.refuse_unknown(
                get(str), QueryDict("&".join(f"{'x' * 500}{n}=" for n in range(90)))
            )

        assert len(refusal.value.message) < 1000
        assert len(refusal.value.fields) <= 10


class TestRefuseUnfit:
    CALL = get(
        str,
        query=[
            Query("colour", schema={"type": "string", "enum": ["red", "blue"]}, many=True),
            Query("round", schema={"type": "integer"}),
            Query("day", schema={"type": "string", "format": "date"}),
            Query("q"),
            Query("w.…", schema={"type": "integer"}),
        ],
    )

    @pytest.mark.parametrize(
        "given",
        [
            "",
            "colour=red&colour=blue",
            "round=12&day=2026-02-28&q=anything",
            "w.3=-1",
            "round=&day=",
        ],
    )
    def test_lets_pass_what_they_may_be(self, given):
        calls.refuse_unfit(self.CALL, QueryDict(given))

    @pytest.mark.parametrize(
        ("given", "name", "words"),
        [
            ("colour=red&colour=green", "colour", "One of these: red, blue."),
            ("round=two", "round", "whole number"),
            ("round=1.5", "round", "whole number"),
            (f"round={'9' * 40}", "round", "whole number"),
            ("round=\u0664", "round", "whole number"),
            ("day=2026-02-31", "day", "A date"),
            ("day=tomorrow", "day", "A date"),
            ("w.3=x", "w.3", "whole number"),
        ],
    )
    def test_says_what_they_may_be(self, given, name, words):
        with pytest.raises(InvalidParameter) as refusal:
            calls.refuse_unfit(self.CALL, QueryDict(given))

        assert (refusal.value.status, refusal.value.code) == (400, "invalid_parameter")
        assert words in refusal.value.fields[name][0]


class TestOfForm:
    def test_takes_names_and_kinds_from_the_filters_of_a_page(self):
        found = {one.name: (one.schema, one.many) for one in calls.of_form(Colours)}

        assert found == {
            "text": ({"type": "string"}, False),
            "colour": ({"type": "string", "enum": ["red"]}, False),
            "day": ({"type": "string", "format": "date"}, False),
            "place": ({"type": "integer"}, False),
            "many": ({"type": "integer"}, True),
        }


class TestAKeyOfAPage:
    @pytest.mark.parametrize("key", ["zzz", "WyJh", "7", "{}", "W1tb" * 1000])
    def test_is_refused_where_it_can_be_none(self, key):
        with pytest.raises(InvalidParameter) as refusal:
            calls.refuse_unfit(get(str, query=[AFTER]), QueryDict(f"after={key}"))

        assert set(refusal.value.fields) == {"after"}

    @pytest.mark.parametrize("key", [keyset.write([12]), keyset.write(["a", 1]), ""])
    def test_passes_where_it_is_one(self, key):
        calls.refuse_unfit(get(str, query=[AFTER]), QueryDict(f"after={key}"))
