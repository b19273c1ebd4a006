"""What a direct judge makes of servers as they are: the right score, none with its reason, or a pause."""

import json
import ssl

import pytest

from scoring.endpoints.models import Endpoint
from scoring.engine import progress, working
from scoring.engine import requests as control
from scoring.engine.claims import Means
from scoring.engine.models import CallText, Run, Step
from tests import make
from tests.scoring import endpoint_rows, judged, running
from tests.scoring.llm import behaving
from tests.scoring.llm.behaving import BEHAVIOURS, KEY
from tests.scoring.llm.test_certificates import made

pytestmark = pytest.mark.django_db
GOOD = json.dumps({"grade": {"reasoning": "Because.", "score": 2}})
DRAFT = json.dumps({"grade": {"reasoning": "At first.", "score": 1}})


def with_score(written):
    return lambda _sent, _good, _nth: behaving.chat(
        f'{{"grade": {{"reasoning": "Because.", "score": {written}}}}}'
    )


#: What only a judge's reply can be.
OWN = {
    "drafts": lambda _sent, good, _nth: behaving.chat(f"{DRAFT}\n\nNo, better:\n\n{good}"),
    "a_key_twice": lambda _sent, _good, _nth: behaving.chat('{"grade": 1, "grade": 2}'),
    "score_as_text": with_score('"2"'),
    "score_with_a_point": with_score("2.0"),
    "score_as_word": with_score('"high"'),
    "score_beyond": with_score("99"),
    "score_as_flag": with_score("true"),
    "score_as_nothing": with_score("null"),
    "score_as_nan": with_score("NaN"),
    "score_in_a_list": with_score("[2]"),
    "no_score": lambda _sent, _good, _nth: behaving.chat("It is a fair answer on the whole."),
}
RIGHT, UNSCORED, REFUSED, FAILED, PAUSED = "right", "unscored", "refused", "failed", "paused"
#: Behaviour → what it comes to, and a word of the reason that is given.
TABLE = {
    "good": (RIGHT, ""),
    "429_with_seconds": (RIGHT, ""),
    "429_with_milliseconds": (RIGHT, ""),
    "429_with_a_date": (RIGHT, ""),
    "429_without": (RIGHT, ""),
    "500_once": (RIGHT, ""),
    "502_in_html": (RIGHT, ""),
    "503_with_seconds": (RIGHT, ""),
    "529_overloaded": (RIGHT, ""),
    "500_always": (FAILED, "The server failed (status 500)"),
    "hangs_once": (RIGHT, ""),
    "slow": (RIGHT, ""),
    "drops_once": (RIGHT, ""),
    "drops_always": (FAILED, "The connection broke off"),
    "empty": (UNSCORED, "empty"),
    "null": (UNSCORED, "empty"),
    "blank": (UNSCORED, "empty"),
    "refusal_apart": (REFUSED, "declined"),
    "refusal_in_words": (REFUSED, "declined"),
    "filtered": (REFUSED, "content filter"),
    "filtered_by_gemini": (REFUSED, "content filter"),
    "400_of_a_filter": (REFUSED, "content filter"),
    "tool_call": (UNSCORED, "empty"),
    "thinks_aloud": (RIGHT, ""),
    "thinks_apart": (RIGHT, ""),
    "thinks_without_end": (UNSCORED, "cut off"),
    "thinks_with_room": (RIGHT, ""),
    "cut_off_once": (RIGHT, ""),
    "cut_off_always": (UNSCORED, "cut off"),
    "cut_off_as_max_tokens": (UNSCORED, "cut off"),
    "broken_off": (FAILED, "broke the reply off"),
    "fenced": (RIGHT, ""),
    "fenced_in_words": (RIGHT, ""),
    "twice_the_same": (RIGHT, ""),
    "in_parts": (RIGHT, ""),
    "no_usage": (RIGHT, ""),
    "wrong_usage": (RIGHT, ""),
    "null_usage": (RIGHT, ""),
    "reasoning_in_total_alone": (RIGHT, ""),
    "no_finish": (RIGHT, ""),
    "gzip": (RIGHT, ""),
    "redirect": (PAUSED, "sends on to another address"),
    "html": (FAILED, "not JSON"),
    "nothing": (FAILED, "not JSON"),
    "stream": (FAILED, "not JSON"),
    "a_list": (FAILED, "not a JSON object"),
    "no_choices": (FAILED, "without a reply"),
    "nested_too_deep": (FAILED, "not JSON"),
    "16_megabytes": (FAILED, "connection broke off"),
    "200_with_an_error": (RIGHT, ""),
    "200_with_a_limit": (RIGHT, ""),
    "wants_max_completion_tokens": (RIGHT, ""),
    "refuses_temperature": (RIGHT, ""),
    "refuses_a_seed": (RIGHT, ""),
    "refuses_all_of_it": (RIGHT, ""),
    "gemini_asks_to_wait": (RIGHT, ""),
    "gemini_refuses_the_key": (PAUSED, "key was not accepted"),
    "anthropic_refuses_the_key": (PAUSED, "key was not accepted"),
    "anthropic_is_unpaid": (PAUSED, "unpaid"),
    "anthropic_says_too_long": (UNSCORED, "too long"),
    "no_such_model": (FAILED, "The model does not exist"),
    "surrogates": (RIGHT, ""),
    "null_character": (RIGHT, ""),
    "repeats_the_key": (RIGHT, ""),
    "drafts": (UNSCORED, "two different scores"),
    "a_key_twice": (UNSCORED, ""),
    "score_as_text": (RIGHT, ""),
    "score_with_a_point": (RIGHT, ""),
    "score_as_word": (UNSCORED, "no score"),
    "score_beyond": (UNSCORED, "99"),
    "score_as_flag": (UNSCORED, "no number"),
    "score_as_nothing": (UNSCORED, "no number"),
    "score_as_nan": (UNSCORED, ""),
    "score_in_a_list": (UNSCORED, "no number"),
    "no_score": (UNSCORED, ""),
}


@pytest.fixture(autouse=True)
def _near(settings):
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)


def served(stub, **given):
    """Return an endpoint at a stub, at a price of a tenth for each token."""
    return endpoint_rows.endpoint(
        url=stub.url, key=KEY, prompt_price=100_000, completion_price=100_000,
        max_in_flight=1, timeout=1, **given,
    )  # fmt: skip


def judged_by(stub, *, settings=None, **given):
    """Return the run of a judge over one answer, worked on with little patience."""
    judge = judged.judge(endpoint=served(stub, **given), **(settings or {}))
    run = judged.requested(make.open_round(n_items=1, n_releases=1), judge)
    working.work(run.pk, running.clock, Means(patience=running.QUICK))
    run.refresh_from_db()
    return run


def outcome(run):
    """Return what a run came to, and why."""
    step = run.steps.get()
    if run.state == Run.State.PAUSED:
        return PAUSED, run.problem
    if step.state == Step.State.FAILED:
        return FAILED, step.problem
    mark = run.judgments.get(repeat=0)
    if mark.value is None:
        return (REFUSED if mark.outcome == "REFUSED" else UNSCORED), mark.reason
    return (RIGHT if mark.value == 2 else f"wrong: {mark.value}"), ""


def billed(said):
    """Return how many tokens a body says were used, if it says so in numbers; a broken one as well."""
    try:
        used = json.loads(said)["usage"]
        return max(used["total_tokens"], used["prompt_tokens"] + used["completion_tokens"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


class TestServers:
    def test_are_all_in_the_table(self):
        assert TABLE.keys() == {*BEHAVIOURS, *OWN}
        assert len(TABLE) >= 40

    @pytest.mark.parametrize("name", TABLE)
    def test_bring_the_right_score_or_a_reason_and_no_unseen_cost(self, name):
        behaviour = {**BEHAVIOURS, **OWN}[name]
        bills = []

        def noted(sent, good, nth):
            said = behaviour(sent, good, nth)
            bills.append(0 if said.cut is not None else billed(said.body))
            return said

        with behaving.behaving(noted, GOOD) as stub:
            run = judged_by(stub)

        expected, word = TABLE[name]
        found, reason = outcome(run)
        assert found == expected, reason
        assert word in reason
        assert bool(reason) is (expected != RIGHT)
        assert KEY not in json.dumps([reason, *CallText.objects.values_list("text", flat=True)])
        seen = progress.progress_of(run, make.NOW)
        counted = seen.prompt_tokens + seen.completion_tokens
        assert counted >= sum(bills)
        assert 10 * seen.cost >= counted
        if name in {"no_usage", "wrong_usage", "null_usage"}:
            assert (seen.n_estimated, seen.cost > 0) == (1, True)

    def test_that_ignore_a_wish_for_several_replies_are_asked_for_each(self):
        with behaving.behaving(BEHAVIOURS["good"], GOOD) as stub:
            endpoint = served(stub)
            Endpoint.objects.update(found={"n": {"value": True}})
            endpoint.refresh_from_db()
            judge = judged.judge(endpoint=endpoint, repeats=3)
            run = judged.requested(make.open_round(n_items=1, n_releases=1), judge)
            working.work(run.pk, running.clock, Means(patience=running.QUICK))

        mean = run.judgments.get(repeat=0)
        assert (mean.value, mean.n_valid) == (2, 3)
        assert [one.get("n") for one in stub.bodies] == [3, None, None]
        assert run.calls.count() == 3

    def test_that_give_no_log_probabilities_are_asked_for_readings_instead(self):
        with behaving.behaving(BEHAVIOURS["good"], "2") as stub:
            run = judged_by(stub, settings={"kind": "geval", "repeats": 2})
            working.work(run.pk, running.clock, Means(patience=running.QUICK))  # its second stage

        (step,) = run.steps.exclude(response=None)
        grade = step.result["criteria"]["grade"]
        assert (grade["how"], grade["value"]) == ("samples", 2.0)
        assert grade["unweighted"]

    def test_whose_certificate_is_their_own_are_trusted_once_it_is_given(self, tmp_path):
        made(tmp_path / "own.pem")
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(tmp_path / "own.pem")
        with behaving.behaving(BEHAVIOURS["good"], GOOD, tls) as stub:
            stranger = judged_by(stub)
            before = outcome(stranger)
            Endpoint.objects.update(certificates=(tmp_path / "own.crt").read_text())
            control.resume(run=stranger, user=None, now=make.at(1))
            working.work(stranger.pk, running.clock, Means(patience=running.QUICK))
            stranger.refresh_from_db()

        assert before[0] == PAUSED
        assert "self-signed" in before[1]
        assert outcome(stranger) == (RIGHT, "")
