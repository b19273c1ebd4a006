"""Saved filters and bulk edits of the bank as JSON."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.forms.questions import QuestionFilter
from annotation.models import BulkEdit, BulkLine, Difficulty, QuestionType, SavedFilter
from annotation.operations.bank import bulk, lists
from annotation.operations.bank.changes import Change
from annotation.permissions import Scope, door
from annotation.queries import bank_lists as reads
from annotation.queries import bulk_edits, questions
from annotation.rules.bulk import Action
from evalsite import keyset
from evalsite.contract.bodies import Body
from evalsite.contract.calls import AFTER, choice, contract, get, post
from evalsite.contract.shapes import NEXT, page, rows, shape
from evalsite.contract.waiting import taken_on


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

    def look(self, old: SavedFilter | None = None) -> lists.Look:
        given = self.validated_data
        return lists.Look(
            given.get("query", old.query if old else {}),
            given.get("order", old.order if old else ""),
            given.get("columns", old.columns if old else ()),
        )


class BulkEditOut(serializers.ModelSerializer[BulkEdit]):
    by = serializers.UUIDField(source="by.public_id")

    class Meta:
        model = BulkEdit
        fields = ("number", "action", "values", "note", "state", "by", "created_at", "done_at")


class LineOut(serializers.ModelSerializer[BulkLine]):
    class Meta:
        model = BulkLine
        fields = ("question_id", "external_id", "number", "fate", "outcome", "is_used", "reason")


class BulkEditIn(Body):
    """An action on the questions that are named, or on all that fit `filters`.

    Of the values only those that are given are set; null takes an area or a day away.
    """

    action = serializers.ChoiceField(choices=[one.value for one in Action])
    questions = serializers.ListField(
        child=serializers.IntegerField(min_value=1), required=False, max_length=bulk_edits.MOST
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

    def change(self) -> Change:
        given = dict(self.validated_data)
        rest = ("action", "questions", "filters", "meaning_same", "note")
        values = {name: value for name, value in given.items() if name not in rest}
        return Change(Action(given["action"]), values, given["note"], given["meaning_same"])


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


@api_view(["GET", "POST"])
@contract(
    get(rows(SavedFilterOut), "Return your own saved filters and the shared ones."),
    post(SavedFilterOut, "Keep a filter.", takes=SavedFilterIn, status=201),
)
@door(permissions.READERS)
def saved_filters(request: Any, scope: Scope) -> Response:
    """Return one's own saved filters and the shared ones, or keep one."""
    if request.method == "POST":
        sent = SavedFilterIn(data=request.data)
        sent.is_valid(raise_exception=True)
        made = lists.save_filter(
            project=scope.project,
            name=sent.validated_data.get("name", ""),
            look=sent.look(),
            shared=sent.validated_data.get("is_shared", False),
            by=scope.user,
            now=timezone.now(),
        )
        return Response(SavedFilterOut(made).data, status=201)
    rows = reads.visible(scope.project, scope.user)
    return Response({"results": SavedFilterOut(rows, many=True).data})


@api_view(["GET", "POST"])
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
    """Return a saved filter, change what is named of it, or delete it."""
    found = get_object_or_404(reads.visible(scope.project, scope.user), pk=pk)
    if request.method == "POST":
        sent = SavedFilterIn(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        who: dict[str, Any] = {"by": scope.user, "now": timezone.now()}
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


@api_view(["GET", "POST"])
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
    """Return a page of bulk edits, or try one out; nothing changes before it is started."""
    if request.method == "POST":
        sent = BulkEditIn(data=request.data)
        sent.is_valid(raise_exception=True)
        made = bulk.plan(
            project=scope.project,
            change=sent.change(),
            rows=_rows(scope, sent.validated_data),
            by=scope.user,
            now=timezone.now(),
        )
        return Response(_whole(made), status=201)
    page = bulk_edits.list_edits(scope.project, request.GET.get("after", ""))
    results = BulkEditOut(page.rows, many=True).data
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET", "POST"])
@contract(
    get(
        shape("BulkEditWithLines", EDIT, lines=[LineOut], next=NEXT),
        "Return a bulk edit with a page of its lines.",
        query=[choice("which", ("changing", "refused"), "Which lines; all by default."), AFTER],
    ),
    post(EDIT, "Start a bulk edit, or drop it.", takes=BulkActIn, status=202, also={204: None}),
)
@door(permissions.DESIGNERS)
def edit(request: Any, scope: Scope, number: int) -> Response:
    """Return a bulk edit with a page of its lines (`which`: changing, refused); start or drop it."""
    found = bulk_edits.of(scope.project).filter(number=number).first()
    if found is None:
        raise Http404
    if request.method == "POST":
        sent = BulkActIn(data=request.data)
        sent.is_valid(raise_exception=True)
        if sent.validated_data["act"] == "drop":
            bulk.drop(edit=found, by=scope.user)
            return Response(status=204)
        found = bulk.start(edit=found, by=scope.user, now=timezone.now())
        return taken_on(_whole(found), "api_bulk_edit", scope.project.slug, number)
    page = bulk_edits.lines(found, request.GET.get("which", ""), request.GET.get("after", ""))
    lines = LineOut(page.rows, many=True).data
    return Response({**_whole(found), "lines": lines, "next": keyset.next_url(request.GET, page)})


def _rows(scope: Scope, given: dict[str, Any]) -> Any:
    if "filters" in given:
        form = QuestionFilter(given["filters"], project=scope.project)
        return questions.filtered(
            scope.project, form.filters(), user=scope.user, now=timezone.now()
        )
    return questions.newest(scope.project).filter(question__in=given["questions"])


def _whole(found: BulkEdit) -> dict[str, Any]:
    counts = bulk_edits.counts([found])[found.pk]
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
