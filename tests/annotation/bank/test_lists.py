import pytest

from annotation.bank import keeping as lists
from annotation.bank import questions as bank_lists
from annotation.bank.keeping import FilterLook
from annotation.bank.models import ChosenColumns, SavedFilter
from annotation.bank.rules import USUAL
from annotation.people.models import Role
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db
LOOK = FilterLook({"state": "DRAFT", "text": ""}, "oldest", ("state", "id"))


def saved(name="Mine", role=Role.DESIGNER, look=LOOK, **more):
    by = make.member(role)
    return lists.save_filter(
        project=make.project(), name=name, look=look, by=by, now=make.NOW, **more
    )


class TestSaveFilter:
    def test_keeps_what_is_set_in_the_order_of_the_list(self):
        made = saved(" My  drafts ")

        assert (made.name, made.query, made.order, made.columns) == (
            "My drafts",
            {"state": "DRAFT"},
            "oldest",
            ["id", "state"],
        )

    @pytest.mark.parametrize(
        ("look", "field"),
        [
            (FilterLook({"colour": "red"}), "query"),
            (FilterLook({"text": "x" * 201}), "query"),
            (FilterLook({"text": "a\0b"}), "query"),
            (FilterLook({}, "loudest"), "order"),
            (FilterLook({}, "", ("colour",)), "columns"),
        ],
    )
    def test_refuses_what_the_list_does_not_know(self, look, field):
        with pytest.raises(lists.FilterInvalid) as refusal:
            saved(look=look)

        assert list(refusal.value.fields) == [field]
        assert not SavedFilter.objects.exists()

    @pytest.mark.parametrize("name", ["", "  ", "x" * 81])
    def test_refuses_a_name_that_is_none(self, name):
        with pytest.raises(lists.FilterInvalid):
            saved(name)

    def test_refuses_a_name_twice(self):
        saved()

        with pytest.raises(errors.NameTaken):
            saved()

    def test_lets_two_people_use_a_name(self):
        saved()

        assert saved(role=Role.CURATOR).pk

    def test_refuses_designers_to_share(self):
        with pytest.raises(lists.FilterNotYours):
            saved(shared=True)

    def test_refuses_a_shared_name_twice(self):
        saved(role=Role.CURATOR, shared=True)

        with pytest.raises(errors.NameTaken):
            saved(role=Role.OWNER, shared=True)

    def test_has_an_end(self, monkeypatch):
        monkeypatch.setattr(lists, "MOST", 1)
        saved()

        with pytest.raises(lists.TooManyFilters):
            saved("Another")


class TestChangeFilter:
    def test_renames_shares_and_keeps_another_look(self):
        made = saved(role=Role.CURATOR)

        lists.change_filter(
            saved=made,
            by=made.owner,
            now=make.at(1),
            name="Ours",
            shared=True,
            look=FilterLook({"life": "RETIRED"}),
        )

        made.refresh_from_db()
        assert (made.name, made.is_shared, made.query) == ("Ours", True, {"life": "RETIRED"})

    def test_refuses_somebody_else(self):
        made = saved()

        with pytest.raises(lists.FilterNotYours):
            lists.change_filter(
                saved=made, by=make.member(Role.CURATOR), now=make.NOW, name="Stolen"
            )

    def test_lets_a_curator_take_a_shared_one_back(self):
        made = saved(role=Role.OWNER, shared=True)

        lists.change_filter(saved=made, by=make.member(Role.CURATOR), now=make.NOW, shared=False)

        made.refresh_from_db()
        assert not made.is_shared

    def test_refuses_a_name_that_is_taken(self):
        saved("One")
        two = saved("Two")

        with pytest.raises(errors.NameTaken):
            lists.change_filter(saved=two, by=two.owner, now=make.NOW, name="One")

        two.refresh_from_db()
        assert two.name == "Two"


class TestDeleteFilter:
    def test_is_for_its_owner(self):
        made = saved()

        with pytest.raises(lists.FilterNotYours):
            lists.delete_filter(saved=made, by=make.member(Role.CURATOR), now=make.NOW)
        lists.delete_filter(saved=made, by=made.owner, now=make.NOW)

        assert not SavedFilter.objects.exists()


class TestChooseColumns:
    def test_are_remembered_for_the_person_and_the_project(self):
        user = make.member(Role.DESIGNER)

        lists.choose_columns(project=make.project(), user=user, columns=["tags", "id"])

        assert bank_lists.columns_of(make.project(), user) == ("id", "tags")
        assert bank_lists.columns_of(make.project("southgate"), user) == USUAL

    def test_are_the_usual_ones_again_when_none_is_chosen(self):
        user = make.member(Role.DESIGNER)
        lists.choose_columns(project=make.project(), user=user, columns=["id"])

        lists.choose_columns(project=make.project(), user=user, columns=[])

        assert not ChosenColumns.objects.exists()

    def test_refuse_an_unknown_one(self):
        with pytest.raises(lists.FilterInvalid):
            lists.choose_columns(
                project=make.project(), user=make.member(Role.DESIGNER), columns=["colour"]
            )
