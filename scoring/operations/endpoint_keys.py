"""Keep the keys of endpoints sealed under the SECRET_KEY of today."""

from dataclasses import dataclass

from evalsite import secrets
from scoring.models import Endpoint


@dataclass(frozen=True)
class Resealed:
    n_sealed: int
    n_kept: int
    #: Endpoints whose keys no known SECRET_KEY opens.
    broken: tuple[str, ...]


def reseal_keys() -> Resealed:
    """Seal every key under the SECRET_KEY of today; one that was changed meanwhile is left alone."""
    n_sealed, n_kept, broken = 0, 0, []
    for endpoint in Endpoint.objects.exclude(key_sealed="").select_related("project"):
        old = endpoint.key_sealed
        if secrets.is_current(old):
            n_kept += 1
            continue
        try:
            sealed = secrets.seal(secrets.unseal(old))
        except secrets.SealBroken:
            broken.append(f"{endpoint.project.slug}/{endpoint.name}")
            continue
        rows = Endpoint.objects.filter(pk=endpoint.pk, key_sealed=old)
        n_sealed += rows.update(key_sealed=sealed)
    return Resealed(n_sealed, n_kept, tuple(broken))
