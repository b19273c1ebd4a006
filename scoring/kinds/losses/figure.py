"""What log-probabilities say of having seen texts: losses and Min-K% of each system. Workers only.

References:
    Shi et al. (2024), Detecting Pretraining Data from Large Language Models; Yu et al. (2024), KIEval,
    table 3.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from scoring.engine.models import Run, Step
from scoring.kinds.losses import queries as losses
from scoring.kinds.losses.outcome import share_of
from scoring.stats.machines import memorised
from scoring.stats.plain import Plain, plain

RESAMPLES = 1000


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return for each system its losses, their difference, and the area under the curve of Min-K%."""
    share = share_of(params) / 100
    weighed: dict[tuple[int, str], list[list[float]]] = defaultdict(list)
    failed: dict[tuple[int, str], int] = defaultdict(int)
    ended = (Step.State.DONE, Step.State.FAILED)
    rows = Step.objects.filter(run=run, state__in=ended).order_by("ordinal")
    for release, split, result in rows.values_list("release_id", "spec__split", "result"):
        found = (result or {}).get("logprobs")
        if found:
            weighed[release, split].append(found)
        else:
            failed[release, split] += 1
    return {
        "share": share_of(params),
        "resamples": RESAMPLES,
        "systems": [
            _of(one["release"], weighed, failed, share, run.seed) for one in run.config["releases"]
        ],
    }


def _of(
    release: int,
    weighed: Mapping[tuple[int, str], list[list[float]]],
    failed: Mapping[tuple[int, str], int],
    share: float,
    seed: int,
) -> dict[str, Plain]:
    train, test = (weighed.get((release, split), []) for split in losses.SPLITS)
    found = memorised.losses(train, test, resamples=RESAMPLES, seed=seed)
    area = memorised.area(train, test, share=share, resamples=RESAMPLES, seed=seed)
    return {
        "release": release,
        "losses": plain(found),
        "area": plain(area),
        "n_failed": sum(failed.get((release, split), 0) for split in losses.SPLITS),
    }
