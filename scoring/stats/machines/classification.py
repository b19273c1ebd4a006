"""How well labels by a machine agree with those by people: per class, overall, and beside a constant.

References:
    van Rijsbergen (1979), Information Retrieval, chapter 7 (precision, recall, F).
    Cohen (1960), A coefficient of agreement for nominal scales.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scoring.stats.machines.said import Class, Classified, Rate
from scoring.stats.people.agreement import kappas
from scoring.stats.plain import Reason
from scoring.stats.resampled.linear import DrawnPart, interval, resampled_sums, scheme_for

FloatArray = npt.NDArray[np.float64]

CONFIDENCE = 0.95
MOST_LABELS = 30
RESAMPLES = 2_000


class TooManyLabels(ValueError):
    """There are so many labels that they are texts rather than classes."""


def classify(
    true: Sequence[str],
    said: Sequence[str],
    clusters: Sequence[int],
    *,
    seed: int,
    resamples: int = RESAMPLES,
) -> Classified:
    """Return how far a machine's labels agree with people's.

    Macro F1 is the mean over the labels that people gave. Intervals resample whole clusters.

    Args:
        true: the label people gave each part.
        said: the machine's label of the same part.
        clusters: the conversation each part belongs to.
        seed: of the resamples.
        resamples: how many to draw.

    Raises:
        ValueError: the three differ in length.
        TooManyLabels: more than `MOST_LABELS` labels.
    """
    if not len(true) == len(said) == len(clusters):
        raise ValueError("Every part needs a label by people, one by the machine, and a cluster.")
    labels = _labels(true, said)
    if len(labels) > MOST_LABELS:
        raise TooManyLabels(
            f"There are {len(labels)} labels, more than {MOST_LABELS}: these are texts, no classes."
        )
    place = {label: at for at, label in enumerate(labels)}
    k = len(labels)
    own = {cluster: at for at, cluster in enumerate(dict.fromkeys(clusters))}
    counts = np.zeros((len(own), k * k))
    for one, other, cluster in zip(true, said, clusters, strict=True):
        counts[own[cluster], place[one] * k + place[other]] += 1
    whole = counts.sum(axis=0).reshape(1, k, k)
    drawn = np.empty((0, k, k))
    if len(own) > 1:
        rng, scheme = np.random.default_rng(seed), scheme_for(len(own))
        drawn = resampled_sums(counts, resamples=resamples, rng=rng, scheme=scheme)
        drawn = drawn.reshape(-1, k, k)
    return _classified(labels, whole, drawn, len(true), len(own))


def _labels(true: Sequence[str], said: Sequence[str]) -> list[str]:
    """Return all labels, those people gave most often first."""
    given, others = Counter(true), Counter(said)
    return sorted({*given, *others}, key=lambda label: (-given[label], -others[label], label))


def _classified(
    labels: Sequence[str], whole: FloatArray, drawn: FloatArray, n: int, n_clusters: int
) -> Classified:
    constant, equal = np.zeros_like(whole), np.eye(len(labels))
    if n:
        constant[:, :, 0] = whole.sum(axis=2)  # the first label is people's most frequent one
    classes = tuple(
        Class(
            label=label,
            n_true=int(whole[0, at].sum()),
            n_said=int(whole[0, :, at].sum()),
            precision=_rate(_precision(whole, at), _precision(drawn, at), n_clusters),
            recall=_rate(_recall(whole, at), _recall(drawn, at), n_clusters),
            f1=_rate(_f1(whole, at), _f1(drawn, at), n_clusters),
        )
        for at, label in enumerate(labels)
    )
    return Classified(
        n=n,
        n_clusters=n_clusters,
        classes=classes,
        table=tuple(tuple(int(one) for one in row) for row in whole[0]),
        accuracy=_rate(_accuracy(whole), _accuracy(drawn), n_clusters),
        macro_f1=_rate(_macro(whole), _macro(drawn), n_clusters),
        kappa=_rate(kappas(whole, equal), kappas(drawn, equal), n_clusters, Reason.ONE_LEVEL),
        constant=labels[0] if labels else "",
        constant_accuracy=_plain(_accuracy(constant)),
        constant_macro_f1=_plain(_macro(constant)),
    )


def _share(part: FloatArray, of: FloatArray) -> FloatArray:
    made: FloatArray = np.divide(part, of, out=np.full(part.shape, np.nan), where=of > 0)
    return made


def _precision(tables: FloatArray, at: int) -> FloatArray:
    return _share(tables[:, at, at], tables[:, :, at].sum(axis=1))


def _recall(tables: FloatArray, at: int) -> FloatArray:
    return _share(tables[:, at, at], tables[:, at].sum(axis=1))


def _f1(tables: FloatArray, at: int) -> FloatArray:
    """Return 2TP / (2TP + FP + FN): defined wherever somebody gave the label."""
    both = tables[:, at].sum(axis=1) + tables[:, :, at].sum(axis=1)
    return _share(2 * tables[:, at, at], both)


def _macro(tables: FloatArray) -> FloatArray:
    k = tables.shape[1]
    if not k or not len(tables):
        return np.full(len(tables), np.nan)
    given = tables.sum(axis=2) > 0
    found = np.stack([_f1(tables, at) for at in range(k)], axis=1)
    return _share(np.where(given, np.nan_to_num(found), 0.0).sum(axis=1), given.sum(axis=1))


def _accuracy(tables: FloatArray) -> FloatArray:
    right = np.trace(tables, axis1=1, axis2=2)
    return _share(right, tables.sum(axis=(1, 2)))


def _rate(
    value: FloatArray, drawn: FloatArray, n_clusters: int, undefined: Reason = Reason.NO_GRADES
) -> Rate:
    one = _plain(value)
    if one is None:
        return Rate(None, reason=undefined)
    found = interval(
        [DrawnPart(drawn, n_clusters)], scheme=scheme_for(n_clusters), level=CONFIDENCE
    )
    return Rate(one, found.low, found.high, found.reason)


def _plain(value: FloatArray) -> float | None:
    return None if not len(value) or np.isnan(value[0]) else float(value[0])
