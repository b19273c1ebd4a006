from datetime import datetime

from django.apps import AppConfig

from evalsite import panels, sweeps


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from annotation.models import Role
        from annotation.operations import audit, leases, leaving, mailing, retention, rights
        from annotation.operations.bank import bulk
        from annotation.operations.banks import files
        from annotation.operations.imports import applying, at_once, checking, wholes
        from annotation.operations.rounds import discarding, drawing, opening
        from annotation.views import (
            account,
            first_steps,
            inspection_slots,
            plan,
            question_slots,
            training,
            training_looks,
            trials,
        )

        def seal(now: datetime) -> int:
            return audit.seal()

        rights.register(Role.ANNOTATOR, "seats", leaving.end_with_role)
        panels.register("annotator_guide", "first-steps", first_steps.guide_of_annotator)
        panels.register("annotator_gate", "training", training.gate)
        panels.register("annotator_messages", "training", training.news)
        panels.register("round", "a-trial", trials.of_round)
        user_logged_in.connect(account.note_sign_in, dispatch_uid="annotation.sign_ins")
        panels.register("home", "a-plan", plan.tasks)
        panels.register("needs_a_look", "b-inspection", inspection_slots.looks)
        panels.register("needs_a_look", "c-bank", question_slots.looks)
        panels.register("needs_a_look", "d-training", training_looks.looks)
        sweeps.register("audit.seal", seal)
        sweeps.register("imports.apply", lambda now: applying.ring_again(now=now))
        sweeps.register("imports.check", lambda now: checking.ring_again(now=now))
        sweeps.register("imports.wished", lambda now: at_once.sweep(now=now))
        sweeps.register("imports.whole", wholes.sweep)
        sweeps.register("mail.daily", mailing.ring)
        sweeps.register("retention", retention.ring)
        sweeps.register("bank.bulk", bulk.ring_again)
        sweeps.register("bank.files", lambda now: files.ring_again(now=now))
        sweeps.register("rounds.prepare", drawing.sweep)
        sweeps.register("rounds.open", opening.sweep)
        sweeps.register("rounds.discard", discarding.sweep)
        sweeps.register("seats.expire", leases.expire)
