import pytest

from benchmarks.peers import __main__ as main
from benchmarks.peers import installed, own, reading, results
from benchmarks.peers import table as tables
from benchmarks.peers.results import Moment, Part, Row

NAMES = {"potato": "Potato", "inspect": "Inspect AI"}
SAID = """\
200 judgments, 8 in flight: 5.4 s (at most 10), 2.1 s of processor
200 judgments, 8 in flight: 5.8 s (at most 10), 2.3 s of processor
200 judgments, 8 in flight: 5.5 s (at most 10), 2.9 s of processor
"""


def part(*rows, **given):
    base = {"key": "runs", "title": "Runs", "when": "2026-03-01 10:00", "seconds": 3.0}
    moments = {"before": Moment(30.0, 1.5), "after": Moment(31.5, 2.0)}
    base |= {"machine": {"cores": "2", "memory": "16 GB"}}
    return Part(**moments, rows=rows, **(base | given))


def page(*parts):
    return tables.page(parts, names=NAMES)


def line(text, of):
    [found] = [one for one in text.splitlines() if one.startswith(f"| {of} |")]
    return [one.strip() for one in found.strip("|").split("|")]


class TestRow:
    @pytest.mark.parametrize(
        ("ours", "way", "bar", "met"),
        [
            (5.0, "at most", 5.0, True),
            (5.1, "at most", 5.0, False),
            (40.0, "at least", 40.0, True),
            (39.9, "at least", 40.0, False),
            (None, "at most", 5.0, None),
            (5.0, "", None, None),
        ],
    )
    def test_says_whether_its_bar_is_met(self, ours, way, bar, met):
        assert Row("a", "s", ours, way, bar).met() is met

    def test_ratio_is_above_one_where_ours_is_better(self):
        less = Row("a", "s", 2.0, "at most", 3, {"potato": 8.0, "inspect": "not offered"})
        more = Row("b", "items/s", 50.0, "at least", 40, {"potato": 20.0})

        assert less.ratio("potato") == 4.0
        assert more.ratio("potato") == 2.5
        assert less.ratio("inspect") is None
        assert less.ratio("nobody") is None
        assert Row("c", "s", 0.0, "at most", 1, {"potato": 1.0}).ratio("potato") is None


class TestKept:
    def test_gives_back_what_was_kept(self, tmp_path):
        whole = part(
            Row("a", "s", 1.25, "at most", 2, {"potato": 3.5, "inspect": "not offered"}, 5, "so"),
            problem="half of it",
            small=True,
        )
        results.keep(tmp_path / "new" / "results.json", [whole])

        assert results.kept(tmp_path / "new" / "results.json") == {"runs": whole}

    def test_the_page_of_the_documentation_is_made_of_what_was_kept(self):
        assert main.PAGE.read_text() == main.written(results.kept(main.MEASURED))

    def test_is_nothing_where_there_is_no_file(self, tmp_path):
        assert results.kept(tmp_path / "none.json") == {}


class TestPage:
    def test_writes_bar_figures_ratio_and_verdict(self):
        text = page(
            part(
                Row("fast", "s", 2.0, "at most", 5, {"potato": 9.0}, 3),
                Row("slow", "s", 6.0, "at most", 5, {"inspect": "not offered"}, 3),
                Row("unbarred", "s", 1.0),
            )
        )

        assert line(text, "fast") == ["fast", "at most 5 s", "2 s", "yes", "9 s (4.5 ×)", "–", "3"]
        assert line(text, "slow")[2:6] == ["6 s", "**no**", "–", "not offered"]
        assert line(text, "unbarred")[1:4] == ["–", "1 s", "–"]
        assert (
            "Of the 2 bars of the parts below 1 are met, 1 are not met, 0 could not be measured."
            in text
        )
        assert "yardstick 30 and 31.5 CPU-ms; load 1.5 and 2" in text

    def test_a_bar_without_a_figure_is_neither_met_nor_forgotten(self):
        text = page(part(Row("gone", "s", None, "at most", 5, note="it | failed")))

        assert line(text, "gone")[2:4] == ["not measured", "not measured"]
        assert "1 could not be measured" in text
        assert "* gone: it | failed." in text

    def test_names_versions_problems_and_what_is_missing(self):
        text = page(
            part(problem="not done after 600 s", small=True, versions={"potato": "2.12.1"}),
            part(machine={"cores": "4"}, versions={"potato": "2.13.0"}),
        )

        assert "on: cores 2, memory 16 GB; cores 4." in text
        assert "| Potato | 2.12.1 and 2.13.0 |" in text
        assert "| Inspect AI | not measured |" in text
        assert "Not measured, or not all: not done after 600 s." in text
        assert "smaller than the full sizes" in text

    def test_needs_no_measurement_at_all(self):
        assert "Measured never on" in page()

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (0, "0"),
            (12345.6, "12,346"),
            (123.4, "123"),
            (12.34, "12.3"),
            (1.234, "1.23"),
            (0.1234, "0.123"),
            (3.3e-16, "3e-16"),
            (5.0, "5"),
        ],
    )
    def test_numbers_have_three_digits_that_count(self, value, said):
        assert tables.number(value) == said


class TestReading:
    def test_takes_the_median_of_the_lines_and_counts_them(self):
        one = reading.Reading(r"flight: (?P<v>[\d.]+) s", "judgments", "s", "at most", 10)

        [row] = reading.rows(SAID, [one])

        assert (row.ours, row.n, row.met()) == (5.5, 3, True)

    def test_takes_the_worst_where_that_is_wanted(self):
        one = reading.Reading(r", (?P<v>[\d.]+) s of", "computing", "s", pick="worst", note="alone")

        [row] = reading.rows(SAID, [one])

        assert (row.ours, row.n) == (2.9, 1)
        assert row.note == "worst of 3 lines; alone"

    def test_says_what_was_not_printed_and_keeps_its_bar(self):
        one = reading.Reading(r"nothing (?P<v>\d+)", "gone", "s", "at most", 10)

        [row] = reading.rows(SAID, [one])

        assert (row.ours, row.bar, row.met()) == (None, 10, None)
        assert "did not print" in row.note

    def test_has_no_bars_at_small_sizes(self):
        one = reading.Reading(r"flight: (?P<v>[\d.]+) s", "judgments", "s", "at most", 10)

        assert reading.rows(SAID, [one], bars=False)[0].bar is None

    @pytest.mark.parametrize(
        ("name", "said", "found"),
        [
            ("install", "install: 85 s (at most 150), 412 MB (at most 600)", [85, 412]),
            (
                "first_grade",
                "the first grade: 2.0 s\nin all: 97 s (at most 150), load 1.5, 2 processors",
                [97],
            ),
            ("web_memory", "idle web worker: 97 MB, median of 5 (96 to 98; at most 120)", [97]),
            (
                "open_round",
                "prepare: 12.5 s (8.0 s of them computing) in 9 transactions,\n"
                "open: 31.0 s (20.0 s of them computing) in 3 transactions",
                [31.0],
            ),
            (
                "near_duplicates",
                "a hint: median 24 ms, p95 61 ms, medians of 5 (at most 150 ms)\n"
                "recall on 300 planted pairs 0.990 (at least 0.9); false hints on them 0.3 of 100,"
                " on 300 other questions 0.0 of 100 (at most 2)",
                [61, 0.99, 0.3],
            ),
            (
                "bank_lists",
                "10,000 questions, filled in 9 s\n"
                "  home                                   60 ms, slowest      70, processor    50, load 2.0\n"
                "  bank/?state=ACCEPTED                  107 ms, slowest     140, processor    94, load 2.0",
                [107, 94],
            ),
            (
                "bank_files",
                "first: import 17.0 s (at most 20 s)\n"
                "first: writing the bank into a file (at most 10 s): 5.0 s, 4.9 CPU-s",
                [5.0, 17.0],
            ),
            (
                "search",
                "  curator: a rare word                       46 ms, slowest      60, processor    40, load 2.0",
                [46],
            ),
            (
                "draw",
                "500 of 40000 items, 10 strata, 0 missing, 0 repeats: median 0.38 s, slowest 0.43 s"
                " of 5; processor 0.35 s",
                [0.38],
            ),
            (
                "movement",
                "fixed effects    0.61 s, 0.55 s of it computing, at most 3; off by 1e-12; load 2.0\n"
                "shapley          0.70 s, 0.65 s of it computing, at most 3; off by 1e-12; load 2.0",
                [0.65],
            ),
            (
                "dashboards",
                "snapshot                  10.30 s, 10.00 s of it computing, at most 15; peak 541 MB, at most 600\n"
                "scores, in a new worker    1.10 s, 1.05 s of it computing, at most 1.5; peak 400 MB, at most 600\n"
                "scores, in one that has the frame 0.80 s, 0.75 s of it computing, at most 1.5; peak 410 MB\n"
                "results_agreement (45 kB)            95 ms, at most 150",
                [10.3, 1.1, 0.8, 95, 541],
            ),
            (
                "lexical_metrics",
                "processor time   43.0 s, on 2 processes   21.5 s each\n"
                "wall             23.8 s (at most 60 s)",
                [23.8, 21.5],
            ),
            (
                "page_weight",
                "cold: 12 requests (at most 12), 99 kB (at most 150), usable after 522 ms, median of 5\n"
                "cold, 10 Mbit/s and 40 ms: 13 requests (at most 12), 101 kB, usable after 900 ms",
                [12, 99, 522],
            ),
            (
                "desk_effort",
                "keyboard, 4 answers × 2: 9 presses (at most 9), 0 scrolls (at most 0)\n"
                "mouse, 4 answers × 1: 5 presses (at most 5), 1 scrolls (at most 4), 700 px of travel\n"
                "mouse, 4 answers × 2: 9 presses (at most 9), 2 scrolls (at most 4), 900 px of travel\n"
                "phone, 4 answers × 1: 5 presses (at most 5), 3 scrolls (at most 4), 589 px of travel",
                [9, 700, 2, 3],
            ),
            (
                "kieval_run",
                "40 questions × 5 exchanges, 640 calls, 32 in flight, two processes: 5.1 s, 3.0 s of "
                "processor, 1.27 × the critical path of 4 s (at most 1.6)",
                [1.27],
            ),
        ],
    )
    def test_reads_what_each_command_prints(self, name, said, found):
        rows = reading.rows(said, own.COMMANDS[name].readings)

        assert [row.ours for row in rows] == found

    def test_there_is_such_a_command_for_each_that_is_read(self):
        gone = [
            one for one in own.COMMANDS if not (installed.ROOT / f"benchmarks/{one}.py").is_file()
        ]

        assert gone == []
        assert set(own.COMMANDS) == set(TestReading.test_reads_what_each_command_prints.names)


TestReading.test_reads_what_each_command_prints.names = {
    one[0] for one in TestReading.test_reads_what_each_command_prints.pytestmark[0].args[1]
}
