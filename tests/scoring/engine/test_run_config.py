import pytest

from scoring.engine import told as run_config
from tests import make
from tests.scoring import assisted, connected, run_rows, suites


@pytest.mark.django_db
class TestOfAnAssistant:
    def test_is_called_so_and_names_its_settings_and_no_key_of_the_database(self):
        run = assisted.requested(make.open_round(), assisted.assistant())

        found = dict(run_config.facts(run))

        assert found["Assistant"] == "Entailment"
        assert (found["Set against"], found["Answers per request"]) == ("question", "8")
        assert "criterion" not in found


@pytest.mark.django_db
class TestOfASuite:
    def test_names_its_judges_and_conversations_and_no_key_of_the_database(self):
        connected.endpoint("Judge")
        run = suites.requested(suites.saved(suites.JUDGED), tries=True)

        found = dict(run_config.parameters(run))

        assert found == {
            "Conversations": "Talks",
            "Tried on": "2",
            "Judges": "Judge",
            "Suite": "1",
            "Version": "1",
        }


@pytest.mark.django_db
class TestParameters:
    def test_say_known_values_in_the_words_of_the_form(self):
        run = run_rows.run(
            config={
                "decision": "text",
                "language": "auto",
                "over": "import:6",
                "prior": "neutral",
                "prompts": {"en": "v3"},
            }
        )

        assert run_config.parameters(run) == [
            ("First answers decided", "by equal text"),
            ("Language of the prompts", "the question’s"),
            ("Questions from", "import 6"),
            ("Told of the first answer", "nothing"),
            ("Prompts › en", "v3"),
        ]


class TestFlat:
    def test_names_what_is_nested_by_its_path(self):
        lines = list(run_config.flat({"b": {"x": True, "y": None}, "a": [1, 2]}))

        assert lines == [("a", "1, 2"), ("b › x", "yes"), ("b › y", "–")]

    def test_tells_a_hash_by_its_beginning(self):
        assert run_config.said("ab12" * 16) == "ab12ab12ab12…"

    def test_calls_a_thing_in_a_list_by_its_name(self):
        named = {"name": "Kestrel 2", "settings": {"temperature": 0}}

        assert run_config.said([named, {"b": 1, "a": True}]) == "Kestrel 2, a yes, b 1"

    def test_cuts_what_is_very_long(self):
        assert len(run_config.said("word " * 1000)) == run_config.LONGEST


@pytest.mark.django_db
class TestFacts:
    def test_name_endpoints_and_leave_prices_out(self):
        endpoint = run_rows.endpoint("Harbour")
        run = run_rows.run(config={"endpoint": endpoint.pk, "prices": {"1": {}}, "n_repeats": 3})

        assert dict(run_config.parameters(run)) == {"endpoint": "Harbour", "n_repeats": "3"}
        assert ("Seed", "0") in run_config.facts(run)
