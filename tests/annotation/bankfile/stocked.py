"""A bank with all that can travel: for the tests of whole banks."""

from datetime import timedelta

from annotation import models
from annotation.bank import operations as states
from annotation.bank.checklists import Checked
from annotation.bank.rules import Act
from annotation.domains import operations as domains
from annotation.inspection import operations as inspecting
from annotation.people.models import Role
from annotation.rubrics import operations as rubrics
from annotation.sources import operations as source_checks
from annotation.sources.operations import SourceAbout, SourceSaid, add_source, add_version
from tests import make

RUBRIC = {
    "key": "facts",
    "name": "Facts",
    "principle": "Only what is true counts.",
    "criteria": [
        {
            "key": "true",
            "name": "True",
            "description": "What it says is so.",
            "min": 0,
            "max": 2,
            "step": 0.5,
            "pass_at": 1,
            "weight": 1,
            "levels": [
                {"value": 0, "label": "No", "description": "wrong", "examples": ["Ünsinn"]},
                {"value": 2, "label": "Yes", "description": "right", "examples": []},
            ],
        }
    ],
}


def bank(slug: str = "northport") -> models.Project:
    """Return a project whose bank has several versions, states, people and sources."""
    home = make.project(slug)
    owner = make.user(f"{slug}-owner")
    designer = make.member(Role.DESIGNER, in_=home)
    inspector = make.member(Role.INSPECTOR, in_=home)
    make.member(Role.CURATOR, in_=home)
    now = make.NOW
    rubrics.load_fixture(project=home, entries=[RUBRIC], by=owner, now=now)
    rubrics.freeze(version=models.RubricVersion.objects.get(rubric__project=home), now=now)
    above = domains.save_domain(
        project=home, text=domains.DomainText(name="Freight / sea"), by=owner, now=now
    )
    area = domains.save_domain(
        project=home,
        text=domains.DomainText(name="Containers", parent=above, priority="P2"),
        by=owner,
        now=now,
    )
    capability = domains.save_capability(
        project=home,
        text=domains.CapabilityText(
            name="Facts", rubric=models.Rubric.objects.get(project=home, key="facts")
        ),
        by=owner,
        now=now,
    )
    first = add_source(
        project=home,
        about=SourceAbout("Handbook", address="https://example.org/handbook"),
        said=SourceSaid("A container is 6.06 m long.", valid_from=now.date()),
        by=designer,
        now=now,
    )
    source_checks.check(
        source=first.source, number=1, outcome="VERIFIED", how="read it", by=owner, now=now
    )
    add_version(source=first.source, said=SourceSaid("Now it is 6.1 m."), by=designer, now=now)
    text = states.WholeDraft(
        turns=[{"role": "user", "content": "集装箱 How long is a container?"}],
        answer="6.06 m",
        key_points=["6.06", "metres"],
        capability_id=capability.pk,
        domain_id=area.pk,
        difficulty="SIMPLE",
        question_type="FACTUAL",
        language="en",
        tags=["length"],
        cited=[states.Cited(first.pk, "p. 3")],
    )
    for n in range(1, 6):
        at = now + timedelta(minutes=n)
        version = states.create_question(
            project=home, text=text, external_id=f"q-{n}", by=designer, now=at
        )
        if n == 1:
            continue
        version = states.submit(version=version, base_rev=version.rev, by=designer, now=at)
        if n == 2:
            continue
        lines = inspecting.current_checklist(project=home, now=now).lines
        verdict, outcome = ("RETURN", "FAIL") if n == 3 else ("ACCEPT", "PASS")
        checked = [Checked(row["key"], "PASS") for row in lines]
        if n == 3:
            checked[0] = Checked(
                lines[0]["key"], outcome, reason="wrong", field="answer", note="not so"
            )
        inspecting.inspect(version=version, verdict=verdict, checked=checked, by=inspector, now=at)
        version.refresh_from_db()
        if n == 4:
            states.revise(version=version, by=designer, now=at)
    retired = models.Question.objects.get(project=home, external_id="q-5")
    states.change_life(question=retired, act=Act.RETIRE, reason="out of date", by=owner, now=now)
    models.QuestionComment.objects.create(
        question=retired,
        version=None,
        field="answer",
        text="Who says so?",
        author=inspector,
        at=now,
    )
    spot = domains.PlanSpot(capability.pk, "SIMPLE", area.pk)
    cell = domains.set_wanted(project=home, wanted={spot: 7}, by=owner, now=now)[0]
    domains.assign(cell=cell, designer=designer, n=3, due_on=now.date(), by=owner, now=now)
    return home
