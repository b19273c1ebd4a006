import pytest
from django.core.management.base import CommandError

from evalsite import arguments


class TestPairs:
    def test_are_divided_at_the_last_sign_without_the_spaces_around_it(self):
        found = arguments.pairs("--word NAME=VALUE", ["A better = 1", "a=b=2"])

        assert found == {"A better": "1", "a=b": "2"}

    def test_of_answers_are_divided_at_the_first_unless_a_name_stands_before_it(self):
        written = ["path=a=b", "differing:q=1=ours"]

        found = arguments.pairs("--answer KEY=VALUE", written, first=True)

        assert found == {"path": "a=b", "differing:q=1": "ours"}

    @pytest.mark.parametrize("written", ["a", "=1", " = 1", "a="])
    def test_need_both_sides(self, written):
        with pytest.raises(CommandError, match="Write --word"):
            arguments.pairs("--word NAME=VALUE", [written])
