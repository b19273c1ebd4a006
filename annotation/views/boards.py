"""The bank as a board: columns by state; a card moves only where the rules of questions allow it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from annotation import permissions
from annotation.models import QuestionVersion
from annotation.operations.bank import refusals, states, writing
from annotation.permissions import Scope, door
from annotation.queries import boards as reads
from annotation.queries import question_pages, questions
from annotation.rules.boards import ACTS, ASK_WHY, Column
from annotation.rules.questions import Act
from annotation.views import bank_lists
from evalsite import errors

COLUMN_NAMES = {
    Column.DRAFT: gettext_lazy("Draft"),
    Column.SUBMITTED: gettext_lazy("In inspection"),
    Column.RETURNED: gettext_lazy("Returned"),
    Column.ACCEPTED: gettext_lazy("Accepted"),
    Column.LOOK: gettext_lazy("Needs a look"),
    Column.RETIRED: gettext_lazy("Retired"),
    Column.INVALIDATED: gettext_lazy("Invalidated"),
}
#: What a button of a card's menu says, and what is said once it is done.
ACT_NAMES = {
    Act.SUBMIT: (
        gettext_lazy("Hand in for inspection"),
        gettext_lazy("%(id)s waits for inspection."),
    ),
    Act.WITHDRAW: (
        gettext_lazy("Take back from inspection"),
        gettext_lazy("%(id)s is a draft again."),
    ),
    Act.REVISE: (
        gettext_lazy("Begin a new version"),
        gettext_lazy("%(id)s has a new draft version of yours."),
    ),
    Act.RETIRE: (gettext_lazy("Retire"), gettext_lazy("%(id)s is retired.")),
    Act.INVALIDATE: (gettext_lazy("Invalidate"), gettext_lazy("%(id)s is invalidated.")),
    Act.REVIVE: (gettext_lazy("Take back into use"), gettext_lazy("%(id)s is in use again.")),
}


@require_GET
@door(permissions.READERS)
def question_board(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the board, or one column of it page by page (`only`)."""
    asked, saved = bank_lists.asked(scope, request.GET)
    only = next((one for one in Column if one == request.GET.get("only", "")), None)
    asked.query.pop("only", None)
    piles = reads.board(
        scope.project,
        asked.form.filters(),
        user=scope.user,
        now=timezone.now(),
        only=only,
        after=request.GET.get("after", ""),
    )
    context = {
        "scope": scope,
        "asked": asked,
        "form": asked.form,
        "saved": bank_lists.tabs(asked, saved),
        "here": asked.query.urlencode(),
        "only": only,
        "is_bare": not (only or asked.form.is_set or any(one.n for one in piles)),
        "columns": [_column(one, asked.query, only) for one in piles],
        "may_write": scope.may(permissions.DESIGNERS),
        "mine": str(scope.user.pk),
    }
    return render(request, "annotation/question_board.html", context)


@require_POST
@door(permissions.READERS, permissions.BANK)
def question_move(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Move a card: do the one act that leads where it is to go, and show the board again."""
    newest = question_pages.under_way(scope.project, pk)
    if newest is None:
        raise Http404(_("There is no such question."))
    names = {"id": newest.question.external_id}
    try:
        act = _moved(request, scope, newest)
    except errors.Refusal as refusal:
        messages.error(request, f"{names['id']}: {refusal.message}")
    else:
        messages.success(request, ACT_NAMES[act][1] % names)
    query = QueryDict(request.POST.get("back", "")[:4000].removeprefix("?")).urlencode()
    url = reverse("question_board", args=[scope.project.slug])
    return redirect(f"{url}{f'?{query}' if query else ''}#card-{pk}")


def _moved(request: HttpRequest, scope: Scope, newest: QuestionVersion) -> Act:
    act = next((one for one in ACTS if one == request.POST.get("act", "")), None)
    if act is None:
        raise errors.Invalid(_("Say where the card is to go."))
    if request.POST.get("number", "") != str(newest.number):
        raise refusals.NotNow(_("It has another version since. Look at where it stands now."))
    who: dict[str, Any] = {"by": scope.user, "now": timezone.now()}
    if act in ASK_WHY:
        reason = request.POST.get("reason", "")[:500]
        states.change_life(question=newest.question, act=act, reason=reason, **who)
    elif act is Act.SUBMIT:
        rev = request.POST.get("rev", "")
        base = int(rev) if rev.isascii() and rev.isdigit() and len(rev) < 10 else -1
        writing.submit(version=newest, base_rev=base, **who)
    elif act is Act.WITHDRAW:
        writing.withdraw(version=newest, **who)
    else:
        writing.revise(version=newest, **who)
    return act


def _column(pile: reads.Pile, query: QueryDict, only: Column | None) -> dict[str, Any]:
    alone = query.copy()
    alone["only"] = pile.column.value
    further = alone.copy()
    if pile.after:
        further["after"] = pile.after
    more = pile.n > questions.MOST_COUNTED
    return {
        "code": pile.column.value,
        "name": COLUMN_NAMES[pile.column],
        "count": f"{questions.MOST_COUNTED}+" if more else str(pile.n),
        "cards": [_card(one) for one in pile.cards],
        "next_url": f"?{further.urlencode()}" if pile.after else "",
        "first_url": f"?{alone.urlencode()}" if only and not pile.first else "",
    }


def _card(card: reads.Card) -> dict[str, Any]:
    moves = [
        {"act": one.act.value, "to": one.to.value, "name": ACT_NAMES[one.act][0]}
        for one in card.moves
    ]
    asking = {one.act.value for one in card.moves if one.asks_why}
    return {
        "card": card,
        "one": card.version,
        "plain": [one for one in moves if one["act"] not in asking],
        "asking": [one for one in moves if one["act"] in asking],
    }
