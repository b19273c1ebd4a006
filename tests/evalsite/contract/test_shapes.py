from datetime import datetime

import pytest

from evalsite.contract import shapes
from evalsite.contract.shapes import maybe, one_of, optional, page, said, shape


def refer(of, make):
    return make() if make else {"$ref": of.__name__}


class TestSchema:
    @pytest.mark.parametrize(
        ("of", "expected"),
        [
            (str, {"type": "string"}),
            (datetime, {"type": "string", "format": "date-time"}),
            ([int], {"type": "array", "items": {"type": "integer"}}),
            ({str: bool}, {"type": "object", "additionalProperties": {"type": "boolean"}}),
            (maybe(float), {"type": ["number", "null"]}),
            (one_of("a", "b"), {"type": "string", "enum": ["a", "b"]}),
            (maybe(one_of("a")), {"oneOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
            (said(int, "So many."), {"type": "integer", "description": "So many."}),
            (shapes.ANYTHING, {}),
        ],
    )
    def test_is_made_of_few_words(self, of, expected):
        assert shapes.schema(of, refer) == expected

    def test_of_an_object_names_its_fields_and_which_are_always_there(self):
        found = shapes.schema(shape("Line", name=str, more=optional(int), import_=bool), refer)

        assert list(found["properties"]) == ["name", "more", "import"]
        assert found["required"] == ["name", "import"]

    def test_of_an_object_has_the_fields_of_what_it_is_based_on(self):
        found = shapes.schema(shape("More", shape("Less", name=str), n=int), refer)

        assert found["required"] == ["name", "n"]

    def test_of_a_page_says_where_the_next_one_is(self):
        found = shapes.schema(page(int), refer)

        assert list(found["properties"]) == ["results", "next"]
        assert found["properties"]["next"]["type"] == ["string", "null"]

    def test_refuses_what_is_no_shape(self):
        with pytest.raises(TypeError, match="is no shape"):
            shapes.schema(object(), refer)
