import pytest

from annotation import models
from annotation.rounds import drafting, drawing, opening
from annotation.rounds import draws as draw_plans
from annotation.rounds.models import IdentityHit, RoundItem, RoundResponse
from tests import make, tampering

pytestmark = pytest.mark.django_db


def prepare(round_):
    return drawing.prepare(round_=round_, now=make.NOW)


def drawn(round_) -> list[str]:
    return list(round_.items.order_by("ordinal").values_list("item__external_id", flat=True))


def wish(round_, **draw):
    drafting.choose_draw(
        round_=round_, draw=drafting.Draw(**draw), by=round_.created_by, now=make.NOW
    )


def bank():
    """Return a draft over four simple questions and two difficult ones, and the two strata."""
    round_ = make.draft_round(n_items=6)
    capability = make.capability()
    models.Item.objects.update(capability=capability, difficulty="SIMPLE")
    models.Item.objects.filter(external_id__in=["Q05", "Q06"]).update(difficulty="DIFFICULT")
    return round_, f"{capability.pk}|SIMPLE", f"{capability.pk}|DIFFICULT"


def drawn_by_stratum(round_) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for name, chance in round_.items.values_list("stratum", "inclusion_probability"):
        found.setdefault(name, []).append(chance)
    return found


class TestPrepare:
    def test_draws_items_with_the_responses_that_stand_for_each_release(self):
        round_ = make.draft_round(n_items=3, n_releases=2)

        assert sorted(drawn(round_)) == ["Q01", "Q02", "Q03"]
        assert list(round_.items.values_list("ordinal", "n_seats")) == [(0, 3), (1, 3), (2, 3)]
        for item in round_.items.all():
            for row in item.responses.all():
                assert row.response.item_id == item.item_id
                assert row.response.release_id == row.release_id
        kept = round_.draw["prepared"]
        counts = {key: kept[key] for key in ("items", "eligible", "responses", "missing", "hits")}
        assert counts == {"items": 3, "eligible": 3, "responses": 6, "missing": 0, "hits": 0}

    def test_draws_by_lot_from_the_seed(self):
        one, again, other = (
            make.draft_round(n_items=12, seed=seed) for seed in ("one", "one", "other")
        )

        assert drawn(one) == drawn(again)
        assert drawn(one) != drawn(other)
        assert drawn(one) != sorted(drawn(one))

    def test_draws_no_more_than_wanted_and_says_with_which_chance(self):
        round_ = make.draft_round(n_items=8)
        wish(round_, n_items=2)
        prepare(round_)

        assert len(drawn(round_)) == 2
        assert set(round_.items.values_list("inclusion_probability", flat=True)) == {0.25}

    def test_starts_afresh_every_time(self):
        round_ = make.draft_round(n_items=3)
        before = drawn(round_)

        prepare(round_)
        prepare(round_)

        assert drawn(round_) == before
        assert RoundResponse.objects.filter(round_item__round=round_).count() == 6

    @pytest.mark.parametrize(("complete_only", "expected"), [(True, 2), (False, 3)])
    def test_leaves_out_or_takes_items_that_lack_a_response(self, complete_only, expected):
        round_ = make.draft_round(n_items=3)
        models.RoundItem.objects.all().delete()
        models.Response.objects.latest("pk").delete()
        wish(round_, complete_only=complete_only)

        counts = prepare(round_)

        assert (counts["items"], counts["missing"]) == (expected, expected - 2)

    def test_takes_the_first_sample(self):
        round_ = make.draft_round(n_items=1)
        first = models.Response.objects.earliest("pk")
        first.pk, first.sample_no, first.content_sha = None, 2, "0" * 64
        first.save(force_insert=True)

        prepare(round_)

        samples = RoundResponse.objects.values_list("response__sample_no", flat=True)
        assert set(samples) == {1}

    def test_sees_nothing_of_a_batch_that_is_not_applied(self):
        round_ = make.draft_round(n_items=2)
        batch = models.ImportBatch.objects.create(
            project=round_.project,
            number=1,
            kind="ANSWERS",
            file_name="f",
            file_sha="0",
            mapping={},
            mapping_sha="0",
            created_by=round_.created_by,
            created_at=make.NOW,
            touched_at=make.NOW,
        )
        models.Item.objects.filter(external_id="Q01").update(batch=batch)

        prepare(round_)

        assert drawn(round_) == ["Q02"]

    def test_refuses_when_nothing_fits(self):
        round_ = make.draft_round()
        wish(round_, capabilities=[make.capability().pk])

        with pytest.raises(drawing.NothingToDraw):
            prepare(round_)

        round_.refresh_from_db()
        assert not drafting.UNDERWAY & set(round_.draw)

    def test_says_on_the_draft_why_a_worker_could_not(self):
        round_ = make.draft_round()
        wish(round_, capabilities=[make.capability().pk])
        drawing.request_preparing(round_=round_, by=round_.created_by, now=make.NOW)

        drawing.prepare_waiting(round_=round_, clock=lambda: make.NOW)

        round_.refresh_from_db()
        assert round_.draw["stopped"].startswith("No item fits this draw.")
        drafting.touch(round_)
        assert not drafting.UNDERWAY & set(round_.draw)

    def test_is_given_up_when_workers_end_over_it(self, monkeypatch):
        round_ = make.draft_round()
        drawing.request_preparing(round_=round_, by=round_.created_by, now=make.NOW)

        def dies(_round):
            raise SystemExit

        monkeypatch.setattr(drawing, "scan", dies)
        for worker in range(3):
            with pytest.raises(SystemExit):
                drawing.prepare_waiting(round_=round_, clock=lambda at=worker: make.at(2 * at))
        drawing.prepare_waiting(round_=round_, clock=lambda: make.at(6))

        round_.refresh_from_db()
        assert "preparing" not in round_.draw
        assert round_.draw["stopped"].startswith("The worker ended three times")

    def test_is_left_to_the_worker_that_says_it_is_at_work(self, monkeypatch):
        round_ = make.draft_round(n_items=2)
        drawing.request_preparing(round_=round_, by=round_.created_by, now=make.NOW)
        scan, other = drawing.scan, models.Round.objects.get(pk=round_.pk)

        def takes_minutes(slow):
            for minute in (0, 1, 2, 5, 11, 25):
                drawing._beat(slow, make.at(minute))
                drawing.sweep(make.at(minute))
                other.refresh_from_db()
                drawing.prepare_waiting(round_=other, clock=lambda at=minute: make.at(at))
            other.refresh_from_db()
            assert other.draw["preparing"]["tries"] == 1
            return scan(slow)

        monkeypatch.setattr(drawing, "scan", takes_minutes)
        monkeypatch.setattr(drawing, "ring", lambda _pk: pytest.fail("somebody is at work"))
        drawing.prepare_waiting(round_=round_, clock=lambda: make.NOW)

        round_.refresh_from_db()
        assert round_.draw["prepared"]["items"] == 2

    def test_keeps_the_last_word_of_its_worker_while_it_goes_on(self, monkeypatch):
        round_ = make.draft_round(n_items=2)
        choose, scan = drawing._chosen, drawing.scan

        def choose_slowly(slow, now):
            drawing._beat(slow, make.at(3))
            return choose(slow, now)

        def look(slow):
            kept = models.Round.objects.get(pk=slow.pk).draw["preparing"]
            assert (kept["at"], kept["items"]) == (make.at(3).isoformat(), 2)
            return scan(slow)

        monkeypatch.setattr(drawing, "_chosen", choose_slowly)
        monkeypatch.setattr(drawing, "scan", look)
        prepare(round_)

        assert "prepared" in models.Round.objects.get(pk=round_.pk).draw

    def test_is_taken_over_from_a_worker_that_fell_silent(self, monkeypatch):
        round_ = make.draft_round()
        drawing.request_preparing(round_=round_, by=round_.created_by, now=make.NOW)
        rung = []
        monkeypatch.setattr(drawing, "ring", rung.append)
        drawing._begin(round_, make.NOW, n_items=None, tries=1)

        drawing.sweep(make.at(1))
        drawing.sweep(make.at(2))
        drawing.prepare_waiting(round_=round_, clock=lambda: make.at(2))

        round_.refresh_from_db()
        assert rung == [round_.pk]
        assert "prepared" in round_.draw

    def test_refuses_without_releases(self):
        round_ = make.draft_round()
        round_.systems.all().delete()

        with pytest.raises(drawing.NothingToDraw):
            prepare(round_)

    def test_refuses_a_round_that_is_open_or_being_opened(self):
        round_ = make.draft_round()
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        with pytest.raises(drafting.NotADraft):
            prepare(round_)
        opening.open_round(round_=round_, now=make.NOW)
        with pytest.raises(drafting.NotADraft):
            prepare(round_)

        assert RoundItem.objects.count() == 2


class TestAStratifiedDraw:
    def test_meets_quotas_and_names_what_is_missing(self):
        round_, simple, hard = bank()
        wish(round_, how="QUOTAS", quotas={simple: 2, hard: 5})

        prepare(round_)

        assert drawn_by_stratum(round_) == {simple: [0.5, 0.5], hard: [1.0, 1.0]}
        kept = {one["name"]: one for one in round_.draw["prepared"]["strata"]}
        assert (kept[hard]["wanted"], kept[hard]["available"], kept[hard]["drawn"]) == (5, 2, 2)

    def test_shares_a_number_out_over_the_strata(self):
        round_, simple, hard = bank()
        wish(round_, how="SHARES", n_items=3)

        prepare(round_)

        assert {name: len(got) for name, got in drawn_by_stratum(round_).items()} == {
            simple: 2,
            hard: 1,
        }

    def test_makes_up_what_a_stratum_lacks_where_that_is_wanted(self):
        round_, simple, hard = bank()
        wish(round_, how="QUOTAS", quotas={simple: 1, hard: 4}, make_up=True)

        prepare(round_)

        assert round_.items.count() == 5

    def test_says_that_the_chance_of_what_was_named_is_not_known(self):
        round_ = make.draft_round(n_items=3)
        wish(round_, external_ids=["Q01", "Q02"])

        prepare(round_)

        rows = round_.items.values_list("inclusion_probability", "chance_unknown")
        assert set(rows) == {(None, "NAMED")}

    def test_avoids_what_was_used_lately_unless_it_is_needed(self):
        make.open_round(n_items=3)
        round_ = make.draft_round(n_items=5)
        wish(round_, n_items=3, avoid_rounds=1)

        prepare(round_)

        names = set(drawn(round_))
        assert {"Q04", "Q05"} < names
        kept = round_.draw["prepared"]["strata"][0]
        assert (kept["recent"], kept["drawn_recent"]) == (3, 1)
        chances = round_.items.values_list("inclusion_probability", flat=True)
        assert sorted(chance or 0 for chance in chances) == pytest.approx([1 / 3, 1, 1])

    def test_keeps_the_sample_when_the_answers_come_later(self):
        round_ = make.draft_round(n_items=6)
        kept = list(models.Response.objects.values())
        models.RoundItem.objects.all().delete()
        models.Response.objects.all().delete()
        wish(round_, n_items=3, complete_only=False, unanswered=True)
        prepare(round_)
        before = drawn(round_)
        models.Response.objects.bulk_create(models.Response(**one) for one in kept)

        counts = prepare(round_)

        assert drawn(round_) == before
        assert (counts["missing"], counts["responses"]) == (0, 6)
        assert set(round_.items.values_list("inclusion_probability", flat=True)) == {0.5}


class TestAnchors:
    def test_come_from_an_earlier_round_and_are_at_most_half(self):
        make.open_round(n_items=6)
        round_ = make.draft_round(n_items=8)
        wish(round_, anchors_from=1)

        prepare(round_)

        anchors = round_.items.filter(purpose="ANCHOR")
        assert anchors.count() == 4
        assert set(anchors.values_list("inclusion_probability", "chance_unknown")) == {
            (None, "ANCHOR")
        }
        names = set(anchors.values_list("item__external_id", flat=True))
        assert names <= {f"Q0{number}" for number in range(1, 7)}
        assert round_.items.count() == 8

    def test_are_pairs_that_have_not_changed(self):
        make.open_round(n_items=3, n_releases=1)
        round_ = make.draft_round(n_items=6, n_releases=1)
        changed = models.Response.objects.filter(item__external_id__in=["Q01", "Q02"])
        with tampering.unguarded():
            changed.update(content_sha="0" * 64)
        earlier = models.Round.objects.get(number=1)
        as_before = RoundResponse.objects.filter(round_item__round=earlier)
        for row in as_before.filter(round_item__item__external_id__in=["Q01", "Q02"]):
            with tampering.unguarded():
                models.Response.objects.filter(pk=row.response_id).update(content_sha="1" * 64)
            other = models.Response.objects.get(pk=row.response_id)
            other.pk, other.content_sha, other.sample_no = None, "2" * 64, 0
            other.save(force_insert=True)
        wish(round_, anchors_from=1)

        prepare(round_)

        names = round_.items.filter(purpose="ANCHOR").values_list("item__external_id", flat=True)
        assert list(names) == ["Q03"]
        assert round_.draw["prepared"]["anchors"]["available"] == 1

    def test_come_on_top_of_a_number(self):
        make.open_round(n_items=6)
        round_ = make.draft_round(n_items=12)
        wish(round_, n_items=3, anchors_from=1)

        prepare(round_)

        purposes = list(round_.items.values_list("purpose", flat=True))
        assert (purposes.count("ANCHOR"), purposes.count("NORMAL")) == (3, 3)

    def test_are_at_most_half_where_there_are_too_few_for_both(self):
        make.open_round(n_items=12)
        round_ = make.draft_round(n_items=12)
        wish(round_, n_items=10, anchors_from=1)

        prepare(round_)

        purposes = list(round_.items.values_list("purpose", flat=True))
        assert (purposes.count("ANCHOR"), purposes.count("NORMAL")) == (6, 6)
        prepared = round_.draw["prepared"]
        assert (prepared["by_lot"], prepared["anchors"]["wanted"]) == (6, 6)


class TestRepeats:
    def test_are_items_of_the_round_on_a_second_occasion(self):
        round_ = make.draft_round(n_items=10)
        wish(round_, repeats=20)

        counts = prepare(round_)

        again = round_.items.filter(purpose="REPEAT")
        assert (counts["items"], again.count()) == (12, 2)
        first = round_.items.filter(occasion=1)
        assert set(again.values_list("item", flat=True)) < set(first.values_list("item", flat=True))
        assert set(again.values_list("occasion", "chance_unknown")) == {(2, "REPEAT")}
        assert min(again.values_list("ordinal", flat=True)) == 10
        assert all(one.responses.count() == 2 for one in again)

    def test_need_something_to_lie_between(self):
        round_ = make.draft_round(n_items=3)
        wish(round_, repeats=50)

        assert prepare(round_)["items"] == 3


class TestAPreparationThatIsOvertaken:
    def test_stops_where_the_releases_were_changed_meanwhile(self, monkeypatch):
        round_ = make.draft_round()
        whole = draw_plans.plan

        def change_meanwhile(*args):
            elsewhere = models.Round.objects.get(pk=round_.pk)
            drafting.choose_releases(
                round_=elsewhere, releases=[make.release()], by=round_.created_by, now=make.NOW
            )
            return whole(*args)

        monkeypatch.setattr(draw_plans, "plan", change_meanwhile)
        with pytest.raises(drafting.NotADraft):
            prepare(round_)

        round_.refresh_from_db()
        assert "prepared" not in round_.draw


class TestScan:
    def test_reports_what_only_one_system_begins_with(self):
        round_ = make.draft_round(n_items=4)
        for place, response in enumerate(models.Response.objects.order_by("release", "item")):
            said = (
                f"**Role**: you are a helper.\n\nAnswer {place}."
                if place < 4
                else f"{place} is it."
            )
            models.Response.objects.filter(pk=response.pk).update(
                messages=[{"role": "assistant", "content": said}]
            )
        prepare(round_)

        hits = round_.identity_hits.filter(kind="OPENING")

        assert hits.count() == 4
        assert {one.term for one in hits} == {"**Role**: you are a helper. Answer"}
        assert {one.decision for one in hits} == {"UNDECIDED"}

    def test_finds_names_aliases_and_makers(self):
        round_ = make.draft_round(n_items=2, n_releases=2)
        models.System.objects.filter(name="Heron").update(aliases=["Blue Wader"])
        texts = ["Ask the blue wader.", "Kestrel was made by OpenAI."]
        for response, text in zip(models.Response.objects.order_by("pk"), texts, strict=False):
            models.Response.objects.filter(pk=response.pk).update(
                messages=[{"role": "assistant", "content": text}]
            )

        n_hits = drawing.scan(round_)

        hits = IdentityHit.objects.order_by("response", "start")
        assert list(hits.values_list("term", "start", "end")) == [
            ("Blue Wader", 8, 18),
            ("Kestrel", 0, 7),
            ("Open AI", 20, 26),
        ]
        assert n_hits == 3

    def test_forgets_what_is_not_there_any_more(self):
        round_ = make.draft_round(n_items=1)
        response = RoundResponse.objects.earliest("pk").response
        IdentityHit.objects.create(
            round=round_, response=response, term="Gone", kind="TERM", start=0, end=4
        )

        assert drawing.scan(round_) == 0
        assert not IdentityHit.objects.exists()


class TestLexicon:
    def test_holds_names_aliases_and_longer_labels(self):
        round_ = make.draft_round(n_items=1, n_releases=1)
        models.SystemRelease.objects.update(label="2026-03-preview")
        models.System.objects.update(aliases=["K1", " "])

        assert list(drawing.lexicon(round_).terms) == ["2026-03-preview", "K1", "Kestrel"]
