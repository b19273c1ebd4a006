"""What a suite says of completions: which systems are to answer, how often, and how far they go on."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

from scoring.kinds.suites.protocol.definition import Completion, Spot

#: Keys at the top of a suite that speak of it.
KEYS: Final = ("completion", "completion_llm", "do_completion")
MOST: Final = 20
MOST_SAMPLES: Final = 10
MOST_TURNS: Final = 20
STARTS: Final = ("last", "first")
SETTINGS: Final = ("system_prompt", "temperature", "top_p", "max_tokens", "seed", "stop")
_COMPLETION: Final = (
    "endpoint", "system", "release", "n", "turns", "start", "user", "include_system_prompt",
    *SETTINGS,
)  # fmt: skip
_FLEXEVAL: Final = ("function_name", "kwargs", "include_system_prompt")
#: Arguments of FlexEval's completion functions that say whom to ask; the endpoint knows them here.
_WHOM: Final = ("model_name", "model", "api_key_name", "key_name", "endpoint")

#: Arguments of a grader by which it would say something else than a judge here does, unless they are so.
_CHANGING: Final[Mapping[str, Any]] = {
    "temperature": 0,
    "top_p": 1,
    "system_prompt": "",
    "stop": None,
}


class SuiteReader(Protocol):
    """What reads a suite: each of these tells what is wrong by itself."""

    def say(self, line: int, text: str) -> None: ...

    def warn(self, line: int, text: str) -> None: ...

    def mapping(
        self, spot: Spot | None, known: Collection[str], what: str, line: int = 1
    ) -> dict[str, Spot]: ...

    def items(self, spot: Spot | None) -> list[Spot]: ...

    def text(self, spot: Spot | None, otherwise: str, most: int) -> str: ...

    def number(self, spot: Spot | None) -> float | None: ...


def read_completions(reader: SuiteReader, top: Mapping[str, Spot]) -> tuple[Completion, ...]:
    """Return the completions a suite asks for; none where `do_completion` is false."""
    wanted = top.get("do_completion")
    given = top.get("completion") or top.get("completion_llm")
    if wanted is not None and not isinstance(wanted.value, bool):
        reader.say(wanted.line, "“do_completion” is true or false.")
    if wanted is not None and wanted.value is False:
        return ()
    if given is None or given.value is None:
        if wanted is not None and wanted.value is True:
            reader.say(
                wanted.line, "Completions need a system: name an endpoint under “completion”."
            )
        return ()
    found = tuple(_completion(reader, one) for one in reader.items(given))
    if len(found) > MOST:
        reader.say(given.line, f"At most {MOST} systems complete conversations in one suite.")
    seen: set[tuple[str, str, str]] = set()
    for one in found:
        key = (one.endpoint, one.system, one.release)
        if key in seen:
            reader.say(one.line, "This system is named twice. For several answers, say “n”.")
        seen.add(key)
    return found


def repeated(
    reader: SuiteReader, completions: tuple[Completion, ...], times: int
) -> tuple[Completion, ...]:
    """Return the completions with as many answers to each start as it is evaluated times."""
    for one in completions:
        if one.n * times > MOST_SAMPLES:
            reader.say(
                one.line,
                f"This asks for {one.n * times} answers to each start, and there are at most "
                f"{MOST_SAMPLES}. Lower “nb_evaluations_per_thread”.",
            )
    return tuple(replace(one, n=one.n * times) for one in completions)


def endpoint_of(reader: SuiteReader, spot: Spot, what: str) -> str:
    """Return the endpoint that is named; of FlexEval's layout the model, or the function that asks it."""
    if isinstance(spot.value, dict) and "function_name" in spot.value:
        given = reader.mapping(spot, _FLEXEVAL, what)
        inner = _arguments(given)
        _look_at_grader(reader, inner)
        named = inner.get("model_name") or inner.get("model") or given["function_name"]
        return reader.text(named, "", 200)
    return reader.text(reader.mapping(spot, ("endpoint",), what).get("endpoint"), "", 200)


def _completion(reader: SuiteReader, spot: Spot) -> Completion:
    if isinstance(spot.value, str):
        return Completion(endpoint=reader.text(spot, "", 200), line=spot.line)
    if isinstance(spot.value, dict) and "function_name" in spot.value:
        return _of_flexeval(reader, spot)
    given = reader.mapping(spot, _COMPLETION, "A completion")
    made = Completion(
        endpoint=reader.text(given.get("endpoint"), "", 200),
        system=reader.text(given.get("system"), "", 120),
        release=reader.text(given.get("release"), "", 60),
        n=_whole(reader, given.get("n"), "n", MOST_SAMPLES),
        turns=_whole(reader, given.get("turns"), "turns", MOST_TURNS),
        start=reader.text(given.get("start"), "last", 20),
        user=_user(reader, given.get("user")),
        about=_about(reader, given.get("user")),
        with_prompt=_flag(reader, given.get("include_system_prompt"), otherwise=True),
        settings=_settings(reader, given),
        line=spot.line,
    )
    if not made.endpoint and not made.system:
        reader.say(spot.line, "A completion names its endpoint, or a system that is connected.")
    if made.release and not made.system:
        reader.say(spot.line, "A “release” belongs to a “system”: name it as well.")
    if made.start not in STARTS:
        reader.say(spot.line, "“start” is last or first: up to which turn of the user.")
    elif made.start == "last" and made.turns > 1 and not made.user:
        reader.say(
            spot.line,
            "For several turns somebody has to speak for the user: say “start: first” to have the "
            "recorded user's messages, or name an endpoint under “user”.",
        )
    return made


def _of_flexeval(reader: SuiteReader, spot: Spot) -> Completion:
    """Read the layout of FlexEval: its function is not run, the model it names is looked for."""
    given = reader.mapping(spot, _FLEXEVAL, "“completion_llm”")
    inner = _arguments(given)
    named = inner.get("model_name") or inner.get("model") or given["function_name"]
    for name, one in inner.items():
        if name not in {*_WHOM, *SETTINGS, "n"}:
            reader.say(one.line, f"“{name}” is not known of a completion here.")
    return Completion(
        endpoint=reader.text(named, "", 200),
        n=_whole(reader, inner.get("n"), "n", MOST_SAMPLES),
        with_prompt=_flag(reader, given.get("include_system_prompt"), otherwise=True),
        settings=_settings(reader, inner),
        line=spot.line,
    )


def _look_at_grader(reader: SuiteReader, inner: Mapping[str, Spot]) -> None:
    """Refuse what would change a judge's verdicts, and warn of what else is not used."""
    for name, one in inner.items():
        if name in _CHANGING and one.value not in (None, _CHANGING[name]):
            reader.say(
                one.line,
                f"“{name}” would change the verdicts: judges are asked at temperature 0, without "
                "further settings. Take it out.",
            )
        elif name not in {*_WHOM, *_CHANGING}:
            reader.warn(one.line, f"“{name}” of the grader is not used.")


def _arguments(given: Mapping[str, Spot]) -> Mapping[str, Spot]:
    kwargs = given.get("kwargs")
    return kwargs.value if kwargs is not None and isinstance(kwargs.value, dict) else {}


def _user(reader: SuiteReader, spot: Spot | None) -> str:
    if spot is None or spot.value is None or isinstance(spot.value, str):
        return reader.text(spot, "", 200)
    given = reader.mapping(spot, ("endpoint", "about"), "“user”")
    name = reader.text(given.get("endpoint"), "", 200)
    if not name:
        reader.say(spot.line, "Whoever plays the user is named by an endpoint: {endpoint: name}.")
    return name


def _about(reader: SuiteReader, spot: Spot | None) -> str:
    given = spot.value.get("about") if spot and isinstance(spot.value, dict) else None
    return reader.text(given, "", 4000)


def _whole(reader: SuiteReader, spot: Spot | None, name: str, most: int) -> int:
    number = reader.number(spot)
    if number is None:
        return 1
    if number != int(number) or not 1 <= number <= most:
        reader.say(spot.line if spot else 1, f"“{name}” is a whole number from 1 to {most}.")
        return 1
    return int(number)


def _flag(reader: SuiteReader, spot: Spot | None, *, otherwise: bool) -> bool:
    if spot is None or spot.value is None:
        return otherwise
    if not isinstance(spot.value, bool):
        reader.say(spot.line, "“include_system_prompt” is true or false.")
        return otherwise
    return spot.value


def _settings(reader: SuiteReader, given: Mapping[str, Spot]) -> dict[str, Any]:
    """Return the parameters that are given, of the right kind."""
    found: dict[str, Any] = {}
    if said := reader.text(given.get("system_prompt"), "", 20_000):
        found["system_prompt"] = said
    for name, low, high in (
        ("temperature", 0, 2),
        ("top_p", 0, 1),
        ("max_tokens", 1, 2**31 - 1),
        ("seed", 0, 2**31 - 1),
    ):
        spot = given.get(name)
        number = reader.number(spot)
        if number is None:
            continue
        whole = name in {"max_tokens", "seed"}
        if not low <= number <= high or (whole and number != int(number)):
            reader.say(spot.line if spot else 1, f"“{name}” lies between {low} and {high}.")
        else:
            found[name] = int(number) if whole else number
    stops = [reader.text(one, "", 200) for one in reader.items(given.get("stop"))]
    if stops := [one for one in stops if one]:
        found["stop"] = stops[:4]
    return found
