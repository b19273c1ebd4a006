"""tests/ mirrors the sources, so that a test is found without searching."""

from tests.architecture import sources

# Tests of more than one module live here.
COMMON = {
    "architecture",
    "journeys",
    "e2e",
    "load",
    "js",
    "fixtures",
    "fuzz",
    "golden",
    "benchmarks",
}
# Folders of features: the tests of one stand together, whatever module they test.
FEATURES = {("annotation", "rubrics")}
# Pure rooms are tested module by module, without exception.
PURE = ("annotation/rules", "scoring/stats")


class TestTests:
    def test_stand_where_their_source_stands(self):
        tests = sources.ROOT / "tests"
        homeless = []
        for path in sources.modules("tests"):
            parts = path.relative_to(tests).parts
            if not path.name.startswith("test_") or parts[0] in COMMON or parts[:2] in FEATURES:
                continue
            root = (
                tests if len(parts) == 1 else sources.ROOT
            )  # tests' own tools stand beside their test
            words = path.stem.removeprefix("test_").split("_")
            # What one file cannot hold is two: test_grading.py and test_grading_late.py.
            names = ["_".join(words[:n]) for n in range(1, len(words) + 1)]
            modules = [root.joinpath(*parts[:-1], name) for name in names]
            if not any(one.with_suffix(".py").exists() or one.is_dir() for one in modules):
                homeless.append(sources.name_of(path))

        assert homeless == []

    def test_are_there_for_every_module_of_the_pure_rooms(self):
        untested = [
            sources.name_of(path)
            for path in sources.modules()
            if sources.name_of(path).startswith(PURE)
            and path.name != "__init__.py"
            and not (
                sources.ROOT / "tests" / path.relative_to(sources.ROOT).parent / f"test_{path.name}"
            ).exists()
        ]

        assert untested == []
