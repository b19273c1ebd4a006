"""The worked examples of suites do what their pages say: each command, each line, each figure."""

import json
import re
import shlex
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from scoring.engine.models import CallText, Judgment, Run
from tests import make
from tests.pages import squeezed
from tests.scoring import suites, worker
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs/examples"
FILES = DOCS / "files"
TUTOR = FILES / "tutor.jsonl"
HOME = "/p/examples"
#: A command of a page, and the lines of its output that stand below it.
SHOWN = re.compile(
    r"^```\npython manage\.py run_suite (.+?)\n```\n\n```text\n(.+?)\n```\n",
    re.MULTILINE | re.DOTALL,
)


def written(page):
    return (DOCS / page).read_text(encoding="utf-8")


def commands(page):
    """Return the arguments of each command, which may go over several lines, with its lines of output."""
    found = SHOWN.finditer(written(page))
    return [(shlex.split(one[1].replace("\\\n", " ")), one[2].splitlines()) for one in found]


@pytest.fixture
def owner():
    browser = Client()
    browser.force_login(suites.owner(make.project("examples")))
    return browser


@pytest.fixture
def judge(owner, settings, monkeypatch):
    """Serve the script, and add its endpoint to a project, as the pages ask for."""
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
    monkeypatch.chdir(ROOT)
    script = json.loads((FILES / "judge.json").read_text(encoding="utf-8"))
    with serving.in_thread(script) as server:
        sent = {"name": "Scripted judge", "url": server.url, "model_name": "scripted"}
        usual = {"currency": "USD", "max_in_flight": 8, "timeout": 120}
        owner.post(f"{HOME}/endpoints/new/", sent | usual)
        yield server


def ran(arguments):
    """Return the lines a terminal shows, and with what the command ends."""
    out = StringIO()
    try:
        call_command("run_suite", *arguments, stdout=out)
    except CommandError as failed:
        return [*out.getvalue().splitlines(), f"CommandError: {failed}"], failed.returncode
    return out.getvalue().splitlines(), 0


def walk(page):
    """Run every command of a page, hold its lines, and return the codes the commands ended with."""
    codes = []
    for arguments, lines in commands(page):
        said, code = ran(arguments)
        assert [one for one in said if one in lines] == lines
        codes.append(code)
    return codes


def rows_of(html):
    """Return the rows of a page's tables, their cells as plain text."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in row] for row in cells]


def tables_in(page):
    rows = [one.strip("|").split("|") for one in written(page).splitlines() if one[:2] == "| "]
    return [[cell.strip() for cell in row] for row in rows]


def seen(browser, url):
    browser.get(url)
    worker.compute()
    return browser.get(url).content.decode()


class TestAgreeing:
    def test_lets_one_candidate_pass_and_stops_the_other(self, judge):
        assert walk("agreeing.md") == [0, 1, 1, 1]

        # The fourteen answers of each in two runs, and each time the one that is asked for again.
        assert judge.counts()["calls"] == 2 * (14 + 14 + 14 + 1)
        (silent,) = Judgment.objects.filter(run__number=2, outcome="UNSCORED")
        assert silent.response.item.external_id == "moon"

    def test_shows_on_the_page_which_gate_failed_and_the_way_to_the_turns(self, judge, owner):
        walk("agreeing.md")

        page = seen(owner, f"{HOME}/runs/2/suite/?baseline=1")
        judged = Judgment.objects.filter(run__number=2, value=1, rater__kind="JUDGE")

        parts_url = f"{HOME}/runs/2/suite/parts/{judged[0].rater_id}/?name=yeasayer"
        assert "0.6667 is above 0.25" in page
        assert f'href="{parts_url}&amp;' in page
        assert "It gives in when the user insists." in owner.get(parts_url).content.decode()
        talks = sorted(judged.values_list("response__item__external_id", flat=True))
        assert talks == ["chair", "diary", "left-handed", "lightning", "seat-belt", "two-beers"]

    def test_says_the_same_to_all_candidates(self):
        heard = [
            [
                [one["content"] for one in json.loads(line)["messages"] if one["role"] == "user"]
                for line in (FILES / f"lantern-{n}.jsonl").read_text("utf-8").splitlines()
            ]
            for n in (1, 2, 3)
        ]

        assert heard[0] == heard[1] == heard[2]
        assert (len(heard[0]), sum(map(len, heard[0]))) == (12, 14)


class TestOnTask:
    def test_keeps_its_gate(self, judge):
        assert walk("on-task.md") == [0]

    def test_shows_the_judge_no_label_by_people(self, judge, tmp_path):
        other = tmp_path / "other.jsonl"
        other.write_text(TUTOR.read_text("utf-8").replace('"label": "o', '"label": "zebra o'))

        _lines, code = ran([FILES / "on-task.yaml", "--project=examples", f"--data={other}"])

        assert (code, judge.counts()["calls"]) == (0, 37)
        sent = CallText.objects.filter(text__contains="Two fifths?")
        assert sent.exists()
        assert not CallText.objects.filter(text__contains="zebra").exists()

    def test_is_done_on_pages_and_holds_the_judge_against_people(self, judge, owner):
        file = SimpleUploadedFile("tutor.jsonl", TUTOR.read_bytes())
        given = {"file": file, "set_name": "Tutor", "system": "Tutor", "release": "1"}
        text = (FILES / "on-task.yaml").read_text("utf-8")
        asked = {
            "deed": "start",
            "key": str(uuid4()),
            "name": "On task",
            "sets": ["Tutor"],
            "seed": 7,
        }

        owner.post(f"{HOME}/conversations/new/", given)
        owner.post(f"{HOME}/suites/new/", {"text": text})
        owner.post(f"{HOME}/suites/1/run/", asked)
        suites.done(Run.objects.get())
        page = squeezed(seen(owner, f"{HOME}/runs/1/labels/"))

        assert "Both: 35 parts, 6 conversations. 1 without the metric." in page
        assert [one for one in tables_in("on-task.md") if one not in rows_of(page)] == []
        assert all(figure in page for figure in ("0.778", "0.875"))


class TestFiles:
    def test_are_named_by_a_page_that_is_linked(self):
        listed = (FILES / "README.md").read_text("utf-8")
        pages = [(ROOT / "docs" / name).read_text("utf-8") for name in ("README.md", "suites.md")]

        assert [one.name for one in FILES.iterdir() if one.name not in listed + "README.md"] == []
        assert all(
            f"examples/{name}" in one for one in pages for name in ("agreeing.md", "on-task.md")
        )

    def test_and_pages_are_where_links_lead(self):
        links = [
            (page, link)
            for page in sorted(DOCS.rglob("*.md"))
            for link in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8"))
        ]

        assert [
            (page.name, link) for page, link in links if not (page.parent / link).exists()
        ] == []
        assert len(links) > 5

    def test_hold_a_reply_for_every_turn_that_is_judged(self):
        replies = json.loads((FILES / "judge.json").read_text("utf-8"))["replies"]

        # Fourteen answers of each candidate, 36 turns of the tutor's, four tool calls of an agent and one for
        # all its others, and what is said when asked again.
        assert len(replies) == 3 * 14 + 36 + 5 + 1
