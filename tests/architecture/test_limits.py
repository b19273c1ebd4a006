"""What a page takes, a program may send, and the other way round: each limit is said once."""

import pytest

from tests.architecture import limits
from tests.architecture.limits_table import ONLY_BY_PROGRAMS, ONLY_ON_PAGES, TWINS


class TestEveryForm:
    def test_has_its_twin_among_the_bodies_of_the_api_or_a_reason_to_have_none(self):
        named = {*TWINS, *ONLY_ON_PAGES}

        assert sorted(limits.forms_there_are() - named) == []
        assert sorted(named - limits.forms_there_are()) == []

    @pytest.mark.parametrize("name", sorted(TWINS))
    def test_takes_what_its_twin_takes(self, name):
        assert limits.differences(name) == []


class TestEveryBody:
    def test_has_its_twin_among_the_forms_or_a_reason_to_have_none(self):
        twins = {twin.body for twin in TWINS.values() if ".records." not in twin.body}
        named = twins | {*ONLY_BY_PROGRAMS}

        assert sorted(limits.bodies_there_are() - named) == []
        assert sorted(named - limits.bodies_there_are()) == []
