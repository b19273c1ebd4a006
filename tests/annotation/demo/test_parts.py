from annotation.demo import loading as parts
from scoring import apps


class TestRegistered:
    def test_are_functions_each_once_and_in_one_order(self):
        before = parts.registered()

        parts.register("scoring.demo.files.play_demo")

        assert parts.registered() == before
        assert [f"{one.__module__}.{one.__name__}" for one in before] == list(apps.DEMO)
