import json

from tests.cases import file
from tests.files import looked_at

HEAD = "id,traceId,timestamp,source,name,dataType,value,stringValue,comment,authorUserId\n"


def langfuse(*lines):
    return looked_at((HEAD + "\n".join(lines) + "\n").encode(), "scores.csv")


def objects(*records):
    return looked_at("\n".join(map(json.dumps, records)).encode(), "a.jsonl")


class TestLangfuse:
    def test_keeps_numbers_yes_and_no_and_words(self):
        layout, rows = langfuse(
            "1,T-1,2026-01-01T10:00:00Z,ANNOTATION,tone,NUMERIC,3,,,ua",
            "2,T-1,2026-01-01T10:00:00Z,ANNOTATION,safe,BOOLEAN,0,False,,ua",
            "3,T-1,2026-01-01T10:00:00Z,ANNOTATION,kind,CATEGORICAL,2,warm,so so,ua",
        )

        assert (layout.shape, layout.known_shape.kind) == ("langfuse_grades", "GRADES")
        assert [(row["criterion"], row["value"]) for row in rows] == [
            ("tone", "3"),
            ("safe", "0"),
            ("kind", "warm"),
        ]
        assert rows[2]["comment"] == "so so"

    def test_refuses_a_machine_among_people(self):
        _layout, rows = langfuse(
            "1,T-1,,ANNOTATION,tone,NUMERIC,3,,,ua", "2,T-1,,EVAL,tone,NUMERIC,5,,,"
        )

        assert rows[1] == {"problem": "machine_among_people"}

    def test_holds_scores_of_machines_where_no_person_gave_one(self):
        layout, rows = langfuse("1,T-1,,EVAL,tone,NUMERIC,0.5,,as asked,")

        assert (layout.shape, layout.known_shape.kind) == ("langfuse_scores", "SCORES")
        assert (rows[0]["rater"], rows[0]["value"]) == ("EVAL", "0.5")


def test_feedback_of_langsmith_is_by_people_or_by_machines():
    record = {"id": "f1", "run_id": "T-1", "key": "tone", "score": None, "value": "warm"}
    person = record | {"feedback_source": {"type": "app", "user_id": "ua"}}
    machine = record | {"score": 0.5, "feedback_source": {"type": "model"}}

    layout, rows = objects(person)
    other, scores = objects(machine)

    assert (layout.shape, rows[0]["rater"], rows[0]["value"]) == ("langsmith_grades", "ua", "warm")
    assert (other.shape, scores[0]["value"]) == ("langsmith_scores", 0.5)


class TestRuns:
    def test_are_answers_with_feedback_as_scores(self):
        layout, rows = objects(
            {
                "id": "r1",
                "run_type": "chain",
                "reference_example_id": "T-1",
                "session_name": "try-1",
                "inputs": {"question": "Why?", "k": 3},
                "outputs": {"answer": "So."},
                "feedback_stats": {"tone": {"n": 2, "avg": 0.5}},
            },
            {
                "id": "r2",
                "run_type": "chain",
                "reference_example_id": "T-2",
                "session_name": "try-1",
                "inputs": {"question": "When?"},
                "outputs": None,
                "error": "timeout",
            },
        )

        assert layout.shape == "langsmith_runs"
        first, second = rows
        assert (first["external_id"], first["system"]) == ("T-1", "try-1")
        assert (first["question"], first["response"]) == ("Why?", "So.")
        assert first["score_tone"] == 0.5
        assert (second["response"], second["error"]) == (None, "timeout")

    def test_may_be_a_table_with_dotted_columns(self):
        head = "inputs.question,outputs.output,reference.answer,feedback.tone,execution_time,example_id"

        layout, rows = looked_at(f"{head}\nWhy?,So.,Thus.,1,0.2,T-1\n".encode(), "a.csv")

        assert layout.shape == "langsmith_runs"
        assert rows == [
            {
                "external_id": "T-1",
                "question": "Why?",
                "response": "So.",
                "standard_answer": "Thus.",
                "score_tone": "1",
                "error": "",
            }
        ]


def test_a_file_as_people_have_it():
    _layout, rows = looked_at(file("langfuse_scores.csv"))

    assert [row.get("problem") or (row["criterion"], row["value"]) for row in rows] == [
        ("helpful", "4"),
        ("safe", "1"),
        ("tone", "friendly"),
        "machine_among_people",
    ]
    assert {(row["item"], row["rater"]) for row in rows if "item" in row} == {("NP-003", "u1")}
