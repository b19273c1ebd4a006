"""A project with many rows of everything, in two sizes: what tests/test_query_counts.py looks at.

It begins as the small project of the doors (tests/who_may_world.py). `grow` adds one more row of
everything; what has its rows inside it, a graded round or a finished run, is made anew, larger.
"""

from functools import cached_property
from typing import Any

from django.utils import timezone

from annotation import models
from annotation.bank import bulk, questions
from annotation.bank.bulk import BulkChange
from annotation.bank.rules import BulkAction
from annotation.people import access, inviting
from annotation.people import operations as people
from annotation.people import tokens as personal_tokens
from annotation.people.models import Role, SettingsVersion
from annotation.people.rules import Section
from annotation.qualification.models import Trial
from annotation.sources import operations as sources
from evalsite.web import scopes
from scoring.engine.models import Machine, Run
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.judging.models import Tuning
from scoring.kinds.suites import schedules
from scoring.tuning import queries as tunings
from tests import imports, make
from tests.annotation import qualified
from tests.annotation.running.test_flags import flag
from tests.scoring import (
    assisted,
    connected,
    endpoint_rows,
    fused,
    interviewed,
    judged,
    machines,
    measured,
    paired,
    quizzed,
    rounds,
    run_rows,
    suites,
    tuned,
    weighed,
    worker,
)
from tests.who_may_world import World

FEW, MANY = 3, 9


def lonely(system: int, item: int, rater: int) -> int:
    """The first annotator disagrees with all others."""
    return 0 if rater == 0 else max(0, 2 - system - item % 2)


class CrowdedWorld(World):
    """A world that can grow: `size` rows of everything."""

    size = 0

    def grow(self, size: int) -> None:
        """Add rows until there are so many of each kind; make larger what has them inside."""
        for place in range(self.size, size):
            self._bank(place)
            self._people(place)
            self._work(place)
            self._machines(place)
        self.size = size
        for name in LARGER:
            vars(self).pop(name, None)

    @cached_property
    def open_round(self) -> models.Round:
        return make.open_round(n_items=30, in_=self.project)

    @cached_property
    def rubric_version(self) -> models.RubricVersion:
        return make.rubric_version("of-many-versions", in_=self.project)

    @cached_property
    def batch(self) -> models.ImportBatch:
        return self.project.batches.earliest("pk")

    def _bank(self, place: int) -> None:
        home, designer, curator = (
            self.project,
            self.people[Role.DESIGNER],
            self.people[Role.CURATOR],
        )
        make.saved_filter(f"Filter {place}", in_=home)
        part = make.capability(f"Capability {place}", in_=home)
        models.Capability.objects.create(project=home, name=f"Part {place}", parent=part)
        area = make.domain(f"Area {place}", in_=home)
        models.Domain.objects.create(project=home, name="Part", parent=area)
        cell = models.PlanCell.objects.create(
            project=home, capability=part, difficulty="SIMPLE", domain=area, wanted=place + 1
        )
        models.PlanShare.objects.create(cell=cell, designer=designer, n=2)
        item = make.item(
            f"LG-0{place:03}", in_=home, question="Who pays demurrage?", capability_=part
        )
        make.response(item, make.release(f"System {place}", in_=home), "demurrage")
        make.response(self.item, make.release(f"System {place}", in_=home))
        text = make.question_text("Who pays demurrage?", "Yes.")
        for state in ("DRAFT", "SUBMITTED", "ACCEPTED"):
            make.question_version(state, author=designer, external_id=f"{state}-{place}", text=text)
        make.question_version("DRAFT", author=curator, external_id=f"C-{place}")
        change = BulkChange(BulkAction.CHANGE, {"difficulty": ("DIFFICULT", "SIMPLE")[place % 2]})
        bulk.plan(
            project=home, change=change, rows=questions.newest(home), by=designer, now=make.NOW
        )
        models.BulkEdit.objects.update(state="DONE")
        make.bank_file(in_=home)
        make.source_version(f"Demurrage {place}", in_=home)
        about = sources.SourceAbout(f"Title {place}")
        sources.edit(source=self.source, about=about, by=designer, now=make.NOW)
        sources.create_collection(
            project=home, name=f"C {place}", note="", by=curator, now=make.NOW
        )
        make.rubric_version(f"rubric-{place}", in_=home)
        version = models.RubricVersion.objects.create(
            rubric=self.rubric_version.rubric,
            number=place + 2,
            created_by=curator,
            created_at=make.NOW,
        )
        models.Criterion.objects.create(
            rubric_version=version, key="grade", name="Grade", maximum=place + 1
        )

    def _people(self, place: int) -> None:
        home, owner = self.project, self.people[Role.OWNER]
        analyst = make.member(Role.ANALYST, in_=home, username=f"analyst-{place}")
        for user in (analyst, owner):
            personal_tokens.make(
                user=user,
                name=f"nightly {place}",
                given=scopes.NAMES,
                days=30,
                project=None,
                now=timezone.now(),
            )
        access.make_link(user=analyst, now=timezone.now())
        inviting.invite(
            project=home,
            whom=f"somebody {place}",
            roles=[Role.ANALYST],
            days=90,
            by=owner,
            now=timezone.now(),
        )
        people.grant(
            project=make.project(f"project-{place}"),
            user=owner,
            role=Role.ANALYST,
            by=owner,
            now=make.NOW,
        )
        people.save(
            project=home,
            section=Section.BANK,
            body={"alike": 70 + place, "languages": []},
            base=SettingsVersion.objects.count(),
            by=owner,
            now=make.NOW,
        )
        qualified.qualified(qualified.annotator(f"many-{place}"))

    def _work(self, place: int) -> None:
        home = self.project
        another = make.draft_round(n_items=1, seed=f"seed {place}", in_=home)
        models.Round.objects.filter(pk=another.pk).update(state="FINAL")
        make.open_round(n_items=1, seed=f"open {place}", in_=home)
        flag(self.open_round)
        imports.apply(imports.answers(f"{imports.ANSWERS}X{place},Why?,,,Kestrel,R\n"))
        upload = imports.questions(f"id,question\nI-{place},What is {place}?\n")
        models.ImportBatch.objects.filter(pk=imports.apply(upload).pk).update(
            created_by=self.people[Role.DESIGNER]
        )
        qualified.example(capability=self.capability)
        trial = models.Round.objects.create(
            project=home,
            number=self._next_round,
            name=f"T{place}",
            kind="TRIAL",
            state="OPEN",
            seed="a",
            secret=b"x",
            created_by=self.people[Role.OWNER],
            created_at=make.NOW,
        )
        Trial.objects.create(round=trial, capability=self.capability)

    def _machines(self, place: int) -> None:
        home = self.project
        endpoint_rows.endpoint(f"E{place}", in_=home)
        self.endpoint.tests.create(asked_at=make.NOW, state="DONE")
        run_rows.step(run_rows.run(in_=home))
        response = make.response(self.item, make.release(in_=home), f"Said {place}.")
        run_rows.call(run_rows.step(self.run, item=response.item, response=response))
        assisted.assistant(f"A{place}", low=-1.0 - place)
        judged.judge(f"Judge {place}", max_tokens=1000 + place)
        machines.brought(
            f"item,system,metric {place}\nLG-0{place:03},System {place},0.{place % 9 + 1}\n"
        )
        connected.connection(make.release(f"System {place}", in_=home))
        fused.version(name=f"Task {place}")
        fused.plan(self.plan.version, f"Plan {place}", clear=[])
        found = suites.brought(
            suites.lines([{**suites.TALKS[0], "id": f"talk {place}"}]), file_name=f"{place}.jsonl"
        )
        version = suites.saved(suites.SUITE.replace("name: Drivers", f"name: Drivers {place}"))
        schedules.set_schedule(
            suite=version.suite,
            every="DAILY",
            sets=[found],
            by=self.people[Role.CURATOR],
            now=make.NOW,
        )

    @property
    def _next_round(self) -> int:
        return self.project.rounds.latest("number").number + 1

    # Made anew, with as many rows inside as the world has

    @cached_property
    def graded(self) -> models.Round:
        """A final round, beside another one; metrics scored its answers."""
        assert self.tuning.pk  # of an older round: others look at the newest one
        self._graded()  # where there is one alone, pages need not ask which
        return self._graded()

    def _graded(self) -> models.Round:
        names = make.SYSTEMS[: self.size // 2 + 1]
        made = rounds.graded(
            n_items=self.size,
            n_raters=self.size,
            systems=names,
            capabilities="FGHI"[: self.size // 3 + 1],
            number=self._next_round,
            marks=lonely,
            about=[
                {"difficulty": one, "domain": make.domain(f"Area {place}", in_=self.project)}
                for place in range(self.size // 3)
                for one in models.Difficulty.values
            ],
        )
        models.Remark.objects.bulk_create(
            models.Remark(slot=one.slot, rater=one.rater, kind="COMMENT", text="No.", at=make.NOW)
            for one in models.Grade.objects.filter(round=made)
        )
        metrics = ",".join(f"m{place} of {self.size}" for place in range(self.size))
        lines = [f"item,system,{metrics}"]
        for n in range(self.size):
            for place, name in enumerate(names):
                scores = ",".join(f"0.{(n * place + m) % 9 + 1}" for m in range(self.size))
                lines.append(f"Q{made.number}-{n},{name},{scores}")
        machines.brought("\n".join([*lines, ""]))
        return made

    @cached_property
    def draft(self) -> models.Round:
        return make.draft_round(n_items=self.size, in_=self.project)

    @cached_property
    def machine(self) -> Machine:
        # As many metrics as annotators.
        return Machine.objects.get(rater__ref=f"m0 of {self.graded.n_seats}")

    @cached_property
    def trial(self) -> models.Round:
        names = [f"tried-{self.size}-{place}" for place in range(self.size)]
        return qualified.open_trial(names, n_items=self.size)

    @cached_property
    def tuning(self) -> Tuning:
        """A judge that is tuned: as many versions, and disagreements, as the world has rows."""
        number, size = self._next_round, self.size
        given: Any = {"number": number, "in_": self.project, "capabilities": ("Tuned",)}
        of = tuned.round_of(n_items=4 * size + 8, **given)
        found = tuned.begun(of, name=f"Tuned {size}")
        for place in range(size):
            tuned.tried(found, f"Grade {place}.", number=900 + 100 * size + place)
        tuned.kept(found, "Grade on.", *tuned.responses(found, held_out=False)[:size])
        tunings.course(found, timezone.now())
        worker.compute()
        return found

    @cached_property
    def metrics_run(self) -> Run:
        keys = ["words", "bleu", "rouge1", "chrf"][: self.size // 3 + 1]
        asked = measured.over_import(keys, number=self.size, batch=self.n_answers)
        return measured.done(asked)

    @cached_property
    def assistant_run(self) -> Run:
        by = assisted.assistant(f"Scorer {self.size}", low=-90.0 - self.size)
        return assisted.ran(self.graded, by, 100 + self.size)

    @cached_property
    def fusion_run(self) -> Run:
        task = fused.version(name=f"Others {self.size}")
        return fused.ran(fused.wish(task, round_=self.graded), 200 + self.size)

    @cached_property
    def dialogue(self) -> Dialogue:
        """An interview; others judged all of its run again."""
        items = [
            make.item(f"I-{self.size}-{n}", question=f"What holds ship {n}?", reference="A rope.")
            for n in range(self.size)
        ]
        run = interviewed.held(number=300 + self.size, items=[one.pk for one in items])
        again = [
            interviewed.evaluator(f"E{self.size}-{n}", script={"seed": n}) for n in range(self.size)
        ]
        interviewed.judged_again(run, *again, number=700 + self.size)
        return Dialogue.objects.select_related("run").filter(run=run).earliest("pk")

    @cached_property
    def losses(self) -> Run:
        return interviewed.done(weighed.requested(400 + self.size, first=self.size * 10, n=2))

    @cached_property
    def pairs_run(self) -> Run:
        return paired.done(self.graded, 800 + self.size)

    @cached_property
    def quiz(self) -> Run:
        quizzed.questions(self.size, first=100 * self.size)
        return interviewed.done(quizzed.requested(500 + self.size))

    @cached_property
    def suite_run(self) -> Run:
        talks = [{**suites.TALKS[0], "id": f"one of {self.size}: {n}"} for n in range(self.size)]
        sets = suites.brought(suites.lines(talks), file_name=f"of {self.size}.jsonl")
        version = suites.saved(suites.SUITE.replace("name: Drivers", f"name: Run {self.size}"))
        return suites.done(suites.requested(version, sets, number=600 + self.size))


#: Made anew when the world grows.
LARGER = (
    "draft",
    "graded",
    "machine",
    "seat",
    "trial",
    "tuning",
    "metrics_run",
    "assistant_run",
    "fusion_run",
    "dialogue",
    "losses",
    "pairs_run",
    "quiz",
    "suite_run",
)


class Scored:
    """The world as the routes of figures see it: where others look at an open round, at a graded one."""

    def __init__(self, world: CrowdedWorld) -> None:
        self._world = world

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, "graded" if name == "open_round" else name)
