import csv
import io

import openpyxl
import pytest

from annotation import models
from annotation.common import texts as sheets
from annotation.imports import collecting
from annotation.imports import operations as applying
from annotation.rounds import drafting, drawing
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db

HOSTILE = (
    "=1+1",
    "+49 40 123",
    "-5 °C\n- two\n- three",
    "@everybody",
    "'=quoted",
    "\tindented",
    "问：提单是什么？\n答：收据。",
    "He said, \"no\"; 'yes'.",
)


def draft():
    """Return a draft over questions with hostile ids and texts that nobody has answered."""
    for place, text in enumerate(HOSTILE):
        make.item(f"{'=+-@'[place % 4]}Q{place}", question=text)
    round_ = make.draft_round(n_items=1, n_releases=2)
    drafting.choose_draw(
        round_=round_,
        draw=drafting.Draw(complete_only=False, unanswered=True),
        by=round_.created_by,
        now=make.NOW,
    )
    drawing.prepare(round_=round_, now=make.NOW)
    return round_


def table(round_) -> list[list[str]]:
    lines = "".join(collecting.csv_lines(collecting.of_round(round_, make.NOW)))
    return list(csv.reader(io.StringIO(lines.removeprefix("\ufeff"), newline="")))


def as_csv(rows) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return ("\ufeff" + text.getvalue()).encode()


def filled(rows) -> tuple[list[list[str]], dict[tuple[str, str], str]]:
    """Return the sheet with an answer in every row, and what was answered."""
    answers = {}
    full = [rows[0]]
    for place, row in enumerate(rows[1:]):
        text = HOSTILE[place % len(HOSTILE)]
        answers[sheets.restored(row[0]), row[4]] = text
        full.append([*row[:-1], sheets.neutral(text)])
    return full, answers


def receive(round_, data: bytes, name: str = "sheet.csv") -> models.Upload:
    return collecting.receive(
        project=round_.project, name=name, pieces=[data], by=round_.created_by, now=make.NOW
    )


def stored() -> dict[tuple[str, str], str]:
    rows = models.Response.objects.exclude(item__external_id="Q01").values_list(
        "item__external_id", "release__system__name", "messages"
    )
    return {(key, system): messages[0]["content"] for key, system, messages in rows}


def bring_in(upload) -> None:
    batch = applying.start(upload=upload, by=upload.created_by, now=make.NOW)
    applying.carry_on(batch_id=batch.pk, clock=lambda: make.NOW)


class TestReceive:
    def test_brings_back_from_csv_what_was_filled_in(self):
        round_ = draft()
        rows, answers = filled(table(round_))
        assert all(not cell.startswith(sheets.FORMULA) for row in rows for cell in row)

        upload = receive(round_, as_csv(rows))
        bring_in(upload)

        assert stored() == answers
        assert collecting.of_round(round_, make.NOW).n_missing == 0

    def test_brings_back_from_a_workbook_what_was_filled_in(self):
        round_ = draft()
        book = openpyxl.load_workbook(
            io.BytesIO(collecting.workbook(collecting.of_round(round_, make.NOW)))
        )
        sheet = book.active
        rows, answers = filled([[cell.value or "" for cell in row] for row in sheet.iter_rows()])
        for place, row in enumerate(rows[1:], start=2):
            cell = sheet.cell(place, 7, row[-1])
            cell.data_type = "s"
        kept = io.BytesIO()
        book.save(kept)

        bring_in(receive(round_, kept.getvalue(), "sheet.xlsx"))

        assert stored() == answers

    def test_leaves_out_what_is_not_filled_in_and_keeps_the_lines(self):
        round_ = draft()
        rows, _answers = filled(table(round_))
        rows[1][-1] = ""
        rows[3][-2] = "9"

        with pytest.raises(collecting.NoSheet, match="does not have"):
            receive(round_, as_csv(rows))
        rows[3][-2] = "1"
        bring_in(receive(round_, as_csv(rows)))

        assert collecting.of_round(round_, make.NOW).n_missing == 1

    def test_refuses_answers_to_another_wording(self):
        round_ = draft()
        rows, _answers = filled(table(round_))
        rows[1][1] = "p0000000000000000"

        upload = receive(round_, as_csv(rows))

        [problem] = upload.report["problems"]
        assert (problem["code"], problem["line"]) == ("question_changed", 2)

    @pytest.mark.parametrize(
        ("rows", "why"),
        [
            ([["id", "response"], ["Q1", "Yes."]], "no column external_id"),
            ([list(collecting.COLUMNS), ["Q01", "p", "", "", "Kestrel", "1", ""]], "No answer"),
        ],
    )
    def test_refuses_what_is_no_sheet(self, rows, why):
        with pytest.raises(collecting.NoSheet, match=why):
            receive(make.draft_round(), as_csv(rows))
        assert not models.Upload.objects.exists()

    def test_refuses_a_formula_somebody_typed(self):
        book = openpyxl.Workbook()
        book.active.append(list(collecting.COLUMNS))
        book.active.append(["Q01", "p", "", "", "Kestrel", "1", "=1+1"])
        kept = io.BytesIO()
        book.save(kept)

        with pytest.raises(collecting.NoSheet, match="formula"):
            receive(make.draft_round(), kept.getvalue(), "sheet.xlsx")

    def test_refuses_what_cannot_be_read(self):
        with pytest.raises(errors.FileRefused):
            receive(make.draft_round(), b"%PDF-1.4", "sheet.csv")


class TestOfRound:
    @pytest.mark.parametrize("pairs", [None, 1])
    def test_asks_for_no_answer_that_is_there_though_its_pair_may_not_be_drawn(self, pairs):
        round_ = make.draft_round(criteria=("better",), n_releases=4, n_items=5)
        drafting.choose_draw(
            round_=round_,
            draw=drafting.Draw(pairs=pairs),
            by=round_.created_by,
            now=make.NOW,
        )
        half = make.item("Q99", question="What is known of it by half?")
        for chosen in round_.systems.select_related("release").order_by("pk")[1:]:
            make.response(half, chosen.release)
        assert not round_.draw.get("prepared")

        wanted = collecting.of_round(round_, make.NOW)

        assert sorted(gap.n_missing for gap in wanted.gaps) == [0, 0, 0, 1]
        assert {gap.n_wanted for gap in wanted.gaps} == {6}
        assert [half.pk] in wanted.missing.values()


class TestOfBank:
    def test_counts_what_each_release_has_not_answered(self):
        version = make.question_version()
        make.question_version("SUBMITTED")
        one, two = make.release("Kestrel"), make.release("Heron")
        make.response(version.item, one)

        wanted = collecting.of_bank(make.project(), [], [], make.NOW)

        assert {gap.release: gap.n_missing for gap in wanted.gaps} == {one: 0, two: 1}
