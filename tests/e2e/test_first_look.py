import pytest

pytestmark = pytest.mark.e2e


class TestSite:
    def test_lets_people_in_and_shows_each_their_home(self, enter):
        owner = enter("ines")
        annotator = enter("lena")

        assert owner.path == "/p/northport/"
        assert annotator.path == "/p/northport/grade/"

    def test_keeps_strangers_out(self, enter):
        nobody = enter()

        nobody.go("/p/northport/")

        assert nobody.path == "/login/"
