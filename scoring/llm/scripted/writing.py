"""Plain text of a scripted model: answers, questions, reasons and plans, in English or Chinese.

* Plans of evaluation in a scripted model: one that it writes, and which scores one names.
* How good a scripted judge finds a text: signals that a person would use too, and a little chance.
* JSON of a scripted model: an object by a schema, or by the example that a prompt shows.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from scoring.llm.scripted import reading
from scoring.llm.scripted import script as chance
from scoring.llm.scripted.script import Script

DULL = frozenset(
    word.group()
    for word in re.finditer(
        r"\w+",
        "about after answer because been being between could does explain from have into more most other "
        "question should such than that their them then there these they this those through were what when "
        "where which while with would your please following using used make many much only also each some "
        "text response choose option options form line letter "
        # Words of the sentences below: a conversation that feeds on its own forms leaves its subject.
        "short comes down matters bears helps look first afterwards example when changes there exception "
        "outweigh people meet long before notice rely change hold follow step fail apply said case missing "
        "assumption statement need depends problem correct follows",
    )
)
FORMS_ZH = re.compile(
    "简单地说|取决于|关于|最重要的是|关系|应当先看|再看|例如|变化时?|也会随之|但有一个例外|可能比|更重要|您的回答依赖|如果|"
    "题目|不成立|结论会怎样|如何|得出|这一步|什么情况下|缺少|说法|还适用|什么|怎样|为什么|请|[的是与和在从了有于为吗它您当时]"
)
LINK = re.compile(r"https?://\S+")
#: With fewer subjects than a sentence has places, the first message is asked for more.
FEW = 3
SUBJECTS = ("the matter", "its conditions", "the outcome")
SUBJECTS_ZH = ("这个问题", "条件", "结果")
#: So many letters of a text say what it is about.
LOOKED_AT = 1500
ANSWERS = (
    "In short, {a} comes down to {b}.",
    "What matters about {a} is how it bears on {b}.",
    "It helps to look at {a} first and at {c} afterwards.",
    "For example, when {b} changes, {a} changes with it.",
    "There is one exception: {c} can outweigh {b}.",
    "Most people meet {a} long before they notice {c}.",
)
ANSWERS_ZH = (
    "简单地说，{a}取决于{b}。",
    "关于{a}，最重要的是它与{b}的关系。",
    "应当先看{a}，再看{c}。",
    "例如，当{b}变化时，{a}也会随之变化。",
    "但有一个例外：{c}可能比{b}更重要。",
)
QUESTIONS = (
    "You rely on {a}. What would change in your answer if {b} did not hold?",
    "How does {a} follow from {b}, and where does that step fail?",
    "Could you apply what you said about {a} to a case in which {c} is missing?",
    "Which assumption about {b} does your statement on {a} need?",
)
QUESTIONS_ZH = (
    "您的回答依赖{a}。如果{b}不成立，结论会怎样？",
    "{a}是如何从{b}得出的？这一步在什么情况下不成立？",
    "如果缺少{c}，您关于{a}的说法还适用吗？",
)
REASONS = (
    "The text speaks of {a} and {b}; for {name} that is {grade}.",
    "On {name}: {a} is treated, {b} less so, which makes it {grade}.",
    "What it says of {a} can be followed; as to {name} it is {grade}.",
)
REASONS_ZH = (
    "文中谈到{a}和{b}；就{name}而言{grade}。",
    "就{name}来看：{a}有所涉及，{b}较少，总体{grade}。",
)
GRADES = ("weak", "fair", "good", "strong")
GRADES_ZH = ("较弱", "一般", "良好", "很好")
PLANS = (
    "1. Read the input and note what the response must not get wrong.",
    "2. Compare the response with the input, statement by statement.",
    "3. For each criterion look first at the evaluators that were named for it, then at the text itself.",
    "4. Where they disagree, trust the text and say why.",
)
PLANS_ZH = (
    "1. 阅读输入，记下要点。",
    "2. 逐句比较回答与输入。",
    "3. 每项标准先看所列评估器，再看文本。",
    "4. 不一致时以文本为准。",
)


def answer(asked: reading.SeenRequest, script: Script) -> str:
    """Return an answer to the last message; a letter first where it gives choices."""
    text = asked.last
    chinese = reading.is_chinese(text)
    said = _sentences(ANSWERS_ZH if chinese else ANSWERS, text, asked, script)
    if not (options := reading.choices_of(text)):
        return said
    # Different models mostly agree, so that their answers can be checked against each other; and the
    # longest option is right more often than any other, as examiners know.
    common = max(options, key=lambda one: (len(options[one]), one))
    own = chance.pick(list(options), script.seed, "choice", text)
    letter = common if chance.happens(0.7, script.seed, "knows", text) else own
    return f"答案是 {letter}。{said}" if chinese else f"The answer is {letter}. {said}"


def question(asked: reading.SeenRequest, script: Script) -> str:
    """Return one question about what was said last."""
    text = reading.judged_text(asked)
    forms = QUESTIONS_ZH if reading.is_chinese(text) else QUESTIONS
    return _fill(chance.pick(forms, script.seed, asked.sha, asked.sample), text, asked, script)


def reason(name: str, worth: float, text: str, asked: reading.SeenRequest, script: Script) -> str:
    """Return one sentence that explains a finding."""
    chinese = reading.is_chinese(asked.brief)
    forms, grades = (REASONS_ZH, GRADES_ZH) if chinese else (REASONS, GRADES)
    form = chance.pick(forms, script.seed, "reason", name, asked.sha, asked.sample)
    grade = grades[min(int(worth * len(grades)), len(grades) - 1)]
    return _fill(form.replace("{name}", name).replace("{grade}", grade), text, asked, script)


def whole(asked: reading.SeenRequest) -> str:
    """Return what a finding is about when it is about no single criterion."""
    return "整体" if reading.is_chinese(asked.brief) else "the whole"


def plan(asked: reading.SeenRequest) -> str:
    return "\n".join(PLANS_ZH if reading.is_chinese(asked.last) else PLANS)


def refusal(asked: reading.SeenRequest) -> str:
    return (
        "很抱歉，我无法评价这段内容。"
        if reading.is_chinese(asked.brief)
        else "I'm sorry, but I can't help with judging this text."
    )


def _sentences(
    forms: tuple[str, ...], text: str, asked: reading.SeenRequest, script: Script
) -> str:
    start = int(chance.number(script.seed, asked.sha, asked.sample) * len(forms))
    n_sentences = 1 + int(4 * chance.number(script.seed, "length", asked.sha, asked.sample))
    chosen = [forms[(start + step) % len(forms)] for step in range(n_sentences)]
    joined = ("" if forms is ANSWERS_ZH else " ").join(chosen)
    return _fill(joined, text, asked, script)


def _fill(form: str, text: str, asked: reading.SeenRequest, script: Script) -> str:
    """Put three subjects of a text into a sentence; replaced one by one, as the text may hold braces."""
    subjects = _subjects(text)
    if len(subjects) < FEW:
        first = next((one.content for one in asked.messages if one.role == "user"), "")
        subjects = tuple(dict.fromkeys(subjects + _subjects(reading.without_marks(first))))
    if len(subjects) < FEW:
        subjects += SUBJECTS_ZH if reading.is_chinese(text) else SUBJECTS
    turn = int(chance.number(script.seed, "subjects", asked.sha, asked.sample) * len(subjects))
    chosen = iter([subjects[(turn + step) % len(subjects)] for step in range(3)])
    named = dict(zip("abc", chosen, strict=True))
    return re.sub(r"\{([abc])\}", lambda found: named[found.group(1)], form)


@lru_cache(maxsize=256)
def _subjects(text: str) -> tuple[str, ...]:
    """Return what a text seems to be about, in its order."""
    text = LINK.sub(" ", text[:LOOKED_AT])
    if reading.is_chinese(text):
        runs = re.findall(r"[\u3400-\u9fff]{2,}", FORMS_ZH.sub(" ", text))
        found = [run[start : start + 4] for run in runs for start in range(0, len(run), 4)]
        return tuple(dict.fromkeys(one for one in found if len(one) > 1))[:12]
    words = [word for word in reading.WORD.findall(text) if len(word) > 3]
    return tuple(dict.fromkeys(word for word in words if word.lower() not in DULL))[:12]


CRITERIA = re.compile(r"^# (?:Criteria|标准)$(.*?)(?=^# )", re.M | re.S)
ASSISTANTS = re.compile(r"^# (?:Assistant evaluators|辅助评估器)$(.*?)(?=^# |\Z)", re.M | re.S)
#: A thing of a section with its key, such as "## rouge-1: ROUGE-1".
KEYED = re.compile(r"^## ([^:\n]+): ", re.M)
PLAN = re.compile(
    r"^# (?:Plan of evaluation|评价计划)$(.*?)(?=^# (?:What is|待评价)|\Z)", re.M | re.S
)
#: How the scores of assistant evaluators are written into prompts.
SCORE = re.compile(r"(?<![\d.])(?:0\.\d{3}|1\.000)(?!\d)")
NAMED_SCORE = re.compile(r"^([^:\n]+): (0\.\d{3}|1\.000)$", re.M)


def plan_of(asked: reading.SeenRequest, script: Script) -> str:
    """Return steps, and the alignment in the form that was asked for, where assistants are told of."""
    steps = plan(asked)
    criteria, assistants = _keys(CRITERIA, asked.whole), _keys(ASSISTANTS, asked.whole)
    if not criteria or not assistants:
        return steps
    alignment = {
        one: [key for key in assistants if chance.happens(0.5, script.seed, "names", one, key)]
        for one in criteria
    }
    lines = [f"- {one}: {', '.join(named) or '–'}" for one, named in alignment.items()]
    told = json.dumps({"alignment": alignment}, ensure_ascii=False)
    return "\n".join([steps, *lines, "", told])


def followed(text: str) -> list[float]:
    """Return the scores that a judge follows: those that the plan names, or all if there is no plan."""
    found = PLAN.search(text)
    if found is None:
        return [float(one) for one in SCORE.findall(text)]
    said = found.group(1)
    rest = text[found.end() :]
    return [float(score) for key, score in NAMED_SCORE.findall(rest) if key in said]


def _keys(section: re.Pattern[str], text: str) -> list[str]:
    found = section.search(text)
    return [] if found is None else list(dict.fromkeys(KEYED.findall(found.group(1))))


DECLINES = re.compile(
    r"\bI (?:cannot|can't|do not know|don't know)\b|\[no answer\]|无法|不知道", re.I
)
#: Whoever declines does so at once.
WORTH_LOOKED_AT = 400
#: How far the finding for one criterion may lie from the finding for the whole, each way.
OF_CRITERION = 0.12
OF_SAMPLE = 0.1
#: Of two answers: what the first one has ahead, how near a tie is, how far much better.
FIRST_AHEAD, TIED, MUCH_AHEAD = 0.03, 0.04, 0.25


@dataclass(frozen=True, slots=True)
class Worth:
    """A judge's view of a text, from 0 to 1, that each criterion and each sample moves a little."""

    overall: float
    text: str
    script: Script
    #: What tells one sample from another.
    sample: tuple[str, int]
    #: 0 makes all samples alike, as it does with a language model.
    heat: float

    def of(self, criterion: str) -> float:
        """Return the finding for one criterion."""
        seed = self.script.seed
        own = chance.number(seed, "criterion", criterion, self.text) - 0.5
        moved = chance.number(seed, "sample", criterion, self.text, self.sample) - 0.5
        found = self.overall + 2 * OF_CRITERION * own + 2 * OF_SAMPLE * self.heat * moved
        return min(max(found, 0.0), 1.0)


def weigh(asked: reading.SeenRequest, script: Script, text: str | None = None) -> Worth:
    """Return how good the judged text of a prompt is, or one of several in it."""
    text = reading.judged_text(asked) if text is None else text
    terms = _terms(text)
    # What a reference says weighs more than what the question alone does.
    if against := _terms(reading.reference_of(asked)):
        near = 0.5 * min(1.0, 1.8 * _f1(terms, against))
    else:
        near = 0.3 * min(1.0, 1.5 * _coverage(terms, _terms(asked.whole.replace(text, " "))))
    luck = (0.3 if against else 0.5) * chance.number(script.seed, text)
    found = near + 0.2 * min(1.0, len(terms) / 40) + luck
    if not text.strip() or DECLINES.search(text, 0, WORTH_LOOKED_AT):
        found *= 0.3
    if script.obey_plan and (said := followed(asked.whole)):
        found += script.obey_plan * (sum(said) / len(said) - found)
    heat = 1.0 if asked.temperature is None else min(1.0, asked.temperature * 2)
    return Worth(found, text, script, (asked.sha, asked.sample), heat)


def _terms(text: str) -> set[str]:
    """Return words, and for Chinese pairs of signs."""
    signs = reading.CJK.findall(text)
    return {word.lower() for word in reading.WORD.findall(text)} | {
        first + second for first, second in pairwise(signs)
    }


def _f1(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other))


def _coverage(terms: set[str], of: set[str]) -> float:
    return len(terms & of) / len(terms) if terms else 0.0


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


class ObjectWriter:
    """Writes one object; keeps together what all its parts need."""

    def __init__(self, asked: reading.SeenRequest, script: Script, worth: Worth) -> None:
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
            return question(self._asked, self._script)
        if "plan" in key:
            return plan(self._asked)
        if "answer" in key or "response" in key:
            return answer(self._asked, self._script)
        about = _criterion(name) or whole(self._asked)
        return reason(about, self._found(name), self._worth.text, self._asked, self._script)

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
        if {"A", "B"} <= {one for one in real if isinstance(one, str)}:
            return self._better(real)
        try:
            ordered = sorted(real, key=float)
        except (TypeError, ValueError):
            return chance.pick(real, self._script.seed, "chosen", name, self._worth.text)
        return ordered[math.floor(self._found(name) * (len(ordered) - 1) + 0.5)]

    def _better(self, allowed: Sequence[str]) -> str:
        """Return which of two answers is better: by their worth, the first one a little favoured."""
        texts: dict[str, str] = {"A": "", "B": ""}
        for name, text in reading.material_of(self._asked):
            side = name.removeprefix("ANSWER ")[:1]
            if name.startswith("ANSWER ") and side in texts:
                texts[side] += text
        worth = {
            side: weigh(self._asked, self._script, text).overall for side, text in texts.items()
        }
        ahead = worth["A"] - worth["B"] + FIRST_AHEAD
        if abs(ahead) < TIED and "tie" in allowed:
            return "tie"
        side = "A" if ahead > 0 else "B"
        much = f"{side} much"
        return much if abs(ahead) > MUCH_AHEAD and much in allowed else side

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
