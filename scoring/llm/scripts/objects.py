"""JSON of a scripted model: an object by a schema, or by the example that a prompt shows."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from scoring.llm.scripts import chance, prose, reading
from scoring.llm.scripts.script import Script
from scoring.llm.scripts.worth import Worth

RANGE = re.compile(
    r"(?<![\d.])(\d+(?:\.\d+)?)\s*(?:-|–|—|to|through|up to|到|至|~)\s*(\d+(?:\.\d+)?)"
)
STOPS = re.compile(r"stop|end_conv|finish", re.I)
RIGHT = re.compile(r"(?:is_)?(?:correct|right|true|valid|pass(?:ed)?|yes|对|正确)", re.I)
#: Names that hold a value for the thing that the object around them is named after.
PLAIN = frozenset({"score", "value", "rating", "grade", "level", "points", "mark"})
REASONED = frozenset(
    {"reason", "reasoning", "comment", "explanation", "rationale", "why", "analysis"}
)
SUFFIX = re.compile(r"[_ -]?(?:scores?|ratings?|reason(?:ing)?|comments?|explanation)$", re.I)
MAX_DEPTH = 12


class Writer:
    """Writes one object; keeps together what all its parts need."""

    def __init__(self, asked: reading.Asked, script: Script, worth: Worth) -> None:
        self._asked, self._script, self._worth = asked, script, worth
        self._stops = chance.happens(script.stop, script.seed, "stop", asked.sha, asked.sample)
        self._root: Mapping[str, Any] = {}

    def by_schema(self, schema: Mapping[str, Any]) -> Any:
        """Return a value that the schema allows."""
        inner = schema.get("schema")
        self._root = inner if isinstance(inner, Mapping) and "properties" in inner else schema
        return self._value(self._root, "", 0)

    def by_example(self, example: Any, text: str) -> Any:
        """Return an object in the form of an example; scores lie in the range that the text names."""
        return self.by_schema(_schema_of(example, _range_in(text)))

    def _value(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._chosen(schema["enum"], name)
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next((one for one in kind if one != "null"), "null")
        if depth > MAX_DEPTH:
            kind = "null"
        writers = {
            "object": self._object, "array": self._array, "integer": self._number, "number": self._number,
            "boolean": self._boolean, "string": self._string,
        }  # fmt: skip
        return writers[kind](schema, name, depth) if kind in writers else None

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Follow references and alternatives to what can be written."""
        for _ in range(MAX_DEPTH):
            if "$ref" in schema:
                node: Any = self._root
                for step in str(schema["$ref"]).removeprefix("#").strip("/").split("/"):
                    node = node[step] if step else node
                schema = node
            elif options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
                schema = next((one for one in options if one.get("type") != "null"), options[0])
            else:
                break
        return schema

    def _object(self, schema: Mapping[str, Any], name: str, depth: int) -> dict[str, Any]:
        properties: Mapping[str, Any] = schema.get("properties", {})
        return {
            key: self._value(inner, _named(name, key), depth + 1)
            for key, inner in properties.items()
        }

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        first: Sequence[Mapping[str, Any]] = schema.get("prefixItems", ())
        inner = schema.get("items") or {"type": "string"}
        wanted = min(max(2, schema.get("minItems", 0)), schema.get("maxItems", math.inf))
        made = [self._value(one, f"{name} {place}", depth + 1) for place, one in enumerate(first)]
        if inner and isinstance(inner, Mapping):
            made += [
                self._value(inner, f"{name} {place}", depth + 1)
                for place in range(len(made), int(wanted))
            ]
        if schema.get("uniqueItems"):
            return [one for place, one in enumerate(made) if one not in made[:place]]
        return made

    def _number(self, schema: Mapping[str, Any], name: str, depth: int) -> float:
        whole = "integer" in schema.get("type", "")
        lowest = schema.get("minimum", schema.get("exclusiveMinimum", 1))
        highest = schema.get("maximum", schema.get("exclusiveMaximum", max(5, lowest + 4)))
        step = schema.get("multipleOf") or (1 if whole else (highest - lowest) / 20 or 1)
        low = math.ceil(round(lowest / step, 9)) + (schema.get("exclusiveMinimum") == lowest)
        high = math.floor(round(highest / step, 9)) - (schema.get("exclusiveMaximum") == highest)
        found = (low + math.floor(self._found(name) * (high - low) + 0.5)) * step
        return int(found) if whole or float(found).is_integer() else round(found, 6)

    def _boolean(self, schema: Mapping[str, Any], name: str, depth: int) -> bool:
        if STOPS.search(name):
            return self._stops
        if RIGHT.fullmatch(name.rsplit("/", 1)[-1]):
            return self._found(name) >= 0.5
        return chance.happens(0.5, self._script.seed, name, self._asked.sha, self._asked.sample)

    def _string(self, schema: Mapping[str, Any], name: str, depth: int) -> str:
        text = self._words(name)
        return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), ".")

    def _words(self, name: str) -> str:
        key = name.rsplit("/", 1)[-1].lower()
        if "question" in key:
            return prose.question(self._asked, self._script)
        if "plan" in key:
            return prose.plan(self._asked)
        if "answer" in key or "response" in key:
            return prose.answer(self._asked, self._script)
        about = _criterion(name) or prose.whole(self._asked)
        return prose.reason(about, self._found(name), self._worth.text, self._asked, self._script)

    def _chosen(self, allowed: Sequence[Any], name: str) -> Any:
        """Return one allowed value: by worth where they are numbers, else by the text's hash."""
        if STOPS.search(name) and (
            calm := [one for one in allowed if one in (False, "none", "no")]
        ):
            others = [one for one in allowed if one not in calm]
            return chance.pick(others, self._asked.sha, name) if self._stops and others else calm[0]
        if right := [one for one in allowed if isinstance(one, str) and RIGHT.fullmatch(one)]:
            wrong = [one for one in allowed if one not in right]
            return right[0] if self._found(name) >= 0.5 or not wrong else wrong[0]
        real = [one for one in allowed if one is not None] or list(allowed)
        try:
            ordered = sorted(real, key=float)
        except (TypeError, ValueError):
            return chance.pick(real, self._script.seed, "chosen", name, self._worth.text)
        return ordered[math.floor(self._found(name) * (len(ordered) - 1) + 0.5)]

    def _found(self, name: str) -> float:
        return self._worth.of(_criterion(name))


def embedded(text: str) -> Any:
    """Return the last JSON object that a prompt shows, or None."""
    decoder, found, at = json.JSONDecoder(), None, text.find("{")
    for _ in range(40):
        if at < 0:
            break
        try:
            found, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        at = text.find("{", end)
    return found


def _named(around: str, key: str) -> str:
    return f"{around}/{key}" if around else key


def _criterion(name: str) -> str:
    """Return what a value is about: its own name, or that of the object around it."""
    *around, last = name.split("/")
    if last.lower() in PLAIN | REASONED:
        last = around[-1] if around else ""
    return SUFFIX.sub("", last).replace("_", " ")


def _range_in(text: str) -> tuple[float, float]:
    """Return the first range of numbers that a text names as scores, or 1 to 5."""
    for low, high in RANGE.findall(text):
        if float(low) < float(high) <= 100:
            return float(low), float(high)
    return 1.0, 5.0


def _schema_of(example: Any, span: tuple[float, float]) -> dict[str, Any]:
    if isinstance(example, Mapping):
        if "properties" in example:
            return dict(example)
        return {
            "type": "object",
            "properties": {key: _schema_of(one, span) for key, one in example.items()},
        }
    if isinstance(example, list):
        return {"type": "array", "items": _schema_of(example[0] if example else "", span)}
    if isinstance(example, bool):
        return {"type": "boolean"}
    if isinstance(example, int | float) or (isinstance(example, str) and RANGE.search(example)):
        low, high = _range_in(str(example)) if isinstance(example, str) else span
        return {"type": "integer", "minimum": low, "maximum": high}
    return {"type": "string"}
