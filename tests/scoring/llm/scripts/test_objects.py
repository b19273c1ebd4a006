import pytest

from scoring.llm.base import Message
from scoring.llm.scripted import reading, writing
from scoring.llm.scripted.script import Script


def made(schema, text="Score this: a text about rivers and lakes.", **script):
    asked = reading.SeenRequest((Message("user", text),), schema=schema, sha="abc")
    return writing.ObjectWriter(
        asked, Script.of(script), writing.weigh(asked, Script.of(script))
    ).by_schema(schema)


class TestBySchema:
    @pytest.mark.parametrize(
        ("schema", "allowed"),
        [
            ({"const": 7}, {7}),
            ({"enum": [0, 1, 2]}, {0, 1, 2}),
            ({"enum": ["1", "2"]}, {"1", "2"}),
            ({"enum": ["red", "blue", None]}, {"red", "blue"}),
            ({"type": "integer", "minimum": 3, "maximum": 4}, {3, 4}),
            ({"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5}, {4}),
            ({"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.5}, {0, 0.5, 1}),
            ({"type": ["null", "boolean"]}, {True, False}),
            ({"anyOf": [{"type": "null"}, {"const": "x"}]}, {"x"}),
            ({"type": "null"}, {None}),
            ({"type": "unheard_of"}, {None}),
            ({"enum": ["right", "wrong", "unclear"]}, {"right", "wrong"}),
            ({"type": "number", "minimum": 2, "maximum": 2}, {2}),
        ],
    )
    def test_writes_an_allowed_value(self, schema, allowed):
        assert made(schema) in allowed

    def test_writes_lists_that_begin_with_given_things(self):
        schema = {"type": "array", "prefixItems": [{"const": 7}], "items": {"type": "boolean"}}

        first, *rest = made(schema)

        assert first == 7
        assert all(isinstance(one, bool) for one in rest)

    def test_writes_a_set_without_doubles(self):
        schema = {"type": "array", "items": {"const": 1}, "minItems": 3, "uniqueItems": True}

        assert made(schema) == [1]

    @pytest.mark.parametrize(
        ("name", "ending"),
        [("next_question", "?"), ("plan", "why."), ("answer", "."), ("why", ".")],
    )
    def test_writes_what_a_name_asks_for(self, name, ending):
        schema = {"type": "object", "properties": {name: {"type": "string"}}}

        assert made(schema)[name].endswith(ending)

    def test_says_whether_something_is_right_by_its_worth(self):
        schema = {"type": "object", "properties": {"is_correct": {"type": "boolean"}}}

        assert made(schema, "Score this: I do not know.") == {"is_correct": False}

    def test_follows_references(self):
        schema = {
            "$defs": {"mark": {"type": "integer", "minimum": 1, "maximum": 2}},
            "type": "object",
            "properties": {"first": {"$ref": "#/$defs/mark"}},
        }

        assert made(schema)["first"] in {1, 2}

    def test_ends_where_a_schema_leads_into_itself(self):
        schema = {"type": "object", "properties": {"inner": {"$ref": "#"}}}

        assert "inner" in made(schema)

    def test_writes_lists_of_the_wanted_length(self):
        schema = {"type": "array", "items": {"type": "string"}, "minItems": 3, "maxItems": 3}

        assert len(made(schema)) == 3

    def test_keeps_the_length_of_a_string(self):
        assert len(made({"type": "string", "maxLength": 9})) == 9

    def test_reads_the_schema_inside_the_envelope_of_the_chat_api(self):
        inner = {"type": "object", "properties": {"score": {"type": "integer"}}}

        assert set(made({"name": "reply", "schema": inner})) == {"score"}


class TestByExample:
    def test_writes_an_object_of_the_same_form(self):
        example = {"marks": [2], "sure": True, "grade": "<0-1>", "inner": {"note": "…"}}
        asked = reading.SeenRequest((Message("user", "Score from 3 to 4."),))
        writer = writing.ObjectWriter(asked, Script(), writing.weigh(asked, Script()))

        found = writer.by_example(example, asked.whole)

        assert set(found["marks"]) <= {3, 4}
        assert found["grade"] in {0, 1}
        assert isinstance(found["sure"], bool)
        assert found["inner"]["note"]

    def test_takes_1_to_5_where_no_range_is_named(self):
        asked = reading.SeenRequest((Message("user", "Score this, version 7-2."),))
        writer = writing.ObjectWriter(asked, Script(), writing.weigh(asked, Script()))

        assert writer.by_example({"score": 1}, asked.whole)["score"] in range(1, 6)

    def test_takes_a_schema_that_the_prompt_shows_as_one(self):
        asked = reading.SeenRequest((Message("user", "Score this."),))
        writer = writing.ObjectWriter(asked, Script(), writing.weigh(asked, Script()))

        assert writer.by_example({"properties": {"x": {"const": 3}}}, "") == {"x": 3}


class TestEmbedded:
    def test_is_the_last_object_of_a_prompt(self):
        assert writing.embedded('Not {this}, {"a": 1}, but {"b": [2]} so.') == {"b": [2]}

    def test_is_none_where_there_is_none(self):
        assert writing.embedded("if (x) { return }") is None
