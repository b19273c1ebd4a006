from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation import models
from tests import make

pytestmark = pytest.mark.django_db


def run(*args) -> str:
    out = StringIO()
    call_command("verify_round", *args, stdout=out)
    return out.getvalue()


class TestVerifyRound:
    def test_says_that_a_round_is_as_it_was(self):
        make.open_round()

        assert run("northport", "1") == "Round 1 is as it was when it opened.\n"

    def test_fails_and_names_what_differs(self):
        make.open_round()
        models.RoundItem.objects.filter(ordinal=0).update(stratum="moved")

        with pytest.raises(CommandError, match="not as it was"):
            run("northport", "1")

    @pytest.mark.parametrize(("number", "why"), [("1", "no manifest"), ("9", "no round 9")])
    def test_says_why_there_is_nothing_to_compare(self, number, why):
        make.draft_round()

        with pytest.raises(CommandError, match=why):
            run("northport", number)
