import shutil
from pathlib import Path

import scoring
from scoring.figures import operations as formulas


def test_the_fingerprint_is_of_every_formula_and_of_nothing_else(tmp_path):
    home = Path(scoring.__file__).parents[1]
    for room in formulas.ROOMS:
        shutil.copytree(home / room, tmp_path / room, ignore=shutil.ignore_patterns("*.pyc"))
    as_shipped = formulas.fingerprint_of(tmp_path)
    assert as_shipped == formulas.fingerprint()

    (tmp_path / "scoring/results/pages.py").write_text("another page")
    assert formulas.fingerprint_of(tmp_path) == as_shipped

    seen = {as_shipped}
    for room in formulas.ROOMS:
        (tmp_path / room / "__init__.py").write_text("another formula")
        seen.add(formulas.fingerprint_of(tmp_path))
    assert len(seen) == 1 + len(formulas.ROOMS)


def test_the_fingerprint_knows_where_a_source_ends(tmp_path):
    for name, text in (("scoring/stats/a.py", "x"), ("scoring/stats/b.py", "y")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    parted = formulas.fingerprint_of(tmp_path)
    (tmp_path / "scoring/stats/b.py").rename(tmp_path / "scoring/stats/c.py")

    assert formulas.fingerprint_of(tmp_path) != parted
