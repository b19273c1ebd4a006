import asyncio
import itertools

import pytest

from scoring.llm import abilities, clients
from scoring.llm.base import Failed, MachineryFailed, Trouble
from scoring.llm.config import EndpointConfig
from tests.scoring.llm import behaving, serving


def found_at(config):
    """Return what all probes find: name → finding."""

    async def probe():
        async with clients.open_wire(config) as wire:
            session = abilities.TestSession(wire, config.model)
            rows = [await one(session) for one in abilities.PROBES]
        return {one.name: one for one in itertools.chain(*rows)}

    return asyncio.run(probe())


def served(**options):
    with serving.in_thread(**options) as server:
        config = EndpointConfig(
            url=server.url, model="scripted", timeout=5, networks=("127.0.0.0/8",)
        )
        return found_at(config)


class Wire:
    """Answers what a test hands it, one answer after the other; the last one serves all that follow."""

    def __init__(self, *answers):
        self.answers, self.sent = list(answers), []

    async def post(self, path, sent, request):
        self.sent.append((path, sent))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def failed(trouble=Trouble.BAD_REQUEST, **more):
    return MachineryFailed(trouble, "no", **more)


def said(text="yes", finish="stop", n=50, **more):
    choice = {"message": {"content": text}, "finish_reason": finish, **more}
    return {"choices": [choice], "usage": {"completion_tokens": n}}


def tokens(*pieces, others=1):
    likely = [{"token": "x", "logprob": -1.0}] * others
    content = [{"token": one, "logprob": -0.1, "top_logprobs": likely} for one in pieces]
    return said("".join(pieces), logprobs={"content": content})


def probed(probe, *answers, has_logprobs=False):
    waits = []

    async def sleep(seconds):
        waits.append(seconds)

    async def run():
        session = abilities.TestSession(
            Wire(*answers), "m", sleep=sleep, clock=itertools.count().__next__
        )
        session.has_logprobs = has_logprobs
        return await probe(session), session

    found, session = asyncio.run(run())
    return {one.name: (one.value, one.how) for one in found}, session, waits


class TestAServer:
    def test_shows_all_that_it_can_do(self):
        found = served()

        values = {name: one.value for name, one in found.items()}
        latency = values.pop("latency")
        assert values == {
            "max_tokens_name": "max_tokens",
            "answers": True,
            "json_schema": True,
            "json_object": True,
            "logprobs": True,
            "top_logprobs": 6,
            "multi_token_scores": True,
            "n": True,
            "thinking": False,
            "temperature": True,
            "top_p": True,
            "usage": True,
            "seed": True,
            "seed_repeats": True,
            "prompt_logprobs": "completions",
        }
        assert latency > 0
        assert found["latency"].facts["n"] >= 10
        assert set(found) == set(abilities.NAMES)

    def test_shows_what_it_cannot_do(self):
        found = served(
            script={"schema": False, "logprobs": False},
            several=False,
            max_tokens_name="max_completion_tokens",
        )

        values = {name: (one.value, one.how) for name, one in found.items()}
        assert values["max_tokens_name"] == ("max_completion_tokens", "obeyed")
        assert values["json_schema"] == (False, "refused")
        assert values["json_object"] == (False, "refused")
        assert values["logprobs"][0] is False
        assert values["multi_token_scores"] == (None, "needs_logprobs")
        assert values["n"] == (False, "ignored")
        assert values["prompt_logprobs"][0] is False

    def test_shows_that_a_score_can_be_several_tokens(self):
        found = served(script={"one_digit_tokens": True})["multi_token_scores"]

        assert found.value is True
        assert found.facts == {"10": 2, "4.5": 3}


class TestAScript:
    def test_is_asked_without_a_server(self):
        found = found_at(EndpointConfig(kind="SCRIPTED", model="scripted"))

        assert found["json_schema"].value is True
        assert found["prompt_logprobs"].value == "completions"
        assert found["n"].value is True

    def test_refuses_as_a_server_does(self):
        script = {"schema": False}
        found = found_at(EndpointConfig(kind="SCRIPTED", model="scripted", script=script))

        assert found["json_schema"].how == "refused"


class TestLimit:
    def test_fails_where_the_first_question_does(self):
        with pytest.raises(Failed) as problem:
            probed(abilities.limit, failed(Trouble.KEY))

        assert problem.value.trouble is Trouble.KEY

    def test_fails_where_no_name_is_taken(self):
        with pytest.raises(Failed):
            probed(abilities.limit, failed())

    def test_knows_a_limit_that_has_no_effect(self):
        found, session, _waits = probed(abilities.limit, said())

        assert found == {"max_tokens_name": ("max_tokens", "ignored")}
        assert session.limit_name == "max_tokens"

    @pytest.mark.parametrize("short", [said("", "length"), said("one two", n=8)])
    def test_knows_a_limit_that_was_obeyed(self, short):
        found, session, _waits = probed(abilities.limit, failed(), short)

        assert found == {"max_tokens_name": ("max_completion_tokens", "obeyed")}
        assert session.limit_name == "max_completion_tokens"


class TestSession:
    def test_waits_as_long_as_it_is_told_and_asks_again(self):
        refused = failed(Trouble.RATE_LIMITED, retry_after=3.0)

        found, session, waits = probed(abilities.json_object, refused, said("{}"))

        assert found == {"json_object": (True, "seen")}
        assert waits == [3.0]
        assert len(session.seconds) == 1

    def test_never_waits_for_long(self):
        refused = failed(Trouble.RATE_LIMITED, retry_after=3600.0)

        assert probed(abilities.several, refused)[2] == [abilities.LONGEST_WAIT] * 2


class TestSeveral:
    def test_takes_the_same_reply_twice_for_none(self):
        choice = {"message": {"content": "The Tern sails at dawn."}}

        found, _session, _waits = probed(abilities.several, {"choices": [choice, choice]})

        assert found == {"n": (False, "same_twice")}


class TestHeld:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('{"shade": "umber", "rank": 43}', True),
            ('{"shade": "umber", "rank": 1}', False),
            ('{"shade": ["umber"], "rank": 43}', False),
            ('{"shade": "umber", "rank": 43, "more": 1}', False),
            ("[]", False),
            ("The sea is wide.", False),
            ("", False),
        ],
    )
    def test_counts_only_a_reply_that_follows_the_schema(self, text, value):
        found, _session, _waits = probed(abilities.json_schema, said(text))

        assert found["json_schema"][0] is value

    def test_is_unknown_where_nobody_answered(self):
        found, _session, _waits = probed(abilities.json_schema, failed(Trouble.TIMEOUT))

        assert found == {"json_schema": (None, "failed")}

    def test_is_missing_where_the_server_breaks_over_it(self):
        found, _session, _waits = probed(abilities.json_schema, failed(Trouble.SERVER, status=500))

        assert found == {"json_schema": (False, "refused")}


class TestLogprobs:
    def test_asks_for_fewer_where_many_are_refused(self):
        found, _session, _waits = probed(abilities.logprobs, failed(), tokens("yes", others=5))

        assert found == {"logprobs": (True, "seen"), "top_logprobs": (5, "counted")}

    def test_is_missing_where_they_do_not_come(self):
        assert probed(abilities.logprobs, said())[0] == {"logprobs": (False, "ignored")}
        assert probed(abilities.logprobs, tokens("yes", others=0))[0]["logprobs"][0] is False


class TestMultiTokenScores:
    def test_counts_the_tokens_of_a_score_in_what_stands_around_it(self):
        answers = tokens("It", " is 1", "0", "."), tokens("4.5")

        found, _session, _waits = probed(abilities.multi_token_scores, *answers, has_logprobs=True)

        assert found == {"multi_token_scores": (True, "counted")}

    def test_cannot_be_told_from_a_model_that_does_not_repeat(self):
        found, _session, _waits = probed(
            abilities.multi_token_scores, tokens("ten"), has_logprobs=True
        )

        assert found == {"multi_token_scores": (None, "not_repeated")}

    def test_cannot_be_told_where_the_question_is_refused(self):
        found, _session, _waits = probed(abilities.multi_token_scores, failed(), has_logprobs=True)

        assert found == {"multi_token_scores": (None, "failed")}


class TestSeed:
    @pytest.mark.parametrize(
        ("texts", "repeats", "how"),
        [("aab", True, "repeats"), ("aaa", True, "always_same"), ("abc", False, "differs")],
    )
    def test_tells_a_seed_that_has_an_effect(self, texts, repeats, how):
        found, _session, _waits = probed(abilities.seed, *map(said, texts))

        assert found == {"seed": (True, "accepted"), "seed_repeats": (repeats, how)}

    def test_tells_a_seed_that_is_refused(self):
        assert probed(abilities.seed, failed())[0] == {"seed": (False, "refused")}


class TestPromptLogprobs:
    def test_can_come_by_chat(self):
        found, _session, _waits = probed(
            abilities.prompt_logprobs, failed(), failed(), said() | {"prompt_logprobs": [None]}
        )

        assert found == {"prompt_logprobs": ("chat", "seen")}

    @pytest.mark.parametrize(
        "answer", [said(), {"choices": None}, {"choices": [{"text": "x", "logprobs": {}}]}]
    )
    def test_are_missing_where_the_wish_has_no_effect(self, answer):
        found, _session, _waits = probed(abilities.prompt_logprobs, answer)

        assert found == {"prompt_logprobs": (False, "ignored")}

    def test_are_unknown_where_nobody_answers(self):
        found, _session, _waits = probed(abilities.prompt_logprobs, failed(Trouble.CONNECTION))

        assert found == {"prompt_logprobs": (None, "failed")}

    def test_are_missing_where_every_way_is_refused(self):
        assert probed(abilities.prompt_logprobs, failed())[0] == {
            "prompt_logprobs": (False, "refused")
        }


class TestAnswers:
    def test_say_what_came(self):
        assert probed(abilities.answers, said("Hello!"))[0] == {"answers": (True, "replied")}

    @pytest.mark.parametrize(
        "answer",
        [
            said("<think>A greeting.</think>Hello!"),
            {"choices": [{"message": {"content": "Hello!", "reasoning_content": "A greeting."}}]},
        ],
    )
    def test_tell_of_a_model_that_reasons(self, answer):
        assert probed(abilities.answers, answer)[0] == {"answers": (True, "reasons")}

    def test_give_a_model_more_room_that_had_none_left_for_reasoning(self):
        thinks = {
            "message": {"content": "", "reasoning_content": "A gree"},
            "finish_reason": "length",
        }

        found, session, _waits = probed(
            abilities.answers, {"choices": [thinks]}, said("<think>A greeting.</think>Hello!")
        )

        assert found == {"answers": (True, "reasons")}
        rooms = [sent["max_tokens"] for _path, sent in session._wire.sent]
        assert rooms == [abilities.ROOM, abilities.MUCH_ROOM]

    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            ({"choices": [{"message": {"content": ""}}]}, "was empty"),
            ({"choices": [{"message": {"content": "  \n"}}]}, "was empty"),
            ({"choices": []}, "without a reply"),
            ({"object": "list", "data": []}, "without a reply"),
            (
                {"choices": [{"message": {"content": None, "tool_calls": [{"id": "1"}]}}]},
                "calls the tool",
            ),
            (
                {"choices": [{"message": {"reasoning": "Hm"}, "finish_reason": "length"}]},
                "still reasoning",
            ),
            (said("<think>Hm"), "reasoning and no answer"),
            (
                {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]},
                "content filter",
            ),
        ],
    )
    def test_are_wanting_where_nothing_can_be_used(self, answer, why):
        with pytest.raises(MachineryFailed, match=why):
            probed(abilities.answers, answer)


def found_by(behaviour, good="Hello!", **options):
    """Return what the probes find of a server that behaves so."""

    async def probe(url):
        endpoint = EndpointConfig(
            url=url, model="m", timeout=5, networks=("127.0.0.0/8",), options=options
        )
        async with clients.open_wire(endpoint) as wire:
            session = abilities.TestSession(wire, "m", options=options)
            probes = abilities.probes_of(endpoint.kind, endpoint.api)
            rows = [await one(session) for one in probes]
        return {one.name: one for one in itertools.chain(*rows)}

    with behaving.behaving(behaviour, good) as stub:
        return asyncio.run(probe(stub.url)), stub


class TestServersOfToday:
    def test_that_take_no_temperature_are_asked_without_one(self):
        found, stub = found_by(behaving.BEHAVIOURS["refuses_temperature"])

        assert (found["temperature"].value, found["temperature"].how) == (False, "refused")
        assert found["seed"].value is True
        assert sum("temperature" in one for one in stub.bodies) == 1

    def test_that_take_no_top_p_are_found_out_before_a_run(self):
        found, _stub = found_by(behaving.BEHAVIOURS["refuses_all_of_it"])

        assert (found["top_p"].value, found["top_p"].how) == (False, "refused")

    def test_that_want_the_limit_by_its_other_name_are_asked_so(self):
        found, _stub = found_by(behaving.BEHAVIOURS["wants_max_completion_tokens"])

        assert found["max_tokens_name"].value == "max_completion_tokens"

    def test_that_reason_say_how_much_room_they_needed(self):
        found, stub = found_by(behaving.BEHAVIOURS["thinks_with_room"])

        assert found["thinking"].value == abilities.MUCH_ROOM
        later = [behaving.room_of(one) for one in stub.bodies if one.get("response_format")]
        assert set(later) == {abilities.MUCH_ROOM}

    def test_that_count_no_tokens_are_told_so(self):
        found, _stub = found_by(behaving.BEHAVIOURS["no_usage"])

        assert (found["usage"].value, found["usage"].how) == (False, "uncounted")

    def test_are_probed_in_their_second_form_for_what_it_can_say(self):
        found, stub = found_by(behaving.responses, api="responses", effort="low", body={"x": 1})

        assert found["answers"].value is True
        assert found["usage"].value is True
        assert not {"n", "seed", "prompt_logprobs"} & found.keys()
        assert {one.partition("?")[0] for one in stub.paths} == {"/v1/responses"}
        assert {(one["x"], one["reasoning"]["effort"]) for one in stub.bodies} == {(1, "low")}

    @pytest.mark.parametrize("name", ["empty", "null", "tool_call", "html", "stream", "no_choices"])
    def test_that_answer_nothing_fail_the_test(self, name):
        with pytest.raises(Failed):
            found_by(
                lambda sent, good, nth: behaving.BEHAVIOURS[name](sent, good, nth),
            )

    def test_never_get_what_their_owner_leaves_out(self):
        _found, stub = found_by(behaving.BEHAVIOURS["good"], leave_out=["temperature", "seed"])

        assert not any({"temperature", "seed"} & one.keys() for one in stub.bodies)
