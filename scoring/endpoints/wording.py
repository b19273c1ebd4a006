"""How far a run is: its steps, calls, tokens, cost and failures, counted from their rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from scoring.llm import abilities
from scoring.llm.base import Trouble

TROUBLES: Mapping[str, Any] = {
    Trouble.RATE_LIMITED: _("too many requests at once"),
    Trouble.SERVER: _("the server failed"),
    Trouble.TIMEOUT: _("no reply in time"),
    Trouble.CONNECTION: _("the connection broke"),
    Trouble.CERTIFICATE: _("the server’s certificate is not trusted"),
    Trouble.GARBAGE: _("the reply could not be read"),
    Trouble.KEY: _("the key was not accepted"),
    Trouble.REFUSED_ADDRESS: _("the address is not allowed"),
    Trouble.BAD_REQUEST: _("the request was not accepted"),
    Trouble.TOO_LONG: _("the prompt is too long"),
    Trouble.FILTERED: _("held back by a content filter"),
    Trouble.EMPTY: _("an empty reply"),
}


LABELS = {
    "answers": gettext_lazy("It answers"),
    "thinking": gettext_lazy("Reasons before it answers"),
    "temperature": gettext_lazy("Takes a temperature"),
    "top_p": gettext_lazy("Takes top_p"),
    "json_schema": gettext_lazy("Replies follow a JSON schema"),
    "json_object": gettext_lazy("Replies are JSON"),
    "logprobs": gettext_lazy("Log-probabilities of a reply"),
    "top_logprobs": gettext_lazy("Likely tokens at a place"),
    "multi_token_scores": gettext_lazy("A score can be several tokens"),
    "n": gettext_lazy("Several replies to one request"),
    "seed": gettext_lazy("Takes a seed"),
    "seed_repeats": gettext_lazy("Same seed, same reply"),
    "prompt_logprobs": gettext_lazy("Log-probabilities of a prompt"),
    "max_tokens_name": gettext_lazy("Limit of a reply's length"),
    "usage": gettext_lazy("Counts its tokens"),
    "latency": gettext_lazy("Seconds to a short reply"),
}
#: What each is good for, beside its name.
USES = {
    "thinking": gettext_lazy("Added to every token limit."),
    "temperature": gettext_lazy("Else none is sent."),
    "usage": gettext_lazy("Else costs are estimated."),
    "json_schema": gettext_lazy("Holds judges to their form."),
    "json_object": gettext_lazy("The next best after a schema."),
    "logprobs": gettext_lazy("For scores weighted by probability."),
    "multi_token_scores": gettext_lazy("Probability is a product over tokens."),
    "n": gettext_lazy("Several readings in one request."),
    "seed_repeats": gettext_lazy("Few servers promise this."),
    "prompt_logprobs": gettext_lazy("For metrics that weigh a given text."),
}
SHORT = {
    "json_schema": gettext_lazy("JSON schema"),
    "logprobs": gettext_lazy("log-probabilities"),
    "seed": gettext_lazy("seed"),
    "prompt_logprobs": gettext_lazy("prompt log-probabilities"),
}
_HOW = {
    "obeyed": gettext_lazy("A reply was cut at this limit."),
    "ignored": gettext_lazy("Accepted, without effect."),
    "seen": gettext_lazy("Seen in a reply."),
    "room": gettext_lazy("An answer had room for these."),
    "none_seen": gettext_lazy("No reasoning seen."),
    "uncounted": gettext_lazy("A reply came without a count."),
    "not_held": gettext_lazy("Accepted, not followed."),
    "counted": gettext_lazy("Counted in a reply."),
    "accepted": gettext_lazy("It was accepted."),
    "repeats": gettext_lazy("Same seed, same reply; another seed, another reply."),
    "same_twice": gettext_lazy("Several, all the same."),
    "always_same": gettext_lazy("All seeds, one reply."),
    "differs": gettext_lazy("One seed, two replies."),
    "needs_logprobs": gettext_lazy("Needs log-probabilities."),
    "not_repeated": gettext_lazy("Unknown: numbers not repeated."),
}
#: Why a test could not be made, and what to do about it. What the server or the network said follows.
_FAILURES: Mapping[str, Any] = {
    Trouble.KEY: gettext_lazy(
        "The key was not accepted. An owner sets another key; then test again."
    ),
    Trouble.CONNECTION: gettext_lazy(
        "There is no connection. Compare the address with the server's, and see whether it runs."
    ),
    Trouble.CERTIFICATE: gettext_lazy(
        "The server was found, but its certificate is not trusted, so nothing was sent to it. "
        "The operator can have it trusted (SSL_CERT_FILE)."
    ),
    Trouble.EMPTY: gettext_lazy(
        "The server answers, but with nothing that a run could use. Compare the name of the model with what "
        "the server offers, then test again."
    ),
    Trouble.REFUSED_ADDRESS: gettext_lazy(
        "The address is not allowed. The operator decides which private networks endpoints may be in "
        "(EVALSITE_ENDPOINT_NETWORKS)."
    ),
    Trouble.BAD_REQUEST: gettext_lazy(
        "The request was not accepted. Compare the name of the model and the address with what the "
        "server's documentation says; the address most often ends in /v1."
    ),
    Trouble.GARBAGE: gettext_lazy(
        "The reply could not be read. Something else answers at this address; it most often ends in "
        "/v1."
    ),
    Trouble.TIMEOUT: gettext_lazy(
        "There was no reply in time. A model that is being loaded may need longer: test again in a "
        "minute."
    ),
    Trouble.RATE_LIMITED: gettext_lazy("The server asks to wait. Test again in a minute."),
    Trouble.SERVER: gettext_lazy("The server failed. Test again in a minute."),
}


@dataclass(frozen=True)
class Word:
    """One finding as a page shows it. `known` is False where it could not be found out."""

    label: str
    use: str
    value: str
    known: bool
    good: bool
    how: str
    at: datetime | None


def words(found: Mapping[str, Any]) -> list[Word]:
    """Return what was found, in the order of the abilities."""
    return [_word(name, found[name]) for name in abilities.NAMES if name in found]


def failure(trouble: str, problem: str) -> str:
    """Return why a test failed and what to do, in the reader's language; then what was said, as it came."""
    said = str(
        _FAILURES.get(trouble, gettext_lazy("The test was not possible. Test again in a minute."))
    )
    return (
        gettext("%(said)s In detail: %(problem)s") % {"said": said, "problem": problem}
        if problem
        else said
    )


def short(found: Mapping[str, Any]) -> list[str]:
    """Return the abilities that a list names."""
    return [
        str(label)
        for name, label in SHORT.items()
        if isinstance(found.get(name), Mapping) and found[name].get("value")
    ]


def _word(name: str, entry: Mapping[str, Any]) -> Word:
    value = entry.get("value")
    return Word(
        label=str(LABELS[name]),
        use=str(USES.get(name, "")),
        value=_room(value) if name == "thinking" and value else _value(value),
        known=value is not None,
        good=bool(value),
        how=_how(entry),
        at=parse_datetime(entry.get("at") or ""),
    )


def _value(value: Any) -> str:
    if value is None:
        return gettext("not known")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return {
        "completions": gettext("yes, by completions"),
        "chat": gettext("yes, by chat"),
    }.get(str(value), str(value))


def _room(value: Any) -> str:
    return gettext("yes, %(n)s tokens") % {"n": value}


def _how(entry: Mapping[str, Any]) -> str:
    how, facts = entry.get("how", ""), entry.get("facts") or {}
    if how == "reasons":
        return gettext(
            "It said: “%(reply)s” It reasons first: small token limits leave no answer."
        ) % {"reply": facts.get("reply", "")}
    if how == "replied":
        return gettext("To a greeting it said: “%(reply)s”") % {"reply": facts.get("reply", "")}
    if how == "refused":
        return gettext("The server refused it (status %(status)s).") % {
            "status": facts.get("status")
        }
    if how == "failed":
        return gettext("The question was not answered (%(trouble)s). Test again.") % {
            "trouble": TROUBLES.get(facts.get("trouble", ""), facts.get("trouble", ""))
        }
    if how == "median":
        return gettext("Median of %(n)s requests.") % {"n": facts.get("n")}
    if how == "counted" and facts and "asked" not in facts:
        return gettext("%(counts)s.") % {"counts": ", ".join(_score(*one) for one in facts.items())}
    return str(_HOW.get(how, ""))


def _score(score: str, n: int) -> str:
    if n == 1:
        return gettext("“%(score)s” is one token") % {"score": score}
    return gettext("“%(score)s” is %(n)s tokens") % {"score": score, "n": n}
