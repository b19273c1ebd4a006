"""Conversations as OpenAI, Anthropic, Gemini, LangChain, LMSYS, ShareGPT, FlexEval and Rasa write them.

And as people take them out of ChatGPT and Claude, and as programs log requests with what came of them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from annotation.files import messages, shapes
from annotation.files.cells import Unfit
from annotation.files.messages import is_message
from annotation.files.shapes import Fits, Row, Rows, Sample, Shape

Record = Mapping[str, Any]
Holds = Callable[[Record], bool]

#: What a request of a batch is called, with OpenAI and Anthropic, and with Gemini.
_OF_BATCHES: Final = ("custom_id", "key")
_IDS: Final = (*_OF_BATCHES, "conversation_id", "conversation_hash", "id", "uuid", "response_id")
_SYSTEMS: Final = ("model", "model_name", "modelVersion", "system")
#: What stands beside the messages of a file for fine-tuning, and nowhere is an answer or an id.
_TUNING: Final = frozenset(
    ("messages", "tools", "functions", "parallel_tool_calls", "tool_choice", "function_call")
) | {"weight"}
_OF_CLAUDE: Final = frozenset({"tool_use", "tool_result", "thinking", "redacted_thinking"})


def rows(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield a conversation; a reply with several choices is one for each of them.

    Raises:
        Unfit: the request failed, or something in a message cannot be kept.
    """
    flat = messages.opened(record)
    if failed := _failure(flat):
        raise Unfit("failed_answer", failed)
    several = [key for key in ("choices", "candidates") if len(_listed(flat.get(key))) > 1]
    if not several:
        yield _row(flat, {})
        return
    key = several[0]
    for number, choice in enumerate(flat[key], start=1):
        yield _row({**flat, key: [choice]}, {"sample_no": number})


def _row(flat: Record, more: Row) -> Row:
    talk = messages.read_object(flat)
    beside = dict(talk.details)
    row: Row = {"messages": talk.messages, **more}
    for name, keys in (("external_id", _IDS), ("system", _SYSTEMS)):
        if key := next((key for key in keys if beside.get(key)), ""):
            row[name] = beside.pop(key)
    return {**row, **{key: value for key, value in beside.items() if key not in row}}


def _failure(flat: Record) -> object:
    """Return why there is no answer to a request of a batch; None where there is one."""
    if not flat.keys() & set(_OF_BATCHES) or messages.holds_messages(flat) or is_message(flat):
        return None
    return _error(flat) or flat.get("status_code") or "?"


def _error(value: object) -> object:
    """Return what an error says, however deep it stands in a reply."""
    if not isinstance(value, Mapping):
        return None
    if found := value.get("error"):
        return _error(found) or (found.get("message") if isinstance(found, Mapping) else found)
    inner = (_error(value.get(key)) for key in ("response", "result", "body"))
    return next((one for one in inner if one), None)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _each(holds: Holds, marked: Holds | None = None) -> Fits:
    """Return what says whether all records of a file of objects are such, and one of them is marked."""

    def fits(sample: Sample) -> bool:
        objects = not sample.is_table and bool(sample.records) and all(map(holds, sample.records))
        return objects and (marked is None or any(map(marked, sample.records)))

    return fits


def _messages(record: Record) -> list[Record]:
    return shapes.objects_in(record.get("messages"))


def _is_batch(one: Record) -> bool:
    around = one.keys() & {"response", "result", "body", "request", "error"}
    replied = messages.holds_messages(one) or bool(_error(one))
    return ("custom_id" in one and bool(around)) or ("key" in one and bool(around) and replied)


def _is_completion(one: Record) -> bool:
    """Say whether this is a reply of OpenAI; the messages that it answers may stand beside it."""
    return one.get("object") == "chat.completion" and messages.holds_messages(one)


def _completion(record: Record, outer: Record) -> Iterable[Row]:
    """Yield a reply with what was asked; its own id names no question."""
    kept = {key: one for key, one in record.items() if key not in {"id", "object"}}
    yield from rows({**kept, "completion_id": record.get("id")}, outer)


def _is_gemini(one: Record) -> bool:
    said = _listed(messages.opened(one).get("contents"))
    return bool(said) and all(isinstance(each, Mapping) and "parts" in each for each in said)


def _is_responses(one: Record) -> bool:
    flat = messages.opened(one)
    said = _listed(flat.get("output"))
    return bool(said) and all(map(is_message, said)) and not flat.get("messages")


def _talks(name: str) -> Fits:
    """Return what says whether all records have messages under a name; one or another may have none."""

    def holds(one: Record) -> bool:
        return isinstance(one.get(name), list) and all(map(is_message, one[name]))

    return _each(holds, lambda one: bool(one.get(name)))


def _is_langchain(one: Record) -> bool:
    said = _messages(one)
    return bool(said) and all("role" not in each and is_message(each) for each in said)


def _is_anthropic(sample: Sample) -> bool:
    def marked(one: Record) -> bool:
        parts = [each for said in _messages(one) for each in _listed(said.get("content"))]
        kinds = {str(each.get("type")) for each in parts if isinstance(each, Mapping)}
        return bool(kinds & _OF_CLAUDE)

    def holds(one: Record) -> bool:
        prompt = one.get("system")
        return bool(_messages(one)) and (prompt is None or messages.is_prompt("system", prompt))

    answered = any(sample.has(name) for name in ("response", "answer", "question", "output"))
    has_prompts = sample.has("system") and not answered
    return _each(holds, None if has_prompts else marked)(sample)


def _is_openai(sample: Sample) -> bool:
    def marked(one: Record) -> bool:
        told = {"function_call", "tool_calls", "weight", "reasoning_content"}
        said = _messages(one)
        roles = {str(each.get("role")) for each in said}
        return bool(roles & {"system", "developer"}) or any(each.keys() & told for each in said)

    def holds(one: Record) -> bool:
        return bool(_messages(one)) and all("role" in each for each in _messages(one))

    return set(sample.columns) <= _TUNING and _each(holds, marked)(sample)


#: Beside these an input is a question, and its answer stands elsewhere in the record.
_OF_QUESTIONS: Final = frozenset(
    [
        "output",
        "response",
        "answer",
        "completion",
        "target",
        "ideal",
        "expected",
        "reference",
        "scores",
        "score",
    ]
)


def _is_flexeval(sample: Sample) -> bool:
    return not _OF_QUESTIONS & set(sample.columns) and _talks("input")(sample)


def _is_claude(one: Record) -> bool:
    said = _listed(one.get("chat_messages"))
    named = all(isinstance(each, Mapping) and "sender" in each for each in said)
    return "chat_messages" in one and named


def _is_chatgpt(one: Record) -> bool:
    return isinstance(one.get("mapping"), Mapping) and "current_node" in one


def _chatgpt(record: Record, outer: Record) -> Iterable[Row]:
    """Yield the branch of a conversation that was seen last; thoughts and hidden messages are left out."""
    nodes, at = record["mapping"], record.get("current_node")
    said: list[dict[str, Any]] = []
    model = ""
    while isinstance(node := nodes.get(at), Mapping):
        nodes = {name: one for name, one in nodes.items() if name != at}  # no way goes round
        message, at = node.get("message") or {}, node.get("parent")
        parts = shapes.at(message, "content", "parts")
        words = [part for part in _listed(parts) if not isinstance(part, str) or part.strip()]
        if words and not shapes.at(message, "metadata", "is_visually_hidden_from_conversation"):
            said.append({"role": shapes.at(message, "author", "role"), "content": words})
            model = model or shapes.at(message, "metadata", "model_slug") or ""
    found = {"messages": [{**one, "content": _joined(one["content"])} for one in reversed(said)]}
    named = record.get("conversation_id") or record.get("id")
    yield from rows({**found, **({"id": named} if named else {}), "model": model}, outer)


def _joined(parts: list[Any]) -> str:
    """Return the texts of a message.

    Raises:
        Unfit: there is an image or a file, of which an export has only a number.
    """
    if lost := next((one for one in parts if not isinstance(one, str)), None):
        raise Unfit("not_kept", lost)
    return "\n".join(parts)


def _is_rasa(one: Record) -> bool:
    """Say whether a record is a conversation as its events, of people, the bot and what it did."""
    events = shapes.objects_in(one.get("events"))
    return bool(events) and all("event" in each for each in events)


def _rasa(record: Record, outer: Record) -> Iterable[Row]:
    """Yield what was said since the conversation was begun anew; actions and slots are left out."""
    said: list[dict[str, Any]] = []
    model = ""
    for event in shapes.objects_in(record["events"]):
        kind = event.get("event")
        if kind in {"restart", "session_started"}:
            said = []
        elif kind == "undo" or (kind == "rewind" and said):
            said = said[
                : max((n for n, one in enumerate(said) if one["role"] == "user"), default=0)
            ]
        elif kind in _OF_RASA:
            said.append({"role": _OF_RASA[kind], "content": _said_by(event)})
            model = model or shapes.at(event, "metadata", "model_id") or ""
    beside = {"id": record.get("sender_id") or record.get("conversation_id"), "model": model}
    filled = {key: value for key, value in beside.items() if value}
    yield from rows({"messages": [one for one in said if one["content"]], **filled}, outer)


def _said_by(event: Record) -> str:
    """Return what an event says; of buttons their titles."""
    buttons = shapes.objects_in(shapes.at(event, "data", "buttons"))
    titles = [f"[{one['title']}]" for one in buttons if isinstance(one.get("title"), str)]
    return "\n".join([event["text"] if isinstance(event.get("text"), str) else "", *titles]).strip()


_OF_RASA: Final = {"user": "user", "bot": "assistant"}


def _is_logged(one: Record) -> bool:
    """Say whether a request with messages stands beside what came of it."""
    sides = (one.get("request"), one.get("response"))
    return all(isinstance(side, Mapping) and messages.holds_messages(side) for side in sides)


_PLACES: Final = {name: name for name in ("messages", "external_id", "system", "sample_no")}


def _shape(key: str, name: str, fits: Fits, read: Rows = rows) -> Shape:
    return Shape(key, name, shapes.CONVERSATIONS, fits, read, _PLACES)


_REPLIES: Final = _each(_is_completion, lambda one: bool(_messages(one)))
SHAPES: Final = (
    _shape("claude_export", "Claude, exported conversations", _each(_is_claude)),
    _shape("chatgpt_export", "ChatGPT, exported conversations", _each(_is_chatgpt), _chatgpt),
    _shape("rasa", "Rasa, events", _each(_is_rasa), _rasa),
    _shape("requests", "Requests and replies", _each(_is_logged)),
    _shape("completions", "OpenAI, stored completions", _REPLIES, _completion),
    _shape("batch_output", "Requests and replies of a batch", _each(_is_batch)),
    _shape("gemini", "Gemini, conversations", _each(_is_gemini)),
    _shape("openai_responses", "OpenAI, Responses", _each(_is_responses)),
    _shape("lmsys", "LMSYS, conversations", _talks("conversation")),
    _shape("sharegpt", "ShareGPT", _talks("conversations")),
    _shape("langchain", "LangChain, messages", _each(_is_langchain)),
    _shape("anthropic", "Anthropic, conversations", _is_anthropic),
    _shape("openai_chat", "OpenAI, chat for fine-tuning", _is_openai),
    _shape("flexeval", "FlexEval, samples", _is_flexeval),
)
