"""The demo's next round: a draft drawn by stratum, with anchors of the first round and repeats."""

from datetime import datetime

from annotation.models import Project, Round, SystemRelease, User
from annotation.operations.demo import grading
from annotation.operations.rounds import drafting, drawing
from annotation.rules.draws import How
from annotation.rules.rounds import MOST_RELEASES

NAME = "Autumn comparison"
SEED = "20260901"
ANNOTATORS = ("lena", "kofi", "mei", "jonas")


def sketch(*, project: Project, secret: bytes, by: User, now: datetime) -> Round:
    """Make the draft and prepare it; it is left to its curator to open it."""
    round_ = drafting.create_round(
        project=project, name=NAME, seed=SEED, secret=secret, by=by, now=now
    )
    releases = SystemRelease.objects.filter(system__project=project).select_related("system")
    drafting.choose_releases(round_=round_, releases=list(releases)[:MOST_RELEASES], by=by, now=now)
    draw = drafting.Draw(
        how=How.SHARES,
        n_items=10,
        preference="SHORT",
        make_up=True,
        avoid_rounds=1,
        anchors_from=1,
        repeats=10,
    )
    drafting.choose_draw(round_=round_, draw=draw, by=by, now=now)
    grading.choose_rubrics(round_, by, now)
    users = list(User.objects.filter(username__in=ANNOTATORS))
    drafting.invite(round_=round_, users=users, by=by, by_owner=False, now=now, override="")
    drawing.prepare(round_=round_, now=now)
    return round_
