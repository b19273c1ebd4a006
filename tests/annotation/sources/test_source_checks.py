import pytest
from django.db import IntegrityError, transaction

from annotation.people.models import Role
from annotation.sources import operations as sources
from annotation.sources import queries as reads
from annotation.sources.models import SourceCheck
from annotation.sources.rules import SourceStanding
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def check(source, outcome, by=None, number=1, how="Compared with the paper edition."):
    return sources.check(
        source=source,
        number=number,
        outcome=outcome,
        how=how,
        by=by or make.member(Role.CURATOR),
        now=make.NOW,
    )


def stands(source):
    newest = reads.versions_of(source)[0].number
    return reads.standing_by(reads.checks_of(source), newest)


class TestCheck:
    def test_says_who_checked_and_how(self):
        source = make.source_version().source
        inspector = make.member(Role.INSPECTOR)

        made = check(source, "VERIFIED", by=inspector)

        assert (made.by, made.version.number, made.how[:8]) == (inspector, 1, "Compared")
        assert stands(source) == SourceStanding.VERIFIED

    def test_holds_for_the_version_that_was_read(self):
        source = make.source_version().source
        check(source, "VERIFIED")
        sources.add_version(
            source=source,
            said=sources.SourceSaid(text="New."),
            by=make.member(Role.CURATOR),
            now=make.NOW,
        )

        assert stands(source) == SourceStanding.UNCHECKED
        with pytest.raises(errors.NotNow):
            check(source, "VERIFIED", number=1)

    def test_withdraws_for_every_version_until_it_is_checked_again(self):
        source = make.source_version().source
        check(source, "WITHDRAWN", how="The publisher took it back.")
        sources.add_version(
            source=source,
            said=sources.SourceSaid(text="New."),
            by=make.member(Role.CURATOR),
            now=make.NOW,
        )
        assert stands(source) == SourceStanding.WITHDRAWN

        check(source, "VERIFIED", number=2)

        assert stands(source) == SourceStanding.VERIFIED
        assert SourceCheck.objects.count() == 2

    @pytest.mark.parametrize(
        ("role", "outcome"), [("DESIGNER", "VERIFIED"), ("INSPECTOR", "WITHDRAWN")]
    )
    def test_is_not_for_everybody(self, role, outcome):
        source = make.source_version().source

        with pytest.raises(errors.NotNow):
            check(source, outcome, by=make.member(Role(role)))
        assert not SourceCheck.objects.exists()

    def test_asks_how(self):
        with pytest.raises(errors.Incomplete) as refused:
            check(make.source_version().source, "VERIFIED", how="  ")
        assert list(refused.value.fields) == ["how"]

    def test_stays_on_record(self):
        made = check(make.source_version().source, "VERIFIED")

        with pytest.raises(IntegrityError), transaction.atomic():
            SourceCheck.objects.filter(pk=made.pk).update(outcome="NOT")
        with pytest.raises(IntegrityError), transaction.atomic():
            made.delete()
