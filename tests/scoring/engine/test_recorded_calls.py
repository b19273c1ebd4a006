import asyncio

import pytest

from scoring.engine import auditing as recorded_calls
from scoring.llm.base import (
    MachineryFailed,
    Message,
    Request,
    Role,
    Settings,
    SystemFailed,
    Trouble,
)
from scoring.llm.records import NotRecorded
from tests.scoring import running

pytestmark = pytest.mark.django_db


def request(text="step 0, 0, after []", role=Role.JUDGE):
    return Request(role, (Message("user", text),), Settings(max_tokens=50))


def said(run, asked):
    return asyncio.run(recorded_calls.model_of(run.steps.get()).reply(asked))


class TestModelOf:
    def test_says_what_was_said(self):
        run = running.worked(running.requested(n=1), running.Model())

        got = said(run, request())

        assert got.text == running.answer(request())
        assert (got.prompt_tokens, got.completion_tokens) == (100, 20)

    def test_says_what_came_of_another_try(self):
        left = [1]

        async def first(_request, _model):
            if left.pop() if left else 0:
                raise MachineryFailed(Trouble.SERVER, "Later.")

        run = running.worked(running.requested(n=1), running.Model(first))

        assert run.calls.count() == 2
        assert said(run, request()).text == running.answer(request())

    def test_fails_as_the_system_did(self):
        async def first(_request, _model):
            raise SystemFailed(Trouble.EMPTY, "Nothing was said.")

        run = running.worked(running.requested(n=1, role="candidate"), running.Model(first))

        with pytest.raises(SystemFailed, match="Nothing was said"):
            said(run, request(role=Role.CANDIDATE))

    def test_fails_where_a_server_refused_to_do_so(self):
        async def first(_request, _model):
            raise MachineryFailed(Trouble.BAD_REQUEST, "No more than one.")

        run = running.worked(running.requested(n=1), running.Model(first))

        with pytest.raises(MachineryFailed, match="No more than one"):
            said(run, request())

    def test_knows_nothing_else(self):
        run = running.worked(running.requested(n=1), running.Model())

        with pytest.raises(NotRecorded):
            said(run, request("step 7"))
