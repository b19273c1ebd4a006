"""Saved filters and bulk edits of the bank as JSON.

* Inspection as JSON: what waits for the person who asks, one version, and a decision on it.
* The bank as JSON: questions with their versions, drafts to write and hand in, comments.
"""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.bank import bulk, reading, rules
from annotation.bank import keeping as lists
from annotation.bank import operations as bank
from annotation.bank import questions as reads
from annotation.bank.bulk import BulkChange
from annotation.bank.forms import QuestionFilter
from annotation.bank.models import BulkEdit, BulkLine, QuestionVersion, SavedFilter
from annotation.bank.records import (
    CitedOut,
    CommentIn,
    CommentOut,
    DraftedOut,
    QuestionDraft,
    QuestionOut,
    TextIn,
    WholeOut,
)
from annotation.bank.rules import BulkAction
from annotation.domains.models import Capability, Difficulty, Domain, QuestionType
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.sources import queries as sources
from evalsite import errors, records
from evalsite.contract.calls import (
    AFTER,
    Body,
    choice,
    contract,
    get,
    of_form,
    post,
    readable,
    taken,
    taken_on,
    valid,
)
from evalsite.contract.shapes import NEXT, page, rows, said, shape
from evalsite.web import keyset


class SavedFilterOut(serializers.ModelSerializer[SavedFilter]):
    owner = serializers.UUIDField(source="owner.public_id")

    class Meta:
        model = SavedFilter
        fields = ("id", "name", "is_shared", "query", "order", "columns", "owner", "changed_at")


class SavedFilterIn(Body):
    """What is left out stays as it is; a new one needs a name. `act` "delete" deletes."""

    act = serializers.ChoiceField(choices=("change", "delete"), default="change")
    name = serializers.CharField(required=False, max_length=lists.MAX_NAME)
    is_shared = serializers.BooleanField(required=False)
    query = serializers.DictField(child=serializers.CharField(allow_blank=True), required=False)
    order = serializers.CharField(required=False, allow_blank=True)
    columns = serializers.ListField(child=serializers.CharField(), required=False)

    def look(self, old: SavedFilter | None = None) -> lists.FilterLook:
        given = self.validated_data
        return lists.FilterLook(
            given.get("query", old.query if old else {}),
            given.get("order", old.order if old else ""),
            given.get("columns", old.columns if old else ()),
        )


class BulkEditOut(serializers.ModelSerializer[BulkEdit]):
    by = serializers.UUIDField(source="by.public_id")

    class Meta:
        model = BulkEdit
        fields = ("number", "action", "values", "note", "state", "by", "created_at", "done_at")


class BankListsLineOut(serializers.ModelSerializer[BulkLine]):
    class Meta:
        model = BulkLine
        fields = ("question_id", "external_id", "number", "fate", "outcome", "is_used", "reason")


class BulkEditIn(Body):
    """An action on the questions that are named, or on all that fit `filters`.

    Of the values only those that are given are set; null takes an area or a day away.
    """

    action = serializers.ChoiceField(choices=[one.value for one in BulkAction])
    questions = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, max_length=bulk.MOST
    )
    filters = serializers.DictField(child=serializers.CharField(allow_blank=True), required=False)
    capability_id = serializers.IntegerField(required=False)
    domain_id = serializers.IntegerField(required=False, allow_null=True)
    difficulty = serializers.ChoiceField(choices=Difficulty.choices, required=False)
    question_type = serializers.ChoiceField(choices=QuestionType.choices, required=False)
    valid_until = serializers.DateField(required=False, allow_null=True)
    tags_added = serializers.ListField(child=serializers.CharField(), required=False)
    tags_dropped = serializers.ListField(child=serializers.CharField(), required=False)
    meaning_same = serializers.BooleanField(default=False)
    note = serializers.CharField(default="", allow_blank=True, max_length=500)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("questions" in attrs) == ("filters" in attrs):
            raise serializers.ValidationError(_("Name either questions or filters."))
        return attrs

    def change(self) -> BulkChange:
        given = dict(self.validated_data)
        rest = ("action", "questions", "filters", "meaning_same", "note")
        values = {name: value for name, value in given.items() if name not in rest}
        return BulkChange(BulkAction(given["action"]), values, given["note"], given["meaning_same"])


class BulkActIn(Body):
    act = serializers.ChoiceField(choices=("start", "drop"))


EDIT = shape(
    "BulkEditTried",
    BulkEditOut,
    counts=shape(
        "BulkEditCounts",
        changing=int,
        changed=int,
        same=int,
        not_changed=int,
        changed_meanwhile=int,
    ),
)


@contract(
    get(rows(SavedFilterOut), "Return your own saved filters and the shared ones."),
    post(SavedFilterOut, "Keep a filter.", takes=SavedFilterIn, status=201),
)
@door(permissions.READERS)
def saved_filters(request: Any, scope: Scope) -> Response:
    if request.method == "POST":
        sent = SavedFilterIn(data=request.data)
        sent.is_valid(raise_exception=True)
        made = lists.save_filter(
            name=sent.validated_data.get("name", ""),
            look=sent.look(),
            shared=sent.validated_data.get("is_shared", False),
            **scope.deed(),
        )
        return Response(SavedFilterOut(made).data, status=201)
    rows = reads.visible(scope.project, scope.user)
    return Response({"results": SavedFilterOut(rows, many=True).data})


@contract(
    get(SavedFilterOut, "Return a saved filter."),
    post(
        SavedFilterOut,
        "Change a filter, or delete it; what is not named stays.",
        takes=SavedFilterIn,
        also={204: None},
    ),
)
@door(permissions.READERS)
def saved_filter(request: Any, scope: Scope, pk: int) -> Response:
    found = get_object_or_404(reads.visible(scope.project, scope.user), pk=pk)
    if request.method == "POST":
        sent = SavedFilterIn(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        who = scope.who()
        if given["act"] == "delete":
            lists.delete_filter(saved=found, **who)
            return Response(status=204)
        keeps = given.keys() & {"query", "order", "columns"}
        found = lists.change_filter(
            saved=found,
            name=given.get("name"),
            shared=given.get("is_shared"),
            look=sent.look(found) if keeps else None,
            **who,
        )
    return Response(SavedFilterOut(found).data)


@contract(
    get(page(BulkEditOut), "Return a page of bulk edits.", query=[AFTER]),
    post(
        EDIT,
        "Try a bulk edit out; nothing changes before it is started.",
        takes=BulkEditIn,
        status=201,
    ),
)
@door(permissions.DESIGNERS)
def edits(request: Any, scope: Scope) -> Response:
    if request.method == "POST":
        sent = BulkEditIn(data=request.data)
        sent.is_valid(raise_exception=True)
        made = bulk.plan(
            change=sent.change(), rows=_rows(scope, sent.validated_data), **scope.deed()
        )
        return Response(_whole(made), status=201)
    page = bulk.list_edits(scope.project, request.GET.get("after", ""))
    results = BulkEditOut(page.rows, many=True).data
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@contract(
    get(
        shape("BulkEditWithLines", EDIT, lines=[BankListsLineOut], next=NEXT),
        "Return a bulk edit with a page of its lines.",
        query=[choice("which", ("changing", "refused"), "Which lines; all by default."), AFTER],
    ),
    post(EDIT, "Start a bulk edit, or drop it.", takes=BulkActIn, status=202, also={204: None}),
)
@door(permissions.DESIGNERS)
def edit(request: Any, scope: Scope, number: int) -> Response:
    found = bulk.bulk_edits_of(scope.project).filter(number=number).first()
    if found is None:
        raise Http404
    if request.method == "POST":
        if valid(BulkActIn, request)["act"] == "drop":
            bulk.drop(edit=found, by=scope.user)
            return Response(status=204)
        found = bulk.start(edit=found, **scope.who())
        return taken_on(_whole(found), "api_bulk_edit", scope.project.slug, number)
    page = bulk.lines(found, request.GET.get("which", ""), request.GET.get("after", ""))
    lines = BankListsLineOut(page.rows, many=True).data
    return Response({**_whole(found), "lines": lines, "next": keyset.next_url(request.GET, page)})


def _rows(scope: Scope, given: dict[str, Any]) -> Any:
    if "filters" in given:
        form = QuestionFilter(given["filters"], project=scope.project)
        return reads.filtered(scope.project, form.filters(), user=scope.user, now=timezone.now())
    return reads.newest(scope.project).filter(question__in=given["questions"])


def _whole(found: BulkEdit) -> dict[str, Any]:
    counts = bulk.counts([found])[found.pk]
    return {
        **BulkEditOut(found).data,
        "counts": {
            "changing": counts.changing,
            "changed": counts.done,
            "same": counts.same,
            "not_changed": counts.not_done,
            "changed_meanwhile": counts.stale,
        },
    }


LIFE = {"retire": rules.Act.RETIRE, "invalidate": rules.Act.INVALIDATE, "revive": rules.Act.REVIVE}
ACTS = ("submit", "withdraw", "discard", "revise", *LIFE)


def _text(given: TextIn, scope: Scope) -> bank.WholeDraft:
    """Return what the operations take.

    Raises:
        Incomplete: a capability or an area is none of the project's.
    """
    for name, model in (("capability_id", Capability), ("domain_id", Domain)):
        pk = getattr(given, name)
        if pk is not None and not model.objects.filter(project=scope.project, pk=pk).exists():
            message = _("The project has no such entry. Take one that its list names.")
            raise errors.Incomplete(message, fields={name: [message]})
    turns = [records.plain(one) for one in given.turns]
    return bank.WholeDraft(**records.values(given, QuestionDraft), cited=given.cited, turns=turns)


class QuestionsActIn(Body):
    act = serializers.ChoiceField(choices=ACTS)
    rev = serializers.IntegerField(required=False, min_value=0)
    reason = serializers.CharField(max_length=500, default="", allow_blank=True)
    take = serializers.ListField(child=serializers.CharField(), default=list)


WHOLE = shape(
    "WholeQuestion",
    id=int,
    external_id=str,
    life=str,
    versions=[WholeOut],
    cited=[shape("Cited", CitedOut, marks=[str])],
    to_answer=said(
        {str: str},
        "What inspection found in the version before, in words by key: it is answered in `replies` "
        "before the question is handed in.",
    ),
    machine_drafted=[DraftedOut],
)


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
    if request.method == "POST":
        given = taken(TextIn, request)
        made = bank.create_question(
            text=_text(given, scope), external_id=given.external_id, **scope.deed()
        )
        return Response(_whole_question(scope, made.question_id), status=201)
    filters = readable(QuestionFilter(request.GET, project=scope.project)).filters()
    rows = reads.filtered(scope.project, filters, user=scope.user, now=timezone.now())
    page = reads.page(
        scope.project,
        rows,
        request.GET.get("after", ""),
        of_a_kind=filters.capability is not None,
    )
    results = [records.told(QuestionOut, one) for one in page.rows]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@contract(
    get(WHOLE, "Return a question with its versions, the newest first."),
    post(
        WHOLE,
        "Do one of a question's acts: hand it in, take it back, revise, retire it, and so on.",
        takes=QuestionsActIn,
        also={204: None},
    ),
)
@door(permissions.READERS, permissions.BANK)
def question(request: Any, scope: Scope, pk: int) -> Response:
    newest = reading.under_way(scope.project, pk)
    if newest is None:
        raise Http404
    if request.method == "POST" and _act(scope, newest, valid(QuestionsActIn, request)):
        return Response(status=204)
    return Response(_whole_question(scope, pk))


@contract(post(WHOLE, takes=TextIn))
@door(permissions.READERS, permissions.DESIGNERS)
def draft(request: Any, scope: Scope, pk: int) -> Response:
    """Save the draft of a question, on top of the revision that was read (`rev`)."""
    newest = reading.under_way(scope.project, pk)
    if newest is None:
        raise Http404
    given = taken(TextIn, request)
    bank.save_draft(
        version=newest,
        text=_text(given, scope),
        base_rev=-1 if given.rev is None else given.rev,
        **scope.who(),
    )
    return Response(_whole_question(scope, pk))


def _act(scope: Scope, newest: QuestionVersion, given: dict[str, Any]) -> bool:
    """Do what was asked; return whether the question is gone with it."""
    act, who = given["act"], scope.who()
    if act == "submit":
        bank.submit(version=newest, base_rev=given.get("rev", newest.rev), **who)
    elif act == "withdraw":
        bank.withdraw(version=newest, **who)
    elif act == "discard":
        bank.discard(version=newest, **who)
        return newest.number == 1
    elif act == "revise":
        suggestion = reading.suggestion(newest, given["take"])
        bank.revise(version=newest, suggestion=suggestion, **who)
    else:
        bank.change_life(question=newest.question, act=LIFE[act], reason=given["reason"], **who)
    return False


def _whole_question(scope: Scope, pk: int) -> dict[str, Any]:
    versions = reading.versions_of(scope.project, pk)
    today = timezone.now().date()
    seen = sources.seen_by(scope.project, scope.user, scope.roles)
    return {
        "id": pk,
        "external_id": versions[0].question.external_id,
        "life": versions[0].question.state,
        "versions": [records.told(WholeOut, one) for one in versions],
        "cited": [
            records.told(CitedOut, one.citation, marks=list(one.marks))
            for one in sources.cited(reading.citations(versions[0]), today, seen)
            if one.seen
        ],
        "to_answer": reading.to_answer(versions[0]),
        "machine_drafted": [
            records.told(DraftedOut, one) for one in sources.machine_drafts_of(versions[0])
        ],
    }


@contract(
    get(rows(CommentOut), "Return the comments on a question."),
    post(CommentOut, "Comment on a question.", takes=CommentIn, status=201),
)
@door(permissions.READERS, permissions.BANK)
def comments(request: Any, scope: Scope, pk: int) -> Response:
    newest = reading.under_way(scope.project, pk)
    if newest is None:
        raise Http404
    if request.method == "POST":
        given = taken(CommentIn, request)
        made = bank.comment(
            question=newest.question,
            text=given.text,
            field=given.field,
            version=newest if given.field else None,
            **scope.who(),
        )
        return Response(records.told(CommentOut, made), status=201)
    said = [records.told(CommentOut, one) for one in reading.comments_of(newest)]
    return Response({"results": said})
