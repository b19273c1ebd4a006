"""Log-probabilities of a text, version 1: one request, and the system writes nothing.

The text goes to the endpoint as it stands, without a chat's marks around it, and every token comes back
with its log-probability after those before it. The first token has none.
"""

from typing import Any, Final

from scoring.llm.base import Ask, ChatModel, Message, Request, Role

PROTOCOL: Final = "losses/v1"


def request(text: str) -> Request:
    """Return what is asked about a text."""
    return Request(Role.CANDIDATE, (Message("user", text),), part="loss", ask=Ask.WEIGH)


async def weigh(model: ChatModel, text: str) -> dict[str, Any]:
    """Return the log-probability of each token of a text, as plain data.

    Raises:
        SystemFailed, MachineryFailed: from the model, such as an endpoint that tells no probabilities.
    """
    reply = await model.reply(request(text))
    return {"logprobs": [min(one.logprob, 0.0) for one in reply.tokens or ()]}
