"""Tables of grades and scores as people have them, brought into a project that has their questions."""

from datetime import UTC, datetime

import pytest

from annotation import models
from annotation.files.asks import FileAsk, open_ones
from annotation.files.mappings import FileRubric, GradeMapping
from annotation.files.scores import Machine, ScoreMapping
from annotation.imports import operations, uploading
from annotation.imports import places as surveys
from scoring.engine.models import Judgment
from scoring.stats.people import agreement
from tests import cases, imports, make
from tests.scoring.marks import units_of

pytestmark = pytest.mark.django_db

ITEMS = ("NP-003", "NP-005", "NP-008", "NP-011")
SYSTEMS = ("Kestrel 4", "Meridian L")


@pytest.fixture
def world():
    """Return a project with some questions, all answered by two systems."""
    lines = ["id,question,system,response"]
    lines += [f"{item},Why {item}?,{system},Because." for item in ITEMS for system in SYSTEMS]
    lines += [f"{item},Why {item}?,{name},So." for item in (81, 82) for name in ("pine", "oak")]
    imports.apply(imports.answers("\n".join([*lines, ""])))
    return make.project()


def taken(name, kind, told):
    path = cases.file(name)
    home = make.project()
    return uploading.receive(
        project=home,
        kind=kind,
        name=path.name,
        pieces=[path.read_bytes()],
        by=make.user(f"{home.slug}-owner"),
        now=make.NOW,
        told=told,
    )


def graded(name, told=None, targets=None, low="1", high="5", step="1", **options):
    """Return a file of grades that was checked, its columns where they are guessed to belong."""
    upload = taken(name, "GRADES", told)
    places = imports.places(upload, **(targets or {}))
    rubric = FileRubric("Case", low, high, step)
    mapping = GradeMapping(places, name, "", rubric, **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    return upload


def scored(name, told=None, targets=None, declared=(), **options):
    """Return a file of scores that was checked; ranges are taken as suggested."""
    upload = taken(name, "SCORES", told)
    places = imports.places(upload, **(targets or {}))
    mapping = surveys.declared(upload, ScoreMapping(places, tuple(declared), **options))
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    return upload


def asks(upload):
    """Return what is asked of a file by the key of the question, with what is suggested."""
    return {one["key"]: one["suggested"] for one in upload.report["asks"]}


def open_keys(upload):
    found = [FileAsk.from_dict(one) for one in upload.report["asks"]]
    return [one.key for one in open_ones(found, upload.told)]


def values():
    """Return the grades there are: question, rater, criterion and value."""
    rows = models.Grade.objects.order_by("pk").values_list(
        "response__item__external_id", "rater__ref", "criterion__name", "value"
    )
    return [(*row, float(value)) for *row, value in rows]


def times():
    return list(models.Grade.objects.order_by("pk").values_list("given_at", flat=True))


@pytest.mark.usefixtures("world")
class TestGrades:
    def test_with_other_capitals_mean_what_is_here(self):
        upload = graded("grades_case.csv")

        assert upload.report["ok"], upload.report
        assert upload.report["matched"]["item"] == {"np-005": "NP-005"}
        assert upload.report["matched"]["system"] == {"kestrel 4": "Kestrel 4"}
        imports.apply(upload)
        assert values() == [
            ("NP-003", "ada", "fluency", 4),
            ("NP-005", "ada", "fluency", 4),
            ("NP-008", "ada", "fluency", 3),
        ]

    def test_with_details_beside_them_are_of_two_raters(self):
        imports.apply(graded("grades_extra_cols.csv"))

        assert sorted({row[1:3] for row in values()}) == [("ada", "fluency"), ("bo", "fluency")]
        assert len(values()) == 6

    def test_of_a_pivot_are_of_its_columns(self):
        imports.apply(graded("pivot_annotators.csv"))

        found = values()
        assert len(found) == 5
        assert sorted({row[2] for row in found}) == ["depth", "fluency"]
        assert sorted({row[1] for row in found}) == ["ada@example.org", "bo@example.org"]

    def test_with_a_decimal_comma_ask_what_a_point_means(self):
        upload = graded("grades_decimal_comma.csv", step="0.5")

        assert open_keys(upload) == ["point"]
        imports.apply(graded("grades_decimal_comma.csv", {"point": "decimal"}, step="0.5"))
        assert [row[-1] for row in values()] == [3.5, 4, 1, 2]

    def test_with_points_for_thousands_lie_off_the_scale(self):
        upload = graded("grades_decimal_comma.csv", {"point": "thousand"}, step="0.5")

        assert ("off_scale", 4, "grade") in imports.problems(upload)

    @pytest.mark.parametrize(("said", "month"), [("day", 5), ("month", 3)])
    def test_with_american_dates_ask_what_comes_first(self, said, month):
        assert open_keys(graded("us_dates.csv")) == ["date_order"]

        imports.apply(graded("us_dates.csv", {"date_order": said}))
        assert times()[0] == datetime(2024, month, 8 - month, 14, 33, tzinfo=UTC)
        assert times()[1] == datetime(2024, 3, 5, 14, 35, tzinfo=UTC)

    def test_with_seconds_since_1970_have_their_times(self):
        imports.apply(graded("unix_dates.csv"))

        assert [one.isoformat() for one in times()] == [
            "2024-03-05T14:33:10+00:00",
            "2024-03-05T14:35:00.250000+00:00",
        ]

    def test_of_a_form_are_numbers_before_words(self):
        upload = graded("google_forms.csv")

        assert upload.report["ok"], upload.report
        assert asks(upload) == {"leading_number": "yes"}
        imports.apply(upload)
        assert [row[-1] for row in values()] == [4, 5]
        assert times()[0] == datetime(2024, 3, 5, 13, 33, 10, tzinfo=UTC)

    def test_given_twice_are_refused_by_line(self):
        assert imports.problems(graded("grades_dup_time.csv")) == [("graded_twice", 3, "grade")]

    def test_in_signs_that_are_no_numbers_are_refused_by_line(self):
        upload = graded("grades_words_unicode.csv", {"missing:-1": "grade"})

        assert imports.problems(upload) == [
            ("not_a_number", 3, "grade"),
            ("off_scale", 4, "grade"),
            ("not_a_number", 5, "grade"),
        ]
        assert upload.report["counts"]["grades"] == 1

    def test_by_near_names_are_of_one_person_and_clash_by_line(self):
        upload = graded("grades_long_turnid.csv")

        assert asks(upload) == {"same:ada": "same", "same:fluency": "same", "broken": ""}
        assert imports.problems(upload) == [
            ("graded_twice", 3, "grade"),
            ("graded_twice", 4, "grade"),
        ]
        assert list(upload.report["raters"]) == ["ada"]
        assert len(upload.report["criteria"]) == 1

    def test_by_near_names_are_of_several_if_somebody_says_so(self):
        told = {"same:ada": "apart", "same:fluency": "apart"}

        assert not graded("grades_long_turnid.csv", told).report["n_errors"]


@pytest.mark.usefixtures("world")
class TestScores:
    def judged(self):
        rows = Judgment.objects.filter(repeat=0).order_by("pk")
        return list(rows.values_list("rater__ref", "criterion__name", "outcome", "value"))

    def machines(self, upload):
        return {one["name"]: (one["minimum"], one["maximum"]) for one in upload.mapping["machines"]}

    def test_of_examples_are_of_their_questions(self):
        upload = scored("scores_example_id.csv")

        assert upload.report["counts"]["scores"] == 2
        assert self.machines(upload) == {"gpt-x": ("1", "5")}

    @pytest.mark.parametrize("name", ["scores_sentinel.csv", "mtbench_single_flat.jsonl"])
    def test_of_one_to_ten_point_at_what_may_be_none(self, name):
        upload = scored(name, targets=IGNORED)

        assert "missing:-1" in open_keys(upload)
        assert list(self.machines(upload).values()) == [("1", "10")]
        upload = scored(name, {"missing:-1": "missing"}, IGNORED)
        assert "out_of_range" not in upload.report["by_code"]
        assert upload.report["counts"]["scores"] == 3

    def test_of_999_are_pointed_at_and_the_range_is_asked_for(self):
        upload = scored("scores_999.csv")

        assert "missing:999" in open_keys(upload)
        assert upload.report["doubts"] == [["gpt-x", "score"]]
        assert self.machines(upload) == {"gpt-x": ("1", "5")}

    def test_in_letters_are_right_wrong_and_partly_right(self):
        upload = scored("scores_inspect.csv")

        assert asks(upload) == {"letters": "yes"}
        assert upload.report["ok"], upload.report
        imports.apply(upload)
        assert [row[-1] for row in self.judged()] == [1, 0, 0.5, 0]

    def test_in_shares_ask_what_a_comma_means(self):
        upload = scored("scores_pct.csv")

        assert asks(upload) == {"percent": "share", "fraction": "share", "comma": ""}
        upload = scored("scores_pct.csv", {"comma": "decimal"})
        imports.apply(upload)
        assert [row[-1] for row in self.judged()] == [0.85, 0.9, 1.5]

    def test_of_several_turns_are_kept_apart(self):
        upload = scored("scores_turns.csv", declared=[JUDGE])

        assert upload.report["ok"], upload.report
        imports.apply(upload)
        readings = Judgment.objects.filter(repeat__gt=0).order_by("repeat")
        assert list(readings.values_list("repeat", "value")) == [(1, 7), (2, 5)]
        mean = Judgment.objects.get(repeat=0)
        assert (mean.value, mean.n_valid, round(mean.sd, 3)) == (6, 2, 1.414)

    def test_in_truths_are_one_and_nothing(self):
        upload = scored("scores_bool.jsonl")

        assert upload.report["ok"], upload.report
        imports.apply(upload)
        assert [row[-1] for row in self.judged()] == [1, 0]
        assert self.machines(upload) == {"j": ("0", "1")}

    def test_of_times_and_costs_are_better_the_lower_they_are(self):
        upload = scored("scores_system_model_name.csv")

        assert upload.report["ok"], upload.report
        better = {one["name"]: one["higher_is_better"] for one in upload.mapping["machines"]}
        assert better == {
            "rouge1": True,
            "rougeL": True,
            "bleu": True,
            "latency_ms": False,
            "cost": False,
        }

    def test_that_are_missing_stay_missing(self):
        upload = scored("ragas_scores.csv")

        assert upload.report["ok"], upload.report
        imports.apply(upload)
        assert sorted(row[0] for row in self.judged()) == sorted(
            ["faithfulness"] * 2 + ["answer_relevancy"] * 3 + ["context_precision"] * 2
        )
        assert self.machines(upload)["faithfulness"] == ("0", "1")
        assert self.machines(upload)["answer_relevancy"] == ("-1", "1")


#: The prompt of a judge is kept nowhere.
IGNORED = {"user_prompt": "ignore"}
JUDGE = Machine("gpt-x", "JUDGE", "1", "10")


@pytest.mark.usefixtures("world")
class TestAgreementOfAWholeFile:
    def test_is_that_of_raters_on_criteria_however_the_columns_are_called(self):
        imports.apply(graded("grades_criterion_first.csv"))

        found = values()
        assert sorted({row[1] for row in found}) == ["ann1", "ann2"]
        assert sorted({row[2] for row in found}) == ["coherence", "fluency"]
        assert alpha_of(found, "fluency") == pytest.approx(0.863, abs=0.0005)
        assert alpha_of(found, "coherence") == pytest.approx(0.908, abs=0.0005)


def alpha_of(grades, criterion):
    """Return the ordinal alpha of two raters' grades on a criterion."""
    columns = [
        [grade for _item, name, on, grade in grades if (name, on) == (rater, criterion)]
        for rater in ("ann1", "ann2")
    ]
    units = units_of(list(zip(*columns, strict=True)))
    return (
        agreement.agreement(units, names=("alpha_ordinal",), resamples=0)
        .find("alpha_ordinal")
        .value
    )


@pytest.mark.usefixtures("world")
def test_a_date_in_a_workbook_is_no_grade():
    upload = graded("x_types.xlsx", low="0")

    assert [line for _code, line, _column in imports.problems(upload)][:1] == [2]
    assert open_keys(upload) == ["broken"]


class TestPublishedTables:
    """Tables with known coefficients, brought in after the questions that they grade."""

    @pytest.fixture(autouse=True)
    def _items(self):
        path = cases.file("kripp_items.csv")
        imports.apply(imports.answers(path.read_bytes(), path.name))

    @pytest.mark.parametrize(
        ("metric", "value"),
        [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
    )
    def test_of_1980_give_its_coefficients(self, metric, value):
        imports.apply(graded("kripp_1980.csv"))

        assert coefficient(f"alpha_{metric}").value == pytest.approx(value, abs=0.0005)

    @pytest.mark.parametrize(("name", "value"), [("nltk2865.csv", 1), ("kripp11.csv", 0)])
    def test_of_few_units_give_theirs(self, name, value):
        imports.apply(graded(name, low="0"))

        assert coefficient("alpha_nominal").value == pytest.approx(value, abs=1e-9)

    @pytest.mark.parametrize("name", ["kripp9.csv", "kripp_one.csv", "kripp_const.csv"])
    def test_that_cannot_have_any_say_why(self, name):
        imports.apply(graded(name, low="0"))

        found = coefficient("alpha_nominal")
        assert found.value is None
        assert found.reason


def coefficient(name):
    """Return a coefficient of all grades there are, over units and raters."""
    marks = {}
    for item, rater, _criterion, grade in values():
        marks.setdefault(item, {})[rater] = grade
    raters = sorted({rater for of in marks.values() for rater in of})
    rows = [[of.get(rater) for rater in raters] for of in marks.values()]
    return agreement.agreement(units_of(rows), names=(name,), resamples=0).find(name)
