from datetime import datetime

from django.apps import AppConfig

from evalsite import panels


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from django.contrib.auth.signals import user_logged_in

        from annotation.bank import bulk
        from annotation.bank import pages as question_slots
        from annotation.bankfile import operations as files
        from annotation.domains import pages as plan
        from annotation.home import first_steps
        from annotation.home import operations as mailing
        from annotation.home import operations as retention
        from annotation.imports import operations as applying
        from annotation.imports import operations as at_once
        from annotation.imports import operations as checking
        from annotation.imports import wholes
        from annotation.inspection import pages as inspection_slots
        from annotation.people import audit, rights
        from annotation.people import pages as account
        from annotation.people.models import Role
        from annotation.rounds import drawing, opening
        from annotation.rounds import states as leases
        from annotation.running import discarding
        from annotation.running import operations as leaving
        from annotation.training import pages as training
        from annotation.training import pages as training_looks
        from annotation.training import pages as trials

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
        panels.register_sweep("audit.seal", seal)
        panels.register_sweep("imports.apply", lambda now: applying.ring_for_applying(now=now))
        panels.register_sweep("imports.check", lambda now: checking.ring_again(now=now))
        panels.register_sweep("imports.wished", lambda now: at_once.sweep(now=now))
        panels.register_sweep("imports.whole", wholes.sweep)
        panels.register_sweep("mail.daily", mailing.ring_for_mail)
        panels.register_sweep("retention", retention.ring)
        panels.register_sweep("bank.bulk", bulk.ring_again)
        panels.register_sweep("bank.files", lambda now: files.ring_again(now=now))
        panels.register_sweep("rounds.prepare", drawing.sweep)
        panels.register_sweep("rounds.open", opening.sweep)
        panels.register_sweep("rounds.discard", discarding.sweep)
        panels.register_sweep("seats.expire", leases.expire)
