from tests.files import looked_at

HEAD = (
    "grade,round,item,question,system,release,criterion,rubric,scale_min,scale_max,pass_at,rater,rater_kind,"
    "purpose,occasion,kind,outcome,value,reason,comment,at,late,valid\n"
)


def line(**more):
    cells = {
        "grade": "4",
        "round": "1",
        "item": "T-1",
        "question": "T",
        "system": "Loon",
        "release": "2",
        "criterion": "tone",
        "rubric": "manners v1",
        "scale_min": "1",
        "scale_max": "5",
        "pass_at": "",
        "rater": "Ua",
        "rater_kind": "PERSON",
        "purpose": "NORMAL",
        "occasion": "1",
        "kind": "GIVEN",
        "outcome": "VALUE",
        "value": "3.5",
        "reason": "",
        "comment": "",
        "at": "2026-01-01T10:00:00+00:00",
        "late": "false",
        "valid": "true",
    }
    return ",".join((cells | more).values()) + "\n"


def grades(*lines):
    return looked_at((HEAD + "".join(lines)).encode(), "grades.csv")


class TestGrades:
    def test_come_back_with_their_releases_and_scales(self):
        layout, (row,) = grades(line())

        assert layout.shape == "our_grades"
        named = (
            "item",
            "system",
            "release",
            "rater",
            "criterion",
            "value",
            "scale_min",
            "scale_max",
        )
        assert [row[name] for name in named] == ["T-1", "Loon", "2", "Ua", "tone", "3.5", "1", "5"]

    def test_do_not_come_back_where_no_figure_counts_them(self):
        _layout, rows = grades(
            line(late="true"),
            line(valid="false"),
            line(kind="ADJUDICATED"),
            line(purpose="GOLD"),
            line(occasion="2"),
            line(item="T-2"),
        )

        assert [row["item"] for row in rows] == ["T-2"]

    def test_lose_the_sign_that_kept_a_spreadsheet_from_reading_a_formula(self):
        _layout, (row,) = grades(line(system="'=Loon", comment="'tis"))

        assert (row["system"], row["comment"]) == ("=Loon", "'tis")

    def test_refuse_a_machine_among_people(self):
        _layout, rows = grades(line(), line(rater_kind="JUDGE"))

        assert rows[1] == {"problem": "machine_among_people"}

    def test_are_scores_where_only_machines_gave_some(self):
        layout, rows = grades(line(rater_kind="JUDGE"), line(rater_kind="METRIC"))

        assert (layout.shape, len(rows)) == ("our_scores", 2)


KEY = "question,item,capability,criterion,scale_min,scale_max,rater,occasion"


def table(head, *lines):
    return looked_at("\n".join([f"{KEY},{head}", *lines, ""]).encode(), "table.csv")


class TestTable:
    def test_has_a_grade_for_each_release_that_was_graded(self):
        layout, rows = table(
            "Loon · 1,Loon · 2,Teal · 9",
            "T,T-1,,tone,1,5,Ua,1,3,4,CANNOT_GRADE",
            "T,T-1,,tone,1,5,Ua,2,3,4,5",
        )

        assert layout.shape == "our_table"
        assert [(row["system"], row["release"], row["value"]) for row in rows] == [
            ("Loon", "1", "3"),
            ("Loon", "2", "4"),
        ]
        assert (rows[0]["item"], rows[0]["rater"], rows[0]["criterion"]) == ("T-1", "Ua", "tone")

    def test_has_a_system_with_one_release_under_its_whole_name(self):
        _layout, rows = table("Teal · 9", "T,T-1,,tone,1,5,Ua,1,3")

        assert (rows[0]["system"], rows[0]["release"]) == ("Teal · 9", "")

    def test_refuses_a_cell_of_several_answers(self):
        _layout, rows = table("Loon,Teal", "T,T-1,,tone,1,5,Ua,1,3 | 4,5")

        assert [row.get("problem") or row["system"] for row in rows] == ["Teal", "several_marks"]
