"""Which release completes, by which endpoint: from what a suite names."""

import pytest

from annotation.systems.models import SystemRelease
from scoring.endpoints.models import SystemConnection
from scoring.kinds.suites import completing as operations
from scoring.kinds.suites.protocol.definition import Completion
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


def settle(*completions):
    return operations.settle(make.project(), completions)


def written(*completions):
    home = make.project()
    return operations.written(home, settle(*completions), by=connected.owner(home), now=make.NOW)


class TestSettle:
    def test_takes_the_release_that_the_endpoint_answers_as(self):
        connection = connected.connection(temperature=0.5)

        (found,) = settle(Completion("Scripted", settings={"max_tokens": 9}))

        assert found.release == connection.release
        assert found.settings == {"temperature": 0.5, "max_tokens": 9}

    def test_finds_the_endpoint_by_the_name_of_its_model(self):
        made = connected.endpoint("House", model_name="house-1")

        (found,) = settle(Completion("house-1"))

        assert (found.endpoint, found.system, found.label) == (made, "House", "house-1")

    def test_takes_the_endpoint_of_a_system_that_is_named(self):
        connection = connected.connection()

        (found,) = settle(Completion(system="Kestrel"))

        assert (found.endpoint, found.release) == (connection.endpoint, connection.release)

    @pytest.mark.parametrize(
        ("completion", "why"),
        [
            (Completion("nobody"), "none of this name"),
            (Completion("Scripted", user="nobody"), "none of this name"),
            (Completion(system="Heron"), "No endpoint answers as Heron"),
            (Completion(system="Kestrel"), "Several releases"),
            (Completion("Scripted"), "Several releases"),
            (Completion("Other", "Kestrel", "2"), "answered by the endpoint “Scripted”"),
            (Completion("Other", settings={"top_p": 0.0}), "above 0"),
        ],
    )
    def test_refuses_what_could_be_meant_otherwise(self, completion, why):
        connected.connection(make.release("Kestrel", "2"))
        connected.connection(make.release("Kestrel", "3"))
        connected.endpoint("Other")

        with pytest.raises(Exception, match=why):
            settle(completion)

    def test_refuses_a_release_that_is_named_twice(self):
        connected.connection(make.release("Kestrel", "2"))

        with pytest.raises(operations.WhichRelease, match="named twice"):
            settle(Completion("Scripted"), Completion(system="Kestrel"))


class TestWritten:
    def test_adds_and_connects_a_release_that_is_not_there(self):
        connected.endpoint("House", model_name="house-1")

        (kept,) = written(Completion("House", settings={"seed": 4}))

        made = SystemRelease.objects.get(system__name="House")
        assert (made.label, kept["release"]) == ("house-1", made.pk)
        assert SystemConnection.objects.get(release=made).settings == {"seed": 4}
        assert written(Completion("House"))[0]["release"] == made.pk

    def test_adds_a_release_to_a_system_that_is_there(self):
        system = make.release("Kestrel", "1").system
        connected.endpoint("House")

        written(Completion("House", "Kestrel", "2"))

        assert set(system.releases.values_list("label", flat=True)) == {"1", "2"}
