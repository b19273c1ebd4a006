import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.rubrics import operations as rubrics
from annotation.rubrics import queries as reads
from annotation.rubrics.models import RubricVersion
from tests import make

pytestmark = pytest.mark.django_db


def reworded():
    """Return a round that was graded by version 1 of a rubric that has a version 2 since."""
    round_ = make.open_round(n_items=1)
    make.submit(make.claim(round_))
    old = RubricVersion.objects.get(pk=round_.items.get().rubric_version_id)
    new = rubrics.new_version(
        rubric=old.rubric,
        wording=reads.wording(old),
        base_sha=reads.wording(old).sha(),
        by=round_.created_by,
        now=make.at(5),
    )
    return round_, new


class TestByVersion:
    def test_names_the_grades_that_an_earlier_wording_was_given_by(self):
        round_, new = reworded()

        (found,) = reads.by_version(new.rubric)

        assert (found.number, found.is_newest, found.n_grades) == (1, False, 2)
        assert [(one.round, one.n_responses, one.n_raters) for one in found.rounds] == [
            (round_, 2, 1)
        ]

    def test_is_shown_to_those_who_may_know_of_rounds(self, client):
        _round, new = reworded()
        address = reverse("rubric", args=["northport", new.rubric.key])
        said = []
        for role in (Role.CURATOR, Role.DESIGNER):
            client.force_login(make.member(role))
            said.append(">earlier</small>" in client.get(address).content.decode())

        assert said == [True, False]
