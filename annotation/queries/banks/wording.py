"""What is wrong in a bank file, said to people: what, and how to mend it."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.rules.banks.shapes import Fault

WORDS = {
    "no_json": gettext_lazy("The line is no JSON. Write one object on each line."),
    "no_object": gettext_lazy("An object is expected here, in braces."),
    "no_list": gettext_lazy("A list is expected here, in brackets."),
    "no_text": gettext_lazy("A text is expected here, in quotes."),
    "bad_characters": gettext_lazy("The text holds characters that cannot be kept. Take them out."),
    "unseen_sign": gettext_lazy(
        "The name holds a sign that cannot be seen. Type it again without it."
    ),
    "too_long": gettext_lazy("The text is too long. Shorten it."),
    "empty": gettext_lazy("The text is empty. Write something, or leave the record out."),
    "not_like": gettext_lazy("This does not look as expected. Take it as it was exported."),
    "no_choice": gettext_lazy("This is none of the values that are known here."),
    "no_number": gettext_lazy("A whole number that fits is expected here."),
    "no_decimal": gettext_lazy('A number in quotes is expected here, such as "0.5".'),
    "no_flag": gettext_lazy("Write true or false."),
    "no_day": gettext_lazy("A day is expected here, such as 2026-03-31."),
    "no_moment": gettext_lazy(
        "A date and time with its distance from UTC is expected here, such as 2026-03-31T09:00:00+00:00."
    ),
    "no_such_length": gettext_lazy("The list has too few or too many entries."),
    "missing": gettext_lazy("This field is missing. Add it."),
    "unknown_field": gettext_lazy("No such field is known; it would be lost. Take it out."),
    "too_deep": gettext_lazy("Lists and objects stand too deep in each other. Make it flatter."),
    "twice": gettext_lazy("This stands here twice. Leave one of them out."),
    "nowhere": gettext_lazy("This refers to something that the file does not hold."),
    "not_rising": gettext_lazy("Versions are numbered upwards, each number once."),
    "bad_range": gettext_lazy("The lower end must lie below the upper end."),
    "other_sha": gettext_lazy("The checksum does not fit the text and dates of the version."),
    "under_way": gettext_lazy("Only the last version of a question may be under way."),
    "dates_and_state": gettext_lazy("The dates of the version do not fit its state."),
    "own_work": gettext_lazy("Nobody inspects their own question."),
    "no_reason": gettext_lazy("A line that failed says why."),
    "other_count": gettext_lazy("The manifest names another number of records."),
}


def said(fault: Fault) -> str:
    """Return a fault as a sentence, with what was found."""
    words = str(WORDS[fault.code])
    return (
        _("%(words)s Found: %(found)s") % {"words": words, "found": fault.found}
        if fault.found
        else words
    )


PARTS = {
    "people": gettext_lazy("People"),
    "checklists": gettext_lazy("Checklists"),
    "rubrics": gettext_lazy("Rubrics"),
    "domains": gettext_lazy("Areas"),
    "capabilities": gettext_lazy("Capabilities"),
    "collections": gettext_lazy("Collections of sources"),
    "sources": gettext_lazy("Sources"),
    "plan": gettext_lazy("Numbers of the plan"),
    "questions": gettext_lazy("Questions"),
}
