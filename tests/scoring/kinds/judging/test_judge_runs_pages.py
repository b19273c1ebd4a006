import re
from uuid import uuid4

import pytest

from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from tests import make
from tests.pages import squeezed
from tests.scoring import connected, judged

pytestmark = pytest.mark.django_db
NEW = "/p/northport/judges/new/"


def configured(**given):
    usual = {
        "name": "Strict",
        "endpoint": connected.endpoint().pk,
        "repeats": 3,
        "fewest_valid": 1,
        "temperature": "0.3",
        "max_tokens": 1500,
        "together": "on",
        "reference": "on",
        "language": "en",
    }
    return {**usual, **given}


def page_of(round_):
    return f"/p/northport/rounds/{round_.number}/judge/"


def sent(deed, judge, **given):
    usual = {"deed": deed, "key": str(uuid4()), "name": "First judging", "judge": judge.rater_id}
    return {**usual, "seed": 7, "criteria": ["grade"], "budget": "", **given}


class TestJudgeNew:
    def test_makes_a_judge_and_leads_to_the_newest_round(self, as_curator):
        round_ = make.open_round()

        answer = as_curator.post(NEW, configured(together="", temperature=""))

        judge = Judge.objects.get()
        assert (judge.config["together"], judge.config["temperature"]) == (False, None)
        assert answer.headers["Location"] == f"{page_of(round_)}?judge={judge.rater_id}"

    def test_leads_to_the_round_it_was_wanted_for_or_else_to_the_judges(self, as_curator):
        make.project()

        first = as_curator.post(f"{NEW}?round=9", configured())
        round_ = make.open_round()
        second = as_curator.post(f"{NEW}?round={round_.number}", configured(name="B", repeats=2))

        assert first.headers["Location"] == "/p/northport/judges/"
        assert second.headers["Location"].startswith(page_of(round_))

    def test_makes_the_kind_of_judge_that_was_chosen(self, as_curator):
        connected.endpoint()
        forms = {"weights": "weights", "repeats": 20, "max_tokens": 16}

        page = as_curator.get(f"{NEW}?kind=geval&round=3").content.decode()
        as_curator.post(f"{NEW}?kind=geval", configured(**forms))
        as_curator.post(f"{NEW}?kind=single", configured(name="Whole"))

        assert "Writes evaluation steps" in page
        assert 'href="?kind=single&amp;round=3"' in page
        made = dict(Judge.objects.values_list("name", "protocol"))
        assert made == {"Strict": "geval/v1", "Whole": "single/v1"}

    def test_says_what_cannot_be_used(self, as_curator):
        judged.judge("Strict")

        for wrong, says in (
            ({}, "There is a judge called “Strict”."),
            ({"name": "Other", "repeats": 2, "fewest_valid": 3}, "no more than the judge gives"),
            ({"name": "Other", "repeats": 0}, "greater than or equal to 1"),
        ):
            answer = as_curator.post(NEW, configured(**wrong))
            assert answer.status_code == 422
            assert says in answer.content.decode()
        assert Judge.objects.count() == 1

    def test_names_the_judge_that_is_configured_so_already(self, as_curator):
        as_curator.post(NEW, configured())

        answer = as_curator.post(NEW, configured(name="Twin"))

        assert answer.status_code == 422
        assert "“Strict” is configured in exactly this way" in answer.content.decode()

    def test_leads_to_the_endpoints_where_there_is_none(self, as_curator):
        make.project()

        page = as_curator.get(NEW).content.decode()

        assert "No language model to ask yet" in page
        assert "/p/northport/endpoints/" in page


class TestRoundJudge:
    def test_shows_what_it_would_take_and_starts(self, as_curator):
        round_, judge = make.open_round(), judged.judge()

        shown = squeezed(as_curator.post(page_of(round_), sent("estimate", judge)).content.decode())
        started = as_curator.post(page_of(round_), sent("start", judge))

        assert re.search(r"<dt>Calls</dt>\s*<dd>\s*4<", shown)
        run = Run.objects.get()
        assert started.headers["Location"] == f"/p/northport/runs/{run.number}/"
        assert (run.kind, run.judge, run.round, run.seed) == ("JUDGE", judge, round_, 7)
        assert run.config["criteria"] == []

    def test_starts_one_run_when_it_is_sent_twice(self, as_curator):
        round_ = make.open_round()
        form = sent("start", judged.judge())

        as_curator.post(page_of(round_), form)
        as_curator.post(page_of(round_), form)

        assert Run.objects.count() == 1

    def test_takes_some_of_the_criteria(self, as_curator):
        round_ = make.open_round(criteria=("facts", "style"))

        as_curator.post(page_of(round_), sent("start", judged.judge(), criteria=["style"]))

        assert Run.objects.get().config["criteria"] == ["style"]

    def test_begins_like_another_run_with_another_seed(self, as_curator):
        run = judged.requested(make.open_round(), judged.judge(), seed=1234567)
        url = f"{page_of(run.round)}?from={run.number}"

        same, other = (as_curator.get(url + more).content.decode() for more in ("", "&seed=other"))
        page = as_curator.get(f"/p/northport/runs/{run.number}/").content.decode()

        assert 'value="1234567"' in same
        assert 'value="1234567"' not in other
        assert f"{url}&amp;seed=other" in page

    def test_says_what_cannot_be_started(self, as_curator):
        round_, judge = make.open_round(), judged.judge()

        answer = as_curator.post(page_of(round_), sent("start", judge, criteria=[]))

        assert answer.status_code == 422
        assert not Run.objects.exists()

    def test_begins_with_a_run_that_is_started_again(self, as_curator):
        round_, judge = make.open_round(criteria=("facts", "style")), judged.judge()
        run = judged.requested(round_, judge, criteria=["style"])

        page = as_curator.get(f"{page_of(round_)}?from={run.number}").content.decode()

        assert re.search(rf'value="{judge.rater_id}"[^>]*selected', page)
        assert re.search(r'value="style"[^>]*checked', page)
        assert not re.search(r'value="facts"[^>]*checked', page)

    def test_says_that_nothing_is_seen_before_the_round_is_final(self, as_curator):
        round_ = make.open_round()
        judged.judge()

        assert "hidden until the round is final" in as_curator.get(page_of(round_)).content.decode()

    def test_leads_to_a_new_judge_where_there_is_none(self, as_curator):
        page = as_curator.get(page_of(make.open_round())).content.decode()

        assert "No judge to ask yet" in page
        assert NEW in page

    def test_knows_no_drafts(self, as_curator):
        assert as_curator.get(page_of(make.draft_round())).status_code == 404
