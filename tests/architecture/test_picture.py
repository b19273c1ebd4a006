"""The picture of the house is the one that its contracts give."""

from tests.architecture import picture


class TestThePicture:
    def test_is_drawn_from_the_contracts_as_they_are(self):
        page = picture.PAGE.read_text()

        assert picture.put_in(page) == page, "make picture"

    def test_shows_every_feature(self):
        assert {"rubrics", "kinds.interviews", "grading", "engine"} <= set(picture.drawn().split())
