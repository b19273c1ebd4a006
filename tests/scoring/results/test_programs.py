from scoring.figures.labels import Labels
from scoring.results import programs

LABELS = Labels({"4": "Factuality"}, {}, {"9": "Annotator 1"})


class TestProgramNames:
    def test_stand_in_the_place_of_keys(self):
        data = {
            "parts": [{"capability": 4, "criterion": "c"}],
            "overall": {},
            "again": {},
            "pairs": [{"left": 9, "right": 9}],
            "without": [{"rater": 9, "value": 1}],
            "disagreement": {"any": [{"capability": None}]},
        }

        said = programs.agreement(data, LABELS, {})

        assert said["parts"][0]["capability"] == "Factuality"
        assert said["without"] == [{"annotator": "Annotator 1", "value": 1}]
        assert said["pairs"][0]["left"] == "Annotator 1"
        assert said["disagreement"]["any"] == [{"capability": None}]
