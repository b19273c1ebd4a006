"""Surveys that people graded in: Qualtrics, SurveyMonkey, Google Forms, LimeSurvey, Mechanical Turk, Toloka, Prodigy.

Neither says for certain which column is whose: what is called so is taken, the rest is asked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes, synonyms
from annotation.files.columns import Target
from annotation.files.shapes import Row, Rows, Sample, Shape

_IMPORT_ID: Final = '{"ImportId"'
#: What is no answer of a participant: previews and tests, as words and as codes.
_PREVIEWS: Final = frozenset({"survey preview", "survey test", "preview", "1", "2", "9"})
_QUESTION: Final = re.compile(r"(?:(?P<loop>\d+)_)?Q(?:ID)?\d+(?:[._#]\d+)*")
_COMMENT: Final = re.compile(r"(?:\d+_)?Q(?:ID)?\d+(?:[._#]\d+)*_TEXT")
#: The id of a question by Qualtrics, whatever its column is called; what it notes of clicks is none.
_ASKED: Final = re.compile(r'"(?:(?P<loop>\d+)_)?QID\d+(?:[._#-]\d+)*"')
_RATERS: Final = ("prolific_pid", "workerid", "rater_id", "participant_id")
_FACTS: Final = (Target.ITEM, Target.SYSTEM, Target.RELEASE, Target.RATER, Target.CRITERION)


def _is_qualtrics(sample: Sample) -> bool:
    """Say whether the third line of a table has the ids of its columns."""
    if not sample.is_table or len(sample.records) < 2:
        return False
    ids = [str(cell or "").replace(" ", "") for cell in sample.records[1].values()]
    return all(cell.startswith(_IMPORT_ID) or not cell for cell in ids) and any(ids)


def _begin_qualtrics() -> Rows:
    """Return what makes grades of responses, by the ids of columns in the second line below their names."""
    heads: list[Mapping[str, Any]] = []
    asked: dict[str, str] = {}

    def rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
        if len(heads) > 1:
            yield from _response(record, asked)
            return
        heads.append(record)
        for name, cell in record.items() if len(heads) > 1 else ():
            if found := _ASKED.search(str(cell or "")) or _QUESTION.fullmatch(name):
                asked[name] = found["loop"] or ""

    return rows


def _response(record: Mapping[str, Any], asked: Mapping[str, str]) -> Iterator[Row]:
    """Yield the grades of a response: of its one question by the named criterion, or one a question.

    Args:
        asked: the columns of questions, each with the turn of a loop that it is of.
    """
    kinds = (record.get("Status"), record.get("DistributionChannel"))
    if any(str(one or "").strip().casefold() in _PREVIEWS for one in kinds):
        return
    at = record.get("RecordedDate") or record.get("StartDate")
    facts: Row = {"at": at, **_facts(record)}
    named = {name for target in _FACTS for name in record if _is_called(name, target, *_RATERS)}
    answers = {name: record.get(name) for name in asked if name not in named}
    value = next((name for name in record if _is_called(name, Target.VALUE)), "")
    said = [str(one) for name, one in record.items() if one and _COMMENT.fullmatch(name)]
    comment = "\n".join(said)
    if value:
        yield {**facts, "value": record[value], "comment": comment}
    elif "criterion" in facts and len(answers) == 1:
        yield {**facts, "value": next(iter(answers.values())), "comment": comment}
    else:
        for name, answer in answers.items():
            if answer not in (None, ""):
                loop = {"loop": asked[name]} if asked[name] else {}
                criterion = name.removeprefix(f"{asked[name]}_")
                yield {**facts, **loop, "criterion": criterion, "value": answer, "comment": comment}


def _facts(record: Mapping[str, Any]) -> Row:
    """Return what the columns say that are called so: which question and whose answer, and who graded."""
    found: Row = {}
    for target in _FACTS:
        more = _RATERS if target == Target.RATER else ()
        if _has(record, target, *more):
            found[target.value] = shapes.named(record, target, *more)
    return found


def _has(record: Mapping[str, Any], target: Target, *more: str) -> bool:
    return any(_is_called(name, target, *more) for name in record)


def _is_called(name: str, target: Target, *more: str) -> bool:
    return shapes.fold(name) in {*synonyms.GRADE_NAMES[target].split(), *more}


#: How the first column of a form's answers is called, in the languages of Google Forms.
_TIMES: Final = frozenset(
    {
        "timestamp",
        "zeitstempel",
        "horodateur",
        "marca temporal",
        "carimbo de data/hora",
        "informazioni cronologiche",
        "отметка времени",
        "tijdstempel",
        "sygnatura czasowa",
        "时间戳记",
        "タイムスタンプ",
        "타임스탬프",
    }
)
#: How a form asks who fills it in, and what that becomes where nothing else says so.
_WHO: Final = frozenset(
    ("name", "full_name", "first_and_last_name", "nombre", "nom", "nome", "имя", "姓名", "名前")
)
_RATER: Final = "your name"
_MOMENT: Final = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4},? \d{1,2}[:.]\d{2}.*")
#: A row of a grid of questions: what was asked of all, and of which.
_GRID: Final = re.compile(r"(?P<question>.*\S)\s*\[(?P<row>[^\]]+)\]", re.DOTALL)


def _is_form(sample: Sample) -> bool:
    """Say whether the first column has the moments of a form, and another one a grade."""
    if not sample.is_table or len(sample.columns) < 3 or not sample.records:
        return False
    first, *others = sample.columns
    moments = [str(one[first] or "") for one in sample.records]
    graded = any(_GRID.fullmatch(name) or _is_called(name, Target.VALUE) for name in others)
    return first.casefold() in _TIMES and all(map(_MOMENT.match, moments)) and graded


def _form(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield an answer to a form; each row of a grid of questions is a grade, on a criterion or of a system."""
    grid = [(found, record[name]) for name in record if (found := _GRID.fullmatch(name))]
    facts = {name: one for name, one in record.items() if not _GRID.fullmatch(name)}
    if not _has(
        record, Target.RATER
    ):  # what is only called a name is that of whoever filled the form in
        facts = {_RATER if shapes.fold(name) in _WHO else name: one for name, one in facts.items()}
    if not grid:
        yield facts
    for found, value in grid:
        if value not in (None, ""):
            asked = {shapes.GRID: found["question"], shapes.GRID_ROW: found["row"]}
            yield {**facts, **asked, "value": value}


#: What Microsoft Forms notes of each answer to a form, and what it writes where nobody had to sign in.
_NOTED: Final = ("id", "start_time", "completion_time", "email", "name", "last_modified_time")
_ANONYMOUS: Final = "anonymous"


def _is_microsoft(sample: Sample) -> bool:
    return sample.is_table and set(_NOTED[:3]) <= {shapes.fold(name) for name in sample.columns}


def _microsoft(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield an answer to a form; who gave it is a number where nobody had to sign in."""
    noted = {shapes.fold(name): one for name, one in record.items() if shapes.fold(name) in _NOTED}
    who = [noted.get("email"), noted.get("name"), f"response {noted['id']}"]
    rater = next(one for one in who if one and str(one).casefold() != _ANONYMOUS)
    asked = {name: one for name, one in record.items() if shapes.fold(name) not in _NOTED}
    yield {"rater": rater, "at": noted["completion_time"], **asked}


# SurveyMonkey ---------------------------------------------------------------------------------

_RESPONDENT: Final = "Respondent ID"
_OF_MONKEY: Final = re.compile(
    r"(?:respondent|collector) id|(?:start|end) date|date (?:created|modified)|ip address"
    r"|email address|(?:first|last) name|custom data(?: \d+)?",
    re.IGNORECASE,
)
#: What stands below the name of a question with one answer; below one with several stands each row of it.
_ONE: Final = frozenset({"response", "open-ended response", ""})


def _is_monkey(sample: Sample) -> bool:
    return sample.is_table and sample.has(_RESPONDENT) and "Collector ID" in sample.columns


def _begin_monkey() -> Rows:
    """Return what makes grades of responses, by the rows of questions in the first line below their names."""
    below: dict[str, tuple[str, str]] = {}

    def rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
        if not below:
            below.update(_rows_of_questions(record))
            return
        at = record.get("End Date") or record.get("Date Created")
        facts = {"rater": record.get(_RESPONDENT), "at": at}
        facts |= {key: said for key, said in _facts(record).items() if said}
        for name, (asked, row) in below.items():
            if record.get(name) not in (None, ""):
                yield {**facts, shapes.GRID: asked, shapes.GRID_ROW: row, "value": record[name]}

    return rows


def _rows_of_questions(head: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each column of answers with its question and row; a column without a name goes on with the last."""
    question = ""
    for name, cell in head.items():
        row = str(cell or "").strip()
        question = question if _NAMELESS.fullmatch(name) else name
        called = any(_is_called(question, target, *_RATERS) for target in (*_FACTS, Target.COMMENT))
        if called or _OF_MONKEY.fullmatch(question) or row.casefold() == "open-ended response":
            continue
        yield name, ("", question) if row.casefold() in _ONE else (question, row)


_NAMELESS: Final = re.compile(r"column \d+")

#: The columns of every file of LimeSurvey's.
_OWN: Final = frozenset(
    [
        "id",
        "submitdate",
        "lastpage",
        "startlanguage",
        "seed",
        "startdate",
        "datestamp",
        "ipaddr",
        "refurl",
        "token",
    ]
)


#: Those columns where a file has words in place of codes.
_IN_WORDS: Final = {
    "response id": "id",
    "date submitted": "submitdate",
    "last page": "lastpage",
    "start language": "startlanguage",
    "date started": "startdate",
    "date last action": "datestamp",
    "ip address": "ipaddr",
    "referrer url": "refurl",
    "access code": "token",
}


def _is_limesurvey(sample: Sample) -> bool:
    """Say whether a table has the moments of responses, grids of questions, and what was graded."""
    coded = {_code(name) for name in sample.columns}
    graded = any(map(_GRID.fullmatch, sample.columns))
    about = _has(_asked(sample.first), Target.ITEM)
    return sample.is_table and {"id", "submitdate"} <= coded and graded and about


def _code(name: str) -> str:
    """Return the code of a column: "submitdate. Date submitted" has both code and words."""
    code = name.partition(".")[0].strip().casefold()
    return _IN_WORDS.get(code, code)


def _asked(record: Mapping[str, Any]) -> Row:
    """Return what was asked beside the grids, by the code of each question and by its words."""
    said = {name: one for name, one in record.items() if not _GRID.fullmatch(name)}
    said = {name: one for name, one in said.items() if _code(name) not in _OWN}
    words = {name.partition(".")[2].strip(): one for name, one in said.items() if "." in name}
    return {**words, **{_code(name): one for name, one in said.items()}}


def _submitted(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the grades of a response that was submitted, one for each row of its grids."""
    coded = {_code(name): one for name, one in record.items()}
    if coded["submitdate"] in (None, ""):
        return
    who = next((coded[one] for one in ("token", *_RATERS, "id") if coded.get(one)), "")
    asked = _asked(record)
    about = {one.value: shapes.named(asked, one) for one in _FACTS if _has(asked, one)}
    facts = {**about, "rater": about.get("rater") or who, "at": coded["submitdate"]}
    for name, value in record.items():
        if (found := _GRID.fullmatch(name)) and value not in (None, ""):
            yield {**facts, "criterion": found["row"], "value": value}


#: What stands before the names of columns: of what was shown, what was answered, and of the assignment.
_INPUT: Final = re.compile(r"input[.:]", re.IGNORECASE)
_OUTPUT: Final = re.compile(r"(?:answer|output)[.:]", re.IGNORECASE)
_STATUS: Final = ("AssignmentStatus", "ASSIGNMENT:status")
_WORKER: Final = ("WorkerId", "ASSIGNMENT:worker_id")
_GIVEN_AT: Final = ("SubmitTime", "ASSIGNMENT:submitted")


def _is_crowd(sample: Sample) -> bool:
    """Say whether columns have what workers were shown, what they answered, and who they are."""
    shown = any(map(_INPUT.match, sample.columns)) and any(map(_OUTPUT.match, sample.columns))
    return shown and any(sample.has(name) for name in _WORKER)


def _assignment(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the grades of an assignment, unless whoever asked for it has rejected it."""
    if str(_of(record, _STATUS)).strip().casefold() == "rejected":
        return
    shown = {_INPUT.sub("", name): one for name, one in record.items() if _INPUT.match(name)}
    facts = {
        "item": shapes.named(shown, Target.ITEM),
        "system": shapes.named(shown, Target.SYSTEM),
        "rater": _of(record, _WORKER),
        "at": _of(record, _GIVEN_AT),
    }
    given = {_OUTPUT.sub("", name): one for name, one in record.items() if _OUTPUT.match(name)}
    for criterion, value in _chosen(given):
        yield {**facts, "criterion": criterion, "value": value}


def _chosen(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what was answered to each question; of options with yes and no, as forms write them, the chosen one."""
    written = shapes.objects_in(shapes.parsed(given.get("taskAnswers")))
    options: dict[str, dict[str, Any]] = {}
    for name, value in (written[0] if written else given).items():
        question, _sign, option = name.rpartition(".")
        if question and option != "label" and str(value).casefold() in {"true", "false"}:
            options.setdefault(question, {})[option] = value
        elif isinstance(value, Mapping) and "label" not in value:
            options[name] = dict(value)
        else:
            said = value["label"] if isinstance(value, Mapping) else value
            if said not in (None, ""):
                yield name.removesuffix(".label"), said
    for question, ticked in options.items():
        if len(ticked) == 1:  # a box of its own
            yield from (
                (f"{question}.{option}".removesuffix(".on"), one) for option, one in ticked.items()
            )
            continue
        chosen = [option for option, said in ticked.items() if str(said).casefold() == "true"]
        if chosen:
            yield question, chosen if len(chosen) > 1 else chosen[0]


def _of(record: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), "")


# Prodigy --------------------------------------------------------------------------------------


def _is_prodigy(sample: Sample) -> bool:
    return sample.has("_input_hash", "_task_hash", "answer")


def _prodigy(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the option that somebody chose, or 1 or 0 where they accepted or rejected; what they ignored is none."""
    meta = record.get("meta")
    about = {**record, **(meta if isinstance(meta, Mapping) else {})}
    chosen, said = record.get("accept"), record.get("answer")
    if said == "ignore" or (isinstance(chosen, list) and (said != "accept" or not chosen)):
        return
    several = chosen[0] if isinstance(chosen, list) and len(chosen) == 1 else chosen
    yield {
        "item": shapes.named(about, Target.ITEM, "text"),
        "system": shapes.named(about, Target.SYSTEM),
        "rater": _of(record, ("_annotator_id", "_session_id")),
        "criterion": record.get("label") or "choice",
        "value": several if isinstance(chosen, list) else int(said == "accept"),
        "at": _of(record, ("_timestamp",)),
    }


SHAPES: Final = (
    shapes.grades("prodigy", "Prodigy", _is_prodigy, _prodigy),
    shapes.grades("crowd", "Mechanical Turk or Toloka", _is_crowd, _assignment),
    shapes.grades("qualtrics", "Qualtrics", _is_qualtrics, begin=_begin_qualtrics),
    # Their columns have the words of whoever made the survey: what stands in them tells where they belong.
    Shape("surveymonkey", "SurveyMonkey", "GRADES", _is_monkey, begin=_begin_monkey),
    shapes.grades("limesurvey", "LimeSurvey", _is_limesurvey, _submitted),
    Shape("google_forms", "Google Forms", "GRADES", _is_form, _form),
    Shape("microsoft_forms", "Microsoft Forms", "GRADES", _is_microsoft, _microsoft),
)
