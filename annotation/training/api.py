"""Training as JSON: the examples of capabilities, and what is right for the answers of a round.

* Trials as JSON: drafts in which people who have trained show that they can grade.
* Qualification as JSON: the pool with everybody's states, one person's history and steps by hand, the rules.
"""

import secrets
import uuid
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.domains.models import Capability
from annotation.people import operations as people
from annotation.people import permissions
from annotation.people.models import Membership, Role, User
from annotation.people.permissions import Scope, door
from annotation.qualification import answers as reads
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications_reads
from annotation.qualification.models import TrainingExample
from annotation.qualification.records import RuleIn, RuleOut
from annotation.qualification.rules import Event
from annotation.rounds import queries as round_reads
from annotation.rounds.api import ROUND, people_named, releases_named, whole
from annotation.rounds.models import Round
from annotation.training import operations as training
from annotation.training import queries as example_lists
from annotation.training.records import (
    Adopt,
    ExampleOut,
    ExampleText,
    NewExample,
    Reference,
    ReferenceOut,
    References,
    Trial,
)
from annotation.training.records import Step as ByHand
from evalsite.contract.calls import AFTER, contract, get, post, taken
from evalsite.contract.shapes import ANYTHING, answers, at, maybe, rows, shape
from evalsite.records import told, values
from evalsite.web import keyset

REFERENCES = shape("References", next=maybe(str), results=[ReferenceOut], missing=int)


@contract(
    get(rows(ExampleOut), "Return the examples in use, by capability."),
    post(ExampleOut, "Write an example for a capability.", takes=NewExample, status=201),
)
@door(permissions.CURATORS)
def examples(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        wanted = taken(NewExample, request)
        capability = _capability(scope, wanted.capability)
        version = training.newest_version(capability)
        if version is None:
            raise training.NoRubric(_("This capability has no rubric. Choose one for it first."))
        made = training.add_example(
            capability=capability,
            version=version,
            text=wanted,
            **scope.deed(),
        )
        return Response(told(ExampleOut, made), status=201)
    found = [one for line in example_lists.lines(scope.project) for one in line.examples]
    return Response({"results": [told(ExampleOut, one) for one in found]})


@contract(post(rows(ExampleOut), takes=Adopt, status=201))
@door(permissions.CURATORS)
def adopt(request: HttpRequest, scope: Scope) -> Response:
    """Take over the example answers of a capability's rubric; return the new ones."""
    capability = _capability(scope, taken(Adopt, request).capability)
    made = training.adopt_levels(capability=capability, **scope.who())
    return Response({"results": [told(ExampleOut, one) for one in made]}, status=201)


@contract(
    get(ExampleOut, "Return an example."),
    post(ExampleOut, "Replace an example by another.", takes=ExampleText),
)
@door(permissions.CURATORS)
def example(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = _example(scope, number)
    if request.method == "POST":
        text = taken(ExampleText, request)
        found = training.replace(example=found, text=text, **scope.who())
    return Response(told(ExampleOut, found))


@contract(post(shape("Withdrawn", withdrawn=int)))
@door(permissions.CURATORS)
def withdraw(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Withdraw an example; what was practised with it stays."""
    training.withdraw(example=_example(scope, number), **scope.who())
    return Response({"withdrawn": number})


def _example(scope: Scope, number: int) -> TrainingExample:
    rows = TrainingExample.objects.select_related("project", "capability", "rubric_version__rubric")
    return get_object_or_404(rows.in_use(), project=scope.project, number=number)


@contract(
    get(
        REFERENCES,
        "Return the reference grades of the answers of a round, a page at a time; null where there is none.",
        query=[AFTER],
    ),
    post(
        REFERENCES,
        "Set reference grades of some answers, and return what is right for those.\n\n"
        "What is not named stays as it is; nothing is saved if one grade does not fit.",
        takes=References,
    ),
)
@door(permissions.CURATORS)
def references(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = get_object_or_404(
        round_reads.rounds_of(scope.project).select_related("project"), number=number
    )
    if request.method == "POST":
        sent = taken(References, request).references
        _give(scope, found, sent)
        places, following = reads.places(found, {one.response for one in sent}), None
    else:
        page = reads.page(found, after=request.GET.get("after", ""))
        places, following = page.rows, keyset.next_url(request.GET, page)
    return Response(
        {
            "next": following,
            "results": [told(ReferenceOut, one) for one in places],
            "missing": reads.n_missing(found),
        }
    )


def _give(scope: Scope, round_: Round, sent: Sequence[Reference]) -> None:
    asked = reads.places(round_, {one.response for one in sent})
    known = {(one.response, one.criterion): one.place for one in asked}
    values: dict[reads.Place, Decimal] = {}
    why: dict[int, str] = {}
    for n, one in enumerate(sent, start=1):
        place = known.get((one.response, one.criterion))
        if place is None:
            raise serializers.ValidationError(
                {
                    "references": [
                        _("Number %(n)d is no answer and criterion of this round.") % {"n": n}
                    ]
                }
            )
        values[place] = one.value
        if one.explanation is not None:
            why[one.response] = one.explanation
    training.give(round_=round_, values=values, why=why, **scope.who())


def _capability(scope: Scope, key: int) -> Capability:
    found = Capability.objects.filter(project=scope.project, pk=key).first()
    if found is None:
        raise serializers.ValidationError({"capability": [_("There is no such capability.")]})
    return found


@contract(
    post(
        ROUND,
        "Draft a trial for people who have finished the training; return its round.\n\n"
        "Its questions are drawn. Say what is right for its answers at the round's `references/`, then "
        "open it.",
        takes=Trial,
        status=201,
    )
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def trials(request: HttpRequest, scope: Scope) -> Response:
    given = taken(Trial, request)
    plan = training.TrialPlan(
        name=given.name,
        capability=get_object_or_404(Capability, project=scope.project, pk=given.capability),
        releases=releases_named(scope, given.releases),
        users=people_named(scope, given.annotators),
        n_items=given.n_items,
        external_ids=given.external_ids,
    )
    made = training.begin(
        plan=plan, seed=secrets.token_hex(8), secret=secrets.token_bytes(32), **scope.deed()
    )
    return Response(whole(made), status=201)


CELL = shape(
    "Cell",
    capability=at("capability.pk", int),
    name=at("capability.name", str),
    state=str,
    inherited=bool,
    since=at("last.at", maybe(datetime)),
)


MEMBER = shape(
    "Member",
    annotator=at("user.public_id", UUID),
    name=str,
    knows_about=at("tags", [str]),
    capabilities=at("cells", [CELL]),
)


STEP = shape(
    "Step",
    at=datetime,
    capability=at("capability_id", int),
    event=str,
    state=str,
    reason=str,
    round=at("round.number", maybe(int)),
    figures={str: ANYTHING},
    by=at("by.public_id", maybe(UUID)),
)


@contract(get(rows(MEMBER)))
@door(permissions.CURATORS)
def pool(request: HttpRequest, scope: Scope) -> Response:
    """Return every annotator, what they know about, and their standing in each capability."""
    return Response({"results": answers(MEMBER, qualifications_reads.pool(scope.project))})


@contract(
    get(rows(STEP), "Return the history of one annotator, the newest step first."),
    post(rows(STEP), "Record a step of an annotator by hand.", takes=ByHand),
)
@door(permissions.CURATORS)
def person(request: HttpRequest, scope: Scope, person: uuid.UUID) -> Response:
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=scope.project)
    user = get_object_or_404(User, memberships__in=held, public_id=person)
    now = timezone.now()
    rater = people.rater_of(project=scope.project, user=user, now=now)
    if request.method == "POST":
        wanted = taken(ByHand, request)
        qualifying.say(
            rater=rater,
            capability=_capability(scope, wanted.capability),
            event=Event(wanted.event),
            reason=wanted.reason,
            by=scope.user,
            by_owner=scope.may({Role.OWNER}),
            now=now,
        )
    return Response({"results": answers(STEP, qualifications_reads.history(rater))})


@contract(
    get(rows(RuleOut), "Return the rules of qualification, the project's first."),
    post(rows(RuleOut), "Set a rule of qualification.", takes=RuleIn),
)
@door(permissions.CURATORS)
def rules(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        given = taken(RuleIn, request)
        key = given.capability
        qualifying.set_rule(
            capability=None if key is None else _capability(scope, key),
            asked=qualifying.RuleAsked(**values(given, qualifying.RuleAsked)),
            **scope.deed(),
        )
    project = qualifications_reads.rule_of(scope.project)
    held = [
        *([project] if project else []),
        *qualifications_reads.own_rules(scope.project).values(),
    ]
    return Response({"results": [told(RuleOut, one) for one in held]})
