import json

from hypothesis import given
from hypothesis import strategies as st

from scoring.llm import records
from scoring.llm.base import Message, Reply, Request, Role, Settings, TokenChance, ToolCall

ASKED = Request(
    Role.JUDGE,
    (Message("system", "Be fair."), Message("user", "Be fair.")),
    Settings(temperature=0.0, stop=("END",)),
    schema={"type": "object"},
)
chances = st.builds(
    TokenChance,
    st.text(max_size=3),
    st.floats(-20, 0),
    st.lists(st.tuples(st.text(max_size=3), st.floats(-20, 0)), max_size=2).map(tuple),
)
replies = st.builds(
    Reply,
    text=st.text(max_size=20),
    finish=st.sampled_from(["stop", "length"]),
    prompt_tokens=st.none() | st.integers(0, 99),
    completion_tokens=st.none() | st.integers(0, 99),
    tokens=st.none() | st.lists(chances, max_size=2).map(tuple),
    fingerprint=st.text(max_size=3),
    seconds=st.floats(0, 9),
    tool_calls=st.lists(st.builds(ToolCall, st.text(max_size=3), st.text(max_size=3))).map(tuple),
    notes=st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)


class TestRequests:
    def test_keep_each_text_once_and_their_schema(self):
        texts = records.texts_of(ASKED)

        assert sorted(texts.values()) == ["Be fair.", '{"type": "object"}']
        assert [sha for _role, sha in records.of_messages(ASKED)] == [
            records.text_sha("Be fair.")
        ] * 2

    def test_keep_the_parameters_that_were_given(self):
        assert records.of_settings(ASKED) == {"temperature": 0.0, "stop": ["END"]}

    def test_without_a_schema_have_none(self):
        assert records.schema_sha(Request(Role.JUDGE, ())) == ""


class TestReplies:
    @given(replies)
    def test_come_back_as_they_were(self, reply):
        record = json.loads(json.dumps(records.of_reply(reply)))

        back = records.reply_from(
            record,
            reply.text,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            seconds=reply.seconds,
        )

        assert back == reply


class TestCallsOfTools:
    def test_stand_beside_the_pairs_of_role_and_hash(self):
        called = Message("assistant", "", (ToolCall("a", "map"),))
        asked = Request(Role.CANDIDATE, (Message("user", "Where?"), called))

        stored = json.loads(json.dumps(records.of_messages(asked)))

        assert [len(one) for one in stored] == [2, 3]
        assert records.said(stored)[1] == ("assistant", records.text_sha(""))
        assert records.beside(stored[0]) == {}
        assert records.beside(stored[1]) == called.beside()
