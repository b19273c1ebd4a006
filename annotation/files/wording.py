"""The words for what is wrong with a file, by code: what it is, and how to mend it."""

from dataclasses import dataclass

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from annotation.files.cells import FileProblem

TEXTS = {
    # Encodings, and messages that are an answer
    "encoding_unsure": (
        _("The text is not in UTF-8, and it is not certain which encoding it has: %(readings)s."),
        _("Say which one it is (by command: --encoding, by API: encoding), or save it as UTF-8."),
    ),
    "unknown_codec": (
        _("“%(found)s” is no encoding of texts that is known."),
        _("Name one of these, or save the file as UTF-8: %(known)s."),
    ),
    "other_encoding": (
        _("The file cannot be read in the encoding %(found)s."),
        _("Name another one, or save the file as UTF-8."),
    ),
    "not_kept": (
        _("A message holds “%(found)s”, which cannot be kept."),
        _("Leave it out, or write what it says as a text under “content”."),
    ),
    "bad_calls": (
        _("The calls of tools are no list of objects: %(found)s"),
        _("Write each call with a name and arguments, in a list under “tool_calls”."),
    ),
    "no_role": (
        _("A message does not say who speaks: %(found)s"),
        _("Give each message a role: system, user, assistant or tool."),
    ),
    "no_answer_in_it": (
        _("No assistant says anything in this conversation (%(found)s)."),
        _("Add its answer, or say that whole conversations are shown as answers."),
    ),
    # What is asked, and what gives a system away
    "failed_answer": (
        _("The system gave no answer here: %(found)s"),
        _("Collect it again, or leave the row out."),
    ),
    "shared_opening": (
        _("%(n)s of %(of)s answers of %(system)s begin with “%(found)s”."),
        _("Annotators could tell the system by it. A round can hide it before it is opened."),
    ),
    "system_prompt": (
        _("%(n)s of %(of)s questions begin with the system prompt “%(found)s”."),
        _(
            "Annotators read it with the question. If it belongs to the system, take it out of the file: "
            "it may name it, and keeps the question apart from the same one of other systems."
        ),
    ),
    "not_answered": (
        _("Something has to be answered about the file first (%(found)s)."),
        _("Answer it on the page, by command with --answer KEY=VALUE, or by API in “answers”."),
    ),
    "holds_preferences": (
        _("This looks like %(name)s: it does not say whose answers they are, nor who chose."),
        _(
            "Add columns of both systems and of who chose. If it is something else, say so on the page, "
            "by command with --answer shape=no, or by API with shape: no in “answers”."
        ),
    ),
    # Which of two answers is better
    "no_system_a": (
        _("It is not said whose answer stands first."),
        _("Map a column to System A, or name the system for the whole file."),
    ),
    "no_system_b": (
        _("It is not said whose answer stands second."),
        _("Map a column to System B, or name the system for the whole file."),
    ),
    "no_choice_column": (
        _("No column says which of the two is better."),
        _("Map one to “Which is better”."),
    ),
    "no_chooser": (
        _("It is not said who chose."),
        _("Map a column to the rater, or name one for the whole file."),
    ),
    "no_choice_rubric": (
        _("No rubric is named, or two."),
        _("Choose a rubric that asks which of two is better, or name a new one."),
    ),
    "rubric_of_marks": (
        _("The rubric %(found)s does not ask which of two answers is better."),
        _("Choose another one, or have one made from the file."),
    ),
    "rubric_of_choices": (
        _("The rubric %(found)s asks which of two answers is better."),
        _("Choose one of marks, or bring the file in as preferences."),
    ),
    "word_no_choice": (
        _("“%(found)s” stands for “%(meant)s”, which is no choice."),
        _("Write A, B, tie or both bad."),
    ),
    "no_choice": (
        _("“%(found)s” is no choice."),
        _("Write A, B, tie, both bad or the name of a system; or say below what the word means."),
    ),
    "no_choice_here": (
        _("Nobody chose here."),
        _("Question and answers come in; nothing is counted."),
    ),
    "choice_not_offered": (
        _("The rubric does not offer “%(found)s”."),
        _("Choose another rubric, or have one made from the file."),
    ),
    "chosen_twice": (
        _("%(found)s chose between these two answers in line %(first)s already."),
        _("Keep one of the two."),
    ),
    "one_system_twice": (
        _("Both answers are of %(found)s."),
        _("Name two systems, or two releases of one."),
    ),
    "prompts_differ": (
        _("The two conversations begin with other questions: %(found)s"),
        _("Compare answers to the same question; leave this row out."),
    ),
    "two_systems_in_one": (
        _("“%(found)s” does not tell where the first system ends."),
        _("Write both systems in columns of their own, as system_a and system_b."),
    ),
    "only_machines_chose": (
        _("Only machines chose in this file."),
        _("Bring in the answers alone, or say that these are people."),
    ),
    "nobody_chose": (
        _("There is no choice in this file."),
        _("Fill in the column that says which is better."),
    ),
    "holds_nothing": (
        _("This looks like %(name)s, which holds no answers, grades or scores."),
        _(
            "Bring in the file with the answers of the systems. If it is something else, say so on the "
            "page, by command with --answer shape=no, or by API with shape: no in “answers”."
        ),
    ),
    "object_too_large": (
        _("The file is one JSON object of more than %(most)s MB."),
        _("Save its records as JSONL, one on each line, or split the file."),
    ),
    # Questions of multiple choice
    "no_question": (
        _("There is no question here."),
        _("Fill in the question, or leave the row out."),
    ),
    "too_few_options": (
        _("A question of multiple choice needs two options with a text; %(n)s have one."),
        _("Give every option its label and its text."),
    ),
    "repeated_label": (
        _("Two options have the same label, or one has none."),
        _("Give every option a label of its own, such as A, B, C."),
    ),
    "no_right_option": (
        _("It is not said which option is right."),
        _(
            "Write the label of the right option, or its place counted from 0 where the file does so."
        ),
    ),
    "answer_is_no_option": (
        _("The right answer is none of the options."),
        _("Write the label or the whole text of one of the options."),
    ),
    "not_a_list": (
        _("“%(column)s” is not a list."),
        _('Write the options as a list, such as ["a dock", "a quay"].'),
    ),
    "no_dataset": (
        _("It is not said which data set this is."),
        _("Write its name: figures are grouped by it."),
    ),
    "long_dataset": (
        _("The name of the data set is too long."),
        _("Write up to 120 signs."),
    ),
    "unknown_layout": (
        _("There is no such layout."),
        _("Choose one of those offered, or name the columns."),
    ),
    "no_choice_question_column": (
        _("No column holds the question."),
        _("Map one to the question."),
    ),
    "too_few_option_columns": (
        _("Fewer than two columns hold options."),
        _("Map the column of every option to “Option”, in the order in which they are asked."),
    ),
    "no_right_column": (
        _("No column says which option is right."),
        _("Map one to the right option: its letter, or its whole text."),
    ),
    "repeated_question": (
        _("This question is in the file already, in line %(line)s."),
        _("Remove one of the two, or give them different names."),
    ),
    # Figures of other benchmarks
    "no_figure_value": (
        _("“%(found)s” is no number."),
        _("Write a number with a point, or leave the cell empty where there is none."),
    ),
    "figure_twice": (
        _("This figure of “%(found)s” stands in line %(first)s already."),
        _("Keep one of the two."),
    ),
    "figure_before": (
        _("An earlier import holds another value of this figure of “%(found)s”: %(before)s."),
        _("Undo that import first, or call this figure something else."),
    ),
    "no_figure_system": (
        _("It is not said which system was measured."),
        _("Map a column to the system."),
    ),
    "no_figure_column": (
        _("It is not said what was measured."),
        _("Map a column to the figure, or name one for the whole file."),
    ),
    "no_figure_value_column": (
        _("No column holds values."),
        _("Map one to the value."),
    ),
    # Questions for the bank
    "no_date": (_("“%(found)s” is no date."), _("Write year-month-day, such as 2026-03-31.")),
    "tools_in_bank": (
        _("A turn is by a tool, or calls one: %(found)s"),
        _("A question of the bank has turns by system, user and assistant, of text alone."),
    ),
    "too_many_turns": (
        _("The conversation has %(n)s turns; a question has at most %(most)s."),
        _("Take some out."),
    ),
    "answer_in_conversation": (
        _("The conversation does not end with the user: %(found)s"),
        _("Put the last answer into a column of its own, as the standard answer."),
    ),
    "no_source": (
        _("This names no source: %(found)s"),
        _("Write title, address and place between “ | ”, or an object with title and locator."),
    ),
    "no_passage": (
        _("This names no passage: %(found)s"),
        _("Write start and end in characters, the first one 0 or more and the second one larger."),
    ),
    "unknown_source_kind": (
        _("There is no kind of source “%(found)s”."),
        _("Write WEB, DOCUMENT, DATA or EXPERT."),
    ),
    "unknown_source": (
        _("The corpus has no source “%(found)s”."),
        _("Correct the title, or tick “Add sources that are missing” below."),
    ),
    "source_ends_first": (
        _("The source “%(found)s” ends before it begins to hold."),
        _("Mend one of its two dates."),
    ),
    "question_differs": (
        _("The bank has another “%(found)s”: %(parts)s differ."),
        _(
            "Leave the row out, choose another id, or tick “Changed questions become new versions” "
            "below."
        ),
    ),
    "question_out_of_use": (
        _("“%(found)s” is out of use, so it gets no new version."),
        _("Take it back into use on its page first, or leave the row out."),
    ),
    "question_under_way": (
        _("A version of “%(found)s” is being written or inspected already."),
        _("Finish that one first, throw the draft away, or leave the row out."),
    ),
    "note_left_out": (
        _("The note of a changed question is not brought in."),
        _("Write it as a comment on the question's page."),
    ),
    "like_in_bank": (
        _("Much like “%(other)s” in the bank (%(percent)s %%)."),
        _("Look at both. Leave the row out if it asks the same."),
    ),
    "like_in_file": (
        _("Much like “%(other)s” in line %(first)s (%(percent)s %%)."),
        _("Look at both. Leave one of them out if they ask the same."),
    ),
    # An id that is in the bank, where answers, grades or scores are brought in
    "question_is_draft": (
        _("“%(found)s” is in the bank, but only as a draft."),
        _("Have it submitted and accepted first, or bring in questions and answers in one file."),
    ),
    "question_in_inspection": (
        _("“%(found)s” is in the bank, but not accepted yet: it is in inspection."),
        _("Have it accepted first, or bring in questions and answers in one file."),
    ),
    "question_returned": (
        _("“%(found)s” is in the bank, but was returned to its author."),
        _("Have it revised and accepted first, or bring in questions and answers in one file."),
    ),
    # The mapping
    "no_question_to_bring": (
        _("No column holds the question."),
        _("Map one to the question, or to the conversation."),
    ),
    "sources_twice": (
        _("Sources are mapped both from one column and from columns of their own."),
        _("Keep one of the two ways."),
    ),
    "place_without_source": (
        _("A place in a source is mapped, but no source."),
        _("Map the title or the address of the source, too."),
    ),
    "unknown_author": (
        _("Nobody with the user name “%(found)s” may write questions here."),
        _("Choose a designer, curator or owner of this project, or leave it empty."),
    ),
    "label_is_gone": (
        _("What was chosen for the whole file is not there: “%(found)s”."),
        _("Choose another one."),
    ),
    # Scores, and grades in words
    "no_score": (
        _("“%(found)s” is no score."),
        _(
            "Write a number with a point; leave the cell empty where there is none; or give the "
            "word its number under “Words that stand for numbers”."
        ),
    ),
    "out_of_range": (
        _("The score %(found)s of %(name)s does not lie %(range)s, as its range says."),
        _("Correct it, or declare another range for %(name)s and check again."),
    ),
    "scored_without_score": (
        _("The outcome says that there is a score, and there is none."),
        _("Write the score, or another outcome: refused, error or skipped."),
    ),
    "score_of_failure": (
        _("The score %(found)s stands beside an outcome that is no score; it is left out."),
        _("Correct the outcome if the score is right."),
    ),
    "unknown_outcome": (
        _("“%(found)s” is no outcome."),
        _("Write scored, refused, error or skipped."),
    ),
    "judged_twice": (
        _("%(found)s has scored this on the same criterion in line %(first)s."),
        _("Keep one of the two, or map a column to the number of the sample."),
    ),
    "judged_before": (
        _("An earlier import holds another score by %(found)s of the same answer: %(before)s."),
        _("Undo that import first, or call this judge or metric something else."),
    ),
    "undeclared_machine": (
        _("Nothing is declared of “%(found)s” yet."),
        _("Say whether it is a judge or a metric, and its range, under “Judges and metrics”."),
    ),
    "machine_twice": (
        _("“%(found)s” is declared twice."),
        _("Give the columns the same name only if they are the same judge or metric."),
    ),
    "two_kinds": (
        _("“%(found)s” is declared as a judge and as a metric."),
        _("Say the same of it for all its criteria."),
    ),
    "range_known": (
        _(
            "“%(found)s” is known here with the range %(other)s for %(criterion)s; this file would "
            "have it lie %(range)s."
        ),
        _("Declare the range that is right for this criterion, or confirm this one."),
    ),
    "range_of_rubric": (
        _(
            "The rubric's scale for %(criterion)s is %(other)s; the range of “%(found)s” is to lie "
            "%(range)s (scores from %(low)s to %(high)s)."
        ),
        _("Declare the range that is right for this criterion, or confirm this one."),
    ),
    "range_of_rubrics": (
        _("Several rubrics have %(criterion)s, on different scales: %(other)s."),
        _("Declare on which one “%(found)s” scored, or confirm that it is %(range)s."),
    ),
    "range_little_used": (
        _(
            "%(n)s scores by “%(found)s” for %(criterion)s go only from %(low)s to %(high)s, far from "
            "filling the rubric's scale (%(range)s)."
        ),
        _("Declare another range if it scored on another scale, or confirm this one."),
    ),
    "range_guessed": (
        _(
            "The range of “%(found)s” for %(criterion)s is a guess (%(range)s): its scores go from "
            "%(low)s to %(high)s."
        ),
        _("Declare its lowest and highest possible score, or confirm these."),
    ),
    "unknown_kind": (_("“%(found)s” is neither judge nor metric."), _("Choose one of the two.")),
    "bad_range": (_("The range of “%(found)s” cannot be used."), _("%(reason)s")),
    "no_score_column": (
        _("No column holds scores."),
        _("Map one to the score, or each column of scores to its judge or metric."),
    ),
    "no_machine_column": (
        _("It is not said which judge or metric gave the scores."),
        _("Map a column to the judge or metric, or name one for the whole file."),
    ),
    "detail_in_wide_table": (
        _("In a wide table an outcome, a reason or a text belongs to no single score."),
        _("Ignore the column, or bring in a long table with one score in each row."),
    ),
    "score_twice": (_("Two columns hold scores of %(found)s."), _("Correct one of them.")),
    "word_without_number": (
        _("The word “%(found)s” stands for no number yet."),
        _("Write its number behind the equals sign, or remove the line."),
    ),
    "word_off_scale": (
        _("The number of “%(found)s” is not on the scale."),
        _("%(reason)s"),
    ),
    "raters_numbered": (
        _("Some answers have several grades, and no column names the raters."),
        _("They are counted as raters %(found)s, %(found)s 2, %(found)s 3 and so on."),
    ),
    "no_grade_here": (
        _("There is no grade in this row; nothing is counted for it."),
        _("Nothing needs to be done if it was never given."),
    ),
    # Records of a known maker
    "several_labels": (
        _("“%(name)s” has several answers at once: %(found)s."),
        _("Keep one of them, or choose a rubric that asks for several labels."),
    ),
    "no_such_label": (
        _("“%(found)s” is none of the labels."),
        _("Labels: %(known)s. Several stand between semicolons."),
    ),
    "several_marks": (
        _("The cell of “%(name)s” has several marks: %(found)s."),
        _("Bring in the file of grades, which has a line for each of them."),
    ),
    "machine_among_people": (
        _("This score was given by a machine (%(found)s), among grades of people."),
        _("Leave the row out, and bring scores of machines in as a file of their own."),
    ),
    "only_likelihood": (
        _("The model said nothing here: it was only asked how likely a text is."),
        _("Leave the row out."),
    ),
    "no_field": (
        _("There is no “%(found)s” in this row, which the other rows have."),
        _("Add it, or leave the row out."),
    ),
    # The file as a whole
    "empty": (_("The file is empty."), _("Choose a file with a header and at least one row.")),
    "not_text": (_("This is not a text file."), _("Save the table as CSV, JSONL or XLSX.")),
    "archive": (
        _("This is an archive, or a document of an office program without a table."),
        _("Unpack it, or save the table as CSV, JSONL, XLSX or ODS."),
    ),
    "no_log": (
        _("The name ends in .eval, but this is no log of Inspect with samples."),
        _("Export it as JSON with `inspect log convert --to json`, and bring that in."),
    ),
    "rows_in_quotes": (
        _("Each line stands between quotation marks as a whole, so the file has one column."),
        _("Save the table as CSV again, or take away the first and the last mark of each line."),
    ),
    "no_table": (
        _(
            "There is no table in this page or document, or its rows cannot be told (XML, YAML, SQL)."
        ),
        _("Save the table as CSV, JSONL or XLSX; or copy it from a spreadsheet and paste it."),
    ),
    "old_workbook": (_("This is a workbook in the old XLS format."), _("Save it as XLSX.")),
    "parquet": (
        _("Parquet files cannot be read here."),
        _("Save it as JSONL: pandas.read_parquet(…).to_json(…, orient='records', lines=True)."),
    ),
    "no_workbook": (
        _("The name ends in .xlsx but the content is no workbook."),
        _("Save it as XLSX again, or give a text file its proper ending."),
    ),
    "damaged_workbook": (
        _("The workbook is damaged or protected by a password."),
        _("Open it, take the password off and save it again as XLSX."),
    ),
    "locked_archive": (
        _("The files in the ZIP are protected by a password."),
        _("Pack them again without one."),
    ),
    "no_files": (
        _("There is no file in the ZIP that can be read."),
        _("Pack tables (CSV, XLSX, JSONL or JSON), or texts of an answer each."),
    ),
    "too_many_files": (
        _("There are %(n)s tables in the ZIP; %(most)s can be read."),
        _("Put their rows into fewer tables, or split the ZIP."),
    ),
    "damaged_archive": (_("The compressed file is damaged."), _("Compress it again.")),
    "unpacked_too_large": (
        _("Unpacked, the file is larger than %(most)s MB."),
        _("Split it into several files."),
    ),
    "packed_too_well": (
        _("A part of the file unpacks to more than 200 times its size."),
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
    "no_row_of_cells": (
        _("This is no list of cells, as the first row of the file is."),
        _("Write each row as a list, or all of them as objects."),
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
    "no_scale": (
        _("“%(found)s” is a number, and the new rubric has no scale."),
        _("Say its lowest and highest grade."),
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
    # Questions and answers
    "no_such_part": (
        _("This conversation has no turn or tool call to grade."),
        _("Leave it out, or choose other parts."),
    ),
    "bad_mask": (_("Names cannot be covered: %(found)s"), _("Mend it under Settings, Masks.")),
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
    part: str = ""


def worded(problem: FileProblem) -> Worded:
    message, remedy = TEXTS[problem.code]
    facts = {"found": problem.found, "column": problem.column, **problem.facts}
    return Worded(
        problem.line,
        problem.column,
        gettext(message) % facts,
        gettext(remedy) % facts,
        problem.warning,
        problem.part,
    )


def sentence(problem: FileProblem) -> str:
    """Return what is wrong and how to mend it, in one line."""
    words = worded(problem)
    return f"{words.message} {words.remedy}"


def placed(problem: FileProblem) -> str:
    """Return the sentence, after the line of the file that it speaks of."""
    where = place(problem)
    return f"{where[:1].upper()}{where[1:]}: {sentence(problem)}" if where else sentence(problem)


def place(problem: FileProblem) -> str:
    """Return the line of the file that a problem is in, with the part of it where it has several."""
    if problem.line is None:
        return ""
    said = gettext("line %(n)s of %(part)s") if problem.part else gettext("line %(n)s")
    return said % {"n": problem.line, "part": problem.part}
