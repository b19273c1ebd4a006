"""What agreement is read against: chance, and bands that somebody's convention gave a name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

#: Where agreement is what chance alone would give.
CHANCE = 0.0


@dataclass(frozen=True, slots=True)
class Band:
    start: float
    end: float
    name: Any


@dataclass(frozen=True, slots=True)
class Convention:
    """Bands from one source; they are habits of reading and no tests."""

    source: str
    of: Any
    bands: tuple[Band, ...]


BANDS: Mapping[str, Convention] = {
    # Krippendorff (2004), Content analysis, 2nd edition, section 11.4.2.
    "krippendorff": Convention(
        "Krippendorff (2004)",
        _("α"),
        (Band(0.667, 0.8, _("tentative")), Band(0.8, 1.0, _("reliable"))),
    ),
    # Landis and Koch (1977), The measurement of observer agreement for categorical data, table 2.
    "landis_koch": Convention(
        "Landis and Koch (1977)",
        _("κ"),
        (
            Band(0.0, 0.2, _("slight")),
            Band(0.2, 0.4, _("fair")),
            Band(0.4, 0.6, _("moderate")),
            Band(0.6, 0.8, _("substantial")),
            Band(0.8, 1.0, _("almost perfect")),
        ),
    ),
    # Koo and Li (2016), A guideline of selecting and reporting intraclass correlation coefficients.
    "koo_li": Convention(
        "Koo and Li (2016)",
        "ICC",
        (
            Band(0.0, 0.5, _("poor")),
            Band(0.5, 0.75, _("moderate")),
            Band(0.75, 0.9, _("good")),
            Band(0.9, 1.0, _("excellent")),
        ),
    ),
}


def band_of(value: float, convention: Convention) -> str:
    """Return what a convention calls a value; nothing below its lowest band."""
    for band in reversed(convention.bands):
        if value >= band.start:
            return str(band.name)
    return ""
