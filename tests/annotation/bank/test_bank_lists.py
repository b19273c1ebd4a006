from annotation.bank import rules as bank_lists
from annotation.bank.rules import ListedColumn, Order


class TestChosen:
    def test_stand_in_the_order_of_the_list_and_once(self):
        found = bank_lists.chosen(["state", "id", "state"])

        assert found == bank_lists.ChosenNames((ListedColumn.ID, ListedColumn.STATE))

    def test_name_what_is_unknown(self):
        assert bank_lists.chosen(["colour", "id"]).unknown == ("colour",)

    def test_usual_ones_are_known(self):
        assert bank_lists.chosen(bank_lists.USUAL).columns == bank_lists.USUAL


class TestOrder:
    def test_is_found_by_its_name(self):
        assert bank_lists.order("oldest") is Order.OLDEST
        assert bank_lists.order("") is Order.NEWEST

    def test_is_none_for_another_name(self):
        assert bank_lists.order("loudest") is None
