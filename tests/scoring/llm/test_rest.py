import json

import pytest

from scoring.llm import rest
from scoring.llm.base import Message, Request, Role, Settings

URL = "https://tutor.example/api/answer"
BODY = '{"question": "{message}"}'
TALK = (
    Message("system", "Be brief."),
    Message("user", "Where is gate 12?"),
    Message("assistant", "Behind the weighbridge."),
    Message("user", 'And gate {key}? "Quoted"'),
)


def template(**given):
    return rest.RestTemplate(**{"url": URL, "body": BODY, **given})


def written(one, messages=TALK, **settings):
    asked = Request(Role.CANDIDATE, messages, Settings(**settings))
    return rest.write(one, asked, model="2.1", key="a-secret-key")


class TestCheck:
    @pytest.mark.parametrize(
        ("given", "place", "code"),
        [
            ({"url": "ftp://tutor.example/"}, "url", "scheme"),
            ({"url": "https://[tutor.example/"}, "url", "broken"),
            ({"url": "https:///answer"}, "url", "host"),
            ({"url": "https://tutor.example/ä"}, "url", "host"),
            ({"url": "https://{message}.example/"}, "url", "server_is_fixed"),
            ({"url": "https://me@tutor.example/"}, "url", "user"),
            ({"url": f"{URL}#top"}, "url", "fragment"),
            ({"url": f"{URL}?key={{key}}"}, "url", "key_in_headers_alone"),
            ({"url": f"{URL}?q={{word}}"}, "url", "placeholder"),
            ({"method": "DELETE"}, "method", "unknown"),
            ({"headers": {"Host": "elsewhere"}}, "headers", "name"),
            ({"headers": {"X Y": "z"}}, "headers", "name"),
            ({"headers": {"X": "a\r\nY: b"}}, "headers", "value"),
            ({"headers": {"X": "{message}"}}, "headers", "placeholder"),
            ({"headers": {f"X{n}": "" for n in range(21)}}, "headers", "too_many"),
            ({"body": '{"question": {message}}'}, "body", "no_json"),
            ({"body": f'{{"a": {"[" * 60}{"]" * 60}}}'}, "body", "too_deep"),
            ({"body": f'"{"x" * 20_001}"'}, "body", "too_long"),
            ({"body": '{"k": "{key}"}'}, "body", "key_in_headers_alone"),
            ({"body": '{"q": "{msg}"}'}, "body", "placeholder"),
            ({"body": '{"q": "hello"}'}, "body", "says_nothing"),
            ({"method": "GET"}, "body", "none_with_get"),
            ({"answer": "a..b[x]"}, "answer", "no_path"),
            ({"answer": "a" + "[0]" * 50}, "answer", "no_path"),
        ],
    )
    def test_refuses_what_cannot_be_sent(self, given, place, code):
        with pytest.raises(rest.NotUsable) as refused:
            rest.check(template(**given))

        assert (refused.value.place, refused.value.code) == (place, code)

    def test_takes_what_can(self):
        rest.check(template(headers={"Authorization": "Bearer {key}"}, answer="$.a[0].b"))
        rest.check(template(url=f"{URL}?q={{message}}", method="GET", body=""))


class TestWrite:
    def test_puts_texts_into_json_whatever_they_hold(self):
        made = written(template(headers={"X-Key": "{key}"}))

        assert json.loads(made.content) == {"question": 'And gate {key}? "Quoted"'}
        assert made.headers == {"X-Key": "a-secret-key", "Content-Type": "application/json"}
        assert "a-secret-key" not in repr(made)

    def test_gives_lists_and_numbers_as_such(self):
        body = '{"m": "{messages}", "t": "{temperature}", "n": ["{seed}", 3], "v": "v{model}", "keep": "{x}"}'

        made = json.loads(written(template(body=body), temperature=0.5).content)

        assert made["m"][0] == {"role": "system", "content": "Be brief."}
        assert (made["t"], made["n"], made["v"], made["keep"]) == (0.5, [None, 3], "v2.1", "{x}")

    def test_tells_what_went_before_and_the_system_prompt(self):
        made = json.loads(
            written(template(body='{"h": "{history}", "s": "{system}{seed}"}')).content
        )

        assert made == {
            "h": "user: Where is gate 12?\nassistant: Behind the weighbridge.",
            "s": "Be brief.",
        }

    def test_quotes_what_goes_into_an_address(self):
        made = written(template(url=f"{URL}?q={{message}}", method="GET", body=""))

        assert made.url == f"{URL}?q=And%20gate%20%7Bkey%7D%3F%20%22Quoted%22"
        assert made.content is None

    def test_keeps_the_session_through_a_conversation_and_no_other(self):
        one = template(body='{"s": "{session}", "q": "{message}"}')

        first = json.loads(written(one, TALK[:2], seed=3).content)["s"]

        assert json.loads(written(one, TALK, seed=3).content)["s"] == first
        assert json.loads(written(one, TALK, seed=4).content)["s"] != first

    def test_keeps_the_type_of_the_content_that_is_set(self):
        made = written(template(headers={"content-type": "application/vnd.x+json"}))

        assert made.headers == {"content-type": "application/vnd.x+json"}


class TestAnswer:
    REPLY = json.dumps(
        {"data": {"answers": [{"text": "At 12."}, {"text": ["a", "b"]}], "n": 3, "no": None}}
    )

    @pytest.mark.parametrize(
        ("path", "found"),
        [
            ("data.answers[0].text", "At 12."),
            ("$.data.answers[-1].text", "a\nb"),
            ("data.n", "3"),
            ("data.no", ""),
            ("data.answers[1]", '{"text": ["a", "b"]}'),
        ],
    )
    def test_is_found_by_its_path(self, path, found):
        assert rest.answer(template(answer=path), self.REPLY.encode()) == found

    def test_is_all_of_the_reply_without_a_path(self):
        assert rest.answer(template(), b"plain\x00text \xff") == "plain�text �"

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ("data.text", "nothing at “data.text”. It has the names answers, n, no"),
            ("data.answers[7]", "It has a list of 2"),
            ("data.n.x", "It has no parts"),
            ("data.answers.text", "It has a list of 2"),
        ],
    )
    def test_says_where_the_way_ends(self, path, why):
        with pytest.raises(rest.NoAnswer, match=why.replace("[", r"\[")):
            rest.answer(template(answer=path), self.REPLY.encode())

    @pytest.mark.parametrize("raw", [b"<html>", b"[" * 100_000])
    def test_says_that_a_reply_is_no_json(self, raw):
        with pytest.raises(rest.NoAnswer, match="not JSON"):
            rest.answer(template(answer="a"), raw)

    def test_has_no_half_characters(self):
        assert rest.answer(template(answer="a"), b'{"a": "\\ud800x"}') == "?x"

    def test_names_what_an_empty_object_has(self):
        with pytest.raises(rest.NoAnswer, match="no names"):
            rest.answer(template(answer="a"), b"{}")
