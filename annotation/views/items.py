"""Items: the filtered list, and one item with everything that is known of it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from annotation import permissions
from annotation.forms.lists import ItemFilter
from annotation.models import Item
from annotation.operations.bank import adopting
from annotation.permissions import Scope, door
from annotation.queries import items as reads
from annotation.rules.tabular.choice_rows import ANSWER, OPTIONS
from annotation.views import texts
from evalsite import errors, keyset


@require_GET
@door(permissions.READERS)
def items(request: HttpRequest, scope: Scope) -> HttpResponse:
    return _list(request, scope)


@require_POST
@door(permissions.READERS, permissions.DESIGNERS)
def items_adopt(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Take imported items into the bank, each as a draft of the person who asks."""
    chosen = [one.replace("\0", "") for one in request.POST.getlist("id")]
    try:
        made = adopting.adopt(
            project=scope.project, external_ids=chosen, by=scope.user, now=timezone.now()
        )
    except errors.Refusal as refusal:
        return _list(request, scope, refusal)
    said = ngettext(
        "%(n)d question is in the bank now, as your draft. Name its source and hand it in.",
        "%(n)d questions are in the bank now, as your drafts. Name their sources and hand them in.",
        len(made),
    )
    messages.success(request, said % {"n": len(made)})
    if len(made) == 1:
        return redirect("question_edit", scope.project.slug, made[0].question_id)
    listed = reverse("questions", args=[scope.project.slug])
    return redirect(f"{listed}?author={scope.user.pk}&state=DRAFT")


def _list(
    request: HttpRequest, scope: Scope, refusal: errors.Refusal | None = None
) -> HttpResponse:
    form = ItemFilter(request.GET, project=scope.project)
    filters = form.filters()
    found = reads.filtered(scope.project, filters).count()
    page = reads.page(scope.project, filters, after=request.GET.get("after", ""))
    in_bank = reads.in_bank(scope.project, [one.external_id for one in page.rows])

    def is_free(one: Item) -> bool:
        return one.question_version_id is None and one.external_id not in in_bank

    context = {
        "scope": scope,
        "form": form,
        "page": page,
        "n_all": reads.filtered(scope.project, reads.Filters()).count(),
        "count_text": ngettext("%(n)d question", "%(n)d questions", found) % {"n": found},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_import": scope.may(permissions.CURATORS),
        "may_adopt": scope.may(permissions.DESIGNERS) and any(map(is_free, page.rows)),
        "in_bank": in_bank,
        "ticked": request.POST.getlist("id"),
        "refusal": refusal,
    }
    status = refusal.status if refusal else 200
    return render(request, "annotation/items.html", context, status=status)


@require_GET
@door(permissions.READERS)
def item(request: HttpRequest, scope: Scope, pk: int) -> HttpResponse:
    """Show an item; its responses only to those who may know which system gave them."""
    found = get_object_or_404(
        reads.of(scope.project).select_related("capability", "domain", "batch", "project"), pk=pk
    )
    may_see_systems = scope.may(permissions.UNBLINDED)
    context: dict[str, Any] = {
        "scope": scope,
        "item": found,
        "extra": [pair for pair in found.extra.items() if pair[0] not in {OPTIONS, ANSWER}],
        "options": _options(found),
        "turns": texts.turns(found.messages),
        "reference": texts.rendered(found.reference) if found.reference else "",
        "may_see_systems": may_see_systems,
        "answers": _answers(found) if may_see_systems else [],
        "rounds": reads.rounds_with(found) if may_see_systems else [],
        "question": reads.in_bank(scope.project, [found.external_id]).get(found.external_id),
        "may_adopt": scope.may(permissions.DESIGNERS) and found.question_version_id is None,
        "versions": [one for one in reads.versions_of(found) if one.pk != found.pk],
    }
    return render(request, "annotation/item.html", context)


def _options(found: Item) -> list[dict[str, Any]]:
    """Return the options of a question of multiple choice; none of any other."""
    options = found.extra.get(OPTIONS)
    right = found.extra.get(ANSWER)
    known = options if isinstance(options, dict) else {}
    return [{"label": name, "text": text, "right": name == right} for name, text in known.items()]


def _answers(found: Item) -> list[dict[str, Any]]:
    return [
        {
            "release": answers.release,
            "responses": [
                {"response": response, "turns": texts.turns(response.messages)}
                for response in answers.responses
            ],
        }
        for answers in reads.answers_to(found)
    ]
