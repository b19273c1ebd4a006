import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.domains import plan as stock
from annotation.domains.plan import Stock
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def counted() -> Stock:
    return stock.total(stock.by_kind(make.project()).values())


class TestByKind:
    def test_counts_each_question_once_by_how_far_it_has_come(self):
        for state in ("ACCEPTED", "SUBMITTED", "DRAFT", "RETURNED"):
            make.question_version(state)

        assert counted() == Stock(accepted=1, inspected=1, drafted=2)
        assert (counted().under_way, counted().total) == (3, 4)

    def test_counts_an_accepted_question_as_accepted_while_its_next_version_is_written(self):
        version = make.question_version()
        writing.revise(version=version, by=version.author, now=make.NOW)

        assert counted() == Stock(accepted=1)

    def test_counts_the_version_that_stands_for_a_question_written_anew(self):
        other = models.Capability.objects.create(project=make.project(), name="Reasoning")
        first = make.question_version("RETURNED")
        second = writing.revise(version=first, by=first.author, now=make.NOW)
        text = make.question_text(capability_id=other.pk)
        writing.save_draft(version=second, text=text, base_rev=0, by=first.author, now=make.NOW)

        kinds = stock.by_kind(make.project())

        assert {kind.capability: one for kind, one in kinds.items()} == {other.pk: Stock(drafted=1)}

    def test_counts_questions_that_say_no_capability_and_those_of_no_other_project(self):
        make.question_version("DRAFT", text=make.question_text(capability_id=None))
        make.question_version("DRAFT", in_=make.project("southgate"))

        assert counted() == Stock(drafted=1)

    def test_leaves_out_retired_questions(self):
        version = make.question_version()
        models.Question.objects.filter(pk=version.question_id).update(state="RETIRED")

        assert counted() == Stock()

    def test_counts_those_of_one_author(self):
        make.question_version()
        other = make.member(Role.DESIGNER, username="other")

        assert stock.by_kind(make.project(), author=other) == {}


class TestLineages:
    def test_name_an_area_and_all_above_it(self):
        top = models.Domain.objects.create(project=make.project(), name="Freight")
        air = models.Domain.objects.create(project=make.project(), name="Air", parent=top)

        found = stock.lineages([air, top])

        assert found == {air.pk: (air.pk, top.pk), top.pk: (top.pk,)}
