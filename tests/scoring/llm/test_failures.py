import pytest

from scoring.llm import base, failures
from scoring.llm.base import Request, Role, Trouble

KEY = "canary-4711-do-not-show"


class TestFailed:
    def test_is_the_systems_own_outcome_where_it_answers(self):
        asked = Request(Role.CANDIDATE, ())

        assert isinstance(failures.failed(asked, Trouble.EMPTY, "x"), base.SystemFailed)
        assert isinstance(failures.failed(asked, Trouble.TIMEOUT, "x"), base.MachineryFailed)

    def test_is_the_machinerys_for_everybody_else(self):
        asked = Request(Role.JUDGE, ())

        assert isinstance(failures.failed(asked, Trouble.EMPTY, "x"), base.MachineryFailed)


class TestTroubleOf:
    @pytest.mark.parametrize(
        ("status", "said", "trouble"),
        [
            (302, {}, Trouble.REFUSED_ADDRESS),
            (400, {}, Trouble.BAD_REQUEST),
            (400, {"code": "context_length_exceeded"}, Trouble.TOO_LONG),
            (400, {"message": "the request exceeds the available context size"}, Trouble.TOO_LONG),
            (400, {"code": "content_filter"}, Trouble.FILTERED),
            (400, {"code": "invalid_api_key"}, Trouble.KEY),
            (401, {}, Trouble.KEY),
            (402, {}, Trouble.KEY),
            (403, {}, Trouble.KEY),
            (404, {}, Trouble.BAD_REQUEST),
            (408, {}, Trouble.TIMEOUT),
            (413, {}, Trouble.TOO_LONG),
            (429, {"code": "rate_limit_exceeded"}, Trouble.RATE_LIMITED),
            (429, {"code": "insufficient_quota"}, Trouble.KEY),
            (500, {}, Trouble.SERVER),
            (503, {}, Trouble.SERVER),
            (529, {"message": "maximum context length"}, Trouble.SERVER),
        ],
    )
    def test_reads_status_and_words(self, status, said, trouble):
        assert failures.trouble_of(status, said) is trouble

    def test_reads_an_error_in_a_body_of_200(self):
        assert failures.trouble_of_error({"message": "no"}) is Trouble.GARBAGE
        assert failures.trouble_of_error({"code": "context_length_exceeded"}) is Trouble.TOO_LONG


class TestMessageOf:
    def test_says_what_the_server_says(self):
        made = failures.message_of(400, Trouble.BAD_REQUEST, {"message": "No n."}, "")

        assert made == "The server refused the request (status 400). It says: No n."

    @pytest.mark.parametrize(
        "trouble", sorted(set(Trouble) - {Trouble.CONNECTION, Trouble.GARBAGE, Trouble.EMPTY})
    )
    def test_has_words_for_every_status_and_no_key(self, trouble):
        made = failures.message_of(400, trouble, {"message": f"You sent {KEY}."}, KEY)

        assert "400" in made
        assert "canary" not in made

    def test_repeats_nothing_to_a_wrong_key(self):
        made = failures.message_of(401, Trouble.KEY, {"message": "You sent cana****show."}, KEY)

        assert made == "The key was not accepted (status 401). Set another key."
        assert "quota" in failures.message_of(429, Trouble.KEY, {}, KEY)


class TestWithoutKey:
    @pytest.mark.parametrize(
        ("text", "left"),
        [
            (f"Bearer {KEY}!", "Bearer [key]!"),
            (f"{KEY}{KEY}", "[key]"),
            ("canary-4…", "[key]…"),
            ("…t-show, canary", "…[key], [key]"),
            ("nothing of it", "nothing of it"),
        ],
    )
    def test_leaves_no_telling_piece(self, text, left):
        assert failures.without_key(text, KEY) == left

    def test_takes_out_short_keys_whole(self):
        assert failures.without_key("abc, ab", "abc") == "[key], ab"

    def test_leaves_all_where_there_is_no_key(self):
        assert failures.without_key("abc", "") == "abc"


class TestRetryAfter:
    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({}, None),
            ({"retry-after": "7"}, 7.0),
            ({"retry-after": "0.5"}, 0.5),
            ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
            ({"retry-after": "soon"}, None),
            ({"retry-after": "-1"}, None),
            ({"retry-after": "inf"}, None),
            (
                {
                    "retry-after": "Sun, 22 Nov 2026 10:00:30 GMT",
                    "date": "Sun, 22 Nov 2026 10:00:00 GMT",
                },
                30.0,
            ),
            ({"retry-after": "Sun, 22 Nov 2026 10:00:30 GMT"}, None),
        ],
    )
    def test_reads_seconds_and_dates(self, headers, seconds):
        assert failures.retry_after(headers) == seconds
