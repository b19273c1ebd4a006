import pytest

from annotation import models
from annotation.models import IdentityHit, RoundItem, RoundResponse
from annotation.operations.rounds import drafting, drawing, opening
from tests import make

pytestmark = pytest.mark.django_db


def prepare(round_):
    return drawing.prepare(round_=round_, now=make.NOW)


def drawn(round_) -> list[str]:
    return list(round_.items.order_by("ordinal").values_list("item__external_id", flat=True))


def wish(round_, **draw):
    drafting.choose_draw(
        round_=round_, draw=drafting.Draw(**draw), by=round_.created_by, now=make.NOW
    )


class TestPrepare:
    def test_draws_items_with_the_responses_that_stand_for_each_release(self):
        round_ = make.draft_round(n_items=3, n_releases=2)

        assert sorted(drawn(round_)) == ["Q01", "Q02", "Q03"]
        assert list(round_.items.values_list("ordinal", "n_seats")) == [(0, 3), (1, 3), (2, 3)]
        for item in round_.items.all():
            for row in item.responses.all():
                assert row.response.item_id == item.item_id
                assert row.response.release_id == row.release_id
        counts = {key: value for key, value in round_.draw["prepared"].items() if key != "at"}
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


class TestAPreparationThatIsOvertaken:
    def test_stops_where_the_releases_were_changed_meanwhile(self, monkeypatch):
        round_ = make.draft_round()
        whole = drawing.draw

        def change_meanwhile(*args):
            elsewhere = models.Round.objects.get(pk=round_.pk)
            drafting.choose_releases(
                round_=elsewhere, releases=[make.release()], by=round_.created_by, now=make.NOW
            )
            return whole(*args)

        monkeypatch.setattr(drawing, "draw", change_meanwhile)
        with pytest.raises(drafting.NotADraft):
            prepare(round_)

        round_.refresh_from_db()
        assert "prepared" not in round_.draw


class TestScan:
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
