"""annotation's registry: what fills slots of pages, what the sweeper does, and what ends with a role."""

from collections.abc import Mapping
from typing import Any, Final

from django.apps import AppConfig
from django.utils.module_loading import import_string

from evalsite import panels

#: By slot and key, the dotted name of what fills it. A slot is filled in the order of its keys.
SLOTS: Final[Mapping[str, Mapping[str, str]]] = {
    "annotator_gate": {"training": "annotation.training.pages.gate"},
    "annotator_guide": {"first-steps": "annotation.home.first_steps.guide_of_annotator"},
    "annotator_messages": {"training": "annotation.training.pages.news"},
    "files_read_whole": {"SHEETS": "annotation.imports.collecting.read_sheet"},
    "home": {"a-plan": "annotation.domains.pages.tasks"},
    "kept_for_a_time": {
        "drafts": "annotation.home.operations.DRAFTS",
        "receipts": "annotation.home.operations.RECEIPTS",
        "files": "annotation.home.operations.FILES",
    },
    "needs_a_look": {
        "b-inspection": "annotation.inspection.pages.looks",
        "c-bank": "annotation.bank.pages.looks",
        "d-training": "annotation.training.pages.looks",
    },
    "round": {"a-trial": "annotation.training.pages.of_round"},
}
#: What the sweeper calls with the time, every few seconds, in this order.
SWEEPS: Final[Mapping[str, str]] = {
    "audit.seal": "annotation.people.audit.sweep",
    "imports.apply": "annotation.imports.operations.ring_for_applying",
    "imports.check": "annotation.imports.operations.ring_again",
    "imports.wished": "annotation.imports.operations.sweep",
    "imports.whole": "annotation.imports.wholes.sweep",
    "mail.daily": "annotation.home.operations.ring_for_mail",
    "retention": "annotation.home.operations.ring",
    "bank.bulk": "annotation.bank.bulk.ring_again",
    "bank.files": "annotation.bankfile.operations.ring_again",
    "rounds.prepare": "annotation.rounds.drawing.sweep",
    "rounds.open": "annotation.rounds.opening.sweep",
    "rounds.discard": "annotation.running.discarding.sweep",
    "seats.expire": "annotation.rounds.states.expire",
}


def _note_sign_in(**said: Any) -> None:
    # Pages are loaded after the server has said what it does without.
    import_string("annotation.people.pages.note_sign_in")(**said)


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from annotation.people import rights
        from annotation.people.models import Role
        from annotation.running import operations

        panels.load(SLOTS, SWEEPS)
        rights.register(Role.ANNOTATOR, "seats", operations.end_with_role)
        user_logged_in.connect(_note_sign_in, dispatch_uid="annotation.sign_ins")
