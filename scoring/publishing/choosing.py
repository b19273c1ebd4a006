"""By which rule outputs come before people sooner: judges lie apart, one scored low, a label stands.

A rule is named by its key:

* `apart:CRITERION`: how far the scores of several judges by this criterion lie from each other; of criteria
  with commas between them the farthest.
* `low:RATER:CRITERION`: how low the score of one judge is.
* `label:RATER:CRITERION=LABEL`: whether a judge or metric gave this label.
* `said:NAME=LABEL`: whether a conversation came with this label.

All scores are shares of their ranges, turned round where lower is better.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.common.sentences import gettext as _
from annotation.rubrics.models import Criterion
from annotation.systems.rules import Unit
from evalsite import errors
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.suites import queries as suite_frame
from scoring.publishing import outputs, suites
from scoring.publishing.interviews import SpokenPlace
from scoring.publishing.models import Publication
from scoring.publishing.outputs import Where

APART, LOW, LABEL, SAID = "apart", "low", "label", "said"
GROUPS: Final[Mapping[str, str | Promise]] = {
    APART: gettext_lazy("Judges apart"),
    LOW: gettext_lazy("Low score"),
    LABEL: gettext_lazy("Label by a machine"),
    SAID: gettext_lazy("Label of the conversation"),
}
#: More different labels than this are texts.
MOST_LABELS: Final = 12
LEVELS: Final = (
    Judgment.Target.TURN,
    Judgment.Target.RESPONSE,
    Judgment.Target.TOOL_CALL,
)
Scores = Mapping[Where, float]


class NoSuchRule(errors.Invalid): ...


class NothingToPrefer(errors.Invalid):
    """By this rule nothing of what is there would come sooner."""


@dataclass(frozen=True, slots=True)
class PreferenceRule:
    """Something by which outputs can be preferred; `kind` is one of GROUPS."""

    key: str
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Preferred:
    """How strongly a rule prefers each unit, and what machines said of each output (its aid).

    A unit nobody scored is preferred like the mean of the others; `n_unscored` are such.
    """

    rule: str = ""
    label: str = ""
    sizes: Sequence[float] | None = None
    aid: Scores = field(default_factory=dict)
    n_unscored: int = 0


def rules_of(run: Run) -> list[PreferenceRule]:
    """Return the rules that there are for the outputs of a run, by kind."""
    known = _judgments(run).filter(value__isnull=False).order_by("rater__ref", "criterion__key")
    by = known.values_list(
        "rater", "rater__ref", "criterion__key", "criterion__name", "rater__kind"
    )
    machines = list(by.distinct())
    judges: dict[str, dict[int, str]] = defaultdict(dict)
    for rater, _ref, criterion, name, kind in machines:
        if kind == "JUDGE":
            judges[criterion][rater] = name
    made = [
        PreferenceRule(f"{APART}:{key}", APART, _("%(criterion)s (%(n)d judges)") % _words(raters))
        for key, raters in judges.items()
        if len(raters) > 1
    ]
    made += [
        PreferenceRule(
            f"{LOW}:{rater}:{key}",
            LOW,
            _("%(who)s: %(criterion)s") % {"who": ref, "criterion": name},
        )
        for rater, ref, key, name, _kind in machines
    ]
    return [*made, *_labels(run), *_said(run)]


def _words(raters: Mapping[int, str]) -> dict[str, Any]:
    return {"criterion": next(iter(raters.values())), "n": len(raters)}


def _labels(run: Run) -> Iterable[PreferenceRule]:
    rows = _judgments(run).exclude(label="").order_by("rater__ref", "criterion__key", "label")
    found: dict[tuple[int, str, str, str], list[str]] = defaultdict(list)
    by = rows.values_list("rater", "rater__ref", "criterion__key", "criterion__name", "label")
    for *who, label in by.distinct():
        found[tuple(who)].append(label)  # type: ignore[index]
    for (rater, ref, key, name), labels in found.items():
        for label in labels if len(labels) <= MOST_LABELS else ():
            words = {"who": ref, "criterion": name, "label": label}
            said = _("%(who)s: %(criterion)s “%(label)s”") % words
            yield PreferenceRule(f"{LABEL}:{rater}:{key}={label}", LABEL, said)


def _said(run: Run) -> Iterable[PreferenceRule]:
    if run.kind == Run.Kind.SUITE:
        for name, labels in suites.labels_of(run):
            for label in labels:
                words = {"name": name, "label": label}
                yield PreferenceRule(
                    f"{SAID}:{name}={label}", SAID, _("%(name)s “%(label)s”") % words
                )


def _judgments(run: Run) -> "QuerySet[Judgment]":
    """Return what machines said of a run's outputs and may be read; not what was tried for a tuning."""
    sources: Mapping[str, Callable[[], Any]] = {
        Run.Kind.COLLECT: lambda: Step.objects.filter(run=run, response__isnull=False),
        Run.Kind.KIEVAL: lambda: Dialogue.objects.filter(run=run),
        Run.Kind.SUITE: lambda: suite_frame.conversations_of(run).order_by(),
    }
    if run.kind not in sources:
        return Judgment.objects.none()
    responses = sources[run.kind]().values("response")
    known = Judgment.objects.seen().exclude(run__is_practice=True)
    return known.filter(response__in=responses, target_level__in=LEVELS, repeat=0)


def preferred(run: Run, units: Sequence[Unit], key: str) -> Preferred:
    """Return how strongly a rule prefers each unit.

    Raises:
        NoSuchRule: there is none of this key for the run.
        NothingToPrefer: machines said nothing of these outputs, or the same of all.
    """
    rule = next((one for one in rules_of(run) if one.key == key), None)
    if rule is None:
        said = _("This run has no rule “%(key)s”. Choose one of those it offers.") % {
            "key": key[:60]
        }
        raise NoSuchRule(said, fields={"rule": [said]})
    strength, aid = _by_rule(key, run, units)
    sizes = _sizes(strength, units)
    scored = [one for one in sizes if one is not None]
    if not scored:
        message = _(
            "“%(rule)s” says nothing of these outputs. Choose another rule, or what is rated."
        )
        raise _nothing(message, rule)
    if max(scored) <= 0:
        raise _nothing(_("By “%(rule)s” nothing comes sooner. Draw them all alike."), rule)
    mean = sum(scored) / len(scored)
    filled = [mean if one is None else one for one in sizes]
    return Preferred(
        key, f"{GROUPS[rule.kind]}: {rule.label}", filled, aid, len(sizes) - len(scored)
    )


def drawn_from(made: Publication, run: Run) -> list[SpokenPlace]:
    """Return where everything was said that a publication was drawn from; by a rule alone, what it prefers."""
    places = outputs.places(run, made.sort)
    if made.even:
        return places
    units = outputs.units(run, made.sort)
    sizes = _sizes(_by_rule(made.rule, run, units)[0], units)
    chosen = {
        output.place
        for unit, size in zip(units, sizes, strict=True)
        if size
        for output in unit.outputs
    }
    return [one for one in places if (one.source, one.level, one.index) in chosen]


def _nothing(message: str, rule: PreferenceRule) -> NothingToPrefer:
    said = message % {"rule": rule.label}
    return NothingToPrefer(said, fields={"rule": [said]})


def _by_rule(key: str, run: Run, units: Sequence[Unit]) -> tuple[Scores, Scores]:
    kind, _colon, rest = key.partition(":")
    every = [output.place for unit in units for output in unit.outputs]
    return _READERS[kind](run, rest, [place for place in every if place[0] is not None])


def _sizes(strength: Scores, units: Sequence[Unit]) -> list[float | None]:
    """Return how strongly each unit is preferred, by the strongest of what stands side by side."""
    known = [
        [strength[one.place] for one in unit.outputs if one.place in strength] for unit in units
    ]
    return [max(some) if some else None for some in known]


def _apart(run: Run, rest: str, places: Sequence[Where]) -> tuple[Scores, Scores]:
    rows = _judgments(run).filter(rater__kind="JUDGE", value__isnull=False)
    rows = rows.filter(criterion__key__in=rest.split(",")).order_by("criterion__key", "rater")
    found: dict[Where, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for criterion, rater in rows.values_list("criterion__key", "rater").distinct():
        for place, share in _shares(rater, criterion, places).items():
            found[place][criterion].append(share)
    apart, mean = {}, {}
    for place, by_criterion in found.items():
        several = [some for some in by_criterion.values() if len(some) > 1]
        if several:
            apart[place] = max(max(some) - min(some) for some in several)
        every = [share for some in by_criterion.values() for share in some]
        mean[place] = sum(every) / len(every)
    return apart, mean


def _low(_run: Run, rest: str, places: Sequence[Where]) -> tuple[Scores, Scores]:
    rater, _colon, criterion = rest.partition(":")
    shares = _shares(int(rater), criterion, places)
    return {place: 1 - one for place, one in shares.items()}, shares


def _labelled(_run: Run, rest: str, places: Sequence[Where]) -> tuple[Scores, Scores]:
    rater, _colon, more = rest.partition(":")
    criterion, _equal, wanted = more.partition("=")
    labels = outputs.said(int(rater), criterion, places, of="label")
    here = {place: float(one == wanted) for place, one in labels.items()}
    return here, here


def _of_conversations(run: Run, rest: str, places: Sequence[Where]) -> tuple[Scores, Scores]:
    name, _equal, wanted = rest.rpartition("=")
    labels = suites.labelled(run, name)
    here = {place: float(labels.get(place) == wanted) for place in places}
    return here, here


_READERS: Final[Mapping[str, Callable[[Run, str, Sequence[Where]], tuple[Scores, Scores]]]] = {
    APART: _apart,
    LOW: _low,
    LABEL: _labelled,
    SAID: _of_conversations,
}


def _shares(rater: int, criterion: str, places: Sequence[Where]) -> dict[Where, float]:
    """Return a machine's scores as shares of their range; of what was seen, where that is open."""
    values: dict[Where, float] = outputs.said(rater, criterion, places)
    if not values:
        return {}
    of = Criterion.objects.filter(judgments__rater=rater, key=criterion).order_by("-pk")[0]
    low = min(values.values()) if of.minimum is None else float(of.minimum)
    high = max(values.values()) if of.maximum is None else float(of.maximum)
    width = high - low
    made = {place: (one - low) / width if width > 0 else 0.0 for place, one in values.items()}
    shares = {place: min(max(one, 0.0), 1.0) for place, one in made.items()}
    return shares if of.higher_is_better else {place: 1 - one for place, one in shares.items()}
