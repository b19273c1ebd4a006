"""How a judge may be configured: one set of settings for each kind of judge.

* Make judges: machine raters that are what they were configured to be, once and for all.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import transaction

from annotation.common import texts as contents
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion, Rubric, RubricVersion
from annotation.rubrics.rules import Measure
from evalsite import errors
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Machine
from scoring.kinds.judging import direct_v1 as direct
from scoring.kinds.judging import forms_v1, prompts_v1
from scoring.kinds.judging import geval_v1 as geval
from scoring.kinds.judging import queries as judging
from scoring.kinds.judging import single_v1 as single

MOST_REPEATS: Final = 32
MOST_TOKENS: Final = 32_000
FEWEST_TOKENS: Final = 50
#: A form is answered by a number alone.
A_NUMBER: Final = 4
HOTTEST_JUDGE: Final = Decimal(2)
#: Where G-Eval's scores come from: from weights, else from samples; from weights or not at all; samples.
WEIGHTS, ONLY_WEIGHTS, SAMPLES = "weights", "only_weights", "samples"


@dataclass(frozen=True)
class Settings:
    """What decides how a direct judge grades, beside its endpoint and the prompts."""

    repeats: int = 3
    temperature: float | None = 0.3
    max_tokens: int = 1500
    together: bool = True
    fewest_valid: int = 1
    reference: bool = True
    language: str = "en"
    #: Every second reading sees criteria and material in the opposite order.
    turned: bool = False


@dataclass(frozen=True)
class GEvalSettings:
    """What decides how G-Eval grades. `repeats` samples are drawn where scores are not weighed."""

    weights: str = WEIGHTS
    repeats: int = 20
    temperature: float | None = 1.0
    max_tokens: int = 16
    fewest_valid: int = 1
    reference: bool = True
    language: str = "en"
    #: Every second sample sees the answer first and the material in the opposite order.
    turned: bool = False


@dataclass(frozen=True)
class SingleSettings:
    """What decides how a judge gives one score from 1 to 10."""

    repeats: int = 3
    temperature: float | None = 0.3
    max_tokens: int = 1500
    fewest_valid: int = 1
    reference: bool = True
    language: str = "en"
    turned: bool = False


AnySettings = Settings | GEvalSettings | SingleSettings


@dataclass(frozen=True)
class JudgeKind:
    """A kind of judge: `key` names it in addresses and in the API, `prompts` hashes what it is told."""

    key: str
    protocol: str
    settings: type[AnySettings]
    prompts: Callable[[str], str]


KINDS: Final[Mapping[str, JudgeKind]] = {
    one.key: one
    for one in (
        JudgeKind("direct", direct.PROTOCOL, Settings, prompts_v1.sha),
        JudgeKind("geval", geval.PROTOCOL, GEvalSettings, lambda _language: forms_v1.sha()),
        JudgeKind("single", single.PROTOCOL, SingleSettings, single.sha),
    )
}
_BY_PROTOCOL: Final = {one.protocol: one for one in KINDS.values()}
_BY_SETTINGS: Final = {one.settings: one for one in KINDS.values()}


def kind_of(settings: AnySettings) -> JudgeKind:
    return _BY_SETTINGS[type(settings)]


def settings_of(judge: Judge) -> AnySettings:
    """Return how a judge grades; what it was made without has its usual value."""
    kind = _BY_PROTOCOL[judge.protocol]
    names = [one.name for one in fields(kind.settings)]
    return kind.settings(**{name: judge.config[name] for name in names if name in judge.config})


def problems(settings: AnySettings) -> dict[str, str]:
    """Return what is wrong with settings, by their names."""
    fewest = A_NUMBER if isinstance(settings, GEvalSettings) else FEWEST_TOKENS
    weights = getattr(settings, "weights", SAMPLES)
    fits: dict[str, Any] = {
        "repeats": 1 <= settings.repeats <= MOST_REPEATS,
        "fewest_valid": 1 <= settings.fewest_valid <= settings.repeats,
        "temperature": settings.temperature is None or 0 <= settings.temperature <= HOTTEST_JUDGE,
        "max_tokens": fewest <= settings.max_tokens <= MOST_TOKENS,
        "language": settings.language in prompts_v1.LANGUAGES,
        "weights": weights in {WEIGHTS, ONLY_WEIGHTS, SAMPLES},
        "turned": not settings.turned or (settings.repeats > 1 and weights == SAMPLES),
    }
    words = {
        "repeats": _("A judge gives from 1 to %(most)d readings.") % {"most": MOST_REPEATS},
        "fewest_valid": _("Ask for at least 1 reading, and for no more than the judge gives."),
        "temperature": _("The temperature lies between 0 and 2."),
        "max_tokens": _("A reply may have from %(fewest)d to %(most)d tokens.")
        % {"fewest": fewest, "most": MOST_TOKENS},
        "language": _("There are no prompts in this language."),
        "weights": _("Scores come from weights, from weights only, or from samples."),
        "turned": _(
            "The order can be turned only where a score is the mean of more than one reading."
        ),
    }
    return {field: words[field] for field, right in fits.items() if not right}


HOTTEST = HOTTEST_JUDGE


class BadJudge(errors.Invalid):
    """A judge cannot be configured so."""

    code = "bad_judge"


class NameTaken(errors.Invalid):
    code = "name_taken"


class AlreadyThere(errors.Conflict):
    """There is a judge with this very configuration."""

    code = "judge_already_there"


class EndpointRetired(errors.Conflict):
    code = "endpoint_retired"


@transaction.atomic
def create(
    *,
    project: Project,
    name: str,
    endpoint: Endpoint,
    settings: AnySettings,
    by: User,
    now: datetime,
) -> Judge:
    """Make a judge: the rater of its judgments, its still empty rubric, its configuration.

    Raises:
        BadJudge: a setting cannot be used; `fields` says which.
        EndpointRetired: its endpoint is not in use.
        NameTaken: a judge of this name is there, perhaps of an import.
        AlreadyThere: a judge is configured in exactly this way.
    """
    name = name.strip()
    _check(project, name, endpoint, settings)
    kind = kind_of(settings)
    config = {**asdict(settings), "prompts": kind.prompts(settings.language)}
    sha = config_sha(kind.protocol, endpoint, config)
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        raise AlreadyThere(
            _("“%(name)s” is configured in exactly this way. Use it, or change something.")
            % {"name": same.name}
        )
    rater = Rater.objects.create(project=project, kind=RaterKind.JUDGE, ref=name, created_at=now)
    rubric = measures.create(project=project, name=name, now=now)
    Machine.objects.create(rater=rater, rubric=rubric, family=endpoint.family, created_at=now)
    judge = Judge.objects.create(
        project=project,
        rater=rater,
        name=name,
        protocol=kind.protocol,
        endpoint=endpoint,
        config=config,
        config_sha=sha,
        created_by=by,
        created_at=now,
    )
    audit.record(
        project=project,
        actor=by,
        verb="judge.made",
        subject=f"judge:{judge.pk}",
        at=now,
        protocol=kind.protocol,
        endpoint=endpoint.pk,
        config_sha=sha,
    )
    return judge


def config_sha(protocol: str, endpoint: Endpoint, config: Mapping[str, Any]) -> str:
    """Return the hash of all that a judge is."""
    whole = [protocol, endpoint.pk, dict(config)]
    return hashlib.sha256(contents.canonical(whole)).hexdigest()


def declare(
    *, judge: Judge, versions: Collection[int], keys: Sequence[str], by: User | None, now: datetime
) -> dict[int, dict[str, int]]:
    """Give a judge's rubric the criteria of people's rubrics; return its own by theirs.

    Where two rubrics have a criterion of one name with different ranges, the judge's rubric gets a
    version for each. What a version of it says already is not said again.

    Args:
        judge: whose rubric.
        versions: keys of people's rubric versions.
        keys: of the criteria that are judged; empty for all.
        by: who asked for it.
        now: when.
    """
    rubric = Rubric.objects.get(machine__rater=judge.rater_id)
    made: dict[int, dict[str, int]] = {}
    for version in sorted(versions):
        rows = judging.rows_of(version, keys)
        if not rows:
            continue
        names = _names(rows)
        wanted = [_measure(row, name) for row, name in zip(rows, names, strict=True)]
        own = _standing(rubric, wanted) or measures.declare(
            rubric=rubric, measures=wanted, by=by, now=now
        )
        by_name = dict(Criterion.objects.filter(rubric_version=own).values_list("name", "pk"))
        made[version] = {row.key: by_name[name] for row, name in zip(rows, names, strict=True)}
    return made


def _standing(rubric: Rubric, wanted: Sequence[Measure]) -> RubricVersion | None:
    """Return the newest version that says all of this, if there is one."""
    for version in RubricVersion.objects.filter(rubric=rubric).order_by("-number"):
        said = measures.of_version(version)
        if all(said.get(one.name) == one for one in wanted):
            return version
    return None


def _names(rows: Sequence[Criterion]) -> list[str]:
    """Return what the criteria are called; two of one name are told apart by their keys."""
    names = [row.name for row in rows]
    return [f"{row.name} ({row.key})" if names.count(row.name) > 1 else row.name for row in rows]


def _measure(row: Criterion, name: str) -> Measure:
    labels = tuple((level.value, level.label) for level in row.levels.all() if level.label)
    return Measure(name, row.minimum, row.maximum, row.higher_is_better, labels)


def declare_one(
    *,
    judge: Judge,
    versions: Collection[int],
    key: str,
    measure: Measure,
    by: User | None,
    now: datetime,
) -> dict[int, dict[str, int]]:
    """Give a judge the one criterion that is its own, whatever people's rubrics ask; return it by theirs."""
    rubric = Rubric.objects.get(machine__rater=judge.rater_id)
    own = _standing(rubric, [measure]) or measures.declare(
        rubric=rubric, measures=[measure], by=by, now=now
    )
    criterion = Criterion.objects.get(rubric_version=own, name=measure.name)
    return {version: {key: criterion.pk} for version in versions}


def _check(project: Project, name: str, endpoint: Endpoint, settings: AnySettings) -> None:
    if endpoint.project_id != project.pk or endpoint.retired_at is not None:
        raise EndpointRetired(_("This endpoint is not in use any more. Choose another."))
    found = problems(settings)
    if not 1 <= len(name) <= 120:
        found = {"name": _("Give the judge a name of up to 120 characters."), **found}
    if found:
        raise BadJudge(
            " ".join(found.values()), fields={field: [one] for field, one in found.items()}
        )
    if Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=name).exists():
        message = _("There is a judge called “%(name)s”. Choose another name.") % {"name": name}
        raise NameTaken(message, fields={"name": [message]})
