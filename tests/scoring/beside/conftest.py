import pytest

from tests.scoring import beside_people


@pytest.fixture
def round_():
    """A round that people graded and judges scored."""
    return beside_people.world()
