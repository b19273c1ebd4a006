"""How a judge may be configured: one set of settings for each kind of judge.

* Make judges: machine raters that are what they were configured to be, once and for all.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final

from django.db import transaction
from django.utils.translation import gettext_lazy

from annotation.common import texts as contents
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion, Rubric, RubricVersion
from annotation.rubrics.rules import Measure
from evalsite import errors
from evalsite.kinds import Choice, Real, Whole, YesNo, gettext_noop
from evalsite.records import Ask, Record, faults, said
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Machine
from scoring.kinds.judging import plugins, prompts_v1
from scoring.kinds.judging import queries as judging

MOST_REPEATS: Final = 32
MOST_TOKENS: Final = 32_000
FEWEST_TOKENS: Final = 50
HOTTEST_JUDGE: Final = Decimal(2)

Readings = Annotated[
    int,
    Whole(1, MOST_REPEATS),
    Ask(
        gettext_noop("Readings of each answer"),
        gettext_noop("The score is their mean."),
    ),
]
Heat = Annotated[
    Annotated[float, Real(0, float(HOTTEST_JUDGE))] | None,
    Ask(
        gettext_noop("Temperature"),
        gettext_noop("0 makes readings alike. Left empty, the endpoint decides."),
    ),
]
LANGUAGE_NAMES: Final = (("en", gettext_lazy("English")), ("zh", gettext_lazy("Chinese")))


@dataclass(frozen=True)
class JudgeSettings(Record):
    """What every kind of judge is told of how to grade, beside its endpoint and the prompts."""

    repeats: Readings = 3
    fewest_valid: Annotated[
        int,
        Whole(1, MOST_REPEATS),
        Ask(
            gettext_noop("Readings a score needs"),
            gettext_noop("With fewer, no score."),
        ),
    ] = 1
    temperature: Heat = 0.3
    top_p: Annotated[
        Annotated[float, Real(0.01, 1)] | None,
        Ask(gettext_noop("Top p"), gettext_noop("Left empty, none is sent.")),
    ] = None
    max_tokens: Annotated[
        int,
        Whole(FEWEST_TOKENS, MOST_TOKENS),
        Ask(
            gettext_noop("Tokens of a reply at most"),
            gettext_noop("Cut-off replies get one more try with three times as many."),
        ),
    ] = 1500
    #: Every second reading sees criteria and material in the opposite order.
    turned: Annotated[
        bool,
        YesNo(),
        Ask(
            gettext_noop("Turn the order round in every second reading"),
            gettext_noop("Criteria in the opposite order; the judge’s page shows the effect."),
        ),
    ] = False
    reference: Annotated[
        bool, YesNo(), Ask(gettext_noop("Show standard answer and key points"))
    ] = True
    language: Annotated[
        str,
        Choice(tuple(sorted(prompts_v1.LANGUAGES)), titles=LANGUAGE_NAMES),
        Ask(
            gettext_noop("Language of the instructions"),
            gettext_noop("Questions, answers and criteria stay as they are."),
        ),
    ] = "en"

    @property
    def means(self) -> bool:
        """Whether a score is the mean of more than one reading."""
        return self.repeats > 1


def settings_of(judge: Judge) -> JudgeSettings:
    """Return how a judge grades; what it was made without has its usual value."""
    kind: type[JudgeSettings] = plugins.of_protocol(judge.protocol).settings
    names = [one.name for one in fields(kind)]
    return kind(**{name: judge.config[name] for name in names if name in judge.config})


def problems(settings: JudgeSettings) -> dict[str, str]:
    """Return what is wrong with settings, by their names."""
    found = {one.path: said(one, _) for one in faults(settings)}
    if settings.fewest_valid > settings.repeats:
        found["fewest_valid"] = _(
            "Ask for at least 1 reading, and for no more than the judge gives."
        )
    if settings.turned and not settings.means:
        found["turned"] = _(
            "The order can be turned only where a score is the mean of more than one reading."
        )
    return found


HOTTEST = HOTTEST_JUDGE


class BadJudge(errors.Invalid):
    """A judge cannot be configured so."""


class JudgeAlreadyThere(errors.Conflict):
    """There is a judge with this very configuration."""


@transaction.atomic
def create(
    *,
    project: Project,
    name: str,
    endpoint: Endpoint,
    settings: JudgeSettings,
    by: User,
    now: datetime,
    beside: Mapping[str, Any] | None = None,
) -> Judge:
    """Make a judge: the rater of its judgments, its still empty rubric, its configuration.

    What else its configuration says, `beside` the settings, tells it apart from others.

    Raises:
        BadJudge: a setting cannot be used; `fields` says which.
        connections.EndpointRetired: its endpoint is not in use.
        NameTaken: a judge of this name is there, perhaps of an import.
        JudgeAlreadyThere: a judge is configured in exactly this way.
    """
    name = name.strip()
    _check(project, name, endpoint, settings)
    kind = plugins.of_settings(settings)
    config = {**asdict(settings), "prompts": kind.prompts(settings.language), **(beside or {})}
    if settings.top_p is None:
        del config["top_p"]  # a judge without it is the judge that it was
    sha = config_sha(kind.protocol, endpoint, config)
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        raise JudgeAlreadyThere(
            _("“%(name)s” is configured in exactly this way. Use it, or change something.")
            % {"name": same.name}
        )
    return new_judge(
        project=project,
        name=name,
        protocol=kind.protocol,
        endpoint=endpoint,
        config=config,
        by=by,
        now=now,
    )


def new_judge(
    *,
    project: Project,
    name: str,
    protocol: str,
    endpoint: Endpoint,
    config: Mapping[str, Any],
    by: User | None,
    now: datetime,
    wanted: Sequence[Measure] = (),
    kind: RaterKind = RaterKind.JUDGE,
    verb: str = "judge.made",
) -> Judge:
    """Write a new judge down: its rater with the criteria that are `wanted`, and its configuration."""
    rater = rater_of(
        project=project,
        name=name,
        family=endpoint.family,
        wanted=wanted,
        by=by,
        now=now,
        kind=kind,
    )
    sha = config_sha(protocol, endpoint, config)
    judge = Judge.objects.create(
        project=project,
        rater=rater,
        name=name,
        protocol=protocol,
        endpoint=endpoint,
        config=dict(config),
        config_sha=sha,
        created_by=by,
        created_at=now,
    )
    audit.done(judge, verb, by, now, protocol=protocol, endpoint=endpoint.pk, config_sha=sha)
    return judge


def rater_of(
    *,
    project: Project,
    name: str,
    family: str,
    wanted: Sequence[Measure],
    by: User | None,
    now: datetime,
    kind: RaterKind = RaterKind.JUDGE,
) -> Rater:
    """Write a new rater down that is a machine, with a rubric of the criteria that are `wanted`."""
    rater = Rater.objects.create(project=project, kind=kind, ref=name, created_at=now)
    rubric = measures.create(project=project, name=name, now=now)
    Machine.objects.create(rater=rater, rubric=rubric, family=family, created_at=now)
    if wanted:
        measures.declare(rubric=rubric, measures=wanted, by=by, now=now)
    return rater


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
    return Measure(name, row.minimum, row.maximum, row.higher_is_better, labels, row.mark)


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


def _check(project: Project, name: str, endpoint: Endpoint, settings: JudgeSettings) -> None:
    connections.refuse_unless_of(project, endpoint)
    found = problems(settings)
    if not 1 <= len(name) <= 120:
        found = {"name": _("Give the judge a name of up to 120 characters."), **found}
    if found:
        raise BadJudge(
            " ".join(found.values()), fields={field: [one] for field, one in found.items()}
        )
    if Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=name).exists():
        message = _("There is a judge called “%(name)s”. Choose another name.") % {"name": name}
        raise errors.NameTaken(message, fields={"name": [message]})
