"""Make assistants: machine raters that score answers without being judges."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Project, Rater, RaterKind, User
from annotation.operations import audit
from annotation.rubrics import measures
from annotation.rubrics.rules import Measure
from annotation.rules import contents
from evalsite import errors
from scoring.models import Endpoint, Judge, Machine
from scoring.protocols.assistants import prompts_v1, v1
from scoring.protocols.assistants.asking_v1 import Config, Kind
from scoring.queries import measured

MOST_AT_ONCE: Final = 64
MOST_REPEATS: Final = 32
#: The ranges that follow from what is computed; a served model's is declared.
RANGES: Final[Mapping[Kind, tuple[float, float]]] = {
    Kind.LIKELIHOOD: (0.0, 1.0),
    Kind.ENTAILMENT: (0.0, 1.0),
    Kind.SIMILARITY: (-1.0, 1.0),
}
#: Those that may take several answers in one request.
TOGETHER: Final = frozenset({Kind.SIMILARITY, Kind.SERVED})


class BadAssistant(errors.Invalid):
    """An assistant cannot be configured so; `fields` says which setting."""

    code = "bad_assistant"


class NameTaken(errors.Invalid):
    code = "name_taken"


class AlreadyThere(errors.Conflict):
    """There is an assistant with this very configuration."""

    code = "assistant_already_there"


class EndpointRetired(errors.Conflict):
    code = "endpoint_retired"


@dataclass(frozen=True)
class Settings:
    """What decides how an assistant scores, beside its endpoint.

    `premise` says which texts an answer is set against: those of `measured.AGAINST`, the question, or a
    field kept with it; a likelihood may have none. `at_once` answers go into one request.
    """

    kind: Kind = Kind.SERVED
    premise: str = "standard"
    turned: bool = False
    low: float | None = 0.0
    high: float | None = 1.0
    higher_is_better: bool = True
    at_once: int = 8
    repeats: int = 1
    temperature: float | None = 0.0
    language: str = "en"

    def fitted(self) -> "Settings":
        """Return the settings with what their kind fixes, so that equal assistants are equal."""
        given = asdict(self)
        if self.kind in RANGES:
            low, high = RANGES[self.kind]
            given |= {"low": low, "high": high, "higher_is_better": True}
        if self.kind not in TOGETHER:
            given["at_once"] = 1
        if self.kind is not Kind.ENTAILMENT:
            given |= {"repeats": 1, "temperature": 0.0, "language": "en"}
        if self.kind not in {Kind.ENTAILMENT, Kind.SERVED}:
            given["turned"] = False
        return Settings(**given)

    def compared(self) -> dict[str, str]:
        """Return where the texts come from, as metrics say it."""
        if self.premise in measured.AGAINST:
            return {"references": self.premise, "source": ""}
        return {"references": "standard", "source": self.premise}


def settings_of(assistant: Judge) -> Settings:
    """Return how an assistant scores."""
    given = {one.name: assistant.config[one.name] for one in fields(Settings)}
    return Settings(**{**given, "kind": Kind(given["kind"])})


def config_of(settings: Settings) -> Config:
    """Return what the procedure takes of an assistant's settings."""
    names = ("kind", "low", "high", "turned", "repeats", "temperature", "language")
    return Config(**{name: getattr(settings, name) for name in names})


@transaction.atomic
def create(
    *,
    project: Project,
    name: str,
    endpoint: Endpoint,
    settings: Settings,
    by: User,
    now: datetime,
) -> Judge:
    """Make an assistant: the metric it is in the table of ratings, its range, its configuration.

    Raises:
        BadAssistant: a setting cannot be used; `fields` says which.
        EndpointRetired: its endpoint is not in use.
        NameTaken: a metric of this name is there.
        AlreadyThere: an assistant is configured in exactly this way.
    """
    name, settings = " ".join(name.split()), settings.fitted()
    _check(project, name, endpoint, settings)
    config = {**asdict(settings), "kind": settings.kind.value, "prompts": prompts_v1.sha()}
    whole = [v1.PROTOCOL, endpoint.pk, config]
    sha = hashlib.sha256(contents.canonical(whole)).hexdigest()
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        raise AlreadyThere(
            _("“%(name)s” is configured in exactly this way. Use it, or change something.")
            % {"name": same.name}
        )
    rater = Rater.objects.create(project=project, kind=RaterKind.METRIC, ref=name, created_at=now)
    rubric = measures.create(project=project, name=name, now=now)
    Machine.objects.create(rater=rater, rubric=rubric, family=endpoint.family, created_at=now)
    measure = Measure(
        name, _end(settings.low), _end(settings.high), higher_is_better=settings.higher_is_better
    )
    measures.declare(rubric=rubric, measures=[measure], by=by, now=now)
    made = Judge.objects.create(
        project=project,
        rater=rater,
        name=name,
        protocol=v1.PROTOCOL,
        endpoint=endpoint,
        config=config,
        config_sha=sha,
        created_by=by,
        created_at=now,
    )
    audit.record(
        project=project,
        actor=by,
        verb="assistant.made",
        subject=f"judge:{made.pk}",
        at=now,
        protocol=v1.PROTOCOL,
        endpoint=endpoint.pk,
        config_sha=sha,
    )
    return made


def _end(end: float | None) -> Decimal | None:
    return None if end is None else Decimal(str(end))


def _check(project: Project, name: str, endpoint: Endpoint, settings: Settings) -> None:
    if endpoint.project_id != project.pk or endpoint.retired_at is not None:
        raise EndpointRetired(_("This endpoint is not in use any more. Choose another."))
    if problems := _problems(name, settings):
        raise BadAssistant(
            " ".join(problems.values()), fields={field: [one] for field, one in problems.items()}
        )
    if Rater.objects.filter(project=project, kind=RaterKind.METRIC, ref=name).exists():
        message = _("There is a metric called “%(name)s”. Choose another name.") % {"name": name}
        raise NameTaken(message, fields={"name": [message]})


def _problems(name: str, settings: Settings) -> dict[str, str]:
    known = settings.premise in measured.AGAINST or settings.premise == measured.QUESTION
    may_lack = settings.kind is Kind.LIKELIHOOD and not settings.premise
    ends = settings.low is None or settings.high is None or settings.low < settings.high
    fits = {
        "name": 1 <= len(name) <= 120,
        "premise": known or may_lack or settings.premise.startswith(measured.FIELD),
        "high": ends,
        "at_once": 1 <= settings.at_once <= MOST_AT_ONCE,
        "repeats": 1 <= settings.repeats <= MOST_REPEATS,
        "temperature": settings.temperature is None or 0 <= settings.temperature <= 2,
        "language": settings.language in prompts_v1.LANGUAGES,
    }
    words = {
        "name": _("Give the assistant a name of up to 120 characters."),
        "premise": _("Say which texts an answer is set against."),
        "high": _("The lowest score lies below the highest."),
        "at_once": _("From 1 to %(most)d answers go into one request.") % {"most": MOST_AT_ONCE},
        "repeats": _("It gives from 1 to %(most)d readings.") % {"most": MOST_REPEATS},
        "temperature": _("The temperature lies between 0 and 2."),
        "language": _("There are no prompts in this language."),
    }
    return {field: words[field] for field, right in fits.items() if not right}
