import pytest

from annotation.files import guessing
from annotation.files.columns import Target
from annotation.files.look.layouts import FileColumn


def columns(*names, sample="short"):
    short = (sample,) if len(sample) < 40 else ()
    return [
        FileColumn(name, (sample,), 1, True, short, int(sample.isdigit()), len(sample))
        for name in names
    ]


class TestSuggestAnswers:
    def test_knows_synonyms_in_two_languages(self):
        guesses = guessing.suggest_answers(columns("编号", "Question", "参考答案", "Model Name"))

        assert [one.target for one in guesses] == [
            "external_id",
            "question",
            "standard_answer",
            "system",
        ]

    def test_tells_one_standard_answer_from_several_references(self):
        guesses = guessing.suggest_answers([FileColumn("reference"), FileColumn("references")])

        assert [one.target for one in guesses] == [Target.STANDARD_ANSWER, Target.REFERENCES]

    @pytest.mark.parametrize(
        ("names", "guessed"),
        [
            (("id", "system", "answer"), ["external_id", "system", "response"]),
            (("id", "Model", "Answers"), ["external_id", "system", "response"]),
            (("题号", "模型", "答案"), ["external_id", "system", "response"]),
            (
                ("id", "answer", "system", "standard answer"),
                ["external_id", "response", "system", "standard_answer"],
            ),
            (("answer", "system", "reference"), ["response", "system", "standard_answer"]),
            (("answer", "system", "response"), ["standard_answer", "system", "response"]),
            (("answer", "system", "answer_K"), ["standard_answer", "system", "answer"]),
            (("question", "answer"), ["question", "standard_answer"]),
        ],
    )
    def test_take_an_answer_beside_a_system_for_its_own(self, names, guessed):
        assert [one.target for one in guessing.suggest_answers(columns(*names))] == guessed

    def test_takes_dotted_columns_for_answers_of_systems(self):
        guesses = guessing.suggest_answers(columns("question", "summaries.M0", "response_Kestrel"))

        assert [(one.target, one.system) for one in guesses[1:]] == [
            ("answer", "M0"),
            ("answer", "Kestrel"),
        ]

    @pytest.mark.parametrize(
        ("name", "system"),
        [
            ("Answer of Fox", "Fox"),
            ("answer_by_gpt-4", "gpt-4"),
            ("Antwort von Fuchs", "Fuchs"),
            ("Fox’s answer", "Fox"),
            ("answer_oflow", "oflow"),
            ("response: From", "From"),
        ],
    )
    def test_names_the_system_without_the_words_around_it(self, name, system):
        guesses = guessing.suggest_answers(columns("question", name))

        assert (guesses[1].target, guesses[1].system) == (Target.ANSWER, system)

    def test_only_offers_what_might_be_answers(self):
        guesses = guessing.suggest_answers([*columns("q"), *columns("Kestrel 4", sample="x" * 80)])

        assert [(one.target, one.sure) for one in guesses] == [
            ("question", True),
            ("answer", False),
        ]

    def test_offers_to_keep_unknown_columns_of_a_long_table_with_the_answer(self):
        guesses = guessing.suggest_answers(columns("question", "response", "shift"))

        assert (guesses[2].target, guesses[2].sure) == ("response_details", False)


class TestSuggestGrades:
    def test_reads_rater_and_criterion_from_the_name(self):
        guess = guessing.suggest_grades(columns("doc", "system", "e0_coh", sample="4"))[2]

        assert (guess.target, guess.rater, guess.criterion) == ("grade", "e0", "coh")

    def test_knows_a_long_table(self):
        names = ("item", "model", "criterion", "annotator", "score", "comment")
        guesses = guessing.suggest_grades(columns(*names))

        assert [one.target for one in guesses] == [
            "item",
            "system",
            "criterion",
            "rater",
            "value",
            "comment",
        ]

    def test_leaves_marks_of_a_language_model_among_those_of_people_open(self):
        guesses = guessing.suggest_grades(
            columns("item", "model", "human_score", "gpt4_score", sample="4")
        )

        assert [one.target for one in guesses[2:]] == ["grade", ""]

    def test_takes_addresses_for_those_of_people(self):
        guesses = guessing.suggest_grades(
            columns("item", "system", "ada@x.org", "bo@x.org", sample="4")
        )

        assert [(one.rater, one.sure) for one in guesses[2:]] == [
            ("ada@x.org", True),
            ("bo@x.org", True),
        ]

    def test_takes_the_id_of_the_question_before_one_that_may_count_rows(self):
        guesses = guessing.suggest_grades(columns("id", "question_id", "system", "rater", "grade"))

        assert [one.target for one in guesses[:2]] == ["ignore", "item"]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("Answer.interest", False),
        ("filtered", False),
        ("WER", True),
        ("ter_score", True),
        ("token_f1", True),
    ],
)
def test_short_names_of_metrics_are_whole_words(name, metric):
    assert guessing.names_metric(name) is metric


class TestSuggestQuestions:
    @pytest.mark.parametrize(
        ("name", "target"),
        [
            ("题号", Target.EXTERNAL_ID),
            ("问题", Target.QUESTION),
            ("标准答案", Target.STANDARD_ANSWER),
            ("answer", Target.STANDARD_ANSWER),
            ("要点", Target.KEY_POINTS),
            ("能力", Target.CAPABILITY),
            ("领域", Target.DOMAIN),
            ("难度", Target.DIFFICULTY),
            ("有效期至", Target.VALID_UNTIL),
            ("标签", Target.TAGS),
            ("来源", Target.SOURCES),
            ("source_url", Target.SOURCE_ADDRESS),
            ("页码", Target.SOURCE_PLACE),
            ("备注", Target.NOTE),
            ("saved_at", Target.IGNORE),
            ("shift", ""),
        ],
    )
    def test_knows_columns_by_their_names(self, name, target):
        [guess] = guessing.suggest_questions([FileColumn(name)])

        assert guess.target == target


class TestSuggestChoices:
    def test_knows_options_by_letter_and_by_number(self):
        names = ("No", "stem", "A", "option_2", "选项C", "答案", "学科", "page")

        guesses = guessing.suggest_choices([FileColumn(name) for name in names])

        assert [str(one.target) for one in guesses] == [
            "external_id",
            "question",
            "option",
            "option",
            "option",
            "right",
            "subject",
            "",
        ]


class TestSuggestFigures:
    def test_knows_columns_by_their_names(self):
        names = ("candidate", "data set", "benchmark", "value", "page")

        guesses = guessing.suggest_figures([FileColumn(name) for name in names])

        assert [str(one.target) for one in guesses] == ["system", "dataset", "figure", "value", ""]
