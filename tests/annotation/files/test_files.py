import io

import openpyxl
import pytest

from annotation.files import stored as files
from annotation.imports import recognising
from tests import imports

pytestmark = pytest.mark.django_db


class TestRecords:
    def test_come_from_a_workbook_as_from_text(self):
        made = openpyxl.Workbook()
        made.active.append(["question", "answer_K"])
        made.active.append(["What?", "It."])
        content = io.BytesIO()
        made.save(content)

        upload = imports.take(content.getvalue(), "a.xlsx")

        assert [one.cells for one in files.records(upload)] == [
            {"question": "What?", "answer_K": "It."}
        ]
        assert [guess.target for _, guess in recognising.guesses(upload)] == ["question", "answer"]
