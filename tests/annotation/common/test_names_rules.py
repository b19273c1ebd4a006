import pytest

from annotation.common import names

RLO, PDI, ZWSP, ZWNJ, ZWJ = "\u202e", "\u2069", "\u200b", "\u200c", "\u200d"


class TestUnseenIn:
    @pytest.mark.parametrize(
        "sign",
        [
            *"\u202a\u202b\u202c\u202d\u202e",  # embeddings and overrides
            *"\u2066\u2067\u2068\u2069",  # isolates
            *"\u200e\u200f\u061c",  # marks: of use in texts, not in names
            *"\u200b\u2060\ufeff\u00ad\u034f\u180e\u3164\U000e0041",  # nothing to see
            *"\x00\x07\t\n\r\x1b\x7f\x85\u2028\u2029",  # controls and ends of lines
            *"\ufe0f\u200c\u200d",  # that shape nothing here
        ],
    )
    def test_finds_what_deceives_the_eye(self, sign):
        for name in (f"Le{sign}na", f"{sign}Lena", f"Lena{sign}", f"Léna{sign}"):
            assert names.unseen_in(name) == sign

    @pytest.mark.parametrize(
        "name",
        [
            "Lena Voß",
            "דוד בן-גוריון",
            "محمد علي",
            f"می{ZWNJ}خواهم",
            f"क्{ZWJ}ष",
            f"👩{ZWJ}🚀 team",
            "☎\ufe0f desk",
            "北港市",
            "",
            "a_b.c-d+e@f",
        ],
    )
    def test_finds_nothing_in_names_of_people_anywhere(self, name):
        assert names.unseen_in(name) == ""

    def test_says_the_first(self):
        assert names.unseen_in(f"a{ZWSP}b\tc{RLO}") == ZWSP
        assert names.unseen_in(f"a\tb{ZWSP}") == "\t"


class TestCalled:
    def test_is_its_number(self):
        assert (names.called(RLO), names.called("\t")) == ("U+202E", "U+0009")


class TestOfFile:
    def test_takes_such_signs_and_the_folder_away(self):
        assert names.of_file(f"dir/answers{RLO}vsc.exe") == "answersvsc.exe"
        assert names.of_file("x" * 300 + ".csv") == "x" * 251 + ".csv"


class TestIsolated:
    def test_leaves_what_rearranges_nothing(self):
        assert names.isolated("Lena Voß") == "Lena Voß"

    def test_keeps_what_stands_around_in_its_place(self):
        assert names.isolated("דוד") == "\u2068דוד\u2069"
        assert names.isolated(f"Le{RLO}na{PDI}") == "\u2068Lena\u2069"
