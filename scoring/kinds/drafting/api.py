"""Help with drafting, for programs: ask, see what was proposed, take it over as a draft."""

import secrets
from datetime import datetime
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.bank import reading as question_pages
from annotation.bank.models import QuestionVersion
from annotation.common import texts as passages
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.sources import queries as corpus
from evalsite import errors
from evalsite.contract.calls import Body, contract, get, post, taken_on
from evalsite.contract.shapes import ANYTHING, maybe, rows, shape
from scoring.engine.kinds import LARGEST_SEED
from scoring.kinds.drafting import kind as reads
from scoring.kinds.drafting import operations
from scoring.kinds.drafting.models import Drafting
from scoring.kinds.drafting.pages import HelpForm

PROPOSAL = shape("Proposal", number=int, content={str: ANYTHING}, taken=[datetime])
DRAFTING = shape(
    "Drafting",
    run=int,
    task=str,
    state=str,
    scripted=bool,
    source=maybe(int),
    version=maybe(int),
    start=maybe(int),
    end=maybe(int),
    question=maybe(int),
)
CAME = shape("DraftingCame", DRAFTING, is_over=bool, problem=str, flags=[str], proposals=[PROPOSAL])
TAKEN = shape("ProposalTaken", question=int, external_id=str, number=int, rev=int)


class PassageRefused(errors.Invalid):
    code = "no_passage"


class AskIn(Body):
    """Questions from a passage of a version of a source, or help with a draft of one's own."""

    key = serializers.UUIDField(help_text="The same key is the same request.")
    version = serializers.IntegerField(
        min_value=1, required=False, help_text="The id of a version of a source."
    )
    start = serializers.IntegerField(min_value=0, required=False)
    end = serializers.IntegerField(min_value=1, required=False)
    question = serializers.IntegerField(
        min_value=1, required=False, help_text="The id of a question, in place of a version."
    )
    task = serializers.ChoiceField(
        choices=HelpForm.base_fields["task"].choices,  # type: ignore[attr-defined]
        required=False,
        help_text="What is wanted for the question.",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        passage = {"version", "start", "end"} & given.keys()
        draft = {"question", "task"} & given.keys()
        if (passage and draft) or not (len(passage) == 3 or len(draft) == 2):
            raise serializers.ValidationError(
                _("Send version, start and end of a passage, or question and task.")
            )
        return given


class TakeIn(Body):
    proposal = serializers.IntegerField(min_value=1)
    rev = serializers.IntegerField(
        min_value=0,
        required=False,
        help_text="For key points: the `rev` of the draft that was read. A draft that moved on stays.",
    )


@contract(
    get(rows(DRAFTING), "Return your requests for drafts, the newest first."),
    post(DRAFTING, "Have something drafted, in the background.", takes=AskIn, status=202),
)
@door(permissions.DESIGNERS)
def draftings(request: Any, scope: Scope) -> Response:
    """List what one asked for last; a POST asks for questions from a passage, or help with a draft."""
    if request.method == "GET":
        found = reads.of_user(scope.project, scope.user)
        return Response({"results": [_drafting(one) for one in found]})
    sent = AskIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    begun: dict[str, Any] = {
        "key": given["key"],
        "seed": secrets.randbelow(LARGEST_SEED + 1),
        "by": scope.user,
        "now": timezone.now(),
    }
    if "question" in given:
        version = question_pages.under_way(scope.project, given["question"])
        if version is None or version.state != QuestionVersion.State.DRAFT:
            raise Http404
        asked = operations.request_help(version=version, task=given["task"], **begun)
    else:
        asked = _from_passage(scope, given, begun)
    return taken_on(_drafting(asked), "api_drafting", scope.project.slug, asked.run.number)


def _from_passage(scope: Scope, given: dict[str, Any], begun: dict[str, Any]) -> Drafting:
    visible = corpus.visible_to(scope.project, scope.user, scope.roles)
    version = corpus.version_of(visible, given["version"])
    if version is None:
        raise Http404
    try:
        start, end = passages.trimmed(version.text, given["start"], given["end"])
    except passages.UnheldPassage as problem:
        words = _("Choose paragraphs of the text, at most %(n)d characters together.")
        raise PassageRefused(words % {"n": passages.MAX_PASSAGE}) from problem
    return operations.request_questions(version=version, start=start, end=end, **begun)


@contract(
    get(CAME, "Return what came of one of your requests."),
    post(TAKEN, "Take a proposal over as a draft of your own.", takes=TakeIn, status=201),
)
@door(permissions.DESIGNERS)
def drafting(request: Any, scope: Scope, number: int) -> Response:
    """Tell what came of a request; a POST takes a proposal over as a draft, marked as machine-drafted."""
    found = reads.drafting_of(scope.project, scope.user, number)
    if found is None:
        raise Http404
    if request.method == "GET":
        return Response(_came(found))
    sent = TakeIn(data=request.data)
    sent.is_valid(raise_exception=True)
    proposal = found.proposals.filter(number=sent.validated_data["proposal"]).first()
    if proposal is None:
        raise Http404
    given: dict[str, Any] = {"proposal": proposal, "by": scope.user, "now": timezone.now()}
    if found.task == Drafting.Task.QUESTIONS:
        made = operations.take_question(**given)
    else:
        held = found.question_version.rev if found.question_version else 0
        made = operations.take_points(base_rev=sent.validated_data.get("rev", held), **given)
    told = {
        "question": made.question_id,
        "external_id": made.question.external_id,
        "number": made.number,
        "rev": made.rev,
    }
    return Response(told, status=201)


def _drafting(one: Drafting) -> dict[str, Any]:
    source, question = one.source_version, one.question_version
    return {
        "run": one.run.number,
        "task": one.task,
        "state": one.run.state,
        "scripted": one.run.scripted,
        "source": source.source_id if source else None,
        "version": one.source_version_id,
        "start": one.start,
        "end": one.end,
        "question": question.question_id if question else None,
    }


def _came(found: Drafting) -> dict[str, Any]:
    came = reads.came_of(found)
    return {
        **_drafting(found),
        "is_over": came.is_over,
        "problem": came.problem,
        "flags": came.flags,
        "proposals": [
            {
                "number": one.number,
                "content": one.content,
                "taken": [use.at for use in one.uses.all()],
            }
            for one in came.proposals
        ],
    }
