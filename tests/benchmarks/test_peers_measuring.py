import json
import platform
import subprocess
import sys
import venv

import pytest

from benchmarks.peers import __main__ as command
from benchmarks.peers import agreement, installed, machine, offered, own, runs
from benchmarks.peers.installed import Failed
from benchmarks.peers.results import Moment, Row


class TestInstalled:
    def test_what_is_not_there_is_said(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVALSITE_PEERS", str(tmp_path))

        assert installed.version("potato") == ""
        assert installed.problem("potato") == "not installed"
        with pytest.raises(Failed, match="not installed"):
            installed.ask("potato", {})

    def test_the_reason_of_a_failed_installation_is_kept(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVALSITE_PEERS", str(tmp_path))
        monkeypatch.setattr(venv, "create", lambda *_args, **_given: None)

        def failing(command, **_given):
            said = "WARNING: slow\nERROR: No matching distribution at https://a.example/simple\n"
            return subprocess.CompletedProcess(command, 1, "", said)

        monkeypatch.setattr(subprocess, "run", failing)

        with pytest.raises(Failed, match="could not be installed: ERROR: No matching"):
            installed.install("potato")
        assert "a.example" not in installed.problem("potato")

    def test_reads_the_version_of_an_environment(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVALSITE_PEERS", str(tmp_path))
        packages = tmp_path / "inspect" / "lib" / "python3.11" / "site-packages"
        (packages / "inspect_ai-0.3.285.dist-info").mkdir(parents=True)

        assert installed.version("inspect") == "0.3.285"

    @pytest.mark.parametrize("key", sorted(installed.PEERS))
    def test_every_program_is_pinned_and_has_its_requirements(self, key):
        lines = (installed.REQUIREMENTS / f"{key}.txt").read_text().splitlines()

        assert all("==" in line and "/" not in line for line in lines)
        names = [line.partition("==")[0].lower().replace("_", "-") for line in lines]
        assert installed.PEERS[key].package in names

    def test_what_a_program_said_is_cut_to_its_error_without_folders(self):
        said = "Traceback\n  File x\nModuleNotFoundError: No module named 'a' in /opt/x/y.py\n"

        assert installed.last_error(said) == "ModuleNotFoundError: No module named 'a' in …"
        assert installed.last_error("") == "no reason was given"

    def test_nothing_of_our_site_reaches_another_program(self, monkeypatch):
        monkeypatch.setenv("EVALSITE_DATA", "x")
        monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "x")

        assert not {"EVALSITE_DATA", "DJANGO_SETTINGS_MODULE"} & set(installed.clean())


class TestMachine:
    def test_names_the_processor_or_the_architecture(self):
        assert machine.processor("model name\t: Some Chip 3000\nflags : a") == "Some Chip 3000"
        assert machine.processor("") == platform.machine()

    def test_is_described_without_folders(self):
        said = machine.described()

        assert set(said) >= {"cores", "memory", "Python"}
        assert not any("/" in one for one in said.values())


class TestWithoutOthers:
    """Where no other program is installed, ours are measured all the same."""

    @pytest.fixture(autouse=True)
    def nothing_there(self, monkeypatch, tmp_path):
        monkeypatch.setenv("EVALSITE_PEERS", str(tmp_path))

    def test_values_say_that_there_is_nothing_to_compare(self):
        rows = runs.same_values()

        assert {row.peers["flexeval"] for row in rows} == {"not installed"}
        assert all(row.ours is None for row in rows)

    def test_agreement_keeps_our_figure(self):
        rows = agreement.beside(agreement.marks(50), bars=True)

        assert [row.peers for row in rows] == [{"krippendorff": "not installed"}] * 2
        assert all(row.ours > 0 for row in rows)
        assert [row.bar for row in rows] == [0.1, 0.2]

    def test_alpha_is_neither_equal_nor_unequal(self):
        rows = agreement.same_alpha(agreement.holes(agreement.marks(50)))

        assert {row.met() for row in rows} == {None}

    def test_the_page_is_written_and_says_what_was_not_measured(self, tmp_path, capsys):
        where = tmp_path / "page.md"

        given = ["--table", "--page", str(where), "--measured", str(tmp_path / "none.json")]
        assert command.main(given) == 0

        assert "| Label Studio | not measured |" in where.read_text()
        assert "not measured here, with their bars: Agreement, beside kripp" in where.read_text()
        assert "page.md" in capsys.readouterr().out


class TestCompared:
    def test_counts_what_differs_and_names_what_may(self):
        ours = {name: [1.0, 2.0] for name in runs.FUNCTIONS}
        theirs = {**ours, "count_emojis": [1.0, 3.0], "string_length": [1.0]}

        rows = dict(zip(runs.FUNCTIONS, runs.compared(ours, theirs), strict=True))

        assert rows["count_messages"].met() is True
        assert rows["string_length"].met() is False  # one is missing
        assert rows["count_emojis"].ours == 1
        assert rows["count_emojis"].bar is None
        assert "on purpose" in rows["count_emojis"].note

    def test_our_values_come_turn_by_turn(self):
        said = [{"role": "user", "content": "ab"}, {"role": "assistant", "content": "abc 🚢🚢"}]

        found = runs.ours_of([{"id": "one", "messages": said}])

        assert found["string_length"] == [2, 6]
        assert found["count_emojis"] == [0, 2]


class TestCommand:
    def test_a_part_that_fails_becomes_words(self, monkeypatch):
        monkeypatch.setattr(command, "_worked", lambda *_given: (1, ("", "KeyError: 'x'\n"), ""))
        monkeypatch.setattr(machine, "moment", lambda: Moment(30.0, 1.0))

        found = command.measured("agreement", small=True)

        assert (found.rows, found.problem, found.small) == ((), "KeyError: 'x'", True)

    def test_a_part_computes_on_one_thread_as_the_site_does(self, monkeypatch):
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
        asked = "import os; print(os.environ.get('OPENBLAS_NUM_THREADS'))"

        assert command._worked([sys.executable, "-c", asked], 60) == (0, ("1\n", ""), "")

    def test_what_takes_too_long_is_interrupted_and_says_so(self):
        # Whoever runs the tests in the background may have them ignore interruptions.
        slow = (
            "import signal, time\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "try:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    pass"
        )

        code, said, problem = command._worked([sys.executable, "-c", slow], 1)

        assert (code, said, problem) == (-1, ("", ""), "not done after 1 s")

    def test_a_command_that_fails_leaves_its_bars_unmeasured(self, monkeypatch):
        def failing(name, **_given):
            raise Failed(f"benchmarks.{name} failed")

        monkeypatch.setattr(own, "measured", failing)

        [row] = command.TOPICS["site"].measure(small=False)

        assert (row.ours, row.bar, row.met()) == (None, 120, None)
        assert row.note == "benchmarks.web_memory failed"

    def test_every_feature_names_where_it_was_read(self):
        both = (*offered.FEATURES, *offered.THEIRS)
        for feature in both:
            assert feature.others
            assert all(where.startswith("https://") for _name, _said, where in feature.others)
        assert offered.section().count("([source](https://") == sum(len(one.others) for one in both)


class TestMeasuring:
    def test_one_cheap_part_from_end_to_end(self, tmp_path):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.peers", "--part", "agreement", "--small"],
            cwd=installed.ROOT,
            env={**installed.clean(), "EVALSITE_PEERS": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )

        rows = [Row(**one) for one in json.loads(done.stdout.splitlines()[-1])]

        assert rows[0].what.startswith("α, AC1 and raw agreement")
        assert rows[0].ours > 0
        assert rows[0].peers == {"krippendorff": "not installed"}
