import pytest

from scoring.llm.scripted.script import Script


class TestScript:
    def test_reads_what_is_stored(self):
        script = Script.of({"seed": 3, "replies": [{"contains": "x", "reply": "y"}]})

        assert script.seed == 3
        assert (script.replies[0].contains, script.replies[0].replies) == (("x",), ("y",))

    @pytest.mark.parametrize("stored", [{"sede": 1}, {"stop": 2}, {"malformed": -0.1}])
    def test_refuses_what_it_does_not_know(self, stored):
        with pytest.raises(ValueError, match=r"no option|lies between"):
            Script.of(stored)
