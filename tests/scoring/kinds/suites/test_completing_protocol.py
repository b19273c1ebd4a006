"""What a suite says of completions, read line by line."""

import pytest

from scoring.kinds.suites import keeping as suite_metrics
from scoring.kinds.suites.protocol import definition, source, writing
from scoring.kinds.suites.protocol.definition import Completion, UnusableSuite

METRICS = "metrics: {function: [{name: string_length}]}\n"


def read(text):
    return source.read(f"{text}\n{METRICS}", suite_metrics.available())


def completions(text):
    return [
        {name: getattr(one, name) for name in Completion.__slots__ if name != "line"}
        for one in read(text).completions
    ]


def kept(**given):
    one = Completion(**given)
    return {name: getattr(one, name) for name in Completion.__slots__ if name != "line"}


class TestRead:
    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("notes: x", []),
            ("completion: house", [kept(endpoint="house")]),
            ("completion: {endpoint: house, n: 3}", [kept(endpoint="house", n=3)]),
            (
                "completion:\n- {system: Kestrel, release: 2, start: first, turns: 4}\n- {endpoint: b}",
                [
                    kept(system="Kestrel", release="2", start="first", turns=4),
                    kept(endpoint="b"),
                ],
            ),
            (
                "completion: {endpoint: a, turns: 3, user: {endpoint: b, about: In a hurry.}, "
                "temperature: 0.5, max_tokens: 90, stop: [x], system_prompt: Hi, seed: 1, top_p: 0.5, "
                "include_system_prompt: false}",
                [
                    kept(
                        endpoint="a",
                        turns=3,
                        user="b",
                        about="In a hurry.",
                        with_prompt=False,
                        settings={
                            "system_prompt": "Hi",
                            "temperature": 0.5,
                            "top_p": 0.5,
                            "max_tokens": 90,
                            "seed": 1,
                            "stop": ["x"],
                        },
                    )
                ],
            ),
            (
                "completion: {endpoint: a, turns: 2, user: b}",
                [kept(endpoint="a", turns=2, user="b")],
            ),
            ("do_completion: false\ncompletion: {endpoint: a}", []),
            ("completion_llm: {function_name: ask_house}", [kept(endpoint="ask_house")]),
            (
                "nb_evaluations_per_thread: 3\ncompletion: {endpoint: a, n: 2}",
                [kept(endpoint="a", n=6)],
            ),
            (
                "do_completion: true\ncompletion_llm: {function_name: open_ai_completion, "
                "kwargs: {model_name: small-2, api_key_name: KEY, n: 2, temperature: 0}}",
                [kept(endpoint="small-2", n=2, settings={"temperature": 0.0})],
            ),
        ],
    )
    def test_reads_whom_to_ask_and_how(self, text, wanted):
        assert completions(text) == wanted

    @pytest.mark.parametrize(
        ("text", "line", "why"),
        [
            ("completion: {n: 2}", 1, "names its endpoint"),
            ("completion: {endpoint: a, release: 2}", 1, "belongs to a “system”"),
            ("completion: {endpoint: a, start: middle}", 1, "last or first"),
            ("completion: {endpoint: a, turns: 2}", 1, "somebody has to speak for the user"),
            ("completion: {endpoint: a, n: 0}", 1, "from 1 to 10"),
            ("completion: {endpoint: a, turns: 2.5, start: first}", 1, "from 1 to 20"),
            ("completion: {endpoint: a, n: many}", 1, "number is expected"),
            ("completion: {endpoint: a, temperature: 3}", 1, "between 0 and 2"),
            ("completion: {endpoint: a, max_tokens: 1.5}", 1, "between 1 and"),
            ("completion: {endpoint: a, user: {about: x}, turns: 2}", 1, "named by an endpoint"),
            ("completion: {endpoint: a, include_system_prompt: 2}", 1, "true or false"),
            ("completion: {endpiont: a}", 1, "Did you mean “endpoint”"),
            ("completion:\n- a\n- a", 3, "named twice"),
            ("completion: [" + ", ".join(f"e{n}" for n in range(21)) + "]", 1, "At most 20"),
            ("do_completion: yes please", 1, "true or false"),
            (
                "nb_evaluations_per_thread: 6\ncompletion: {endpoint: a, n: 2}",
                2,
                "12 answers to each start",
            ),
            ("do_completion: true", 1, "name an endpoint under “completion”"),
            (
                "completion_llm: {function_name: f, kwargs: {model_name: m, top_k: 3}}",
                1,
                "“top_k” is not known",
            ),
        ],
    )
    def test_says_what_is_wrong_in_which_line(self, text, line, why):
        with pytest.raises(UnusableSuite, match=why) as refused:
            read(text)

        assert line in {one.line for one in refused.value.problems}

    def test_reads_a_grader_in_the_layout_of_flexeval(self):
        text = (
            "grader_llm: {function_name: open_ai_completion, kwargs: {model_name: big-1}}\n"
            'rubrics: {ok: {prompt: "{content}", choice_scores: {A: 1, B: 0}}}\n'
            "metrics: {rubric: [{name: ok}]}"
        )

        assert source.read(text, {}).graders == ("big-1",)


class TestAsDict:
    def test_comes_back_as_it_was(self):
        made = read("completion: {system: Kestrel, release: 2, n: 2, temperature: 0.5}")

        assert definition.from_dict(made.as_dict()) == made

    def test_reads_what_was_saved_before_there_were_completions(self):
        kept = read("notes: x").as_dict()
        del kept["completions"]

        assert definition.from_dict(kept).completions == ()

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"endpoint": "house"}, "house"),
            ({"system": "Kestrel", "release": "2"}, "Kestrel 2"),
            ({"system": "Kestrel", "endpoint": "house"}, "Kestrel (house)"),
        ],
    )
    def test_is_named_in_words(self, given, words):
        assert Completion(**given).words == words


class TestWrite:
    @pytest.mark.parametrize(
        "text",
        [
            "completion: [{endpoint: house}]",
            "completion: [{system: Kestrel, release: '2', n: 3}, {endpoint: a, n: 3}]",
            "completion: [{endpoint: house, start: first, turns: 4}]",
        ],
    )
    def test_says_again_what_the_form_can(self, text):
        suite = read(f"name: Mine\n{text}")

        again = source.read(writing.write(writing.draft_of(suite)), suite_metrics.available())

        assert writing.plain(again) == writing.plain(suite)
