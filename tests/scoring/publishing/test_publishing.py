import uuid

import pytest

from annotation.rounds import drafting, drawing
from annotation.rounds.models import RoundItem
from annotation.running import discarding
from annotation.systems.rules import Output, Unit
from scoring.engine.models import Run
from scoring.publishing import operations as publishing
from scoring.publishing.models import Publication
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db


def collected(n_items: int = 4, systems: tuple[str, ...] = ("Kestrel", "Heron")) -> Run:
    """Return a run that collected answers of these systems."""
    for number in range(1, n_items + 1):
        make.item(f"Q{number:02}", question=f"What is meant by {number}?")
    for name in systems:
        connected.connection(make.release(name))
    return connected.done(connected.request())


def wish(**more) -> publishing.PublishWish:
    given = {"name": "Rated by people", "seed": "a seed", "secret": make.SECRET, **more}
    return publishing.PublishWish(rubric=make.rubric_version(), **given)


def publish(source: publishing.PublishSource, *, number: int = 1, by_owner: bool = False, **more):
    home = make.project()
    return publishing.publish_for_rating(
        project=home,
        key=uuid.UUID(int=number),
        source=source,
        wish=wish(**more),
        user=connected.owner(home),
        by_owner=by_owner,
        now=make.NOW,
    )


class TestPublishForRating:
    def test_takes_some_of_the_collected_answers_with_a_known_chance(self):
        run = collected()

        round_ = publish(publishing.source_of(run), n=2)
        drawing.prepare(round_=round_, now=make.NOW)

        items = RoundItem.objects.filter(round=round_)
        assert set(items.values_list("inclusion_probability", "chance_unknown")) == {(0.5, "")}
        shown = [one.response.details["run"] for item in items for one in item.responses.all()]
        assert shown == [run.number] * 4
        kept = Publication.objects.get()
        assert (kept.run, kept.n_units, kept.n_taken, kept.scripted) == (run, 4, 2, True)

    def test_shows_the_answers_of_the_run_where_there_are_others(self):
        make.response(make.item("Q01"), make.release("Kestrel", "0"))
        run = collected(1, ("Kestrel",))
        item = run.steps.first().item
        make.response(item, make.release("Kestrel"), "Brought in later, and first by name.")

        round_ = publish(publishing.source_of(run))
        drawing.prepare(round_=round_, now=make.NOW)

        responses = [one.response for item in round_.items.all() for one in item.responses.all()]
        assert {one.origin for one in responses} == {"GENERATED"}

    def test_is_one_round_when_it_is_asked_for_twice(self):
        source = publishing.source_of(collected(1))

        assert publish(source) == publish(source)
        assert publish(source, number=2) != publish(source)

    def test_is_refused_when_its_round_was_discarded(self, monkeypatch):
        source = publishing.source_of(collected(1))
        made = publish(source)
        discarding.discard(round_=made, by=made.created_by, now=make.NOW)

        with pytest.raises(publishing.WasDiscarded, match="was discarded"):
            publish(source)

        assert not Publication.objects.exists()
        assert publish(source, number=2).number == 2

    def test_takes_the_releases_that_are_named(self):
        run = collected(2)
        heron = make.release("Heron")

        round_ = publish(publishing.source_of(run, releases=[heron.pk]))

        assert [one.release for one in round_.systems.all()] == [heron]

    def test_publishes_anything_that_is_said_in_units(self):
        said = [{"role": "assistant", "content": "It depends."}]
        unit = Unit(
            "dialogue-1",
            [Output(make.release().pk, said, origin="DIALOGUE")],
            messages=[{"role": "user", "content": "Why?"}],
            chance=0.5,
        )

        round_ = publish(publishing.PublishSource([unit]))
        drawing.prepare(round_=round_, now=make.NOW)

        assert round_.items.get().inclusion_probability == 0.5
        assert Publication.objects.get().run is None

    def test_refuses_more_than_there_is(self):
        source = publishing.source_of(collected(2))

        with pytest.raises(publishing.TooManyToPublish, match="1 to 2"):
            publish(source, n=3)

        assert not Publication.objects.exists()

    def test_refuses_a_name_that_tells_annotators_who_is_judged(self):
        source = publishing.source_of(collected(1))

        with pytest.raises(publishing.RoundNamesSystem, match="Kestrel"):
            publish(source, name="Answers of Kestrel and others")

    def test_refuses_nothing(self):
        with pytest.raises(publishing.NothingToPublish):
            publish(publishing.PublishSource([]))

    def test_refuses_few_seats_but_for_an_owners_reason(self):
        source = publishing.source_of(collected(1))

        with pytest.raises(drafting.OverrideNeeded):
            publish(source, n_seats=1, override="A pilot.")
        round_ = publish(source, n_seats=1, override="A pilot.", by_owner=True)

        assert (round_.n_seats, round_.seats_override) == (1, "A pilot.")


class TestSourceOf:
    def test_is_nothing_before_a_run_has_put_something_out(self):
        connected.connection()
        make.item()

        with pytest.raises(publishing.NothingToPublish, match="yet"):
            publishing.source_of(connected.request())

    def test_is_nothing_for_runs_that_put_nothing_out(self):
        with pytest.raises(publishing.NothingToPublish, match="kind"):
            publishing.source_of(Run(kind=Run.Kind.METRICS))

    def test_has_one_answer_of_a_release_to_a_question(self):
        make.item("Q01")
        connected.connection()
        run = connected.done(connected.request(samples=3))

        (unit,) = publishing.source_of(run).units

        assert len(unit.outputs) == 1
