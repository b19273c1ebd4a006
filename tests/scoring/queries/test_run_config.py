import pytest

from scoring.queries import run_config
from tests.scoring import run_rows


class TestFlat:
    def test_names_what_is_nested_by_its_path(self):
        lines = list(run_config.flat({"b": {"x": True, "y": None}, "a": [1, 2]}))

        assert lines == [("a", "1, 2"), ("b › x", "yes"), ("b › y", "–")]

    def test_tells_a_hash_by_its_beginning(self):
        assert run_config.said("ab12" * 16) == "ab12ab12ab12…"

    def test_cuts_what_is_very_long(self):
        assert len(run_config.said("word " * 1000)) == run_config.LONGEST


@pytest.mark.django_db
class TestFacts:
    def test_name_endpoints_and_leave_prices_out(self):
        endpoint = run_rows.endpoint("Harbour")
        run = run_rows.run(config={"endpoint": endpoint.pk, "prices": {"1": {}}, "n_repeats": 3})

        assert dict(run_config.parameters(run)) == {"endpoint": "Harbour", "n_repeats": "3"}
        assert ("Seed", "0") in run_config.facts(run)
