"""What a machine's scores are measured on: a criterion whose range may be open at either end."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Measure:
    """A criterion of a judge or a metric. Labels are the words of single values."""

    name: str
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    higher_is_better: bool = True
    labels: tuple[tuple[Decimal, str], ...] = ()

    def bounds(self) -> str:
        """Return the range as a clause: between 0 and 1, from 0 on, up to 0, anywhere."""
        low, high = (None if end is None else f"{end.normalize():f}" for end in self.ends)
        if low is not None and high is not None:
            return f"between {low} and {high}"
        if low is not None:
            return f"from {low} on"
        return "anywhere" if high is None else f"up to {high}"

    @property
    def ends(self) -> tuple[Decimal | None, Decimal | None]:
        return self.minimum, self.maximum
