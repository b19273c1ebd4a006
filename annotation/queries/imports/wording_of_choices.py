"""The words for what is wrong with a file of questions of multiple choice."""

from django.utils.translation import gettext_noop as _

TEXTS = {
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
}
