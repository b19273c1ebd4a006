import pytest

from annotation.rounds import rules as openings

PLAIN = ["A base.", "Wood, mostly.", "It carries goods.", "Nobody knows."]


def shared(mine, other=PLAIN):
    return openings.shared({1: mine, 2: other}).get(1, "")


class TestShared:
    @pytest.mark.parametrize(
        "opening",
        [
            "**System**\n\nYou are Pine.\n\n",
            "**Assistant**\n\n",
            "Certainly! Here you are: ",
            "好的，让我来回答你的问题：",
        ],
    )
    def test_finds_what_one_system_begins_with(self, opening):
        assert shared([opening + one for one in PLAIN]) == opening

    def test_finds_what_nearly_all_begin_with(self):
        said = [f"My dear friend, {one}" for one in "abcdefgh"]

        assert shared([*said, "No.", ""]) == "My dear friend, "

    def test_ends_with_a_word(self):
        assert (
            shared(["In short it can", "In short it cannot", "In short it was"]) == "In short it "
        )

    @pytest.mark.parametrize(
        "mine",
        [
            PLAIN,
            ["The wall.", "The sea.", "The ship."],
            ["Certainly! A", "Certainly! B"],
            ["The same answer."] * 5,
            [],
        ],
    )
    def test_finds_nothing_where_nothing_tells(self, mine):
        assert shared(mine) == ""

    def test_says_nothing_of_what_others_begin_with_too(self):
        said = [f"Certainly! {one}" for one in PLAIN]

        assert shared(said, [*said, "Hm."]) == ""

    def test_needs_two_systems(self):
        assert openings.shared({1: [f"Certainly! {one}" for one in PLAIN]}) == {}
