import pytest
from django.db import IntegrityError, transaction

from annotation.bank import operations as writing
from annotation.people import operations
from annotation.people import queries as reads
from annotation.people.models import AuditEvent, SettingsVersion
from annotation.people.rules import Bank, Masks, Retention, Section
from annotation.rounds import drawing
from annotation.rounds.models import IdentityHit
from annotation.search import similarity
from annotation.systems.models import Response
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def set_masks(masks, base=0):
    home = make.project()
    return operations.set_masks(
        project=home, masks=masks, base=base, by=make.user("northport-owner"), now=make.NOW
    )


def set_bank(bank, base=0):
    home = make.project()
    return operations.set_bank(
        project=home, bank=bank, base=base, by=make.user("northport-owner"), now=make.NOW
    )


def said(round_, *texts):
    for response, text in zip(Response.objects.order_by("pk"), texts, strict=False):
        Response.objects.filter(pk=response.pk).update(
            messages=[{"role": "assistant", "content": text}]
        )
    return drawing.scan(round_)


class TestSave:
    def test_writes_the_next_version_and_what_it_was_before_into_the_audit(self):
        set_bank(Bank(("de", "en")))
        set_bank(Bank(("en", "zh"), 90), base=1)

        event = AuditEvent.objects.filter(verb="settings.changed").latest("pk")
        assert event.subject == "settings:bank"
        assert event.data == {
            "number": 2,
            "before": {"alike": 85, "languages": ["de"]},
            "after": {"alike": 90, "languages": ["zh"]},
        }
        assert reads.bank_of(make.project()) == Bank(("en", "zh"), 90)

    def test_writes_nothing_where_nothing_is_new(self):
        assert set_bank(Bank(("de",)))
        assert not set_bank(Bank(("de",)), base=1)

        assert SettingsVersion.objects.count() == 1

    def test_refuses_what_was_typed_over_another_version(self):
        set_bank(Bank(("de",)))

        with pytest.raises(operations.ChangedMeanwhile):
            set_bank(Bank(("en",)), base=0)

        assert reads.bank_of(make.project()).languages == ("de",)

    def test_refuses_what_cannot_be_used_by_field(self):
        with pytest.raises(operations.SettingsInvalid) as refused:
            set_bank(Bank(("german",), 12))

        assert set(refused.value.fields) == {"languages", "alike"}
        assert not SettingsVersion.objects.exists()

    def test_leaves_a_version_as_it_was_written(self):
        set_bank(Bank(("de",)))

        for change in (
            lambda: SettingsVersion.objects.update(body={}),
            lambda: SettingsVersion.objects.all().delete(),
        ):
            with pytest.raises(IntegrityError, match="settings stay"), transaction.atomic():
                change()

    def test_counts_what_a_long_list_holds_beyond_the_first(self):
        set_masks(Masks(words=tuple(f"harbour {n:03}x" for n in range(60))))

        after = AuditEvent.objects.get(verb="settings.changed").data["after"]["words"]
        assert len(after) == 41
        assert after[-1] == "… 20 more"


class TestMasks:
    def test_are_looked_for_in_drafts(self):
        set_masks(Masks(words=("Quay Mind",), patterns=(r"our \w+ desk",)))
        round_ = make.draft_round(n_items=1, n_releases=2)

        said(round_, "Says QUAY-MIND.", "Ask our freight desk.")

        hits = IdentityHit.objects.order_by("response")
        assert list(hits.values_list("term", "kind", "decision")) == [
            ("Quay Mind", "OWN", "UNDECIDED"),
            ("our freight desk", "PATTERN", "UNDECIDED"),
        ]

    def test_are_masked_from_the_start_by_whom_approved_them(self):
        set_masks(Masks(words=("Quay Mind",), approved=True))
        round_ = make.draft_round(n_items=1, n_releases=2)

        said(round_, "Says Quay Mind, which is no ChatGPT.")

        own, public = IdentityHit.objects.order_by("start")
        assert (own.decision, own.decided_by.username) == ("MASK", "northport-owner")
        assert (public.decision, public.decided_by) == ("UNDECIDED", None)

    def test_leave_a_decision_of_a_curator_as_it_is(self):
        set_masks(Masks(words=("Quay Mind",), approved=True))
        round_ = make.draft_round(n_items=1, n_releases=2)
        said(round_, "Says Quay Mind.")
        IdentityHit.objects.update(decision="KEEP")

        drawing.scan(round_)

        assert IdentityHit.objects.get().decision == "KEEP"

    def test_stop_the_preparation_where_a_pattern_takes_too_long(self):
        home, owner = make.project(), make.user("northport-owner")
        round_ = make.draft_round(n_items=1, n_releases=2)
        # As if it had been let through: what it is tried out on is not what it meets.
        operations.save(
            project=home,
            section=Section.MASKS,
            body={"patterns": ["(b+)+$"]},
            base=0,
            by=owner,
            now=make.NOW,
        )

        with pytest.raises(drawing.PatternTooSlow, match="under Settings, Masks"):
            said(round_, "b" * 5000 + "!")

    def test_of_another_project_change_nothing(self):
        other = make.project("southgate")
        operations.set_masks(
            project=other,
            masks=Masks(words=("Quay Mind",)),
            base=0,
            by=make.user("southgate-owner"),
            now=make.NOW,
        )
        round_ = make.draft_round(n_items=1, n_releases=2)

        assert said(round_, "Says Quay Mind.") == 0


class TestBank:
    def test_offers_languages_that_a_question_can_be_handed_in_with(self):
        set_bank(Bank(("de", "en")))
        draft = make.question_version("DRAFT", text=make.question_text(language="fr"))

        with pytest.raises(errors.Incomplete) as refused:
            writing.submit(version=draft, base_rev=draft.rev, by=draft.author, now=make.NOW)

        assert "de, en, not fr" in refused.value.fields["language"][0]
        for text in (make.question_text("What?", language="DE"), make.question_text("Who?")):
            assert make.question_version("SUBMITTED", text=text).state == "SUBMITTED"

    def test_sets_from_when_on_two_questions_are_alike(self):
        asked = "Which papers does a forwarder need for a sea shipment to Chile?"
        make.question_version("DRAFT", text=make.question_text(asked))
        turns = [{"role": "user", "content": asked.replace("sea ", "small sea ")}]

        found = similarity.near(make.project(), turns)
        set_bank(Bank(alike=99))

        assert [one.percent < 99 for one in found] == [True]
        assert similarity.near(make.project(), turns) == []


class TestRetention:
    def test_refuses_days_out_of_reach(self):
        with pytest.raises(operations.SettingsInvalid) as refused:
            operations.set_retention(
                project=make.project(),
                retention=Retention({"calls": 1}),
                base=0,
                by=make.user("northport-owner"),
                now=make.NOW,
            )

        assert list(refused.value.fields) == ["calls"]
