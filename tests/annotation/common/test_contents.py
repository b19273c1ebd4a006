import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import texts as contents

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


class TestCanonical:
    @given(st.dictionaries(st.text(), values, max_size=4))
    def test_does_not_see_the_order_of_keys(self, value):
        turned = dict(reversed(value.items()))

        assert contents.canonical(value) == contents.canonical(turned)

    @given(values)
    def test_can_be_read_back(self, value):
        assert json.loads(contents.canonical(value)) == value

    def test_leaves_text_as_it_is(self):
        assert contents.canonical({"b": "é", "a": "e\u0301"}) == '{"a":"e\u0301","b":"é"}'.encode()

    def test_takes_half_a_surrogate_pair(self):
        assert contents.canonical("\ud800") == b'"\xed\xa0\x80"'

    def test_refuses_what_json_cannot_write(self):
        with pytest.raises(ValueError, match="JSON"):
            contents.canonical(float("nan"))
        with pytest.raises(TypeError):
            contents.canonical({1, 2})


class TestShas:
    def test_tell_prompt_content_and_response_apart(self):
        messages = contents.as_messages("Which port?")
        shas = {
            contents.prompt_sha(messages),
            contents.content_sha(messages),
            contents.content_sha(messages, "Hamburg"),
            contents.content_sha(messages, None, "Hamburg"),
            contents.response_sha(messages),
        }

        assert len(shas) == 5
        assert {len(sha) for sha in shas} == {64}

    def test_stay_the_same_over_versions_of_this_program(self):
        # Fingerprints are stored; another way to compute them would make every import new.
        assert contents.prompt_sha(contents.as_messages("Which port?")) == (
            "8cafe62cd6130cef9ef417cd5de2b66e6f50d87788fef8888080eac3c5283c5d"
        )

    def test_do_not_see_how_the_messages_are_held(self):
        messages = contents.as_messages("Yes.", role="assistant")

        assert contents.response_sha(messages) == contents.response_sha(tuple(messages))
