"""What the calls of a long dialogue take: every text is kept once, however often it is sent."""

import pytest
from django.db.models import Sum
from django.db.models.functions import Length

from scoring.engine.models import LLMCall, Run
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


def kept(run: Run, **only: object) -> int:
    return run.texts.filter(**only).aggregate(n=Sum(Length("text")))["n"]


class TestStore:
    def test_grows_with_the_text_and_not_with_its_square(self):
        items = interviewed.questions(1)
        releases = [interviewed.candidates("Kestrel")[0].pk]
        by = interviewed.evaluator(script={"seed": 9, "stop": 0})
        found = []
        for number, planned in enumerate((2, 4, 8), start=1):
            run = interviewed.held(
                number=number, items=items, releases=releases, by=by, planned=planned
            )
            replies = LLMCall.objects.filter(run=run).values("text_sha")
            found.append((kept(run), kept(run, sha__in=replies)))

        # Prompts, questions and what stands around them are the same for all: what comes on top is
        # what was said in the exchanges, and what a judge is shown of it between its delimiters.
        (small, said), (middle, more), (large, most) = found
        first, second = middle - small, large - middle
        assert first < 2.5 * (more - said)
        assert second < 2.5 * (most - more)
        assert second < 2.5 * first  # twice as many exchanges came on top
