import pytest

from annotation.common import scales as references


class TestOf:
    @pytest.mark.parametrize(
        ("extra", "texts"),
        [
            ({"references": ["One.", " ", "Two."]}, ["One.", "Two."]),
            ({"references": "One."}, ["One."]),
            ({"references": [{"text": "One."}, None, 3]}, []),
            ({"references": None}, []),
            ({"source": "One."}, []),
        ],
    )
    def test_are_the_texts_that_are_kept(self, extra, texts):
        assert references.references_of(extra) == texts
