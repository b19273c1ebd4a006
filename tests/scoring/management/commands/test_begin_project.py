import json
from io import StringIO

import pytest
from django.core.management import call_command

from annotation.people.models import Project
from scoring.endpoints.models import Endpoint
from scoring.management.endings import Unusable
from tests import make

pytestmark = pytest.mark.django_db
SERVER = {"name": "Judge", "url": "https://judge.example/v1", "model_name": "m-1"}


def told(tmp_path, *endpoints, **options):
    file = tmp_path / "endpoints.json"
    file.write_text(json.dumps(endpoints))
    out = StringIO()
    given = {"owner": "ci", "endpoints": file, **options}
    call_command("begin_project", "checks", stdout=out, **given)
    return out.getvalue()


class TestBeginProject:
    def test_makes_the_project_and_its_endpoints_and_leaves_them_the_next_time(self, tmp_path):
        make.user("ci")
        script = {"name": "Script", "script": {"seed": 3}}

        first = told(tmp_path, SERVER, script, name="Checks in CI")
        again = told(tmp_path, SERVER, script)

        project = Project.objects.get(slug="checks")
        assert project.name == "Checks in CI"
        assert set(project.endpoints.values_list("name", "kind")) == {
            ("Judge", Endpoint.Kind.SERVER),
            ("Script", Endpoint.Kind.SCRIPTED),
        }
        assert "The project checks is there." in first
        assert again.count("was there already") == 2

    def test_says_what_cannot_be_used(self, tmp_path):
        with pytest.raises(Unusable, match="no active account ci"):
            told(tmp_path)
        make.user("ci")
        with pytest.raises(Unusable, match="The endpoint Judge cannot be used: colour"):
            told(tmp_path, SERVER | {"colour": "blue"})
        with pytest.raises(Unusable, match="holds no list of endpoints"):
            told(tmp_path, "Judge")
