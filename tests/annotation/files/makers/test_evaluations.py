"""Answers with their scores: Inspect, lm-evaluation-harness, Ragas and HELM."""

import json

import pytest

from annotation.files import shapes
from tests.cases import file
from tests.files import looked_at


def whole(value):
    return looked_at(json.dumps(value, indent=1).encode(), "a.json")


def lines(*records):
    return looked_at("\n".join(map(json.dumps, records)).encode(), "a.jsonl")


def inspect(*samples):
    return whole({"version": 2, "eval": {"task": "t", "model": "x/loon"}, "samples": list(samples)})


class TestInspect:
    def test_has_answers_and_scores_of_the_model(self):
        layout, rows = inspect(
            {
                "id": "T-1",
                "epoch": 2,
                "input": "Why?",
                "target": ["So", "Thus"],
                "output": {"completion": "So."},
                "scores": {"match": {"value": "P"}, "judge": {"value": {"tone": 3, "ok": "C"}}},
            }
        )

        assert (layout.shape, layout.path) == ("inspect", "samples")
        assert rows == [
            {
                "external_id": "T-1",
                "question": "Why?",
                "standard_answer": "So\nThus",
                "system": "x/loon",
                "response": "So.",
                "sample_no": 2,
                "score_match": 0.5,
                "score_judge_tone": 3,
                "score_judge_ok": 1,
                "error": "",
            }
        ]

    @pytest.mark.parametrize(("letter", "value"), [("C", 1), ("I", 0), ("P", 0.5), ("N", 0)])
    def test_reads_the_letters_of_scorers(self, letter, value):
        sample = {"id": 1, "input": "?", "output": {"completion": "a"}}

        _layout, rows = inspect(sample | {"scores": {"s": {"value": letter}}})

        assert rows[0]["score_s"] == value

    def test_keeps_messages_and_parts_of_an_answer(self):
        asked = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
        parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "So."}]
        output = {"choices": [{"message": {"role": "assistant", "content": parts}}]}

        _layout, rows = inspect({"id": 1, "input": asked, "output": output})

        assert rows[0]["messages"] == asked
        assert rows[0]["response"] == [{"role": "assistant", "content": parts}]

    def test_has_no_answer_where_a_sample_ended_in_an_error(self):
        failed = {"id": 1, "input": "?", "output": {"completion": ""}, "error": {"message": "lost"}}

        _layout, rows = inspect(failed)

        assert (rows[0]["response"], rows[0]["error"]) == (None, "lost")


SAMPLE = {
    "doc_id": 5,
    "doc": {"question": "Why?"},
    "target": "so",
    "arguments": {"gen_args_0": {"arg_0": "Q: Why?", "arg_1": {"until": ["\n"]}}},
    "resps": [["So it is."]],
    "filtered_resps": ["so"],
    "filter": "strict",
    "metrics": ["exact_match"],
    "exact_match": 1.0,
}


class TestLmEval:
    def test_has_answers_and_scores_and_nobody_who_answered(self):
        layout, (row,) = lines(SAMPLE)

        assert layout.shape == "lm_eval"
        assert (row["external_id"], row["question"], row["response"]) == (5, "Why?", "So it is.")
        assert (row["score_exact_match"], row["standard_answer"]) == (1.0, "so")
        assert "system" not in row

    def test_has_an_answer_once_where_several_filters_read_it(self):
        other = SAMPLE | {"filter": "flexible", "exact_match": 0.0}

        _layout, rows = lines(SAMPLE, other, SAMPLE | {"doc_id": 6})

        assert [(row["external_id"], row["score_exact_match"]) for row in rows] == [
            (5, 1.0),
            (6, 1.0),
        ]

    def test_numbers_the_answers_to_a_question_that_was_asked_again(self):
        _layout, rows = lines(SAMPLE | {"resps": [["a", "b"]]})

        assert [(row["response"], row["sample_no"]) for row in rows] == [("a", 1), ("b", 2)]

    def test_has_the_likeliest_option_as_the_answer(self):
        record = SAMPLE | {
            "doc": {"title": "x"},
            "arguments": [["Which?", " boat"], ["Which?", " car"]],
            "resps": [[[-7.5, False]], [[-2.5, True]]],
            "acc": 1.0,
        }
        del record["metrics"]

        _layout, (row,) = lines(record)

        assert (row["question"], row["response"], row["score_acc"]) == ("Which?", "car", 1.0)

    def test_refuses_what_only_says_how_likely_a_text_is(self):
        _layout, rows = lines(SAMPLE, SAMPLE | {"doc_id": 6, "resps": [[-100.5]]})

        assert rows[1] == {"problem": "only_likelihood"}


class TestRagas:
    def test_has_a_column_a_metric_and_what_is_missing_stays_missing(self):
        layout, rows = lines(
            {
                "user_input": "Why?",
                "retrieved_contexts": ["a"],
                "response": "So.",
                "reference": "Thus.",
                "faithfulness": None,
                "answer_relevancy": 0.5,
            }
        )

        assert layout.shape == "ragas"
        assert rows == [
            {
                "question": "Why?",
                "response": "So.",
                "standard_answer": "Thus.",
                "contexts": ["a"],
                "score_faithfulness": None,
                "score_answer_relevancy": 0.5,
            }
        ]

    def test_of_earlier_versions_may_name_the_system(self):
        _layout, rows = looked_at(
            b"question,answer,contexts,ground_truth,model,recall\nWhy?,So.,[],Thus.,Loon,0.5\n",
            "a.csv",
        )

        assert (rows[0]["system"], rows[0]["question"], rows[0]["score_recall"]) == (
            "Loon",
            "Why?",
            "0.5",
        )


INSTANCE = {
    "id": "id7",
    "input": {"text": "Why?"},
    "references": [
        {"output": {"text": "no"}, "tags": []},
        {"output": {"text": "so"}, "tags": ["correct"]},
    ],
}


def state(**more):
    request = {"instance": INSTANCE, "request": {"model": "x/loon"}, "train_trial_index": 1}
    return {"adapter_spec": {"model": "x/loon"}, "request_states": [request | more]}


class TestHelm:
    def test_has_instances_that_nobody_answered(self):
        layout, _rows = whole([INSTANCE])

        assert (layout.shape, layout.known_shape.kind) == ("helm_instances", shapes.NOTHING)

    def test_has_answers_where_requests_have_results(self):
        layout, (row,) = whole(state(result={"completions": [{"text": " So."}]}))

        assert (layout.shape, layout.known_shape.kind) == ("helm", "ANSWERS")
        assert (row["system"], row["external_id"], row["question"]) == ("x/loon", "id7", "Why?")
        assert (row["response"], row["sample_no"]) == (" So.", 2)

    def test_says_so_where_requests_have_none(self):
        layout, _rows = whole(state())

        assert (layout.shape, layout.known_shape.kind) == ("helm_unanswered", shapes.NOTHING)


class TestFilesAsPeopleHaveThem:
    def test_inspect(self):
        layout, (row,) = looked_at(file("inspect_log.json"))

        assert layout.path == "samples"
        assert (row["system"], row["response"], row["score_includes"]) == (
            "stub/pine",
            "A place.",
            1,
        )

    def test_lm_eval(self):
        _layout, rows = looked_at(file("samples_gsm_2024.jsonl"))

        assert [row["response"] for row in rows] == ["It is 2.", "It is 3.", "It is 4."]
        assert {row["score_exact_match"] for row in rows} == {1.0}
        assert not any("system" in row for row in rows)

    def test_ragas(self):
        _layout, rows = looked_at(file("ragas.csv"))

        assert [(row["question"], row["response"]) for row in rows] == [
            ("What is a quay?", "A place to moor."),
            ("What is a buoy?", "A float."),
        ]

    @pytest.mark.parametrize("name", ["helm_instances.json", "helm_scenario_state.json"])
    def test_helm(self, name):
        layout, _rows = looked_at(file(name))

        assert layout.known_shape.kind == shapes.NOTHING
        assert layout.known_shape.name.startswith("HELM")


class TestResultsOfARun:
    def test_are_figures_by_task_without_their_errors(self):
        run = {
            "results": {
                "gsm8k": {
                    "alias": "gsm8k",
                    "exact_match,strict-match": 0.5,
                    "exact_match_stderr,strict-match": 0.1,
                    "acc,none": 0.25,
                }
            },
            "configs": {},
            "versions": {"gsm8k": 3},
            "model_name": "pine",
        }

        layout, rows = looked_at(json.dumps(run).encode(), "results.json")

        assert layout.shape == "lm_eval_results"
        assert [(row["system"], row["dataset"], row["figure"], row["value"]) for row in rows] == [
            ("pine", "gsm8k", "exact_match (strict-match)", 0.5),
            ("pine", "gsm8k", "acc", 0.25),
        ]
