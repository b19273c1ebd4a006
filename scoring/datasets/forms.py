"""What is asked of a file for training: which form, and from where on an example counts."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import NameInput
from annotation.grading import facts as grade_table
from annotation.rounds.models import Round
from evalsite import errors
from scoring.datasets.queries import DataSource, criteria_of
from scoring.datasets.rules import ARENA, DPO, OWN, SFT, DataRules, DataWish
from scoring.figures.labels import ReadRound

FORMS: Final = (
    (DPO, _("Pairs for DPO")),
    (SFT, _("Good answers for SFT")),
    (ARENA, _("Battles, as arenas have them")),
    (OWN, _("Preferences, to import again")),
)


class NotFinalYet(errors.Conflict):
    code = "not_final"


class NothingChosen(errors.Conflict):
    code = "no_preferences"


class TrainingDataForm(forms.Form):
    """What is not said is as usual: an address without any of it shows what comes out by that."""

    form = forms.ChoiceField(label=_("File"), choices=FORMS, required=False)
    criterion = NameInput(label=_("By criterion"), required=False, max_length=80)
    margin = forms.IntegerField(
        label=_("Scores apart by at least, in % of the scale"),
        min_value=0,
        max_value=100,
        required=False,
    )
    agreement = forms.IntegerField(
        label=_("Annotators who agree, in %"),
        min_value=0,
        max_value=100,
        required=False,
        help_text=_("From 67 on, of three annotators all must agree."),
    )
    raters = forms.IntegerField(
        label=_("Annotators at least"), min_value=1, max_value=1000, required=False
    )
    good = forms.IntegerField(
        label=_("Answer scored at least, in %"), min_value=0, max_value=100, required=False
    )
    written = NameInput(label=_("Better answers people wrote"), required=False, max_length=80)
    one_each = forms.BooleanField(label=_("One pair a question"), required=False)

    #: What is taken where nothing is said.
    USUAL: Final[Mapping[str, Any]] = {
        "form": DPO,
        "margin": 25,
        "agreement": 75,
        "raters": 1,
        "good": 75,
    }

    def __init__(
        self,
        data: Mapping[str, Any],
        *,
        of_pairs: bool,
        measured: Mapping[str, str],
        texts: Mapping[str, str],
    ) -> None:
        """Make the form; `measured` and `texts` are the criteria that can be named, by key."""
        given = {**self.USUAL, **{name: value for name, value in data.items() if value != ""}}
        if of_pairs and measured:
            # The first of several criteria of choices until another is named: they are no sum.
            given.setdefault("criterion", next(iter(measured)))
        super().__init__(given)
        every = [] if of_pairs and measured else [("", _("all, as their mean"))]
        self._choose("criterion", [*every, *measured.items()])
        self._choose("written", [("", _("none")), *texts.items()])
        offered = FORMS if of_pairs else FORMS[:2]
        self.fields["form"].choices = offered  # type: ignore[attr-defined]
        unused = ["margin"] if of_pairs else []
        unused += [] if texts else ["written"]
        for name in unused:
            del self.fields[name]

    def _choose(self, name: str, choices: list[Any]) -> None:
        label = self.fields[name].label
        self.fields[name] = forms.ChoiceField(label=label, choices=choices, required=False)

    def wish(self) -> DataWish:
        """Return what is wanted, and from where on an example counts."""
        said = self.cleaned_data
        rules = DataRules(
            margin=(said.get("margin") or 0) / 100,
            agreement=(said["agreement"] or 0) / 100,
            raters=said["raters"] or 1,
            good=(said["good"] or 0) / 100,
            one_each=said["one_each"],
        )
        return DataWish(said["form"], said["criterion"], said.get("written") or "", rules)


def form_of(mine: ReadRound, data: Mapping[str, Any]) -> TrainingDataForm:
    """Return the form, by what the criteria of a round ask for."""
    known = grade_table.facts([mine.round])
    return TrainingDataForm(
        data,
        of_pairs=mine.round.of_pairs,
        measured=criteria_of(mine, known),
        texts=criteria_of(mine, known, texts=True),
    )


def source_of(mine: ReadRound, data: Mapping[str, Any]) -> DataSource:
    """Return what is asked of a round.

    Raises:
        NotFinalYet: its grades may still change.
        NothingChosen: a file of preferences is wanted of a round of grades.
        Invalid: a field cannot be used; by field.
    """
    if mine.round.state != Round.State.FINAL:
        raise NotFinalYet(
            gettext("Training data is made of a final round. Finish the round first.")
        )
    if data.get("form") in {ARENA, OWN} and not mine.round.of_pairs:
        raise NothingChosen(
            gettext("This round has grades, no preferences. Choose pairs or answers.")
        )
    form = form_of(mine, data)
    if not form.is_valid():
        raise errors.Invalid(
            gettext("This cannot be used: %s.") % ", ".join(form.errors),
            fields={name: [str(one) for one in some] for name, some in form.errors.items()},
        )
    return DataSource(mine, grade_table.facts([mine.round]), form.wish())
