"""The words for what is wrong with a file: what it is, and how to mend it."""

from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.queries.imports import (
    wording_of_choices,
    wording_of_figures,
    wording_of_questions,
    wording_of_scores,
    wording_of_texts,
)
from annotation.rules.tabular.problems import Problem

TEXTS = {
    **wording_of_choices.TEXTS,
    **wording_of_figures.TEXTS,
    **wording_of_questions.TEXTS,
    **wording_of_scores.TEXTS,
    **wording_of_texts.TEXTS,
    # The file as a whole
    "empty": (_("The file is empty."), _("Choose a file with a header and at least one row.")),
    "unknown_file_type": (
        _("“%(found)s” is not a kind of file that can be brought in."),
        _("Save it as CSV, JSONL, JSON or XLSX; text files may be compressed with gzip."),
    ),
    "not_text": (_("This is not a text file."), _("Save the table as CSV, JSONL or XLSX.")),
    "old_workbook": (_("This is a workbook in the old XLS format."), _("Save it as XLSX.")),
    "parquet": (_("Parquet files cannot be read here."), _("Save the table as CSV or JSONL.")),
    "no_workbook": (
        _("The name ends in .xlsx but the content is no workbook."),
        _("Save it as XLSX again, or give a text file its proper ending."),
    ),
    "damaged_workbook": (
        _("The workbook is damaged or protected by a password."),
        _("Open it, take the password off and save it again as XLSX."),
    ),
    "damaged_archive": (_("The compressed file is damaged."), _("Compress it again.")),
    "unpacked_too_large": (
        _("Unpacked, the file is larger than %(most)s MB."),
        _("Split it into several files."),
    ),
    "packed_too_well": (
        _("A part of the workbook unpacks to more than 200 times its size."),
        _("Save the table as CSV."),
    ),
    "workbook_too_heavy": (
        _("The workbook takes too much time or memory to open."),
        _("Save the table as CSV, or split it."),
    ),
    "workbooks_wait": (
        _("Other large workbooks are being opened at this moment."),
        _("Try again in a minute, or save the table as CSV."),
    ),
    "unknown_encoding": (
        _("The encoding of the text was not recognised."),
        _("Save the file as UTF-8."),
    ),
    "no_rows": (_("There are no rows below the header."), _("Add the rows and try again.")),
    "duplicate_header": (
        _("Two columns are called “%(found)s”."),
        _("Give each column a name of its own."),
    ),
    "too_many_columns": (
        _("There are %(n)s columns; at most %(most)s can be read."),
        _("Take out the columns that are not needed."),
    ),
    "broken_quotes": (
        _(
            "A quotation mark in this row is opened or closed at the wrong place; reading stopped here."
        ),
        _("Put each text with quotation marks between quotation marks and double those inside."),
    ),
    "cell_too_long": (
        _("A cell that begins here does not end; reading stopped."),
        _("Look for a quotation mark that is not closed."),
    ),
    "broken_list": (
        _("The JSON list breaks off or is damaged here; reading stopped."),
        _("Check the brackets and commas, or write one object on each line."),
    ),
    # A row as a whole
    "undecodable": (
        _("This row holds bytes that are no text in the encoding of the file."),
        _("Save the whole file as UTF-8 again from where it was made."),
    ),
    "line_too_long": (
        _("This line is longer than 8 MB."),
        _("Check for a missing line break, or shorten the text."),
    ),
    "too_many_cells": (
        _("The row has %(n)s cells, the header %(expected)s."),
        _("Put texts that hold the dividing sign between quotation marks."),
    ),
    "too_few_cells": (
        _("The row has %(n)s cells, the header %(expected)s."),
        _("Fill the row up with empty cells, or close an open quotation mark."),
    ),
    "broken_json": (
        _("This line is no valid JSON (from sign %(place)s)."),
        _("Write one complete object on each line."),
    ),
    "not_an_object": (
        _("This is no object with named values."),
        _('Write each record as an object, such as {"question": …}.'),
    ),
    "duplicate_key": (_("An object has the same name twice."), _("Remove one of the two.")),
    "duplicate_column": (
        _("Two values of this record come to stand in the same column."),
        _("Rename one: names with dots stand for values inside values."),
    ),
    "not_finite": (_("Infinity is no value."), _("Leave the value out or write null.")),
    "too_deep": (
        _("The values are nested too deeply to be read."),
        _("Take the needed values to the top of the record."),
    ),
    "new_column": (
        _("The column appears here for the first time and has no place yet."),
        _("It is now offered in the mapping; say what it holds, or ignore it."),
    ),
    # A cell
    "empty_cell": (_("The cell is empty."), _("Fill it, or remove the row.")),
    "formula": (
        _("The cell holds a formula: %(found)s"),
        _("Replace formulas by their values before saving."),
    ),
    "cell_error": (_("The cell holds an error: %(found)s"), _("Correct it in the workbook.")),
    "zero_byte": (_("The text holds a zero byte."), _("Remove it; it is not visible.")),
    "unseen_sign": (
        _("“%(found)s” holds a sign that cannot be seen (%(sign)s)."),
        _("Type the name again without it."),
    ),
    "half_character": (
        _("The text holds half of a character."),
        _("Replace the broken sign; it often stands for an emoji that was cut."),
    ),
    "text_too_long": (
        _("The text is longer than %(most)s signs."),
        _("Shorten it or split it."),
    ),
    "name_too_long": (
        _("“%(found)s” is longer than %(most)s signs."),
        _("Choose a shorter name, or another column."),
    ),
    "not_one_value": (
        _("A list or an object stands where one value is needed: %(found)s"),
        _("Map the column to something that may be a list, or to details."),
    ),
    "unknown_difficulty": (
        _("“%(found)s” is no difficulty."),
        _("Write simple, intermediate or difficult."),
    ),
    "unknown_type": (_("“%(found)s” is no type."), _("Write factual or open.")),
    "no_such_day": (_("There is no day %(found)s."), _("Write year-month-day.")),
    "no_moment": (
        _("“%(found)s” is no date and time."),
        _("Write 2026-03-31 or 2026-03-31T14:05:00+00:00."),
    ),
    "no_whole_number": (_("“%(found)s” is no number of a sample."), _("Write 1, 2, 3 and so on.")),
    "not_a_number": (
        _("“%(found)s” is no number."),
        _("Write digits with a point: 2 or 2.5; or say what number the word stands for."),
    ),
    "no_conversation": (
        _("This is no conversation: %(found)s"),
        _("Write a list of messages, each with role and content (or from and value)."),
    ),
    "unknown_role": (
        _("Nobody is known by the role %(found)s."),
        _("Use system, user, assistant or tool."),
    ),
    "empty_message": (_("A message has no text."), _("Write its text, or take the message out.")),
    "media": (
        _("A message holds something other than text: %(found)s"),
        _("Images, sound and files cannot be brought in; leave such messages out."),
    ),
    # Questions and answers
    "empty_response": (
        _("The answer is empty."),
        _(
            "It is brought in as it is and graded as “no answer”. Take the row out if there was none."
        ),
    ),
    "whose_answer": (
        _("It is not said which system gave this answer."),
        _("Fill in the system, or name one for the whole file in the mapping."),
    ),
    "two_versions": (
        _("“%(found)s” stands in line %(first)s with another content."),
        _("Make the rows equal, or give one of them another id."),
    ),
    "row_twice": (_("The row says the same as line %(first)s."), _("Remove one of the two.")),
    "said_twice": (
        _("%(system)s gives the same answer to “%(found)s” in line %(first)s."),
        _("Remove one of the two, or number them as samples."),
    ),
    "said_differently": (
        _("%(system)s answers “%(found)s” differently in line %(first)s."),
        _("Number the answers as samples 1, 2, …, or name another release."),
    ),
    "answer_conflict": (
        _("%(system)s (release %(release)s) has given another answer to this already."),
        _("Name a new release, or give the answer a sample number."),
    ),
    "unknown_item": (
        _("There is no question with the id “%(found)s”."),
        _("Bring in the questions first, or correct the id."),
    ),
    "question_changed": (
        _("“%(found)s” is worded differently from what was answered here."),
        _("Download the sheet once more and have the new wording answered."),
    ),
    "ambiguous_item": (
        _("Several versions of “%(found)s” are known."),
        _("Put the text of the question into the file, so that it is clear which one is meant."),
    ),
    "unknown_capability": (
        _("There is no capability “%(found)s”."),
        _(
            "Correct the name, or tick “Create capabilities and subject areas that are missing” below."
        ),
    ),
    "ambiguous_capability": (
        _("Several capabilities are called “%(found)s”."),
        _("Write the name with its parent: Parent / Name."),
    ),
    "unknown_domain": (
        _("There is no subject area “%(found)s”."),
        _(
            "Correct the name, or tick “Create capabilities and subject areas that are missing” below."
        ),
    ),
    "ambiguous_domain": (
        _("Several subject areas are called “%(found)s”."),
        _("Write the name with its parent: Parent / Name."),
    ),
    "known_item_keeps_labels": (
        _(
            "“%(found)s” is known with another capability, subject area, difficulty, type or date, which stays."
        ),
        _("Change it on the page of the question."),
    ),
    "another_question_under_this_id": (
        _("“%(found)s” is the id of another question already; this one is added beside it."),
        _("Choose another id if they do not belong together."),
    ),
    "another_version_of_this_question": (
        _("“%(found)s” is known with another standard answer or details; this one is added."),
        _("Leave the row out if the older one should do."),
    ),
    # Grades
    "unknown_system": (
        _("There is no system “%(found)s”."),
        _("Bring in its answers first, or correct the name."),
    ),
    "unknown_release": (
        _("%(system)s has no release “%(found)s”."),
        _("Correct the name of the release."),
    ),
    "which_release": (
        _("“%(found)s” has several releases or none."),
        _("Map a column to the release, or name one for the whole file."),
    ),
    "no_response": (
        _("%(system)s has no answer to “%(found)s” that could be graded."),
        _("Bring in the answers first."),
    ),
    "several_responses": (
        _("%(system)s has several answers to “%(found)s”."),
        _("Map a column to the number of the sample."),
    ),
    "off_scale": (_("The grade %(found)s is not on the scale."), _("%(allowed)s")),
    "too_precise": (
        _("The grade %(found)s has more than four decimals."),
        _("Round it to four decimals."),
    ),
    "unknown_criterion": (
        _("The rubric has no criterion “%(found)s”."),
        _("Say in the mapping what it is called there (%(known)s)."),
    ),
    "too_many_criteria": (
        _("The file has more than %(most)s criteria."),
        _("Check whether the right column is mapped to the criterion."),
    ),
    "graded_twice": (
        _("%(found)s has graded this on the same criterion in line %(first)s."),
        _("Keep one of the two grades."),
    ),
    "graded_before": (
        _("An earlier import holds grades by %(found)s of the same answers; both will count."),
        _("Undo the earlier import if it was the same grading."),
    ),
    # The mapping
    "column_without_target": (
        _("The column “%(column)s” has no place yet."),
        _("Say what it holds, or choose to ignore it."),
    ),
    "unknown_target": (
        _("Nothing is called “%(found)s” that the column “%(column)s” could go to."),
        _("Choose one of the places offered."),
    ),
    "target_twice": (_("Two columns go to “%(found)s”."), _("Keep one of them.")),
    "question_and_messages": (
        _("Both a question and a conversation are mapped."),
        _("Keep one of the two."),
    ),
    "no_question_column": (
        _("No column holds the question."),
        _(
            "Map one to the question or the conversation; or map the id and answers to known questions."
        ),
    ),
    "long_and_wide": (
        _("The file is mapped as a long and as a wide table at once."),
        _("Use either one column with the values, or one column for each system or rater."),
    ),
    "no_system_column": (
        _("It is not said which system answered."),
        _("Map a column to the system, or name one for the whole file."),
    ),
    "no_response_column": (
        _("There is a system but no answer."),
        _("Map the column of the answers."),
    ),
    "no_system_name": (
        _("The system whose answers stand in “%(column)s” has no name that can be used."),
        _("Write a name of up to 200 signs."),
    ),
    "system_twice": (
        _("Two columns hold answers of “%(found)s”."),
        _("Name another release for one."),
    ),
    "no_item_column": (
        _("No column says which question is graded."),
        _("Map one to the question."),
    ),
    "no_value_column": (
        _("No column holds grades."),
        _("Map one to the grade, or each column of grades to its rater and criterion."),
    ),
    "no_criterion_column": (_("No column says the criterion."), _("Map one to the criterion.")),
    "no_rater_column": (
        _("It is not said who graded."),
        _("Map a column to the rater, or name one for the whole file."),
    ),
    "no_rater_name": (
        _("The column “%(column)s” has no rater."),
        _("Write who gave these grades."),
    ),
    "no_criterion_name": (_("The column “%(column)s” has no criterion."), _("Write which it is.")),
    "cell_twice": (_("Two columns hold grades of %(found)s."), _("Correct one of them.")),
    "comment_in_wide_table": (
        _("In a wide table a comment belongs to no single grade."),
        _("Ignore the column, or bring in a long table with one grade in each row."),
    ),
    "no_round_name": (_("The grades need a name to be shown under."), _("Write one.")),
    "no_rubric": (
        _("It is not said by which rubric these grades were given."),
        _("Choose one, or have one made from the file."),
    ),
    "no_rubric_name": (_("The new rubric has no name."), _("Write one.")),
    "unknown_rubric": (_("There is no rubric “%(found)s”."), _("Choose one of this project.")),
    "bad_scale": (_("The scale cannot be used."), _("%(reason)s")),
}


@dataclass(frozen=True)
class Worded:
    """A problem in words."""

    row: int | None
    column: str
    message: str
    remedy: str
    warning: bool


def worded(problem: Problem) -> Worded:
    message, remedy = TEXTS[problem.code]
    facts = {"found": problem.found, "column": problem.column, **problem.facts}
    return Worded(
        problem.line,
        problem.column,
        gettext(message) % facts,
        gettext(remedy) % facts,
        problem.warning,
    )


def sentence(problem: Problem) -> str:
    """Return what is wrong and how to mend it, in one line."""
    words = worded(problem)
    return f"{words.message} {words.remedy}"


def placed(problem: Problem) -> str:
    """Return the sentence, after the line of the file that it speaks of."""
    if problem.line is None:
        return sentence(problem)
    where = gettext("Line %(line)d:") % {"line": problem.line}
    return f"{where} {sentence(problem)}"
