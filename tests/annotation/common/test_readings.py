from annotation.common import similarity as readings


class TestRead:
    def test_weighs_an_abbreviation_double_and_glue_hardly(self):
        features = readings.read_features("The buyer pays under FOB in 20 days").features

        assert features["fob"] == 2 * features["buyer"] == 2
        assert features["the"] == features["0"] < 0.1

    def test_takes_no_shouted_text_for_abbreviations(self):
        assert set(readings.read_features("WHO LOADS THE TRUCK").features.values()) == {
            1.0,
            readings.GLUE,
        }

    def test_keeps_numbers_by_themselves(self):
        reading = readings.read_features("1,200 kg in 20ft crates, 三天")

        assert reading.numbers == ("1200", "20", "三")
        assert reading.plain == "1200 kg in 20 ft crate 三 天"

    def test_pairs_signs_but_not_across_punctuation(self):
        pairs = {name for name in readings.read_features("提单，货物").features if len(name) == 2}

        assert pairs == {"提单", "货物"}

    def test_knows_what_is_asked_last(self):
        assert readings.read_turns(["One thing."]).last is None
        assert readings.read_turns(["One thing.", "Why?"]).last == readings.read_features("Why?")


class TestKeys:
    def test_are_the_same_on_every_machine(self):
        assert readings.keys(readings.read_features("Who loads the truck?")) == {
            252650395: "load",
            1896629998: "truck",
            1218656867: "=who load the truck",
        }

    def test_leave_out_numbers_and_words_that_only_hold_a_sentence_together(self):
        kept = readings.keys(readings.read_features("What is the 20 ft box? 什么是提单？")).values()

        assert set(kept) == {"ft", "box", "是提", "提单", "=what is the 20 ft box 什 么 是 提 单"}

    def test_of_a_long_text_are_limited_and_mostly_kept_by_an_edit(self):
        long = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(400))
        one, other = (
            readings.keys(readings.read_features(text)) for text in (long, "New. " + long)
        )

        assert len(one) == readings.MOST_KEYS
        assert len(one.keys() & other.keys()) > readings.MOST_KEYS - 5

    def test_find_a_copy_of_a_text_without_any_telling_word(self):
        assert len(readings.keys(readings.read_features("What is it?"))) == 1


class TestNumbered:
    def test_has_no_number_for_what_does_not_tell(self):
        assert set(readings.numbered(["the", "0", "box", "提", "提单"]).values()) == {"box", "提单"}
