import asyncio

import pytest

from scoring.llm import base
from scoring.llm import records as replay

REQUEST = base.Request(base.Role.JUDGE, (base.Message("user", "Why?"),))
OTHER = base.Request(base.Role.JUDGE, (base.Message("user", "Why not?"),))
KEY = (REQUEST.sha(), 0)
REPLY = base.Reply("So.", prompt_tokens=3)


def said(model, request):
    return asyncio.run(model.reply(request))


class TestReplayModel:
    def test_returns_what_was_recorded_as_often_as_it_is_asked(self):
        model = replay.ReplayModel({KEY: REPLY})

        assert [said(model, REQUEST), said(model, REQUEST)] == [REPLY, REPLY]

    @pytest.mark.parametrize(
        "request_", [OTHER, base.Request(REQUEST.role, REQUEST.messages, repeat=1)]
    )
    def test_refuses_what_was_not(self, request_):
        with pytest.raises(replay.NotRecorded, match="judge"):
            said(replay.ReplayModel({KEY: REPLY}), request_)

    def test_fails_as_it_did(self):
        failed = base.SystemFailed(base.Trouble.EMPTY, "The reply was empty.")

        with pytest.raises(base.SystemFailed) as caught:
            said(replay.ReplayModel({KEY: failed}), REQUEST)

        assert caught.value.trouble is base.Trouble.EMPTY

    def test_says_which_calls_nobody_asked_for(self):
        model = replay.ReplayModel({KEY: REPLY, (OTHER.sha(), 0): REPLY})

        said(model, REQUEST)

        assert model.not_asked == [(OTHER.sha(), 0)]
