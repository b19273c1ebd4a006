"""A round of everything that is hard to show: `fixtures/examples/desk_torture.jsonl`, two criteria of six levels."""

import json
from typing import Any

from django.utils import timezone

from annotation import models
from evalsite import env
from tests import make

LEVELS = (
    "Wrong",
    "Mostly wrong",
    "Half right",
    "Mostly right",
    "Right",
    "Right, with the detail that helps",
)
CRITERIA = ("correct", "clarity")


def entries() -> list[dict[str, Any]]:
    path = env.BASE_DIR / "fixtures" / "examples" / "desk_torture.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]


def fill(slug: str) -> models.Round:
    """Return the open round of a new project; ann-1 to ann-3 grade in it."""
    home = make.project(slug, owner=make.user(f"{slug}-owner"))
    rows = entries()
    for number, name in enumerate(dict.fromkeys(row["external_id"] for row in rows), start=1):
        of = [row for row in rows if row["external_id"] == name]
        asked = make.item(
            f"Q{number:02}",
            in_=home,
            question=of[0]["question"],
            reference=of[0]["standard_answer"],
            key_points=["€ 39.20 in all", "9.80 × 4", "المجموع 39.20"],
        )
        make.responses(
            (asked, make.release(row["system"], in_=home), row["response"]) for row in of
        )
    version = make.rubric_version(in_=home, key="-".join(CRITERIA), criteria=CRITERIA, maximum=5)
    for level in models.Level.objects.filter(criterion__rubric_version=version):
        level.label = LEVELS[int(level.value)]
        level.description = f"What {level.label.lower()} means, said in one sentence."
        level.save(update_fields=["label", "description"])
    return make.open_round(
        in_=home, now=timezone.now(), n_items=2, n_releases=8, criteria=CRITERIA, lease_minutes=600
    )
