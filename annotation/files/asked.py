"""The words of what is asked of a file: the question, what it means, and what may be answered."""

from dataclasses import dataclass, field

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.files.asks import Ask, Told

#: Question and explanation by code; options by code and answer. An option that has no words shows itself.
TEXTS = {
    "header": (
        _("Is the first line a heading?"),
        _("It says “%(found)s”. If it is a row already, the columns have no names."),
    ),
    "header_row": (
        _("The columns are named in line %(suggested)s"),
        _("It says “%(found)s”. What stands above it is left out."),
    ),
    "header_rows": (
        _("The columns are named in two lines"),
        _("The lower name and the upper one are put together."),
    ),
    "fill_down": (
        _("Do empty cells below mean the same as above?"),
        _("In %(columns)s some cells are empty, as merged cells leave them."),
    ),
    "sheet": (_("The workbook has several sheets"), _("This one looks like a table.")),
    "path": (
        _("%(n)s records are under “%(path)s”"),
        _("The file is one object; these are used as its rows."),
    ),
    "shape": (_("This looks like %(name)s"), _("Its columns are known.")),
    "missing_answers": (
        _("Is “%(found)s” an answer?"),
        _("Some cells of %(column)s hold only such a word, as programs write it for nothing."),
    ),
    "differing_questions": (
        _("%(n)s questions have another text here"),
        _("%(found)s, for example. Their ids are the same."),
    ),
    "broken": (
        _("%(n)s of %(of)s rows cannot be used"),
        _("What is wrong with each stands below."),
    ),
}
OPTIONS = {
    "header": {"yes": _("Yes, these are names"), "no": _("No, it is a row")},
    "header_rows": {"2": _("Two lines"), "1": _("Only the upper line")},
    "fill_down": {"yes": _("Yes, fill them down"), "no": _("No, they are empty")},
    "shape": {"yes": _("Use them"), "no": _("Choose the columns myself")},
    "missing_answers": {"missing": _("No, there is no answer"), "answer": _("Yes, it was said")},
    "differing_questions": {
        "new": _("Keep both: the file's text is a further version"),
        "ours": _("Keep ours, and take the answers for it"),
    },
    "broken": {"leave_out": _("Leave them out"), "stop": _("Mend the file first")},
}


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    chosen: bool
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in words; `sure` where somebody answered it, `checked` where a suggestion is taken."""

    key: str
    title: str
    text: str
    options: list[Option] = field(default_factory=list)
    answer: str = ""
    answered: bool = False

    @property
    def is_open(self) -> bool:
        return not self.answer


def worded(ask: Ask, told: Told) -> Asked:
    """Return a question in the language of whoever reads it."""
    title, text = TEXTS[ask.code]
    facts = {**ask.facts, "found": ask.found, "column": ask.column, "suggested": ask.suggested}
    labels = OPTIONS.get(ask.code, {})
    answer = ask.answer(told)
    return Asked(
        ask.key,
        gettext(title) % facts,
        gettext(text) % facts,
        [
            Option(one, gettext(labels[one]) if one in labels else one, one == answer)
            for one in ask.options
        ],
        answer,
        answered=bool(told.get(ask.key)) and answer == told.get(ask.key),
    )
