"""Ids of questions that are in the bank and not accepted: nothing can be graded or answered by them yet."""

from collections.abc import Iterable

from annotation.models import Project, Question, QuestionVersion

State = QuestionVersion.State
#: The problem of a row that names such a question, by the state of its newest version.
CODES = {
    State.DRAFT: "question_is_draft",
    State.SUBMITTED: "question_in_inspection",
    State.RETURNED: "question_returned",
}


def codes(project: Project, names: Iterable[str]) -> dict[str, str]:
    """Return which of these ids wait in the bank, each with the problem that says so."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    rows = QuestionVersion.objects.filter(
        question__project=project,
        question__state=Question.State.LIVE,
        question__external_id__in=wanted,
    )
    newest = dict(rows.order_by("number").values_list("question__external_id", "state"))
    return {name: CODES[State(state)] for name, state in newest.items() if state in CODES}
