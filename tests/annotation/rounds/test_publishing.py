import pytest

from annotation.imports import collecting
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, draws, publishing
from annotation.rounds.rules import Draw
from annotation.systems.models import Item, Response
from annotation.systems.rules import Output, Unit
from tests import make

pytestmark = pytest.mark.django_db


def design(n_seats: int = 3) -> publishing.PublishedDesign:
    return publishing.PublishedDesign(
        settings=drafting.RoundSettings(name="Dialogues", n_seats=n_seats),
        rubric=make.rubric_version(),
        seed="a seed",
        secret=make.SECRET,
    )


def publish(units, **more):
    project, by = make.project(), make.user("northport-owner")
    written = publishing.write(project=project, units=units, now=make.NOW)
    return publishing.draft(
        project=project,
        written=written,
        design=more.pop("design", None) or design(),
        by=by,
        by_owner=False,
        now=make.NOW,
    )


def unit(number: int, system: str = "Kestrel", *, chance: float = 1.0, text: str = ""):
    said = [{"role": "assistant", "content": text or f"Said {number} by {system}."}]
    release = make.release(system)
    return Unit(
        external_id=f"run-1/Q{number:02}/{release.pk}",
        messages=[{"role": "user", "content": f"What is {number}?"}],
        reference="A thing.",
        outputs=[Output(release.pk, said, origin=Response.Origin.DIALOGUE)],
        group=f"Q{number:02}",
        chance=chance,
    )


class TestPublish:
    def test_makes_items_and_responses_of_a_draft_that_draws_them(self):
        round_ = publish([unit(1), unit(2), unit(1, "Heron")])

        drawing.prepare(round_=round_, now=make.NOW)

        assert round_.items.count() == 3
        shown = [
            (row.item.group, [one.response.messages[0]["content"] for one in row.responses.all()])
            for row in round_.items.all()
        ]
        assert sorted(shown) == [
            ("Q01", ["Said 1 by Heron."]),
            ("Q01", ["Said 1 by Kestrel."]),
            ("Q02", ["Said 2 by Kestrel."]),
        ]
        assert {one.origin for one in Response.objects.all()} == {"DIALOGUE"}
        assert round_.draw["prepared"]["missing"] == 0

    def test_keeps_with_what_chance_each_was_chosen(self):
        round_ = publish([unit(1, chance=0.5), unit(2, chance=0.25)])

        drawing.prepare(round_=round_, now=make.NOW)

        kept = round_.items.values_list("item__group", "inclusion_probability", "chance_unknown")
        assert sorted(kept) == [("Q01", 0.5, ""), ("Q02", 0.25, "")]

    def test_multiplies_the_chance_where_the_draft_draws_fewer(self):
        round_ = publish([unit(n, chance=0.5) for n in range(4)])
        by = round_.created_by

        drafting.choose_draw(
            round_=round_, draw=Draw(n_items=2, complete_only=False), by=by, now=make.NOW
        )
        drawing.prepare(round_=round_, now=make.NOW)

        assert set(round_.items.values_list("inclusion_probability", flat=True)) == {0.25}
        assert round_.items.count() == 2

    def test_finds_what_is_there_when_it_is_done_again(self):
        publish([unit(1), unit(2)])
        publish([unit(1), unit(2)])

        assert Item.objects.count() == 2
        assert Response.objects.count() == 2

    def test_takes_items_and_responses_that_are_there(self):
        item, release = make.item("Q01"), make.release()
        first, second = make.response(item, release, "One."), make.response(item, release, "Two.")

        for response in (first, second):
            output = Output(release.pk, response_id=response.pk)
            round_ = publish([Unit("Q01", [output], item_id=item.pk)])
            drawing.prepare(round_=round_, now=make.NOW)

            assert round_.items.get().responses.get().response == response

    def test_refuses_what_another_project_judges(self):
        foreign = make.release("Bittern", in_=make.project("southgate"))

        with pytest.raises(drafting.DesignInvalid, match="another project"):
            publish([Unit("x", [Output(foreign.pk)])])

    def test_refuses_to_publish_nothing(self):
        with pytest.raises(drafting.DesignInvalid, match="nothing to publish"):
            publish([])

    def test_refuses_more_releases_than_a_page_holds(self):
        with pytest.raises(drafting.DesignInvalid, match="up to 8"):
            publish([unit(1, f"S{n}") for n in range(9)])

    def test_refuses_few_seats_without_an_owner(self):
        with pytest.raises(drafting.OverrideNeeded):
            publish([unit(1)], design=design(n_seats=1))

    def test_can_be_opened_and_graded_like_any_other(self):
        round_ = publish([unit(1), unit(2, "Heron", text="I am Heron, an AI assistant.")])
        users = [make.member(Role.ANNOTATOR, username=f"ann-{n}") for n in (1, 2, 3)]
        drafting.invite(
            round_=round_,
            users=users,
            by=round_.created_by,
            by_owner=True,
            now=make.NOW,
            override="",
        )

        counts = drawing.prepare(round_=round_, now=make.NOW)

        assert counts["hits"] > 0


class TestWhatWasPublished:
    def test_is_drawn_by_no_other_round(self):
        publish([unit(1)])
        draft = make.draft_round(n_items=2)

        rows = draws.rows(draft, Draw())

        assert sorted(row.external_id for row in rows) == ["Q01", "Q02"]

    def test_lacks_no_answer_that_could_be_collected(self):
        round_ = publish([unit(1), unit(1, "Heron")])

        assert collecting.of_round(round_, make.NOW).n_missing == 0

    def test_is_left_out_where_its_release_does_not_take_part(self):
        round_ = publish([unit(1), unit(2, "Heron")])
        drafting.choose_releases(
            round_=round_, releases=[make.release("Heron")], by=round_.created_by, now=make.NOW
        )

        plan = draws.plan(round_, Draw.from_json(round_.draw), make.NOW)

        assert [one.candidate.external_id[:9] for one in plan.items] == ["run-1/Q02"]
