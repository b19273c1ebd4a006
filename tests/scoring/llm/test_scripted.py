import asyncio
import json

import pytest

from scoring.llm import base, config
from scoring.llm.scripted import model as scripted

CODE = "c0ffee1234567890abcd"
VERDICT = {
    "type": "object",
    "properties": {
        "accuracy": {
            "type": "object",
            "properties": {
                "comment": {"type": "string"},
                "score": {"type": "integer", "minimum": 1, "maximum": 4},
            },
        },
        "overall_comment": {"type": "string"},
        "overall_score": {"type": "integer", "minimum": 1, "maximum": 4},
        "stop_conversation": {"type": "boolean"},
        "stop_reason": {"enum": ["off_topic", "repetition", "none"]},
    },
}
REFERENCE = (
    "Sunlight is refracted and dispersed by droplets of rain water, each colour at its own angle."
)
GOOD = (
    "Droplets of rain water refract sunlight and disperse it, each colour at an angle of its own."
)
POOR = "Nobody knows; some say a pot of gold is buried there."


def judging(text, schema=None, **settings):
    prompt = (
        f"Question: why is there a rainbow?\n\nReference answer: {REFERENCE}\n\n"
        f"<<<BEGIN ANSWER {CODE}>>>\n{text}\n<<<END ANSWER {CODE}>>>\n\nGive each score from 1 to 4."
    )
    return base.Request(
        base.Role.JUDGE,
        (base.Message("system", "You score answers."), base.Message("user", prompt)),
        base.Settings(**settings),
        schema,
    )


def saying(role, text, system="You are helpful."):
    return base.Request(role, (base.Message("system", system), base.Message("user", text)))


def reply(request, **script):
    return asyncio.run(scripted.ScriptedModel(script).reply(request))


def repeated(request, n):
    return [base.Request(**{**_fields(request), "repeat": place}) for place in range(n)]


def _fields(request):
    return {name: getattr(request, name) for name in base.Request.__dataclass_fields__}


class TestAReply:
    def test_is_the_same_whenever_and_in_whatever_order_it_is_asked_for(self):
        requests = [judging(f"{GOOD} {number}", VERDICT) for number in range(5)]
        one, other = scripted.ScriptedModel({"seed": 4}), scripted.ScriptedModel({"seed": 4})

        forwards = [asyncio.run(one.reply(request)) for request in requests]
        backwards = [asyncio.run(other.reply(request)) for request in reversed(requests)]

        assert forwards == backwards[::-1]

    def test_changes_with_the_seed_of_the_script_and_with_the_request(self):
        first = reply(judging(GOOD, VERDICT), seed=1).text

        assert reply(judging(GOOD, VERDICT), seed=2).text != first
        assert reply(judging(POOR, VERDICT), seed=1).text != first

    def test_is_the_same_in_two_runs_with_different_delimiters(self):
        request = judging(GOOD, VERDICT)
        other = [
            base.Message(one.role, one.content.replace(CODE, CODE[::-1]))
            for one in request.messages
        ]

        same = base.Request(request.role, tuple(other), schema=VERDICT)

        assert reply(same).text == reply(request).text

    def test_counts_its_tokens_and_ends_at_the_limit(self):
        whole = reply(saying(base.Role.CANDIDATE, "Why is there a rainbow?"))
        request = base.Request(
            base.Role.CANDIDATE,
            (base.Message("user", "Why is there a rainbow?"),),
            base.Settings(max_tokens=3),
        )
        short = reply(request)

        assert whole.prompt_tokens == 18
        assert whole.completion_tokens > 3
        assert (short.completion_tokens, short.finish) == (3, "length")

    def test_waits_as_long_as_the_script_says(self):
        waited = []

        async def sleep(seconds):
            waited.append(seconds)

        model = scripted.ScriptedModel({"latency": 200}, sleep=sleep)
        asyncio.run(model.reply(judging(GOOD)))

        assert waited == [0.2]

    def test_is_the_fixed_one_where_the_last_message_holds_its_words(self):
        script = {"replies": [{"contains": ["rainbow", "score"], "reply": ["one", "two"]}]}

        said = [reply(request, **script).text for request in repeated(judging(GOOD), 3)]

        assert said == ["one", "two", "two"]


class TestAJudgesReply:
    @pytest.mark.parametrize("text", [GOOD, POOR, ""])
    def test_follows_the_schema(self, text):
        found = json.loads(reply(judging(text, VERDICT)).text)

        assert set(found) == set(VERDICT["properties"])
        assert found["accuracy"]["score"] in {1, 2, 3, 4}
        assert found["overall_score"] in {1, 2, 3, 4}
        assert (found["stop_reason"] != "none") == found["stop_conversation"]

    def test_finds_what_resembles_the_reference_better_for_most_seeds(self):
        schema = {"properties": {"score": {"type": "integer", "minimum": 0, "maximum": 100}}}

        better = sum(
            _score(reply(judging(GOOD, schema), seed=seed))
            > _score(reply(judging(POOR, schema), seed=seed))
            for seed in range(40)
        )

        assert better >= 36

    def test_varies_between_repeats_unless_the_temperature_is_0(self):
        schema = {"properties": {"score": {"type": "integer", "minimum": 0, "maximum": 100}}}

        warm = {_score(reply(one)) for one in repeated(judging(GOOD, schema, temperature=0.5), 8)}
        cold = {_score(reply(one)) for one in repeated(judging(GOOD, schema, temperature=0), 8)}

        assert len(warm) > 3
        assert len(cold) == 1

    def test_without_a_schema_names_a_score_in_the_range_of_the_prompt(self):
        text = reply(judging(GOOD)).text

        assert text.splitlines()[0] in {f"Score: {score}" for score in (1, 2, 3, 4)}
        assert text.splitlines()[1].startswith("Explanation: ")

    def test_follows_the_example_that_the_prompt_shows(self):
        request = saying(
            base.Role.JUDGE,
            f'Rate the text from 0 to 3. Reply as {{"reason": "…", "clarity": 2}}.\n\n{GOOD}',
        )

        found = json.loads(reply(request).text)

        assert found["clarity"] in {0, 1, 2, 3}
        assert found["reason"]

    def test_stands_in_text_where_the_script_keeps_to_no_schema(self):
        text = reply(judging(GOOD, VERDICT), schema=False).text

        assert text.startswith("Here is")
        assert json.loads(text.split("```json")[1].split("```")[0])["overall_score"] in {1, 2, 3, 4}

    def test_follows_the_assistants_as_far_as_the_script_says(self):
        schema = {"properties": {"score": {"type": "integer", "minimum": 0, "maximum": 100}}}
        prompt = "Score this.\nNLI: 0.900\nOverlap: 0.700\n"

        messages = (base.Message("user", prompt),)
        request = base.Request(base.Role.JUDGE, messages, base.Settings(temperature=0), schema)
        obeying = reply(request, obey_plan=1)

        assert abs(_score(obeying) - 80) <= 12

    def test_stops_the_conversation_in_the_share_that_the_script_says(self):
        stops = [
            json.loads(reply(judging(f"{GOOD} {number}", VERDICT), stop=0.3).text)[
                "stop_conversation"
            ]
            for number in range(200)
        ]

        assert 40 <= sum(stops) <= 80

    def test_is_malformed_in_the_share_that_the_script_says(self):
        wrong = 0
        for number in range(200):
            try:
                found = json.loads(reply(judging(f"{GOOD} {number}", VERDICT), malformed=0.25).text)
                wrong += set(found) != set(VERDICT["properties"]) or found["overall_score"] > 4
            except ValueError:
                wrong += 1

        assert 35 <= wrong <= 65

    def test_declines_in_the_share_that_the_script_says(self):
        assert reply(judging(GOOD, VERDICT), refused=1).text.startswith("I'm sorry")


class TestOtherRoles:
    def test_an_interactor_asks_one_question_about_the_text(self):
        text = reply(saying(base.Role.INTERACTOR, GOOD, "You interview an expert.")).text

        assert text.endswith("?")
        assert text.count("?") == 1

    def test_a_candidate_answers_in_the_language_of_the_question(self):
        english = reply(saying(base.Role.CANDIDATE, "Why is there a rainbow after rain?")).text
        chinese = reply(saying(base.Role.CANDIDATE, "下雨之后为什么会出现彩虹？")).text

        assert english.isascii()
        assert not any("a" <= letter <= "z" for letter in chinese)

    def test_an_answer_to_a_question_with_choices_names_a_letter(self):
        request = saying(base.Role.CANDIDATE, "Which gas?\nA. Argon\nB. Neon\nC. Oxygen")

        assert reply(request).text.split(". ")[0] in {f"The answer is {one}" for one in "ABC"}

    def test_an_evaluator_that_is_asked_a_question_answers_it(self):
        request = saying(base.Role.EVALUATOR, "Which gas?\nA. Argon\nB. Neon")

        assert reply(request).text.startswith("The answer is")

    def test_a_planner_writes_steps(self):
        assert reply(saying(base.Role.PLANNER, "Write a plan.")).text.startswith("1. ")


class TestLogProbabilities:
    def test_come_when_asked_for_and_belong_to_the_text(self):
        got = reply(judging(GOOD, top_logprobs=5))

        assert "".join(one.token for one in got.tokens) == got.text
        assert all(len(one.others) <= 5 for one in got.tokens)
        assert all(one.logprob <= 0 for one in got.tokens)

    def test_spread_a_score_over_its_neighbours(self):
        score = next(
            one for one in reply(judging(GOOD, top_logprobs=5)).tokens if one.token.isdigit()
        )

        assert len({token for token, _ in score.others if token.isdigit()}) > 2

    def test_do_not_come_where_the_script_has_none(self):
        assert reply(judging(GOOD, top_logprobs=5), logprobs=False).tokens is None
        assert reply(judging(GOOD)).tokens is None


class TestAFailure:
    @pytest.mark.parametrize(
        ("role", "kind"),
        [
            (base.Role.CANDIDATE, base.SystemFailed),
            (base.Role.JUDGE, base.MachineryFailed),
        ],
    )
    @pytest.mark.parametrize(
        ("share", "trouble"), [("empty", base.Trouble.EMPTY), ("filtered", base.Trouble.FILTERED)]
    )
    def test_is_charged_to_whom_it_belongs(self, role, kind, share, trouble):
        with pytest.raises(kind) as caught:
            reply(saying(role, "Why?"), **{share: 1})

        assert caught.value.trouble is trouble


class TestOpenScript:
    def test_opens_the_script_of_an_endpoint(self):
        async def said():
            endpoint = config.EndpointConfig(kind=config.SCRIPTED, script={"seed": 9})
            async with scripted.open_script(endpoint) as model:
                return await model.reply(judging(GOOD))

        assert asyncio.run(said()) == reply(judging(GOOD), seed=9)


def _score(got):
    return json.loads(got.text)["score"]
