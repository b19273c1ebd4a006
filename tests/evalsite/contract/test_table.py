from pathlib import Path

import pytest
from django.core.management import call_command

from evalsite.contract import document as routes
from evalsite.contract import pages as table

DOCS = Path(__file__).parents[3] / "docs/api.md"


class TestTheTable:
    def test_in_the_docs_is_that_of_the_routes(self):
        text = DOCS.read_text("utf-8")

        assert table.written_into(text) == text, "Run: manage.py api_table"

    def test_names_every_route_with_every_method(self):
        made = table.table()

        missing = [
            f"{method} {one.address}"
            for one in routes.routes()
            for method in one.methods
            if f"| {method} | `{one.address.removeprefix('/api/v1')}` |" not in made
        ]
        assert missing == []


class TestWrittenInto:
    def test_keeps_what_stands_around_it(self):
        made = table.written_into(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n")

        assert made.startswith("before\n")
        assert made.endswith("\nafter\n")
        assert "\nold\n" not in made

    def test_refuses_a_text_without_a_place_for_it(self):
        with pytest.raises(table.NoPlace):
            table.written_into("nothing here")


class TestTheCommand:
    def test_writes_the_table_into_a_file(self, tmp_path, capsys):
        file = tmp_path / "api.md"
        file.write_text(f"{table.BEGIN}{table.END}", "utf-8")

        call_command("api_table", file=file)

        assert table.table() in file.read_text("utf-8")
        assert "every route" in capsys.readouterr().out
