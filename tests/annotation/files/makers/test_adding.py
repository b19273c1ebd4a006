import re

import pytest

from annotation.files import makers
from evalsite import env
from tests.files import looked_at

FILE = b'{"crate": "Q1", "verdict_of": "ada", "stars": 4}\n{"crate": "Q2", "verdict_of": "bo", "stars": 2}\n'


@pytest.fixture
def another(tmp_path, monkeypatch):
    """Put the module of the recipe beside the makers that there are."""
    recipe = (env.BASE_DIR / "docs" / "adding.md").read_text(encoding="utf-8")
    section = recipe.split("## A maker of files")[1].split("\n## ")[0]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    lines = [line.removeprefix("   ") for line in code.splitlines()]
    (tmp_path / "harbour.py").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(makers, "__path__", [*makers.__path__, str(tmp_path)])
    makers.known.cache_clear()
    yield
    makers.known.cache_clear()


def test_a_file_of_nobody_is_read_as_it_is():
    layout, rows = looked_at(FILE, "ratings.jsonl")

    assert (layout.shape, rows[0]) == ("", {"crate": "Q1", "verdict_of": "ada", "stars": 4})


def test_a_maker_is_known_once_its_module_is_there(another):
    layout, rows = looked_at(FILE, "ratings.jsonl")

    assert layout.shape == "harbour"
    assert rows[1] == {"item": "Q2", "system": "Dock", "rater": "bo", "value": 2}
    assert [(one.key, one.suggested) for one in layout.asks] == [("shape", "yes")]


def test_a_person_may_say_that_a_file_is_not_his(another):
    layout, rows = looked_at(FILE, "ratings.jsonl", {"shape": "no"})

    assert (layout.shape, rows[0]["crate"]) == ("", "Q1")
