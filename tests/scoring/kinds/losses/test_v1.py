import asyncio

from scoring.kinds.losses import v1
from scoring.llm.base import Ask, Reply, Role, TokenChance


class Tells:
    """A system that tells these log-probabilities of any text."""

    def __init__(self, *chances):
        self.chances, self.requests = chances, []

    async def reply(self, request):
        self.requests.append(request)
        tokens = tuple(TokenChance("a", one) for one in self.chances)
        return Reply("", tokens=tokens)


class TestWeigh:
    def test_sends_the_text_as_it_stands_and_wants_nothing_written(self):
        model = Tells(-1.0, -0.5)

        found = asyncio.run(v1.weigh(model, "A rope holds a ship."))

        (request,) = model.requests
        assert (request.ask, request.role) == (Ask.WEIGH, Role.CANDIDATE)
        assert [one.content for one in request.messages] == ["A rope holds a ship."]
        assert found == {"logprobs": [-1.0, -0.5]}

    def test_takes_what_rounding_put_above_zero_for_zero(self):
        assert asyncio.run(v1.weigh(Tells(1e-9), "x y")) == {"logprobs": [0.0]}
