"""The words of what is asked of a file: the question, what it means, and what may be answered."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.files import synonyms
from annotation.files.asks import FileAsk, Told
from annotation.files.look.layouts import Layout

#: Question and explanation by code; options by code and answer. An option that has no words shows itself.
TEXTS = {
    "header": (
        _("Is the first line a heading?"),
        _("It says “%(found)s”. If that is data, columns have no names."),
    ),
    "header_row": (
        _("The columns are named in line %(suggested)s"),
        _("It says “%(found)s”. Rows above are left out."),
    ),
    "header_rows": (
        _("The columns are named in two lines"),
        _("Lower and upper names are joined."),
    ),
    "fill_down": (
        _("Do empty cells repeat the cell above?"),
        _("Some cells in %(columns)s are empty, as in merged cells."),
    ),
    "member": (
        _("Which file of the ZIP?"),
        _("It holds several; each may be imported by itself."),
    ),
    "sheet": (
        _("The file has several sheets or tables"),
        _("Only this is read."),
    ),
    "path": (
        _("%(n)s records are under “%(path)s”"),
        _("The file is one object; these are its rows."),
    ),
    "inner": (
        _("Is each entry under “%(found)s” a row?"),
        _("Each record holds a list; its other values hold for each entry."),
    ),
    "shape": (_("This looks like %(name)s"), _("Its columns are known.")),
    "missing_answers": (
        _("Is “%(found)s” an answer?"),
        _("Some cells of %(column)s hold only such a word."),
    ),
    "differing_questions": (
        _("Questions with another text here: %(n)s"),
        _("The ids are the same, as of %(found)s."),
    ),
    "differing_question": (_("“%(found)s” has another text here"), _("The ids are the same.")),
    "broken": (
        _("Rows that cannot be used: %(n)s of %(of)s"),
        _("What is wrong with each stands below."),
    ),
    "missing": (
        _("These words mean no value"),
        _("%(n)s cells are read so: %(found)s. Words stand between “ | ”."),
    ),
    "no_value": (
        _("Does %(found)s mean “no value”?"),
        _("In %(n)s cells; all others lie between %(low)s and %(high)s."),
    ),
    "comma": (
        _("What does the comma in %(found)s mean?"),
        _("Numbers with a comma: %(n)s. The file does not tell which."),
    ),
    "point": (
        _("What does the point in %(found)s mean?"),
        _("Decimals have a comma; %(n)s numbers have a point and three digits."),
    ),
    "percent": (_("What is %(found)s?"), _("%(n)s numbers are written with a percent sign.")),
    "fraction": (_("What is %(found)s?"), _("%(n)s numbers are written with a stroke.")),
    "leading_number": (
        _("Is the number in “%(found)s” the value?"),
        _("%(n)s cells hold a number and words."),
    ),
    "letters": (
        _("Are C, P, I and N correct, partly, incorrect and no answer?"),
        _("They become 1, 0.5, 0 and 0."),
    ),
    "truth": (
        _("Do %(found)s say yes and no?"),
        _("Yes becomes 1, no 0."),
    ),
    "scale": (
        _("What numbers are “%(found)s”?"),
        _("%(n)s cells hold such words."),
    ),
    "date_order": (
        _("What comes first in %(found)s?"),
        _("%(n)s dates can be read both ways."),
    ),
    "days": (
        _("Is %(found)s the day %(day)s?"),
        _("%(n)s dates are counted in days, as spreadsheets do."),
    ),
    "role": (
        _("Who is “%(found)s” in the conversations?"),
        _("The assistant’s last message is the answer."),
    ),
    "readings": (
        _("Do %(found)s count several scores of one answer?"),
        _("Each is kept; their mean counts."),
    ),
    "labels": (
        _("Are the words of %(criterion)s labels?"),
        _("A criterion is made of them: %(found)s."),
    ),
    "machine_choices": (
        _("Are %(found)s people?"),
        _("%(n)s choices. Those of machines are not counted with people’s."),
    ),
    "choice_numbers": (
        _("What do %(found)s mean?"),
        _("%(n)s choices are numbers."),
    ),
    "choice_names": (
        _("What do %(found)s mean?"),
        _("%(n)s choices name a side and the system at the other."),
    ),
    "same_system": (_("Are %(found)s one system?"), _("The names are nearly the same.")),
    "same_rater": (_("Are %(found)s one person?"), _("The names are nearly the same.")),
    "same_criterion": (_("Are %(found)s one criterion?"), _("The names are nearly the same.")),
}
_OURS = {
    "new": _("Keep both: the file’s is a new version"),
    "ours": _("Keep ours, with these answers"),
}
OPTIONS = {
    "header": {"yes": _("Yes, these are names"), "no": _("No, it is a row")},
    "header_rows": {"2": _("Two lines"), "1": _("Only the upper line")},
    "sheet": {"*": _("All with the same columns; their names become a column")},
    "member": {"*": _("All that are alike; their names become a column")},
    "path": {"*": _("All; what they stand under becomes a column")},
    "inner": {"no": _("No, a record is a row")},
    "fill_down": {"yes": _("Yes, fill them down"), "no": _("No, they are empty")},
    "shape": {"yes": _("Use them"), "no": _("Choose the columns myself")},
    "missing_answers": {"missing": _("No, there is no answer"), "answer": _("Yes, it was said")},
    "differing_questions": _OURS,
    "differing_question": _OURS,
    "broken": {"leave_out": _("Leave them out"), "stop": _("Mend the file first")},
    "no_value": {"missing": _("Yes, there is no value"), "grade": _("No, it is a value")},
    "comma": {
        "decimal": _("It stands before the decimals"),
        "thousand": _("It divides thousands"),
    },
    "point": {
        "decimal": _("It stands before the decimals"),
        "thousand": _("It divides thousands"),
    },
    "percent": {
        "share": _("A share: 85 of 100 is 0.85"),
        "number": _("The number before the sign"),
    },
    "fraction": {
        "share": _("A share: 9/10 is 0.9"),
        "first": _("The number before the stroke"),
    },
    "leading_number": {"yes": _("Yes"), "no": _("No, refuse such cells")},
    "letters": {"yes": _("Yes"), "no": _("No, refuse such cells")},
    "truth": {"yes": _("Yes"), "no": _("No, refuse such cells")},
    "scale": {key: synonyms.steps(key) for key in synonyms.SCALES}
    | {"no": _("None, refuse such cells")},
    "date_order": {"day": _("The day"), "month": _("The month")},
    "days": {"yes": _("Yes"), "no": _("No, refuse such cells")},
    "role": {"assistant": _("The assistant"), "user": _("The user")},
    "readings": {"yes": _("Yes"), "no": _("No, they are numbers of answers")},
    "labels": {
        "LABEL": _("Yes, one at a time"),
        "LABELS": _("Yes, several at once"),
        "no": _("No, refuse such cells"),
    },
    "machine_choices": {
        "leave_out": _("No, leave their choices out"),
        "people": _("Yes, people"),
    },
    "choice_numbers": {
        "one_two": _("1 is A, 2 is B; 0, 1.5 or 3 is a tie"),
        "zero_one": _("0 is A, 1 is B"),
        "one_zero": _("1 is A, 0 is B"),
        "steps": _("1 A much better, 2 A, 3 the same, 4 B, 5 B much better, 6 both bad"),
        "minus_a": _("Below 0 is A, above 0 is B"),
        "minus_b": _("Below 0 is B, above 0 is A"),
    },
    "choice_names": {"systems": _("Systems"), "sides": _("Sides")},
    "same_system": {"same": _("Yes, one system"), "apart": _("No, two")},
    "same_rater": {"same": _("Yes, one person"), "apart": _("No, several")},
    "same_criterion": {"same": _("Yes, one criterion"), "apart": _("No, several")},
}


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    label: str
    chosen: bool
    hint: str = ""


@dataclass(frozen=True, slots=True)
class AskedFile:
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

    def as_dict(self) -> dict[str, Any]:
        """Return it for programs: its key is that of the answer, which is one of the options' values."""
        return {
            "key": self.key,
            "question": self.title,
            "text": self.text,
            "options": [{"value": one.value, "label": one.label} for one in self.options],
            "answer": self.answer,
        }

    def lines(self) -> list[str]:
        """Return the question, and a line for each of its options."""
        said = f"{self.title} {self.text}".strip()
        return [said, *(f"{one.value}: {one.label}" for one in self.options)]


ENCODING: Final = "encoding"


def of_file(layout: Layout, asks: Iterable[Mapping[str, Any]], told: Told) -> list[AskedFile]:
    """Return all that is asked of a file: of how it is written, then of what the check found in it.

    Args:
        layout: how it is written.
        asks: those of the report of its last check.
        told: what was answered.
    """
    found = [*layout.asks, *(FileAsk.from_dict(one) for one in asks)]
    encoding = [of_encoding(layout, told)] if layout.readings else []
    return [*encoding, *(worded(one, told) for one in found)]


def of_encoding(layout: Layout, told: Told) -> AskedFile:
    """Return the question how a text reads that is no Unicode."""
    answer = "" if layout.doubtful else layout.encoding
    options = [
        Option(one.encoding, one.sample, one.encoding == answer, one.encoding.upper())
        for one in layout.readings
    ]
    text = gettext("Not in UTF-8. If none is right, save it as UTF-8.")
    title, said = gettext("Which line reads right?"), bool(told.get(ENCODING))
    return AskedFile(ENCODING, title, text, options, answer, said)


def worded(ask: FileAsk, told: Told) -> AskedFile:
    """Return a question in the language of whoever reads it."""
    title, text = TEXTS[ask.code]
    facts = {**ask.facts, "found": ask.found, "column": ask.column, "suggested": ask.suggested}
    labels = OPTIONS.get(ask.code, {})
    answer = ask.answer(told)
    return AskedFile(
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
