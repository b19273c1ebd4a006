"""Exports of chats and of evaluators: whole records in, rows with plain columns out."""

import json

from tests.files import looked_at


def rows(*records, name="a.jsonl"):
    """Return the shape and the rows of objects, a line each."""
    layout, found = looked_at("\n".join(map(json.dumps, records)).encode(), name)
    return layout.shape, found


def node(parent, role, *parts, **metadata):
    message = {"author": {"role": role}, "content": {"parts": list(parts)}, "metadata": metadata}
    return {"message": message if role else None, "parent": parent}


class TestChatGPT:
    NODES = {
        "root": node(None, ""),
        "hidden": node("root", "system", "x", is_visually_hidden_from_conversation=True),
        "asked": node("hidden", "user", "Hi"),
        "first": node("asked", "assistant", "Hm", model_slug="heron"),
        "again": node("asked", "assistant", "Ho", model_slug="heron"),
    }

    def test_gives_the_branch_that_was_seen_last(self):
        record = {"conversation_id": "c", "mapping": self.NODES, "current_node": "again"}

        shape, (row,) = rows(record)

        assert shape == "chatgpt_export"
        assert row == {
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}],
            "external_id": "c",
            "system": "heron",
        }

    def test_refuses_an_image_of_which_it_has_only_a_number(self):
        nodes = {"asked": node(None, "user", {"asset_pointer": "file-1"})}

        sound = {"mapping": self.NODES, "current_node": "again"}

        _shape, (_row, row) = rows(sound, {"mapping": nodes, "current_node": "asked"})

        assert row["problem"] == "not_kept"

    def test_whose_nodes_go_round_ends(self):
        nodes = {"a": node("b", "user", "Hi"), "b": node("a", "assistant", "Ho")}

        _shape, (row,) = rows({"mapping": nodes, "current_node": "b"})

        assert len(row["messages"]) == 2


class TestClaude:
    def test_names_a_conversation_by_its_id(self):
        said = [
            {"text": "Hi", "content": [{"type": "text", "text": "Hi"}], "sender": "human"},
            {"text": "Ho", "sender": "assistant"},
        ]

        shape, (row,) = rows({"uuid": "u", "name": "Greeting", "chat_messages": said})

        assert shape == "claude_export"
        assert (row["external_id"], [one["content"] for one in row["messages"]]) == (
            "u",
            ["Hi", "Ho"],
        )


class TestRequests:
    def test_are_read_with_what_came_of_them(self):
        asked = {"model": "heron", "messages": [{"role": "user", "content": "Hi"}]}
        came = {"choices": [{"message": {"role": "assistant", "content": "Ho"}}]}

        shape, (row,) = rows({"id": "r", "request": asked, "response": came})

        assert (shape, row["system"]) == ("requests", "heron")
        assert row["messages"][-1] == {"role": "assistant", "content": "Ho"}


class TestDeepEval:
    CASE = {
        "name": "test_case_0",
        "input": "Hi",
        "actualOutput": "Ho",
        "metricsData": [{"name": "Bias", "score": 0.5}, {"name": "Fact", "score": None}],
    }

    def test_gives_an_answer_with_its_scores(self):
        shape, (row,) = (
            rows({"testCases": [self.CASE, self.CASE]}, name="a.json")[0],
            rows(self.CASE)[1],
        )

        assert shape == "deepeval"
        assert (row["question"], row["response"], row["score_Bias"]) == ("Hi", "Ho", 0.5)
        assert row["score_Fact"] is None
        assert "external_id" not in row


class TestOpenAIEvals:
    def test_gives_what_was_sampled_of_the_system_in_its_first_line(self):
        asked = [{"role": "user", "content": "Hi"}]
        shape, found = rows(
            {"spec": {"completion_fns": ["heron"]}},
            {"sample_id": "s.0", "type": "sampling", "data": {"prompt": asked, "sampled": ["Ho"]}},
            {"sample_id": "s.0", "type": "match", "data": {"correct": True}},
            {"final_report": {"accuracy": 1.0}},
        )

        assert shape == "openai_evals"
        assert found == [
            {
                "external_id": "s.0",
                "question": "Hi",
                "system": "heron",
                "response": "Ho",
                "sample_no": 1,
            }
        ]


class TestProdigy:
    TASK = {
        "_input_hash": 1,
        "_task_hash": 2,
        "_annotator_id": "ann",
        "meta": {"id": "Q1", "system": "A"},
    }

    def test_gives_what_was_chosen_unless_it_was_ignored(self):
        shape, found = rows(
            {**self.TASK, "accept": ["good"], "answer": "accept"},
            {**self.TASK, "accept": ["bad"], "answer": "ignore"},
            {**self.TASK, "label": "fair", "answer": "reject"},
            {**self.TASK, "options": [{"id": "good"}], "accept": [], "answer": "accept"},
        )

        assert shape == "prodigy"
        assert [(one["item"], one["rater"], one["criterion"], one["value"]) for one in found] == [
            ("Q1", "ann", "choice", "good"),
            ("Q1", "ann", "fair", 0),
        ]

    def test_keeps_several_choices_together(self):
        task = {**self.TASK, "answer": "accept"}

        _shape, (_row, row) = rows(
            {**task, "accept": ["good"]}, {**task, "accept": ["good", "fair"]}
        )

        assert row["value"] == ["good", "fair"]
