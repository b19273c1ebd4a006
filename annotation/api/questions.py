"""The bank as JSON: questions with their versions, drafts to write and hand in, comments."""

from datetime import datetime
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.api.inspections import VersionOut
from annotation.forms.questions import QuestionFilter
from annotation.models import (
    Capability,
    Difficulty,
    Domain,
    QuestionComment,
    QuestionType,
    QuestionVersion,
)
from annotation.operations.bank import refusals, states, writing
from annotation.permissions import Scope, door
from annotation.queries import corpus, inspections, question_pages, sources
from annotation.queries import questions as reads
from annotation.rules import checklists
from annotation.rules import questions as rules
from annotation.rules.settings import MAX_LANGUAGE
from evalsite import keyset
from evalsite.contract.bodies import Body
from evalsite.contract.calls import AFTER, contract, get, of_form, post
from evalsite.contract.filters import readable
from evalsite.contract.shapes import maybe, page, rows, said, shape

LIFE = {"retire": rules.Act.RETIRE, "invalidate": rules.Act.INVALIDATE, "revive": rules.Act.REVIVE}
ACTS = ("submit", "withdraw", "discard", "revise", *LIFE)


class QuestionOut(serializers.ModelSerializer[QuestionVersion]):
    """A question by its newest version; `id` is the question's."""

    id = serializers.IntegerField(source="question_id")
    external_id = serializers.CharField(source="question.external_id")
    life = serializers.CharField(source="question.state")
    author = serializers.UUIDField(source="author.public_id")

    class Meta:
        model = QuestionVersion
        fields = (
            "id",
            "external_id",
            "life",
            "number",
            "state",
            "rev",
            "asked",
            "capability_id",
            "domain_id",
            "difficulty",
            "language",
            "tags",
            "valid_until",
            "author",
            "saved_at",
        )


class WholeOut(VersionOut):
    class Meta(VersionOut.Meta):
        fields = (*VersionOut.Meta.fields, "rev", "capability_id", "domain_id", "saved_at")


class TurnIn(Body):
    role = serializers.ChoiceField(choices=("user", "assistant", "system"), default="user")
    content = serializers.CharField(allow_blank=True, max_length=rules.MAX_TEXT)


class CitedIn(Body):
    source_version = serializers.IntegerField(min_value=1)
    place = serializers.CharField(max_length=300, default="", allow_blank=True)
    start = serializers.IntegerField(allow_null=True, default=None, min_value=0)
    end = serializers.IntegerField(allow_null=True, default=None, min_value=1)


class TextIn(Body):
    """Everything a draft says; what is left out is empty. `rev` is the revision it goes by."""

    rev = serializers.IntegerField(required=False, min_value=0)
    external_id = serializers.CharField(max_length=200, default="", allow_blank=True)
    turns = TurnIn(many=True, default=list)
    answer = serializers.CharField(default="", allow_blank=True, max_length=rules.MAX_TEXT)
    key_points = serializers.ListField(child=serializers.CharField(), default=list)
    capability_id = serializers.IntegerField(allow_null=True, default=None)
    domain_id = serializers.IntegerField(allow_null=True, default=None)
    difficulty = serializers.ChoiceField(choices=Difficulty.choices, default="", allow_blank=True)
    question_type = serializers.ChoiceField(
        choices=QuestionType.choices, default="", allow_blank=True
    )
    principle = serializers.CharField(default="", allow_blank=True)
    as_of = serializers.CharField(max_length=40, default="", allow_blank=True)
    valid_until = serializers.DateField(allow_null=True, default=None)
    tags = serializers.ListField(child=serializers.CharField(max_length=100), default=list)
    language = serializers.CharField(max_length=MAX_LANGUAGE, default="", allow_blank=True)
    cited = CitedIn(many=True, default=list)
    meaning_changed = serializers.BooleanField(allow_null=True, default=None)
    meaning_note = serializers.CharField(max_length=500, default="", allow_blank=True)
    replies = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=rules.MAX_REPLY), default=dict
    )

    def text(self, scope: Scope) -> writing.Text:
        """Return what the operations take.

        Raises:
            Incomplete: a capability or an area is none of the project's.
        """
        given = dict(self.validated_data)
        for name, model in (("capability_id", Capability), ("domain_id", Domain)):
            pk = given[name]
            if pk is not None and not model.objects.filter(project=scope.project, pk=pk).exists():
                message = _("The project has no such entry. Take one that its list names.")
                raise refusals.Incomplete(message, fields={name: [message]})
        cited = [
            writing.Cited(one["source_version"], one["place"], one["start"], one["end"])
            for one in given.pop("cited")
        ]
        for name in ("rev", "external_id"):
            given.pop(name, None)
        return writing.Text(cited=cited, **given)


class ActIn(Body):
    act = serializers.ChoiceField(choices=ACTS)
    rev = serializers.IntegerField(required=False, min_value=0)
    reason = serializers.CharField(max_length=500, default="", allow_blank=True)
    take = serializers.ListField(child=serializers.CharField(), default=list)


class CommentIn(Body):
    text = serializers.CharField()
    field = serializers.ChoiceField(choices=checklists.FIELDS, default="", allow_blank=True)


class CommentOut(serializers.ModelSerializer[QuestionComment]):
    author = serializers.UUIDField(source="author.public_id")
    version = serializers.IntegerField(source="version.number", default=None)

    class Meta:
        model = QuestionComment
        fields = ("text", "field", "version", "author", "at")


WHOLE = shape(
    "WholeQuestion",
    id=int,
    external_id=str,
    life=str,
    versions=[WholeOut],
    cited=[
        shape(
            "Cited",
            source_version=int,
            place=str,
            start=maybe(int),
            end=maybe(int),
            quote=str,
            marks=[str],
        )
    ],
    to_answer=said(
        {str: str},
        "What inspection found in the version before, in words by key: it is answered in `replies` "
        "before the question is handed in.",
    ),
    machine_drafted=[
        shape(
            "MachineDrafted",
            part=str,
            version=int,
            endpoint=str,
            protocol=str,
            prompts_sha=str,
            at=datetime,
        )
    ],
)


@api_view(["GET", "POST"])
@contract(
    get(
        page(QuestionOut),
        "Return a page of the bank, filtered as its list is.",
        query=[*of_form(QuestionFilter), AFTER],
    ),
    post(WHOLE, "Begin a question with a draft.", takes=TextIn, status=201),
)
@door(permissions.READERS, permissions.DESIGNERS)
def questions(request: Any, scope: Scope) -> Response:
    """Return a page of the bank, filtered as its list is; or begin a question with a draft."""
    if request.method == "POST":
        sent = TextIn(data=request.data)
        sent.is_valid(raise_exception=True)
        made = writing.create_question(
            project=scope.project,
            text=sent.text(scope),
            external_id=sent.validated_data["external_id"],
            by=scope.user,
            now=timezone.now(),
        )
        return Response(_whole(scope, made.question_id), status=201)
    filters = readable(QuestionFilter(request.GET, project=scope.project)).filters()
    rows = reads.filtered(scope.project, filters, user=scope.user, now=timezone.now())
    page = reads.page(
        scope.project,
        rows,
        request.GET.get("after", ""),
        of_a_kind=filters.capability is not None,
    )
    results = QuestionOut(page.rows, many=True).data
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET", "POST"])
@contract(
    get(WHOLE, "Return a question with its versions, the newest first."),
    post(
        WHOLE,
        "Do one of a question's acts: hand it in, take it back, revise, retire it, and so on.",
        takes=ActIn,
        also={204: None},
    ),
)
@door(permissions.READERS, permissions.BANK)
def question(request: Any, scope: Scope, pk: int) -> Response:
    """Return a question with its versions, or do one of its acts."""
    newest = question_pages.under_way(scope.project, pk)
    if newest is None:
        raise Http404
    if request.method == "POST":
        acted = ActIn(data=request.data)
        acted.is_valid(raise_exception=True)
        if _act(scope, newest, acted.validated_data):
            return Response(status=204)
    return Response(_whole(scope, pk))


@api_view(["POST"])
@contract(
    post(WHOLE, takes=TextIn),
)
@door(permissions.READERS, permissions.DESIGNERS)
def draft(request: Any, scope: Scope, pk: int) -> Response:
    """Save the draft of a question, on top of the revision that was read (`rev`)."""
    newest = question_pages.under_way(scope.project, pk)
    if newest is None:
        raise Http404
    sent = TextIn(data=request.data)
    sent.is_valid(raise_exception=True)
    writing.save_draft(
        version=newest,
        text=sent.text(scope),
        base_rev=sent.validated_data.get("rev", -1),
        by=scope.user,
        now=timezone.now(),
    )
    return Response(_whole(scope, pk))


def _act(scope: Scope, newest: QuestionVersion, given: dict[str, Any]) -> bool:
    """Do what was asked; return whether the question is gone with it."""
    act = given["act"]
    who: dict[str, Any] = {"by": scope.user, "now": timezone.now()}
    if act == "submit":
        writing.submit(version=newest, base_rev=given.get("rev", newest.rev), **who)
    elif act == "withdraw":
        writing.withdraw(version=newest, **who)
    elif act == "discard":
        writing.discard(version=newest, **who)
        return newest.number == 1
    elif act == "revise":
        taken = question_pages.suggestion(newest, given["take"])
        writing.revise(version=newest, suggestion=taken, **who)
    else:
        states.change_life(question=newest.question, act=LIFE[act], reason=given["reason"], **who)
    return False


def _whole(scope: Scope, pk: int) -> dict[str, Any]:
    versions = question_pages.versions_of(scope.project, pk)
    today = timezone.now().date()
    seen = sources.seen_by(scope.project, scope.user, scope.roles)
    return {
        "id": pk,
        "external_id": versions[0].question.external_id,
        "life": versions[0].question.state,
        "versions": WholeOut(versions, many=True).data,
        "cited": [
            _cited(one)
            for one in corpus.cited(question_pages.citations(versions[0]), today, seen)
            if one.seen
        ],
        "to_answer": inspections.to_answer(versions[0]),
        "machine_drafted": [
            {
                "part": one.part,
                "version": one.version.number,
                "endpoint": one.endpoint,
                "protocol": one.protocol,
                "prompts_sha": one.prompts_sha,
                "at": one.at,
            }
            for one in corpus.machine_drafts_of(versions[0])
        ],
    }


def _cited(one: corpus.Cited) -> dict[str, Any]:
    citation = one.citation
    return {
        "source_version": citation.source_version_id,
        "place": citation.locator,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "marks": list(one.marks),
    }


@api_view(["GET", "POST"])
@contract(
    get(rows(CommentOut), "Return the comments on a question."),
    post(CommentOut, "Comment on a question.", takes=CommentIn, status=201),
)
@door(permissions.READERS, permissions.BANK)
def comments(request: Any, scope: Scope, pk: int) -> Response:
    """Return what was said of a question, or say something."""
    newest = question_pages.under_way(scope.project, pk)
    if newest is None:
        raise Http404
    if request.method == "POST":
        sent = CommentIn(data=request.data)
        sent.is_valid(raise_exception=True)
        field = sent.validated_data["field"]
        made = states.comment(
            question=newest.question,
            text=sent.validated_data["text"],
            field=field,
            version=newest if field else None,
            by=scope.user,
            now=timezone.now(),
        )
        return Response(CommentOut(made).data, status=201)
    return Response({"results": CommentOut(question_pages.comments_of(newest), many=True).data})
