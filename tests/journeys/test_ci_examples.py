"""The examples for CI in docs/examples/ci are run as a runner runs them, with a script for the judge."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
HOME = Path(__file__).parents[2]
EXAMPLES = HOME / "docs" / "examples" / "ci"
SECRETS = {"EVALSITE_OWNER_PASSWORD": "correct-horse-battery-staple-9", "OPENAI_API_KEY": "sk-test"}
#: What the examples install, and so need not do here.
INSTALLS = "pip install evalsite"


class Runner:
    """Plays a runner of CI: a folder with a checkout, an environment, commands one after the other."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        shutil.copytree(EXAMPLES / "evals", folder / "evals")
        (folder / "evals" / "endpoints.json").write_text(
            '[{"name": "Judge", "script": {"seed": 3}}]'
        )
        programs = folder / "programs"
        programs.mkdir()
        evalsite = programs / "evalsite"
        evalsite.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HOME}/manage.py" "$@"\n')
        evalsite.chmod(0o755)
        kept = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder)}
        self.environment = kept | environment

    def run(self, command: str) -> int:
        """Run a step; return its exit code. A step ends at the first command that fails."""
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    def all(self, commands: list[str]) -> int:
        """Run steps until one fails; return its exit code."""
        return next((code for one in commands if (code := self.run(one))), 0)


def github(folder: Path) -> tuple[Runner, list[str]]:
    job = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]["suite"]

    def filled(text: str) -> str:
        text = text.replace("${{ runner.temp }}", str(folder / "temp"))
        return re.sub(r"\$\{\{ secrets\.(\w+) \}\}", lambda found: SECRETS[found[1]], text)

    environment = {name: filled(text) for name, text in job["env"].items()}
    summary = {"GITHUB_STEP_SUMMARY": str(folder / "work" / "report.md")}
    steps = [one["run"] for one in job["steps"] if "run" in one]
    return Runner(folder / "work", environment | summary), steps


def gitlab(folder: Path) -> tuple[Runner, list[str]]:
    job = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())["suite"]
    here = str(folder / "work")
    environment = {
        name: text.replace("$CI_PROJECT_DIR", here) for name, text in job["variables"].items()
    }
    return Runner(folder / "work", environment | SECRETS), [*job["before_script"], *job["script"]]


class TestExamples:
    @pytest.mark.parametrize("made", [github, gitlab])
    def test_pass_where_gates_are_kept_and_end_with_2_where_a_file_is_broken(self, made, tmp_path):
        runner, steps = made(tmp_path)
        assert any(INSTALLS in one for one in steps)
        *before, suite = [one for one in steps if INSTALLS not in one]

        assert runner.all(before) == 0, runner.said
        assert runner.run(suite) == 0, runner.said
        report = json.loads((runner.folder / "report.json").read_text())
        assert [one["kept"] for one in report["gates"]] == [True, True]
        assert report["exit_code"] == 0
        assert (runner.folder / "report.md").read_text().startswith("## Harbour help")

        (runner.folder / "evals" / "talks.jsonl").write_text("{")
        assert runner.run(suite) == 2, runner.said

    def test_fail_where_answers_are_shorter_than_the_baseline_allows(self, tmp_path):
        runner, steps = github(tmp_path)
        talks = runner.folder / "evals" / "talks.jsonl"
        lines = [json.loads(line) for line in talks.read_text().splitlines()]
        for line in lines:
            line["messages"][-1]["content"] = "Please call the office."
        talks.write_text("".join(json.dumps(line) + "\n" for line in lines))

        assert runner.all([one for one in steps if INSTALLS not in one]) == 1, runner.said

        assert "below" in runner.said
        text = (runner.folder / "report.xml").read_text()
        failed = re.findall(r'name="([^"]+)">\s*<failure', text)
        assert "mean of string_length ≤ 400 at most 60 below the baseline · Recorded · 1" in failed
