from datetime import UTC, datetime

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

    def test_measures_a_date_by_the_clock_of_whoever_asks_where_none_is_told(self):
        headers = {"retry-after": "Sun, 22 Nov 2026 10:00:30 GMT"}
        now = datetime(2026, 11, 22, 10, tzinfo=UTC)

        assert failures.retry_after(headers, {}, now) == 30.0

    def test_reads_the_delay_in_an_error_of_googles(self):
        said = {"details": [{"@type": "Help"}, {"@type": "RetryInfo", "retryDelay": "27s"}]}

        assert failures.retry_after({}, said) == 27.0
        assert failures.retry_after({}, {"details": [{"retryDelay": "soon"}]}) is None


class TestErrorsOfToday:
    @pytest.mark.parametrize(
        ("said", "trouble"),
        [
            ({"type": "overloaded_error"}, Trouble.SERVER),
            ({"type": "rate_limit_error"}, Trouble.RATE_LIMITED),
            ({"type": "authentication_error"}, Trouble.KEY),
            ({"type": "billing_error"}, Trouble.KEY),
            ({"code": 429}, Trouble.RATE_LIMITED),
            ({"code": 529}, Trouble.SERVER),
            ({"code": 400, "message": "prompt is too long: 210000 tokens"}, Trouble.TOO_LONG),
        ],
    )
    def test_in_a_body_of_200_are_what_they_say(self, said, trouble):
        assert failures.trouble_of_error(said) is trouble

    def test_are_told_apart_from_a_bad_request_by_their_words(self):
        unpaid = {"type": "invalid_request_error", "message": "Your credit balance is too low."}

        assert failures.trouble_of(400, unpaid) is Trouble.KEY
        assert "unpaid" in failures.message_of(400, Trouble.KEY, unpaid, KEY)
        assert failures.trouble_of(400, {"message": "API key not valid."}) is Trouble.KEY

    def test_keep_every_secret_to_themselves(self):
        said = {"detail": [{"loc": ["header"], "msg": f"{KEY} and tail-of-a-token"}]}

        made = failures.message_of(400, Trouble.BAD_REQUEST, said, KEY, "tail-of-a-token")

        assert made.count("[key]") == 2


class TestRefusedParameters:
    @pytest.mark.parametrize(
        ("message", "found"),
        [
            ("'temperature' does not support 0.3 with this model.", ["temperature"]),
            ('Unknown name "seed": Cannot find field.', ["seed"]),
            ('{"type": "extra_forbidden", "loc": ["body", "seed"]}', ["seed"]),
            ("`temperature` and `top_p` cannot both be specified for this model.", ["top_p"]),
            ("temperature: must be at most 1", []),
            ("The temperature_scale is not supported.", []),
            ("This model is not supported.", []),
        ],
    )
    def test_are_those_that_are_named_as_not_taken(self, message, found):
        sent = ["temperature", "top_p", "seed"]

        assert failures.refused_parameters(message, sent) == found
