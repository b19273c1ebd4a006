from scoring.queries import interview_results


class TestValue:
    def test_writes_its_interval_so_that_minus_signs_are_no_dashes(self):
        value = interview_results.Value(-5.8, -10.2, -1.5, 6)

        assert value.interval == "−10.2 to −1.5"
