from annotation.rules.tabular import targets
from annotation.rules.tabular.layouts import Column


def columns(*names, sample="short"):
    return [Column(name, (sample,), 1) for name in names]


class TestSuggestAnswers:
    def test_knows_synonyms_in_two_languages(self):
        guesses = targets.suggest_answers(columns("编号", "Question", "参考答案", "Model Name"))

        assert [one.target for one in guesses] == [
            "external_id",
            "question",
            "standard_answer",
            "system",
        ]

    def test_takes_dotted_columns_for_answers_of_systems(self):
        guesses = targets.suggest_answers(columns("question", "summaries.M0", "response_Kestrel"))

        assert [(one.target, one.system) for one in guesses[1:]] == [
            ("answer", "M0"),
            ("answer", "Kestrel"),
        ]

    def test_only_offers_what_might_be_answers(self):
        guesses = targets.suggest_answers([*columns("q"), *columns("Kestrel 4", sample="x" * 80)])

        assert [(one.target, one.sure) for one in guesses] == [("", True), ("answer", False)]

    def test_leaves_unknown_columns_of_a_long_table_open(self):
        guesses = targets.suggest_answers(columns("question", "response", "shift"))

        assert guesses[2].target == ""


class TestSuggestGrades:
    def test_reads_rater_and_criterion_from_the_name(self):
        guess = targets.suggest_grades(columns("doc", "system", "e0_coh"))[2]

        assert (guess.target, guess.rater, guess.criterion) == ("grade", "e0", "coh")

    def test_knows_a_long_table(self):
        names = ("item", "model", "criterion", "annotator", "score", "comment")
        guesses = targets.suggest_grades(columns(*names))

        assert [one.target for one in guesses] == [
            "item",
            "system",
            "criterion",
            "rater",
            "value",
            "comment",
        ]
