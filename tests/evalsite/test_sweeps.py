from evalsite import panels as sweeps


class TestLoad:
    def test_replaces_what_is_loaded_again(self):
        sweeps.load({}, {"test": lambda now: 1})
        sweeps.load({}, {"test": repr})

        assert sweeps.registered()["test"] is repr


class TestRegistered:
    def test_hands_out_a_copy(self):
        sweeps.load({}, {"test": repr})

        dict.clear(sweeps.registered())  # type: ignore[arg-type]

        assert "test" in sweeps.registered()


class TestStarts:
    def test_keeps_deeds_apart_from_sweeps(self):
        sweeps.load({}, {}, {"a start": "builtins.repr"})

        assert sweeps.starts()["a start"] is repr
        assert "a start" not in sweeps.registered()
        sweeps._starts.pop("a start")
