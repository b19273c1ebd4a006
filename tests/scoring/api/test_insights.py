import json

import pytest

from annotation.models import Rater, Role
from tests import make
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
AT = "/api/v1/projects/northport/rounds/1/"
NAMES = ("agreement", "disputes", "annotators", "plan")
#: What would hold a key of the database.
KEYS = {"release", "response", "item"}


def keys(data):
    """Yield the names of all fields, however deep."""
    if isinstance(data, list):
        for one in data:
            yield from keys(one)
    if isinstance(data, dict):
        yield from data
        for one in data.values():
            yield from keys(one)


@pytest.fixture(autouse=True)
def analyst(client):
    person = make.member(Role.ANALYST)
    client.force_login(person)
    return person


@pytest.mark.parametrize("name", NAMES)
class TestEveryAddress:
    def test_says_where_to_ask_again(self, client, name):
        rounds.graded()
        query = {"disputes": "?w1=1", "plan": "?power=0.9"}.get(name, "")

        answer = client.get(f"{AT}{name}/{query}")

        assert (answer.status_code, answer["Location"]) == (202, f"{AT}{name}/{query}")

    def test_takes_no_parameter_it_does_not_know(self, client, name):
        answer = client.get(f"{AT}{name}/?wieght=1")

        assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")
        assert list(answer.json()["fields"]) == ["wieght"]

    def test_holds_no_name_and_no_key(self, client, name):
        rounds.graded(n_items=9, marks=lambda system, item, rater: 0 if rater == 0 else 2)
        client.get(f"{AT}{name}/")
        compute()

        answer = client.get(f"{AT}{name}/")

        assert answer.json()["state"] == "ready"
        assert "Kestrel" not in json.dumps(answer.json())
        assert not KEYS & set(keys(answer.json()))


class TestDisputes:
    def test_follow_the_rules_in_the_address(self, client):
        rounds.graded()
        client.get(f"{AT}disputes/?question_rule=literal")
        compute()

        found = client.get(f"{AT}disputes/?question_rule=literal").json()

        assert found["rules"]["question"] == "literal"
        assert found["never"]
        assert Rater.objects.count() * 2 == len(found["annotators"])

    def test_refuse_a_rule_that_nobody_knows(self, client):
        rounds.graded()

        answer = client.get(f"{AT}disputes/?question_rule=any")

        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")
        assert "half" in answer.json()["fields"]["question_rule"][0]
