import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from evalsite.contract.shapes import Maybe, NamedShape, SaidShape
from scoring import jobs
from scoring.figures import labels, typed
from scoring.figures.labels import Labels
from scoring.figures.typed import KeyNames
from scoring.results.agreement import AgreementFigure
from scoring.results.raters import RatersFigure
from scoring.shown import names
from scoring.shown.names import Name
from scoring.stats.people.said import DisputesFigure
from scoring.stats.plain import plain
from scoring.stats.scores.said import PlanFigure
from scoring.stats.told import CapabilityKey, Exact, RaterKey, ReleaseKey, Told, Why
from tests.scoring import rounds

FIGURES = {
    "agreement": AgreementFigure,
    "disputes": DisputesFigure,
    "raters": RatersFigure,
    "plan": PlanFigure,
}
NAMED = KeyNames(
    Labels({"4": "Factuality"}, {}, {"9": "Annotator 1"}), {7: Name(7, "Kestrel", "", "Kestrel", 0)}
)


@dataclass(frozen=True, slots=True)
class Line:
    """How often somebody was right."""

    rater: RaterKey
    release: ReleaseKey
    capability: CapabilityKey
    share: Annotated[Exact | None, Told("Of all.", percent=True)]
    n_right: int
    alone: tuple[RaterKey, ...]
    secret: Annotated[int, Told(column="", hidden=True)]
    reason: Why
    interval_reason: Why


@dataclass(frozen=True, slots=True)
class Lines:
    raters: tuple[Line, ...]
    by_rule: Mapping[str, tuple[Line, ...]]


LINE = Line(9, 7, 4, Fraction(1, 4), 1, (9, 9), 5, None, "one_rater")
GONE = dataclasses.replace(LINE, release=8)
LINES = Lines((LINE, GONE), {"any": (LINE,)})


def bare(of):
    """Return a shape without what is said of it."""
    return bare(of.of) if isinstance(of, SaidShape | Maybe) else of


def fits(value, of):
    """Whether an answer has the fields of its shape and no others, however deep."""
    of = bare(of)
    if value is None:
        return True
    if isinstance(of, list):
        return all(fits(one, of[0]) for one in value)
    if isinstance(of, dict):
        return all(fits(one, of[str]) for one in value.values())
    if isinstance(of, NamedShape):
        return value.keys() == of.fields.keys() and all(
            fits(one, of.fields[name]) for name, one in value.items()
        )
    return isinstance(value, of) or (of is float and isinstance(value, int))


class TestReadingBack:
    def test_gives_what_was_stored_with_its_exact_shares(self):
        assert typed.read_figure(Lines, plain(LINES)) == LINES

    @given(st.fractions(), st.integers(), st.none() | st.integers())
    def test_loses_nothing(self, share, rater, capability):
        line = dataclasses.replace(LINE, share=share, rater=rater, capability=capability)

        assert typed.read_figure(Line, plain(line)) == line

    def test_refuses_what_is_of_another_type(self):
        with pytest.raises(ValidationError):
            typed.read_figure(Line, {"rater": 9})


class TestWhatProgramsAreTold:
    def test_are_names_in_the_place_of_keys(self):
        (line,) = typed.told(LINES, NAMED)["annotators"]

        assert (line["annotator"], line["system"], line["capability"]) == (
            "Annotator 1",
            "Kestrel",
            "Factuality",
        )
        assert line["alone"] == ["Annotator 1", "Annotator 1"]
        assert "secret" not in line

    def test_are_exact_shares_and_reasons_as_words(self):
        line = typed.told(LINE, NAMED)

        assert line["share"] == {"num": 1, "den": 4, "value": 0.25}
        assert line["interval_reason"] == "one_rater"

    def test_leave_out_systems_without_a_name(self):
        assert len(typed.told(LINES, NAMED)["annotators"]) == 1

    def test_have_the_fields_of_the_shape(self):
        assert fits(typed.told(LINES, NAMED), typed.shape(Lines))


class TestATable:
    def test_has_a_column_for_each_field_and_one_for_the_reasons(self):
        sheet = typed.table("lines", Line, LINES.raters, NAMED, "as told")

        assert list(sheet.records()) == [
            {
                "annotator": "Annotator 1",
                "system": "Kestrel",
                "capability": "Factuality",
                "share": 25.0,
                "right": 1,
                "alone": "Annotator 1; Annotator 1",
                "why": "It takes at least two annotators.",
            }
        ]


@pytest.mark.django_db
@pytest.mark.parametrize("name", FIGURES)
class TestEveryFigure:
    @pytest.mark.parametrize("n_items", [0, 9])
    def test_is_read_back_and_told_whole(self, name, n_items):
        round_ = rounds.graded(n_items=n_items, marks=lambda system, item, rater: 2 * bool(rater))
        stored = jobs.compute(name=name, round_=round_, params={})
        figure = typed.read_figure(FIGURES[name], stored)
        named = KeyNames(labels.labels_of(round_), names.names(round_, shown=True))

        assert fits(typed.told(figure, named), typed.shape(FIGURES[name]))
        assert plain(figure).keys() == stored.keys()

    def test_tells_programs_every_field_that_is_no_key(self, name):
        told = typed.shape(FIGURES[name]).fields

        assert len(told) == len(dataclasses.fields(FIGURES[name]))
