"""Contamination: no run of its own, but figures of other benchmarks that are brought in."""

RUNS = ()
SLOTS = {
    "files_checked": {"FIGURES": "scoring.kinds.contamination.imports.check"},
    "files_written": {"FIGURES": "scoring.kinds.contamination.imports.SUPPLIED"},
}
