import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.bank import questions as standing
from annotation.people import operations as people
from annotation.people import queries as people_queries
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


class TestOf:
    def test_says_who_wrote_it(self):
        version = make.question_version("SUBMITTED")

        assert standing.standing_of(version, version.author).is_author
        assert not standing.standing_of(version, make.member(Role.CURATOR)).is_author

    def test_says_who_has_inspected_it(self):
        inspector = make.member(Role.INSPECTOR)
        version = make.question_version("ACCEPTED", inspector=inspector)

        assert standing.standing_of(version, inspector).inspected_by_me
        other = standing.standing_of(version, version.author)
        assert (other.inspected, other.inspected_by_me) == (True, False)

    def test_forgets_a_role_that_has_ended(self):
        version = make.question_version("SUBMITTED")
        inspector = make.member(Role.INSPECTOR)
        models.Membership.objects.filter(user=inspector).update(ended_at=make.NOW)

        assert standing.standing_of(version, inspector).roles == frozenset()

    def test_does_not_count_roles_in_another_project(self):
        version = make.question_version("SUBMITTED")
        stranger = make.member(Role.INSPECTOR, in_=make.project("southgate"))

        assert standing.standing_of(version, stranger).roles == frozenset()

    @pytest.mark.parametrize(("state", "before"), [("RETURNED", True), ("ACCEPTED", False)])
    def test_remembers_who_wrote_words_that_nobody_has_passed(self, state, before):
        curator = make.member(Role.CURATOR)
        first = make.question_version(state, author=curator)
        second = writing.revise(version=first, by=make.member(Role.DESIGNER), now=make.NOW)

        assert standing.standing_of(second, curator).wrote_before is before
        assert not standing.standing_of(second, second.author).wrote_before


class TestRoles:
    def test_are_all_that_somebody_has(self):
        home = make.project()
        somebody = make.member(Role.DESIGNER)
        owner = home.memberships.get(role=Role.OWNER).user
        people.grant(project=home, user=somebody, role=Role.INSPECTOR, by=owner, now=make.NOW)

        assert people_queries.roles(home.pk, somebody) == {"DESIGNER", "INSPECTOR"}


class TestIsUsed:
    def test_begins_with_the_opening_of_a_round(self):
        version = make.question_version()
        assert not standing.is_used(version.question_id)
        round_ = make.draft_round()
        place = round_.items.first()
        models.RoundItem.objects.filter(pk=place.pk).update(item=version.item)
        assert not standing.is_used(version.question_id)

        models.Round.objects.filter(pk=round_.pk).update(state="OPEN")

        assert standing.is_used(version.question_id)


class TestOfMany:
    def test_says_the_same_as_of_each(self):
        designer, inspector = make.member(Role.DESIGNER), make.member(Role.INSPECTOR)
        versions = [
            make.question_version("DRAFT", author=designer),
            make.question_version("RETURNED", author=designer),
            make.question_version("ACCEPTED", author=make.member(Role.OWNER), inspector=inspector),
        ]
        versions.append(
            writing.revise(version=versions[1], by=make.member(Role.CURATOR), now=make.NOW)
        )

        for user in (designer, inspector, make.member(Role.CURATOR)):
            found = standing.of_many(make.project().pk, versions, user)

            assert found == {one.pk: standing.standing_of(one, user) for one in versions}


class TestUsedAmong:
    def test_names_none_that_no_round_has_used(self):
        version = make.question_version("ACCEPTED")

        assert standing.used_among([version.question_id]) == set()
