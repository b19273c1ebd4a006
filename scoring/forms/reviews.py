"""What is decided at the review desk, and how a project reviews."""

import uuid
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Grade
from annotation.operations.reviewing import Wish
from annotation.queries import reviews
from annotation.rules.reviews import Act
from scoring.queries.review_page import Page

MOST = 2**63 - 1


class DecisionForm(forms.Form):
    """One decision about a question; which of the targets it needs depends on the act."""

    act = forms.ChoiceField(
        label=_("Decision"), choices=[(one, one) for one in Act], widget=forms.HiddenInput
    )
    key = forms.UUIDField(widget=forms.HiddenInput, required=False)
    letter = forms.CharField(
        label=_("Response"), max_length=1, required=False, widget=forms.HiddenInput
    )
    criterion = forms.SlugField(
        label=_("Criterion"), max_length=80, required=False, widget=forms.HiddenInput
    )
    value = forms.DecimalField(label=_("Grade"), required=False, max_digits=12, decimal_places=4)
    grade = forms.IntegerField(
        label=_("Grade that was given"),
        required=False,
        max_value=MOST,
        widget=forms.HiddenInput,
    )
    decision = forms.IntegerField(
        label=_("Earlier decision"), required=False, max_value=MOST, widget=forms.HiddenInput
    )
    text = forms.CharField(label=_("Text"), max_length=20_000, required=False)
    reason = forms.CharField(label=_("Reason"), max_length=1000)

    def __init__(self, *args: Any, page: Page, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.page = page
        if self.place:  # so that errors lead to the field of the form that was sent
            self.auto_id = f"%s-{self.place.replace('%', '%%')}"

    @property
    def place(self) -> str:
        """Return which form of the page was sent, as the ids of its fields end; nothing if none was."""
        if not self.is_bound:
            return ""
        match self.data.get("act"):
            case Act.ADJUDICATE:
                return f"{self.data.get('letter', '')}-{self.data.get('criterion', '')}"
            case Act.STRIKE_GRADE | Act.STRIKE_RATER | Act.HAND_BACK:
                return f"{self.data.get('grade', '')}-grade"
            case Act.REVERSE:
                return f"{self.data.get('decision', '')}-back"
            case Act.FIX_ANSWER:
                return "answer"
            case Act.CLARIFY_RUBRIC:
                return "rubric"
        return "question"

    @property
    def request_key(self) -> uuid.UUID:
        """Return the request's own id: the same form of a page sent twice is one decision."""
        given = self.cleaned_data
        if given["key"] is None:
            return uuid.uuid4()
        return uuid.uuid5(given["key"], repr([str(given[name]) for name in sorted(given)]))

    def wish(self) -> Wish:
        """Return what is decided; what the page does not know is left out and refused below."""
        given, page = self.cleaned_data, self.page
        answers = {one.letter: one for one in page.answers}
        answer = answers.get(given["letter"])
        criteria = {
            part.criterion.key: part.criterion for one in page.answers for part in one.parts
        }
        act = Act(given["act"])
        grade = self._grade(given["grade"])
        return Wish(
            act=act,
            item=page.item,
            response=answer.response if answer else None,
            criterion=criteria.get(given["criterion"]),
            value=given["value"],
            grade=grade if act is Act.STRIKE_GRADE else None,
            rater=grade.rater if grade and act is Act.STRIKE_RATER else None,
            capability=page.item.capability if act is Act.STRIKE_RATER else None,
            assignment=self._seat(grade) if act is Act.HAND_BACK else None,
            text=given["text"],
            reverses=reviews.one_of(page.place.round, given["decision"] or 0)
            if act is Act.REVERSE
            else None,
        )

    def _grade(self, pk: int | None) -> Grade | None:
        shown = {
            mark.pk for answer in self.page.answers for part in answer.parts for mark in part.marks
        }
        if pk not in shown:
            return None
        return Grade.objects.select_related("rater", "response").get(pk=pk)

    def _seat(self, grade: Grade | None) -> Assignment | None:
        return grade.assignment if grade else None


class RuleForm(forms.Form):
    """How the project reviews."""

    n_reviewers = forms.TypedChoiceField(
        label=_("Reviewers"),
        coerce=int,
        choices=[
            (1, _("One reviewer decides")),
            (2, _("Two reviewers: a second one confirms before anything changes")),
        ],
        widget=forms.RadioSelect,
    )
    hide_people = forms.BooleanField(
        label=_("Hide in review which annotator gave a grade"),
        required=False,
        help_text=_("Systems are hidden there in any case."),
    )
