import json

from tests.cases import file
from tests.files import looked_at


def result(provider, variables, output, **more):
    said = {"response": {"output": output}} if output is not None else {}
    beside = {"success": True, "score": 1, "gradingResult": {"reason": "ok"}}
    return {"provider": {"id": provider}, "vars": variables, **said, **beside, **more}


def json_of(*results):
    whole = {"evalId": "e1", "results": {"version": 3, "results": list(results)}, "config": {}}
    return looked_at(json.dumps(whole, indent=1).encode(), "results.json")


def table(content):
    return looked_at(content.encode(), "results.csv")


class TestJson:
    def test_has_answers_and_scores(self):
        layout, rows = json_of(
            result("x:loon", {"q": "Why?"}, "So.", namedScores={"tone": 0.5}),
            result("x:teal", {"q": "Why?"}, {"a": 1}, success=False, score=0),
        )

        assert (layout.shape, layout.path) == ("promptfoo", "results.results")
        assert [(row["system"], row["question"], row["response"]) for row in rows] == [
            ("x:loon", "Why?", "So."),
            ("x:teal", "Why?", '{"a": 1}'),
        ]
        scores = [(row["score_score"], row["score_pass"], row.get("score_tone")) for row in rows]
        assert scores == [(1, 1, 0.5), (0, 0, None)]

    def test_has_no_answer_where_a_provider_failed(self):
        _layout, rows = json_of(
            result("x:loon", {"q": "Why?"}, None, error="timeout", gradingResult=None)
        )

        assert (rows[0]["response"], rows[0]["reason"]) == (None, "timeout")

    def test_asks_what_was_sent_where_no_variable_is_the_question(self):
        prompt = {"raw": "Say boat in German.", "label": "Say {{a}} in {{b}}."}

        _layout, rows = json_of(
            result("x:loon", {"a": "boat", "b": "German"}, "Boot", prompt=prompt)
        )

        assert rows[0]["question"] == "Say boat in German."

    def test_takes_another_prompt_for_another_release_and_a_repeat_for_another_answer(self):
        first, second = ({"raw": name, "label": name} for name in ("short", "long"))

        _layout, rows = json_of(
            result("x:loon", {"q": "Why?"}, "So.", prompt=first),
            result("x:loon", {"q": "Why?"}, "Because.", prompt=second),
            result("x:loon", {"q": "Why?"}, "Thus.", prompt=first),
        )

        assert [(row["release"], row["sample_no"]) for row in rows] == [
            ("", 1),
            ("long", 1),
            ("", 2),
        ]


class TestTable:
    def test_reads_outcomes_from_cells(self):
        layout, rows = table(
            'q,[x:loon] A: {{q}},[x:teal] A: {{q}}\nWhy?,[PASS] (0.90) So.,"[FAIL] too short\n---\nNo."\n'
            "When?,[PASS] Now.,[ERROR] timeout\n"
        )

        assert layout.shape == "promptfoo_csv"
        assert [
            (row["system"], row["response"], row["score_score"], row["score_pass"]) for row in rows
        ] == [
            ("x:loon", "So.", "0.90", 1),
            ("x:teal", "No.", 0, 0),
            ("x:loon", "Now.", 1, 1),
            ("x:teal", None, None, None),
        ]
        assert [row["reason"] for row in rows] == ["", "too short", "", "timeout"]

    def test_takes_the_first_part_where_only_the_last_reads_as_a_reason(self):
        _layout, rows = table('q,[x:loon] A\nWhy?,"[FAIL] So.\n---\nExpected a boat"\n')

        assert (rows[0]["response"], rows[0]["reason"]) == ("So.", "Expected a boat")

    def test_reads_outcomes_from_the_columns_that_follow_each_provider(self):
        beside = "Status,Score,Named Scores,Grader Reason,Comment"
        head = f"a,b,[x:loon] Say {{{{a}}}} in {{{{b}}}}.,{beside},[x:teal] Say {{{{a}}}} in {{{{b}}}}.,{beside}"

        layout, rows = table(
            f'{head}\nboat,German,Boot,PASS,1.00,"{{""tone"":0.5}}",fine,,Bot,FAIL,0.25,,wrong,\n'
        )

        assert layout.shape == "promptfoo_csv"
        assert [row["question"] for row in rows] == ["Say boat in German."] * 2
        assert [(row["system"], row["response"], row["score_score"]) for row in rows] == [
            ("x:loon", "Boot", "1.00"),
            ("x:teal", "Bot", "0.25"),
        ]
        assert (rows[0]["score_tone"], rows[1]["reason"]) == (0.5, "wrong")

    def test_refuses_a_broken_row_by_its_line_and_keeps_the_others(self):
        _layout, rows = table("q,[x:loon] A\nWhy?,[PASS] So.\nbroken\nWhen?,[PASS] Now.\n")

        assert [row.get("problem") or row["response"] for row in rows] == [
            "So.",
            "too_few_cells",
            "Now.",
        ]

    def test_names_two_prompts_of_a_provider_as_its_releases(self):
        _layout, rows = table("q,[x:loon] Short,[x:loon] Long\nWhy?,[PASS] So.,[PASS] Because.\n")

        assert [(row["system"], row["release"]) for row in rows] == [
            ("x:loon", "Short"),
            ("x:loon", "Long"),
        ]


class TestFilesAsPeopleHaveThem:
    def test_json(self):
        layout, (row,) = looked_at(file("promptfoo_out.json"))

        assert layout.path == "results.results"
        assert (row["system"], row["question"], row["response"]) == (
            "stub:pine",
            "What is a quay?",
            "A place.",
        )
        assert (row["score_score"], row["score_pass"]) == (1, 1)

    def test_table(self):
        _layout, rows = looked_at(file("promptfoo_ok.csv"))

        assert [(row["question"], row["system"], row["response"]) for row in rows] == [
            ("What is a quay?", "stub:pine", "A place to moor."),
            ("What is a quay?", "stub:oak", "A wall."),
            ("What is a buoy?", "stub:pine", "A float."),
            ("What is a buoy?", "stub:oak", None),
        ]
        assert [row["score_score"] for row in rows] == [1, "0.20", 1, None]
