"""Which items a round draws: the form of a draft's draw, with a number for each stratum."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, Round
from annotation.queries import anchors
from annotation.queries import rounds as reads
from annotation.rules import draws as rules
from annotation.rules.draws import Draw as Wishes
from annotation.rules.draws import How
from annotation.rules.sampling import Preference

QUOTA = "quota-"

HOW = (
    (How.LOT, _("One lot over everything")),
    (How.SHARES, _("A number in all, shared out over strata")),
    (How.QUOTAS, _("A number for each stratum")),
)
STRATA = (
    ("capability", _("Capability")),
    ("difficulty", _("Difficulty")),
    ("domain", _("Subject area")),
)
PREFERENCE = (
    (Preference.EQUAL, _("The lot alone decides")),
    (Preference.SHORT, _("P0 first where a stratum falls short")),
    (Preference.FIRST, _("P0 always first")),
)


class Draw(forms.Form):
    """Which items are drawn, in three parts: from what, how, and what goes beside it."""

    capabilities = forms.TypedMultipleChoiceField(
        label=_("Capabilities"),
        coerce=int,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: items of all of them, and those that have none."),
    )
    external_ids = forms.CharField(
        label=_("Only these items"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=_("External ids, one per line. Left empty: from all items."),
    )
    complete_only = forms.BooleanField(
        label=_("Only items that every release has answered"),
        required=False,
        help_text=_("Otherwise an item is graded with the responses there are."),
    )
    unanswered = forms.BooleanField(
        label=_("Draw first, collect the answers afterwards"),
        required=False,
        help_text=_(
            "Items that nobody has answered can be drawn too. Collect their answers, then prepare "
            "the draft once more: the same items are drawn."
        ),
    )
    how = forms.ChoiceField(
        label=_("Kind of draw"),
        choices=HOW,
        required=False,
        widget=forms.RadioSelect,
        initial=How.LOT,
    )
    n_items = forms.IntegerField(
        label=_("How many items"),
        required=False,
        min_value=1,
        max_value=rules.MOST_ITEMS,
        help_text=_("Left empty: all that fit. With a number for each stratum it is not needed."),
    )
    strata = forms.MultipleChoiceField(
        label=_("Strata by"),
        choices=STRATA,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        initial=rules.USUAL,
    )
    preference = forms.ChoiceField(
        label=_("Priority of subject areas"), choices=PREFERENCE, required=False
    )
    make_up = forms.BooleanField(
        label=_("Draw from other strata what one lacks"),
        required=False,
        help_text=_(
            "From those that are wanted too, P0 first. What is missing is named all the same."
        ),
    )
    avoid_rounds = forms.IntegerField(
        label=_("Not from the last … rounds"),
        required=False,
        min_value=0,
        max_value=rules.MOST_ROUNDS,
    )
    avoid_days = forms.IntegerField(
        label=_("Not from rounds of the last … days"),
        required=False,
        min_value=0,
        max_value=rules.MOST_DAYS,
    )
    anchors_from = forms.TypedChoiceField(
        label=_("Anchors from"),
        required=False,
        coerce=int,
        empty_value=None,
        help_text=_(
            "Items whose wording and answers have not changed, graded once more: the larger of a "
            "tenth and thirty, at most half of the round."
        ),
    )
    repeats = forms.IntegerField(
        label=_("Percent of items to repeat"),
        required=False,
        min_value=0,
        max_value=rules.MOST_REPEATS,
        help_text=_("The same people grade them again, later and without being told."),
    )

    gold = forms.IntegerField(
        label=_("Gold items for a hundred others"),
        required=False,
        min_value=0,
        max_value=rules.MOST_GOLD,
        help_text=_(
            "Items of which every answer has a known grade, by a reference or as adjudicated. They "
            "look like any other, count in no result, and show whether annotators still agree."
        ),
    )

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._project: Project = round_.project
        self._published = Wishes.from_json(round_.draw).published
        self.initial["external_ids"] = "\n".join(self.initial.get("external_ids") or [])
        self._offer(
            "capabilities",
            [
                (one.pk, f"{one.name} ({n})")
                for one, n in reads.capabilities_with_items(self._project)
            ],
        )
        earlier = [
            (one.number, _("%(number)s: %(name)s") % {"number": one.number, "name": one.name})
            for one in anchors.earlier(round_)
        ]
        self._offer("anchors_from", [("", _("no earlier round")), *earlier])

    def _offer(self, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def clean_external_ids(self) -> list[str]:
        """Return the ids that were named.

        Raises:
            ValidationError: the project has no item of one of them.
        """
        named = [line.strip() for line in self.cleaned_data["external_ids"].splitlines()]
        wanted = list(dict.fromkeys(one for one in named if one))
        if unknown := reads.unknown_items(self._project, wanted):
            raise ValidationError(
                _("The project has no item %(ids)s. Correct the id, or import the item first.")
                % {"ids": ", ".join(unknown[:10])}
            )
        return wanted

    def clean(self) -> dict[str, Any]:
        """Read the numbers of the strata, whose names only the page knows.

        Raises:
            ValidationError: one of them is no number from 0.
        """
        given: dict[str, Any] = super().clean() or self.cleaned_data
        quotas: dict[str, float] = {}
        for name in self.data:
            text = str(self.data[name]).strip().replace(",", ".")
            if not name.startswith(QUOTA) or not text:
                continue
            try:
                quotas[name.removeprefix(QUOTA)] = self._number(text, given.get("how"))
            except ValueError:
                raise ValidationError(
                    _("“%(text)s” is no number from 0. Correct it in the table of strata.")
                    % {"text": text[:40]}
                ) from None
        given["quotas"] = quotas
        return given

    @staticmethod
    def _number(text: str, how: str | None) -> float:
        value = float(text)
        if not 0 <= value <= rules.MOST_ITEMS or (how == How.QUOTAS and value != int(value)):
            raise ValueError
        return int(value) if value == int(value) else value

    def draw(self) -> Wishes:
        given = self.cleaned_data
        how = given["how"] or How.LOT
        return Wishes(
            capabilities=given["capabilities"],
            external_ids=given["external_ids"],
            n_items=None if how == How.QUOTAS else given["n_items"],
            complete_only=given["complete_only"],
            unanswered=given["unanswered"],
            how=how,
            strata=given["strata"] or (rules.USUAL if how == How.LOT else ()),
            quotas={} if how == How.LOT else given["quotas"],
            preference=given["preference"] or Preference.EQUAL,
            make_up=given["make_up"],
            avoid_rounds=given["avoid_rounds"] or 0,
            avoid_days=given["avoid_days"] or 0,
            anchors_from=given["anchors_from"],
            repeats=given["repeats"] or 0,
            gold=given["gold"] or 0,
            published=self._published,
        )
