"""What is done with a round, as JSON: prepare and open it, pause, close and finish it."""

import secrets
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.api.round_shapes import ROUND, whole
from annotation.models import Role, Round
from annotation.operations.rounds import copying, discarding, starting, states
from annotation.permissions import Scope, door
from annotation.queries import rounds as reads
from annotation.rules.rounds import LONGEST_NAME, LONGEST_REASON, LONGEST_SEED
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, post
from evalsite.contract.shapes import maybe, said, shape
from evalsite.contract.waiting import taken_on


class DeadlineIn(Body):
    deadline = serializers.DateTimeField(allow_null=True)


class ClosingIn(Body):
    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)


class CopyIn(Body):
    """`SAME` questions in their newest versions, or a `NEW` draw by the same wishes."""

    name = serializers.CharField(max_length=LONGEST_NAME, required=False)
    questions = serializers.ChoiceField(
        choices=[str(one) for one in copying.Questions], default=str(copying.Questions.SAME)
    )
    seed = serializers.CharField(max_length=LONGEST_SEED, required=False, allow_blank=True)


class DiscardIn(Body):
    """`reason` is needed once the round was opened; its annotators read it."""

    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)


PREPARED = shape(
    "PreparedRound",
    prepared=said(
        maybe(
            shape(
                "Prepared",
                items=int,
                eligible=int,
                responses=int,
                missing=int,
                hits=int,
                scripted=int,
            )
        ),
        "What was drawn and found; null while a worker prepares a large draft: ask the round.",
    ),
)


@api_view(["POST"])
@contract(
    post(PREPARED, also={202: PREPARED}),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def prepare(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Draw the items of a draft and look for names of systems in their answers."""
    found = _find(scope, number)
    counts = starting.prepare(round_=found, by=scope.user, now=timezone.now())
    if counts is None:
        return taken_on({"prepared": None}, "api_round", scope.project.slug, number)
    return Response({"prepared": counts})


@api_view(["POST"])
@contract(
    post(ROUND, also={202: ROUND}),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def open_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Open a prepared draft; 202 where a worker opens a large one."""
    found = _find(scope, number)
    is_open = starting.open_(round_=found, by=scope.user, now=timezone.now())
    found.refresh_from_db()
    if not is_open:
        return taken_on(whole(found), "api_round", scope.project.slug, number)
    return Response(whole(found))


def _step(step: Callable[..., None], words: str) -> Any:
    """Return the view of a step that takes nothing but the round."""

    def view(request: HttpRequest, scope: Scope, number: int) -> Response:
        return _moved(scope, number, step)

    view.__doc__ = words
    view.__name__ = step.__name__
    return api_view(["POST"])(
        contract(post(ROUND))(door(permissions.UNBLINDED, permissions.CURATORS)(view))
    )


pause = _step(states.pause, "Hand out no more seats until the round goes on.")
resume = _step(states.resume, "Resume a paused round.")
withdraw = _step(
    states.withdraw_opening,
    "Withdraw an opening that does not complete; the round is a draft again.",
)
finish = _step(states.finish, "Make a round in review final.")


@api_view(["POST"])
@contract(
    post(ROUND, takes=DeadlineIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def prolong(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Set another closing time of an open round, or none."""
    given = valid(DeadlineIn, request)
    return _moved(scope, number, states.prolong, **given)


@api_view(["POST"])
@contract(
    post(ROUND, takes=ClosingIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def close(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Close an open round for review: no more questions are handed out."""
    given = valid(ClosingIn, request)
    return _moved(scope, number, states.close, **given)


@api_view(["POST"])
@contract(
    post(ROUND, takes=CopyIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def copy(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Begin a draft with the settings, releases, rubrics, annotators and draw of a round."""
    given = valid(CopyIn, request)
    made = copying.copy(
        round_=_find(scope, number),
        questions=copying.Questions(given["questions"]),
        name=given.get("name", ""),
        seed=given.get("seed") or secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        by=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )
    return Response(whole(made), status=201)


@api_view(["POST"])
@contract(
    post(None, takes=DiscardIn, status=204),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def discard(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Delete a draft, or discard an opened round in which nothing was graded."""
    given = valid(DiscardIn, request)
    discarding.discard(
        round_=_find(scope, number),
        by=scope.user,
        now=timezone.now(),
        reason=given.get("reason", ""),
    )
    return Response(status=204)


def _moved(scope: Scope, number: int, step: Callable[..., None], **given: Any) -> Response:
    found = _find(scope, number)
    step(round_=found, by=scope.user, now=timezone.now(), **given)
    found.refresh_from_db()
    return Response(whole(found))


def _find(scope: Scope, number: int) -> Round:
    return get_object_or_404(reads.of(scope.project).select_related("project"), number=number)
