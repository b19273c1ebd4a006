"""A round over a tree of capabilities, two difficulties and nested areas, for tests of parts."""

from types import SimpleNamespace
from typing import Any

from annotation import models
from tests import copies, make
from tests.scoring import rounds


@copies.made_once_among
def spread(
    *, n_items: int = 24, state: str = "FINAL", in_: models.Project | None = None, **more: Any
) -> SimpleNamespace:
    """Return a round and its trees.

    Coherence is general; Facts holds Law and Companies; Cargo lies within Air, beside it Sea. One
    item in eight has neither area nor difficulty.
    """
    home = in_ or make.project()
    make.rubric_version(in_=home, criteria=more.get("criteria", ("grade",)))
    coherence = make.capability("Coherence", in_=home)
    models.Capability.objects.filter(pk=coherence.pk).update(kind="GENERAL")
    facts = make.capability("Facts", in_=home)
    law, companies = (
        models.Capability.objects.get_or_create(
            project=home, name=name, parent=facts, defaults={"position": n}
        )[0]
        for n, name in enumerate(("Law", "Companies"))
    )
    air = _area(home, "Air", priority="P0")
    cargo = _area(home, "Cargo", parent=air)
    sea = _area(home, "Sea", position=1)
    parts, areas = (coherence, law, companies), (air, cargo, sea)
    about = [
        {
            "capability": parts[n % 3],
            "difficulty": "" if n % 8 == 7 else ("SIMPLE", "DIFFICULT")[n // 3 % 2],
            "domain": None if n % 8 == 7 else areas[n // 2 % 3],
        }
        for n in range(n_items or 1)
    ]
    round_ = rounds.graded(
        n_items=n_items, state=state, in_=home, about=about, capabilities=("Coherence",), **more
    )
    return SimpleNamespace(
        round=round_,
        home=home,
        coherence=coherence,
        facts=facts,
        law=law,
        companies=companies,
        air=air,
        cargo=cargo,
        sea=sea,
    )


def _area(home: models.Project, name: str, **more: Any) -> models.Domain:
    found = models.Domain.objects.filter(project=home, name=name).first()
    return found or models.Domain.objects.create(
        **{"project": home, "name": name, "priority": "P1", **more}
    )
