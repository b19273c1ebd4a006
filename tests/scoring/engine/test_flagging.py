import pytest

from scoring.engine.kinds import flags_of


class TestFlagsOf:
    @pytest.mark.parametrize(
        ("result", "flags"),
        [
            ({"flags": ["verdict", "delimiter"]}, ["delimiter", "verdict"]),
            ({"flags": [], "exchanges": [{"flags": ["turn"]}, {"flags": ["turn"]}]}, ["turn"]),
            ({"flags": ["hidden"], "exchanges": [{"flags": ["turn"]}]}, ["turn", "hidden"]),
            ({"flags": ["something of another day"]}, []),
            ({"exchanges": None}, []),
            ({"said": "no flags"}, []),
            ([1, 2], []),
            (None, []),
        ],
    )
    def test_are_those_of_all_texts_once_and_in_order(self, result, flags):
        assert flags_of(result) == flags
