"""Plain text of a scripted model: answers, questions, reasons and plans, in English or Chinese."""

import re
from functools import lru_cache

from scoring.llm.scripts import chance, reading
from scoring.llm.scripts.script import Script

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


def answer(asked: reading.Asked, script: Script) -> str:
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


def question(asked: reading.Asked, script: Script) -> str:
    """Return one question about what was said last."""
    text = reading.judged_text(asked)
    forms = QUESTIONS_ZH if reading.is_chinese(text) else QUESTIONS
    return _fill(chance.pick(forms, script.seed, asked.sha, asked.sample), text, asked, script)


def reason(name: str, worth: float, text: str, asked: reading.Asked, script: Script) -> str:
    """Return one sentence that explains a finding."""
    chinese = reading.is_chinese(asked.brief)
    forms, grades = (REASONS_ZH, GRADES_ZH) if chinese else (REASONS, GRADES)
    form = chance.pick(forms, script.seed, "reason", name, asked.sha, asked.sample)
    grade = grades[min(int(worth * len(grades)), len(grades) - 1)]
    return _fill(form.replace("{name}", name).replace("{grade}", grade), text, asked, script)


def whole(asked: reading.Asked) -> str:
    """Return what a finding is about when it is about no single criterion."""
    return "整体" if reading.is_chinese(asked.brief) else "the whole"


def plan(asked: reading.Asked) -> str:
    return "\n".join(PLANS_ZH if reading.is_chinese(asked.last) else PLANS)


def refusal(asked: reading.Asked) -> str:
    return (
        "很抱歉，我无法评价这段内容。"
        if reading.is_chinese(asked.brief)
        else "I'm sorry, but I can't help with judging this text."
    )


def _sentences(forms: tuple[str, ...], text: str, asked: reading.Asked, script: Script) -> str:
    start = int(chance.number(script.seed, asked.sha, asked.sample) * len(forms))
    n_sentences = 1 + int(4 * chance.number(script.seed, "length", asked.sha, asked.sample))
    chosen = [forms[(start + step) % len(forms)] for step in range(n_sentences)]
    joined = ("" if forms is ANSWERS_ZH else " ").join(chosen)
    return _fill(joined, text, asked, script)


def _fill(form: str, text: str, asked: reading.Asked, script: Script) -> str:
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
