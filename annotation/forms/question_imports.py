"""What a person says about a file of questions for the bank: its columns, and what holds for all rows."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms import imports
from annotation.forms.questions import capability_options, domain_options
from annotation.models import Difficulty, ImportKind, Project, Upload, User
from annotation.queries import taxonomy
from annotation.rules.settings import MAX_LANGUAGE
from annotation.rules.tabular import targets
from annotation.rules.tabular.layouts import Column
from annotation.rules.tabular.mappings import Place, QuestionMapping
from annotation.rules.tabular.targets import Guess, Target

LABELS = imports.LABELS | {
    Target.AS_OF: _("As of"),
    Target.VALID_UNTIL: _("Valid until (date)"),
    Target.TAGS: _("Tags"),
    Target.SOURCES: _("Sources"),
    Target.SOURCE_TITLE: _("Title of the source"),
    Target.SOURCE_ADDRESS: _("Address of the source"),
    Target.SOURCE_PLACE: _("Place in the source"),
    Target.PRINCIPLE: _("Principle of this question"),
    Target.NOTE: _("Note (becomes a comment)"),
}


class QuestionColumn(forms.Form):
    target = forms.ChoiceField(label=_("Goes to"))
    kind = ImportKind.QUESTIONS

    def __init__(self, column: Column, guess: Guess, data: Any = None, prefix: str = "") -> None:
        super().__init__(data, initial={"target": guess.target}, prefix=prefix)
        self.column, self.guess = column, guess
        imports.offer(self, targets.QUESTIONS, LABELS)

    def place(self) -> Place:
        return Place(self.column.name, self.cleaned_data["target"])


class QuestionOptions(forms.Form):
    """What holds for the whole file; where a column says otherwise, the column counts."""

    capability = forms.ChoiceField(label=_("Capability, where a row names none"), required=False)
    difficulty = forms.ChoiceField(
        label=_("Difficulty, where a row names none"),
        required=False,
        choices=[("", "–"), *Difficulty.choices],
    )
    domain = forms.ChoiceField(label=_("Subject area, where a row names none"), required=False)
    language = forms.CharField(
        label=_("Language, where a row names none"),
        required=False,
        max_length=MAX_LANGUAGE,
        help_text=_("As en, de or zh."),
    )
    author = forms.ChoiceField(
        label=_("Author of the drafts"),
        required=False,
        help_text=_("Only the author edits a draft and hands it in; nobody inspects their own."),
    )
    new_versions = forms.BooleanField(
        label=_("Changed questions become new versions"),
        required=False,
        help_text=_(
            "A row that differs from the question the bank has under its id becomes a draft of the "
            "next version. Otherwise it is reported, and nothing is imported."
        ),
    )
    create_missing = forms.BooleanField(
        label=_("Create capabilities and subject areas that are missing"), required=False
    )
    make_sources = forms.BooleanField(
        label=_("Add sources that are missing"),
        required=False,
        help_text=_("With title and address only; what a source says is added on its page."),
    )

    def __init__(
        self,
        project: Project,
        user: User,
        writers: Mapping[str, User],
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Make the form; without `writers` the drafts become those of whoever asks."""
        super().__init__(*args, **kwargs)
        offered: dict[str, list[tuple[Any, Any]]] = {
            "capability": capability_options(project),
            "domain": domain_options(project),
        }
        for name, options in offered.items():
            self.fields[name].choices = [("", "–"), *options]  # type: ignore[attr-defined]
        others = [
            (name, one.display_name) for name, one in writers.items() if name != user.username
        ]
        self.fields["author"].choices = [("", _("I am")), *others]  # type: ignore[attr-defined]
        if not others:
            del self.fields["author"]
        self._paths = paths_of(project)

    @property
    def filed(self) -> list[forms.BoundField]:
        """What questions are filed under: these fields stand beside what capabilities mean."""
        return [self["capability"], self["difficulty"]]

    @property
    def rest(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in {"capability", "difficulty"}]

    def mapping(self, places: tuple[Place, ...]) -> QuestionMapping:
        said = self.cleaned_data
        return QuestionMapping(
            places,
            capability=self._paths["capability"].get(said["capability"], ""),
            difficulty=said["difficulty"],
            domain=self._paths["domain"].get(said["domain"], ""),
            language=said["language"],
            author=said.get("author", ""),
            new_versions=said["new_versions"],
            create_missing=said["create_missing"],
            make_sources=said["make_sources"],
        )


def paths_of(project: Project) -> dict[str, dict[str, str]]:
    """Return capabilities and subject areas by id, each as the path that a file names it by."""
    return {
        "capability": {str(pk): path for pk, path in taxonomy.capability_paths(project).items()},
        "domain": {str(pk): path for pk, path in taxonomy.domain_paths(project).items()},
    }


def columns_of(
    upload: Upload, guesses: Iterable[tuple[Column, Guess]], data: Any = None
) -> list[QuestionColumn]:
    """Return a small form for each column, filled with what was chosen before or is suggested."""
    return [
        QuestionColumn(column, guess, data, prefix=f"c{place}")
        for place, (column, guess) in enumerate(imports.chosen_of(upload, guesses))
    ]


def options_of(
    upload: Upload, user: User, writers: Mapping[str, User], data: Any = None
) -> QuestionOptions:
    """Return the form for the whole file; in an empty project what is missing is made."""
    project = upload.project
    paths = paths_of(project)
    initial: dict[str, Any] = {"create_missing": not paths["capability"], "make_sources": True}
    stored = dict(upload.mapping or {})
    for name, by_pk in paths.items():
        path = stored.pop(name, "")
        initial[name] = next((pk for pk, one in by_pk.items() if path and one == path), "")
    return QuestionOptions(project, user, writers, data, initial=initial | stored)
