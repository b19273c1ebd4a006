"""SQuAD: nested as it is published, and a record a question."""

import json

from tests.files import looked_at

ASKED = {
    "id": "a1",
    "question": "What is a quay?",
    "answers": [
        {"text": "a wall", "answer_start": 10},
        {"text": "a wall", "answer_start": 10},
        {"text": "wall", "answer_start": 12},
    ],
}
IMPOSSIBLE = {"id": "a2", "question": "Who?", "answers": [], "is_impossible": True}
NESTED = {
    "version": "v2.0",
    "data": [
        {
            "title": "Quay_walls",
            "paragraphs": [{"context": "A quay is a wall.", "qas": [ASKED, IMPOSSIBLE]}],
        }
    ],
}
FLAT = {
    "id": "a1",
    "title": "Quay_walls",
    "context": "A quay is a wall.",
    "question": "What is a quay?",
    "answers": {"text": ["a wall"], "answer_start": [10]},
}


class TestSquad:
    def test_is_found_within_articles_and_paragraphs(self):
        layout, (first, second) = looked_at(json.dumps(NESTED, indent=1).encode(), "dev.json")

        assert layout.shape == "squad"
        assert first == {
            "external_id": "a1",
            "question": "What is a quay?",
            "standard_answer": ["a wall", "wall"],
            "source_title": "Quay walls",
            "note": "A quay is a wall.",
            "tags": [],
        }
        assert second["tags"] == ["no answer in the passage"]

    def test_as_records_has_a_list_of_texts(self):
        text = json.dumps(FLAT) + "\n" + json.dumps({**FLAT, "id": "a2"}) + "\n"

        layout, rows = looked_at(text.encode(), "dev.jsonl")

        assert (layout.shape, [row["standard_answer"] for row in rows]) == (
            "squad_records",
            [["a wall"]] * 2,
        )
