"""A small project for the doors: what the rows of tests/who_may.py put into addresses."""

from functools import cached_property
from typing import Any
from uuid import UUID

from django.utils import timezone

from annotation import models
from annotation.imports import uploading
from annotation.people import access as passwords
from annotation.people import inviting
from annotation.people.models import Role
from annotation.sources import operations as collections
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Machine, Run
from scoring.kinds.drafting import operations as drafting
from scoring.kinds.drafting.models import Drafting
from scoring.kinds.fusion.models import Plan
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.judging.models import Tuning
from tests import make
from tests.annotation import qualified
from tests.scoring import (
    assisted,
    endpoint_rows,
    fused,
    interviewed,
    machines,
    measured,
    paired,
    quizzed,
    run_rows,
    suites,
    tuned,
    weighed,
)

ANONYMOUS, STRANGER = "anonymous", "stranger"


class World:
    """A small populated project, made bit by bit as rows ask for it."""

    @cached_property
    def project(self) -> models.Project:
        return make.project()

    @cached_property
    def people(self) -> dict[str, models.User]:
        roles = [role for role in Role if role not in {Role.OWNER, Role.ANNOTATOR}]
        people: dict[str, models.User] = {
            role: make.member(role, in_=self.project) for role in roles
        }
        # The annotator of every round that tests/make makes.
        people[Role.ANNOTATOR] = make.member(Role.ANNOTATOR, in_=self.project, username="ann-1")
        owner = models.User.objects.get(
            memberships__project=self.project, memberships__role="OWNER"
        )
        return {**people, Role.OWNER: owner, STRANGER: make.member(Role.OWNER, in_=self.elsewhere)}

    @cached_property
    def password_link(self) -> models.PasswordLink:
        somebody = make.member(Role.ANALYST, in_=self.project, username="forgetful")
        passwords.make_link(user=somebody, now=timezone.now())
        return somebody.password_links.get()

    @cached_property
    def endpoint(self) -> Endpoint:
        return endpoint_rows.endpoint(in_=self.project)

    @cached_property
    def elsewhere(self) -> models.Project:
        return make.project("southgate")

    @cached_property
    def rubric_version(self) -> models.RubricVersion:
        return make.rubric_version(in_=self.project)

    @cached_property
    def capability(self) -> models.Capability:
        return make.capability(in_=self.project)

    @cached_property
    def domain(self) -> models.Domain:
        return models.Domain.objects.create(project=self.project, name="Air freight")

    @cached_property
    def release(self) -> models.SystemRelease:
        return make.release(in_=self.project)

    @cached_property
    def item(self) -> models.Item:
        item = make.item(in_=self.project, capability_=self.capability)
        make.response(item, self.release)
        return item

    @cached_property
    def submitted(self) -> models.QuestionVersion:
        """A question in inspection, by somebody who does not ask here."""
        author = make.member(Role.DESIGNER, in_=self.project, username="writer")
        return make.question_version("SUBMITTED", in_=self.project, author=author)

    @cached_property
    def saved_filter(self) -> models.SavedFilter:
        """A filter that a curator shares."""
        return make.saved_filter(in_=self.project)

    @cached_property
    def bulk_edit(self) -> models.BulkEdit:
        """What the designer has tried out, on a draft of theirs."""
        return make.bulk_edit(in_=self.project)

    @cached_property
    def bank_file(self) -> models.BankFile:
        return make.bank_file(in_=self.project)

    @cached_property
    def source(self) -> models.Source:
        return make.source_version(in_=self.project).source

    @cached_property
    def collection(self) -> models.SourceCollection:
        return collections.create_collection(
            project=self.project,
            name="Tariffs",
            note="",
            by=self.people[Role.OWNER],
            now=make.NOW,
        )

    @cached_property
    def drafting(self) -> Drafting:
        helper = self.endpoint
        drafting.allow(
            project=self.project, endpoint=helper, by=self.people[Role.OWNER], now=make.NOW
        )
        version = self.source.versions.get()
        return drafting.request_questions(
            version=version,
            start=0,
            end=len(version.text),
            key=UUID(int=77),
            seed=1,
            by=self.people[Role.DESIGNER],
            now=make.NOW,
        )

    @cached_property
    def plan_cell(self) -> models.PlanCell:
        return make.plan_cell(in_=self.project)

    @cached_property
    def plan_share(self) -> models.PlanShare:
        designer = self.people[Role.DESIGNER]
        return models.PlanShare.objects.create(cell=self.plan_cell, designer=designer, n=2)

    @cached_property
    def draft(self) -> models.Round:
        return make.draft_round(in_=self.project)

    @cached_property
    def open_round(self) -> models.Round:
        return make.open_round(in_=self.project)

    @cached_property
    def trial(self) -> models.Round:
        self.project.refresh_from_db()  # the first one is made by asking for it
        return qualified.open_trial(("ann-8",), n_items=1)

    @cached_property
    def invitation(self) -> tuple[models.Invitation, str]:
        return inviting.invite(
            project=self.project,
            whom="somebody",
            roles=[Role.ANALYST],
            days=90,
            by=self.people[Role.OWNER],
            now=timezone.now(),
        )

    @cached_property
    def seat(self) -> models.Assignment:
        """A seat of the open round that the annotator holds."""
        return make.claim(self.open_round)

    @cached_property
    def upload(self) -> models.Upload:
        return uploading.receive(
            project=self.project,
            kind=models.ImportKind.ANSWERS,
            name="answers.csv",
            pieces=[b"id,question,Kestrel\nQ1,What is a pallet?,A base for goods.\n"],
            by=self.people[Role.OWNER],
            now=make.NOW,
        )

    @cached_property
    def machine(self) -> Machine:
        return machines.judge(in_=self.project)

    @cached_property
    def tuning(self) -> Tuning:
        """A judge that is tuned, with a version that was tried."""
        number = max(self.project.rounds.values_list("number", flat=True), default=0) + 1
        given: dict[str, Any] = {"number": number, "in_": self.project}
        found = tuned.begun(tuned.round_of(n_items=10, capabilities=("Tuned",), **given))
        return tuned.tried(found, number=90).tuning

    @cached_property
    def metrics_run(self) -> Run:
        return measured.over_import(["words"], batch=self.n_answers)

    @cached_property
    def assistant_run(self) -> Run:
        """An assistant's run that was asked for."""
        return assisted.over_import(self.n_answers, 4)

    @cached_property
    def n_answers(self) -> int:
        """The number of an import of answers."""
        return measured.brought().number

    @cached_property
    def plan(self) -> Plan:
        """The plan of an evaluation task."""
        return fused.plan(fused.version(), "Read it twice.", clear=[])

    @cached_property
    def fusion_run(self) -> Run:
        """An evaluation that was asked for."""
        task = fused.version(name="Others")
        return fused.requested(fused.wish(task, batch=self.n_answers), 3)

    @cached_property
    def dialogue(self) -> Dialogue:
        """An interview that was held, alone in its run."""
        release = interviewed.candidates()[0]
        interviewed.held(number=2, n=1, releases=[release.pk], planned=1)
        return Dialogue.objects.select_related("run").get()

    @cached_property
    def losses(self) -> Run:
        """A measurement of losses that was asked for."""
        release = interviewed.candidates()[0].pk
        return weighed.requested(8, first=94, n=1, releases=[release])

    @cached_property
    def pairs_run(self) -> Run:
        """A comparison of imported answers in pairs that was asked for."""
        return paired.requested(number=12, batch=self.n_answers)

    @cached_property
    def quiz(self) -> Run:
        """A measurement of accuracy that was asked for."""
        quizzed.questions(1, first=90)
        return quizzed.requested(9, releases=[interviewed.candidates()[0].pk])

    @cached_property
    def suite_run(self) -> Run:
        """A suite that was run over two conversations."""
        home = suites.brought(in_=self.project)
        version = suites.saved(in_=self.project)
        return suites.done(suites.requested(version, home, number=77))

    @cached_property
    def run(self) -> Run:
        """A run at work, with a step and a call."""
        made = run_rows.run(in_=self.project)
        run_rows.call(run_rows.step(made))
        return made

    @cached_property
    def waiting_file(self) -> models.Upload:
        """A large file that a worker goes on with."""
        return models.Upload.objects.create(
            project=self.project,
            number=77,
            kind=models.ImportKind.ANSWERS,
            name="answers.csv",
            sha="d" * 64,
            size=1,
            wish=models.Upload.Wish.APPLY,
            created_by=self.people[Role.OWNER],
            created_at=make.NOW,
        )

    @cached_property
    def batch(self) -> models.ImportBatch:
        return models.ImportBatch.objects.create(
            project=self.project,
            number=1,
            kind=models.ImportKind.ANSWERS,
            file_name="answers.csv",
            file_sha="f" * 64,
            mapping={},
            mapping_sha="e" * 64,
            state=models.ImportBatch.State.APPLIED,
            created_by=self.people[Role.OWNER],
            created_at=make.NOW,
            touched_at=make.NOW,
            applied_at=make.NOW,
        )
