import pytest

from annotation.people.models import AuditEvent, RaterKind
from annotation.rubrics.models import Criterion
from evalsite import errors
from scoring.endpoints.models import Judge
from scoring.endpoints.queries import EndpointRetired
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants.asking_v1 import Kind
from tests import make
from tests.scoring import assisted, connected

pytestmark = pytest.mark.django_db


class TestCreate:
    def test_makes_a_metric_with_its_range(self):
        made = assisted.assistant(low=1.0, high=5.0, higher_is_better=False)

        own = Criterion.objects.get(rubric_version__rubric__machine__rater=made.rater)
        assert (made.rater.kind, made.name) == (RaterKind.METRIC, "Entailment")
        assert (own.name, own.minimum, own.maximum) == ("Entailment", 1, 5)
        assert not own.higher_is_better
        assert AuditEvent.objects.filter(verb="assistant.made").exists()

    @pytest.mark.parametrize("kind", [Kind.LIKELIHOOD, Kind.ENTAILMENT, Kind.SIMILARITY])
    def test_a_range_that_follows_from_what_is_computed_is_not_chosen(self, kind):
        made = assisted.assistant(kind=kind, low=3.0, high=9.0)

        settings = assistants.settings_of(made)
        assert (settings.low, settings.high) == assistants.RANGES[kind]

    def test_a_range_may_be_open(self):
        made = assisted.assistant(low=None, high=None)

        own = Criterion.objects.get(rubric_version__rubric__machine__rater=made.rater)
        assert (own.minimum, own.maximum) == (None, None)

    def test_the_same_configuration_is_named_and_not_made_twice(self):
        assisted.assistant("A", kind=Kind.SIMILARITY)

        with pytest.raises(assistants.AssistantAlreadyThere, match="“A”"):
            assisted.assistant("B", kind=Kind.SIMILARITY, repeats=5)  # which it has no use for

        assert Judge.objects.count() == 1

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            ({"premise": ""}, "premise"),
            ({"premise": "nothing"}, "premise"),
            ({"low": 1.0, "high": 1.0}, "high"),
            ({"at_once": 0}, "at_once"),
            ({"kind": Kind.ENTAILMENT, "repeats": 99}, "repeats"),
            ({"kind": Kind.ENTAILMENT, "temperature": 3}, "temperature"),
            ({"kind": Kind.ENTAILMENT, "language": "xx"}, "language"),
            ({"name": " "}, "name"),
        ],
    )
    def test_says_what_cannot_be_used(self, settings, field):
        with pytest.raises(assistants.BadAssistant) as refusal:
            assisted.assistant(**settings)

        assert list(refusal.value.fields) == [field]
        assert not Judge.objects.exists()

    def test_refuses_the_name_of_a_metric(self):
        assisted.assistant("BLEURT")

        with pytest.raises(errors.NameTaken):
            assisted.assistant("BLEURT", turned=True)

    def test_refuses_an_endpoint_of_another_project(self):
        other = connected.endpoint(in_=make.project("southport"))

        with pytest.raises(EndpointRetired):
            assisted.assistant(endpoint=other)


class TestSettings:
    def test_are_read_back_as_they_were_given(self):
        given = assistants.AssistantSettings(premise="field:article", turned=True, at_once=4)

        made = assisted.assistant(premise="field:article", turned=True, at_once=4)

        assert assistants.settings_of(made) == given

    def test_say_where_the_texts_come_from_as_metrics_do(self):
        assert assistants.AssistantSettings(premise="both").compared()["references"] == "both"
        assert assistants.AssistantSettings(premise="question").compared()["source"] == "question"
