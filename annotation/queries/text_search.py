"""Which questions have some words: in their id, their turns or their standard answer."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Project, Question, QuestionText


def questions(project: Project, wanted: str) -> "QuerySet[QuestionText]":
    """Return the questions of a project that have these words, what was begun last first.

    It walks the texts, which are all that its table holds, and asks of those that fit whose they
    are; a slice of it stops where enough are found.

    Args:
        wanted: as annotation.rules.searching.folded wrote it.
    """
    own = Question.objects.filter(pk=OuterRef("pk"), project=project)
    return QuestionText.objects.filter(Exists(own), said__contains=wanted).order_by("-pk")
