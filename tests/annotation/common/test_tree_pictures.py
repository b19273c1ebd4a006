from annotation.common import trees as tree_pictures
from annotation.common.trees import TreeNode


class TestDraw:
    def test_puts_parts_to_the_right_and_the_first_level_with_what_it_belongs_to(self):
        picture = tree_pictures.draw([TreeNode(1, None), TreeNode(2, 1), TreeNode(3, 1)])

        assert [(box.x, box.y) for box in picture.boxes] == [(0, 0), (256, 0), (256, 52)]
        assert [box.line for box in picture.boxes] == ["", "M216 22h20V22h20", "M216 22h20V74h20"]
        assert (picture.width, picture.height) == (472, 96)

    def test_says_where_text_and_bar_stand(self):
        [box] = tree_pictures.draw([TreeNode(1, None)]).boxes

        assert (box.text_x, box.end_x, box.text_y) == (12, 204, 19)
        assert (box.bar_y, box.count_y) == (30, 36)

    def test_of_nothing_has_no_height(self):
        assert tree_pictures.draw([]).height == 0


class TestBar:
    def test_is_filled_as_far_as_the_plan(self):
        assert tree_pictures.bar(1, 2) == tree_pictures.BAR // 2
        assert tree_pictures.bar(9, 2) == tree_pictures.BAR

    def test_without_a_plan_is_empty(self):
        assert tree_pictures.bar(3, 0) == 0


class TestShortened:
    def test_keeps_what_fits(self):
        assert tree_pictures.shortened("Air freight") == "Air freight"

    def test_cuts_what_does_not(self):
        assert tree_pictures.shortened("A" * 40) == "A" * 25 + "…"
        assert tree_pictures.shortened("冷" * 20) == "冷" * 12 + "…"
