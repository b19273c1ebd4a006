"""What is sent with a file: where its columns go, and what holds where no column says so."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.models import Difficulty, Upload
from annotation.queries.imports import files, surveys
from annotation.rules.settings import MAX_LANGUAGE
from annotation.rules.tabular import choice_mappings, machines, targets
from annotation.rules.tabular.choice_mappings import KNOWN_NAMES, MOST_DATASET, ChoiceMapping
from annotation.rules.tabular.figure_mappings import FigureMapping
from annotation.rules.tabular.figures import MOST_NAME
from annotation.rules.tabular.machines import Machine
from annotation.rules.tabular.mappings import (
    AnswerMapping,
    FileMapping,
    GradeMapping,
    NewRubric,
    Place,
    QuestionMapping,
    written_place,
)
from annotation.rules.tabular.score_mappings import ScoreMapping
from annotation.rules.tabular.targets import Target
from evalsite.contract.bodies import Body


def _columns(known: Iterable[Target], more: str = "") -> serializers.JSONField:
    """Return the field that says where columns go, with what they may hold in the reference."""
    names = ", ".join(one.value for one in known)
    text = f'{{"name of a column": "what it holds"}}, as JSON. It may hold: {names}.'
    return serializers.JSONField(default=dict, help_text=f"{text} {more}".strip())


class FileIn(Body):
    """A file; `columns` says where columns go that are not called as expected, as JSON.

    `encoding`, such as windows-1252, is needed only where it is asked for.
    """

    file = serializers.FileField()
    encoding = serializers.CharField(max_length=40, default="", allow_blank=True)
    columns = serializers.JSONField(default=dict)
    only_check = serializers.BooleanField(default=False)

    def validate_columns(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise serializers.ValidationError(_('Write {"column": "target"}.'))
        return {str(name): str(target) for name, target in value.items()}


class ChoicesIn(FileIn):
    """A question set; without `dataset` it is called as its published layout."""

    columns = _columns(targets.CHOICES)
    dataset = serializers.CharField(max_length=MOST_DATASET, default="", allow_blank=True)
    subject = serializers.CharField(max_length=200, default="", allow_blank=True)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        layout = choice_mappings.published(files.layout_of(upload))
        if layout is None:
            return ChoiceMapping(_places(upload, given), "", given["dataset"], given["subject"])
        dataset = given["dataset"] or KNOWN_NAMES[layout]
        return ChoiceMapping((), str(layout), dataset, given["subject"])


class FiguresIn(FileIn):
    """Figures of other benchmarks; `figure` and `release` hold where no column says so."""

    columns = _columns(targets.FIGURES)
    figure = serializers.CharField(max_length=MOST_NAME, default="", allow_blank=True)
    release = serializers.CharField(max_length=120, default="", allow_blank=True)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        return FigureMapping(_places(upload, given), given["figure"], given["release"])


class AnswersIn(FileIn):
    """Questions with answers; `system` and `release` hold where no column says so.

    Of an answer in several messages the last one of the assistant is taken, or, if so wished, the
    `whole_conversation`.
    """

    columns = _columns(targets.ANSWERS, "`answer:SYSTEM:RELEASE` says whose answers stand in it.")
    system = serializers.CharField(max_length=200, default="", allow_blank=True)
    release = serializers.CharField(max_length=120, default="1")
    create_missing = serializers.BooleanField(default=False)
    whole_conversation = serializers.BooleanField(default=False)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        return AnswerMapping(
            _places(upload, given),
            given["system"],
            given["release"],
            given["create_missing"],
            given["whole_conversation"],
        )


class NewRubricIn(Body):
    """A rubric to be made of the criteria of the file; an empty `step` allows any number between."""

    name = serializers.CharField(max_length=200)
    min = serializers.CharField(max_length=20)
    max = serializers.CharField(max_length=20)
    step = serializers.CharField(max_length=20, default="1", allow_blank=True)


class GradesIn(FileIn):
    """Grades that people gave elsewhere, as a round of its own.

    By `rubric` (key@version), or by a new one. `aliases` has by name in the file the criterion of
    the rubric, `words` by word its number, both as JSON.
    """

    columns = _columns(targets.GRADES, "`grade:RATER:CRITERION` says whose grades of what.")
    round_name = serializers.CharField(max_length=200)
    rubric = serializers.CharField(max_length=200, default="", allow_blank=True)
    new_rubric = serializers.JSONField(default=None, allow_null=True)
    release = serializers.CharField(max_length=120, default="", allow_blank=True)
    rater = serializers.CharField(max_length=200, default="", allow_blank=True)
    aliases = serializers.JSONField(default=dict)
    words = serializers.JSONField(default=dict)

    def validate_new_rubric(self, value: Any) -> NewRubric | None:
        if value is None:
            return None
        given = NewRubricIn(data=value)
        given.is_valid(raise_exception=True)
        said = given.validated_data
        return NewRubric(said["name"], said["min"], said["max"], said["step"])

    def validate_aliases(self, value: Any) -> dict[str, str]:
        return _pairs(value)

    def validate_words(self, value: Any) -> dict[str, str]:
        return _pairs(value)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        return GradeMapping(
            _places(upload, given),
            given["round_name"],
            given["rubric"],
            given["new_rubric"],
            given["release"],
            given["rater"],
            given["aliases"],
            given["words"],
        )


class MachineIn(Body):
    """What a judge or a metric is; an end of its range that is left out is open.

    With `criterion` it holds for that one alone, else for all of which nothing else is said.
    """

    name = serializers.CharField(max_length=200)
    criterion = serializers.CharField(max_length=200, default="", allow_blank=True)
    kind = serializers.ChoiceField(choices=sorted(machines.KINDS))
    min = serializers.CharField(max_length=20, default="", allow_blank=True)
    max = serializers.CharField(max_length=20, default="", allow_blank=True)
    higher_is_better = serializers.BooleanField(default=True)
    family = serializers.CharField(max_length=80, default="", allow_blank=True)


class ScoresIn(FileIn):
    """Scores of judges and metrics; what `machines` (as JSON) does not tell is taken as the scores suggest.

    A range that is a mere guess, or clashes with a rubric or with what is known, is refused: tell it.
    """

    columns = _columns(targets.SCORES, "`score:JUDGE:CRITERION` says whose scores of what.")
    machines = serializers.JSONField(required=False)
    release = serializers.CharField(max_length=120, default="", allow_blank=True)
    rater = serializers.CharField(max_length=200, default="", allow_blank=True)
    words = serializers.JSONField(default=dict)

    def validate_machines(self, value: Any) -> tuple[Machine, ...]:
        given = MachineIn(data=value, many=True)
        given.is_valid(raise_exception=True)
        return tuple(
            Machine(
                one["name"],
                one["kind"],
                one["min"],
                one["max"],
                one["higher_is_better"],
                one["family"],
                one["criterion"],
            )
            for one in given.validated_data
        )

    def validate_words(self, value: Any) -> dict[str, str]:
        return _pairs(value)

    def mapping(self, upload: Upload) -> FileMapping:
        given = self.validated_data
        told = given.get("machines", ())
        said = ScoreMapping(
            _places(upload, given), told, given["release"], given["rater"], given["words"]
        )
        return surveys.declared(upload, said, whole=not upload.is_large)


class QuestionsIn(FileIn):
    """Questions for the bank; what stands beside the file holds where a row says nothing.

    `author` is the user name of whose drafts they become.
    """

    columns = _columns(targets.QUESTIONS)
    capability = serializers.CharField(default="", allow_blank=True)
    difficulty = serializers.ChoiceField(choices=Difficulty.values, default="", allow_blank=True)
    domain = serializers.CharField(default="", allow_blank=True)
    language = serializers.CharField(max_length=MAX_LANGUAGE, default="", allow_blank=True)
    author = serializers.CharField(default="", allow_blank=True)
    new_versions = serializers.BooleanField(default=False)
    create_missing = serializers.BooleanField(default=False)
    make_sources = serializers.BooleanField(default=False)

    def mapping(self, upload: Upload) -> FileMapping:
        given = dict(self.validated_data)
        common = {"file", "columns", "only_check", "encoding"}
        own = {name: value for name, value in given.items() if name not in common}
        return QuestionMapping(_places(upload, given), **own)


def _places(upload: Upload, given: dict[str, Any]) -> tuple[Place, ...]:
    """Return where each column goes: as was said, else as its name suggests."""
    said = given["columns"]
    return tuple(
        written_place(column.name, said[column.name], guess)
        if column.name in said
        else Place(column.name, guess.target, guess.system, "", guess.rater, guess.criterion)
        for column, guess in files.guesses(upload)
    )


def _pairs(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise serializers.ValidationError(_('Write {"as in the file": "as here"}.'))
    return {str(written): str(key) for written, key in value.items()}
