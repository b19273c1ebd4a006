import pytest

from annotation.people.models import AuditEvent
from scoring.endpoints import operations as connections
from scoring.endpoints import queries as reads
from scoring.endpoints.models import Endpoint, SystemConnection
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


class TestConnect:
    def test_keeps_only_what_is_not_left_to_the_endpoint(self):
        made = connected.connection(system_prompt="", temperature=0.0, max_tokens=None, stop=[])

        assert made.settings == {"temperature": 0.0}
        assert AuditEvent.objects.get(verb="release.connected").data["endpoint"] == "Scripted"

    def test_ends_the_connection_before(self):
        old = connected.connection()

        new = connected.connection(temperature=1.0)

        old.refresh_from_db()
        assert old.ended_at == make.NOW
        assert reads.current([new.release_id]) == {new.release_id: new}

    def test_leaves_the_same_connection_as_it_is(self):
        assert connected.connection(seed=3) == connected.connection(seed=3)
        assert SystemConnection.objects.count() == 1

    def test_refuses_endpoints_of_others_and_those_that_are_retired(self):
        foreign = connected.endpoint(in_=make.project("southgate"))
        retired = connected.endpoint("Old", retired_at=make.NOW)

        for one in (foreign, retired):
            with pytest.raises(connections.EndpointNotThere):
                connected.connection(to=one)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("temperature", 2.1),
            ("temperature", True),
            ("top_p", 0),
            ("max_tokens", 0),
            ("max_tokens", 1.5),
            ("seed", -1),
            ("stop", ["a"] * 5),
            ("stop", [""]),
            ("stop", "end"),
            ("system_prompt", "x" * 20_001),
            ("tools", []),
            ("presence", 1),
        ],
    )
    def test_refuses_parameters_that_no_server_takes(self, name, value):
        if value == []:
            assert connections.checked({name: value}) == {}
            return

        with pytest.raises(connections.BadSettings) as refused:
            connections.checked({name: value})

        assert list(refused.value.fields) == [name]


class TestDisconnect:
    def test_ends_it(self):
        made = connected.connection()

        connections.disconnect(
            release=made.release, by=connected.owner(make.project()), now=make.NOW
        )

        assert reads.current([made.release_id]) == {}

    def test_refuses_where_nothing_answers(self):
        with pytest.raises(connections.EndpointNotConnected):
            connections.disconnect(
                release=make.release(), by=connected.owner(make.project()), now=make.NOW
            )


class TestLines:
    def test_say_of_every_release_what_answers_as_it(self):
        connected.connection()
        make.release("Heron")
        connected.connection(make.release("Osprey"), to=connected.endpoint("Other"))
        Endpoint.objects.filter(name="Other").update(retired_at=make.NOW)

        lines = reads.of_project(make.project())

        assert [(str(one.release), bool(one.connection), one.is_ready) for one in lines] == [
            ("Heron · 1", False, False),
            ("Kestrel · 1", True, True),
            ("Osprey · 1", True, False),
        ]
