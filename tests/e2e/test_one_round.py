"""The main job, end to end: answers in, three people grade blind at once, a result comes out."""

import csv
import gzip
import io
import json
from collections import Counter
from decimal import Decimal

import pytest
from django.db.models import Count, Sum

from annotation import models
from annotation.common import texts as tokens
from annotation.people.models import Role
from evalsite import env
from tests import make
from tests.e2e import deeds

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

CRITERIA = ("coherence", "consistency", "fluency", "relevance")
SHORT = {"coh": "coherence", "con": "consistency", "flu": "fluency", "rel": "relevance"}


@pytest.fixture
def project(site, request):
    """An empty project with an owner and three annotators, named after the test."""
    slug = request.node.name.replace("test_", "").replace("_", "-")[:20].strip("-")
    with site.database():
        home = make.project(slug, owner=make.user(f"{slug}-owner"))
        for number in (1, 2, 3):
            make.member(Role.ANNOTATOR, in_=home, username=f"{slug}-{number}")
    return home


@pytest.fixture
def crew(project, enter):
    """The project's owner, and its annotators: all of them signed in at once."""
    return [enter(f"{project.slug}-{who}", make.PASSWORD) for who in ("owner", 1, 2, 3)]


def graded_to_the_end(site, crew, at, clicked):
    """Check that what was clicked is what is stored, with three seats for every item."""
    with site.database():
        number = int(at.rstrip("/").rpartition("/")[2])
        project = crew[0].name.removesuffix("-owner")
        round_ = models.Round.objects.get(project__slug=project, number=number)
        seats = round_.assignments.filter(state=models.Assignment.State.SUBMITTED)
        per_item = seats.values_list("round_item").annotate(n=Count("rater", distinct=True))
        assert set(dict(per_item).values()) == {3}
        assert len(per_item) == round_.items.count()
        stored = {
            (
                grade.assignment.token,
                tokens.letter(grade.slot.position),
                grade.criterion.key,
            ): grade.value
            for grade in round_.grades.select_related("assignment", "slot", "criterion")
        }
        assert stored == {key: Decimal(value) for key, value in clicked.items()}
        return round_


def read_result(owner, at):
    """Return the result's page as text, and the grades of its CSV."""
    deeds.wait_for_results(owner, at)
    said = owner.page.inner_text("main")
    answer = owner.context.request.get(f"{owner.site.url}{at}results/grades.csv")
    assert answer.status == 200
    return said, list(csv.DictReader(io.StringIO(answer.text())))


class TestResult:
    def test_draws_systems_over_the_width_of_the_window(self, enter):
        analyst = enter("noor")
        deeds.wait_for_results(analyst, "/p/northport/rounds/1/")
        plot = analyst.page.locator(".rank li:not(.ax) > svg").first
        plot.wait_for()
        before = plot.bounding_box()

        analyst.page.set_viewport_size({"width": 1440, "height": 900})

        after = plot.bounding_box()
        assert after["width"] > before["width"]
        assert after["height"] == before["height"]


class TestRound:
    def test_small(self, site, project, crew):
        owner, *annotators = crew
        deeds.hand_in(
            owner, project.slug, "ANSWERS", env.BASE_DIR / "fixtures" / "examples" / "wide.csv"
        )
        deeds.say_of_file(owner, create_missing=True)
        deeds.import_it(owner)
        deeds.write_rubric(owner, project.slug, "Two sides", ["Truth", "Style"])
        systems = ["Dock RAG", "Harbour 70B", "Kestrel", "Meridian"]
        names = [f"{project.slug}-{number}".title() for number in (1, 2, 3)]
        design = deeds.Design("A small round", systems, 3, "Two sides", names)
        at = deeds.draft_round(owner, project.slug, design)

        deeds.open_round(owner, at)
        clicked = deeds.grade_together(annotators, f"/p/{project.slug}/grade/", range(1, 6))
        deeds.close_round(owner, at)
        said, grades = read_result(owner, at)

        graded_to_the_end(site, crew, at, clicked)
        assert len(clicked) == len(grades) == 3 * 4 * 2 * 3
        assert "Coverage" in said
        assert "System 4" in said

    @pytest.mark.nightly
    def test_of_published_summaries(self, site, project, crew, golden, tmp_path):
        owner, *annotators = crew
        folder = golden / "summeval"

        bring_in_texts(owner, project, folder, tmp_path)
        bring_in_grades(owner, project, folder)

        assert_sums_are_the_files(site, project, folder)
        said, _grades = read_result(owner, f"/p/{project.slug}/rounds/1/")
        assert "19200 grades" in said.replace(",", ""), said

        deeds.write_rubric(owner, project.slug, "Summaries", [one.title() for one in CRITERIA])
        names = [f"{project.slug}-{number}".title() for number in (1, 2, 3)]
        design = deeds.Design("Twelve", ["M0", "M2", "M11", "M23"], 12, "Summaries", names)
        at = deeds.draft_round(owner, project.slug, design)
        deeds.open_round(owner, at)
        clicked = deeds.grade_together(annotators, f"/p/{project.slug}/grade/", range(1, 6))
        deeds.close_round(owner, at)
        said, grades = read_result(owner, at)

        graded_to_the_end(site, crew, at, clicked)
        assert len(clicked) == len(grades) == 12 * 4 * 4 * 3


def bring_in_texts(owner, project, folder, tmp_path):
    """Import 100 articles with the summaries of 16 systems."""
    packed = (folder / "summeval_texts.jsonl.gz").read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()
    texts = [json.loads(line) for line in lines]
    path = tmp_path / "summaries.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        systems = sorted(texts[0]["summaries"])
        writer.writerow(["external_id", "question", *systems])
        for text in texts:
            summaries = [text["summaries"][system] for system in systems]
            writer.writerow([text["doc"], f"Summarise this: {text['source']}", *summaries])
    deeds.hand_in(owner, project.slug, "ANSWERS", path)
    deeds.import_it(owner)


def bring_in_grades(owner, project, folder):
    """Import what three experts said, and leave the crowd out."""
    deeds.hand_in(owner, project.slug, "GRADES", folder / "summeval_ratings.csv")
    deeds.ignore_columns(owner, [f"t{rater}_{name}" for rater in range(5) for name in SHORT])
    deeds.say_of_file(owner, minimum="1", maximum="5")
    deeds.import_it(owner)


def assert_sums_are_the_files(site, project, folder):
    """Compare the sum of every system and criterion with the file's own."""
    theirs: Counter[tuple[str, str]] = Counter()
    with (folder / "summeval_ratings.csv").open() as file:
        for row in csv.DictReader(file):
            for short in SHORT:
                given = [int(row[f"e{rater}_{short}"]) for rater in range(3)]
                theirs[row["system"], short] += sum(given)
    with site.database():
        grades = models.Grade.objects.filter(round__project=project)
        assert grades.count() == 19_200
        sums = grades.values_list("response__release__system__name", "criterion__key")
        ours = {key[:2]: key[2] for key in sums.annotate(total=Sum("value"))}
    assert ours == {key: Decimal(total) for key, total in theirs.items()}
