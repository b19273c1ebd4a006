import json

import pytest

from scoring.kinds.suites.protocol import files
from scoring.kinds.suites.protocol.files import UnreadableTalks
from tests import cases

ONE = {"id": "a", "topic": "x", "messages": [{"role": "user", "content": "hi"}]}
OTHER = {"messages": [{"role": "assistant", "content": "ho"}]}


def read(data, **given):
    return list(files.read_talks([data] if isinstance(data, bytes) else data, **given))


def text(*objects):
    return "\n".join(json.dumps(one) for one in objects).encode()


class TestRead:
    def test_takes_a_conversation_a_line(self):
        found = read(text(ONE, OTHER), name="talks")

        assert [one.conversation.external_id for one in found] == ["a", "talks-2"]
        assert (found[0].details, found[0].messages) == ({"topic": "x"}, tuple(ONE["messages"]))

    @pytest.mark.parametrize(
        "data",
        [
            json.dumps([ONE, OTHER]).encode(),
            json.dumps([ONE, OTHER], indent=1).encode("utf-16"),
            b"\xef\xbb\xbf" + text(ONE, OTHER),
            b"\n\n" + text(ONE, OTHER) + b"\n\n",
        ],
    )
    def test_takes_lists_and_other_encodings(self, data):
        assert [len(one.messages) for one in read(data)] == [1, 1]

    def test_takes_one_object_over_many_lines(self):
        (found,) = read(json.dumps(ONE, indent=2).encode())

        assert found.conversation.external_id == "a"

    def test_takes_tables_with_a_row_a_message(self):
        data = (
            "conversation;role;content;tool_calls\n"
            'a;user;"Where; is\nit?";\n'
            "b;human;hi;\n"
            'a;assistant;;"[{""name"": ""find""}]"\n'
        )

        first, second = read(data.encode())

        assert [one.role for one in first.conversation.messages] == ["user", "assistant"]
        assert first.conversation.tool_calls[0].name == "find"
        assert second.conversation.messages[0].role == "user"

    @pytest.mark.parametrize(
        "data",
        [
            b"ticket_id,timestamp,sender,message\n1,10:00,user,Hi\n1,10:01,bot,Ho\n",
            b"conversation_id,author_type,author_name,body\n1,user,Ann,Hi\n1,bot,Bo,Ho\n",
            b"conversation_id,query,answer\n1,Hi,Ho\n",
            text(
                {"conversation_id": 1, "role": "user", "content": "Hi"},
                {"conversation_id": 1, "role": "assistant", "content": "Ho"},
            ),
            json.dumps(
                [
                    {"message_tree_id": "m", "text": "Hi", "role": "prompter"},
                    {"message_tree_id": "m", "text": "Ho", "role": "assistant"},
                ]
            ).encode(),
            text({"prompt": "Hi", "completion": "Ho"}),
            text({"text": "User: Hi\nAssistant: Ho"}),
            text({"text": "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHo<|im_end|>"}),
            text({"conversations": [{"id": "1", "turns": [{"user": "Hi", "assistant": "Ho"}]}]}),
            json.dumps(
                {
                    "data": [
                        {
                            "messages": [
                                {"role": "user", "content": "Hi"},
                                {"role": "assistant", "content": "Ho"},
                            ]
                        }
                    ]
                },
                indent=1,
            ).encode(),
        ],
    )
    def test_takes_what_one_said_and_the_other_as_programs_write_it(self, data):
        (found,) = read(data)

        assert found.problem == ""
        assert [(one.role, one.content) for one in found.conversation.messages] == [
            ("user", "Hi"),
            ("assistant", "Ho"),
        ]

    def test_takes_rows_that_call_things_otherwise_than_the_one_before(self):
        data = text(
            {"conversation_id": 1, "role": "user", "text": "Hi"},
            {"conv_id": 1, "Role": "assistant", "content": "Ho"},
        )

        (found,) = read(data)

        assert [one.content for one in found.conversation.messages] == ["Hi", "Ho"]

    def test_takes_calls_of_tools_in_rows_as_lists_too(self):
        call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
        rows = [
            {"conversation_id": 1, "role": "user", "content": "Hi", "tool_calls": None},
            {"conversation_id": 1, "role": "assistant", "content": "", "tool_calls": [call]},
        ]

        for data in (text(*rows), json.dumps(rows).encode()):
            (found,) = read(data)
            assert found.conversation.tool_calls[0].name == "find"

    def test_tells_of_a_bad_row_by_its_line_and_joins_the_others(self):
        rows = [
            {"conversation_id": 1, "role": who, "content": f"{who}\u2028there"}
            for who in ("user", "assistant")
        ]
        lines = [json.dumps(one, ensure_ascii=False) for one in rows]
        data = "\n".join([lines[0], "", "{broken", lines[1], '{"other": 1}']).encode()

        found = list(read(data))

        assert [(one.line, bool(one.problem)) for one in found] == [
            (3, True),
            (5, True),
            (1, False),
        ]
        assert [one.content for one in found[2].conversation.messages] == [
            "user\u2028there",
            "assistant\u2028there",
        ]

    def test_joins_rows_by_the_conversation_that_they_name(self):
        rows = [{"dialog_id": one, "speaker": "user", "text": f"{one}"} for one in "abab"]

        found = read(text(*rows))

        assert [len(one.conversation.messages) for one in found] == [2, 2]

    def test_tells_of_bad_lines_and_goes_on(self):
        data = text(ONE) + b'\n{"messages": 1}\nno json\n[1]\n' + text(OTHER)

        found = read(data)

        assert [one.line for one in found if one.problem] == [2, 3, 4]
        assert sum(one.conversation is not None for one in found) == 2

    @pytest.mark.parametrize(
        ("said", "why"),
        [
            ('{"messages": [{"role": "user", "content": "\\ud800"}]}', "half a character"),
            ('{"x": "\\u0000", "messages": [{"role": "user", "content": "a"}]}', "number 0"),
            ('{"x": NaN, "messages": [{"role": "user", "content": "a"}]}', "NaN"),
            (
                '{"x": ' + "[" * 100 + "]" * 100 + ', "messages": [{"role": "u"}]}',
                "nested deeper",
            ),
            ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "no JSON"),
        ],
    )
    def test_refuses_what_a_database_cannot_keep(self, said, why):
        found = read(text(ONE) + b"\n" + said.encode())

        assert why in found[1].problem

    @pytest.mark.parametrize(
        ("data", "why"),
        [
            (b"", "empty"),
            (b"\x89PNG" + bytes(range(256)) * 9, "no text"),
            (b"[1, 2", "list is broken"),
            (b"a,b\n1,2\n", "needs the columns"),
            (b'id,role,content\na,user,"x', "table is broken"),
        ],
    )
    def test_refuses_files_that_are_none(self, data, why):
        with pytest.raises(UnreadableTalks, match=why):
            read(data)

    def test_takes_a_message_of_a_million_signs(self):
        (found,) = read(text({"messages": [{"role": "user", "content": "ä" * 1_000_000}]}))

        assert len(found.conversation.messages[0].content) == 1_000_000


class TestTable:
    HEAD = "conversation,turn,role,content,tool_calls,rating\n"

    def test_keeps_what_else_a_row_says_with_its_message(self):
        (found,) = read((self.HEAD + "t1,1,user,Hi,,good\n").encode())

        assert found.messages == ({"role": "user", "content": "Hi", "turn": "1", "rating": "good"},)

    @pytest.mark.parametrize(
        ("rows", "why"),
        [
            ("t1,1,assistant,Ho,book(1),\n", "tool calls in line 2 are no JSON"),
            ("t1,1,user,Hi,,,more\n", "Line 2 has more cells"),
        ],
    )
    def test_refuses_a_conversation_of_which_something_would_be_lost(self, rows, why):
        found = read((self.HEAD + rows + "t2,1,user,Hi,,\n").encode())

        assert [why in found[0].problem, found[1].problem] == [True, ""]

    def test_has_messages_in_the_order_of_their_turns(self):
        rows = "t1,2,assistant,Ho,,\nt1,10,user,Bye,,\nt1,1,user,Hi,,\n"

        (found,) = read((self.HEAD + rows).encode())

        assert [one["content"] for one in found.messages] == ["Hi", "Ho", "Bye"]

    def test_says_for_whom_a_role_was_taken_that_is_only_likely(self):
        (found,) = read(b"dialog_id,speaker,utterance\na,Customer,Hi\na,Agent,Ho\n")

        assert [one.role for one in found.conversation.messages] == ["user", "assistant"]
        assert found.asked == {"Customer": "user", "Agent": "assistant"}


class TestFilesOfPeople:
    def said(self, name):
        found = read(cases.file(name).read_bytes())
        return [
            (
                one.conversation.external_id,
                [(each["role"], each["content"]) for each in one.messages],
            )
            for one in found
        ]

    def test_of_other_roles(self):
        assert self.said("table_agent.csv") == [
            ("t1", [("user", "Where is my parcel?"), ("assistant", "In transit.")]),
            ("t2", [("user", "Help"), ("assistant", "Try again.")]),
        ]

    def test_of_turns_out_of_order(self):
        assert self.said("table_turns_shuffled.csv") == [
            ("t1", [("user", "Hi"), ("assistant", "Hello!"), ("user", "Bye")]),
            ("t2", [("user", "Ahoy")]),
        ]
        assert self.said("table_conv_turn_id.csv") == [
            ("t1", [("user", "Hi"), ("assistant", "Hello!")]),
            ("t2", [("user", "Bye")]),
        ]

    def test_of_other_makers(self):
        (talk,) = read(cases.file("conv_anthropic.jsonl").read_bytes())

        assert talk.conversation.system == "You book rooms."
        assert [one.role for one in talk.conversation.turns] == ["user", "assistant"]
        (call,) = talk.conversation.tool_calls
        assert (call.name, call.arguments) == ("book", {"n": 1})
