import pytest

from annotation.people.models import Role
from annotation.sources import operations as sources
from scoring.demo import files as demo_drafting
from scoring.kinds.drafting import kind as reads
from scoring.kinds.drafting.models import Drafting
from tests import make

pytestmark = pytest.mark.django_db


class TestPlay:
    def test_leaves_proposals_whose_evidence_stands_in_the_passage(self):
        sources.add_source(
            project=make.project(),
            about=sources.SourceAbout(demo_drafting.SOURCE),
            said=sources.SourceSaid(
                text="Demurrage is charged for a full container that stays inside the terminal "
                "beyond its free time. Detention until the empty is returned."
            ),
            by=make.member(Role.DESIGNER),
            now=make.NOW,
        )

        demo_drafting.play_drafting(
            project=make.project(), by=make.member(Role.OWNER), now=make.NOW
        )

        came = reads.came_of(Drafting.objects.get())
        assert came.is_over
        assert [one.content["found"] for one in came.proposals] == [True, True]

    def test_does_nothing_without_that_source(self):
        demo_drafting.play_drafting(
            project=make.project(), by=make.member(Role.OWNER), now=make.NOW
        )

        assert not Drafting.objects.exists()
