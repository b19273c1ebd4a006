from typing import Any

import pytest

from annotation import models
from annotation.people.models import Role
from annotation.rounds import drafting, opening
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    make.project()
    return models.User.objects.get(username="northport-owner")


@pytest.fixture
def draft(owner):
    return begin(owner)


def begin(owner, **changes):
    wanted = {"name": "A round", "seed": "s", "secret": make.SECRET, "by": owner, "now": make.NOW}
    return drafting.create_round(project=make.project(), **{**wanted, **changes})


def configure(round_, *, by_owner=True, now=make.NOW, **settings):
    drafting.configure(
        round_=round_,
        settings=drafting.RoundSettings(**{"name": "A round", **settings}),
        by=round_.created_by,
        by_owner=by_owner,
        now=now,
    )


def invite(round_, *users, by_owner=True, override=""):
    drafting.invite(
        round_=round_,
        users=users,
        by=round_.created_by,
        by_owner=by_owner,
        now=make.NOW,
        override=override,
    )


def verbs(project=None) -> list[str]:
    return list(models.AuditEvent.objects.order_by("pk").values_list("verb", flat=True))


class TestCreateRound:
    def test_counts_rounds_within_the_project(self, owner):
        other = make.project("southport")

        first, second = begin(owner), begin(owner)
        elsewhere = drafting.create_round(
            project=other, name="R", seed="s", secret=make.SECRET, by=owner, now=make.NOW
        )

        assert (first.number, second.number, elsewhere.number) == (1, 2, 1)
        assert first.state == "DRAFT"
        assert verbs()[-1] == "round.created"

    def test_refuses_a_secret_that_keeps_none(self, owner):
        with pytest.raises(ValueError, match="16 bytes"):
            begin(owner, secret=b"short")

        assert not models.Round.objects.exists()


class TestConfigure:
    def test_sets_what_can_be_set(self, draft):
        configure(draft, name=" Spring ", n_seats=4, lease_minutes=20, deadline=make.at(60))

        assert (draft.name, draft.n_seats, draft.lease_minutes) == ("Spring", 4, 20)
        assert draft.deadline == make.at(60)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("name", "  "),
            ("name", "x" * 201),
            ("n_seats", 0),
            ("n_seats", 101),
            ("lease_minutes", 0),
            ("lease_minutes", 100_000),
            ("deadline", make.NOW),
        ],
    )
    def test_refuses_what_cannot_be_used_and_says_which(self, draft, field, value):
        with pytest.raises(drafting.DesignInvalid) as refusal:
            configure(draft, **{field: value})

        assert list(refusal.value.fields) == [field]
        draft.refresh_from_db()
        assert (draft.n_seats, draft.lease_minutes, draft.deadline) == (3, 30, None)

    @pytest.mark.parametrize(("by_owner", "reason"), [(False, "A pilot."), (True, " ")])
    def test_refuses_fewer_than_three_seats_without_an_owners_reason(self, draft, by_owner, reason):
        with pytest.raises(drafting.OverrideNeeded):
            configure(draft, n_seats=2, seats_override=reason, by_owner=by_owner)

        draft.refresh_from_db()
        assert draft.n_seats == 3

    def test_keeps_an_owners_reason_when_a_curator_changes_something_else(self, draft):
        configure(draft, n_seats=1, seats_override="A pilot.")

        configure(draft, name="New", n_seats=1, seats_override="A pilot.", by_owner=False)

        assert (draft.name, draft.n_seats, draft.seats_override) == ("New", 1, "A pilot.")

    def test_drops_the_reason_when_it_is_not_needed_any_more(self, draft):
        configure(draft, n_seats=1, seats_override="A pilot.")
        configure(draft, n_seats=3, seats_override="A pilot.")

        assert draft.seats_override == ""


class TestAnOpenRound:
    def test_is_changed_by_nothing(self):
        round_ = make.open_round()
        made: dict[str, Any] = {"round_": round_, "by": round_.created_by, "now": make.NOW}
        version = make.rubric_version()

        for change in (
            lambda: configure(round_, n_seats=5),
            lambda: drafting.choose_releases(releases=[make.release()], **made),
            lambda: drafting.choose_rubrics(by_capability={}, rest=version, **made),
            lambda: drafting.choose_draw(draw=drafting.Draw(n_items=1), **made),
        ):
            with pytest.raises(drafting.NotADraft):
                change()

        round_.refresh_from_db()
        assert round_.n_seats == 3
        assert round_.systems.count() == 2

    def test_is_frozen_from_the_moment_it_is_being_opened(self):
        round_ = make.draft_round()
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)

        with pytest.raises(drafting.NotADraft):
            configure(round_, n_seats=5)


class TestAPreparedDraft:
    @pytest.mark.parametrize("change", ["settings", "releases", "rubrics", "draw"])
    def test_has_to_be_prepared_anew_after_a_change(self, change):
        round_ = make.draft_round()
        made: dict[str, Any] = {"round_": round_, "by": round_.created_by, "now": make.NOW}
        assert "prepared" in round_.draw

        if change == "settings":
            configure(round_, n_seats=4)
        elif change == "releases":
            drafting.choose_releases(releases=[make.release()], **made)
        elif change == "rubrics":
            drafting.choose_rubrics(by_capability={}, rest=make.rubric_version(), **made)
        else:
            drafting.choose_draw(draw=drafting.Draw(n_items=1), **made)

        assert "prepared" not in round_.draw


class TestChooseReleases:
    def choose(self, round_, releases):
        drafting.choose_releases(
            round_=round_, releases=releases, by=round_.created_by, now=make.NOW
        )

    def test_makes_exactly_these_the_ones_compared(self, draft):
        one, two, three = (make.release(name) for name in make.SYSTEMS[:3])
        self.choose(draft, [one, two])
        self.choose(draft, [two, three, three])

        assert {row.release for row in draft.systems.all()} == {two, three}

    @pytest.mark.parametrize("count", [0, 9])
    def test_refuses_none_and_more_than_eight(self, draft, count):
        releases = [make.release("Kestrel", str(label)) for label in range(count)]

        with pytest.raises(drafting.DesignInvalid):
            self.choose(draft, releases)

        assert not draft.systems.exists()

    def test_refuses_one_of_another_project(self, draft):
        stranger = make.release(in_=make.project("southport"))

        with pytest.raises(drafting.DesignInvalid):
            self.choose(draft, [stranger])


class TestChooseRubrics:
    def choose(self, round_, by_capability, rest):
        drafting.choose_rubrics(
            round_=round_,
            by_capability=by_capability,
            rest=rest,
            by=round_.created_by,
            now=make.NOW,
        )

    def test_sets_one_for_a_capability_and_one_for_the_rest(self, draft):
        own, rest = make.rubric_version("own"), make.rubric_version("rest")
        capability = make.capability()

        self.choose(draft, {capability: own}, None)
        self.choose(draft, {capability: own}, rest)

        chosen = {row.capability: row.rubric_version for row in draft.rubrics.all()}
        assert chosen == {capability: own, None: rest}

    def test_refuses_a_rubric_without_criteria(self, draft):
        with pytest.raises(drafting.DesignInvalid, match="no criterion"):
            self.choose(draft, {}, make.rubric_version("empty", criteria=()))

    def test_refuses_what_belongs_to_another_project(self, draft):
        other = make.project("southport")

        with pytest.raises(drafting.DesignInvalid, match="rubrics"):
            self.choose(draft, {}, make.rubric_version(in_=other))
        with pytest.raises(drafting.DesignInvalid, match="capabilities"):
            self.choose(draft, {make.capability(in_=other): make.rubric_version()}, None)

        assert not draft.rubrics.exists()


class TestChooseDraw:
    def test_refuses_a_number_below_one(self, draft):
        with pytest.raises(drafting.DesignInvalid):
            drafting.choose_draw(
                round_=draft, draw=drafting.Draw(n_items=0), by=draft.created_by, now=make.NOW
            )

    def test_stores_what_is_wanted(self, draft):
        wanted = drafting.Draw(capabilities=[5, 3], n_items=7, complete_only=False)
        drafting.choose_draw(round_=draft, draw=wanted, by=draft.created_by, now=make.NOW)

        stored = {key: draft.draw[key] for key in ("capabilities", "n_items", "complete_only")}
        assert stored == {"capabilities": [3, 5], "n_items": 7, "complete_only": False}


class TestInvite:
    def test_makes_exactly_these_the_annotators(self, draft):
        one, two, three = (make.member(Role.ANNOTATOR, username=name) for name in "abc")
        invite(draft, one, two)
        invite(draft, two, three)

        places = draft.annotators.order_by("rater__user__username")
        rows = places.values_list("rater__user__username", "ended_at")
        assert list(rows) == [("a", make.NOW), ("b", None), ("c", None)]

    def test_takes_somebody_back_where_they_left(self, draft):
        one = make.member(Role.ANNOTATOR, username="a")
        invite(draft, one)
        draft.annotators.update(cursor=5)
        invite(draft)
        invite(draft, one)

        place = draft.annotators.get()
        assert (place.ended_at, place.cursor) == (None, 5)

    def test_refuses_who_is_no_annotator(self, draft):
        with pytest.raises(drafting.DesignInvalid, match="not an annotator"):
            invite(draft, make.member(Role.DESIGNER))

    @pytest.mark.parametrize("role", [Role.OWNER, Role.CURATOR, Role.ANALYST])
    def test_refuses_who_can_see_identities_without_an_owners_reason(self, draft, role):
        seeing = make.member(Role.ANNOTATOR, username="both")
        make.member(role, username="both")

        with pytest.raises(drafting.OverrideNeeded):
            invite(draft, seeing)
        with pytest.raises(drafting.OverrideNeeded):
            invite(draft, seeing, override="We are few.", by_owner=False)
        assert not draft.annotators.exists()

        invite(draft, seeing, override="We are few.")
        assert draft.annotators.get().override == "We are few."
        assert models.AuditEvent.objects.latest("pk").note == "We are few."

    def test_asks_for_the_reason_of_who_has_come_to_see_them(self, draft):
        somebody = make.member(Role.ANNOTATOR, username="both")
        invite(draft, somebody)
        make.member(Role.ANALYST, username="both")

        with pytest.raises(drafting.OverrideNeeded):
            invite(draft, somebody)
        invite(draft, somebody, override="We are few.")

        assert draft.annotators.get().override == "We are few."

    def test_goes_on_while_the_round_is_open_and_ends_when_it_is_final(self):
        round_ = make.open_round()
        late = make.member(Role.ANNOTATOR, username="late")
        invite(round_, late)
        assert round_.annotators.filter(ended_at=None).count() == 1
        models.Round.objects.update(state="FINAL")
        round_.refresh_from_db()

        with pytest.raises(drafting.NotADraft):
            invite(round_)
