"""A kind of judge is a folder: this one is written beside the others and taken away again."""

import importlib
import sys

import pytest
from django.urls import reverse

from scoring.engine.models import Judgment
from scoring.kinds import judging as package
from scoring.kinds.judging import plugins
from tests import make
from tests.scoring import judged

pytestmark = pytest.mark.django_db

V1 = """
from dataclasses import replace
from decimal import Decimal

from annotation.common.scales import Scale
from scoring.kinds.judging.asking_v1 import Criterion
from scoring.kinds.judging.direct import v1 as direct

PROTOCOL = "kindness/v1"
ASKED = Criterion("kind", "Kindness", Scale(Decimal(0), Decimal(4), Decimal(1)), "Is it kind?")


async def judge(model, task, config, **given):
    return await direct.judge(model, replace(task, criteria=(ASKED,)), config, **given)


def requests(task, config, **given):
    return direct.requests(replace(task, criteria=(ASKED,)), config, **given)
"""
KIND = """
from dataclasses import dataclass

from annotation.rubrics.rules import Measure
from scoring.kinds.judging import kindness, manners
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.direct.kind import Directly
from scoring.kinds.judging.kindness import v1
from scoring.kinds.judging.plugins import JudgeKind
from scoring.kinds.judging.settings import JudgeSettings


@dataclass(frozen=True)
class Settings(JudgeSettings):
    pass


class Kindly(Directly):
    judge = staticmethod(v1.judge)
    requests = staticmethod(v1.requests)

    def declare(self, run, versions):
        return judges.declare_one(
            judge=manners.judge_of(run),
            versions=versions,
            key="kind",
            measure=Measure("Kindness", v1.ASKED.scale.minimum, v1.ASKED.scale.maximum),
            by=run.requested_by,
            now=run.requested_at,
        )

    def _keys(self, keys):
        return []


JUDGE = JudgeKind(
    key="kindness",
    protocol=v1.PROTOCOL,
    title="Kindness",
    about="It scores how kind an answer is.",
    settings=Settings,
    prompts=lambda language: "-",
    manner=Kindly(),
)
"""


@pytest.fixture
def kindness(tmp_path, monkeypatch):
    """Put the folder of a kind of judge beside the others."""
    folder = tmp_path / "kindness"
    folder.mkdir()
    for name, text in (("__init__", ""), ("v1", V1), ("kind", KIND)):
        (folder / f"{name}.py").write_text(text)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    plugins.judge_kinds.cache_clear()
    yield plugins.judge_kinds()["kindness"]
    plugins.judge_kinds.cache_clear()
    for name in [one for one in sys.modules if one.startswith(f"{plugins.PACKAGE}.kindness")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(package, "kindness", raising=False)


class TestFound:
    def test_has_the_kinds_of_the_house_in_their_order(self):
        assert list(plugins.judge_kinds()) == ["direct", "geval", "single", "tuned"]

    def test_knows_them_by_protocol_and_by_settings(self):
        for one in plugins.judge_kinds().values():
            assert plugins.of_protocol(one.protocol) is one
            assert plugins.of_settings(one.settings()) is one


class TestAFolderOfItsOwn:
    def test_is_made_on_the_page_asked_and_stored_like_any_other(self, kindness, as_curator):
        round_ = make.open_round(n_items=2, n_releases=2)
        page = f"{reverse('judge_new', args=['northport'])}?kind=kindness"
        endpoint = judged.judge().endpoint

        shown = as_curator.get(page).content.decode()
        form = {"name": "Kind one", "endpoint": endpoint.pk, "language": "en"}
        numbers = {"repeats": 1, "fewest_valid": 1, "max_tokens": 500, "temperature": "0"}
        as_curator.post(page, form | numbers)
        judge = endpoint.judges.get(name="Kind one")
        run = judged.ran(round_, judge)

        assert "It scores how kind an answer is." in shown
        assert (run.protocol, run.state) == ("kindness/v1", "DONE")
        scores = Judgment.objects.filter(run=run, repeat=0)
        assert set(scores.values_list("criterion__name", "outcome")) == {("Kindness", "SCORED")}
        assert scores.count() == 4
