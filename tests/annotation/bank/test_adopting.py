import pytest

from annotation import models
from annotation.bank import operations as bank
from annotation.people.models import Role
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def adopt(*ids, by=None):
    by = by or make.member(Role.DESIGNER)
    return bank.adopt(project=make.project(), external_ids=ids, by=by, now=make.at(60))


class TestAdopt:
    def test_begins_a_draft_that_says_what_the_item_says(self):
        item = models.Item.objects.create(
            project=make.project(),
            external_id="Q1",
            group="Q1",
            content_sha="c" * 64,
            prompt_sha="p" * 64,
            messages=[{"role": "user", "content": "What is a pallet?"}],
            reference="A flat base for goods.",
            key_points=["flat", "carries goods"],
            extra={"principle": "Be strict."},
            capability=make.capability(),
            domain=make.domain(),
            difficulty="SIMPLE",
            question_type="FACTUAL",
            as_of="2026-02",
            created_at=make.NOW,
        )

        (made,) = adopt("Q1")

        assert (made.question.external_id, made.number, made.state) == ("Q1", 1, "DRAFT")
        assert made.author == make.member(Role.DESIGNER)
        assert (made.turns, made.answer) == (item.messages, item.reference)
        assert made.key_points == ["flat", "carries goods"]
        assert (made.capability, made.domain) == (item.capability, make.domain())
        assert (made.difficulty, made.question_type, made.as_of) == (
            "SIMPLE",
            "FACTUAL",
            "2026-02",
        )
        assert made.principle == "Be strict."

    def test_leaves_the_item_as_it_is(self):
        item = make.item("Q1")
        make.response(item, make.release())

        adopt("Q1")

        item.refresh_from_db()
        assert item.question_version is None
        assert item.responses.count() == 1

    def test_cannot_be_handed_in_before_it_names_a_source(self):
        make.item("Q1", capability_=make.capability())
        (made,) = adopt("Q1")

        with pytest.raises(errors.Incomplete) as caught:
            bank.submit(version=made, base_rev=made.rev, by=made.author, now=make.at(61))

        assert "sources" in caught.value.fields

    def test_takes_the_newest_content_of_an_id(self):
        make.item("Q1", question="What is a palet?")
        make.item("Q1", question="What is a pallet?")

        assert [one.asked for one in adopt("Q1", "Q1")] == ["What is a pallet?"]

    def test_takes_many_in_their_order(self, monkeypatch):
        monkeypatch.setattr(bank, "BATCH", 2)
        for name in ("Q1", "Q2", "Q3"):
            make.item(name)

        made = adopt("Q3", "Q1", "Q2")

        assert [one.question.external_id for one in made] == ["Q3", "Q1", "Q2"]
        events = models.AuditEvent.objects.filter(verb="items.adopted").order_by("pk")
        assert [one.data["questions"] for one in events] == [["Q3", "Q1"], ["Q2"]]

    def test_names_the_ids_that_the_bank_has_and_begins_none(self):
        make.item("Q1")
        make.item("Q2")
        adopt("Q1")

        with pytest.raises(bank.IdTaken, match="Q1"):
            adopt("Q2", "Q1")
        assert models.Question.objects.count() == 1

    def test_does_not_take_from_another_project(self):
        make.item("Q1", in_=make.project("southgate"))

        with pytest.raises(errors.Incomplete, match="Q1"):
            adopt("Q1")

    @pytest.mark.parametrize("ids", [[], [f"Q{n}" for n in range(bank.MOST + 1)]])
    def test_wants_some_and_not_too_many(self, ids):
        with pytest.raises(errors.Incomplete):
            adopt(*ids)

    @pytest.mark.parametrize("role", [Role.INSPECTOR, Role.ANALYST, Role.ANNOTATOR])
    def test_is_for_those_who_write(self, role):
        make.item("Q1")

        with pytest.raises(errors.NotNow):
            adopt("Q1", by=make.member(role))
