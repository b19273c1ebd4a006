from annotation.demo import loading as parts


class TestRegistered:
    def test_are_functions_each_once_and_in_one_order(self):
        before = parts.registered()

        parts.register("scoring.demo.files.play_demo")

        assert parts.registered() == before
        assert [one.__module__ for one in before] == sorted({one.__module__ for one in before})
