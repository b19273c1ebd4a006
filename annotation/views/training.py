"""The annotator's training: learn by examples, practise with the answer at once, see own trials."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import training as forms
from annotation.models import Rater, TrainingExample
from annotation.operations import training as operations
from annotation.permissions import Scope, door
from annotation.queries import qualifications, training_news, trial_results
from annotation.queries import training as reads
from annotation.queries.workmessages import Message
from annotation.rules.names import isolated
from annotation.views import grading
from evalsite import errors


@require_GET
@grading.private
@door(permissions.ANNOTATORS)
def training(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what there is to train, how far one is, and how one's trials went."""
    rater = grading.rater_of(scope)
    context = {
        "scope": scope,
        "courses": reads.courses(rater),
        "trials": trial_results.list_decided(rater),
    }
    return render(request, "annotation/training.html", context)


@require_http_methods(["GET", "POST"])
@grading.private
@door(permissions.ANNOTATORS)
def training_example(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show an example; take its grades, and then say at once what is right and why."""
    rater = grading.rater_of(scope)
    rows = TrainingExample.objects.select_related("capability", "rubric_version", "project")
    found = get_object_or_404(rows.in_use(), project=scope.project, number=number)
    if request.method == "GET":
        return _example(request, scope, rater, found, again="again" in request.GET)
    now = timezone.now()
    try:
        if found.use == TrainingExample.Use.LEARN:
            operations.read(example=found, rater=rater, now=now)
            return _next(scope, rater, found)
        sent = forms.read(request.POST, found.grades)
        operations.practise(example=found, rater=rater, grades=sent, now=now)
    except errors.Refusal as refusal:
        return _example(request, scope, rater, found, again=True, refusal=refusal)
    return redirect("training_example", scope.project.slug, number)


def _next(scope: Scope, rater: Rater, done: TrainingExample) -> HttpResponse:
    course = reads.course(rater, done.capability)
    if course.following is None:
        return redirect("training", scope.project.slug)
    return redirect("training_example", scope.project.slug, course.following)


def _example(
    request: HttpRequest,
    scope: Scope,
    rater: Rater,
    found: TrainingExample,
    *,
    again: bool,
    refusal: errors.Refusal | None = None,
) -> HttpResponse:
    course = reads.course(rater, found.capability)
    how = next(how for one, how in course.steps if one.pk == found.pk)
    numbers = [one.number for one, _how in course.steps]
    asked = how.is_task and (again or not how.done)
    shown = reads.face(found, rater, reads.unseen(how) if asked else how)
    context: dict[str, Any] = {
        "scope": scope,
        "course": course,
        "example": shown,
        "asked": asked,
        "place": numbers.index(found.number) + 1,
        "following": _after(numbers, found.number),
        "refusal": refusal,
        "entered": request.POST,
        "marks": forms.marks(shown.criteria, found.grades, request.POST, refusal),
    }
    status = refusal.status if refusal else 200
    return render(request, "annotation/training_example.html", context, status=status)


def _after(numbers: list[int], number: int) -> int | None:
    place = numbers.index(number) + 1
    return numbers[place] if place < len(numbers) else None


@require_GET
@grading.private
@door(permissions.ANNOTATORS)
def training_trial(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how one's own trial went, question by question; only once it is decided."""
    rater = grading.rater_of(scope)
    found = trial_results.decided(rater, number)
    if found is None or found.round is None:
        raise Http404
    questions = trial_results.questions(rater, found.round)
    context = {
        "scope": scope,
        "decided": found,
        "name": found.round.name,
        "questions": questions,
        "n_differ": sum(one.differs for one in questions),
        "figures": found.figures,
    }
    return render(request, "annotation/training_trial.html", context)


def gate(*, scope: Scope, rater: Rater, **_context: Any) -> dict[str, str] | None:
    """Tell somebody who has nothing to grade that a training waits, with the way there."""
    lacking = qualifications.waiting_for(rater)
    if not lacking:
        return None
    names = ", ".join(isolated(one.name) for one in lacking[:3])
    return {
        "title": _("Qualify first"),
        "text": _(
            "There are questions for you about %(names)s, once you have qualified: learn by "
            "examples, practise, take the trial."
        )
        % {"names": names},
        "url": reverse("training", args=[scope.project.slug]),
        "action": _("Go to the training"),
    }


def news(*, scope: Scope, rater: Rater, now: datetime, **_context: Any) -> list[Message]:
    """Tell somebody that a trial of theirs is decided, or that they may train again."""
    return list(training_news.messages(rater, now))
