"""The words for what is wrong with a file of figures of other benchmarks."""

from django.utils.translation import gettext_noop as _

TEXTS = {
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
}
