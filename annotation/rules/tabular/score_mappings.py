"""What a person decided of a file of scores: its columns, its judges and metrics, its words."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.rules import scales
from annotation.rules.tabular import machines, mappings, targets
from annotation.rules.tabular.machines import KINDS, Machine
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.targets import Target

CRITERION = machines.UNNAMED

#: What is left out where nothing is said: a mapping without it is the same as before it was there.
_LATER = ("criterion", "guessed")
_OF_LONG = (Target.RATER, Target.CRITERION, Target.OUTCOME, Target.REASON, Target.TEXT)


@dataclass(frozen=True, slots=True)
class ScoreMapping:
    """A table of scores of judges and metrics: one score a row, or a column for each of them.

    `rater` gave the scores where no column says who did; `words` are numbers for what is written
    in words, such as "A better"; `machines` declares every judge and metric of the file.
    """

    places: tuple[Place, ...]
    machines: tuple[Machine, ...] = ()
    release: str = ""
    rater: str = ""
    words: Mapping[str, str] = field(default_factory=dict)

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return mappings.column_of(self.places, target)

    def machine(self, name: str, criterion: str) -> Machine | None:
        """Return what is declared of a judge or a metric on a criterion."""
        return machines.declared_for(self.machines, name, criterion)

    def as_dict(self) -> dict[str, Any]:
        plain = mappings.as_plain(self)
        plain["machines"] = sorted(
            (
                {name: value for name, value in one.items() if value or name not in _LATER}
                for one in plain["machines"]
            ),
            key=lambda one: (one["name"], one.get("criterion", "")),
        )
        return plain

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "ScoreMapping":
        return cls(
            **{
                **stored,
                "places": mappings.places_of(stored["places"]),
                "machines": tuple(Machine(**one) for one in stored["machines"]),
            }
        )

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        found = mappings.common_faults(
            self.places, columns, targets.SCORES, self.release, self.rater
        )
        used = {place.target for place in self.places}
        found += [
            Problem(code)
            for code, wrong in (
                ("no_item_column", Target.ITEM not in used),
                ("no_system_column", Target.SYSTEM not in used),
                ("no_score_column", not used & {Target.VALUE, Target.SCORE}),
                ("long_and_wide", used >= {Target.VALUE, Target.SCORE}),
                ("detail_in_wide_table", Target.SCORE in used and bool(used & {*_OF_LONG})),
                (
                    "no_machine_column",
                    Target.VALUE in used and Target.RATER not in used and not self.rater.strip(),
                ),
            )
            if wrong
        ]
        return [*found, *self._column_faults(), *self._machine_faults(), *self._word_faults()]

    def _column_faults(self) -> list[Problem]:
        wide = [one for one in self.places if one.target == Target.SCORE]
        found = mappings.missing_names(wide, Target.SCORE, ("rater",))
        counts = Counter((one.rater, one.criterion or CRITERION) for one in wide)
        found += [
            Problem("score_twice", found=f"{rater}, {criterion}")
            for (rater, criterion), n in counts.items()
            if n > 1
        ]
        used = dict.fromkeys((one.rater, one.criterion or CRITERION) for one in wide if one.rater)
        bare = [pair for pair in used if machines.declared_for(self.machines, *pair) is None]
        return found + [
            Problem("undeclared_machine", found=name) for name in dict.fromkeys(n for n, _c in bare)
        ]

    def _machine_faults(self) -> list[Problem]:
        found = []
        counts = Counter((one.name, one.criterion) for one in self.machines)
        found += [
            Problem("machine_twice", found=", ".join(filter(None, pair)))
            for pair, n in counts.items()
            if n > 1
        ]
        kinds = Counter(name for name, _kind in {(one.name, one.kind) for one in self.machines})
        found += [Problem("two_kinds", found=name) for name, n in kinds.items() if n > 1]
        for one in self.machines:
            if one.kind not in KINDS:
                found.append(Problem("unknown_kind", found=one.name))
            try:
                one.ends()
            except ValueError as problem:
                found.append(Problem("bad_range", found=one.name, facts={"reason": str(problem)}))
        return found

    def _word_faults(self) -> list[Problem]:
        found = []
        for word, written in self.words.items():
            try:
                scales.parse(written)
            except ValueError:
                found.append(Problem("word_without_number", found=word))
        return found
