import pytest

from annotation import models
from annotation.inspection import operations as retraining
from annotation.inspection import queries as inspection_figures
from annotation.people.models import Role
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def settle(designer, by=None, note="We talked about it."):
    by = by or make.member(Role.CURATOR)
    return retraining.settle(
        project=make.project(), designer=designer, note=note, by=by, now=make.at(60)
    )


@pytest.fixture
def designer():
    """Return somebody on the list: all of theirs came back."""
    for _place in range(5):
        make.question_version("RETURNED")
    return make.member(Role.DESIGNER)


class TestSettle:
    def test_keeps_why_somebody_stood_on_the_list(self, designer):
        made = settle(designer)

        assert made.because["n_returned"] == 5
        assert inspection_figures.retraining(make.project()) == []

    def test_counts_what_comes_after(self, designer):
        retraining.settle(
            project=make.project(),
            designer=designer,
            note="Before.",
            by=make.member(Role.CURATOR),
            now=make.at(-60),
        )

        assert [one.designer for one in inspection_figures.retraining(make.project())] == [designer]

    def test_refuses_somebody_who_is_not_on_the_list(self, designer):
        settle(designer)

        with pytest.raises(errors.NotNow):
            settle(designer)

    @pytest.mark.parametrize("note", [" ", "x" * 1001])
    def test_wants_a_word_on_what_was_done(self, designer, note):
        with pytest.raises(errors.Incomplete):
            settle(designer, note=note)
        assert not models.Retraining.objects.exists()

    @pytest.mark.parametrize("role", [Role.DESIGNER, Role.INSPECTOR])
    def test_is_for_owners_and_curators(self, designer, role):
        with pytest.raises(errors.NotNow):
            settle(designer, by=make.member(role, username="somebody"))

    def test_is_never_for_oneself(self):
        curator = make.member(Role.CURATOR)
        for _place in range(5):
            make.question_version("RETURNED", author=curator)

        with pytest.raises(errors.NotNow):
            settle(curator, by=curator)


class TestSetLimit:
    def test_counts_from_the_newest(self, designer):
        given = {"project": make.project(), "by": make.member(Role.CURATOR), "now": make.NOW}
        retraining.set_limit(percent=90, **given)
        retraining.set_limit(percent=100, **given)

        assert inspection_figures.limit_of(make.project()) == 100
        assert inspection_figures.retraining(make.project()) == []

    @pytest.mark.parametrize("percent", [0, 101, -1])
    def test_is_a_percentage(self, percent):
        with pytest.raises(errors.Incomplete):
            retraining.set_limit(
                project=make.project(),
                percent=percent,
                by=make.member(Role.CURATOR),
                now=make.NOW,
            )

    def test_is_for_owners_and_curators(self):
        with pytest.raises(errors.NotNow):
            retraining.set_limit(
                project=make.project(), percent=5, by=make.member(Role.DESIGNER), now=make.NOW
            )
