"""The projects that every page is looked at in, and somebody of every role in each of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotation import models
from annotation.bank import bulk, questions
from annotation.bank import keeping as lists
from annotation.bank.bulk import BulkChange
from annotation.bank.rules import BulkAction
from annotation.grading import seating
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening, states
from tests import make
from tests.e2e import crowd, crowd_work
from tests.e2e.site import Site
from tests.e2e.visitor import Visitor

DEMO, EMPTY, MANY = "northport", "empty", "crowd"
SLUGS = (DEMO, EMPTY, MANY)
#: Belongs to no project, but has an account; and somebody who has none.
STRANGER, NOBODY = "STRANGER", "NOBODY"
#: Annotators first: their pages are looked at with the most care.
ROLES = (Role.ANNOTATOR, *(role for role in Role if role != Role.ANNOTATOR), STRANGER, NOBODY)
OF_DEMO = {
    Role.OWNER: "ines",
    Role.CURATOR: "amara",
    Role.DESIGNER: "tilde",
    Role.INSPECTOR: "ravi",
    Role.ANNOTATOR: "lena",
    Role.ANALYST: "noor",
}


@dataclass(frozen=True)
class World:
    """One of the projects; who has which role in it, and what lets them in."""

    site: Site
    slug: str

    def user_name(self, role: str) -> str:
        if role in {STRANGER, NOBODY}:
            return {STRANGER: "stranger-to-all", NOBODY: ""}[role]
        if self.slug == DEMO:
            return OF_DEMO[Role(role)]
        return crowd.user_name(role) if self.slug == MANY else f"{EMPTY}-{role.lower()}"

    def let_in(self, enter, role: str) -> Visitor:
        if role == NOBODY:
            return enter()
        own = self.slug == DEMO and role != STRANGER
        return enter(self.user_name(role), "" if own else make.PASSWORD)

    @contextmanager
    def inside(self, role: str) -> Iterator[tuple[models.Project, models.User | None]]:
        """Open the database, with the project and whoever has the role in it."""
        with self.site.database():
            home = models.Project.objects.get(slug=self.slug)
            yield home, models.User.objects.filter(username=self.user_name(role)).first()


def build(site: Site, slug: str) -> World:
    """Make a world on the running site; the demo gets what it lacks."""
    with site.database():
        make.user("stranger-to-all")
        if slug == DEMO:
            _add_to_demo(models.Project.objects.get(slug=DEMO))
        elif models.Project.objects.filter(slug=slug).exists():
            pass
        elif slug == MANY:
            crowd_work.build_all(slug)
        else:
            home = make.project(EMPTY, owner=make.user(f"{EMPTY}-owner"))
            for role in Role:
                if role != Role.OWNER:
                    make.member(role, in_=home)
    return World(site, slug)


def _add_to_demo(home: models.Project) -> None:
    """Make a prepared draft and a round in review, and give the annotator something to grade."""
    _seat(home)
    if home.rounds.filter(name="In review").exists():
        return
    _bank(home)
    _draft(home, "A draft")
    closing = _draft(home, "In review")
    by, now = closing.created_by, make.NOW
    drawing.decide(
        round_=closing,
        undecided_only=True,
        decision=models.IdentityHit.Decision.MASK,
        by=by,
        now=now,
    )
    opening.request_opening(round_=closing, by=by, now=now)
    opening.open_round(round_=closing, now=now)
    states.close(round_=closing, by=by, now=now)


def _bank(home: models.Project) -> None:
    """Keep a filter that all see, and try something out on many questions."""
    by = {role: models.User.objects.get(username=name) for role, name in OF_DEMO.items()}
    look = lists.FilterLook({"state": "ACCEPTED"}, "id", ("id", "state", "tags"))
    given: dict[str, Any] = {"project": home, "now": make.NOW}
    lists.save_filter(name="Accepted", look=look, shared=True, by=by[Role.CURATOR], **given)
    change = BulkChange(BulkAction.CHANGE, {"tags_added": ["audit"]})
    bulk.plan(change=change, rows=questions.newest(home), by=by[Role.DESIGNER], **given)
    make.bank_file(in_=home)


def _seat(home: models.Project) -> None:
    rater = models.Rater.objects.get(project=home, user__username=OF_DEMO[Role.ANNOTATOR])
    running = home.rounds.filter(state="OPEN").earliest("pk")
    if not running.assignments.held_by(rater).exists():
        # By the real clock: the site takes back what is held for too long.
        seating.claim_next(round_=running, rater=rater, now=timezone.now())


def _draft(home: models.Project, name: str) -> models.Round:
    """Return a draft of three items that is prepared."""
    by, now = models.User.objects.get(username="ines"), make.NOW
    version = models.RubricVersion.objects.filter(rubric__project=home).earliest("pk")
    users = list(models.User.objects.filter(username__in=["kofi", "lena", "mei"]))
    made = drafting.create_round(
        project=home, name=name, seed=name, secret=make.SECRET, by=by, now=now
    )
    asked = models.Item.objects.filter(question_version__question__project=home)
    answered = models.Response.objects.filter(
        item__in=asked, origin=models.Response.Origin.IMPORTED
    )
    releases = list(models.SystemRelease.objects.filter(pk__in=answered.values("release")))
    drafting.choose_releases(round_=made, releases=releases, by=by, now=now)
    drafting.choose_rubrics(round_=made, by_capability={}, rest=version, by=by, now=now)
    drafting.choose_draw(round_=made, draw=drafting.Draw(n_items=3), by=by, now=now)
    drafting.invite(round_=made, users=users, by=by, by_owner=True, now=now, override="")
    drawing.prepare(round_=made, now=now)
    return made
