from django.http import QueryDict
from rest_framework import serializers

from evalsite.contract import document as routes
from evalsite.contract.calls import Body
from evalsite.contract.shapes import NamedShape, Partly
from evalsite.records import Record, parts


class LevelIn(Body):
    value = serializers.IntegerField()


class RubricIn(Body):
    name = serializers.CharField()
    note = serializers.CharField(default="")
    levels = LevelIn(many=True, required=False)


def wrong(given, *, partial=False):
    sent = RubricIn(data=given, partial=partial)
    sent.is_valid()
    return sent.errors


def serializers_in(kind):
    """Return the class of a serializer or record, and those of what stands in it."""
    found = {kind}
    if issubclass(kind, Record):
        inner = (one.record for one in parts(kind) if one.record)
        return found.union(*(serializers_in(one) for one in inner))
    for one in kind().fields.values():
        inner = getattr(one, "child", one)
        if isinstance(inner, serializers.Serializer):
            found |= serializers_in(type(inner))
    return found


class TestABody:
    def test_takes_the_fields_it_names(self):
        assert wrong({"name": "Right", "levels": [{"value": 1}]}) == {}

    def test_names_a_field_that_it_does_not_know_and_those_it_does(self):
        found = wrong({"name": "Right", "nmae": "Wrong"})

        assert found == {"nmae": ["Unknown here. This takes: name, note, levels."]}

    def test_does_where_everything_may_be_left_out(self):
        assert set(wrong({"nmae": "Wrong"}, partial=True)) == {"nmae"}

    def test_says_what_else_is_wrong_as_well(self):
        assert set(wrong({"nmae": "Wrong"})) == {"nmae", "name"}

    def test_looks_into_what_stands_in_it(self):
        found = wrong({"name": "Right", "levels": [{"value": 1}, {"value": 1, "lable": "x"}]})

        assert set(found["levels"][1]) == {"lable"}

    def test_holds_for_a_form(self):
        assert set(wrong(QueryDict("name=Right&nmae=Wrong"))) == {"nmae"}

    def test_tells_of_a_few_names_only(self):
        assert len(wrong({"name": "Right", **{f"x{n}": 1 for n in range(50)}})) == 10

    def test_still_refuses_what_is_no_object(self):
        assert set(wrong(["name"])) == {"non_field_errors"}


class TestEveryBodyOfTheApi:
    def test_refuses_fields_that_it_does_not_know(self):
        taken = [call.takes for one in routes.routes() for call in one.promise.calls.values()]
        kinds = [one.of if isinstance(one, Partly) else one for one in taken if one is not None]
        kinds = [one for one in kinds if not isinstance(one, NamedShape) or one.rest is not False]
        loose = {
            f"{inner.__module__}.{inner.__name__}"
            for kind in kinds
            for inner in serializers_in(kind)
            if not issubclass(inner, Body | Record)
        }

        assert len(kinds) > 90
        assert loose == set()
