import pytest

from annotation.people.models import AuditEvent
from evalsite import errors
from scoring.kinds.suites import keeping as operations
from tests import make
from tests.scoring import suites

pytestmark = pytest.mark.django_db


class TestCreate:
    def test_saves_what_was_written_and_what_was_read(self):
        version = suites.saved()

        assert version.text == suites.SUITE
        assert [one["name"] for one in version.definition["entries"]] == [
            "string_length",
            "is_role",
        ]
        assert AuditEvent.objects.filter(verb="suite.saved", subject="suite:1/1").exists()

    def test_refuses_a_name_that_is_taken(self):
        suites.saved()

        with pytest.raises(errors.NameTaken):
            suites.saved()

    def test_tells_every_problem_with_its_line(self):
        with pytest.raises(operations.BadSuite) as refused:
            suites.saved("metrics:\n  function:\n    - {name: x}\n    - {name: y}\n")

        assert [one.line for one in refused.value.problems] == [3, 4]
        assert refused.value.fields["text"][0].startswith("Line 3: ")


class TestChange:
    def change(self, version, text):
        return operations.change(suite=version.suite, text=text, by=suites.owner(), now=make.NOW)

    def test_keeps_the_version_of_the_same_text(self):
        version = suites.saved()

        assert self.change(version, suites.SUITE) == version
        assert self.change(version, f"{suites.SUITE}notes: x\n").number == 2

    def test_renames(self):
        version = suites.saved()

        self.change(version, suites.SUITE.replace("Drivers", "Pilots"))

        version.suite.refresh_from_db()
        assert version.suite.name == "Pilots"


class TestReadRubrics:
    def test_refuses_what_is_none(self):
        with pytest.raises(operations.BadSuite):
            operations.read_rubrics("a: 1")
