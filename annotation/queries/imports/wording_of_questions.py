"""The words for what is wrong with a file of questions for the bank."""

from django.utils.translation import gettext_noop as _

TEXTS = {
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
}
