import pytest

from annotation.files import mappings
from annotation.files.columns import Target
from annotation.files.mappings import (
    AnswerMapping,
    ColumnTarget,
    FileRubric,
    GradeMapping,
    QuestionMapping,
)


def answers(system="", **targets):
    return AnswerMapping(
        tuple(ColumnTarget(name, target) for name, target in targets.items()), system
    )


def faults(mapping, columns):
    return [(fault.code, fault.column) for fault in mapping.faults(columns)]


def sha(mapping):
    return mappings.sha_of(mapping.as_dict(), {})


class TestAnswerMapping:
    def test_accepts_a_long_table(self):
        mapping = answers(q="question", s="system", r="response")

        assert faults(mapping, "qsr") == []

    @pytest.mark.parametrize(
        ("mapping", "found"),
        [
            (answers(q="question", x=""), ("column_without_target", "x")),
            (answers(q="question", x="grade"), ("unknown_target", "x")),
            (answers(q="question", x="question"), ("target_twice", "")),
            (answers(q="question", x="messages"), ("question_and_messages", "")),
            (answers(q="external_id", x="ignore"), ("no_question_column", "")),
            (answers(q="question", x="response"), ("no_system_column", "")),
            (answers(q="question", x="system"), ("no_response_column", "")),
            (answers(q="question", x="answer"), ("no_system_name", "x")),
        ],
    )
    def test_tells_what_is_missing(self, mapping, found):
        assert found in faults(mapping, "qx")

    def test_refuses_names_that_hold_what_cannot_be_seen(self):
        wide = (ColumnTarget("q", "question"), ColumnTarget("x", "answer", system="Kes\u200btrel"))

        assert faults(AnswerMapping(wide), "qx") == [("unseen_sign", "x")]
        assert faults(answers("K\u202e", i="external_id", r="response"), "ir") == [
            ("unseen_sign", "")
        ]

    def test_refuses_a_table_that_is_long_and_wide(self):
        mapping = answers(q="question", s="system", r="response", a="answer")

        assert ("long_and_wide", "") in faults(mapping, "qsra")

    def test_refuses_two_columns_for_one_system(self):
        wide = (ColumnTarget("a", "answer", system="K"), ColumnTarget("b", "answer", system="K"))
        mapping = AnswerMapping((ColumnTarget("q", "question"), *wide))

        assert faults(mapping, "qab") == [("system_twice", "")]

    def test_takes_answers_to_known_questions(self):
        assert faults(answers("K", i="external_id", r="response"), "ir") == []


class TestGradeMapping:
    NEW = FileRubric("Summary", "1", "5", "1")

    def mapping(self, new=NEW, rubric="", name="Old", **targets):
        return GradeMapping(
            tuple(ColumnTarget(column, target) for column, target in targets.items()),
            name,
            rubric,
            new,
        )

    def test_accepts_a_long_table(self):
        mapping = self.mapping(i="item", s="system", c="criterion", r="rater", v="value")

        assert faults(mapping, "iscrv") == []

    def test_tells_all_that_is_missing(self):
        found = {code for code, _ in faults(self.mapping(None, name=" ", v="value"), "v")}

        assert found == {
            "no_item_column",
            "no_system_column",
            "no_criterion_column",
            "no_rater_column",
            "no_round_name",
            "no_rubric",
        }

    def test_may_be_of_one_system_and_one_criterion(self):
        places = (ColumnTarget("i", "item"), ColumnTarget("r", "rater"), ColumnTarget("v", "value"))
        whole = GradeMapping(places, "Old", "summary", system="Kestrel", criterion="depth")

        assert not whole.faults("irv")
        assert {"system", "criterion"} <= whole.as_dict().keys()
        assert GradeMapping.from_dict(whole.as_dict()) == whole
        bare = GradeMapping(places, "Old", "summary")
        assert {one.code for one in bare.faults("irv")} == {
            "no_system_column",
            "no_criterion_column",
        }
        assert not {"system", "criterion"} & bare.as_dict().keys()

    def test_needs_grades(self):
        assert ("no_value_column", "") in faults(self.mapping(i="item", s="system"), "is")

    @pytest.mark.parametrize(
        ("new", "code"),
        [
            (FileRubric("", "1", "5"), "no_rubric_name"),
            (FileRubric("S", "5", "1"), "bad_scale"),
            (FileRubric("S", "1", "five"), "bad_scale"),
        ],
    )
    def test_refuses_a_rubric_that_cannot_be_made(self, new, code):
        assert (code, "") in faults(self.mapping(new, i="item", s="system"), "is")

    def test_refuses_two_columns_for_one_cell_of_the_table(self):
        wide = (ColumnTarget("a", "grade", rater="e", criterion="c"),) * 2
        mapping = GradeMapping(
            (ColumnTarget("i", "item"), ColumnTarget("s", "system"), *wide),
            "Old",
            new_rubric=self.NEW,
        )

        assert "cell_twice" in {code for code, _ in faults(mapping, "isa")}

    def test_refuses_names_and_comments_where_they_do_not_belong(self):
        wide = (
            ColumnTarget("a", "grade"),
            ColumnTarget("b", "grade"),
            ColumnTarget("k", "comment"),
        )
        mapping = GradeMapping(
            (ColumnTarget("i", "item"), ColumnTarget("s", "system"), *wide),
            "Old",
            new_rubric=self.NEW,
        )
        found = {code for code, _ in faults(mapping, "isabk")}

        assert {"no_rater_name", "no_criterion_name", "comment_in_wide_table"} <= found


class TestSha:
    def test_does_not_depend_on_the_order_of_columns(self):
        assert sha(answers(a="question", b="ignore")) == sha(answers(b="ignore", a="question"))

    def test_is_the_same_after_storing(self):
        wide = GradeMapping((ColumnTarget("a", "grade"),), "Old", "", FileRubric("S", "1", "5"))

        assert sha(GradeMapping.from_dict(wide.as_dict())) == sha(wide)


class TestQuestionMapping:
    def faults(self, *targets, **options):
        places = tuple(ColumnTarget(name, name) for name in targets)
        return [one.code for one in QuestionMapping(places, **options).faults(targets)]

    def test_comes_back_from_what_is_stored(self):
        mapping = QuestionMapping(
            (ColumnTarget("q", "question"),), capability="A › B", new_versions=True
        )

        assert QuestionMapping.from_dict(mapping.as_dict()) == mapping
        assert mapping.column(Target.QUESTION) == "q"

    @pytest.mark.parametrize(
        ("columns", "code"),
        [
            (("tags",), "no_question_to_bring"),
            (("question", "messages"), "question_and_messages"),
            (("question", "sources", "source_title"), "sources_twice"),
            (("question", "source_place"), "place_without_source"),
            (("question", "response"), "unknown_target"),
        ],
    )
    def test_says_why_it_cannot_be_used(self, columns, code):
        assert self.faults(*columns) == [code]

    def test_can_be_used_with_a_question_alone(self):
        assert self.faults("question") == []
