from typing import Any

import pytest

from scoring.engine.models import Step
from scoring.kinds.losses import figure as loss_figures
from scoring.stats.machines import memorised
from tests.scoring import weighed

pytestmark = pytest.mark.django_db


def weighed_as(run, of):
    """Have every text of a run weighed as `of(release, split, place)` says; None: it failed."""
    place = 0
    for split in ("train", "test"):
        for item in run.config[split]:
            for one in run.config["releases"]:
                found = of(one["release"], split, place)
                Step.objects.create(
                    run=run,
                    ordinal=place,
                    key=str(place),
                    item_id=item,
                    release_id=one["release"],
                    spec={"split": split},
                    state=Step.State.DONE if found else Step.State.FAILED,
                    result={"logprobs": found} if found else None,
                )
                place += 1


def computed(run, params=None) -> Any:
    return loss_figures.compute(run, params or {})


class TestCompute:
    def test_sets_losses_off_and_finds_who_knows_the_test(self):
        run = weighed.requested(n=3)
        knows = run.config["releases"][0]["release"]

        def of(release, split, place):
            return [-0.1, -0.2] if release == knows and split == "test" else [-1.0, -3.0]

        weighed_as(run, of)
        data = computed(run, {"share": "50"})

        first, second = data["systems"]
        assert first["losses"]["difference"] == pytest.approx(0.15 - 2.0)
        assert (first["area"]["value"], first["area"]["share"]) == (1.0, 0.5)
        assert (second["losses"]["difference"], second["area"]["value"]) == (0.0, 0.5)
        assert [one["n_failed"] for one in data["systems"]] == [0, 0]

    def test_is_what_the_statistics_say_of_the_same_texts(self):
        run = weighed.done(n=3)

        (first, _second) = computed(run)["systems"]

        rows = Step.objects.filter(run=run, release=first["release"]).order_by("ordinal")
        train, test = (
            [one.result["logprobs"] for one in rows if one.spec["split"] == split]
            for split in ("train", "test")
        )
        found = memorised.area(
            train, test, share=0.2, resamples=loss_figures.RESAMPLES, seed=run.seed
        )
        assert first["area"]["value"] == found.value
        assert first["area"]["low"] == found.low

    def test_counts_what_could_not_be_weighed(self):
        run = weighed.requested(n=2)
        weighed_as(run, lambda release, split, place: None)

        (first, _second) = computed(run)["systems"]

        assert (first["losses"]["train"], first["n_failed"]) == (None, 4)
        assert first["losses"]["reason"] == "few_pairs"
