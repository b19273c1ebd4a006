import shutil
from pathlib import Path

import scoring
from scoring.queries import formulas


def test_the_fingerprint_is_of_every_formula_and_of_nothing_else(tmp_path):
    home = Path(scoring.__file__).parent
    for room in (*formulas.ROOMS, "views"):
        shutil.copytree(home / room, tmp_path / room, ignore=shutil.ignore_patterns("*.pyc"))
    as_shipped = formulas.of(tmp_path)
    assert as_shipped == formulas.fingerprint()

    (tmp_path / "views" / "results.py").write_text("another page")
    assert formulas.of(tmp_path) == as_shipped

    seen = {as_shipped}
    for changed in ("stats/kappa.py", "queries/results.py", "protocols/kieval/more.py"):
        (tmp_path / changed).write_text("another formula")
        seen.add(formulas.of(tmp_path))
    assert len(seen) == 4


def test_the_fingerprint_knows_where_a_source_ends(tmp_path):
    for name, text in (("stats/a.py", "x"), ("stats/b.py", "y")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    parted = formulas.of(tmp_path)
    (tmp_path / "stats" / "b.py").rename(tmp_path / "stats" / "c.py")

    assert formulas.of(tmp_path) != parted
