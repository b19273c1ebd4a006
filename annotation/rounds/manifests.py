"""What a round has frozen, entry by entry with hashes, and whether it is still so."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.common import draws as sampling
from annotation.common import texts as contents
from annotation.rounds import orders
from annotation.rounds.models import Manifest, Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion

FORMAT = "evalsite-manifest-1"
CHUNK = 1000


@dataclass(frozen=True)
class ManifestDifference:
    """Something that is not as it was when the round opened."""

    where: str
    was: str
    now: str


def body(round_: Round, renderer: str) -> dict[str, Any]:
    """Return everything that is frozen, hashed from the texts themselves."""
    prepared = round_.draw.get("prepared") or {}
    wishes = {key: value for key, value in round_.draw.items() if key != "prepared"}
    return {
        "format": FORMAT,
        "round": round_.number,
        "seed": round_.seed,
        "algorithms": {
            "sample": prepared.get("algorithm", sampling.ALGORITHM),
            "orders": orders.ALGORITHM,
            "renderer": renderer,
        },
        "draw": wishes,
        "strata": prepared.get("strata", []),
        "anchors": prepared.get("anchors"),
        "n_seats": round_.n_seats,
        "releases": [
            {"place": place, "system": system, "release": label}
            for place, system, label in round_.systems.order_by("ordinal").values_list(
                "ordinal", "release__system__name", "release__label"
            )
        ],
        "rubrics": _rubrics(round_),
        "items": list(_items(round_)),
    }


def digest(of: Mapping[str, Any]) -> str:
    return _sha(of)


def _sha(value: Any) -> str:
    return hashlib.sha256(contents.canonical(value)).hexdigest()


def _rubrics(round_: Round) -> list[dict[str, Any]]:
    """Return every rubric version that an item is graded by, with a hash of its wording."""
    versions: dict[int, dict[str, Any]] = {}
    used = RoundItem.objects.filter(round=round_).values("rubric_version")
    rows = Criterion.objects.filter(rubric_version__in=used).prefetch_related("levels")
    for row in rows.select_related("rubric_version__rubric").order_by("rubric_version", "key"):
        version = row.rubric_version
        entry = versions.setdefault(
            version.pk,
            {"rubric": version.rubric.key, "version": version.number, "of": [version.principle]},
        )
        entry["of"].append(
            [
                row.key,
                row.name,
                row.description,
                *(
                    str(one)
                    for one in (row.minimum, row.maximum, row.step, row.pass_at, row.weight)
                ),
                [[str(one.value), one.label, one.description] for one in row.levels.all()],
                *([row.mark] if row.mark != Criterion.Mark.LEVELS else []),
            ]
        )
    found = [
        {"rubric": one["rubric"], "version": one["version"], "sha": _sha(one["of"])}
        for one in versions.values()
    ]
    return sorted(found, key=lambda one: (one["rubric"], one["version"]))


def _items(round_: Round) -> Iterator[dict[str, Any]]:
    responses = _responses(round_)
    rows = round_.items.order_by("ordinal").values_list(
        "pk",
        "ordinal",
        "item__external_id",
        "item__question_version__number",
        "item__content_sha",
        "item__messages",
        "item__reference",
        "item__key_points",
        "purpose",
        "occasion",
        "stratum",
        "inclusion_probability",
        "chance_unknown",
        "pair",
        "n_seats",
        "rubric_version__rubric__key",
        "rubric_version__number",
    )
    for pk, place, key, version, content, messages, reference, points, *rest in rows.iterator(
        chunk_size=CHUNK
    ):
        purpose, occasion, stratum, probability, unknown, pair, n_seats, rubric, number = rest
        yield {
            "place": place,
            "item": key,
            "version": version,
            "content_sha": content,
            "text_sha": _sha([messages, reference, points]),
            "purpose": purpose,
            "occasion": occasion,
            **({"pair": pair} if pair else {}),
            "stratum": stratum,
            "probability": probability,
            "unknown": unknown,
            "seats": n_seats,
            "rubric": f"{rubric}@{number}",
            "responses": responses.get(pk, []),
        }


def _responses(round_: Round) -> dict[int, list[dict[str, Any]]]:
    places = dict(round_.systems.values_list("release_id", "ordinal"))
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = RoundResponse.objects.filter(round_item__round=round_).values_list(
        "round_item_id", "release_id", "response__messages", "display__text", "display__mask_set"
    )
    for item, release, messages, text, masks in rows.iterator(chunk_size=CHUNK):
        found[item].append(
            {
                "release": places.get(release),
                "sha": contents.response_sha(messages),
                "shown_sha": hashlib.sha256((text or "").encode()).hexdigest(),
                "masks": masks or "",
            }
        )
    for listed in found.values():
        listed.sort(key=lambda one: (one["release"] is None, one["release"]))
    return found


def kept(round_: Round) -> Manifest | None:
    """Return what was kept when the round opened."""
    return Manifest.objects.filter(round=round_).first()


def differences(round_: Round, most: int = 200) -> list[ManifestDifference] | None:
    """Return what is not as it was when the round opened; None if no entries were kept then."""
    stored = kept(round_)
    if stored is None:
        return None
    found: list[ManifestDifference] = []
    written = round_.manifest.get("entries_sha", "")
    for where, sha in (("manifest", digest(stored.body)), ("round", written)):
        if sha != stored.sha:
            found.append(ManifestDifference(where, stored.sha, sha))
    now = body(round_, stored.body["algorithms"]["renderer"])
    found += _compared("", _plain(stored.body), _plain(now))
    return found[:most]


def _compared(where: str, was: Any, now: Any) -> Iterator[ManifestDifference]:
    """Yield the leaves in which two values differ, each with its path."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in [*was, *(key for key in now if key not in was)]:
            yield from _compared(f"{where}.{key}" if where else key, was.get(key), now.get(key))
    elif isinstance(was, list) and isinstance(now, list) and where in ("items", "releases"):
        for place in range(max(len(was), len(now))):
            one = was[place] if place < len(was) else None
            other = now[place] if place < len(now) else None
            name = (one or other or {}).get("item", place)
            yield from _compared(f"{where}[{place}] {name}", one, other)
    elif was != now:
        yield ManifestDifference(where, _short(was), _short(now))


def _plain(value: Any) -> Any:
    """Return a value as it comes back from JSON."""
    return json.loads(contents.canonical(value))


def _short(value: Any) -> str:
    text = contents.canonical(value).decode()
    return text if len(text) <= 200 else f"{text[:199]}…"
