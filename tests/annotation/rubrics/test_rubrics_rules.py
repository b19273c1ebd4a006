import json
from dataclasses import replace
from decimal import Decimal

import pytest

from annotation.rubrics import rules as rubrics
from annotation.rubrics.rules import CriterionText, LevelText, Wording


def criterion(key: str = "grade", **changes) -> CriterionText:
    levels = tuple(LevelText(Decimal(value), f"Level {value}") for value in range(3))
    plain = CriterionText(
        key, key.title(), Decimal(0), Decimal(2), pass_at=Decimal(1), levels=levels
    )
    return replace(plain, **changes)


def wording(*criteria: CriterionText, principle: str = "Wrong is 0.") -> Wording:
    return Wording(principle, criteria or (criterion(),))


class TestProblems:
    def test_finds_none_in_a_sound_wording(self):
        assert rubrics.problems(wording()) == {}

    @pytest.mark.parametrize(
        ("changes", "path"),
        [
            ({"minimum": Decimal(2)}, "criteria.0.maximum"),
            ({"step": Decimal("0.3")}, "criteria.0.step"),
            ({"step": Decimal(-1)}, "criteria.0.step"),
            ({"pass_at": Decimal(3)}, "criteria.0.pass_at"),
            ({"weight": Decimal(-1)}, "criteria.0.weight"),
            ({"name": " "}, "criteria.0.name"),
            ({"levels": (LevelText(Decimal("0.5")),)}, "criteria.0.levels.0.value"),
            ({"levels": (LevelText(Decimal(1)),) * 2}, "criteria.0.levels.1.value"),
            (
                {"levels": (LevelText(Decimal(1)),) * (rubrics.MAX_LEVELS + 1)},
                "criteria.0.levels",
            ),
        ],
    )
    def test_says_which_field_is_wrong(self, changes, path):
        assert path in rubrics.problems(wording(criterion(**changes)))

    def test_wants_a_criterion(self):
        assert "criteria" in rubrics.problems(Wording("", ()))

    def test_wants_no_more_criteria_than_a_page_holds(self):
        many = [criterion(f"c{place}") for place in range(rubrics.MAX_CRITERIA + 1)]

        assert "criteria" in rubrics.problems(wording(*many))

    def test_wants_different_keys(self):
        assert rubrics.problems(wording(criterion(), criterion())).keys() == {"criteria.1.name"}


class TestAllPass:
    def test_names_the_criteria_whose_lowest_grade_passes(self):
        def criterion(key, **more):
            return CriterionText(key, key.title(), Decimal(1), Decimal(5), **more)

        wording = Wording(
            "",
            (
                criterion("tone", pass_at=Decimal(1)),
                criterion("facts", pass_at=Decimal(3)),
                criterion("length"),
                criterion("broken", step=Decimal(3), pass_at=Decimal(1)),
            ),
        )

        (found,) = rubrics.all_pass(wording)

        assert (found.place, found.name, found.at, found.instead) == (0, "Tone", 1, 3)


class TestDifferences:
    def test_are_none_between_equal_wordings(self):
        same = wording(criterion(maximum=Decimal("2.0000")))

        assert rubrics.differences(wording(), same) == []
        assert wording().sha() == same.sha()

    def test_name_criterion_level_and_field(self):
        levels = (LevelText(Decimal(0), "Level 0"), LevelText(Decimal(2), "Best"))
        new = wording(criterion(pass_at=None, levels=levels), principle="Wrong is nothing.")

        found = [
            (change.criterion, change.level, change.field, change.old, change.new)
            for change in rubrics.differences(wording(), new)
        ]

        assert found == [
            ("", "", "principle", "Wrong is 0.", "Wrong is nothing."),
            ("Grade", "", "pass_at", "1", ""),
            ("Grade", "1", "label", "Level 1", ""),
            ("Grade", "2", "label", "Level 2", "Best"),
        ]

    def test_tell_new_criteria_from_gone_ones(self):
        found = rubrics.differences(wording(criterion("old")), wording(criterion("new")))

        assert [(change.field, change.old, change.new) for change in found] == [
            ("criterion", "", "New"),
            ("criterion", "Old", ""),
        ]


class TestFromEntry:
    def test_reads_what_plain_and_fixtures_write(self):
        entry = {
            "principle": "Wrong is 0.",
            "criteria": [
                {
                    "key": "grade",
                    "name": "Grade",
                    "min": 0,
                    "max": 2,
                    "step": 1,
                    "pass_at": 1,
                    "levels": [{"value": value, "label": f"Level {value}"} for value in range(3)],
                }
            ],
        }

        assert rubrics.from_entry(json.loads(json.dumps(entry))) == wording()

    def test_refuses_what_is_no_number(self):
        with pytest.raises(ValueError, match="digits"):
            rubrics.from_entry({"criteria": [{"key": "a", "name": "A", "max": "two"}]})

    def test_leaves_out_what_is_not_there(self):
        entry = {"criteria": [{"key": "a", "name": "A", "max": 5, "step": None}]}

        (read,) = rubrics.from_entry(entry).criteria

        assert (read.step, read.pass_at, read.levels) == (None, None, ())


class TestExamples:
    def test_are_divided_by_a_line_of_dashes(self):
        assert rubrics.split("One.\nMore.\n---\n\n-----\nTwo -- three") == (
            "One.\nMore.",
            "Two -- three",
        )

    def test_are_written_as_they_are_read(self):
        examples = ("One.", "Two.\n\nMore.")

        assert rubrics.split(rubrics.joined(examples)) == examples

    def test_belong_to_the_wording_but_leave_older_fingerprints_as_they_were(self):
        plain = (LevelText(Decimal(0), "None"),)
        told = (LevelText(Decimal(0), "None", examples=("No.",)),)
        old, new = wording(criterion(levels=plain)), wording(criterion(levels=told))

        assert "examples" not in rubrics.plain(old)["criteria"][0]["levels"][0]
        assert rubrics.plain(new)["criteria"][0]["levels"][0]["examples"] == ["No."]
        [change] = rubrics.differences(old, new)
        assert (change.level, change.field, change.new) == ("0", "examples", "No.")
        assert [run.text for run in change.after] == ["No."]
        assert change.before == ()

    def test_are_not_too_many(self):
        told = (LevelText(Decimal(0), examples=("No.",) * (rubrics.MAX_EXAMPLES + 1)),)

        assert "criteria.0.levels.0.examples" in rubrics.problems(wording(criterion(levels=told)))
