"""What was done in a project with many rows: its bank, its rounds in every state, imports, events."""

import time
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import cycle

from django.utils import timezone

from annotation import models
from annotation.bank import checklists
from annotation.inspection import operations as inspecting
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening, states
from annotation.sources import operations as sources
from scoring.engine import working
from scoring.kinds.metrics import operations as metrics
from scoring.kinds.metrics.catalogue import METRICS
from tests import make
from tests.e2e import (
    crowd_files,
    crowd_fusion,
    crowd_interviews,
    crowd_programs,
    crowd_runs,
    crowd_suites,
)
from tests.e2e.crowd import NAMES, Crowd, build, name, text
from tests.scoring import connected

N_QUESTIONS, N_SOURCES, N_ROUNDS, N_EVENTS = 300, 80, 30, 300
#: Items of the rounds that are looked into.
N_DRAWN = 40


def build_all(slug: str = "crowd") -> Crowd:
    """Make the whole project."""
    crowd = build(slug)
    _plan(crowd)
    _bank(crowd)
    _rounds(crowd)
    crowd_files.bring_in(crowd)
    _events(crowd)
    _metrics(crowd)
    crowd_runs.ask(crowd)
    crowd_interviews.hold(crowd)
    crowd_suites.run(crowd)
    crowd_programs.measure(crowd)
    crowd_fusion.evaluate(crowd)
    return crowd


def _plan(crowd: Crowd) -> None:
    cells = models.PlanCell.objects.bulk_create(
        models.PlanCell(
            project=crowd.home,
            capability=capability,
            difficulty=difficulty,
            domain=domain,
            wanted=place + 3,
        )
        for place, capability in enumerate(crowd.capabilities)
        for difficulty in models.Difficulty.values
        for domain in (None, crowd.domains[place])
    )
    models.PlanShare.objects.bulk_create(
        models.PlanShare(cell=cell, designer=designer, n=2, due_on=make.at(60 * 24 * 9).date())
        for place, cell in enumerate(cells)
        for designer in crowd.people[Role.DESIGNER][: place % 4]
    )


# The bank


def _bank(crowd: Crowd) -> None:
    designers = crowd.people[Role.DESIGNER]
    questions = models.Question.objects.bulk_create(
        models.Question(
            project=crowd.home,
            external_id=f"B{name(place)}",
            # Of the accepted ones some have gone.
            state={13: "RETIRED", 17: "INVALIDATED"}.get(place % 20, "LIVE")
            if place % 4 == 2 or place % 20 in {13, 17}
            else "LIVE",
            created_by=designers[place % len(designers)],
            created_at=make.NOW,
        )
        for place in range(N_QUESTIONS)
    )
    versions = models.QuestionVersion.objects.bulk_create(
        _version(crowd, question, place) for place, question in enumerate(questions)
    )
    _citations(crowd, versions)
    _take_on(versions)
    _inspections(crowd, versions)
    models.QuestionComment.objects.bulk_create(
        models.QuestionComment(
            question=version.question,
            version=version,
            field=checklists.FIELDS[place % 3],
            text=text(place),
            author=crowd.people[Role.CURATOR][place % 3],
            at=make.at(place),
        )
        for place, version in enumerate([*versions[:8] * 6, *versions])
    )


def _version(crowd: Crowd, question: models.Question, place: int) -> models.QuestionVersion:
    return models.QuestionVersion(
        question=question,
        number=1,
        author=question.created_by,
        turns=[{"role": "user", "content": text(place)}],
        answer=text(place + 1),
        key_points=list(NAMES[: place % 8 + 1]),
        capability=crowd.capabilities[place % len(crowd.capabilities)],
        domain=crowd.domains[place % len(crowd.domains)],
        difficulty=models.Difficulty.values[place % 3],
        question_type=models.QuestionType.values[place % 2],
        principle=text(place + 2),
        as_of="2026-01",
        tags=[NAMES[place % 8][:40], "duty"],
        language=("en", "de", "ar", "zh")[place % 4],
        created_at=make.NOW,
        saved_at=make.NOW,
    )


def _take_on(versions: Sequence[models.QuestionVersion]) -> None:
    """Take the drafts to every state; what they rest on is written by now."""
    for version, state in zip(versions, cycle(models.QuestionVersion.State.values), strict=False):
        version.state = state
    gone = [one for one in versions if one.state != "DRAFT"]
    decided = [one for one in gone if one.state != "SUBMITTED"]
    models.QuestionVersion.objects.filter(pk__in=[one.pk for one in gone]).update(
        state="SUBMITTED", submitted_at=make.at(10)
    )
    for state in ("ACCEPTED", "RETURNED"):
        models.QuestionVersion.objects.filter(
            pk__in=[one.pk for one in decided if one.state == state]
        ).update(state=state, decided_at=make.at(90))


def _citations(crowd: Crowd, versions: Sequence[models.QuestionVersion]) -> None:
    by = crowd.people[Role.CURATOR][0]
    kept = models.Source.objects.bulk_create(
        models.Source(
            project=crowd.home,
            title=name(place),
            kind=models.Source.Kind.values[place % 4],
            address="https://example.org/" + "deep/" * 60,
            publisher=name(place, 190),
            licence=name(place + 1, 190),
            created_by=by,
            created_at=make.NOW,
        )
        for place in range(N_SOURCES)
    )
    said = models.SourceVersion.objects.bulk_create(
        models.SourceVersion(
            source=source,
            number=number,
            sha=sources.SourceSaid(text=text(place + number)).sha(),
            text=text(place + number) * 3,
            note=name(place),
            created_by=by,
            created_at=make.NOW,
        )
        for place, source in enumerate(kept)
        for number in (1, 2)
    )
    models.Citation.objects.bulk_create(
        models.Citation(
            version=version,
            source_version=said[(place + number) % len(said)],
            locator=name(number),
            position=number,
        )
        for place, version in enumerate(versions)
        for number in range(3)
    )


def _inspections(crowd: Crowd, versions: Sequence[models.QuestionVersion]) -> None:
    checklist = inspecting.current_checklist(project=crowd.home, now=make.NOW)
    inspectors = crowd.people[Role.INSPECTOR]
    made = models.Inspection.objects.bulk_create(
        models.Inspection(
            version=version,
            # The first inspector, who looks at the pages, has not seen what waits.
            inspector=inspectors[place % (len(inspectors) - 1) + 1],
            author=version.author,
            checklist=checklist,
            verdict="ACCEPT" if version.state == "ACCEPTED" else "RETURN",
            note=text(place),
            suggestion={"answer": text(place)} if version.state == "RETURNED" else {},
            at=make.at(60 + place),
        )
        for place, version in enumerate(versions)
        if version.state in {"ACCEPTED", "RETURNED"}
    )
    models.Finding.objects.bulk_create(
        models.Finding(
            inspection=inspection,
            line=line["key"],
            outcome="FAIL" if fails else "PASS",
            reason=list(checklists.REASONS)[position % len(checklists.REASONS)] if fails else "",
            field=checklists.FIELDS[position % len(checklists.FIELDS)] if fails else "",
            note=text(position)[:1000] if fails else "",
            position=position,
        )
        for inspection in made
        for position, line in enumerate(checklist.lines)
        for fails in [inspection.verdict == "RETURN" and position % 2 == 0]
    )


# Rounds


def _rounds(crowd: Crowd) -> None:
    _many_rounds(crowd, N_ROUNDS - 5)
    final = _opened(crowd, 1, n_items=12)
    _grade(crowd, final, share=1)
    states.close(round_=final, by=final.created_by, now=make.at(900))
    states.finish(round_=final, by=final.created_by, now=make.at(901))
    review = _opened(crowd, 2, n_items=N_DRAWN)
    _grade(crowd, review, share=0.8)
    states.close(round_=review, by=review.created_by, now=make.at(900))
    crowd_files.imported(crowd)
    running = _opened(crowd, 3, n_items=N_DRAWN)
    _grade(crowd, running, share=0.4)
    annotator = make.annotators(running)[0]
    # By the real clock: the site takes back what is held for too long.
    make.claim(running, annotator, now=timezone.now())
    draft = _draft(crowd, 4, n_items=N_DRAWN, decided=False)
    # By the real clock: the site begins anew what was begun long ago.
    drawing.prepare(round_=draft, now=timezone.now())


def _many_rounds(crowd: Crowd, n: int) -> None:
    rounds = models.Round.objects.bulk_create(
        models.Round(
            project=crowd.home,
            number=number + 1,
            name=name(number),
            state="DRAFT" if number % 2 else "FINAL",
            seed=f"seed {number}",
            secret=make.SECRET,
            instructions=text(number),
            draw={"n_items": 10},
            opened_at=None if number % 2 else make.at(number),
            review_at=None if number % 2 else make.at(number + 30),
            final_at=None if number % 2 else make.at(number + 60),
            created_by=crowd.people[Role.CURATOR][number % 3],
            created_at=make.at(number),
        )
        for number in range(n)
    )
    models.RoundSystem.objects.bulk_create(
        models.RoundSystem(round=round_, release=release)
        for round_ in rounds
        for release in crowd.releases[:8]
    )


def _draft(crowd: Crowd, place: int, *, n_items: int, decided: bool) -> models.Round:
    by, now = crowd.people[Role.OWNER][0], make.NOW
    made = drafting.create_round(
        project=crowd.home, name=name(place), seed=f"s{place}", secret=make.SECRET, by=by, now=now
    )
    drafting.configure(
        round_=made,
        settings=drafting.RoundSettings(
            name=name(place), n_seats=4, lease_minutes=240, instructions=text(place)
        ),
        by=by,
        by_owner=True,
        now=now,
    )
    drafting.choose_releases(round_=made, releases=crowd.releases[:8], by=by, now=now)
    drafting.choose_rubrics(round_=made, by_capability={}, rest=crowd.version, by=by, now=now)
    drafting.choose_draw(round_=made, draw=drafting.Draw(n_items=n_items), by=by, now=now)
    active = [one for number, one in enumerate(crowd.people[Role.ANNOTATOR]) if number % 7 != 6]
    drafting.invite(round_=made, users=active[:24], by=by, by_owner=True, now=now, override="")
    if decided:
        drawing.prepare(round_=made, now=timezone.now())
        drawing.decide(
            round_=made,
            undecided_only=True,
            decision=models.IdentityHit.Decision.MASK,
            by=by,
            now=now,
        )
    return made


def _opened(crowd: Crowd, place: int, *, n_items: int) -> models.Round:
    made = _draft(crowd, place, n_items=n_items, decided=True)
    opening.request_opening(round_=made, by=made.created_by, now=make.NOW)
    opening.open_round(round_=made, now=make.NOW)
    made.refresh_from_db()
    return made


def _grade(crowd: Crowd, round_: models.Round, *, share: float) -> None:
    """Let the annotators have graded the first seats of a round, each item by different ones."""
    raters = make.annotators(round_)
    seats = list(round_.assignments.select_related("round_item").order_by("ordinal"))
    taken = seats[: int(len(seats) * share)]
    for number, seat in enumerate(taken):
        seat.state, seat.submitted_at = "SUBMITTED", make.at(number % 600)
        seat.rater = raters[(seat.round_item.ordinal + seat.seat) % len(raters)]
        seat.token, seat.claim_no = f"crowd{round_.pk:010}x{seat.pk:010}", 1
        seat.claimed_at = make.NOW
    models.Assignment.objects.bulk_update(
        taken, ["state", "submitted_at", "rater", "token", "claim_no", "claimed_at"]
    )
    of_taken = models.Slot.objects.filter(assignment__in=taken).order_by("pk")
    slots = list(of_taken.select_related("assignment", "round_response"))
    models.Grade.objects.bulk_create(_grades(crowd, round_, slots), batch_size=1000)
    models.Remark.objects.bulk_create(
        models.Remark(
            slot=slot,
            rater=slot.assignment.rater,
            kind="FLAG" if place % 14 else "COMMENT",
            text=text(place),
            at=make.at(place),
        )
        for place, slot in enumerate(slots)
        if place % 7 == 0 and slot.position == 0
    )


def _grades(
    crowd: Crowd, round_: models.Round, slots: Sequence[models.Slot]
) -> Iterator[models.Grade]:
    for slot in slots:
        for place, criterion in enumerate(crowd.version.criteria.all()):
            refused = (slot.pk + place) % 41 == 0
            yield models.Grade(
                round=round_,
                response_id=slot.round_response.response_id,
                criterion=criterion,
                rater=slot.assignment.rater,
                slot=slot,
                assignment=slot.assignment,
                outcome="CANNOT_GRADE" if refused else "VALUE",
                reason="It is in a language that I do not read." if refused else "",
                value=None if refused else Decimal((slot.pk * 7 + place) % 5),
                given_at=make.at(slot.pk % 600),
            )


def _metrics(crowd: Crowd) -> None:
    """Have the answers of a final round measured, by every metric there is."""
    rounds = models.Round.objects.filter(project=crowd.home, items__responses__isnull=False)
    final = rounds.filter(state="FINAL").earliest("pk")
    wish = metrics.Measured(
        **connected.head(1, NAMES[1][:120], 0),
        metrics=tuple(METRICS),
        references="both",
        source="question",
        round=final.number,
    )
    run = connected.begun(metrics.KIND, crowd.home, wish)
    # The site's own workers may hold some of the steps.
    for _ in range(120):
        working.work(run.pk, clock=timezone.now)
        run.refresh_from_db()
        if run.state == run.State.DONE:
            break
        time.sleep(0.5)


def _events(crowd: Crowd) -> None:
    models.AuditEvent.objects.bulk_create(
        models.AuditEvent(
            project=crowd.home,
            actor=crowd.people[Role.CURATOR][place % 3].public_id,
            verb=("round.configured", "item.imported", "a.very.long.verb.without.an.end")[
                place % 3
            ],
            subject=f"round:{place}",
            data={"name": name(place), "n": place},
            note=text(place),
            at=make.at(place),
        )
        for place in range(N_EVENTS)
    )
