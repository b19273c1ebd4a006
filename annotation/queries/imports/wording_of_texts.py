"""The words for what is wrong with the encoding of a text, or with messages that are an answer."""

from django.utils.translation import gettext_noop as _

TEXTS = {
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
        _("A message holds “%(found)s”, which is not kept yet."),
        _("Write calls of tools as “tool_calls” and texts as “content”, or leave it out."),
    ),
    "no_answer_in_it": (
        _("No assistant says anything in this conversation (%(found)s)."),
        _("Add its answer, or say that whole conversations are shown as answers."),
    ),
}
