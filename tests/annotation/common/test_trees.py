import pytest

from annotation.common import trees
from annotation.common.trees import TreeNode, TreePlace, TreeStep

#: 1 (2, 3 (4)), 5
TREE = [TreeNode(1, None), TreeNode(2, 1), TreeNode(3, 1), TreeNode(4, 3), TreeNode(5, None)]


class TestPlaceAfter:
    @pytest.mark.parametrize(
        ("pk", "step", "place"),
        [
            (3, TreeStep.UP, TreePlace(1, 2)),
            (2, TreeStep.UP, None),
            (2, TreeStep.DOWN, TreePlace(1, None)),
            (1, TreeStep.DOWN, TreePlace(None, None)),
            (5, TreeStep.DOWN, None),
            (5, TreeStep.IN, TreePlace(1, None)),
            (1, TreeStep.IN, None),
            (4, TreeStep.OUT, TreePlace(1, None)),
            (2, TreeStep.OUT, TreePlace(None, 5)),
            (1, TreeStep.OUT, None),
        ],
    )
    def test_moves_by_one(self, pk, step, place):
        assert trees.place_after(TREE, pk, step) == place

    def test_goes_down_before_the_one_after_the_next(self):
        row = [TreeNode(pk, None) for pk in (1, 2, 3)]

        assert trees.place_after(row, 1, TreeStep.DOWN) == TreePlace(None, 3)


class TestStepsOf:
    def test_names_those_that_lead_somewhere(self):
        assert trees.steps_of(TREE, 1) == {TreeStep.DOWN}
        assert trees.steps_of(TREE, 3) == {TreeStep.UP, TreeStep.IN, TreeStep.OUT}


class TestOverlaps:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Customs clearance", "Clearing of customs"),
            ("Warehouse", "Warehousing"),
            ("Air freight", "Air freight rates"),
            ("Tariffs and duties", "Duties, tariffs"),
            ("危险品运输", "危险品的运输"),
            ("Demurrage", "Demurage"),
        ],
    )
    def test_finds_names_that_say_the_same(self, one, other):
        assert trees.overlaps([one, "Insurance", other]) == [(one, other)]

    def test_leaves_out_what_the_name_above_says(self):
        names = ["Dangerous goods by air", "Dangerous goods by road"]

        assert trees.overlaps(names, "Dangerous goods") == []

    @pytest.mark.parametrize("other", ["Ocean freight", "Of the", "Business", "冷链"])
    def test_lets_different_names_be(self, other):
        assert trees.overlaps(["Medicines", other, "危险品"]) == []
