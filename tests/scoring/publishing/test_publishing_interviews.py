import re

import numpy as np
import pytest

from annotation.common import identity
from annotation.grading.models import Grade
from annotation.people.models import Role
from annotation.rubrics.models import Rubric
from annotation.systems.models import Item, System
from scoring.engine.models import Judgment
from scoring.kinds.interviews.models import Dialogue, Exchange, PublishedExchange
from scoring.publishing import interviews as publishing_interviews
from scoring.stats.machines import interviews as scores
from tests import make
from tests.scoring import interviewed, worker
from tests.scoring.interviews_published import graded, published

pytestmark = pytest.mark.django_db


def of_response(response):
    rows = Judgment.objects.filter(response=response, target_level="RESPONSE")
    return {(one.run_id, one.rater_id, one.criterion.name): one.value for one in rows}


class TestPublishedExchanges:
    def test_put_before_people_what_the_candidate_was_asked_and_rate_what_it_answered(self):
        run = interviewed.held(n=2)

        round_ = published(run, "exchange_1")

        seconds = Exchange.objects.filter(dialogue__run=run, k=1).exclude(answer="")
        assert PublishedExchange.objects.count() == seconds.count() == round_.items.count()
        for one in PublishedExchange.objects.select_related("exchange__dialogue__item"):
            dialogue, first = one.exchange.dialogue, one.exchange.dialogue.exchanges.get(k=0)
            item = one.response.item
            assert [each["content"] for each in one.response.messages] == [one.exchange.answer]
            assert [each["role"] for each in item.messages] == [
                "user",
                "assistant",
                "user",
                "assistant",
                "user",
            ]
            said = [each["content"] for each in item.messages][1:]
            assert said == [
                dialogue.answer,
                first.question,
                first.answer,
                one.exchange.question,
            ]
            assert item.messages[0]["content"].startswith(dialogue.item.question)
            assert (item.group, item.published_at) == (dialogue.item.group, make.NOW)

    def test_carry_what_the_evaluator_said_of_them(self):
        run = interviewed.held(n=2)

        published(run)

        for one in PublishedExchange.objects.select_related("exchange"):
            key = (run.pk, run.judge.rater_id)
            said = one.exchange.scores or {}
            assert of_response(one.response) == {
                (*key, name): said.get(name)
                for name in (
                    "accuracy",
                    "logic",
                    "relevance",
                    "coherence",
                    "conciseness",
                    "overall",
                )
            }

    def test_are_written_once_however_often_they_are_published(self):
        run = interviewed.held(n=1)
        published(run)
        before = (Item.objects.count(), Judgment.objects.count())

        published(run, number=2)
        publishing_interviews.readdress(run=run, now=make.NOW)

        assert (Item.objects.count(), Judgment.objects.count()) == before

    def test_get_the_verdicts_of_whoever_judges_them_later(self):
        run = interviewed.held(n=1)
        published(run, "exchanges")

        other = interviewed.evaluator("Listener", script={"seed": 3})
        again = interviewed.judged_again(run, other)

        for one in PublishedExchange.objects.select_related("exchange__dialogue"):
            turns = Judgment.objects.filter(
                run=again,
                response=one.exchange.dialogue.response_id,
                target_index=one.exchange.k,
            )
            said = {(again.pk, other.rater_id, each.criterion.name): each.value for each in turns}
            assert said
            assert said.items() <= of_response(one.response).items()

    def test_tell_annotators_nothing_of_whose_they_are(self):
        run = interviewed.held(n=1)

        published(run)

        for item in Item.objects.filter(published_at__isnull=False):
            told = f"{item.external_id} {item.messages} {item.extra} {item.group}"
            assert "Kestrel" not in told
            assert "Osprey" not in told

    def test_cover_names_of_systems_in_what_went_before(self):
        run = interviewed.held(n=1)
        dialogue = Dialogue.objects.filter(run=run).earliest("pk")
        name = max(re.findall(r"[A-Za-z]+", dialogue.answer), key=len)
        System.objects.filter(releases=dialogue.release_id).update(aliases=[name])

        published(run)

        (question, answer, *_more) = PublishedExchange.objects.get(
            exchange__dialogue=dialogue
        ).response.item.messages
        assert name not in answer["content"]
        assert identity.MASK in answer["content"]
        assert identity.MASK not in question["content"]


class TestPublishedDialogues:
    def test_stand_side_by_side_on_their_question(self):
        run = interviewed.held(n=3)

        round_ = published(run, "dialogues", rubric="interview-aspects")

        assert {one.item_id for one in round_.items.all()} == set(
            Dialogue.objects.filter(run=run).values_list("item", flat=True)
        )
        shown = {one.response_id for item in round_.items.all() for one in item.responses.all()}
        assert shown == set(Dialogue.objects.filter(run=run).values_list("response", flat=True))

    def test_carry_the_weighted_mean_of_the_verdicts(self):
        run = interviewed.held(n=3)

        published(run, "dialogues")

        for dialogue in Dialogue.objects.filter(run=run):
            told = tuple(
                one.scores["overall"] if one.scores else None for one in dialogue.exchanges.all()
            )
            score = scores.score(scores.Exchanges(told, dialogue.n_planned), scores.LINEAR)
            found = of_response(dialogue.response)[run.pk, run.judge.rater_id, "overall"]
            assert found == pytest.approx(1 + 3 * score / 100)
            assert 1 <= found <= 4


class TestRubrics:
    def test_of_the_method_are_written_when_they_are_first_used(self):
        run = interviewed.held(n=1)

        published(run, rubric="interview-aspects")
        published(run, rubric="interview-aspects", number=2)

        (version,) = Rubric.objects.get(key="interview-aspects").versions.all()
        assert [one.key for one in version.criteria.order_by("position")] == [
            "accuracy",
            "logic",
            "relevance",
            "coherence",
            "conciseness",
            "overall",
        ]
        assert {
            (one.minimum, one.maximum, one.levels.count()) for one in version.criteria.all()
        } == {(1, 4, 4)}


class TestJudgesAndPeople:
    @pytest.mark.parametrize("sort", ["exchange_0", "dialogues"])
    def test_stand_beside_each_other_once_people_have_rated(self, client, sort):
        run = interviewed.held(n=5)
        round_ = graded(published(run, sort, rubric="interview-aspects"))
        client.force_login(make.member(Role.ANALYST))
        url = f"/api/v1/projects/northport/judges/people/?round={round_.number}&judge={run.judge.rater_id}"
        client.get(url)
        worker.compute()

        found = client.get(url).json()

        (one,) = [
            each
            for each in found["coefficients"]
            if (each["coefficient"], each["own_criterion"]) == ("pearson", "overall")
        ]
        machine, human = {}, {}
        for judgment in Judgment.objects.filter(
            target_level="RESPONSE", criterion__name="overall", value__isnull=False
        ):
            machine[judgment.response_id] = judgment.value
            grades = Grade.objects.filter(response=judgment.response_id, criterion__key="overall")
            human[judgment.response_id] = float(np.mean([float(g.value) for g in grades]))
        pairs = [(machine[key], human[key]) for key in machine]
        assert one["n"] == len(pairs) == 10
        assert one["value"] == pytest.approx(np.corrcoef(np.array(pairs).T)[0, 1])
