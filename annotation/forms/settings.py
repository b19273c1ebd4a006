"""Forms of a project's settings: the bank, masks, retention."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import SettingsVersion
from annotation.rules import settings as rules
from annotation.rules.settings import Bank, Masks, Retention


class Section(forms.Form):
    """A section; `base` is the version that was on the page."""

    base = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)

    def __init__(self, held: SettingsVersion | None, sent: Any, **kwargs: Any) -> None:
        self.number = held.number if held else 0
        initial = {"base": self.number, **self.initial_of(held.body if held else {})}
        super().__init__(sent, initial=initial, **kwargs)

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def based_on(self) -> int:
        return self.cleaned_data.get("base") or 0


class BankForm(Section):
    languages = forms.CharField(
        label=_("Languages offered"),
        required=False,
        max_length=1000,
        help_text=_(
            "As en, de or zh-Hans, with commas between them. Authors choose among these, and a question "
            "in another one cannot be handed in. Nothing: any language."
        ),
    )
    alike = forms.IntegerField(
        label=_("Near-duplicates from, in percent"),
        min_value=rules.LEAST_ALIKE,
        max_value=rules.MOST_ALIKE,
        help_text=_(
            "Questions that are so much alike are pointed out while writing and in imports. Lower finds more, "
            "and more that is none."
        ),
    )
    field_order = ["base", "languages", "alike"]

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        bank = Bank.read(body)
        return {"languages": ", ".join(bank.languages), "alike": bank.alike}

    def bank(self) -> Bank:
        words = self.cleaned_data["languages"].replace(";", ",").split(",")
        languages = dict.fromkeys(word.strip() for word in words if word.strip())
        return Bank(tuple(languages), self.cleaned_data["alike"])


def _lines(label: Any, help_text: Any, rows: int = 4) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=60_000,
        help_text=help_text,
        widget=forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "dir": "auto"}),
    )


class MasksForm(Section):
    words = _lines(
        _("Words of your own"),
        _(
            "One per line: names of products, teams or vendors. They are found however they are written: capitals, "
            "hyphens and widths do not matter."
        ),
    )
    patterns = _lines(
        _("Patterns"),
        _(
            "Regular expressions, one per line, whatever their capitals: our \\w+ assistant. Each is tried out "
            "before it is saved; one that would take too long is refused."
        ),
        rows=3,
    )
    spared = _lines(
        _("Well-known names to leave alone"),
        _(
            "One per line, where such a name is an ordinary word in your questions. Systems of a round are "
            "always looked for."
        ),
        rows=3,
    )
    approved = forms.BooleanField(
        label=_("Mask places of these words and patterns from the start"),
        required=False,
        help_text=_(
            "Otherwise curators decide for each round. Either way a round’s page shows every place, and one "
            "can be left as it is."
        ),
    )
    field_order = ["base", "words", "patterns", "spared", "approved"]

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        masks = Masks.read(body)
        lists = {name: "\n".join(getattr(masks, name)) for name in ("words", "patterns", "spared")}
        return {**lists, "approved": masks.approved}

    def masks(self) -> Masks:
        return Masks(
            words=self._list("words"),
            patterns=self._list("patterns"),
            spared=self._list("spared"),
            approved=self.cleaned_data["approved"],
        )

    def _list(self, name: str) -> tuple[str, ...]:
        lines = self.cleaned_data[name].splitlines()
        return tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))


#: What is kept: what it is called, what it is, what going means.
KEPT = {
    "drafts": (
        _("Drafts of grades"),
        _(
            "Begun and never handed in, in rounds that are final; whose seat it was stays on record."
        ),
    ),
    "receipts": (
        _("Log of saves"),
        _("What browsers were told was saved, in rounds that are final."),
    ),
    "files": (
        _("Files handed in, and whole banks"),
        _(
            "As they were uploaded or written. What was imported stays, with the file’s name and hash; it can still be "
            "undone, but not applied again."
        ),
    ),
    "calls": (
        _("Texts of calls to language models"),
        _(
            "Of runs that have ended. Scores, costs, times and hashes stay; transcripts are gone, and the run "
            "can no longer be played back."
        ),
    ),
    "figures": (
        _("Computed figures"),
        _("Worked out anew when somebody opens their page."),
    ),
}


DAYS = _("Give a number of days from 7 to 3650, or nothing.")


class RetentionForm(Section):
    def __init__(self, held: SettingsVersion | None, sent: Any) -> None:
        super().__init__(held, sent)
        for key in rules.KEPT:
            self.fields[key] = forms.IntegerField(
                label=KEPT[key][0],
                required=False,
                min_value=rules.LEAST_DAYS,
                max_value=rules.MOST_DAYS,
                help_text=KEPT[key][1],
                error_messages=dict.fromkeys(("min_value", "max_value", "invalid"), DAYS),
                widget=forms.NumberInput(attrs={"size": 6}),
            )

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        return dict(Retention.read(body).days)

    def days(self) -> dict[str, int]:
        given = {key: self.cleaned_data.get(key) for key in rules.KEPT}
        return {key: n for key, n in given.items() if n is not None}
